# Whose records events are about, when tables of several fits come together.
#
# A record sits at one party of every division of the records: those of fits whose parties, by
# names and numbers of records, are among another's are one with that, a split at random is one
# of its own, and `division` 0 is that of tables made by hand. Over the parties of a division a
# loss is the largest; over divisions losses add up.

#' @export
c.dp_events <- function(...) {
  tables <- lapply(list(...), with_event_columns)
  top <- 0L
  for (i in seq_along(tables)) {
    division <- tables[[i]]$division
    own <- division > 0L
    tables[[i]]$division[own] <- division[own] + top
    top <- max(top, tables[[i]]$division)
  }
  join_divisions(do.call(bind_releases, c(list("dp_events", "events"), tables)))
}

#' @export
rbind.dp_events <- function(..., deparse.level = 1) c.dp_events(...)

#' Divisions are one where the parties of one of them, by names and numbers of records, are among
#' those of the other.
#' @noRd
join_divisions <- function(events) {
  if (all(is.na(events$party))) return(events)
  named <- which(!is.na(events$party) & !duplicated(events[c("party", "records", "division")]))
  parties <- split(named, events$division[named])
  parties <- parties[order(-lengths(parties))]
  among <- function(small, large) {
    at <- match(events$party[small], events$party[large])
    # of tables made by hand the numbers are not known
    same <- events$records[small] == events$records[large][at]
    !anyNA(at) && all(is.na(same) | same)
  }
  into <- stats::setNames(names(parties), names(parties))
  for (small in names(parties)) {
    larger <- Filter(function(large) among(parties[[small]], parties[[large]]), names(parties))
    into[[small]] <- into[[larger[1L]]]
  }
  at <- match(events$division, names(into))
  events$division[!is.na(at)] <- as.integer(into[at[!is.na(at)]])
  events
}

#' @export
rep.dp_events <- function(x, times = 1, ...) {
  check_no_dots(...)
  # every run splits its records anew
  split <- any(x$division > 0L & is.na(x$party) & !is.na(x$node))
  if (!split) return(repeated(x, times))
  check_number(times, "times", lower = 1, whole = TRUE)
  do.call(c, rep(list(x), times))
}

#' @noRd
repeated <- function(x, times) {
  check_number(times, "times", lower = 1, whole = TRUE)
  x$count <- x$count * times
  x
}

#' What a party is known by within its division.
#' @noRd
party_labels <- function(releases) {
  label <- as.character(releases$node)
  named <- !is.na(releases$party)
  label[named] <- releases$party[named]
  label
}

#' The rows of every party, a list a division: parties with names in the order in which they come,
#' others by their numbers.
#' @noRd
party_rows <- function(releases) {
  own <- which(!is.na(releases$node))
  division <- if (is.null(releases$division)) integer(nrow(releases)) else releases$division
  label <- party_labels(releases)
  lapply(unname(split(own, division[own])), function(rows) {
    order <- if (all(is.na(releases$party[rows]))) order(releases$node[rows]) else seq_along(rows)
    split(rows, factor(label[rows], unique(label[rows][order])))
  })
}

#' The sum of two ledgers, and a ledger that costs at least as much as each of several.
#' @noRd
add_ledgers <- function(a, b) pool_ledgers(list(a, b), sum)

pool_ledgers <- function(ledgers, f) {
  kind <- unlist(lapply(ledgers, `[[`, "kind"))
  count <- unlist(lapply(ledgers, `[[`, "count"))
  kinds <- sort(unique(kind))
  list(kind = kinds, count = as.vector(tapply(count, factor(kind, kinds), f)))
}

# more than these are replaced by one that is at least as dear
.most_ledgers <- 1000L

#' What a record may lose over several divisions: the sums of one ledger of each.
#' @param divisions a list of lists of ledgers.
#' @noRd
cross_ledgers <- function(divisions) {
  Reduce(function(sums, ledgers) {
    ledgers <- unique(unname(ledgers))
    if (length(sums) * length(ledgers) > .most_ledgers) {
      return(list(add_ledgers(pool_ledgers(sums, max), pool_ledgers(ledgers, max))))
    }
    unique(unlist(lapply(sums, function(a) lapply(ledgers, add_ledgers, a)), recursive = FALSE))
  }, divisions, list(list(kind = integer(), count = numeric())))
}
