# What a fit does when it is not told: settings worked out from public numbers (nodes,
# records, features, degrees, budget), never from the records.
#
# Along a connected graph the mean of the nodes' classifiers follows a noisy proximal flow
# whose time step is 1 / (2 eta V), V the mean degree; a recycled update adds a step of
# 1 / (2 eta V + gamma) with the same noise. What matters is the total time S: long enough
# to approach the optimum, short enough that the noise gathered along the way stays small.
# All in units of C = 1 and rows of norm 1. The constants were chosen on Adult and on
# synthetic data, see the help page of dpadmm_fit().

.default_noise <- 1.6    # noise gathered by the mean classifier, sd of a coordinate
.default_growth <- 4     # growth of the penalty over a private run
.default_proximal <- 0.1 # gamma against 2 eta V
.default_overshoot <- 8  # longest step, in units of noisy updates over the largest curvature
.default_few <- 4        # and as if there were no fewer of them

#' Iterations where the user gave none: 50, but for a finite total budget fewer; very few for a
#' pure budget, whose noise grows with every release.
#' @noRd
default_iterations <- function(budget) {
  if (!budget$private || !is.null(budget$noise)) return(50L)
  if (!noise_mechanism(budget$mechanism)$pure) return(30L)
  as.integer(2 * min(max(1, round(min(budget$epsilon))), 5))
}

#' Penalty, growth, dual step and proximal weight.
#' @param grows whether the method's penalty grows; cycle: updates of which one is noisy.
#' @noRd
default_parameters <- function(problem, budget, iterations, grows, cycle) {
  degree <- mean(problem$degree)
  K <- ceiling(iterations / cycle)
  growth <- if (grows && budget$private) .default_growth^(1 / K) else 1
  time <- min(
    steady_time(problem, budget, iterations, K), noise_time(problem, budget, K),
    curvature_time(problem, budget, iterations, K)
  )
  steps <- sum(growth^-seq_len(K)) * if (cycle > 1L) 1 + 1 / (1 + .default_proximal) else 1
  eta <- mean(problem$C) * problem$row_bound^2 * steps / (2 * degree * time)
  each <- if (is.null(problem$network$factor)) degree else problem$degree
  list(eta = eta, growth = growth, gamma = 2 * .default_proximal * eta * growth * each)
}

#' Standard deviation of one noisy update's linear term per coordinate, root mean square over the
#' nodes, over their mean weight and the row bound. For a budget: what it will about be after
#' calibration.
#' @noRd
noise_sd <- function(problem, budget, K) {
  if (!budget$private) return(0)
  mechanism <- noise_mechanism(budget$mechanism)
  if (!is.null(budget$noise)) {
    sd <- mechanism$sd(mean(budget$noise$scale), problem$d)
    return(sd / (mean(problem$C) * problem$row_bound))
  }
  sensitivity <- 2 * problem$loss$lipschitz * problem$C / mean(problem$C) / problem$size *
    problem$per_person
  # Renyi accounting needs about 1.085 times the noise of the exact composition
  accounting <- if (mechanism$pure && budget$delta == 0) 1 else 1.085
  sd <- accounting * sqrt(K) * noise_multiplier(budget, problem$d, K) * sensitivity
  sqrt(mean(sd^2))
}

#' The longest time without steps that overshoot for good: an exact update and the recycled one
#' after it turn what is left in a direction of curvature h into (1 - s h) / (1 + s h) times that,
#' for steps of time s. With K of them it is forgotten for s h up to some K.
#' @noRd
steady_time <- function(problem, budget, iterations, K) {
  if (!budget$private || !is.null(budget$noise)) return(problem$records)
  step <- max(.default_overshoot * c(K, .default_few)) / problem$loss$curvature
  min(problem$records, step * iterations)
}

noise_time <- function(problem, budget, K) {
  sd <- noise_sd(problem, budget, K)
  if (sd == 0) Inf else .default_noise / (sd / sqrt(K * problem$N))
}

#' The longest time at which curvature costs little of the budget.
#' @noRd
curvature_time <- function(problem, budget, iterations, K) {
  if (!budget$private || !is.null(budget$noise)) return(Inf)
  min(curvature_times(problem, budget, iterations, K) * problem$degree) / mean(problem$degree)
}

#' The same for each node, were its degree the mean: for Gamma-norm noise
#' its sum of log(1 + kappa) is a tenth of it; for Gaussian noise kappa is small against
#' the shift (Theorems 2 and 3 of the accounting vignette) and against one over the order
#' at which the budget is met.
#' @noRd
curvature_times <- function(problem, budget, iterations, K) {
  loss <- problem$loss
  kappa <- if (noise_mechanism(budget$mechanism)$pure) {
    0.1 * budget$epsilon / K
  } else {
    z <- 1.085 * noise_multiplier(budget, problem$d, K)
    shift <- if (loss$logistic_curvature) 0.5 else 0.15
    pmin(shift / sqrt(K) / z, 0.5 / (z * sqrt(2 * log(1 / budget$delta))))
  }
  kappa * (problem$size / problem$per_person) / (problem$C / mean(problem$C)) / loss$curvature *
    iterations
}
