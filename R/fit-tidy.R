# Fits as data frames.

#' Tidy a fit
#'
#' Methods for the generics of package generics (and broom). Estimates are in the user's units, as
#' [coef()][coef.dpadmm_fit] gives them.
#'
#' @param x a fit of [dpadmm_fit()].
#' @param nodes whether to give every node's coefficients.
#' @param conf.int of a fit with `inference = TRUE`, whether to give its table with standard errors
#'   and intervals instead (see [intervals]: the estimate is another one).
#' @param conf.level their level.
#' @param ... not used.
#' @return `tidy()`: a data frame with one row a `term` (and `node`) and its
#'   `estimate`; with `conf.int` also `std.error`, `statistic`, `p.value`, `conf.low` and
#'   `conf.high`. `glance()`: one row with `method`, `loss`, `nodes`, `records`,
#'   `terms`, `iterations`, `epsilon`, `delta`, `accountant`, `expected` (the plan's
#'   forecast), `seeded`, `converged` (see [dpadmm_fit()]), `gap`. `augment()`: `newdata` with a
#'   column `.fitted`, the probability of the positive class (of losses without one the linear
#'   predictor) or the predicted value, and for two classes `.pred_class`.
#' @examples
#' x <- matrix(runif(600), 200, dimnames = list(NULL, c("a", "b", "c"))) / 2
#' fit <- dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 4, epsilon = 20, seed = 1)
#' if (requireNamespace("generics", quietly = TRUE)) {
#'   generics::tidy(fit)
#'   generics::glance(fit)
#'   generics::augment(fit, x[1:3, ])
#' }
#' @name tidy
#' @exportS3Method generics::tidy
tidy.dpadmm_fit <- function(x, nodes = FALSE, conf.int = FALSE, conf.level = 0.95, ...) {
  check_no_dots(...)
  if (conf.int) {
    if (nodes) {
      abort("argument", "Intervals are of the model of all: leave `nodes` at FALSE.",
        argument = "nodes"
      )
    }
    return(coefficient_table(x, check_level(conf.level, "conf.level")))
  }
  if (!nodes) {
    estimate <- coef(x)
    return(data.frame(term = names(estimate), estimate = unname(estimate)))
  }
  all <- coef(x, node = "all")
  data.frame(
    term = rep(colnames(all), each = nrow(all)), node = rep(rownames(all), ncol(all)),
    estimate = as.vector(all)
  )
}

#' @rdname tidy
#' @exportS3Method generics::glance
glance.dpadmm_fit <- function(x, ...) {
  check_no_dots(...)
  spent <- shown_privacy(x)
  problem <- x$plan$problem
  data.frame(
    method = x$plan$method$name, loss = problem$loss$name, nodes = problem$N,
    records = problem$records, terms = problem$d, iterations = x$plan$iterations,
    epsilon = spent$epsilon, delta = spent$delta, accountant = spent$accountant,
    expected = x$plan$expected$verdict, seeded = x$seeded, converged = x$converged,
    gap = if (is.null(x$trace$gap)) NA_real_ else x$trace$gap[nrow(x$trace)]
  )
}
