# What small runs do with their records, counted row by row where it is done: products with a vector
# (times), products back, rows in d x d curvatures and in diagonals, rows measured or copied,
# Cholesky factors, and all bytes that a run takes, packed copies of the records among them. No
# seconds: a change that makes a run do more work fails here on any machine. When the work is meant
# to change (or the memory), look at the differences, run
#   DPADMM_WRITE_PASSES=true Rscript -e 'testthat::test_local(filter = "^passes$")'
# and commit fixtures/passes.csv with the change that explains it.

records_of <- function(n, d, zeros = 0, alike = 0) {
  x <- matrix(sin(seq_len(n * d) * sqrt(2)) + alike * sin(seq_len(n)), n, d)
  x[abs(sin(seq_len(n * d) * sqrt(3))) < zeros] <- 0
  x <- x / sqrt(max(rowSums(x^2)))
  y <- ifelse(x %*% cos(seq_len(d)) + 0.1 * sin(17 * seq_len(n)) > 0, 1, -1)
  list(x = if (zeros > 0) Matrix::Matrix(x, sparse = TRUE) else x, y = as.vector(y))
}

private <- function(data, method, nodes = 4, ...) {
  list(data = data, fit = function() {
    dpadmm_fit(data$x, data$y, nodes = nodes, method = method, epsilon = 1, delta = 1e-5,
      iterations = 10, seed = 1, ...)
  })
}

exact <- function(data, iterations, loss = "logistic") {
  list(data = data, fit = function() {
    dpadmm_fit(data$x, data$y, nodes = 2, method = r_admm(), epsilon = Inf, lambda = 1e-4,
      iterations = iterations, seed = 1, loss = loss)
  })
}

#' Of which the quadratic model answers most problems without a pass.
modelled <- function(data) {
  list(data = data, fit = function() {
    dpadmm_fit(data$x, data$y, nodes = 2, method = admm(eta = 1), epsilon = Inf, lambda = 1e-4,
      iterations = 40, seed = 1, control = dpadmm_control(tol = 1e-2))
  })
}

runs <- list(
  "private, few columns" = private(records_of(2400, 6), mr_admm()),
  "private, three columns" = private(records_of(2400, 3), mr_admm()),
  "private, many columns" = private(records_of(800, 90), mr_admm()),
  "loose" = private(records_of(1200, 40, zeros = 0.8), pp_admm(beta = 1e-2)),
  "exact, alike columns" = exact(records_of(400, 80, alike = 1), 8),
  "exact, wide" = exact(records_of(60, 300, zeros = 0.9), 8),
  "exact, few rows" = exact(records_of(30, 70), 8, loss = "huber"),
  "exact, loose" = modelled(records_of(400, 20)),
  "gradients" = private(records_of(600, 20), acc_admm()),
  "gradients, in place" = private(records_of(3000, 20), dp_sgd(), NULL, intercept = FALSE),
  "a server, sparse" = private(records_of(300, 30, zeros = 0.7), fp_admm())
)

#' What the solvers did, and the model, when the plan of a run is carried out once more.
again <- function(run, engine, threads = 1, ...) {
  plan <- run$plan
  plan$control$threads <- threads
  key <- dpadmm:::noise_key(1)
  held <- dpadmm:::planned_holders(plan$problem, NULL, nrow(run$data$x), key)
  dpadmm:::run_plan(plan, run$data[c("x", "y")], held, key, engine, ...)
}

work_of <- function(run) {
  work <- NULL
  again(run, dpadmm:::engine_local(function(counts) work <<- counts))
  unlist(work)
}

runs <- lapply(runs, function(run) c(run, plan = list(run$fit()$plan)))
file <- test_path("fixtures", "passes.csv")

test_that("runs do the work that they are known to do", {
  skip_on_cran() # a step more or less is no error where rounding is another
  work <- t(vapply(runs, work_of, numeric(7)))
  if (Sys.getenv("DPADMM_WRITE_PASSES") == "true") utils::write.csv(work, file)
  known <- as.matrix(utils::read.csv(file, row.names = 1L))
  storage.mode(known) <- "double"
  expect_identical(work, known)
})

