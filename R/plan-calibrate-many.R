# The units of many unlike parties in step: a little above the least.

# Where more than `.many_parties` are unlike, or they have more unlike releases than these, they get
# noise up to `.many_excess` above the least. More than the second are counted as fewer.
.many_releases <- 1500L
.too_many_releases <- 6000L
.many_excess <- 1e-3
# or up to this, where only slow accountants prove it and so hundreds can be asked about as dozens
.shared_excess <- 1e-2
.many_knots <- 24L
.few_knots <- 8L # will do where budgets are alike and these are in all that is asked
# who leaves more of a budget unspent, in logs, is solved alone: tiny ones fall steeply
.unspent <- 0.5
# By how much, in logs, orders on both sides may be apart that tell one in between; where there are
# valleys, if they tell nearly all.
.told_within <- 0.02
.nearly_all <- 0.9
# And that tell about which it is; where there are valleys if they tell most, and by more where
# curvature costs at most this share of a budget.
.about_within <- c(little = 0.25, much = 0.1)
.little_curvature <- 0.01
.most_told <- 0.75

#' Points up to `.many_excess` beyond the roots: some parties, spread over the order of all, are
#' solved. The others start where these tell (see between_some()), and are asked of the accountant
#' that was best on both sides, at the order that is told: any order is valid, and near the best one
#' the epsilon is flat. Where it is not told well, or where hardly all are and bounds cross, so that
#' there are valleys, it is looked for in the next ones or everywhere, see which_told(). That order
#' proves the budget, whatever the statement's search finds. In the end who is far from where he was
#' guessed is looked at as in the statement, and where there are valleys of the others a few, and
#' all where one of these has too much noise.
#' @param i best in an order in which neighbours are alike.
#' @param crosses whether bounds cross.
#' @param like what parties are like, a row each, in the order of `i`.
#' @param loss the logs of how much they lose at their likely units, about; `NULL` for delta = 0.
#' @return list(x = the logs of multiples, order = what proves them, or `NA`, accountant = who says
#'   so).
#' @noRd
solve_many <- function(spent, i, crosses, like, loss) {
  first <- solve_knots(spent, i, crosses, like)
  knots <- first$at
  if (length(knots) == length(i)) return(first[c("x", "order", "accountant")])
  delayedAssign("shape", surface_of(like))
  of_all <- function(y) between_some(y, knots, like, shape)
  guess <- of_all(first$x)$y
  slope <- of_all(first$slope)$y
  orders <- of_all(log(first$order - 1))
  left <- findInterval(seq_along(i), knots, all.inside = TRUE)
  best <- ifelse(first$accountant[left] == first$accountant[left + 1L], first$accountant[left],
    "best")
  told <- which_told(orders$off, like, crosses)
  found <- list(x = guess, order = 1 + exp(orders$y), accountant = best)
  for (k in split(seq_along(i), paste(best, told))) {
    of <- best[k[1L]]
    x <- guess[k]
    now <- if (!is.null(loss) && of %in% slow_accountants() && are_shared(loss[k] - x)) {
      list(x = solve_shared(asked_of(spent, of), i[k], x, slope[k], loss[k]), order = NA,
        accountant = of)
    } else {
      near <- ifelse(told[k] == "not", NA, found$order[k]) # looked for everywhere
      search <- if (told[k[1L]] == "about") .next_orders
      solve_within(around(spent, of, search), i[k], x, slope[k], near, .many_excess)
    }
    for (name in names(found)) found[[name]][k] <- now[[name]]
  }
  x <- found$x
  moved <- abs(x - guess)
  slow <- which(best %in% slow_accountants() & !is.na(x))
  # others, of which there are some, may be better there than a slow one
  better <- if (length(slow) && !is.null(loss)) {
    slow[quick_excess(spent, x[slow], i[slow], like[slow, , drop = FALSE]) < -.shared_excess]
  }
  best[union(slow[which(moved[slow] > 0.03)], better)] <- "best"
  rough <- !((moved <= 0.01) %in% TRUE) # NA: there was no guess, or no point
  rough[better] <- TRUE
  found$order[!is.finite(found$order)] <- NA
  valleys <- crosses && count_unlike(like) > 1L
  gaps <- even_gaps(left, rough, if (valleys) {
    abs(like[, 2L] - stats::approx(knots, like[knots, 2L], seq_along(i), rule = 2)$y)
  })
  if (!crosses) gaps$midst <- gaps$midst[is.na(found$order[gaps$midst])]
  if (valleys) gaps$midst <- c(gaps$midst, corners_of(like))
  settle(spent, i, found, slope, best, gaps)
}

