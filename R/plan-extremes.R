# Public numbers far out: what rounding does is bounded by products of them, which must stay
# within the range of doubles.

.most_extreme <- 1e50

#' The numbers of a plan that the user gives, by the names of the arguments.
#' @noRd
public_numbers <- function(method, problem, budget, control) {
  noise <- budget$noise
  if (!is.null(noise)) {
    noise <- list(noise$scale)
    names(noise) <- noise_mechanism(budget$noise$mechanism)$scale_name
  }
  numbers <- c(
    list(row_bound = problem$row_bound, C = problem$C, rho = problem$rho), method$parameters,
    control[c("tol", "start")], noise
  )
  lapply(Filter(is.numeric, numbers), function(x) abs(as.double(x)))
}

#' How far out each of them is: the logarithm of the number, or of its inverse.
#' @noRd
far_out <- function(numbers) {
  vapply(numbers, function(x) max(0, abs(log10(x[is.finite(x) & x != 0]))), 0)
}

#' A private run bounds its rounding, so its numbers must not be farther out than that can be.
#' @noRd
refuse_extremes <- function(method, problem, budget, control) {
  numbers <- public_numbers(method, problem, budget, control)
  bad <- names(which(far_out(numbers) > log10(.most_extreme)))
  if (length(bad) == 0L) return(invisible())
  x <- numbers[[bad[1L]]]
  x <- x[is.finite(x) & x != 0]
  x <- x[which.max(abs(log10(x)))]
  abort("argument", sprintf(
    "Rounding is not bounded for `%s` = %g: a private run takes numbers from %g to %g.",
    bad[1L], x, 1 / .most_extreme, .most_extreme
  ), argument = bad[1L], value = x)
}

#' The argument to blame for noise that cannot hide rounding: `growth` for all it does in a run.
#' @noRd
farthest_out <- function(method, plan) {
  far <- far_out(public_numbers(method, plan$problem, plan$budget, plan$control))
  grows <- names(far) == "growth"
  far[grows] <- far[grows] * plan$iterations
  if (max(far) > 6) return(names(which.max(far)))
  if (is.null(plan$budget$noise)) "epsilon" else "noise"
}
