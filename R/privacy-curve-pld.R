#' Accounting with privacy loss distributions
#'
#' The privacy loss of a mechanism is the log-ratio of its output's densities under the
#' two neighbours; over several mechanisms it adds, and
#' \eqn{\delta(\epsilon) = E(1 - e^{\epsilon - L})_+} is the whole privacy profile. Here
#' every loss is put on a grid, the distributions are convolved by FFT, and the result
#' is a bracket: the smallest epsilon (or delta) that could be proved lies between
#' `lower` and `upper`, and `upper` is proved.
#'
#' How the bracket is kept sound:
#' - *Upper.* The mass of each grid cell goes to its two ends so that the masses under
#'   both neighbours are kept ("connecting the dots", Doroshenko et al. 2022). The
#'   original is a randomised function of the result, so the result is no more private
#'   than the original; its error is of second order in the step.
#' - *Lower.* The mass of each cell is merged into one atom, and parts of neighbouring
#'   atoms are merged further so that the results lie on the grid: a randomised function
#'   of the original, hence at least as private.
#' - Before convolving, masses are weighted by \eqn{e^{\theta L}}, with \eqn{1 + \theta}
#'   near the best Renyi order, so deltas far below the rounding of the FFT come out
#'   with their digits. What wraps around the grid is bounded by Chernoff's inequality,
#'   the rounding of the transforms by their norms; both are added to the upper delta
#'   and taken from the lower. Tails cut off are an infinite loss above.
#' - Neighbours of unlike roles (a record added or removed) are composed apart, and the
#'   larger counts.
#'
#' Poisson sampling with replace-one neighbours and fixed-size sampling use the pairs
#' given in [rdp_subsampled_gaussian()]. For fixed-size sampling no single pair attains
#' the bound, so there the lower end belongs to the worst single pair known and the
#' bracket does not shrink to a point.
#'
#' @param events a table of events, see [dp_event]. A record sits at one node: the
#'   result is the largest over nodes. Gaussian noise in an objective has no known loss
#'   distribution and is an error of class `dpadmm_error_accountant`.
#' @param delta in (0, 1).
#' @param epsilon at least 0.
#' @param step the grid's step; `NULL` chooses one for a bracket of a few tenths of a
#'   percent of epsilon, up to 2% for a few pure releases at a large delta. Halving it quarters the width, until rounding takes over.
#' @return `c(lower = , upper = )`. An upper epsilon beyond the range of numbers is an
#'   error of class `dpadmm_error_accountant`.
#' @references Koskela, A., Jälkö, J. and Honkela, A. (2020). Computing tight
#'   differential privacy guarantees using FFT. *AISTATS*.
#'
#'   Doroshenko, V., Ghazi, B., Kamath, P., Kumar, R. and Manurangsi, P. (2022). Connect
#'   the dots: tighter discrete approximations of privacy loss distributions. *PoPETs*.
#' @examples
#' steps <- rep(dp_event_subsampled_gaussian(
#'   sigma = 0.7, sensitivity = 1, q = 0.01, neighbours = "add-remove"
#' ), 120)
#' pld_epsilon(steps, delta = 1e-5)
#' pld_delta(steps, epsilon = 2)
#' @export
pld_epsilon <- function(events, delta, step = NULL) {
  check_class(events, "dp_events", "events", "the dp_event_ constructors")
  check_number(delta, "delta", lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
  pld_bracket(events, step, "epsilon", log(delta))
}

#' @rdname pld_epsilon
#' @export
pld_delta <- function(events, epsilon, step = NULL) {
  check_class(events, "dp_events", "events", "the dp_event_ constructors")
  check_number(epsilon, "epsilon", lower = 0)
  pld_bracket(events, step, "delta", epsilon)
}

pld_bracket <- function(events, step, want, at) {
  if (!is.null(step)) check_number(step, "step", lower = 0, open_lower = TRUE)
  one_relation(events)
  books <- open_books(events)
  check_handled(books$kinds, .pld_mechanisms, "pld")
  brackets <- vapply(books$ledgers, function(ledger) {
    pld_ledger(books$kinds, ledger, want, at, step)
  }, c(lower = 0, upper = 0))
  bracket <- apply(brackets, 1L, max)
  if (!is.finite(bracket[["upper"]])) {
    abort("accountant", 'The "pld" accountant finds no finite epsilon for these events.',
      argument = "events"
    )
  }
  bracket
}

# ---- from losses to a grid ----------------------------------------------------------

# A release is a list of `count` and either `bins`, a function of the step h and of
# log_tail, or `pure`, the epsilon of a randomised response. Bins are a list of `index`,
# `log_mass`, the log of the mass with losses between index * h and (index + 1) * h; `over`,
# by how much the loss of all of it, taken as one outcome, exceeds index * h; `log_above`,
# the log of what was cut off above; and `log_below`, of what was cut off below and may be
# counted at `below`.

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
    part <- expm1(-bins$over) / expm1(-h)
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

# ---- convolution ----------------------------------------------------------------------

# What may lie outside the window or wrap around into it, in tilted mass: exp(-45).
.log_outside <- 45
.most_points <- 2^20
.most_bins <- 2^20

#' Bounds of the sum of the tilted losses (in steps, without offset), by Chernoff.
#' @noRd
tilted_window <- function(grids, counts, h) {
  mean <- vapply(grids, function(g) sum(g$mass * g$index), 0)
  variance <- mapply(function(g, m) sum(g$mass * (g$index - m)^2), grids, mean)
  spread <- max(sqrt(sum(counts * variance)), 1e-3)
  # Any t > 0 gives a bound; near the normal one unless a tail is heavy.
  reach <- function(sign) {
    bound <- function(y) {
      t <- exp(y) * sqrt(2 * .log_outside) / spread
      cumulant <- mapply(function(g, m) {
        x <- sign * t * (g$index - m)
        top <- max(x)
        top + log(sum(g$mass * exp(x - top)))
      }, grids, mean)
      finite_or_largest((sum(counts * cumulant) + .log_outside) / t)
    }
    stats::optimize(bound, c(-8, 1), tol = 0.1)$objective
  }
  centre <- sum(counts * mean)
  c(from = floor(centre - reach(-1)) - 1, to = ceiling(centre + reach(1)) + 1)
}

#' The tilted masses of the sum on from, from + 1, ... and a bound on the Euclidean norm of
#' their rounding errors.
#' @noRd
convolve_grids <- function(grids, counts, from, points) {
  n <- 2^max(4, ceiling(log2(points)))
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
  noise <- sqrt(2 * sum(error^2) / n) + unit * sqrt(sum(mass^2))
  list(mass = mass[(from + seq_len(n) - 1) %% n + 1], noise = noise)
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

#' One end of the bracket: epsilon at log(delta) = at, or delta at epsilon = at.
#' @noRd
pld_solve <- function(releases, plan, want, at, end) {
  theta <- plan$theta
  h <- plan$h
  counts <- vapply(releases, `[[`, 0, "count")
  repeat {
    bins <- lapply(releases, bin_release, h = h, log_tail = plan$log_tail, end = end)
    too_many <- max(1, unlist(lapply(bins, `[[`, "too_many")))
    if (too_many == 1) {
      grids <- lapply(bins, tilt, h = h, theta = theta, end = end)
      window <- tilted_window(grids, counts, h)
      points <- window[["to"]] - window[["from"]] + 1
      if (!is.finite(points)) return(if (end == "upper") Inf else 0)
      too_many <- points / .most_points
      if (too_many <= 1) break
    }
    if (plan$fixed) {
      abort("size", sprintf("`step` must be larger than %g: the grid has too many points.", h),
        argument = "step", value = h
      )
    }
    h <- h * max(1.5, too_many)
  }
  sum <- convolve_grids(grids, counts, window[["from"]], points)
  # Rounding and what wraps around, in tilted mass, wherever it may be counted.
  noise <- sum$noise * sqrt(min(length(sum$mass), 1 + 1 / -expm1(-2 * theta * h))) +
    2 * exp(-.log_outside)
  sign <- if (end == "upper") 1 else -1
  slack <- sign * (1e-11 + 64 * .Machine$double.eps * sum(counts) +
    8 * .Machine$double.eps * min(length(sum$mass), 1 / (theta * h)))
  scale <- sum(counts * vapply(grids, `[[`, 0, "log_scale"))
  offset <- sum(counts * vapply(grids, `[[`, 0, "offset"))
  loss <- h * (window[["from"]] + seq_along(sum$mass) - 1) + offset
  # At each grid point, sums over what lies above, in units of the tilt there: of
  # mass exp(-distance), and of mass (1 - exp(-distance)), the delta. By recursions from the
  # top with positive terms only.
  other <- sums_above(sum$mass, (theta + 1) * h)
  profile <- sums_above(c(other[-1L], 0) * -expm1(-h) * exp(-theta * h), theta * h)
  above <- if (end == "upper") sum(counts * exp(vapply(grids, `[[`, 0, "log_above"))) else 0

  if (want == "delta") {
    i <- which(loss > at)[1L]
    log_noise <- scale - theta * at + log(noise)
    delta <- if (is.na(i)) 0 else {
      exp(scale - theta * loss[i] + slack) * max(0, profile[i] - expm1(at - loss[i]) * other[i])
    }
    # Underflow must not round the upper end down to 0.
    return(min(1, max(if (end == "upper") 2^-1074 else 0, delta + sign * exp(log_noise) + above)))
  }
  left <- exp(at) - above
  if (!(left > 0)) return(if (end == "upper") Inf else 0)
  # no epsilon above the largest total loss is called for
  most <- h * sum(counts * vapply(grids, function(g) max(g$index), 0))
  log_left <- log(left) - slack
  log_delta <- scale - theta * loss + log(pmax(profile + sign * noise, 0))
  over <- which(log_delta > log_left)
  if (length(over) == 0L) return(if (end == "upper") max(0, loss[1L]) else 0)
  i <- over[length(over)] + 1L
  if (i > length(loss)) return(if (end == "upper") max(0, most) else max(0, loss[length(loss)]))
  # Within the cell delta is linear in exp(epsilon).
  room <- exp(log_left - scale + theta * loss[i]) - sign * noise * exp(theta * h)
  part <- (room - profile[i]) / other[i]
  down <- if (part < 1) max(0, -log1p(-part)) else h
  epsilon <- max(0, loss[i] - min(h, down))
  if (end == "upper") min(epsilon, max(0, most)) else epsilon
}

# ---- planning -----------------------------------------------------------------------

#' Where to look: the order, less one, that Renyi accounting finds best, and the step.
#' `curve` is the total Renyi divergence as a function of the order less one.
#' @noRd
pld_plan <- function(curve, releases, want, at, step) {
  count <- sum(vapply(releases, `[[`, 0, "count"))
  goal <- if (want == "epsilon") {
    function(s) conversion(1 + s, curve(s), at, s = s)
  } else {
    function(s) s * (curve(s) - at) - (1 + s) * log1p(1 / s) - log(s)
  }
  capped <- function(s) finite_or_largest(goal(s))
  values <- vapply(.rdp_grid, capped, 0)
  best <- which.min(values)
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
  # Lowering a pure loss by h / 2 moves epsilon by up to that each time.
  lost <- function(r) if (is.null(r$pure)) 0 else r$count * tanh(r$pure / 2)
  pure <- sum(vapply(releases, lost, 0))
  if (pure > 0) h <- min(h, 10 * tolerance / pure)
  if (!is.null(step)) h <- step
  list(
    theta = theta, h = h, fixed = !is.null(step), log_tail = log_delta - log(count) - 25,
    # what Renyi accounting itself proves
    bound = if (want == "epsilon") epsilon else exp(log_delta)
  )
}

#' The upper end alone, for the total of releases whose Renyi curve is known.
#' @noRd
pld_upper <- function(releases, delta, curve) {
  plan <- pld_plan(curve, releases, "epsilon", log(delta), NULL)
  min(plan$bound, pld_solve(releases, plan, "epsilon", log(delta), "upper"))
}
