# "best": the smallest of what several accountants can prove.

# the same without those that are slow: for whoever knows that they are not the best
.best_but_slow <- "best but slow"

# who says so much more than the best is not asked everywhere
.far_from_best <- 1.1

# Of more unlike parties than these some are looked at first; where only slow accountants take
# long, of more than the second, whose best orders are walked to.
.many_parties <- 128L
.many_for_slow <- 32L
.looked_parties <- 8L

#' Some of so many places, from the first to the last.
#' @noRd
spread_over <- function(count, most) {
  if (count <= most) seq_len(count) else unique(round(seq(1, count, length.out = most)))
}

fold_best <- function(books, delta, slow, how) {
  able <- able_accountants(each_kind(books$kinds), delta, slow)
  is_slow <- vapply(able, function(a) a$speed == "slow", NA)
  asked <- names(able)[order(is_slow)]
  count <- length(books$ledgers)
  least_slow <- rep(Inf, count)
  unknown <- rep(NA_real_, count)
  best <- list(epsilon = rep(Inf, count), order = unknown, lower = unknown,
    accountant = rep(asked[1L], count))
  for (name in asked) {
    said <- if (is_slow[[name]]) {
      fold_slow(able[[name]], books, delta, best$epsilon, how)
    } else {
      able[[name]]$fold(books$kinds, books$ledgers, delta, how)
    }
    said$epsilon <- unname(said$epsilon)
    if (is_slow[[name]]) least_slow <- pmin(least_slow, said$epsilon)
    less <- which(said$epsilon < best$epsilon)
    best$accountant[less] <- name
    for (field in c("epsilon", "order", "lower")) {
      best[[field]][less] <- if (is.null(said[[field]])) NA else said[[field]][less]
    }
  }
  c(best, list(slow = least_slow / best$epsilon, asked = length(asked)))
}

#' Who is asked about these kinds, by name: an exact one alone.
#' @noRd
able_accountants <- function(kinds, delta, slow) {
  # where there is a kind that only one can do something with nobody else can do all
  only <- .only_by[kinds$mechanism]
  only <- only[!is.na(only)]
  able <- able_of(if (length(only)) only[[1L]] else names(.accountants), kinds, delta, slow)
  if (length(able)) able else refuse_unable(kinds, delta, slow)
}

#' The same of some accountants.
#' @noRd
able_of <- function(names, kinds, delta, slow) {
  able <- list()
  for (name in names) {
    a <- .accountants[[name]]
    if (speaks(a, delta, slow) && all(a$handles(kinds)) && a$serves_best(kinds)) {
      if (a$exact) return(.accountants[name])
      able[[name]] <- a
    }
  }
  able
}

#' Whether "best" may ask an accountant.
#' @noRd
speaks <- function(a, delta, slow) !(delta == 0 && a$needs_delta || !slow && a$speed == "slow")

#' What the broadest of them cannot do is what is in the way.
#' @noRd
refuse_unable <- function(kinds, delta, slow) {
  handled <- FALSE
  for (a in .accountants) {
    handles <- speaks(a, delta, slow) & a$handles(kinds)
    if (!all(handles) && sum(handles) > sum(handled)) handled <- handles
  }
  check_handled(kinds, rep_len(handled, length(kinds$mechanism)), "best")
}

slow_accountants <- function() {
  names(.accountants)[vapply(.accountants, function(a) a$speed == "slow", NA)]
}

#' What events tell of budgets that these accountants proved, other than orders, or `NA`.
#' @noRd
tells_of <- function(names) {
  tells <- function(a) if (is.null(a$tells)) NA_real_ else a$tells
  vapply(.accountants[names], tells, 0, USE.NAMES = FALSE)
}

#' Whether "best" asks a slow one about these events.
#' @noRd
takes_long <- function(events, delta) {
  able <- able_accountants(events, delta, slow = TRUE)
  any(vapply(able, function(a) a$speed == "slow", NA))
}

#' What a slow accountant says. It is asked about ledgers of which events tell that it proved their
#' budgets, all at once. Of the others it is not asked about those of which it cannot say less than
#' others, who stand with the least it may say, nor about those that `how` calls quick, which are
#' Inf. Of very many it is asked about a few, those that cost most and least, those of whom it might
#' say the smallest share, and those of which events tell no order among them: an order tells that
#' another proved their budgets. About the others, which else are Inf, it is asked where it is near
#' the best of those few.
#' @param accountant of .accountants, which can do something with all kinds.
#' @param least what others say of each ledger.
#' @noRd
fold_slow <- function(accountant, books, delta, least, how) {
  count <- length(books$ledgers)
  out <- list(epsilon = rep(Inf, count), lower = rep(NA_real_, count))
  ask <- function(k) {
    said <- accountant$fold(books$kinds, books$ledgers[k], delta, how_of(how, k))
    for (name in intersect(names(out), names(said))) out[[name]][k] <<- said[[name]]
  }
  asked <- if (is.null(how$quick)) seq_len(count) else which(!how$quick)
  floor <- accountant$least(books$kinds, books$ledgers[asked], delta)
  # at another delta than their plan's it may be far from the best
  hopeless <- which(floor > .far_from_best * least[asked])
  told <- setdiff(which(how$told[asked] %in% accountant$tells), hopeless)
  if (length(told)) {
    ask(asked[told])
    floor <- floor[-told]
    asked <- asked[-told]
  }
  above <- floor > least[asked] * (1 + 1e-9)
  out$epsilon[asked[above]] <- floor[above]
  hope <- (floor / least[asked])[!above] # the smaller, the more it may be worth to ask
  asked <- asked[!above]
  if (length(asked) == 0L) return(out)
  if (length(asked) <= .many_for_slow || any(is.infinite(least[asked]))) {
    ask(asked)
    return(out)
  }
  spread <- spread_over(length(asked), .looked_parties)
  some <- asked[unique(c(order(hope)[1:2], order(least[asked])[spread]))] # whatever their numbers
  untold <- asked[is.na(how$told[asked])] # nobody, where of nobody one is told
  for (k in list(untold, setdiff(some, untold))) if (length(k)) ask(k)
  if (any(out$epsilon[some] < .far_from_best * least[some])) ask(setdiff(asked, c(some, untold)))
  out
}
