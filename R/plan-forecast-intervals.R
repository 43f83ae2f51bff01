# How wide intervals will be, from public numbers: as for the noise of the model (plan-forecast.R)
# rows have no preferred direction, so that the curvature is c C r^2 / d in each coordinate; and
# margins are small, where it is largest. No columns could do better, and most do worse.

# The least eigenvalue of a released curvature over what its noise alone makes of one, below which
# it is not relied on. (In simulations intervals covered as they should down to 1.)
.safe_curvature <- 1.5

#' @return `NULL`: none are planned; or list(error = standard error of a released coefficient,
#'   sampled = what it would be without noise, safe = the curvature over what is needed).
#' @noRd
forecast_intervals <- function(plan) {
  if (is.null(plan$inference)) return(NULL)
  problem <- plan$problem
  mass <- inferred_mass(plan)
  h <- mass * problem$loss$curvature * problem$row_bound^2 / problem$d
  noise <- 1 / sum(1 / colSums(gradient_spread(plan, h)^2))
  # squares of slopes: the curvature for a likelihood, about a quarter of the largest else
  slope <- if (problem$loss$name == "logistic") {
    h
  } else {
    mass * (problem$loss$lipschitz * problem$row_bound)^2 / 4 / problem$d
  }
  sampled <- sum(plan$inference$weight * slope)
  alone <- curvature_by_noise(problem$d, sum(moment_variance(plan, "curvature")))
  list(
    error = sqrt(noise + sampled) / sum(h), sampled = sqrt(sampled) / sum(h),
    safe = sum(h) / (.safe_curvature * alone)
  )
}

#' Standard deviations of the noise of released gradients: parties, or 1 for a secure sum, x
#' updates.
#' @param h curvature of each party, through which noise on messages enters.
#' @noRd
gradient_spread <- function(plan, h) {
  if (by_gradients(plan$method)) {
    scale <- plan$scales$gradient
    return(if (is.matrix(scale)) scale else matrix(scale, length(scale), plan$iterations))
  }
  noisy <- plan$rule != "recycled"
  spread <- function(scale) if (is.null(scale)) 0 else scale[, noisy, drop = FALSE]
  through <- modulus_of(plan)[, noisy, drop = FALSE] + h
  sqrt(spread(plan$scales$objective)^2 + (through * spread(plan$scales$output))^2)
}

#' The norm of a symmetric d x d matrix of noise, variance v on the diagonal and v / 2 off it.
#' @noRd
curvature_by_noise <- function(d, v) sqrt(2 * d * v)

intervals_sentence <- function(intervals) {
  if (is.null(intervals)) return(NULL)
  if (intervals$safe < 1) {
    return(sprintf(paste(
      "Intervals: probably none, the curvature would be %s of what its noise allows. It takes",
      "more records, a larger budget or fewer columns."
    ), forecast_number(intervals$safe)))
  }
  sprintf(paste(
    "Intervals: standard errors of about %s or more (%s without noise), for columns as they are",
    "scaled, if the data can carry them."
  ), forecast_number(intervals$error), forecast_number(intervals$sampled))
}
