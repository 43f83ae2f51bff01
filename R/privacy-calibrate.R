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
  speed <- vapply(.accountants, function(a) a$speed, "")
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
# a twentieth of the budget is left of it: epsilon may fall to nothing at once, of large deltas
.flat_excess <- 3

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
