# Cases of tools/fuzz: fits of records of all sizes, by all methods.

#' Records of a shape that make_fit() may ask for: list(x, y).
fuzz_records <- function(n, d, shape, seed, numbers = FALSE, empty = 0) {
  dpadmm:::with_r_seed(seed, local({
    x <- matrix(stats::runif(n * d, -1, 1), n) / sqrt(d)
    far <- function(count) 10^stats::runif(count, -320, 300) * sample(c(-1, 1), count, TRUE)
    x[] <- switch(shape,
      plain = x, huge = x * 1e300, tiny = x * 1e-310, same = rep(x[1L, ], each = n),
      zero = 0, mixed = far(n * d), columns = x * rep(far(d), each = n), rows = x * far(n),
      one = x * c(1e300, rep(1, n - 1)), largest = sign(x) * .Machine$double.xmax
    )
    x[stats::runif(n) < empty, ] <- 0
    y <- if (!numbers) sample(c(-1, 1), n, TRUE) else switch(shape,
      huge = x[, 1L], mixed = far(n), rows = far(n), one = c(1e300, stats::runif(n - 1L)),
      largest = sign(x[, 1L]) * .Machine$double.xmax, stats::runif(n, -1, 1)
    )
    list(x = x, y = y)
  }))
}

random_method <- function(name) {
  numbers <- intersect(names(formals(dpadmm:::methods_table()[[name]])), c("eta", "growth",
    "theta", "gamma", "beta", "split", "lambda", "step", "clip", "loss_clip", "rho", "mu"))
  shares <- c("split", "lambda", "mu")
  given <- lapply(stats::setNames(nm = sample(numbers, sample.int(2L, 1L) - 1L)), function(what) {
    if (what %in% shares) round(stats::runif(1L, 0.01, 0.99), 2L) else far()
  })
  choices <- list(admm = list(perturb = c("dual", "primal")),
    fp_admm = list(setting = c("centralized", "federated", "decentralized"),
      unit = c("record", "holder"), clip_on = c("gradient", "step")),
    dp_sgd = list(sampling = c("poisson", "fixed"), neighbours = c("replace-one", "add-remove"),
      batch = c(1, 3)),
    dp_cd = list(order = c("random", "permutation"), blocks = 1:2),
    grad_admm = list(init = c("zero", "noisy-gradient"), average = c("last", "mean")),
    acc_admm = list(init = c("zero", "noisy-gradient"), restart = c(TRUE, FALSE)),
    ipp_admm = list(max_sends = 1:3)
  )[[name]]
  choices <- choices[stats::runif(length(choices)) < 0.4]
  as.call(c(list(as.name(name)), given, lapply(choices, function(of) of[[sample.int(length(of),
    1L)]])))
}

#' Settings of a run, as arguments: without records, for how many holders, of which method.
random_settings <- function(name, holders, numbers) {
  on_graph <- dpadmm:::on_graph(dpadmm:::as_method(name))
  one <- !on_graph
  add <- list(
    loss = if (numbers) one_of("squared", "huber") else one_of("logistic", "hinge", "huber"),
    rows = "shorten", iterations = one_of(1, 2, 3, 5, 12), seed = sample.int(1e6L, 1L)
  )
  some <- function(p, ...) if (stats::runif(1L) < p) list(...)
  budget <- switch(one_of("epsilon", "epsilon", "epsilon", "noise", "none"),
    epsilon = list(epsilon = far(2)), none = list(epsilon = Inf),
    noise = list(noise = as.call(list(as.name(one_of("gaussian_noise", "gamma_noise")), far())))
  )
  if (!identical(budget$epsilon, Inf)) add$delta <- one_of(0, 1e-5, 1e-5, 1e-5, far_delta())
  penalty <- one_of(quote(penalty_l1(0.1)), quote(penalty_l2(0.01)), quote(penalty_box(-1, 2)),
    quote(penalty_elastic_net(0.1, 1e5)), bquote(penalty_l1(.(far()))))
  control <- c(some(0.4, row_bound = far()), some(0.1, tol = far()),
    some(0.1, accountant = "paper"))
  c(add, budget, if (one) some(0.4, penalty = penalty),
    if (on_graph) c(some(0.3, network = one_of("ring", "star")), some(0.3, rho = far()),
      some(0.2, weights = one_of("records", "nodes"))),
    some(0.1, C = far()), some(0.1, intercept = FALSE), some(0.1, per_person = 2),
    if (length(control)) list(control = as.call(c(list(quote(dpadmm_control)), control))))
}

