# Fits as data frames.

#' Tidy a fit
#'
#' Methods for the generics of package generics (and broom).
#'
#' @param x a fit of [dpadmm_fit()].
#' @param nodes whether to give every node's coefficients.
#' @param ... not used.
#' @return `tidy()`: a data frame with one row a `term` (and `node`) and its
#'   `estimate`. `glance()`: one row with `method`, `loss`, `nodes`, `records`,
#'   `terms`, `iterations`, `epsilon`, `delta`, `accountant`, `expected` (the plan's
#'   forecast), `seeded`, `gap`.
#' @name tidy
#' @exportS3Method generics::tidy
tidy.dpadmm_fit <- function(x, nodes = FALSE, ...) {
  check_no_dots(...)
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
    expected = x$plan$expected$verdict, seeded = x$seeded,
    gap = if (is.null(x$trace$gap)) NA_real_ else x$trace$gap[nrow(x$trace)]
  )
}