#' Parties spread over the order of all, and those farthest out: fewer where budgets are alike and
#' these tell about the others.
#' @return list(at = which, x, slope, order, accountant).
#' @noRd
solve_knots <- function(spent, i, crosses, like) {
  ends <- c(apply(like, 2L, which.min), apply(like, 2L, which.max))
  knots <- sort(unique(c(spread_over(length(i), .many_knots), ends)))
  each <- length(knots) == length(i)
  solve <- function(k) {
    found <- solve_by_best(spent, i[k], function(f, i, known, slope) {
      found <- solve_within(f, i, known$x, slope, width = .many_excess, known = known)
      # where they are asked again: all as far beyond their roots, so that alike parties stay alike
      if (!each) found$x <- found$x + .many_excess / 2 - found$beyond
      found
    }, .many_excess, if (each) "many" else "knots", crosses)
    c(list(at = k), found)
  }
  if (each || min(like[, 1L]) < max(like[, 1L])) return(solve(knots))
  first <- solve(sort(unique(c(knots[spread_over(length(knots), .few_knots)], ends))))
  rest <- setdiff(knots, first$at)
  if (length(rest) == 0L || is_level(first)) return(first)
  place <- order(c(first$at, rest))
  Map(function(a, b) c(a, b)[place], first, solve(rest))
}

#' Whether parties have about the same order, and are in the midst of those on both sides.
#' @param solved of solve_knots().
#' @noRd
is_level <- function(solved) {
  apart <- max(abs(apart_between(solved$at, solved$x))) / .many_excess
  turned <- max(abs(diff(log(solved$order - 1)))) / .told_within
  length(unique(solved$accountant)) == 1L && isTRUE(max(apart, turned) < 1)
}

#' Which orders are told by those on both sides: "well", "about" or "not".
#' @param off by how much these are apart; `NA`: there is none on one side.
#' @param like of each the logs of its budget and of what curvature costs.
#' @param crosses whether bounds cross: from a few to all it is not far to another valley.
#' @noRd
which_told <- function(off, like, crosses) {
  little <- !crosses | like[, 2L] - like[, 1L] < log(.little_curvature)
  about <- (off < .about_within[ifelse(little, "little", "much")]) %in% TRUE
  told <- ifelse(about & (!crosses | mean(about) > .most_told), "about", "not")
  well <- (off < .told_within) %in% TRUE
  if (!crosses || mean(well) > .nearly_all) told[well] <- "well"
  told
}

#' Whether parties that lose so much, in logs, share accounts where their losses are rounded to
#' `.shared_excess`, and else hardly do.
#' @noRd
are_shared <- function(loss) {
  distinct <- function(width) length(unique(floor(loss / width)))
  distinct(.alike_width) > max(.many_parties, 2L * distinct(.shared_excess))
}

#' Points up to `.shared_excess` beyond the roots where losses are on a grid: parties that are alike
#' but for the size of their losses, and so of their noise, share accounts. `NA` where a few steps
#' do not end there.
#' @noRd
solve_shared <- function(f, i, x, slope, loss) {
  width <- .shared_excess
  x[is.na(x)] <- 0
  slope <- pmax(.steepest, pmin(slope, -0.9))
  slope[is.na(slope)] <- -1
  steps <- floor((loss - x) / width)
  open <- seq_along(i)
  broken <- rep(Inf, length(i)) # the fewest steps known not to keep a budget
  kept <- -broken # and the most that do
  for (pass in 1:16) {
    excess <- f(loss[open] - width * steps[open], i[open])$excess
    keeps <- excess <= 0
    kept[open[keeps]] <- steps[open[keeps]]
    broken[open[!keeps]] <- steps[open[!keeps]]
    off <- floor(excess / slope[open] / width)
    last <- keeps & off == 0 | kept[open] + 1 >= broken[open]
    to <- steps[open] + off
    inside <- to > kept[open] & to < broken[open]
    steps[open] <- ifelse(inside, to, floor((kept[open] + broken[open]) / 2))
    if (length(open <- open[!last]) == 0L) break
  }
  replace(loss - width * kept, open, NA)
}

