# What is public of the columns: the formula, its terms, the number of records.

#' Formula, terms and number of records of a plan or a fit
#'
#' All three are public. Records are not kept, so what needs them is an error that says so, see
#' [refused].
#'
#' @param x,formula,object a plan of [dpadmm_plan()] or a fit of [dpadmm_fit()].
#' @param ... not used.
#' @return `formula()`: the formula with a dot written out, in the global environment; one-sided
#'   for a fit of a data frame and `y`. `terms()`: its terms. `nobs()`: the number of records of
#'   all parties.
#'
#'   Errors: `dpadmm_error_unavailable` for the formula of columns that came as a matrix.
#' @examples
#' public <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"))
#' plan <- dpadmm_plan(ill ~ ., public, sizes = c(2500, 4000), epsilon = 1)
#' formula(plan)
#' nobs(plan)
#' @name fit_formula
#' @export
formula.dpadmm_plan <- function(x, ...) {
  check_no_dots(...)
  blueprint_formula(x$problem$blueprint)
}

#' @rdname fit_formula
#' @export
terms.dpadmm_plan <- function(x, ...) {
  check_no_dots(...)
  stats::terms(blueprint_formula(x$problem$blueprint))
}

#' @rdname fit_formula
#' @export
nobs.dpadmm_plan <- function(object, ...) {
  check_no_dots(...)
  object$problem$records
}
