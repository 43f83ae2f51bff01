# Operators of fixed-point iterations.

new_operator <- function(title, d, apply, sensitivity = NULL, blocks = NULL, records = 0) {
  structure(list(
    title = title, d = d, apply = apply, sensitivity = sensitivity, blocks = blocks,
    records = records # added up in one value
  ),
    class = "dpadmm_operator"
  )
}

#' @export
print.dpadmm_operator <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf("<dpadmm_operator: %s on %d numbers>\n", x$title, x$d))
  invisible(x)
}

as_operator <- function(operator) {
  if (inherits(operator, "dpadmm_operator")) return(operator)
  if (!is.function(operator)) {
    abort("argument", sprintf("`operator` must be a function or a built-in operator, not %s.",
      kind_of(operator)),
      argument = "operator"
    )
  }
  list(title = "a function", apply = function(u, coordinates) operator(u)[coordinates],
    whole = operator)
}

#' R(u) at some coordinates, its shape checked.
#' @noRd
operator_value <- function(operator, u, coordinates) {
  if (is.null(operator$whole)) return(operator$apply(u, coordinates))
  whole_vector(operator$whole(u), length(u), "operator(u)")[coordinates]
}

whole_vector <- function(value, d, what) {
  if (!is.numeric(value) || length(value) != d) {
    abort("operator", sprintf("%s must return %d numbers, not %s of length %d.", what, d,
      class(value)[1L], length(value)),
      argument = "operator", value = length(value)
    )
  }
  if (!all(is.finite(value))) {
    abort("finite", sprintf("%s is not finite at %s.", what, where_first(!is.finite(value))),
      argument = "operator")
  }
  as.double(value)
}

check_function <- function(operator, u0) {
  all <- seq_along(u0)
  if (!identical(operator_value(operator, u0, all), operator_value(operator, u0, all))) {
    abort("operator", "The operator is not a function of its input: two calls at `u0` differ.",
      argument = "operator")
  }
}

#' Built-in operators
#'
#' Non-expansive operators for [fixed_point()], evaluated in C.
#'
#' * `operator_affine()`: `R(u) = A u + b`; non-expansive when no singular value of A
#'   exceeds 1.
#' * `operator_gradient()`: `R(u) = u - step * (1/n) sum_i grad L(y_i, x_i'u)`; non-expansive
#'   when `step` is at most 2 over the smoothness of the mean loss (`loss$curvature *
#'   row_bound^2` at most). Propositions 1 and 2 use `step = 2 / beta`.
#' * `operator_admm()`: the operator of consensus ADMM on the n users' states, stacked (n
#'   d numbers): `R(u)_i = 2 x_i - 2 z + u_i`, see [fp_admm()].
#'
#' @param A,b a d x d matrix and a vector of length d (or one number).
#' @param x,y records and labels, as in [dpadmm_fit()].
#' @param loss,penalty as in [dpadmm_fit()].
#' @param step,gamma see above (> 0).
#' @param clip bound on the norm of each record's gradient (> 0, or `NULL`: the loss's
#'   own); then the operator knows its sensitivity between replace-one neighbours,
#'   `2 step clip / n` and, for one user's block, `4 gamma clip`.
#' @param row_bound as in [dpadmm_control()].
#' @return An object of class `dpadmm_operator`.
#' @examples
#' lasso <- sim_lasso(n = 100, p = 8, support = 2, seed = 1)
#' R <- operator_gradient(lasso$x, lasso$y, "squared", step = 2)
#' fixed_point(R, numeric(8), lambda = 0.5, iterations = 200)$u
#' @name operators
NULL

#' @rdname operators
#' @export
operator_affine <- function(A, b = 0) {
  check_numbers(A, "A")
  if (!is.matrix(A) || nrow(A) != ncol(A)) {
    abort("shape", "`A` must be a square matrix.", argument = "A", value = dim(A))
  }
  d <- nrow(A)
  b <- rep_len(as.double(check_numbers(b, "b", length = unique(c(1L, d)))), d)
  storage.mode(A) <- "double"
  new_operator("an affine map", d, function(u, coordinates) .Call(ffi_affine, A, b, u, coordinates))
}

#' @rdname operators
#' @export
operator_gradient <- function(x, y, loss = "logistic", step, clip = NULL, row_bound = 1) {
  loss <- dpadmm_loss(loss)
  check_number(step, "step", lower = 0, open_lower = TRUE)
  check_number(row_bound, "row_bound", lower = 0, open_lower = TRUE)
  records <- records_matrix(x, y, loss)
  bound <- gradient_bound(loss, clip, row_bound)
  n <- nrow(records$x)
  d <- ncol(records$x)
  rows <- measured_rows(records, row_bound)
  spec <- c(operator_spec(d, loss, "block", bound), list(
    weight = 1 / n, relay = "descent", step = 1, penalty = "none",
    parameter = penalty_numbers(penalty_none())
  ))
  new_operator("a gradient step", d, function(u, coordinates) {
    at <- if (length(coordinates) < d) as.integer(coordinates)
    u[coordinates] - step * core_call(.Call(ffi_gradient, spec, rows, u, at))
  }, if (is.finite(bound)) 2 * step * bound / n, records = n)
}

#' One round of one party at a point, as the core takes it.
#' @noRd
operator_spec <- function(d, loss, rule, bound) {
  list(
    parties = 1L, d = d, rounds = 1L, keep = FALSE, threads = 1L, loss = loss$name,
    width = loss$width, ridge = 0, clip = bound, rule = match(rule, .Call(ffi_rules)) - 1L
  )
}

#' Records in place whose rows are measured once, not at every point.
#' @noRd
measured_rows <- function(records, row_bound) {
  rows <- in_place(records, row_bound)
  c(rows, core_call(.Call(ffi_row_measure, rows$x, as.double(row_bound), 1)))
}

#' @rdname operators
#' @export
operator_admm <- function(x, y, loss = "logistic", penalty = NULL, gamma = 1, clip = NULL,
  row_bound = 1) {
  loss <- dpadmm_loss(loss)
  check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
  check_number(row_bound, "row_bound", lower = 0, open_lower = TRUE)
  records <- records_matrix(x, y, loss)
  bound <- gradient_bound(loss, clip, row_bound)
  n <- nrow(records$x)
  d <- ncol(records$x)
  penalty <- check_penalty(penalty)
  # a round of a walk: every user has a state of its own
  spec <- c(operator_spec(d, loss, "prox", bound), list(
    weight = 1, tol = 1e-10, relay = "server", users = n, lambda = 0.5, prox_gamma = gamma,
    step_bound = Inf, penalty = penalty$name, parameter = penalty_numbers(penalty), sample = 0L,
    walk = 0L, late = FALSE, exact = FALSE
  ))
  rows <- measured_rows(records, row_bound)
  new_operator("consensus ADMM", n * d, function(u, coordinates) {
    core_call(.Call(ffi_consensus_operator, spec, rows, u))[coordinates]
  }, if (is.finite(bound)) 4 * gamma * bound, rep(seq_len(n), each = d), records = 1)
}

#' Bound on the norm of a record's gradient: the loss's own or a smaller clip.
#' @noRd
gradient_bound <- function(loss, clip, row_bound) {
  if (!is.null(clip)) check_number(clip, "clip", lower = 0, open_lower = TRUE)
  min(clip, loss$lipschitz * row_bound)
}
