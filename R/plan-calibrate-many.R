# The units of unlike parties in step: exactly, or where they are many, a little above.

# Where more parties than these are unlike, or they have more unlike releases than these, they get
# noise up to `.many_excess` above the least.
.many_parties <- 128L
.many_releases <- 1500L
.many_excess <- 1e-3
.many_knots <- 24L

#' What parties spend with a multiple of their likely units.
#' @return A function of the multiple's log and of which parties: list(excess = as log_excess(),
#'   order = the best orders where there are any, accountant = who says so, asked = of how many).
#'   Its argument `near` says where the orders are expected, `search` whether they are looked for
#'   around there, and `of` which accountant is asked.
#' @noRd
spending <- function(releases, events, epsilon, delta, accountant, likely) {
  function(x, i, near = NULL, of = accountant, search = TRUE) {
    own <- pick_releases(releases, which(releases$node %in% i))
    unit <- (likely[i] * exp(x))[match(own$node, i)]
    near <- if (!is.null(near)) near[order(i)]
    spent <- spend_events(check_releases(events(own, unit)), delta, of, near, search)
    ledger <- unlist(spent$books$ledger)[match(i, spent$books$node)]
    list(
      excess = log_excess(spent$epsilon[ledger], epsilon[i]), asked = spent$asked,
      order = if (is.null(spent$order)) NA_real_ else spent$order[ledger],
      accountant = spent$accountant[ledger]
    )
  }
}

#' The logs of the least multiples. Of several accountants the one that is best at first is asked
#' alone, and in the end all of them again.
#' @noRd
solve_exactly <- function(spent, i) {
  first <- spent(numeric(length(i)), i)
  solve <- function(k, of) {
    solve_together(function(x, open) {
      if (all(x == 0)) return(first$excess[k[open]])
      spent(x, i[k[open]], of = of)$excess
    }, length(k))
  }
  x <- rep(NA_real_, length(i))
  for (of in unique(first$accountant)) {
    k <- which(first$accountant == of)
    x[k] <- solve(k, of)
  }
  if (first$asked == 1L) return(x)
  k <- which(!is.na(x))
  # where the others have the better word now, a smaller multiple will do
  left <- if (length(k)) spent(x[k], i[k])$excess
  again <- c(which(is.na(x)), k[!(left <= 0 & left >= -10 * .root_width)])
  x[again] <- solve(again, "best")
  x
}

#' The same, and up to `.many_excess` more: some parties, spread over the order of all, are solved;
#' the others start in between, and are asked of the accountant that was best on both sides, at the
#' order in between: any order is valid, and near the best one the epsilon is flat.
#' @param i best in an order in which neighbours are alike.
#' @noRd
solve_many <- function(spent, i) {
  knots <- unique(round(seq(1, length(i), length.out = .many_knots)))
  first <- solve_knots(spent, i[knots])
  if (length(knots) == length(i)) return(first$x)
  between <- function(y) {
    known <- is.finite(y)
    if (sum(known) < 2L) return(rep(NA_real_, length(i)))
    stats::approx(knots[known], y[known], seq_along(i), rule = 2)$y
  }
  x <- between(first$x)
  slope <- between(first$slope)
  order <- 1 + exp(between(log(first$order - 1)))
  left <- findInterval(seq_along(i), knots, all.inside = TRUE)
  best <- ifelse(first$accountant[left] == first$accountant[left + 1L], first$accountant[left],
    "best")
  # where the order jumps it is looked for
  jump <- abs(diff(log(first$order - 1)))[left]
  search <- is.na(jump) | jump > 0.05
  for (k in split(seq_along(i), list(best, search), drop = TRUE)) {
    x[k] <- solve_within(function(...) spent(..., of = best[k[1L]], search = search[k[1L]]),
      i[k], x[k], slope[k], order[k], .many_excess)$x
  }
  x
}

#' Points at most `.many_excess` beyond the roots, as solve_within(). Of several accountants the one
#' that is best at first is asked alone, and in the end all of them again.
#' @noRd
solve_knots <- function(spent, i) {
  none <- numeric(length(i))
  first <- spent(none, i)
  out <- list(x = none, slope = none - 1, order = first$order, accountant = first$accountant)
  solve <- function(k, of, known) {
    known <- lapply(known[c("excess", "order", "accountant")], `[`, k)
    found <- solve_within(function(...) spent(..., of = of), i[k], out$x[k], out$slope[k],
      width = .many_excess, known = known)
    for (name in names(out)) out[[name]][k] <<- found[[name]]
  }
  for (of in unique(first$accountant)) solve(which(first$accountant == of), of, first)
  if (first$asked == 1L) return(out)
  lost <- is.na(out$x)
  out$x[lost] <- 0
  last <- spent(out$x, i)
  other <- which(lost | last$accountant != out$accountant)
  if (length(other)) solve(other, "best", last)
  out
}
