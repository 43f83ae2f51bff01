# The PLD accountant: each mechanism's privacy loss distribution.

# Bins of the Gaussian mechanism with sampling rate q, s = sigma over the norm of what one
# record adds; pair as in src/core/account_loss.h.
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
    still <- log1p(-q) + log(1 - 2 * stats::pnorm(-0.5 / s))
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
    width <- (to - from) / 2
    # the mass under P, and the mean of exp(edge - loss) over the bin (its mass under Q)
    mass <- exp((to - t) / 2) * -expm1(-width) / 2
    other <- exp(edge - (from + t) / 2) * -expm1(-width) / 2
    at_end <- c(1L, n)
    atom <- c(exp(-t), 1) / 2
    for (k in 1:2) {
      i <- at_end[k]
      mass[i] <- mass[i] + atom[k]
      other[i] <- other[i] + atom[k] * exp(edge[i] - c(-t, t)[k])
    }
    list(
      index = first + seq_len(n) - 1, log_mass = log(mass),
      over = pmin(h, pmax(0, log(mass / other))),
      below = first, log_below = -Inf, log_above = -Inf
    )
  }
}

.pld_mechanisms <- c(
  "pure", "laplace", "gamma", "gaussian", "subsampled_gaussian", "objective_gamma"
)

pld_handles <- function(kinds) kinds$mechanism %in% .pld_mechanisms

#' Kinds as this accountant takes them: what it knows only a pure loss of becomes a pure
#' mechanism.
#' @noRd
pld_kinds <- function(kinds) {
  for (i in which(kinds$mechanism %in% c("gamma", "objective_gamma"))) {
    kinds$epsilon[i] <- .pure_losses[[kinds$mechanism[i]]](kinds[i, ])
    kinds$mechanism[i] <- "pure"
  }
  kinds
}

#' Rows of kinds and counts as releases, seen from one side: `direction` is "remove" or
#' "add" (which of two unlike neighbours is the first), `end` of the bracket.
#' @noRd
pld_releases <- function(rows, direction, end) {
  releases <- list()
  plain <- rows$mechanism == "gaussian"
  # Gaussian releases add up to one.
  mu <- sqrt(sum(((rows$sensitivity / rows$sigma)^2 * rows$count)[plain]))
  if (mu > 0) releases <- list(list(bins = gaussian_bins("remove", 1, 1 / mu), count = 1))
  for (i in which(!plain)) {
    e <- rows[i, ]
    release <- if (e$mechanism == "laplace") {
      t <- e$sensitivity / e$b
      if (t > 0) list(bins = laplace_bins(t))
    } else if (e$mechanism == "subsampled_gaussian") {
      s <- e$sigma / e$sensitivity
      if (is.finite(s)) list(bins = sampled_bins(e, s, direction, end))
    } else if (e$epsilon > 0) {
      list(pure = e$epsilon)
    }
    if (!is.null(release)) releases <- c(releases, list(c(release, count = e$count)))
  }
  releases
}

sampled_bins <- function(e, s, direction, end) {
  if (e$sampling == "poisson") {
    replace <- e$neighbours == "replace-one"
    if (replace) gaussian_bins("replace", e$q, 2 * s) else gaussian_bins(direction, e$q, s)
  } else {
    if (e$neighbours == "add-remove") sampled_curve(2, e$q, s, "fixed", "add-remove") # its error
    if (end == "upper") fixed_size_bins(e$q, s) else gaussian_bins("remove", e$q, s)
  }
}

#' The bracket of one ledger. The weight exp(theta * loss) that Renyi accounting suggests
#' is not always where the answer is: while the bracket is wide, it is moved to where the
#' answer so far says.
#' @noRd
pld_ledger <- function(kinds, ledger, want, at, step) {
  rows <- pld_kinds(kinds[ledger$kind, , drop = FALSE])
  rows$count <- ledger$count
  sampled <- rows$mechanism == "subsampled_gaussian"
  two_sided <- any(sampled & rows$neighbours == "add-remove" & rows$q < 1)
  directions <- c("remove", if (two_sided) "add")
  curve <- function(s) sum(rdp_curves(rows, s) * rows$count)
  sides <- lapply(c(lower = "lower", upper = "upper"), function(end) {
    lapply(directions, function(direction) pld_releases(rows, direction, end))
  })
  if (length(sides$upper[[1L]]) == 0L) return(c(lower = 0, upper = 0))
  plan <- pld_plan(curve, sides$upper[[1L]], want, at, step)
  bracket <- c(lower = 0, upper = plan$bound)
  # Outputs that many standard deviations apart are beyond the grid of doubles.
  apart <- rows$sensitivity / rows$sigma * sqrt(rows$count)
  if (any(apart[sampled | rows$mechanism == "gaussian"] > 1e8)) return(bracket)
  for (round in 1:4) {
    ends <- vapply(names(sides), function(end) {
      max(vapply(sides[[end]], pld_solve, 0, plan = plan, want = want, at = at, end = end))
    }, 0)
    before <- bracket
    bracket <- c(
      lower = max(bracket[["lower"]], ends[["lower"]]),
      upper = min(bracket[["upper"]], ends[["upper"]])
    )
    width <- bracket[["upper"]] - bracket[["lower"]]
    if (want == "delta" || !is.finite(width) || width <= 0.02 * bracket[["upper"]]) break
    if (round > 1L && width > 0.5 * (before[["upper"]] - before[["lower"]])) break
    plan <- pld_plan(curve, sides$upper[[1L]], "delta", bracket[["upper"]], step)
  }
  # Rounding can cross the ends of an exact bracket.
  c(lower = min(bracket), upper = max(bracket))
}

account_pld <- function(kinds, ledgers, delta) {
  check_handled(kinds, .pld_mechanisms, "pld")
  brackets <- vapply(ledgers, function(ledger) {
    pld_ledger(kinds, ledger, "epsilon", log(delta), NULL)
  }, c(lower = 0, upper = 0))
  list(epsilon = brackets["upper", ], lower = brackets["lower", ])
}