#' Gaps between solved parties: list(`midst` = the party in the midst of each where orders are even,
#' of many every other one, or of each the one that is farthest `beside` the solved ones, `rough` =
#' the parties where they are not).
#' @param beside how far, of parties that are unlike in two ways, or NULL.
#' @noRd
even_gaps <- function(gap, rough, beside = NULL) {
  members <- split(seq_along(gap), gap)
  even <- !vapply(members, function(k) any(rough[k]), NA) & lengths(members) > 1L
  one <- function(k) k[if (is.null(beside)) 1L + length(k) %/% 2L else which.max(beside[k])]
  midst <- vapply(members[even], one, 0L, USE.NAMES = FALSE)
  if (is.null(beside) && length(midst) > .many_knots / 2) midst <- midst[c(TRUE, FALSE)]
  list(midst = midst, rough = which(rough))
}

#' The parties that are farthest out, each way, of two in which they are unlike.
#' @noRd
corners_of <- function(like) {
  angle <- 2 * pi * seq_len(16L) / 16
  unique(apply(scale(like) %*% rbind(cos(angle), sin(angle)), 2L, which.max))
}

#' The places, of 1, ..., `count`, from the one before each of `off` to the one after it.
#' @param places rising.
#' @noRd
around_some <- function(places, off, count) {
  at <- match(off, places)
  from <- c(1, places)[at]
  to <- c(places, count)[at + 1L]
  unique(unlist(Map(seq.int, from, to)))
}

#' Logs of multiples at which parties keep their budgets by the statement of all together; who is
#' far below is solved again, too. One search for orders may find a valley that another misses, so
#' that from the third look on more noise is added to who is above.
#' @param found list(x, and of each `order` = what proves its budget, or `NA`, `accountant` = who
#'   says so).
#' @param best who was asked: slow accountants, which search for nothing, are not asked again.
#'   "best": they may be better than others, or not.
#' @param gaps of even_gaps(): where none in their midst is far below others there are not looked
#'   at.
#' @return `found` as it is then; `NA` for whom no noise is found, or one that spends too little.
#' @noRd
settle <- function(spent, i, found, slope, best, gaps) {
  done <- best %in% slow_accountants() & !is.na(found$x)
  slope <- pmax(.steepest, pmin(slope, -0.1))
  slope[is.na(slope)] <- -1
  of_all <- i[best == "best"]
  said <- function(x, i, ...) said_of_all(spent, x, i, which(i %in% of_all))
  look_at <- function(at) c(list(at = at, x = found$x[at]), said(found$x[at], i[at]))
  far_below <- function(seen, by = .many_excess) seen$excess / slope[seen$at] > by
  found$x[is.na(found$x)] <- 0
  midst <- sort(setdiff(gaps$midst, which(done)))
  off <- NULL
  if (length(midst)) {
    seen <- look_at(midst)
    off <- midst[far_below(seen) | seen$excess > 0 & is.na(found$order[midst])]
    if (any(far_below(seen, .shared_excess))) off <- midst # so may be others anywhere
  }
  at <- setdiff(c(gaps$rough, around_some(midst, off, length(i))), which(done))
  excess <- numeric(length(i))
  for (look in 1:8) {
    if (length(at) == 0L) break
    seen <- look_at(at)
    excess[at] <- seen$excess
    for (name in c("order", "accountant")) found[[name]][at] <- seen[[name]]
    off <- lapply(seen, `[`, seen$excess > 0 | look <= 2L & far_below(seen))
    at <- off$at
    if (length(at) == 0L) break
    more <- off$x - pmax(-1, pmin(off$excess / slope[at], 1)) + .many_excess / 2
    solved <- logical(length(more))
    if (look <= 2L) {
      # a valley may be too narrow to stay in
      there <- solve_within(said, i[at], off$x, slope[at], width = .many_excess, known = off)
      solved <- !is.na(there$x)
      more[solved] <- there$x[solved]
      for (name in c("order", "accountant")) found[[name]][at[solved]] <- there[[name]][solved]
      excess[at[solved]] <- 0
    }
    found$x[at] <- more
    at <- at[!solved]
  }
  found$x[c(at, which(excess < -.unspent))] <- NA
  found
}
