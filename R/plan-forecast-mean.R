# What to expect of a plan with one model: its steps are a small linear system of one
# coordinate, see plan-forecast.R.

#' Noise and signal of fp_admm(): users with `records` records each, all of them in a round or
#' a share of them.
#'
#' Of a user's d directions, k = min(records, d) carry its records, and the proximal step
#' shrinks by gamma w r^2 / k there. A mean state of each kind of direction, and z, are three
#' numbers.
#' @param rounds rounds that read records; share: of the users that step in each.
#' @param lambda,gamma steps.
#' @param block_sd,mean_sd standard deviation of the noise of a user's step (of eta) and of the
#'   server's.
#' @param ridge curvature of the penalty.
#' @noRd
forecast_fp_admm <- function(rounds, n, lambda, gamma, block_sd, mean_sd, loss, row_bound, d,
                             share = 1, records = 1, ridge = 0, slope = NULL) {
  k <- min(records, d)
  part <- c(k, d - k) / d
  forecast_settled(each_curvature(function(curvature) {
    bend <- gamma * curvature * row_bound^2 / k
    pull <- c(bend / (1 + bend), 0)
    move <- 2 * lambda * share
    shrink <- 1 / (1 + gamma * ridge)
    user <- cbind(diag(1 - move * (1 - pull)), move * (1 - 2 * pull) * part)
    spread <- diag(lambda * block_sd * sqrt(share * part / n))
    push <- c(move * gamma / (1 + bend), 0)
    step <- rbind(user, shrink * colSums(user))
    noise <- rbind(cbind(spread, 0), shrink * c(colSums(spread), mean_sd))
    small_response(rounds, step, noise, c(push, shrink * sum(push)), c(0, 0, 1))
  }), loss, row_bound, d, slope, own_sd = block_sd * sqrt(lambda / (4 * (1 - lambda))))
}

#' Noise and signal of dp_sgd() and dp_cd(): a coordinate is stepped with probability `active`.
#' @param sd of the noise of the mean gradient; step: the gradient's weight.
#' @noRd
forecast_steps <- function(iterations, step, sd, loss, row_bound, d, active = 1, ridge = 0,
                           slope = NULL) {
  forecast_settled(each_curvature(function(curvature) {
    shrink <- 1 / (1 + step * ridge)
    keep <- shrink * (1 - step * curvature * row_bound^2 / d)
    run <- function(a, b) { # the sum of b a^t
      if (abs(1 - a) < 1e-12) b * iterations else b * (1 - a^iterations) / (1 - a)
    }
    c(
      variance = run(1 - active * (1 - keep^2), active * (shrink * step * sd)^2),
      reach = run(1 - active * (1 - keep), active * shrink * step)
    )
  }), loss, row_bound, d, slope)
}

#' Noise and signal of grad_admm() and acc_admm() with A'A about `norm` times the identity.
#' @param sd of the noise of C times the mean gradient, one a step; start_sd: of a noisy start,
#'   0 for none.
#' @param average whether the model is the mean of the iterates.
#' @param ridge curvature of g.
#' @noRd
forecast_split <- function(sd, eta, rho, gamma, C, loss, row_bound, d, accelerated = FALSE,
                           average = FALSE, norm = 1, b = -1, ridge = 0, start_sd = 0,
                           slope = NULL) {
  T <- length(sd)
  momentum <- if (accelerated) nesterov_weights(T) else numeric(T)
  a <- sqrt(norm)
  served <- ridge / (ridge + rho * b^2) # of A x + u, what the step in y leaves over
  length <- eta / gamma
  entering <- lapply(momentum, function(m) matrix(length * c((1 + m) * c(1, a), 1, a)))
  forecast_settled(each_curvature(function(curvature) {
    # of x-hat and u-hat
    x <- c(1 - length * (C * curvature * row_bound^2 / d + norm * rho * served),
      -length * a * rho * served)
    u <- a * x - c(a * (1 - served), -served)
    # of the step ahead and of this one, momentum m carrying the difference into the former
    step <- rbind(c(x, 0, 0), c(u, 0, 0), c(x, 0, 0), c(u, 0, 0))
    carried <- rbind(c(x, -1, 0), c(u, 0, -1), 0, 0)
    small_response(T, function(t) step + momentum[t] * carried,
      function(t) sd[t] * entering[[t]], function(t) C * entering[[t]], c(0, 0, 1, 0), average,
      start = start_sd / (a * rho) * c(0, 1, 0, 1)
    )
  }), loss, row_bound, d, slope)
}

#' A response of one curvature, as forecast_settled() takes it.
#' @noRd
each_curvature <- function(response) {
  function(w) {
    answer <- vapply(w, response, numeric(2L))
    list(variance = answer[1L, ], reach = answer[[2L, 1L]], spread = 0)
  }
}

#' Nesterov's weights (theta_t - 1) / theta_(t+1).
#' @noRd
nesterov_weights <- function(T) {
  theta <- Reduce(function(theta, t) (1 + sqrt(1 + 4 * theta^2)) / 2, seq_len(T), 1,
    accumulate = TRUE
  )
  (theta[-(T + 1L)] - 1) / theta[-1L]
}

#' Variance and reach of a coordinate of a linear system s <- step s + noise + push, by weights
#' going back from the last state (or the mean of all).
#' @param step,noise,push functions of the iteration, or, all three, what they give at all: a
#'   matrix, one with a column a noise term, a vector.
#' @param read weights of the state in the model; start: noise of the first state.
#' @noRd
small_response <- function(T, step, noise, push, read, average = FALSE, start = 0) {
  still <- !is.function(step) && !is.function(noise) && !is.function(push)
  if (still) {
    back_step <- t(step)
    sources <- t(noise)
    pushed <- push
  }
  weight <- matrix(0 * read)
  variance <- reach <- 0
  back <- last_rounds(T)
  for (t in back$rounds) {
    if (t == back$from) before <- c(variance, reach)
    if (average) weight <- weight + read / T else if (t == T) weight <- matrix(read)
    if (!still) {
      back_step <- t(step(t))
      sources <- t(noise(t))
      pushed <- push(t)
    }
    variance <- variance + sum((sources %*% weight)^2)
    reach <- reach + sum(weight * pushed)
    weight <- back_step %*% weight
  }
  rest <- if (back$more == 0) 0 else back$more * (c(variance, reach) - before)
  out <- c(variance, reach) + rest
  c(variance = out[1L] + sum(weight * start)^2, reach = out[2L])
}
