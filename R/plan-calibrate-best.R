# The units of unlike parties in step by the best accountant: of few parties hardly above the least.

.close_excess <- 1e-9
# in logs; steeper is only the way into a valley
.steepest <- -2
# by how much a search that finds less is worth it for all
.missed_excess <- 1e-5

#' Points up to `.close_excess` beyond the roots: list(x = the logs of multiples, order = what
#' proves them, or `NA`, accountant).
#' @noRd
solve_each <- function(spent, i, crosses) {
  solve_by_best(spent, i, solve_closely, .close_excess, "some", crosses)
}

#' Points beyond the roots. Of several accountants the one that is best at first is asked alone,
#' around the best order so far; in the end all of them again, everywhere, but for slow ones that
#' were far from the best: where that finds too little noise, or more than `excess` too much, who is
#' best there goes on from there, or where that is far off all of them, all the way. Where all are
#' alike some are asked in the end, at the orders found and in other valleys, and all where one of
#' them is not well.
#' @param solver a function of what is spent, of which parties, and list(x, and what is spent
#'   there): list(x, slope, order, accountant).
#' @param way one of `.ways`; neighbours may be alike but of "some". After "knots" whoever asked
#'   looks at those in between, and so at valleys, in the end.
#' @param crosses whether bounds cross, so that there may be better orders elsewhere.
#' @noRd
solve_by_best <- function(spent, i, solver, excess, way, crosses) {
  alike <- way != "some"
  settled <- way == "knots"
  way <- .ways[[way]]
  none <- numeric(length(i))
  first <- spent_alike(spent, none, i, way, outermost = alike)
  first$x <- none
  out <- list(x = none, slope = none - 1, order = first$order, accountant = first$accountant)
  solve <- function(k, f, known) {
    if (length(k) == 0L) return()
    known <- lapply(known[c("x", "excess", "order", "accountant")], `[`, k)
    found <- solver(f, i[k], known, out$slope[k])
    for (name in names(out)) out[[name]][k] <<- found[[name]]
  }
  alone <- first$asked == 1L
  # it searches for nothing, so that the roots themselves take little
  exact <- alone && .accountants[[first$accountant[1L]]]$exact
  if (exact) solver <- solve_roots
  solve_around <- function(k, known, search = NULL) {
    for (k in split(k, known$accountant[k])) {
      solve(k, around(spent, known$accountant[k[1L]], search), known)
    }
  }
  solve_around(seq_along(i), first, way$search)
  lost <- is.na(out$x)
  # no bounds cross
  if (exact || alone && alike && !any(lost)) return(out)
  out$x[lost] <- 0
  # its epsilon changes about as theirs does
  far <- isTRUE(all(first$slow > .far_from_best + 2 * max(abs(out$x))))
  quick <- if (far) asked_of(spent, .best_but_slow) else spent
  even <- alike && !any(lost) && are_even(out)
  if (even && far && settled) return(out)
  look <- function(k, search = .other_orders, near = NULL) {
    last <- c(list(x = out$x[k]), quick(out$x[k], i[k], near, search = search))
    last$other <- lost[k] | last$accountant != out$accountant[k] | last$excess > 0 |
      last$excess / pmax(.steepest, out$slope[k]) > excess
    last
  }
  last <- if (even) {
    some <- spread_over(length(i), .looked_parties)
    look(some, near = out$order[some])
  } else {
    look_twice(look, length(i), if (length(i) > 2L && !any(lost) && !crosses) out$order)
  }
  if (length(last$x) < length(i) && any(last$other)) last <- look(seq_along(i))
  if (any(last$other)) {
    # who hardly moves any more stays with whoever is best there, in that valley
    stays <- !lost & abs(last$excess) < .many_excess
    solve_around(which(last$other & stays), last)
    solve(which(last$other & !stays), everywhere(spent), last)
  }
  out
}

#' A look at all, and at two at every order: at all, where that finds less.
#' @param near the orders to look at all at; `NULL`: they are looked for.
#' @noRd
look_twice <- function(look, count, near) {
  two <- spread_over(count, 2L)
  seen <- look(two, .every_order)
  if (count <= 2L) return(seen)
  last <- look(seq_len(count), near = near)
  missed <- last$excess[two] - seen$excess > .missed_excess
  if (any(missed)) look(seq_len(count), .every_order) else last
}

#' Whether one accountant is best for all, at orders that are about those of their neighbours.
#' @noRd
are_even <- function(solved) {
  length(unique(solved$accountant)) == 1L &&
    isTRUE(max(0, abs(diff(log(solved$order - 1)))) < 0.3)
}

#' A solver: the roots themselves.
#' @noRd
solve_roots <- function(f, i, known, slope) {
  from <- known$x
  order <- known$order # at the last points that keep budgets, which the roots will be
  last <- numeric(length(i))
  x <- from + solve_together(function(x, open) {
    if (all(x == 0)) return(known$excess[open])
    still <- all(abs(x - last[open]) < 1e-4)
    last[open] <<- x
    now <- f(from[open] + x, i[open], known$order[open], still)
    known$order[open] <<- now$order
    enough <- now$excess <= 0
    order[open[enough]] <<- now$order[enough]
    now$excess
  }, length(i))
  list(x = x, slope = slope, order = order, accountant = known$accountant)
}

#' A solver: points beyond the roots by hardly anything, or the roots where steps do not lead there.
#' @noRd
solve_closely <- function(f, i, known, slope) {
  out <- solve_within(f, i, known$x, slope, known$order, .close_excess, known, halves = FALSE)
  k <- which(is.na(out$x))
  if (length(k)) {
    known <- lapply(known, `[`, k)
    exact <- c("excess", "order") # it was about that
    known[exact] <- f(known$x, i[k], known$order, FALSE)[exact]
    roots <- solve_roots(f, i[k], known, slope[k])
    for (name in names(roots)) out[[name]][k] <- roots[[name]]
  }
  out
}
