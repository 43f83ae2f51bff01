# What is public of a fit's columns is what its plan says of them.

#' @rdname fit_formula
#' @export
formula.dpadmm_fit <- function(x, ...) {
  check_no_dots(...)
  blueprint_formula(x$blueprint)
}

#' @rdname fit_formula
#' @export
terms.dpadmm_fit <- function(x, ...) {
  check_no_dots(...)
  stats::terms(blueprint_formula(x$blueprint))
}

#' @rdname fit_formula
#' @export
nobs.dpadmm_fit <- function(object, ...) stats::nobs(object$plan, ...)
