# What tools/torture runs: calls that reach every compiled routine with small data.
#   plain       all of it
#   gctorture   the first calls of each routine, with a garbage collection at every allocation
#   fit         a fit and its kin, for valgrind
suppressMessages(library(dpadmm))
how <- commandArgs(TRUE)[1L]
package <- asNamespace("dpadmm")
calls <- integer()
most <- 6L # calls of a routine that are tortured

# every .Call() of the package goes through this
watched <- function(routine, ...) {
  name <- if (is.list(routine)) routine$name else "?"
  calls[name] <<- sum(calls[name], 1L, na.rm = TRUE)
  list(...) # worked out before
  if (how == "gctorture" && calls[[name]] <= most) {
    gctorture(TRUE)
    on.exit(gctorture(FALSE))
  }
  base::.Call(routine, ...)
}

watch <- function(x) {
  if (is.list(x) && !is.object(x)) x[] <- lapply(x, watch)
  if (is.function(x) && ".Call" %in% all.names(body(x))) {
    body(x) <- do.call(substitute, list(body(x), list(.Call = watched)))
  }
  x
}
for (name in ls(package, all.names = TRUE)) {
  it <- get(name, package)
  if (!identical(it, watched_it <- watch(it))) {
    utils::assignInNamespace(name, watched_it, "dpadmm")
  }
}
# parties one by one are saved and loaded after every round
utils::assignInNamespace("engines_table", function() {
  list(local = engine_local, stepwise = function() engine_stepwise(saved = TRUE))
}, "dpadmm")
attach(package, warn.conflicts = FALSE) # as they are now

begin <- proc.time()[["elapsed"]]
part <- function(title, code) {
  utils::capture.output(suppressMessages(suppressWarnings(code)))
  cat(sprintf("%6.1f s  %s\n", proc.time()[["elapsed"]] - begin, title))
}

n <- 12
x <- matrix(sin(seq_len(2 * n)), n) / 2
y <- rep_len(c(-1, 1), n)
holders <- rep_len(1:3, n)
sparse <- methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")
fit <- function(...) dpadmm_fit(x, y, ..., seed = 1, rows = "shorten")
private <- function(...) fit(..., epsilon = 1, delta = 1e-5, iterations = 2)
frame <- data.frame(age = 20:79, ill = rep_len(c("no", "no", "yes"), 60),
  h = rep_len(c("A", "B", "C"), 60))
columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))

part("methods", for (name in names(methods_table())) {
  nodes <- if (on_graph(as_method(name))) list(nodes = holders)
  for (engine in c("local", "stepwise")) {
    do.call(private, c(list(method = name, control = dpadmm_control(engine = engine)), nodes))
  }
  if (how != "fit") do.call(fit, c(list(method = name, epsilon = Inf, iterations = 2), nodes))
})
part("inference, weights, offsets, sparse", {
  model <- private(method = "admm", nodes = holders, inference = "sandwich",
    case_weights = rep_len(c(0.5, 1), n), weight_bound = 1, offset = x[, 1])
  print(predict(model, sparse, type = "link", offset = x[, 1])[1:2])
  for (class in c("CsparseMatrix", "RsparseMatrix", "TsparseMatrix")) {
    held <- methods::as(sparse, class)
    print(dpadmm_fit(held, y, nodes = 2, epsilon = 1, iterations = 2, rows = "error"))
  }
  levels <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"), h = c("A", "B", "C"))
  for (formula in c(ill ~ age + h, ill ~ age:h, ill ~ age)) {
    print(dpadmm_fit(formula, frame, levels, nodes = 2, epsilon = 1, iterations = 2))
  }
  for (noise in list(gaussian_noise(1), gamma_noise(1))) {
    fit(method = "admm", nodes = 2, noise = noise, delta = 1e-5, iterations = 2)
  }
})
part("records in a file", {
  records <- dpadmm_records(frame, ill ~ age, columns, nodes = ~h)
  print(dpadmm_fit(records, epsilon = 1, iterations = 2))
  print(summary(records))
  watched(ffi_file_unmap, records$held$store$map)
})
if (how == "fit") quit()

