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
#' @param weights of the iterates in the model.
#' @param ridge curvature of g.
#' @noRd
forecast_split <- function(sd, eta, rho, gamma, C, loss, row_bound, d, accelerated = FALSE,
                           weights = iterate_weights("last", length(sd)), norm = 1, b = -1,
                           ridge = 0, start_sd = 0, slope = NULL) {
  a <- sqrt(norm)
  served <- ridge / (ridge + rho * b^2) # of A x + u, what the step in y leaves over
  length <- eta / gamma
  momentum <- if (accelerated) nesterov_weights(length(sd)) else numeric(length(sd))
  forecast_settled(function(w) {
    # what x-hat and u-hat become, each of x-hat and u-hat
    x <- list(1 - length * (C * w * row_bound^2 / d + norm * rho * served),
      -length * a * rho * served)
    u <- list(a * (x[[1L]] - 1 + served), a * x[[2L]] + served)
    answer <- split_response(x, u, momentum, sd * length, C * length, a, weights,
      start_sd / (a * rho)
    )
    list(variance = answer$variance, reach = answer$reach[1L], spread = 0)
  }, loss, row_bound, d, slope)
}

#' Variance and reach of x (of a mean of its iterates, by `weights`), for every curvature: by
#' weights going back in time, `ahead` of x-hat and u-hat and `now` of x and u, where momentum m
#' makes x-hat = x + m (x - x before).
#' @param x,u lists of what a step makes of x-hat and of u-hat.
#' @param sd,C how noise and slope enter x, and `a` times that u.
#' @noRd
split_response <- function(x, u, momentum, sd, C, a, weights, start) {
  T <- length(momentum)
  none <- 0 * x[[1L]]
  ahead_x <- ahead_u <- now_x <- now_u <- variance <- reach <- none
  back <- last_rounds(T)
  for (t in back$rounds) {
    if (t == back$from) before <- list(variance = variance, reach = reach)
    now_x <- now_x + weights[t]
    m <- momentum[t]
    on_x <- (1 + m) * ahead_x + now_x
    on_u <- (1 + m) * ahead_u + now_u
    entering <- on_x + a * on_u
    variance <- variance + (sd[t] * entering)^2
    reach <- reach + C * entering
    now_x <- -m * ahead_x
    now_u <- -m * ahead_u
    ahead_x <- x[[1L]] * on_x + u[[1L]] * on_u
    ahead_u <- x[[2L]] * on_x + u[[2L]] * on_u
  }
  list(
    variance = variance + back$more * (variance - before$variance) +
      (start * (ahead_u + now_u))^2,
    reach = reach + back$more * (reach - before$reach)
  )
}

#' What each of T iterates weighs in the model.
#' @noRd
iterate_weights <- function(average, T) {
  switch(average,
    last = rep(0:1, c(T - 1, 1)), mean = rep(1 / T, T),
    weighted = seq_len(T) * 2 / (T * (T + 1))
  )
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

#' Variance and reach of a coordinate of a linear system s <- step s + noise + push after T
#' steps: sums of powers of `step`, by doubling.
#' @param noise a matrix with a column a noise term; push: a vector; read: weights of the state in
#'   the model.
#' @noRd
small_response <- function(T, step, noise, push, read) {
  one <- tcrossprod(noise)
  covariance <- 0 * one
  pushed <- 0 * push
  power <- diag(length(push))
  for (bit in rev(seq_len(floor(log2(max(T, 1))) + 1L)) - 1L) {
    covariance <- covariance + power %*% tcrossprod(covariance, power)
    pushed <- pushed + power %*% pushed
    power <- power %*% power
    if (T %/% 2^bit %% 2 == 1) {
      covariance <- one + step %*% tcrossprod(covariance, step)
      pushed <- push + step %*% pushed
      power <- step %*% power
    }
  }
  c(variance = sum(read * (covariance %*% read)), reach = sum(read * pushed))
}
