# Cases of tools/fuzz: what is released beside a model (standard errors, measures, a choice among
# plans), sums that hide their parts, and budgets over several releases.

quietly <- function(code) suppressWarnings(code, classes = "dpadmm_warning")

#' A private budget for which there is Gaussian noise.
usual_budget <- function() list(epsilon = far(2), delta = one_of(1e-5, 1e-5, 1e-9, 0.01))

random_shape <- function() {
  one_of("plain", "plain", "huge", "tiny", "same", "zero", "mixed", "columns", "rows", "one",
    "largest")
}

random_records <- function(n, numbers = FALSE) {
  bquote(fuzz_records(.(n), .(one_of(1, 2, 3, 8)), .(random_shape()), .(sample.int(1e6L, 1L)),
    .(numbers), .(one_of(0, 0, 0.5))))
}

#' Fits whose messages only the sum is seen of; they are checked as any fit is.
make_secure <- function() {
  name <- sample(c("grad_admm", "acc_admm", "dp_sgd", "dp_cd", "fp_admm"), 1L)
  holders <- one_of(3, 3, 4, 9, 50)
  n <- holders * one_of(1, 2, 7)
  settings <- list(
    loss = one_of("logistic", "hinge", "huber"), rows = "shorten",
    iterations = one_of(1, 2, 5, 12), seed = sample.int(1e6L, 1L),
    aggregation = one_of("secure", quote(secure_sum(honest = 2)),
      quote(secure_sum(failures = 0)), quote(secure_sum(honest = 2, failures = 40)))
  )
  if (stats::runif(1L) < 0.4) settings$C <- far()
  if (stats::runif(1L) < 0.4) settings$control <- bquote(dpadmm_control(row_bound = .(far())))
  as.call(c(list(quote(check_fit), random_records(n), random_method(name),
    one_of("threads", "sparse", "engine", "saved"), nodes = bquote(rep_len(1:.(holders), .(n)))),
    settings, usual_budget()))
}

make_inference <- function() {
  numbers <- stats::runif(1L) < 0.4
  n <- one_of(2, 8, 60, 400, 4000)
  budget <- if (stats::runif(1L) < 0.2) list(epsilon = Inf) else usual_budget()
  as.call(c(list(quote(check_inference), random_records(n, numbers),
    random_method(sample(c("admm", "m_admm", "r_admm", "mr_admm"), 1L)),
    inference = one_of(TRUE, "model", "sandwich"), nodes = bquote(rep_len(1:2, .(n))),
    loss = if (numbers) one_of("squared", "huber") else "logistic", rows = "shorten",
    seed = sample.int(1e6L, 1L), intercept = one_of(TRUE, FALSE)), budget))
}

#' Intervals are in order and finite, or there are none, in words.
check_inference <- function(records, method, ...) {
  force(method)
  fit <- tryCatch(quietly(dpadmm_fit(records$x, records$y, method = method, ...)),
    dpadmm_error = identity)
  if (inherits(fit, "error")) return(error_of_records(fit, records, method, ...))
  said <- complaints_of_fit(fit, records$x, list(...))
  told <- tryCatch(list(ends = confint(fit), variance = diag(vcov(fit)),
    errors = predict(fit, records$x, type = "link", se.fit = TRUE)$se.fit),
    dpadmm_error_unavailable = function(e) NULL)
  c(said, if (!all(is.finite(unlist(told)))) "intervals that are not finite",
    if (!is.null(told) && any(told$ends[, 1L] > told$ends[, 2L])) "intervals upside down",
    if (any(told$variance < 0)) "negative variances")
}

make_evaluation <- function() {
  numbers <- stats::runif(1L) < 0.3
  n <- one_of(1, 2, 8, 60, 400)
  asked <- list(epsilon = far(2), delta = one_of(0, 1e-5, far_delta()),
    seed = sample.int(1e6L, 1L))
  some <- function(p, name, value) if (stats::runif(1L) < p) asked[[name]] <<- value
  some(0.4, "nodes", bquote(rep_len(1:.(one_of(1, 2, 5)), .(n))))
  some(0.4, "clip", far())
  some(0.3, "bins", one_of(1, 2, 7, 1000))
  some(0.2, "level", one_of(0.5, 1e-9, 1 - 1e-9))
  some(0.3, "measures", one_of("error", "log_loss", "auc", "calibration", "mse"))
  as.call(c(list(quote(check_evaluation), random_records(n, numbers), numbers, far()), asked))
}

