#' From a budget to noise
#'
#' Finds the noise at which some events just meet a privacy budget: one root-finder
#' over any accountant. The result is rounded to the safe side: the events at the
#' returned noise never cost more than `epsilon`.
#'
#' Whether more of the argument is more or less privacy does not matter (a standard
#' deviation and the rate of Gamma-norm noise go opposite ways), only that the cost
#' is monotone in it.
#'
#' @param events a function of one positive number (the noise) that returns a table
#'   of events, see [dp_event]; for `"paper"` one of class `dp_printed`, see [account()].
#' @param epsilon,delta the budget: `epsilon > 0`, `delta` in `[0, 1)`.
#' @param accountant as in [account()].
#' @param interval the smallest and largest noise to consider (> 0).
#' @return The noise, one number.
#'
#'   An error of class `dpadmm_error_budget` when no noise in `interval` meets the
#'   budget (its message says what noise cannot buy down, and its field `floor` is the
#'   smallest epsilon within reach), and of class `dpadmm_error_argument` when all noise
#'   in it does.
#' @seealso [account()], [gaussian_sigma()].
#' @examples
#' # One Gaussian release, and a hundred releases of Gamma-norm noise in an objective.
#' calibrate(function(sigma) dp_event_gaussian(sigma, sensitivity = 1), epsilon = 1, delta = 1e-5)
#' calibrate(function(alpha) {
#'   rep(dp_event_objective_gamma(alpha,
#'     sensitivity = 0.01, curvature = 0.001, modulus = 1, dim = 10
#'   ), 100)
#' }, epsilon = 1)
#' @export
calibrate <- function(events, epsilon, delta = 0, accountant = "best",
                      interval = c(1e-12, 1e12)) {
  if (!is.function(events)) {
    abort("argument", sprintf("`events` must be a function of the noise, not %s.", kind_of(events)),
      argument = "events"
    )
  }
  check_number(epsilon, "epsilon", lower = 0, open_lower = TRUE)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  accountant <- check_choice(accountant, accountant_names(), "accountant")
  check_numbers(interval, "interval", lower = 0, open_lower = TRUE, length = 2L)
  if (interval[1L] >= interval[2L]) {
    abort("argument", "`interval` must go from a smaller to a larger noise.",
      argument = "interval", value = interval
    )
  }
  excess_of <- function(accountant) excess_cost(events, epsilon, delta, accountant)
  excess <- excess_of(accountant)
  ends <- log(interval)
  first <- quick_accountant(accountant)
  if (delta > 0 && !is.null(first)) {
    # It says where to look.
    ends <- tryCatch(
      {
        guess <- if (delta < 0.1) excess_of(first) else likely_excess(events, epsilon, delta)
        quick <- solve_noise(guess, ends, events, epsilon, delta)
        around_root(excess, quick$safe, sign(quick$safe_end - quick$safe), ends)
      },
      dpadmm_error = function(e) ends
    )
  }
  exp(solve_noise(excess, ends, events, epsilon, delta)$safe)
}

#' The accountant to ask before a slow one, or NULL. "best" may ask any.
#' @noRd
quick_accountant <- function(accountant) {
  speed <- vapply(accountants(), function(a) a$speed, "")
  slow <- if (accountant == "best") any(speed == "slow") else speed[[accountant]] == "slow"
  if (slow && any(speed == "quick")) names(which(speed == "quick"))[1L]
}

#' log(spent / epsilon) at the noise exp(x), above 0 exactly when the budget is exceeded.
#' Nearly linear; at the ends what is spent may be 0 or infinite. Remembers its values.
#' @noRd
excess_cost <- function(events, epsilon, delta, accountant) {
  known <- new.env()
  function(x) {
    name <- sprintf("%a", x)
    if (!is.null(known[[name]])) return(known[[name]])
    releases <- check_releases(events(exp(x)), "events(noise)")
    spent <- fold_events(releases, delta, accountant, upper = TRUE)$epsilon
    known[[name]] <- log_excess(spent, epsilon)
    known[[name]]
  }
}

#' The same as if the losses of each ledger added up to a normal one, which is no bound but mostly
#' near: at deltas so large that Renyi divergences say little.
#' @noRd
likely_excess <- function(events, epsilon, delta) {
  function(x) {
    books <- open_books(events(exp(x)))
    mean <- vapply(books$ledgers, function(own) {
      rdp_total(books$kinds[own$kind, , drop = FALSE], own$count)(1e-3)
    }, 0)
    log_excess(gaussian_epsilon(1, delta, sqrt(2 * max(mean))), epsilon)
  }
}

