# Sums of privacy losses on a grid, by FFT: one end of a bracket at a time.

# What may lie outside the window or wrap around into it, in tilted mass: exp(-45).
.log_outside <- 45
.most_points <- 2^20

#' Bounds of the sum of the tilted losses (in steps, without offset), by Chernoff.
#' @noRd
tilted_window <- function(grids, counts, h) {
  all <- flat_grids(grids)
  of <- rep(seq_along(grids), all$size)
  each_sum <- function(x) as.vector(rowsum(x, of, reorder = FALSE))
  mean <- each_sum(all$mass * all$index)
  from_mean <- all$index - mean[of]
  spread <- max(sqrt(sum(counts * each_sum(all$mass * from_mean^2))), 1e-3)
  # Any t > 0 gives a bound; near the normal one unless a tail is heavy.
  reach <- function(sign) {
    away <- sign * from_mean
    most <- vapply(grids, function(g) max(sign * g$index), 0) - sign * mean
    below <- away - most[of]
    bound <- function(y) {
      t <- exp(y) * sqrt(2 * .log_outside) / spread
      cumulant <- t * most + log(each_sum(all$mass * exp(t * below)))
      finite_or_largest((sum(counts * cumulant) + .log_outside) / t)
    }
    stats::optimize(bound, c(-8, 1), tol = 0.1)$objective
  }
  centre <- sum(counts * mean)
  c(from = floor(centre - reach(-1)) - 1, to = ceiling(centre + reach(1)) + 1)
}

#' The places and masses of all grids, one after the other, and how many each has.
#' @noRd
flat_grids <- function(grids) {
  index <- lapply(grids, `[[`, "index")
  list(index = unlist(index), mass = unlist(lapply(grids, `[[`, "mass")), size = lengths(index))
}

#' The tilted masses of the sum on from, from + 1, ... and a bound on the Euclidean norm of
#' their rounding errors.
#' @noRd
convolve_grids <- function(grids, counts, from, points) {
  few <- counts * lengths(lapply(grids, `[[`, "mass")) <= .few_atoms
  # any circle goes round them all; transforms like powers of two
  n <- if (all(few)) points else 2^max(4, ceiling(log2(points)))
  sum <- transform_grids(grids[!few], counts[!few], n)
  if (any(few)) sum <- step_grids(sum, grids[few], counts[few])
  list(mass = sum$mass[(from + seq_len(n) - 1) %% n + 1], noise = sum$noise)
}

# Up to so many of them are added one by one, sooner than by transforms.
.few_atoms <- 200

#' On a circle of n places, by transforms.
#' @noRd
transform_grids <- function(grids, counts, n) {
  if (length(grids) == 0L) return(list(mass = c(1, numeric(n - 1)), noise = 0))
  half <- seq_len(n / 2 + 1)
  unit <- 4 * .Machine$double.eps * log2(n)
  log_size <- log_most <- angle <- 0
  for (i in seq_along(grids)) {
    place <- grids[[i]]$index %% n + 1
    wrapped <- numeric(n)
    # bins and their upper ends share places, wrapped ones more so
    runs <- split_runs(place)
    for (run in runs) wrapped[place[run]] <- wrapped[place[run]] + grids[[i]]$mass[run]
    transform <- stats::fft(wrapped)[half]
    size <- Mod(transform)
    log_size <- log_size + counts[i] * log(size)
    log_most <- log_most + counts[i] * log(size + unit * sqrt(sum(wrapped^2)))
    angle <- angle + counts[i] * Arg(transform)
  }
  size <- exp(log_size)
  error <- exp(log_most) - size + size * 16 * .Machine$double.eps * sum(counts)
  whole <- complex(modulus = size, argument = angle)
  whole <- c(whole, Conj(rev(whole[2:(n / 2)])))
  mass <- Re(stats::fft(whole, inverse = TRUE)) / n
  list(mass = mass, noise = sqrt(2 * sum(error^2) / n) + unit * sqrt(sum(mass^2)))
}

#' A sum so far, and grids of few atoms added to it. No step makes a norm larger; where masses
#' are positive, each is off by at most a part of itself, and noise among them by as little.
#' @noRd
step_grids <- function(sum, grids, counts) {
  all <- flat_grids(grids)
  mass <- core_call(.Call(
    ffi_step_atoms, sum$mass, all$index %% length(sum$mass), all$mass, all$size, counts
  ))
  part <- .Machine$double.eps * sum((all$size + 2) * counts)
  list(mass = mass, noise = sum$noise * (1 + 2 * part) + part * sqrt(sum(mass^2)) + 1e-200)
}

