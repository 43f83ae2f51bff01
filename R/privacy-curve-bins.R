# Privacy loss distributions, cut into bins and put on a grid.

# A release is a list of `count` and either `bins`, a function of the step h and of
# log_tail, or `pure`, the epsilon of a randomised response. Bins are a list of `index`,
# `log_mass`, the log of the mass with losses between index * h and (index + 1) * h; `over`,
# by how much the loss of all of it, taken as one outcome, exceeds index * h; `log_above`,
# the log of what was cut off above; and `log_below`, of what was cut off below and may be
# counted at `below`.

.most_bins <- 2^20

#' The bins of a release. Towards the lower end a randomised response has its epsilon
#' lowered to where both its losses are on one grid.
#' @noRd
bin_release <- function(release, h, log_tail, end) {
  if (is.null(release$pure)) return(release$bins(h, log_tail))
  epsilon <- release$pure
  if (end == "lower") {
    steps <- floor(2 * epsilon / h)
    epsilon <- steps * h / 2
    index <- floor(c(-steps, steps) / 2)
    over <- rep(h * (steps / 2 - index[2L]), 2L)
  } else {
    index <- floor(c(-epsilon, epsilon) / h)
    over <- pmin(h, pmax(0, c(-epsilon, epsilon) - index * h))
  }
  list(
    index = index, log_mass = -log1p_exp(c(epsilon, -epsilon)), over = over,
    below = index[1L], log_below = -Inf, log_above = -Inf
  )
}

#' Bins as masses on the grid, weighted by exp(theta * loss) and normalised: list(index,
#' mass, log_scale, offset), losses index * h + offset, the weight's sum exp(log_scale).
#' @noRd
tilt <- function(bins, h, theta, end) {
  if (end == "upper") {
    # the part of each mass that belongs on the upper end
    part <- pmin(1, expm1(-bins$over) / expm1(-h))
    index <- c(bins$index, bins$index + 1, bins$below)
    log_mass <- c(bins$log_mass + log1p(-part), bins$log_mass + log(part), bins$log_below)
    offset <- 0
  } else {
    # The heaviest cell's atom is on the grid as it is; the others' are merged on to it.
    heaviest <- which.max(bins$log_mass + theta * h * bins$index)
    offset <- bins$over[heaviest]
    # far from underflow where it may matter
    scale <- 600
    # lowering by this much costs about what merging does
    give <- min(h, max(1e-7 * h, (theta + 1) * h^2 / 16))
    merged <- core_call(.Call(
      ffi_merge_atoms, bins$index * h + bins$over, exp(bins$log_mass + scale), h, offset, give
    ))
    index <- merged[[1L]]
    log_mass <- log(merged[[2L]]) - scale
  }
  log_weight <- log_mass + theta * (index * h + offset)
  top <- max(log_weight)
  mass <- exp(log_weight - top)
  total <- sum(mass)
  some <- mass > 0
  list(
    index = index[some], mass = mass[some] / total, log_scale = top + log(total), offset = offset,
    log_above = bins$log_above
  )
}

# Bins of the Gaussian mechanism with sampling rate q, s = sigma over the norm of what one
# record adds; pair as in src/core/account/loss.h.
gaussian_bins <- function(pair, q, s) {
  # near enough for the ends of a range
  log_mix <- function(u) pmax(u + log(q), log1p(-q)) + log1p(exp(-abs(u + log(q) - log1p(-q))))
  at <- function(z) {
    up <- log_mix((z - 0.5 / s) / s)
    switch(pair,
      remove = up,
      add = -up,
      replace = up - log_mix((-z - 0.5 / s) / s)
    )
  }
  function(h, log_tail) {
    # a tail beyond r standard deviations has mass below exp(-r^2 / 2) / 2
    reach <- sqrt(-2 * log_tail)
    top <- reach + if (pair == "add") 0 else 1 / s
    # without sampling P is one normal distribution, around 1 / s
    bottom <- if (q == 1 && pair != "add") 1 / s - reach else -reach
    ends <- range(at(c(bottom, top)))
    first <- floor(ends[1L] / h) - 1
    n <- floor(ends[2L] / h) - first + 2
    if (!is.finite(n) || n > .most_bins) return(list(too_many = n / .most_bins))
    bins <- core_call(.Call(ffi_loss_bins, pair, q, s, reach, h, first, n, log_tail - 25))
    list(
      index = first + seq_len(n) - 1, log_mass = bins[[1L]], over = bins[[2L]],
      # the lower tail goes up on to the grid; empty bins in between count as cut off above
      below = first + 2, log_below = log_tail, log_above = log_tail + log1p(n * exp(-25))
    )
  }
}

# Fixed-size sampling, replace-one: the profile of either direction is at most that of
# removing at epsilon >= 0 and that of adding below; the loss distribution with that
# profile takes its positive losses from the one, its negative ones from the other, and the
# rest of its mass is at 0.
fixed_size_bins <- function(q, s) {
  remove <- gaussian_bins("remove", q, s)
  add <- gaussian_bins("add", q, s)
  function(h, log_tail) {
    plus <- remove(h, log_tail)
    minus <- add(h, log_tail)
    if (!is.null(plus$too_many) || !is.null(minus$too_many)) {
      return(list(too_many = max(plus$too_many, minus$too_many)))
    }
    up <- plus$index >= 0
    down <- minus$index < 0
    still <- log1p(-q) + stats::pchisq(0.25 / s^2, 1, log.p = TRUE)
    list(
      index = c(minus$index[down], 0, plus$index[up]),
      log_mass = c(minus$log_mass[down], still, plus$log_mass[up]),
      over = c(minus$over[down], 0, plus$over[up]), below = minus$below,
      log_below = minus$log_below, log_above = plus$log_above
    )
  }
}

# The loss of Laplace noise, t = sensitivity / scale: atoms at both ends and the density
# exp((l - t) / 2) / 4 between.
laplace_bins <- function(t) {
  function(h, log_tail) {
    first <- floor(-t / h)
    n <- floor(t / h) - first + 1
    if (n > .most_bins) return(list(too_many = n / .most_bins))
    edge <- h * (first + seq_len(n) - 1)
    from <- pmax(edge, -t)
    to <- pmax(pmin(edge + h, t), from)
    # where exp(loss / 2) is the density under P and exp(-loss / 2) that under Q, the middle is
    # the log of their masses' ratio
    log_mass <- (to - t) / 2 + log(-expm1((from - to) / 2) / 2)
    over <- (from + to) / 2 - edge
    at_end <- c(1L, n)
    for (k in 1:2) {
      i <- at_end[k]
      loss <- c(-t, t)[k]
      atom <- (loss - t) / 2 - log(2)
      whole <- atom + log1p_exp(log_mass[i] - atom)
      part <- exp(atom - whole)
      over[i] <- -log1p((1 - part) * expm1(-over[i]) + part * expm1(edge[i] - loss))
      log_mass[i] <- whole
    }
    list(
      index = first + seq_len(n) - 1, log_mass = log_mass, over = pmin(h, pmax(0, over)),
      below = first, log_below = -Inf, log_above = -Inf
    )
  }
}
