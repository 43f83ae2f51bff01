# The minimiser of a weighted sum of losses plus a penalty of A f, for fits without noise of methods
# with one model:
#
#   minimise  sum_k p_k L(y_k, x_k'f + o_k) + sum_j w_j h(y_j)   subject to  A f + B y = c.
#
# The augmented Lagrangian of the constraint: y is put at its proximal step, which leaves a smooth
# problem in f for Newton's method. Columns are measured by their curvature and rows of A by their
# length, so that units of neither matter; a proximal term that fades makes every problem
# strictly convex, with more columns than records too.

.composite_rounds <- 60L
.composite_steps <- 200L

#' @param task list(x, y, offset, p, loss, A, b, c, w, penalty).
#' @param tol gradient norm to reach, in units of columns of curvature 1.
#' @return list(f, y, dual, left, enough): the multiplier of the constraint; what is left of the
#'   conditions of the optimum, gradient and constraint together, and what was to be reached:
#'   `tol`, or what rounding allows.
#' @noRd
composite_optimum <- function(task, tol) {
  A <- task$A
  alone <- Matrix::isDiagonal(A) && all(Matrix::diag(A) != 0)
  scaled <- unit_columns(task, alone)
  task <- scaled$task
  at <- list(f = numeric(ncol(task$x)), dual = numeric(nrow(task$A)))
  stiff <- 1
  hold <- 1e-2
  gap <- Inf
  for (round in seq_len(.composite_rounds)) {
    at <- smooth_minimum(task, at, stiff * task$row, hold, tol)
    if (at$left <= at$enough) break
    if (at$gap > gap / 10) stiff <- min(10 * stiff, 1e8)
    gap <- at$gap
    hold <- max(hold / 10, 1e-10)
  }
  # a constraint without a sum is solved for f, so that zeros are zeros
  f <- if (alone) (task$c - task$b * at$y) / Matrix::diag(A) else at$f / scaled$size
  list(f = f, y = at$y, dual = at$dual, left = at$left, enough = at$enough)
}

#' Columns of curvature 1 at most, and the squared lengths of the rows of A by them.
#' @noRd
unit_columns <- function(task, alone) {
  size <- sqrt(Matrix::colSums(task$x^2 * task$p) * task$loss$curvature)
  size[size == 0] <- 1
  task$x <- over_columns(task$x, size)
  task$A <- over_columns(task$A, size)
  if (alone) task$diagonal <- Matrix::diag(task$A)
  row <- Matrix::rowSums(task$A^2)
  task$row <- 1 / ifelse(row > 0, row, 1)
  list(task = task, size = size)
}

#' Each column over its size.
#' @noRd
over_columns <- function(x, size) {
  if (is.matrix(x)) t(t(x) / size) else x %*% Matrix::Diagonal(x = 1 / size)
}

#' The augmented Lagrangian at f, y at its best: its value, gradient, and parts of its curvature.
#' @param hold weight of the distance to `from`.
#' @noRd
lagrangian_at <- function(task, f, from, rho, hold) {
  margin <- as.vector(task$x %*% f) + task$offset
  loss <- .Call(ffi_loss, task$loss$name, task$loss$width, margin, task$y)
  apart <- as.vector(task$A %*% f) - task$c
  aim <- -(apart + from$dual / rho) / task$b
  prox <- function(v) {
    .Call(ffi_prox, task$penalty$name, penalty_numbers(task$penalty), v, task$w / (rho * task$b^2))
  }
  y <- prox(aim)
  gap <- apart + task$b * y
  dual <- from$dual + rho * gap
  pull <- as.vector(Matrix::crossprod(task$A, dual))
  slope <- as.vector(Matrix::crossprod(task$x, task$p * loss$gradient)) + pull
  # the share of a change of aim that y follows: proximal steps are piecewise linear
  little <- 2^-24 * pmax(abs(aim), 1e-100)
  follows <- pmin(1, pmax(0, (prox(aim + little) - y) / little))
  list(
    f = f, y = y, dual = dual, moved = f - from$f,
    value = sum(task$p * loss$value) + penalty_values(task$penalty, as.matrix(y), task$w) +
      sum(dual^2 / rho) / 2 + hold * sum((f - from$f)^2) / 2,
    slope = slope, gap = sqrt(sum(task$row * gap^2)), gradient = slope + hold * (f - from$f),
    curvature = task$p * loss$curvature, stiffness = rho * (1 - follows),
    rounding = 16 * .unit_roundoff * (norm2(pull) + norm2(sqrt(task$row) * apart) +
      sqrt(length(f) * sum(task$p * (loss$gradient^2 / task$loss$curvature +
        task$loss$curvature * margin^2))))
  )
}

norm2 <- function(x) sqrt(sum(x^2))

#' Newton's method from one multiplier to the next.
#' @noRd
smooth_minimum <- function(task, from, rho, hold, tol) {
  at <- lagrangian_at(task, from$f, from, rho, hold)
  for (step in seq_len(.composite_steps)) {
    enough <- max(tol, at$rounding)
    if (norm2(at$gradient) <= enough / 2) break
    move <- newton_move(task, at, hold)
    drop <- 1e-4 * sum(move * at$gradient)
    slack <- 1e-13 * abs(at$value)
    size <- 1
    repeat {
      ahead <- lagrangian_at(task, at$f - size * move, from, rho, hold)
      if (isTRUE(ahead$value <= at$value - size * drop + slack) || size < 1e-10) break
      size <- size / 2
    }
    stuck <- size < 1e-10 || all(ahead$f == at$f)
    if (stuck) break
    at <- ahead
  }
  at$left <- norm2(c(at$slope, at$gap))
  at$enough <- max(tol, at$rounding)
  at
}

#' The Newton step of X'DX + A'EA + hold; where there are fewer records than columns, by the
#' matrix inversion lemma.
#' @noRd
newton_move <- function(task, at, hold) {
  wide <- !is.null(task$diagonal) && nrow(task$x) < ncol(task$x)
  if (!wide) {
    H <- as.matrix(Matrix::crossprod(task$x, at$curvature * task$x)) +
      as.matrix(Matrix::crossprod(task$A, at$stiffness * task$A))
    diag(H) <- diag(H) + hold
    return(solve_positive(H, at$gradient))
  }
  e <- at$stiffness * task$diagonal^2 + hold
  z <- sqrt(at$curvature) * task$x
  inner <- as.matrix(Matrix::tcrossprod(over_columns(z, sqrt(e))))
  diag(inner) <- diag(inner) + 1
  g <- at$gradient / e
  g - as.vector(Matrix::crossprod(z, solve_positive(inner, as.vector(z %*% g)))) / e
}

#' H^-1 g of a matrix that is positive but for rounding.
#' @noRd
solve_positive <- function(H, g) {
  root <- NULL
  for (more in c(0, 1e-14, 1e-11, 1e-8)) {
    root <- tryCatch(chol(H + diag(more * max(diag(H)), nrow(H))), error = function(e) NULL)
    if (!is.null(root)) break
  }
  backsolve(root, backsolve(root, g, transpose = TRUE))
}
