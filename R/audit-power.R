#' How many runs an audit needs
#'
#' The number of runs on each data set with which [audit()] is likely to see a share of a
#' true epsilon, when its test is the best one. Computed from the binomial law of the
#' counts, without simulation.
#'
#' The true release is either randomised response with this epsilon (pure), which an audit
#' sees most easily, or the Gaussian mechanism that has it at `delta`.
#'
#' @param epsilon the true epsilon (> 0), any number of them.
#' @param release `"gaussian"` or `"response"`.
#' @param bound,delta,confidence as in [audit()]; randomised response is pure, and needs the
#'   `"clopper-pearson"` bound.
#' @param share which part of epsilon the lower bound should reach, in (0, 1).
#' @param power probability with which it should, in (0, 1).
#' @return A vector like `epsilon`: the smallest `runs` found by doubling and bisection
#'   (to 2 percent), or `Inf` when no number up to 1e8 will do.
#' @examples
#' audit_runs(c(0.1, 1, 4))
#' audit_runs(c(0.1, 1, 4), bound = "gaussian")
#' @export
audit_runs <- function(epsilon, release = c("gaussian", "response"),
                       bound = c("clopper-pearson", "gaussian"), delta = 1e-5, confidence = 0.95,
                       share = 0.5, power = 0.9) {
  check_numbers(epsilon, "epsilon", lower = 0, open_lower = TRUE)
  release <- check_choice(release, c("gaussian", "response"), "release")
  bound <- check_choice(bound, c("clopper-pearson", "gaussian"), "bound")
  inside <- function(x, name) {
    check_number(x, name, lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
  }
  inside(delta, "delta")
  inside(confidence, "confidence")
  inside(share, "share")
  inside(power, "power")
  if (release == "response" && bound == "gaussian") {
    abort("argument",
      "Randomised response is not like a Gaussian mechanism: use the \"clopper-pearson\" bound.",
      argument = "bound"
    )
  }
  vapply(epsilon, function(e) {
    events <- if (release == "response") {
      list(p = stats::plogis(e), q = stats::plogis(-e))
    } else {
      mu <- 1 / gaussian_sigma(e, delta)
      at <- seq(-6, 12, by = 0.05)
      list(p = stats::pnorm(mu - at), q = stats::pnorm(-at))
    }
    level <- (1 - confidence) / 2
    runs_until(function(n) any(seen_with(events, n, delta, level, bound, power) >= share * e))
  }, 0)
}

#' The bound that is reached with probability `power` at least, for each event: both counts
#' at quantiles that fail together with at most the rest of it.
#' @noRd
seen_with <- function(events, n, delta, level, bound, power) {
  miss <- (1 - power) / 2
  p <- binomial_lower(binomial_quantile(miss, n, events$p), n, level)
  q <- binomial_upper(binomial_quantile(1 - miss, n, events$q), n, level)
  mapply(function(p, q) rates_epsilon(c(p = p, q = q), delta, bound), p, q)
}

#' qbinom(), which of R 4.2 may be n where a rate is near 1: there the others are counted.
#' @noRd
binomial_quantile <- function(at, n, rate) {
  ifelse(rate > 0.5,
    n - stats::qbinom(at, n, 1 - rate, lower.tail = FALSE), stats::qbinom(at, n, rate)
  )
}

#' Twice the held-out runs from which `enough` holds.
#' @noRd
runs_until <- function(enough) {
  high <- 10
  while (!enough(high)) {
    high <- 2 * high
    if (high > 5e7) return(Inf)
  }
  low <- high / 2
  while (high - low > max(1, 0.02 * high)) {
    middle <- floor((low + high) / 2)
    if (enough(middle)) high <- middle else low <- middle
  }
  2 * high
}