part("losses and settings", {
  for (loss in c("huber", "hinge", "squared")) {
    for (method in c("dp_sgd", "admm")) {
      fit(method = method, loss = loss, epsilon = Inf, nodes = holders, iterations = 2)
    }
  }
  fit(method = "dp_sgd", loss = "squared", epsilon = Inf) # Newton's method
  for (sampling in c("poisson", "fixed")) {
    private(method = dp_sgd(batch = 4, sampling = sampling, neighbours = "replace-one"))
  }
  private(method = dp_cd(order = "permutation", blocks = 2))
  private(method = fp_admm(setting = "federated", sample = 4))
  private(method = fp_admm(setting = "decentralized"))
  private(method = fp_admm(unit = "holder"), nodes = holders)
})
part("measures, tuning", {
  plain <- private(method = "mr_admm", nodes = holders)
  print(evaluate(plain, x, y, epsilon = 1)$measures)
  plans <- lapply(c(ill ~ age, ill ~ 1), dpadmm_plan, columns, c(A = 20, B = 20, C = 20),
    epsilon = 1, delta = 1e-5, iterations = 2)
  print(dpadmm_tune(plans, frame, nodes = ~h, epsilon = 3, delta = 1e-5, seed = 1)$tuning$chosen)
})
part("secure sums", for (engine in c("local", "stepwise")) {
  private(method = "grad_admm", nodes = holders, aggregation = "secure",
    control = dpadmm_control(engine = engine))
})
part("sites", if (all(vapply(c("RSQLite", "digest", "jsonlite", "sodium"), requireNamespace, NA,
  quietly = TRUE))) {
  sites <- sites_local(split(frame, frame$h), columns, epsilon = 100, delta = 1e-3)
  for (aggregation in c("plain", "secure")) {
    print(dpadmm_fit(ill ~ age, sites, method = "grad_admm", epsilon = 3, delta = 1e-5,
      iterations = 2, aggregation = aggregation))
  }
  print(ledger_report(sites))
  print(dpadmmPublicDS("nowhere")$message) # as a DataSHIELD server is asked
})
part("accountants", {
  for (mechanism in .mechanisms) {
    for (event in mechanism$examples(2)) {
      for (by in c("best", "rdp", "pld")) {
        tryCatch(account(event, 1e-5, by), dpadmm_error = function(e) NULL)
      }
    }
  }
  print(gaussian_sigma(1, 1e-5))
  rdp_objective_gaussian(2, 1, 1, 0.1, 2)
  print(compose_pure(0.1, 1e-5, 5))
  rdp_subsampled_gaussian(2, 0.1, 1, sampling = "fixed", neighbours = "replace-one")
  # so many that those nearly alike share accounts
  print(dpadmm_plan(2, 200 + seq_len(40), method = "mr_admm", epsilon = 1, delta = 1e-5,
    noise = "gamma", iterations = 2))
})
part("audits", {
  pair <- worst_case_neighbours("labels", n = 6, d = 3)
  release <- fit_release(dp_sgd(), iterations = 1, epsilon = 1, delta = 1e-6)
  print(low_bits_attack(release, pair$data1, pair$data2, runs = 4, seed = 1))
  print(audit(function(data) data + stats::rnorm(3), 1:3, 2:4, runs = 20, seed = 1))
})
part("iterations of R's own", {
  fixed_point(operator_affine(diag(2) / 2), c(1, 1), iterations = 2)
  for (made in list(operator_gradient(x, y, step = 0.1), operator_admm(x, y))) {
    fixed_point(made, numeric(made$d), iterations = 2)
  }
  fixed_point(operator_affine(diag(2) / 2), c(1, 1), iterations = 2, noise = gaussian_noise(1),
    delta = 1e-5, blocks = 1:2, active = 0.5)
  test <- list(threshold = 0, threshold_scale = 1, query_scale = 1, max_sends = 1L,
    printed = FALSE, loss_clip = 1)
  watched(ffi_sparse_vector, test, matrix(c(-1, 1), 4, 2), noise_key(1))
  watched(ffi_blas_threads, 1L)
})
part("data, readers, tables", {
  network_random(5, 0.5)
  sim_logistic(20, 3, seed = 1)
  sim_lasso(20, 4, 2, seed = 1)
  file <- tempfile()
  writeLines(c("+1 1:0.5 3:2", "-1 2:1"), file)
  print(dim(read_libsvm(file)$x))
  for (table in c("losses", "mechanisms", "penalties", "relays", "rules")) {
    print(length(watched(get(paste0("ffi_", table), package))))
  }
})

known <- names(getDLLRegisteredRoutines("dpadmm")$.Call)
lost <- setdiff(known, names(calls))
cat(sprintf("%d of %d routines reached, by %d calls\n", length(known) - length(lost),
  length(known), sum(calls)))
if (length(lost)) stop("not reached: ", paste(lost, collapse = ", "))
