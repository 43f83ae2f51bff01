#' Penalties
#'
#' The regulariser g of a fit: a sum over coordinates of one function with a closed-form
#' proximal step.
#'
#' | constructor | g(y) |
#' |---|---|
#' | `penalty_none()` | 0 |
#' | `penalty_l1(lambda)` | `lambda sum(abs(y))` |
#' | `penalty_l2(lambda)` | `lambda sum(y^2) / 2` |
#' | `penalty_elastic_net(lambda1, lambda2)` | `lambda1 sum(abs(y)) + lambda2 sum(y^2) / 2` |
#' | `penalty_box(lower, upper)` | 0 when every coordinate is in `[lower, upper]`, else infinite |
#' | `penalty_nonneg()` | `penalty_box(0, Inf)` |
#'
#' @param lambda,lambda1,lambda2 weights (>= 0).
#' @param lower,upper ends of the box, `lower < upper`, possibly infinite.
#' @return An object of class `dpadmm_penalty`: a list with `name` and `parameters`.
#'
#'   Errors of class `dpadmm_error_argument` (or `_missing`, `_finite`, `_shape`) for weights
#'   that are not one number >= 0.
#' @seealso [graph_guided()] and its like, penalties on differences of coefficients.
#' @examples
#' penalty_l1(0.1)
#' penalty_box(-1, 1)
#' @name penalty
NULL

new_penalty <- function(name, ...) {
  structure(list(name = name, parameters = c(...)), class = "dpadmm_penalty")
}

check_weight <- function(x, argument) as.double(check_number(x, argument, lower = 0))

#' @rdname penalty
#' @export
penalty_none <- function() new_penalty("none")

#' @rdname penalty
#' @export
penalty_l1 <- function(lambda) new_penalty("l1", lambda = check_weight(lambda, "lambda"))

#' @rdname penalty
#' @export
penalty_l2 <- function(lambda) new_penalty("l2", lambda = check_weight(lambda, "lambda"))

#' @rdname penalty
#' @export
penalty_elastic_net <- function(lambda1, lambda2) {
  new_penalty("elastic_net",
    lambda1 = check_weight(lambda1, "lambda1"), lambda2 = check_weight(lambda2, "lambda2")
  )
}

#' @rdname penalty
#' @export
penalty_box <- function(lower, upper) {
  check_number(lower, "lower", infinite = TRUE)
  check_number(upper, "upper", infinite = TRUE)
  if (lower >= upper) {
    abort("argument", "`lower` must be less than `upper`.", argument = "lower", value = lower)
  }
  new_penalty("box", lower = as.double(lower), upper = as.double(upper))
}

#' @rdname penalty
#' @export
penalty_nonneg <- function() penalty_box(0, Inf)

#' @export
print.dpadmm_penalty <- function(x, ...) {
  check_no_dots(...)
  settings <- if (length(x$parameters)) {
    paste0("; ", paste(names(x$parameters), "=", format(x$parameters, trim = TRUE),
      collapse = ", "))
  } else {
    ""
  }
  cat(sprintf("<dpadmm_penalty: %s%s>\n", x$name, settings))
  invisible(x)
}

#' The two numbers the compiled penalties take.
#' @noRd
penalty_numbers <- function(penalty) {
  out <- numeric(2L)
  out[seq_along(penalty$parameters)] <- penalty$parameters
  out
}

#' The penalty a user gives, or none.
#' @noRd
check_penalty <- function(penalty) {
  if (is.null(penalty)) return(penalty_none())
  check_class(penalty, "dpadmm_penalty", "penalty", "penalty_l1() and the like")
}

#' g of each column of y, its coordinates weighted.
#' @noRd
penalty_values <- function(penalty, y, weights = NULL) {
  core_call(.Call(
    ffi_penalty_values, penalty$name, penalty_numbers(penalty), as.matrix(y),
    if (!is.null(weights)) rep_len(as.double(weights), nrow(y))
  ))
}