#' Stretches of a vector of places within which none occurs twice: it is made of rising
#' runs.
#' @noRd
split_runs <- function(place) {
  ends <- c(which(diff(place) <= 0), length(place))
  Map(seq.int, c(1, ends[-length(ends)] + 1), ends)
}

#' At each grid point the sum over it and everything above, of mass * exp(-rate * steps).
#' @noRd
sums_above <- function(mass, rate) {
  rev(as.vector(stats::filter(rev(mass), exp(-rate), method = "recursive")))
}

#' One end of the bracket: `answer`, epsilon at log(delta) = at, or delta at epsilon = at; how much
#' of epsilon is what rounding may have done (`rounding`), and the `step` of the grid.
#' @noRd
pld_solve <- function(releases, plan, want, at, end) {
  counts <- vapply(releases, `[[`, 0, "count")
  unknown <- c(answer = if (end == "upper") Inf else 0, rounding = Inf, step = Inf)
  fitted <- fit_grids(releases, counts, plan, end)
  if (is.null(fitted)) return(unknown)
  profile <- total_profile(fitted, counts, plan$theta, end)
  rounding <- NA
  if (want == "delta") {
    answer <- delta_at(profile, at, end)
  } else {
    answer <- epsilon_at(profile, at, end)
    if (end == "upper") rounding <- answer - epsilon_at(without_rounding(profile), at, end)
  }
  # sums beyond the range of numbers say nothing
  if (is.nan(answer)) return(unknown)
  c(answer = answer, rounding = if (is.nan(rounding)) Inf else rounding, step = fitted$h)
}

#' Releases as grids of one step, which is made larger until they fit: list(grids, window, h).
#' NULL: the losses are beyond the range of numbers.
#' @noRd
fit_grids <- function(releases, counts, plan, end) {
  h <- plan$h
  repeat {
    if (!is.finite(h) || h == 0) return(NULL)
    bins <- lapply(releases, bin_release, h = h, log_tail = plan$log_tail, end = end)
    too_many <- max(1, unlist(lapply(bins, `[[`, "too_many")))
    if (!is.finite(too_many)) return(NULL)
    if (too_many == 1) {
      grids <- lapply(bins, tilt, h = h, theta = plan$theta, end = end)
      window <- tilted_window(grids, counts, h)
      points <- window[["to"]] - window[["from"]] + 1
      # far from 0 doubles do not tell one step from the next
      if (!is.finite(points) || max(abs(window)) > 2^50 || farthest(grids) > 2^50) return(NULL)
      too_many <- points / .most_points
      if (too_many <= 1) {
        return(list(grids = grids, from = window[["from"]], points = points, h = h))
      }
    }
    if (plan$fixed) {
      abort("size", sprintf("`step` must be larger than %g: the grid has too many points.", h),
        argument = "step", value = h
      )
    }
    h <- h * max(1.5, too_many)
  }
}

#' The largest place on a grid.
#' @noRd
farthest <- function(grids) max(vapply(grids, function(g) max(abs(g$index)), 0))

#' The total loss on its grid, as one end of the bracket counts it: at each grid point
#' (`loss`), sums over what lies above, in units of the tilt there: `other`, of mass
#' exp(-distance), and `delta`, of mass (1 - exp(-distance)); `scale` is the log of the tilt's
#' sum, `noise` and `slack` bound rounding and what wraps around, `above` is the mass cut off,
#' `most` the largest total loss.
#' @noRd
total_profile <- function(fitted, counts, theta, end) {
  grids <- fitted$grids
  h <- fitted$h
  sum <- convolve_grids(grids, counts, fitted$from, fitted$points)
  sign <- if (end == "upper") 1 else -1
  offset <- sum(counts * vapply(grids, `[[`, 0, "offset"))
  # by recursions from the top with positive terms only
  other <- sums_above(sum$mass, (theta + 1) * h)
  list(
    theta = theta, h = h, sign = sign,
    loss = h * (fitted$from + seq_along(sum$mass) - 1) + offset, other = other,
    delta = sums_above(c(other[-1L], 0) * -expm1(-h) * exp(-theta * h), theta * h),
    scale = sum(counts * vapply(grids, `[[`, 0, "log_scale")),
    # in tilted mass, wherever it may be counted
    noise = sum$noise * sqrt(min(length(sum$mass), 1 + 1 / -expm1(-2 * theta * h))) +
      2 * exp(-.log_outside),
    slack = sign * (1e-11 + 64 * .Machine$double.eps * sum(counts) +
      8 * .Machine$double.eps * min(length(sum$mass), 1 / (theta * h))),
    above = if (end == "upper") sum(counts * exp(vapply(grids, `[[`, 0, "log_above"))) else 0,
    most = h * sum(counts * vapply(grids, function(g) max(g$index), 0))
  )
}