log_excess <- function(spent, epsilon) {
  spent[is.na(spent)] <- Inf
  excess <- log(spent) - log(epsilon)
  # The logarithms may round to the same number.
  above <- spent > epsilon
  excess[above & excess <= 0] <- .Machine$double.eps
  excess[!above & excess > 0] <- 0
  pmax(-.most_excess, pmin(excess, .most_excess))
}
.most_excess <- 700

#' The roots near 0 of many falling functions at once, each to `.root_width` and on the side
#' where it is <= 0; `NA` where there is none within a factor of ten. They are about as steep as -1,
#' or steeper.
#' @param f function of points and the numbers of the functions to take there.
#' @noRd
solve_together <- function(f, count) {
  x <- numeric(count)
  # the ends of where a root is, where the function is > 0 and where it is not, and its values there
  over <- under <- over_value <- under_value <- rep(NA_real_, count)
  same <- slow <- integer(count)
  before <- rep(Inf, count)
  step <- rep(.root_width, count)
  open <- seq_len(count)
  while (length(open)) {
    value <- f(x[open], open)
    high <- value > 0
    now <- 2L * high - 1L
    again <- now == same[open]
    same[open] <- now
    k <- open[high]
    over[k] <- x[k]
    over_value[k] <- value[high]
    k <- open[!high]
    under[k] <- x[k]
    under_value[k] <- value[!high]
    between <- !is.na(over[open] + under[open])
    # Illinois: where one end stays, its value is halved, so that it does not stay for ever
    stays <- open[again & between & !high]
    over_value[stays] <- over_value[stays] / 2
    stays <- open[again & between & high]
    under_value[stays] <- under_value[stays] / 2
    if (!all(between)) {
      out <- open[!between]
      reached <- pmax(step[out], pmin(1.05 * abs(value[!between]), 1))
      x[out] <- x[out] + same[out] * reached
      step[out] <- 2 * step[out]
    }
    inner <- open[between]
    width <- under[inner] - over[inner]
    slow[inner] <- pmax(0L, slow[inner] + 2L * (width > before[inner] / 2) - 1L)
    before[inner] <- width
    share <- over_value[inner] / (over_value[inner] - under_value[inner])
    share[slow[inner] >= 3L] <- 1 / 2 # steps and plateaus
    to <- over[inner] + width * share
    x[inner] <- pmin(pmax(to, over[inner] + .root_width / 2), under[inner] - .root_width / 2)
    done <- logical(length(open))
    done[between] <- width <= 1.01 * .root_width
    open <- open[!done & abs(x[open]) <= log(10)]
  }
  under[!((under - over <= 1.01 * .root_width) %in% TRUE)] <- NA
  under
}

#' Points at most `width` beyond the roots of many falling functions: `NA` where a few secants from
#' x do not end there, or lead far away. A function is list(excess, order), see around(): the
#' best order is searched for near the last one only, and at last not any more, which is as valid,
#' and a share of `width` is left for what the whole search might find.
#' @param known about what the functions are at x, where that is known: none ends there.
#' @return list(x, slope = of the secants, `beyond` = how far x is from the root by these, order,
#'   accountant).
#' @noRd
solve_within <- function(f, i, x, slope, near = NULL, width, known = NULL) {
  x[is.na(x)] <- 0
  slope[is.na(slope)] <- -1
  order <- if (is.null(near)) rep(NA_real_, length(i)) else near
  from <- value <- above <- rep(NA_real_, length(i))
  accountant <- character(length(i))
  beyond <- numeric(length(i))
  open <- seq_along(i)
  passes <- 8L
  for (pass in 1:16) {
    if (length(open) == 0L || pass > passes) break
    still <- isTRUE(all(abs(x[open] - from[open]) < 0.3 * sqrt(width)))
    now <- if (pass == 1L && !is.null(known)) known else f(x[open], i[open], order[open], still)
    order[open] <- now$order
    accountant[open] <- now$accountant
    secant <- (now$excess - value[open]) / (x[open] - from[open])
    # where nothing is spent no slope is told
    good <- which(is.finite(secant) & secant < 0 & pmin(value[open], now$excess) > -.most_excess)
    slope[open[good]] <- secant[good]
    from[open] <- x[open]
    value[open] <- now$excess
    beyond[open] <- value[open] / slope[open]
    past <- beyond[open]
    looked <- pass > 1L || is.null(known)
    open <- open[!(looked & value[open] <= 0 & past >= width / 8 & past <= 7 / 8 * width)]
    above[open] <- ifelse(value[open] > 0, x[open], above[open])
    flat <- value[open] <= -.most_excess
    if (any(flat)) passes <- 16L
    back <- ifelse(is.na(above[open]), 1, (x[open] - above[open]) / 2)
    x[open] <- ifelse(flat, x[open] - back, x[open] - value[open] / slope[open] + width / 2)
    far <- abs(x[open]) > 20
    x[open[far]] <- NA
    open <- open[!far]
  }
  x[open] <- NA
  list(x = x, slope = slope, beyond = beyond, order = order, accountant = accountant)
}

