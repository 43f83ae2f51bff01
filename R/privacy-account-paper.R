# The paper accountant: the sum of what the printed theorems say of each release, proved or not.

accountant_paper <- function() {
  list(
    fold = account_paper,
    handles = function(kinds) rep(inherits(kinds, "dp_printed"), length(kinds[[1L]])),
    needs_delta = FALSE, serves_best = function(kinds) FALSE,
    exact = FALSE, speed = "usual",
    composes = paste(
      "the losses printed in the source papers, for redrawing their figures:",
      "not proved for what runs"
    ),
    needs = "a table of printed theorems"
  )
}

account_paper <- function(kinds, ledgers, delta, how) {
  form <- vapply(kinds$theorem, function(name) {
    theorem <- .printed_theorems[[name]]
    if (!is.null(theorem$rate)) "rate" else if (!is.null(theorem$fold)) "fold" else "loss"
  }, "")
  if (delta == 0) check_printed_pure(kinds)
  added <- form == "loss"
  loss <- numeric(nrow(kinds))
  loss[added] <- printed_losses(kinds[added, , drop = FALSE], delta)
  list(epsilon = vapply(ledgers, function(ledger) {
    total <- sum(loss[ledger$kind] * ledger$count)
    part <- function(of, fold) {
      rows <- which(form[ledger$kind] == of)
      if (length(rows) == 0L) return(0)
      fold(kinds[ledger$kind[rows], , drop = FALSE], ledger$count[rows], delta)
    }
    # Lemma 4 of plausible-admm
    (if (delta > 0) total + 2 * sqrt(-total * log(delta)) else total) +
      part("rate", printed_renyi) + part("fold", printed_fold)
  }, 0))
}

#' Only losses say something at delta = 0.
#' @noRd
check_printed_pure <- function(kinds) {
  for (theorem in unique(kinds$theorem)) {
    if (is.null(.printed_theorems[[theorem]]$loss)) {
      abort("accountant", sprintf("%s prints no guarantee for delta = 0.", theorem),
        argument = "accountant"
      )
    }
  }
}

#' Printed losses of releases, checking what their theorems ask for: epsilons, or zCDP
#' parameters when delta > 0 (a pure epsilon by Lemma 3 of plausible-admm).
#' @noRd
printed_losses <- function(kinds, delta) {
  loss <- numeric(nrow(kinds))
  for (rows in split(seq_len(nrow(kinds)), paste(kinds$theorem, kinds$part))) {
    r <- kinds[rows, , drop = FALSE]
    theorem <- .printed_theorems[[r$theorem[1L]]]
    check_condition(theorem, r)
    loss[rows] <- if (!is.null(theorem$rho)) {
      theorem$rho(r, delta)
    } else if (delta > 0) {
      theorem$loss(r)^2 / 2
    } else {
      theorem$loss(r)
    }
  }
  loss
}

check_condition <- function(theorem, r) {
  if (is.null(theorem$condition) || all(holds <- theorem$condition(r))) return(invisible())
  node <- r$node[!holds][1L]
  abort("theorem", sprintf(
    "%s needs %s, which fails%s.", r$theorem[1L], theorem$words,
    if (is.na(node)) "" else sprintf(" at node %d", node)
  ), argument = "accountant", place = node)
}

#' Theorems about whole runs, each of the releases that name it.
#' @noRd
printed_fold <- function(kinds, count, delta) {
  sum(vapply(unique(kinds$theorem), function(name) {
    rows <- kinds$theorem == name
    .printed_theorems[[name]]$fold(kinds[rows, , drop = FALSE], count[rows], delta)
  }, 0))
}

#' Printed divergences and the papers' conversion, r + log(1 / delta) / (a - 1), at the
#' best order that every theorem's condition allows; Inf when there is none.
#' @noRd
printed_renyi <- function(kinds, count, delta) {
  rows <- lapply(seq_len(nrow(kinds)), function(i) lapply(unclass(kinds), `[`, i))
  theorems <- lapply(kinds$theorem, function(name) .printed_theorems[[name]])
  rate <- sum(mapply(function(theorem, r) theorem$rate(r), theorems, rows) * count)
  distinct <- which(!duplicated(kinds[c("theorem", "ratio", "q")]))
  allowed <- function(s) {
    ok <- rep(TRUE, length(s))
    for (i in distinct) {
      if (!is.null(theorems[[i]]$orders)) ok <- ok & theorems[[i]]$orders(rows[[i]], s)
    }
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
