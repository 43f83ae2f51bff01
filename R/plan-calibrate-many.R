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
#'   Its argument `near` says where the orders are expected, and `of` which accountant is asked.
#' @noRd
spending <- function(releases, events, epsilon, delta, accountant, likely) {
  function(x, i, near = NULL, of = accountant) {
    own <- pick_releases(releases, which(releases$node %in% i))
    unit <- (likely[i] * exp(x))[match(own$node, i)]
    near <- if (!is.null(near)) near[order(i)]
    spent <- spend_events(check_releases(events(own, unit)), delta, of, near)
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
#' the others start in between, and are asked of the accountant that was best on both sides.
#' @param i best in an order in which neighbours are alike.
#' @noRd
solve_many <- function(spent, i) {
  knots <- unique(round(seq(1, length(i), length.out = .many_knots)))
  first <- solve_within(spent, i[knots], numeric(length(knots)),
    width = .many_excess)
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
  for (of in unique(best)) {
    k <- which(best == of)
    x[k] <- solve_within(function(...) spent(..., of = of), i[k], x[k], slope[k], order[k],
      .many_excess)$x
  }
  x
}
