# The printed theorems, formula by formula, for accountant = "paper". `loss` gives one
# release's printed epsilon from its event, `rho` its printed zCDP parameter, both to be
# added up; `rate` its printed Renyi divergence over the order a, and `orders` the orders a
# (given less one) that its condition allows; `fold`, of a theorem about a whole run, the
# epsilon of its events and their counts at a delta. `condition` is what a theorem asks for
# of the events; `caveat` is the line a statement carries.

gaussian_rate <- function(e) (e$sensitivity / e$sigma)^2 / 2

#' Gamma-norm noise in the objective; m-admm prints a modulus without rho in the loss and
#' with it in the condition.
#' @noRd
printed_gamma <- list(
  loss = function(e) e$sensitivity * e$alpha + 2.8 * e$curvature / e$printed_modulus,
  condition = function(e) 2 * e$curvature < e$modulus,
  words = "2 c1 < (B/C) (rho/N + 2 eta V)",
  caveat = "The printed formula is valid here; its curvature term is looser than the sound one."
)

.printed_theorems <- list(
  "recycled-admm, Theorem V.1" = printed_gamma,
  "m-admm, Theorem 4.1" = printed_gamma,
  "noisy-fixed-point-admm, Theorem 2" = list(
    rate = gaussian_rate,
    caveat = "The printed formula promises too much: it counts the mean of n noises as one whole noise."
  ),
  "noisy-fixed-point-admm, Theorem 3 (central)" = list(
    rate = gaussian_rate,
    # Lemma C.1 with q = m / n, its sigma in units of the sensitivity of the sum
    orders = function(e, s) {
      sigma <- e$printed_modulus
      M <- log1p(1 / (e$q * s))
      denominator <- M + log(e$q * (1 + s)) + 1 / (2 * sigma^2)
      e$q < 0.2 & sigma >= 4 & denominator > 0 & (1 + s) * denominator <= M^2 * sigma^2 / 2 - log(5 * sigma^2)
    },
    caveat = "The printed formula promises too much: it counts the sum of m noises as one noise."
  ),
  "noisy-fixed-point-admm, Theorem 3 (local)" = list(
    rate = gaussian_rate,
    caveat = "The printed formula is valid here."
  ),
  "noisy-fixed-point-admm, Theorem 4" = list(
    rate = gaussian_rate,
    orders = function(e, s) e$printed_modulus > sqrt(s * (1 + s)),
    caveat = "The printed formula is not proved: a step of one block moves the model by a map that can expand."
  ),
  "noisy-fixed-point-admm, Theorem 7" = list(
    rate = gaussian_rate,
    caveat = "The printed formula is ||A||^2 times the sound one: too small when ||A|| < 1."
  ),
  "plausible-admm, Theorem 2" = list(
    # the noise is scaled to eps3, and eps1 - eps3 is what lambda-hat is made for
    rho = function(e, delta) printed_rho(e, delta, 2.8 * e$curvature / e$printed_modulus),
    caveat = paste(
      "The printed formula promises too much: (epsilon, delta)-privacy of one update does not imply the",
      "zCDP that is composed, and the inexact solution moves by twice the printed bound."
    )
  ),
  "plausible-admm, Theorem 5" = list(
    # Algorithm 2 prints the noise scaled to eps1
    rho = function(e, delta) printed_rho(e, delta, 0),
    caveat = paste(
      "The printed formula promises too much: the test pays for negative answers too, what passed it is",
      "no fresh sample, and (epsilon, delta)-privacy of one update does not imply the zCDP that is composed."
    )
  ),
  "dp-admm-accadmm, Theorem 1" = list(
    # sigma^2 = c^2 a T / (2 n^2 epsilon mu), a = log(1/delta) / ((1 - mu) epsilon) + 1,
    # solved for epsilon; c / n is half of what replacing a record can change
    fold = function(e, count, delta) {
      k <- sum(count * (e$sensitivity / 2 / e$sigma)^2) / (2 * e$mu[1L])
      (k + sqrt(k) * sqrt(k - 4 * log(delta) / (1 - e$mu[1L]))) / 2
    },
    caveat = paste(
      "The printed rule takes c/n for what replacing a record changes, which is 2c/n,",
      "and loses some of that by the conversion it uses."
    )
  )
)

#' Theorem 1 and Lemma 7 of plausible-admm: rho of noise in the objective, of noise on the
#' inexact solution (whose printed sensitivity is half of the event's) and of the test.
#' @noRd
printed_rho <- function(e, delta, regularised) {
  eps1 <- e$sensitivity * sqrt(2 * log(1.25 / delta)) / e$sigma + regularised
  switch(e$mechanism[1L],
    objective_gaussian = -eps1^2 / (4 * log(delta)),
    gaussian = (e$sensitivity / 2 / e$sigma)^2 / 2,
    pure = , printed_test = e$epsilon^2 / 2
  )
}

