# What gradient methods do when they are not told: number and length of steps from public numbers.
#
# In units of 1 / (C c1 r^2), the longest step that is sure to descend, T steps are a time t: how
# far a gradient that does not change carries the model. Along a direction of curvature h the run
# leaves 1 / (1 + t h) to be found, as a ridge of weight 1 / t would, and noise moves it by nu t
# where the data are flat, nu the noise of the mean of all gradients over the bound of one. A
# direction that the signal fills loses at most some 1 / t, one that noise fills t nu^2: they
# balance at a time q, q nu a constant. Curvatures add up to no more than 1, because rows are
# bounded. With more than q columns that are alike, each has less than 1 / q: hardly any of it is
# found, noise costs (t nu)^2 whatever their number, and the balance is at q^2 / d. How alike
# columns are is not public: between q, of one direction that has it all, and q^2 / d, the rule
# takes q / sqrt(1 + d / q).
#
# A total budget buys the same nu for any number of Gaussian steps, so there are as many as the time
# takes; pure noise grows with their number, and they are as few as can be. The weighted mean of
# accelerated iterates forgets most of their swing, and has hardly more noise than it must.
#
# Constants were chosen on simulated records (bench/gradient-defaults.R). rho: with a penalty,
# x and y that are loosely coupled swing for long, or, with less than the ridge, for ever.

.gradient_noise <- 0.3      # q nu
.gradient_steps <- c(least = 10, most = 1000)
.gradient_coupling <- c(none = 0.1, penalty = 4)

#' The parameters of grad_admm() and acc_admm(), and `iterations`, with what was left open settled.
#' @noRd
split_defaults <- function(method, problem, budget, constraint, settings, optimum) {
  p <- method$parameters
  smooth <- problem$C * problem$loss$curvature * problem$row_bound^2
  if (!calibrates(budget)) {
    p <- plain_steps(p, smooth)
    p$iterations <- steps_of(settings, budget, optimum)
    return(p)
  }
  if (is.null(p$average)) p$average <- "weighted"
  norm <- largest_eigenvalue(constraint$A)
  if (is.null(p$rho)) p$rho <- default_coupling(smooth, norm, constraint)
  eta <- if (is.null(p$eta)) 1 / smooth else p$eta
  longest <- eta / if (is.null(p$gamma)) eta * p$rho * norm + 1 else p$gamma
  found <- steps_for(problem, budget, settings, longest * smooth,
    function(T) steps_reach(T, method$name == "acc_admm", p$average)
  )
  p$iterations <- found$iterations
  if (is.null(p$eta)) {
    step <- found$step / smooth
    p$eta <- if (is.null(p$gamma)) 1 / (1 / step - p$rho * norm) else step * p$gamma
  }
  p
}

#' rho of a run with a budget.
#' @noRd
default_coupling <- function(smooth, norm, constraint) {
  if (norm > 0) smooth <- smooth / norm
  if (constraint$penalty$name == "none") return(.gradient_coupling[["none"]] * smooth)
  ridge <- penalty_curvature(constraint$penalty) * max(constraint$weights / constraint$b^2)
  .gradient_coupling[["penalty"]] * (smooth + ridge)
}

#' The step of dp_sgd(), and `iterations`, settled: samples of records have their own noise.
#' @noRd
descent_defaults <- function(method, problem, budget, settings, optimum) {
  p <- method$parameters
  all <- method$name == "dp_sgd" && (is.null(p$batch) || p$batch == problem$records)
  if (!all || !calibrates(budget)) {
    if (is.null(p$step)) p$step <- 1
    p$iterations <- steps_of(settings, budget, optimum)
    return(p)
  }
  smooth <- problem$loss$curvature * problem$row_bound^2
  found <- steps_for(problem, budget, settings,
    longest = if (is.null(p$step)) 1 else p$step * smooth, reach = seq_len,
    moved = if (p$neighbours == "replace-one") 2 else 1
  )
  p$iterations <- found$iterations
  if (is.null(p$step)) p$step <- found$step / smooth
  p
}

#' Whether the noise follows from a budget.
#' @noRd
calibrates <- function(budget) budget$private && is.null(budget$noise)

#' As the paper has it: what a run does without noise, or with noise of a given size.
#' @noRd
plain_steps <- function(p, smooth) {
  if (is.null(p$average)) p$average <- "last"
  if (is.null(p$rho)) p$rho <- 1
  if (is.null(p$eta)) p$eta <- 1 / smooth
  p
}

#' Number and length of the steps of a run with a budget, the length in units of 1 / (C c1 r^2).
#' @param settings `iterations` as the user has them, or NULL, and `secure` of secure_of().
#' @param longest the longest step.
#' @param reach function of T: the time that 1, ..., T steps of length 1 take.
#' @param moved what neighbours move the sum of gradients by, over the bound of one.
#' @return list(iterations, step).
#' @noRd
steps_for <- function(problem, budget, settings, longest, reach, moved = 2) {
  iterations <- settings$iterations
  secure <- settings$secure
  pure <- noise_mechanism(budget$mechanism)$pure && budget$delta == 0
  count <- if (is.null(iterations)) .gradient_steps[["most"]] else iterations
  ways <- reach(count)
  steps <- seq_len(count)
  # attempts that may fail are paid for like steps
  grows <- sqrt(if (pure) steps else 1 + sum(secure$failures) / steps)
  noise <- moved * relative_noise(problem, budget, secure) * grows
  time <- best_time(noise, problem$d)
  if (is.null(iterations)) {
    enough <- c(which(longest * ways >= time), count)[1L]
    iterations <- if (pure) enough else max(enough, .gradient_steps[["least"]])
  }
  step <- time[iterations] / ways[iterations]
  list(iterations = as.integer(iterations), step = max(min(step, longest), 1e-100))
}

#' The time at which noise of this size costs as much as stopping early.
#' @noRd
best_time <- function(noise, d) {
  q <- pmin(.gradient_noise / noise, 1e100)
  q / sqrt(1 + d / q)
}

#' Noise that the sum of the holders' gradients will have over a run, over what neighbours move
#' it by, for each record: the standard deviation of a coordinate of the mean of all Gaussian
#' steps, or of one step with pure noise, were it the only one. Of a secure sum all have parts of
#' the noise of the most careful.
#' @noRd
relative_noise <- function(problem, budget, secure = NULL) {
  z <- noise_multiplier(budget, problem$d, 1) * problem$per_person
  unit <- max(z) # squares of z itself may overflow
  parts <- if (is.null(secure)) {
    sum(rep_len(z / unit, problem$N)^2)
  } else {
    problem$N / secure$honest
  }
  unit / problem$records * sqrt(parts)
}

#' How far 1, ..., T steps of length 1 go against a gradient of 1.
#' @noRd
steps_reach <- function(T, accelerated, average) {
  at <- as.double(seq_len(T)) # its squares are no integers of R's
  last <- if (accelerated) accelerated_reach(T) else at
  switch(average,
    last = last, mean = cumsum(last) / at, weighted = 2 * cumsum(at * last) / (at * (at + 1))
  )
}

accelerated_reach <- function(T) {
  momentum <- nesterov_weights(T)
  x <- numeric(T)
  ahead <- before <- 0
  for (t in seq_len(T)) {
    x[t] <- ahead + 1
    ahead <- x[t] + momentum[t] * (x[t] - before)
    before <- x[t]
  }
  x
}