test_that("parties of any size give the same by two threads, pass by pass or party by party", {
  skip_on_cran()
  # so many entries that threads share passes, and two parties that have fewer
  sizes <- c(9000, 300, 8500, 600)
  data <- sim_logistic(sum(sizes), 130, seed = 1)
  coefficients <- function(threads) {
    coef(suppressWarnings(dpadmm_fit(data$x, data$y,
      nodes = rep(1:4, sizes), epsilon = 1, delta = 1e-5, iterations = 4, seed = 1,
      control = dpadmm_control(threads = threads, progress = FALSE)
    )))
  }
  expect_identical(coefficients(2), coefficients(1))
})

#' What R allocates in vectors of 50 kB and more during a fit, in units of its `data`.
taken_by <- function(data, ...) {
  file <- tempfile()
  on.exit(unlink(file))
  Rprofmem(file, threshold = 50000)
  on.exit(Rprofmem(NULL), add = TRUE, after = FALSE)
  dpadmm_fit(..., epsilon = 1, delta = 1e-5, iterations = 1)
  Rprofmem(NULL)
  taken <- as.numeric(sub(" .*", "", grep("^[0-9]", readLines(file), value = TRUE)))
  sum(taken) / as.numeric(utils::object.size(data))
}

test_that("rows are copied once, sparse ones to fewer bytes than they have, or not at all", {
  skip_if_not(capabilities("profmem"))
  n <- 20000
  y <- rep_len(c(-1, 1, 1), n)
  x <- Matrix::sparseMatrix(rep(seq_len(n), 14), rep(1:14, each = n), x = 0.25, dims = c(n, 20))
  expect_lt(taken_by(x, x, y, nodes = 5), 1.15)
  x <- matrix(sin(seq_len(n * 100)) / 10, n)
  expect_lt(taken_by(x, x, y, nodes = 5), 1.15)
  expect_lt(taken_by(x, x, y, method = dp_sgd(), intercept = FALSE), 0.1)
})

test_that("of a frame one copy is held, made in blocks, whose garbage is known", {
  skip_on_cran() # R may make more or less of it
  skip_if_not(capabilities("profmem"))
  n <- 20000
  x <- as.data.frame(matrix(sin(seq_len(n * 20)) / 10, n))
  x$y <- rep_len(c(-1, 1, 1), n)
  bounds <- rep(list(c(-0.1, 0.1)), 20)
  names(bounds) <- names(x)[1:20]
  schema <- do.call(dpadmm_schema, bounds)
  expect_lt(taken_by(x, y ~ ., x, schema = schema, nodes = 5), 8.2)
})

test_that("a fit's trace, plan and result tell nothing of the work", {
  run <- runs[["private, few columns"]]
  names <- names(rapply(unclass(run$fit()), function(x) 0, how = "unlist"))
  expect_false(any(grepl("(^|[.])work|squares|passes|diagonal", names)))
  expect_null(again(run, dpadmm:::engine_local())$work)
})

for (name in names(runs)) {
  run <- runs[[name]]
  test_that(paste0(name, ": the same bits with more threads, and saved after every round"), {
    want <- again(run, dpadmm:::engine_local())$f
    for (threads in 2:3) expect_identical(again(run, dpadmm:::engine_local(), threads)$f, want)
    saved <- again(run, dpadmm:::engine_stepwise(saved = TRUE))
    expect_identical(saved$f, want)
  })
}

test_that("the same bits where idle threads help others with their passes and curvatures", {
  long <- records_of(9000, 40) # of five nodes two threads have one too many
  fit <- function(method, threads, ...) {
    fit <- dpadmm_fit(long$x, long$y, nodes = 5, method = method, epsilon = 1, delta = 1e-5,
      iterations = 4, seed = 1, control = dpadmm_control(threads = threads), ...)
    fit$coefficients
  }
  for (method in list(mr_admm(), pp_admm(), grad_admm(), dp_sgd(), fp_admm())) {
    want <- fit(method, 1)
    for (threads in 2:3) expect_identical(fit(method, threads), want, info = method$name)
  }
})

test_that("a BLAS with threads has one while the core works, and then as many as before", {
  threads <- function(n) .Call(dpadmm:::ffi_blas_threads, n) # 0: a library without threads
  before <- threads(2)
  on.exit(threads(max(before, 1)))
  seen <- NULL
  again(runs[["private, few columns"]], NULL, tick = function(done) seen <<- c(seen, threads(1)))
  expect_identical(unique(seen), if (before > 0) 1L else 0L)
  expect_identical(threads(2), if (before > 0) 2L else 0L)
})
