# What parties spend with multiples of their likely units, and how they are asked together.

#' What parties spend with a multiple of their likely units.
#' @param events of the releases, see events_of_unit().
#' @param many whether a little more than is needed will do.
#' @return A function of the multiple's log and of which parties: list(excess = as log_excess(),
#'   order = the best orders where there are any, accountant = who says so, asked = of how many,
#'   slow = how much more the slow ones said).
#'   Its arguments `near` and `search` say where the best orders are and are looked for, as those of
#'   spend() do, `of` which accountant is asked, and `quick` of whom no slow one is.
#' @noRd
spending <- function(releases, events, epsilon, delta, accountant, likely, many) {
  own <- NULL
  rows_of <- function(i) {
    place <- match(releases$node, i)
    row <- which(!is.na(place))
    list(i = i, row = row, place = place[row], in_order = order(i))
  }
  open <- function(events, i) {
    books <- counted_books(events)
    list(statement = open_statement(events, delta, books), ledger = match(i, books$node))
  }
  function(x, i, near = NULL, of = accountant, search = NULL, quick = NULL) {
    # between questions about the same parties only the noise changes
    known <- identical(i, own$i)
    rows <- if (known) own else rows_of(i)
    now <- events((likely[i] * exp(x))[rows$place], rows$row)
    if (!known) own <<- c(rows, open(now, i))
    statement <- own$statement
    statement$books$kinds <- now
    how <- list(
      near = near[own$in_order], search = search, upper = TRUE, alike = many,
      walks = !isFALSE(search$walks), together = many && !is.null(near) && is.null(search)
    )
    if (any(quick)) how$quick <- statement$books$node %in% i[quick]
    spent <- spend(statement, of, how)
    ledger <- own$ledger
    list(
      excess = log_excess(spent$epsilon[ledger], epsilon[i]), asked = spent$asked,
      order = if (is.null(spent$order)) NA_real_ else spent$order[ledger],
      slow = if (is.null(spent$slow)) 1 else spent$slow[ledger],
      accountant = spent$accountant[ledger]
    )
  }
}

#' What is spent, as an accountant says, where no other is asked for.
#' @noRd
asked_of <- function(spent, accountant) {
  function(x, i, near = NULL, of = accountant, search = NULL) spent(x, i, near, of, search)
}

#' What is spent, as an accountant says around the orders so far, or at these.
#' @param still whether points are near the last ones.
#' @noRd
around <- function(spent, accountant, search = NULL) {
  function(x, i, near, still) spent(x, i, near, accountant, if (!still) search)
}

#' What is spent, wherever orders are expected.
#' @noRd
everywhere <- function(spent) function(x, i, near, still) spent(x, i)

#' About what parties spend: a few are asked of all accountants, or a few more. Where one is best
#' there, and orders are about the same, the others are taken to be in between.
#' @param way of `.ways`.
#' @param outermost whether slow accountants are asked about the outermost first.
#' @noRd
spent_alike <- function(spent, x, i, way, outermost) {
  for (most in way$asked) {
    some <- spread_over(length(i), most)
    out <- spent_by_some(spent, x[some], i[some], way$first, outermost)
    if (length(some) == length(i)) return(out)
    if (length(unique(out$accountant)) > 1L) break
    y <- log(out$order - 1)
    if (!isTRUE(max(abs(diff(y))) < 1)) next
    between <- function(y) stats::approx(some, y, seq_along(i))$y
    out$excess <- between(out$excess)
    out$order <- 1 + exp(between(y))
    out$accountant <- rep(out$accountant[1L], length(i))
    return(out)
  }
  spent(x, i, search = way$first)
}

#' What some spend. Slow accountants are asked about those in the midst where they are not far from
#' the best of the outermost.
#' @noRd
spent_by_some <- function(spent, x, i, first, outermost) {
  midst <- outermost & !seq_along(i) %in% c(1L, length(i))
  out <- spent(x, i, search = first, quick = midst)
  if (any(midst) && out$asked > 1L && !isTRUE(all(out$slow > .far_from_best))) {
    more <- spent(x[midst], i[midst], search = first)
    for (name in c("excess", "order", "accountant", "slow")) out[[name]][midst] <- more[[name]]
  }
  out
}

#' What quick accountants say of each: at the orders that some tell, where these are about the same
#' and parties are in one row. Beside each other there may be unlike valleys.
#' @param like what parties are like, a row each.
#' @noRd
quick_excess <- function(spent, x, i, like) {
  if (count_unlike(like) > 1L) return(spent(x, i, of = .best_but_slow)$excess)
  some <- spread_over(length(i), .looked_parties)
  first <- spent(x[some], i[some], of = .best_but_slow)
  if (length(some) == length(i)) return(first$excess)
  near <- if (are_even(first)) {
    1 + exp(stats::approx(some, log(first$order - 1), seq_along(i))$y)
  }
  spent(x, i, near, of = .best_but_slow)$excess
}

#' What quick accountants say, as in the statement of all parties, and of some all.
#' @noRd
said_of_all <- function(spent, x, i, some) {
  out <- list(excess = x, order = x, accountant = character(length(x)))
  put <- function(k, said) for (name in names(out)) out[[name]][k] <<- said[[name]]
  others <- setdiff(seq_along(i), some)
  if (length(others)) put(others, spent(x[others], i[others], of = .best_but_slow))
  if (length(some)) put(some, spent(x[some], i[some]))
  out
}
