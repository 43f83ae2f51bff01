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
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' people <- data.frame(age = sample(18:90, 2000, TRUE), sex = sample(c("f", "m"), 2000, TRUE))
#' people$ill <- ifelse(runif(2000) < plogis(people$age / 10 - 5), "yes", "no")
#' public <- dpadmm_schema(age = c(18, 90), sex = c("f", "m"), ill = c("no", "yes"))
#' fit <- dpadmm_fit(ill ~ age + sex, people,
#'   nodes = 2, schema = public, epsilon = 2, delta = 1e-6
#' )
#' generics::tidy(fit)
#' generics::tidy(fit, nodes = TRUE)
#' generics::glance(fit)
#' @name tidy
#' @exportS3Method generics::tidy
tidy.dpadmm_fit <- function(x, nodes = FALSE, ...) {
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
