# From a plan's releases and a budget to the size of its noise: one calibration for all
# methods.

#' The unit of noise of every party that spends its budget, and the Renyi order that proves it where
#' a search might not find it: list(unit, order). Alike parties are calibrated once.
#' @param events_of a function of counted releases: their events as a function of the unit, see
#'   events_of_unit(), or what a paper prints of them.
#' @noRd
calibrate_units <- function(plan, events_of, accountant) {
  all <- placed_parties(plan)
  # of many releases the alike ones are counted first
  many <- nrow(all$releases) > .too_many_releases
  parties <- if (many) unlike_parties(plan) else all
  cost <- if (accountant != "paper") shared_cost(parties, plan) else 0
  least <- min(parties$epsilon)
  if (least <= cost) {
    abort("budget", sprintf(paste("No noise meets epsilon = %g: that so many numbers are sent on a",
      "grid costs %.4g."), least, cost), argument = "epsilon", value = least, floor = cost)
  }
  found <- if (accountant != "paper") units_in_core(parties$releases, parties$epsilon - cost, plan)
  none <- rep(NA_real_, length(parties$epsilon))
  if (is.null(found)) found <- list(unit = none, order = none)
  found <- ask_others(found, parties$releases, events_of, plan$budget$delta, accountant)
  lost <- which(is.na(found$unit))
  if (length(lost)) {
    unlike <- if (many) parties else unlike_parties(plan)
    of <- if (many) lost else unlike$like[lost]
    some <- sort(unique(of))
    rest <- calibrate_parties(releases_of(unlike$releases, some), events_of,
      unlike$epsilon[some] - cost, plan$budget$delta, accountant, unlike$likely[some])
    for (what in names(found)) found[[what]][lost] <- rest[[what]][match(of, some)]
  }
  pure <- which(replace(found$order, lost, NA) == tells_of("pure")) # the others have it by now
  found$unit <- raise_pure(found, pure, parties$releases, events_of, parties$epsilon - cost,
    plan$budget$delta, accountant)
  lapply(found, `[`, parties$like)
}

#' Units of which no order is told are no more than others ask for who may say less: what is told
#' where they do not, else `NA`.
#' @noRd
ask_others <- function(found, releases, events_of, delta, accountant) {
  open <- which(!is.na(found$unit) & is.na(found$order))
  if (length(open) == 0L) return(found)
  rows <- which(releases$node %in% open)
  events <- events_of(releases)(found$unit[releases$node[rows]], rows)
  books <- counted_books(events)
  spent <- spend(open_statement(events, delta, books), accountant, list(upper = TRUE))
  ledger <- match(open, books$node)
  found$order[open] <- spent$order[ledger]
  found$unit[open[spent$accountant[ledger] != "rdp"]] <- NA
  found
}

#' Releases of some nodes, which become 1, 2, ...
#' @noRd
releases_of <- function(releases, nodes) {
  own <- pick_releases(releases, which(releases$node %in% nodes))
  with_nodes(own, match(own$node, nodes))
}

#' Whether parties are too many to be solved one by one.
#' @noRd
are_many <- function(releases, epsilon) {
  length(epsilon) > .many_parties || length(releases$node) > .many_releases
}

#' What the statement of all parties charges each for the grid of the noise of all, of which a
#' calibration of fewer sees less: nothing that would be seen, but of millions of numbers.
#' @noRd
shared_cost <- function(parties, plan) {
  if (noise_mechanism(plan$budget$mechanism)$pure) return(0)
  of_one <- parties$releases
  alike <- tabulate(parties$like)[of_one$node]
  numbers <- sum(alike * of_one$count * entries_of(of_one$part, plan$problem$d))
  round_up(grid_cost_of(numbers)$epsilon)
}