#' Printed losses of events, checking what their theorems ask for: epsilons, or zCDP
#' parameters when delta > 0 (a pure epsilon by Lemma 3 of plausible-admm).
#' @noRd
printed_losses <- function(events, delta) {
  loss <- numeric(nrow(events))
  group <- paste(events$printed, events$mechanism)
  for (rows in split(seq_along(group), group)) {
    e <- events[rows, , drop = FALSE]
    theorem <- e$printed[1L]
    printed <- if (!is.na(theorem)) .printed_theorems[[theorem]]
    if (is.null(printed) || (delta == 0 && is.null(printed$loss))) {
      abort("accountant", sprintf(
        "The papers print no guarantee for %s here.", .mechanisms[[e$mechanism[1L]]]$words
      ), argument = "accountant")
    }
    if (!is.null(printed$condition) && any(fails <- !printed$condition(e))) {
      abort("theorem", sprintf(
        "%s needs %s, which fails%s.", theorem, printed$words,
        if (is.na(e$node[fails][1L])) "" else sprintf(" at node %d", e$node[fails][1L])
      ), argument = "accountant", place = e$node[fails][1L])
    }
    loss[rows] <- if (!is.null(printed$rho)) {
      printed$rho(e, delta)
    } else if (delta > 0) {
      printed$loss(e)^2 / 2
    } else {
      printed$loss(e)
    }
  }
  loss
}

#' The title of the guarantee that events and delta have in print.
#' @noRd
printed_title <- function(events, delta) {
  theorem <- events$printed[1L]
  if (delta > 0 && !is.null(.printed_theorems[[theorem]]$loss)) {
    paste0(theorem, ", composed as in plausible-admm, Lemmas 2 to 4")
  } else {
    theorem
  }
}

paper_handles <- function(kinds) !is.na(kinds$printed)

account_paper <- function(kinds, ledgers, delta) {
  form <- vapply(kinds$printed, function(name) {
    printed <- if (!is.na(name)) .printed_theorems[[name]]
    if (!is.null(printed$rate)) "rate" else if (!is.null(printed$fold)) "fold" else "loss"
  }, "")
  added <- form == "loss"
  loss <- numeric(nrow(kinds))
  loss[added] <- printed_losses(kinds[added, , drop = FALSE], delta)
  list(epsilon = vapply(ledgers, function(ledger) {
    total <- sum(loss[ledger$kind] * ledger$count)
    part <- function(of, fold) {
      rows <- which(form[ledger$kind] == of)
      if (length(rows)) fold(kinds[ledger$kind[rows], , drop = FALSE], ledger$count[rows], delta) else 0
    }
    # Lemma 4 of plausible-admm
    (if (delta > 0) total + 2 * sqrt(-total * log(delta)) else total) +
      part("rate", printed_renyi) + part("fold", printed_fold)
  }, 0))
}

#' Theorems about whole runs, each of the releases that name it.
#' @noRd
printed_fold <- function(kinds, count, delta) {
  if (delta == 0) return(Inf)
  sum(vapply(unique(kinds$printed), function(name) {
    rows <- kinds$printed == name
    .printed_theorems[[name]]$fold(kinds[rows, , drop = FALSE], count[rows], delta)
  }, 0))
}

#' Printed divergences and the papers' conversion, r + log(1 / delta) / (a - 1), at the
#' best order that every theorem's condition allows; Inf when there is none.
#' @noRd
printed_renyi <- function(kinds, count, delta) {
  if (delta == 0) return(Inf)
  rows <- lapply(seq_len(nrow(kinds)), function(i) lapply(unclass(kinds), `[`, i))
  theorems <- lapply(kinds$printed, function(name) .printed_theorems[[name]])
  rate <- sum(mapply(function(theorem, e) theorem$rate(e), theorems, rows) * count)
  distinct <- which(!duplicated(kinds[c("printed", "printed_modulus", "q")]))
  allowed <- function(s) {
    ok <- rep(TRUE, length(s))
    for (i in distinct) if (!is.null(theorems[[i]]$orders)) ok <- ok & theorems[[i]]$orders(rows[[i]], s)
    ok
  }
  convert <- function(s) rate * (1 + s) + log(1 / delta) / s
  free <- sqrt(log(1 / delta) / rate)
  if (allowed(free)) return(convert(free))
  s <- .rdp_grid[allowed(.rdp_grid)]
  if (length(s) == 0L) return(Inf)
  # convert() falls towards `free`: go there from the best order as far as is allowed
  best <- s[which.min(convert(s))]
  wrong <- free
  for (halving in 1:60) {
    middle <- sqrt(best * wrong)
    if (allowed(middle)) best <- middle else wrong <- middle
  }
  convert(best)
}