#' A profile as if transforms were exact and nothing wrapped around.
#' @noRd
without_rounding <- function(p) {
  p$noise <- p$slack <- 0
  p
}

delta_at <- function(p, epsilon, end) {
  i <- which(p$loss > epsilon)[1L]
  log_noise <- p$scale - p$theta * epsilon + log(p$noise)
  delta <- if (is.na(i)) 0 else {
    exp(p$scale - p$theta * p$loss[i] + p$slack) *
      max(0, p$delta[i] - expm1(epsilon - p$loss[i]) * p$other[i])
  }
  # Underflow must not round the upper end down to 0.
  least <- if (end == "upper") 2^-1074 else 0
  min(1, max(least, delta + p$sign * exp(log_noise) + p$above))
}

epsilon_at <- function(p, log_delta, end) {
  loss <- p$loss
  left <- exp(log_delta) - p$above
  if (!(left > 0)) return(if (end == "upper") Inf else 0)
  log_left <- log(left) - p$slack
  reached <- p$scale - p$theta * loss + log(pmax(p$delta + p$sign * p$noise, 0))
  over <- which(reached > log_left)
  if (length(over) == 0L) return(if (end == "upper") max(0, loss[1L]) else 0)
  i <- over[length(over)] + 1L
  # no epsilon above the largest total loss is called for
  most <- max(0, p$most)
  if (i > length(loss)) return(if (end == "upper") most else max(0, loss[length(loss)]))
  # Within the cell delta is linear in exp(epsilon).
  room <- exp(log_left - p$scale + p$theta * loss[i]) - p$sign * p$noise * exp(p$theta * p$h)
  part <- (room - p$delta[i]) / p$other[i]
  # beyond the range of numbers: the end of the cell that is safe
  if (is.nan(part)) part <- if (end == "upper") 0 else 1
  down <- if (part < 1) max(0, -log1p(-part)) else p$h
  epsilon <- max(0, loss[i] - min(p$h, down))
  if (end == "upper") min(epsilon, most) else epsilon
}

# ---- planning -----------------------------------------------------------------------

#' Where to look: the order, less one, that Renyi accounting finds best, and the step.
#' `curve` is the total Renyi divergence as a function of the order less one.
#' @param upper the upper end alone is wanted.
#' @noRd
pld_plan <- function(curve, releases, want, at, step, upper = FALSE) {
  count <- sum(vapply(releases, `[[`, 0, "count"))
  goal <- if (want == "epsilon") {
    function(s) conversion(s, curve(s), at)
  } else {
    function(s) log_conversion(s, curve(s), at)
  }
  capped <- function(s) finite_or_largest(goal(s))
  places <- places_around(.rdp_coarse[which_least(goal(.rdp_grid[.rdp_coarse]))])
  best <- places[which.min(capped(.rdp_grid[places]))]
  around <- log(.rdp_grid[pmin(pmax(best + c(-1L, 1L), 1L), length(.rdp_grid))])
  theta <- exp(stats::optimize(function(y) capped(exp(y)), around, tol = 1e-3)$minimum)
  value <- goal(theta)
  epsilon <- if (want == "epsilon") max(0, value) else at
  # no smaller delta is a number
  log_delta <- if (want == "epsilon") at else max(-745, min(0, value))
  # Splitting a cell adds at most h^2 / 4 to the variance of a loss, which moves epsilon by
  # (theta + 1) / 2 times that.
  tolerance <- 1e-4 * max(epsilon, 0.1 * curve(theta), 1e-10)
  h <- sqrt(8 * tolerance / (count * (theta + 1)))
  # For the lower end: lowering a pure loss by h / 2 moves epsilon by up to that each time.
  lost <- function(r) if (is.null(r$pure)) 0 else r$count * tanh(r$pure / 2)
  pure <- if (upper) 0 else sum(vapply(releases, lost, 0))
  if (pure > 0) h <- min(h, 10 * tolerance / pure)
  if (!is.null(step)) h <- step
  list(
    theta = theta, h = h, fixed = !is.null(step), log_tail = log_delta - log(count) - 25,
    # what the step may do to epsilon
    tolerance = tolerance,
    # what Renyi accounting itself proves
    bound = if (want == "epsilon") epsilon else exp(log_delta)
  )
}

#' The upper end alone, for the total of releases whose Renyi curve is known.
#' @noRd
pld_upper <- function(releases, delta, curve) {
  plan <- pld_plan(curve, releases, "epsilon", log(delta), NULL, upper = TRUE)
  min(plan$bound, pld_solve(releases, plan, "epsilon", log(delta), "upper")[["answer"]])
}