#' Measures within their range, the interval around them, and the cost within the budget; whether
#' there is an error does not depend on records.
check_evaluation <- function(records, numbers, bound, ...) {
  plain <- fuzz_records(nrow(records$x), ncol(records$x), "plain", 1L, numbers)
  fit <- quietly(dpadmm_fit(plain$x, plain$y, method = dp_sgd(), rows = "shorten", seed = 1,
    loss = if (numbers) "huber" else "logistic", epsilon = 1, delta = 1e-5, iterations = 2,
    control = dpadmm_control(row_bound = bound)))
  of <- function(r) tryCatch(quietly(evaluate(fit, r$x, r$y, ...)), dpadmm_error = identity)
  found <- of(records)
  if (inherits(found, "error")) {
    other <- inherits(of(plain), "error")
    return(if (!other) sprintf("an error that depends on records: %s", conditionMessage(found)))
  }
  table <- found$measures
  said <- utils::capture.output(print(found))
  unknown <- is.na(table$estimate) & table$measure %in% c("auc", "r2") # too few for the noise
  numbers <- table[!unknown, c("estimate", "std.error", "conf.low", "conf.high", "noise")]
  c(
    if (!all(is.finite(unlist(numbers)))) "measures that are not finite",
    if (any(table$conf.low > table$conf.high)) "an interval upside down",
    if (any(grepl("NaN", said))) "says NaN",
    over_budget(privacy(found)$epsilon, list(...)$epsilon)
  )
}

fuzz_plans <- function(formulas, size, ...) {
  lapply(formulas, function(formula) {
    quietly(dpadmm_plan(formula, fuzz_schema, c(a = size, b = size), epsilon = 1, ...))
  })
}

make_choice <- function() {
  budget <- if (stats::runif(1L) < 0.3) list(epsilon = far(2)) else usual_budget()
  asked <- c(budget, list(seed = sample.int(1e6L, 1L)))
  if (stats::runif(1L) < 0.4) asked$trials <- one_of(2, 3, 40)
  if (stats::runif(1L) < 0.4) asked$shape <- one_of(-0.5, 0.3, 1)
  if (stats::runif(1L) < 0.2) asked$score_share <- one_of(1e-6, 0.5, 0.999)
  if (stats::runif(1L) < 0.3) asked$clip <- far()
  if (stats::runif(1L) < 0.4) asked$measure <- one_of("error", "log_loss")
  as.call(c(list(quote(check_choice), one_of(3, 20, 200), one_of(0, 1e-5)), asked))
}

check_choice <- function(size, delta_of_plans, ...) {
  plans <- fuzz_plans(c(ill ~ age, ill ~ sex, ill ~ age + sex), size, delta = delta_of_plans,
    iterations = 2)
  fit <- quietly(dpadmm_tune(plans, fuzz_frame(2 * size), nodes = rep(c("a", "b"), each = size),
    ...))
  said <- utils::capture.output(print(fit), print(summary(fit)), print(privacy(fit)))
  c(
    over_budget(privacy(fit)$epsilon, list(...)$epsilon),
    if (!all(is.finite(c(fit$coefficients, fit$tuning$score)))) "a choice that is not finite",
    if (any(grepl("NaN", said))) "says NaN"
  )
}

make_ledger <- function() {
  wish <- function(k) {
    list(what = one_of("fit", "fit", "pure", "evaluate", "tune"), epsilon = far(1))
  }
  bquote(check_ledger(.(one_of(0.01, 1, 30)), .(one_of(0, 1e-5, 1e-5, 0.5)),
    .(lapply(seq_len(one_of(1, 3, 6)), wish))))
}

#' Releases until the budget is spent: each is charged in full, or refused and nothing is charged;
#' together they cost no more than the budget.
check_ledger <- function(epsilon, delta, wishes) {
  file <- tempfile(fileext = ".sqlite")
  on.exit(unlink(paste0(file, c("", "-wal", "-shm"))))
  ledger <- dpadmm_ledger(file, "icu", epsilon = epsilon, delta = delta)
  plan <- fuzz_plans(list(ill ~ age), 20, iterations = 2)[[1L]]
  model <- quietly(dpadmm_fit(plan, fuzz_frame(), nodes = rep(c("a", "b"), each = 20), seed = 1))
  wrong <- character()
  for (wish in wishes) {
    before <- ledger_report(ledger)
    went <- tryCatch(charged_release(wish$what, wish$epsilon, delta / 3, ledger, plan, model),
      dpadmm_error = function(e) FALSE)
    after <- ledger_report(ledger)
    wrong <- c(wrong, if (nrow(after$charges) - nrow(before$charges) != went) {
      sprintf("%s was charged %d times", wish$what, nrow(after$charges) - nrow(before$charges))
    })
  }
  left <- after$left
  c(wrong,
    if (!isTRUE(left >= 0 && left <= 1)) sprintf("%g is left", left),
    if (!isTRUE(after$chain$ok)) "a broken chain",
    over_budget(max(0, after$statement$epsilon), epsilon),
    utils::capture.output(print(after))[0L])
}

charged_release <- function(what, epsilon, delta, ledger, plan, model) {
  data <- fuzz_frame()
  nodes <- rep(c("a", "b"), each = 20)
  quietly(switch(what,
    fit = dpadmm_fit(update(plan, epsilon = epsilon, delta = delta), data, nodes = nodes,
      ledger = ledger),
    pure = dpadmm_fit(update(plan, epsilon = epsilon), data, nodes = nodes, ledger = ledger),
    evaluate = evaluate(model, data, epsilon = epsilon, delta = delta, ledger = ledger),
    tune = dpadmm_tune(list(plan, update(plan, ill ~ sex)), data, nodes = nodes,
      epsilon = epsilon, delta = delta, ledger = ledger)
  ))
  TRUE
}