#' The units of unlike parties: in step, each near where it should be, and what that does not
#' find one by one.
#' @param releases counted, of the nodes 1, 2, ...
#' @param epsilon,likely one a party.
#' @return list(unit, order = one that is good enough, or `NA`), one a party.
#' @noRd
calibrate_parties <- function(releases, events_of, epsilon, delta, accountant, likely) {
  sampled <- logical(length(epsilon))
  sampled[releases$node[releases$q < 1]] <- TRUE
  unit <- told <- rep(NA_real_, length(epsilon))
  slow <- rep(TRUE, length(epsilon)) # or it may be that only such prove them
  # printed statements say nothing of the party that released
  together <- if (accountant != "paper") which(is.finite(likely) & likely > 0 & !sampled)
  # the statement of so many searches for the orders of each less, and asks slow accountants less
  crowd <- length(epsilon) > .many_for_slow && accountant != "paper"
  events <- events_of(releases)
  if (length(together)) {
    first <- together[1L]
    # of few parties nobody asks for them
    delayedAssign("of_one", events(likely[first], which(releases$node == first)))
    crosses <- function() may_cross(renyi_kinds(of_one))
    count <- length(together)
    many <- are_many(releases, together) || count > .many_for_slow && takes_long(of_one, delta)
    spent <- spending(releases, events, epsilon, delta, accountant, likely, many)
    steep <- if (count > 1L || many) steepness(releases, length(epsilon))
    if (count > 1L) together <- together[order(epsilon[together], steep[together])]
    found <- if (many) {
      like <- cbind(log(epsilon), log(pmax(steep, min(steep[steep > 0], 1))))
      loss <- if (delta > 0) log(losses_of(releases, length(epsilon)) / likely)[together]
      solve_many(spent, together, crosses(), like[together, , drop = FALSE], loss)
    } else {
      solve_each(spent, together, crosses())
    }
    told[together] <- found$order
    if (crowd) {
      told[together] <- pmin(found$order, tells_of(found$accountant), na.rm = TRUE)
      slow[together] <- !is.finite(told[together]) & found$accountant %in% slow_accountants()
    }
    unit[together] <- likely[together] * exp(found$x)
    # next to no noise is asked for: one by one there is a word for that
    unit[which(unit <= likely * 1e-12)] <- NA
  }
  for (i in which(is.na(unit))) {
    own <- events_of(pick_releases(releases, which(releases$node == i)))
    unit[i] <- calibrate_unit(own, epsilon[i], delta, accountant, likely[i], sampled = sampled[i])
    told[i] <- if (crowd) proving_order(own(unit[i]), delta, accountant) else NA
    slow[i] <- TRUE
  }
  if (crowd && any(slow)) {
    unit <- raise_units(unit, told, which(slow), releases, events, epsilon, delta, accountant)
  }
  list(unit = unit, order = told)
}

#' More noise for whom pure losses prove it, in a crowd: by about as much as their statement may say
#' more at first, see `.alike_width`.
#' @noRd
raise_pure <- function(found, slow, releases, events_of, epsilon, delta, accountant) {
  if (length(slow) == 0L || length(epsilon) <= .many_for_slow) return(found$unit)
  found$unit[slow] <- found$unit[slow] * exp(2 * .alike_width)
  raise_units(found$unit, found$order, slow, releases, events_of(releases), epsilon, delta,
    accountant)
}

#' More noise for whom the statement of all parties says more than was asked for: of so many it asks
#' slow accountants about several at once, see alike_ledgers().
#' @param slow the parties that slow accountants may be needed for.
#' @noRd
raise_units <- function(unit, told, slow, releases, events, epsilon, delta, accountant) {
  step <- .many_excess / 10
  repeat {
    now <- events(unit[releases$node], seq_len(nrow(releases)))
    books <- counted_books(now)
    if (!all(is.na(told))) books$told <- told
    statement <- open_statement(now, delta, books)
    if (all(keeps_as_told(statement, slow, epsilon))) return(unit)
    spent <- spend(statement, accountant, list(upper = TRUE))$epsilon
    above <- which(spent > epsilon)
    if (length(above) == 0L || step > 1) return(unit)
    unit[above] <- unit[above] * exp(step)
    step <- 2 * step
  }
}

#' Whether some ledgers of a statement keep budgets by the accountant alone that is told to prove
#' them. The statement asks it about the same ones together, and so says no more: at the plan's own
#' delta it is not far from the best about any of them, so that none is hopeless, see fold_slow().
#' @noRd
keeps_as_told <- function(statement, some, epsilon) {
  keeps <- logical(length(epsilon))
  for (name in slow_accountants()) {
    k <- which(statement$books$told == tells_of(name)) # none where it tells nothing
    own <- statement
    own$books$ledgers <- statement$books$ledgers[k]
    own$books$told <- NULL
    own$longer <- statement$longer[k]
    if (length(k)) keeps[k] <- spend(own, name, list(upper = TRUE))$epsilon <= epsilon[k]
  }
  keeps[some]
}

#' The Renyi order at which one party's events cost least; `NA` where another accountant says less.
#' @noRd
proving_order <- function(events, delta, accountant) {
  order <- fold_events(events, delta, accountant, upper = TRUE)$order
  if (is.null(order)) NA else order
}

#' What the shape of a party's costs hangs on, besides its budget.
#' @noRd
steepness <- function(releases, nodes) {
  share <- releases$count * releases$curvature / releases$modulus
  share[is.na(share)] <- 0
  group_sums(share, releases$node, nodes)
}