#' The root of the excess: list(safe =, the end of `ends` on its `safe_end`).
#' @noRd
solve_noise <- function(excess, ends, events, epsilon, delta) {
  values <- c(excess(ends[1L]), excess(ends[2L]))
  if (all(values > 0)) {
    abort_budget(events(exp(ends[which.min(values)])), epsilon, delta,
      floor = exp(min(values)) * epsilon, noise = exp(ends[which.min(values)])
    )
  }
  if (all(values <= 0)) {
    abort("argument", sprintf(
      "Every noise in `interval` meets epsilon = %g: its ends cost %.4g and %.4g. Widen it.",
      epsilon, exp(values[1L]) * epsilon, exp(values[2L]) * epsilon
    ), argument = "interval", value = exp(ends))
  }
  list(safe = safe_root(excess, ends, values), safe_end = ends[which.min(values)])
}

#' Two points around the root, which should be near x.
#' @param outward in which direction the function falls: 1 or -1. It falls by about as much as one
#'   goes, or more, so that its value says how far that is.
#' @noRd
around_root <- function(f, x, outward, ends) {
  step <- 1e-3
  value <- f(x)
  # towards more noise until it is enough, towards less until it is not
  enough <- value <= 0
  towards <- if (enough) -outward else outward
  repeat {
    reach <- max(step, min(1.05 * abs(value), 1))
    y <- min(max(x + towards * reach, ends[1L]), ends[2L])
    value <- f(y)
    if ((value <= 0) != enough || y %in% ends) return(sort(c(x, y)))
    x <- y
    step <- 2 * step
  }
}

.root_width <- 1e-10 # to how much of the noise roots are found

#' The point next to the root of a monotone function where it is <= 0, to about `.root_width`.
#' Steps that are not quite monotone (grids) are walked off.
#' @noRd
safe_root <- function(f, ends, values) {
  safe <- ends[which.min(values)]
  if (ends[2L] - ends[1L] <= 1.01 * .root_width) return(safe)
  root <- stats::uniroot(f, ends,
    f.lower = values[1L], f.upper = values[2L], tol = .root_width, maxiter = 200L
  )
  if (root$f.root <= 0) return(root$root)
  towards <- sign(safe - root$root)
  x <- root$root
  step <- max(root$estim.prec, 1e-12)
  repeat {
    x <- x + towards * step
    if (towards * (safe - x) <= 0) return(safe)
    if (f(x) <= 0) return(x)
    step <- 2 * step
  }
}

abort_budget <- function(events, epsilon, delta, floor, noise) {
  if ("exact" %in% events$mechanism) {
    abort("budget", sprintf(
      "No noise meets epsilon = %g: one of the events has none (dp_event_exact()).", epsilon
    ), argument = "epsilon", value = epsilon, floor = Inf)
  }
  curvature <- curvature_loss(events)
  why <- if (curvature > 0) sprintf(paste0(
    " Noise cannot buy down the curvature term, the sum of log(1 + curvature / modulus), ",
    "which is %.4g: that takes a larger modulus or fewer releases."
  ), curvature) else ""
  abort("budget", sprintf(paste0(
    "No noise in `interval` meets epsilon = %g at delta = %g: at %.4g the cost is still ",
    "%.6g.%s"
  ), epsilon, delta, noise, floor, why),
  argument = "epsilon", value = epsilon, floor = floor, curvature = curvature
  )
}

#' What curvature costs the worst node, whatever the noise.
#' @noRd
curvature_loss <- function(events) {
  loss <- events$count * log1p(events$curvature / events$modulus)
  loss[is.na(loss)] <- 0
  shared <- is.na(events$node)
  own <- tapply(loss[!shared], events$node[!shared], sum)
  sum(loss[shared]) + if (length(own)) max(own) else 0
}