make_fit <- function() {
  name <- sample(names(dpadmm:::methods_table()), 1L)
  on_graph <- dpadmm:::on_graph(dpadmm:::as_method(name))
  n <- one_of(1, 2, 5, 8, 24, 60, 400)
  holders <- min(n, if (on_graph) one_of(2, 3, 8, 200) else one_of(1, 1, 2, 5, 200))
  numbers <- stats::runif(1L) < 0.3
  shape <- one_of("plain", "plain", "huge", "tiny", "same", "zero", "mixed", "columns", "rows",
    "one", "largest")
  records <- bquote(fuzz_records(.(n), .(one_of(1, 2, 3, 8, 40)), .(shape),
    .(sample.int(1e6L, 1L)), .(numbers), .(one_of(0, 0, 0.5))))
  settings <- random_settings(name, holders, numbers)
  if (on_graph || holders > 1) {
    settings$nodes <- if (holders == n) bquote(seq_len(.(n))) else bquote(rep_len(1:.(holders),
      .(n)))
  }
  also <- one_of("threads", "sparse", "engine", "saved")
  as.call(c(list(quote(check_fit), records, random_method(name), also), settings))
}

#' What must hold of a fit, and of the same fit in another way.
check_fit <- function(records, method, also, ..., control = dpadmm_control()) {
  force(method)
  force(list(control, ...))
  x <- records$x
  run <- function(x = records$x, control. = control, ...) {
    suppressWarnings(dpadmm_fit(x, records$y, method = method, control = control., ...),
      classes = "dpadmm_warning")
  }
  fit <- tryCatch(run(...), dpadmm_error = identity)
  if (inherits(fit, "error")) return(error_of_records(fit, records, method, ..., control = control))
  # what a fit says of itself is no place for an error: it would have come before the fit
  said <- tryCatch(complaints_of_fit(fit, x, list(...)), dpadmm_error = function(e) {
    sprintf("after the fit: %s", conditionMessage(e))
  })
  c(said, switch(also,
    threads = same_fit(fit, run(control. = replace(control, "threads", 2L), ...), 0),
    # noise hides where solvers of a private fit stop, so that only one without is as exact; and
    # what helps enough to be sent can turn on a last bit
    sparse = same_fit(fit, run(methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix"), ...),
      if (fit$plan$private || method$name == "ipp_admm") Inf else 1e-10),
    engine = same_fit(fit, run(control. = replace(control, "engine", "stepwise"), ...), 0),
    saved = {
      file <- tempfile()
      on.exit(unlink(file))
      saveRDS(fit$plan, file)
      again <- readRDS(file)
      if (!identical(again$scales, fit$plan$scales)) "a saved plan differs"
    }
  ))
}

#' An error is not a complaint, unless other records of the same public facts have none: then
#' that there is one tells of the records.
error_of_records <- function(e, records, method, ...) {
  if (identical(list(...)$epsilon, Inf)) return(NULL)
  plain <- fuzz_records(nrow(records$x), ncol(records$x), "plain", 1L)
  other <- tryCatch(
    suppressWarnings(dpadmm_fit(plain$x, plain$y, method = method, ...),
      classes = "dpadmm_warning"
    ),
    dpadmm_error = identity
  )
  if (!inherits(other, "error")) {
    sprintf("an error that depends on records: %s", conditionMessage(e))
  }
}

complaints_of_fit <- function(fit, x, asked) {
  link <- predict(fit, x, type = "link")
  private <- !identical(asked$epsilon, Inf)
  said <- utils::capture.output(print(fit), print(summary(fit)))
  spent <- privacy(fit, fit$plan$control$accountant)$epsilon
  numbers <- list(coefficients = fit$coefficients, trace = fit$trace, link = link)
  bad <- names(Filter(function(v) {
    v <- unlist(v)
    is.numeric(v) && !all(is.finite(v))
  }, numbers))
  c(
    if (length(bad)) sprintf("not finite: %s", paste(bad, collapse = ", ")),
    if (any(grepl("NaN|NA", said))) sprintf("says %s", grep("NaN|NA", said, value = TRUE)[1L]),
    # noise as papers print it is theirs to answer for
    if (private && !is.null(asked$epsilon) && fit$plan$control$accountant == "sound") {
      over_budget(spent, asked$epsilon)
    },
    if (private && !isTRUE(spent >= 0)) "no statement"
  )
}

over_budget <- function(spent, epsilon) {
  if (!isTRUE(spent <= max(epsilon) * (1 + 1e-12))) {
    sprintf("spends %.15g of %.15g", spent, max(epsilon))
  }
}

#' Two fits with one key: the same bits, or as near as rounding lets them be.
same_fit <- function(one, other, tolerance) {
  if (tolerance == 0) {
    same <- identical(one$coefficients, other$coefficients)
    return(if (!same) "the same fit in another way has other bits")
  }
  size <- max(abs(one$coefficients), 1e-300)
  apart <- max(abs(one$coefficients / size - other$coefficients / size))
  if (!isTRUE(apart <= tolerance)) sprintf("the same fit in another way is %.3g apart", apart)
}