#' About how much each party loses with units of 1, were its losses normal.
#' @noRd
losses_of <- function(releases, nodes) {
  cost <- releases$count * (releases$sensitivity / releases$weight)^2
  cost[is.na(cost)] <- 0
  sqrt(group_sums(cost, releases$node, nodes))
}

#' The distinct parties of a plan: list(like = which of them each party is; their counted
#' `releases`, of the nodes 1, 2, ...; `epsilon` and the `likely` unit, one each).
#' @noRd
unlike_parties <- function(plan) {
  all <- placed_parties(plan)
  epsilon <- all$epsilon
  of <- first_parties(all$releases, epsilon)
  like <- of$like
  # of more parties a statement need not find the best orders
  few <- length(epsilon) <= .many_for_slow
  if (few && plan$budget$delta > 0 && nrow(plan$releases) > .too_many_releases) {
    of <- first_parties(shared_releases(of$releases), epsilon[of$first])
    like <- of$like[like]
  }
  epsilon <- epsilon[match(seq_along(of$first), like)]
  releases <- counted_releases(of$releases)
  # one party's after another's, as their books are
  if (is.unsorted(releases$node)) releases <- pick_releases(releases, order(releases$node))
  list(
    like = like, releases = releases, epsilon = epsilon,
    likely = likely_units(releases, epsilon, plan$budget, plan$problem)
  )
}

#' The first of all parties that have the same releases, in the same order, and the same budget:
#' list(`first` = which parties these are, `like` = which of them each is, and their `releases`, of
#' the nodes 1, 2, ...).
#' @noRd
first_parties <- function(releases, epsilon) {
  like <- row_groups(columns_but(releases, c("node", "iteration")), releases$node, length(epsilon))
  if (any(epsilon != epsilon[1L])) {
    kind <- row_kind(list(epsilon, like))
    like <- match(kind, kind)
  }
  own <- like == seq_along(like)
  place <- cumsum(own)
  if (!all(own)) {
    releases <- pick_releases(releases, which(own[releases$node]))
    releases <- with_nodes(releases, place[releases$node])
  }
  list(first = which(own), like = place[like], releases = releases)
}

#' Releases with the next moduli below and the next sensitivities above over weights: of thousands
#' of iterations those that differ little are counted as one. Noise that keeps a budget with these
#' keeps it with theirs.
#' @noRd
shared_releases <- function(releases) {
  digits <- .shared_digits[["release"]]
  releases$modulus <- to_digits(releases$modulus, digits, floor)
  own <- which(releases$part %in% c("objective", "hidden"))
  loss <- releases$sensitivity[own] / releases$weight[own]
  releases$sensitivity[own] <- to_digits(round_up(loss), digits, ceiling)
  releases$weight[own] <- 1
  releases
}

#' All parties of a plan: list(like = 1, 2, ...; their `releases`, `epsilon`).
#' @noRd
placed_parties <- function(plan) {
  epsilon <- plan$budget$epsilon
  list(like = seq_along(epsilon), releases = placed_releases(plan), epsilon = epsilon)
}

#' Releases about everybody's records as those of one party.
#' @noRd
placed_releases <- function(plan) {
  releases <- plan$releases
  if (anyNA(releases$node)) with_nodes(releases, released_by(releases)) else releases
}

#' The unit at which one party's events just meet its budget.
#' @param events a function of the unit.
#' @param near where the answer is expected; it may be wrong. `NA`: nowhere.
#' @param sampled whether releases read random samples: that only lowers the cost, so the
#'   answer is below `near`, and sampled divergences at very small noise are slow.
#' @noRd
calibrate_unit <- function(events, epsilon, delta, accountant, near, sampled = FALSE) {
  # in units of what is expected: how much noise a budget asks for is not told by its units
  likely <- is.finite(near) && near > 0
  if (!likely) near <- 1
  relative <- function(unit) events(near * unit)
  solve <- function(...) near * calibrate(relative, epsilon, delta, accountant, ...)
  if (sampled && likely) {
    low <- 1
    repeat {
      low <- low / 1.5
      if (fold_events(relative(low), delta, accountant)$epsilon > epsilon) break
    }
    return(solve(interval = c(low, 2)))
  }
  tryCatch(solve(), dpadmm_error_argument = function(e) {
    if (!identical(e$argument, "interval")) stop(e)
    abort("argument", sprintf(
      "`epsilon` = %g asks for next to no noise; for none, use Inf.", epsilon
    ), argument = "epsilon", value = epsilon)
  })
}
