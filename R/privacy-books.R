# What accountants read: releases (events, or the printed table of a run) sorted into kinds
# and, for every node, how often each kind was released.

#' Releases as an accountant takes them.
#' @noRd
check_releases <- function(releases, argument = "events",
                           class = c("dp_events", "dp_printed")) {
  check_class(releases, class, argument, "the dp_event_ constructors")
  if (nrow(releases) == 0L) {
    abort("argument", sprintf("`%s` has no rows: nothing was released.", argument),
      argument = argument
    )
  }
  releases
}

#' The neighbouring relation of releases. Printed theorems are all about replacing a record.
#' @noRd
one_relation <- function(releases) {
  if (inherits(releases, "dp_printed")) return("replace-one")
  relations <- unique(releases$neighbours)
  if (length(relations) > 1L) {
    abort("accountant", sprintf(
      "The events are of unlike neighbouring relations, %s: no one guarantee covers both.",
      paste0('"', relations, '"', collapse = " and ")
    ), argument = "events")
  }
  relations
}

#' Which rows of some columns are identical, as whole numbers from 1.
#' @noRd
row_kind <- function(columns) {
  kind <- rep(1, length(columns[[1L]]))
  for (column in columns) {
    code <- match(column, unique(column))
    kind <- (kind - 1) * max(code) + code
    kind <- match(kind, unique(kind))
  }
  kind
}

#' The accountants' view of releases: `kinds`, the distinct ones; `ledgers`, the distinct
#' combinations of kinds and counts that nodes have; and for every `node` which `ledger` is
#' its own. Hundreds of alike nodes are then accounted once.
#' @noRd
open_books <- function(releases) {
  unread <- c("node", "count", "iteration", "tolerance", "neighbours")
  columns <- unclass(releases)[setdiff(names(releases), unread)]
  columns <- Filter(function(column) !all(is.na(column)), columns)
  kind <- row_kind(columns)
  first <- which(!duplicated(kind))
  node <- sort(unique(releases$node[!is.na(releases$node)]))
  if (length(node) == 0L) node <- NA_integer_
  everybody <- which(is.na(releases$node))
  own <- split(seq_along(kind), factor(releases$node, levels = node))
  if (anyNA(node)) own <- list(integer(0))
  ledgers <- lapply(own, function(rows) {
    rows <- c(everybody, rows)
    kinds <- sort(unique(kind[rows]))
    count <- rowsum(releases$count[rows], factor(kind[rows], levels = kinds), reorder = FALSE)
    list(kind = kinds, count = as.vector(count[match(kinds, rownames(count)), 1L]))
  })
  ledgers <- unname(ledgers)
  distinct <- unique(ledgers)
  list(
    kinds = releases[first, , drop = FALSE], ledgers = distinct, node = node,
    ledger = match(ledgers, distinct)
  )
}

#' @param handled which kinds the accountant can do something with.
#' @noRd
check_handled <- function(kinds, handled, accountant) {
  if (all(handled)) return(invisible())
  missing <- unique(kinds$mechanism[!handled])
  abort("accountant", sprintf(
    'The "%s" accountant cannot handle %s (mechanism "%s").', accountant,
    .mechanisms[[missing[1L]]]$words, missing[1L]
  ), argument = "accountant", value = missing)
}

#' Apply a table of handlers (mechanism -> function of kinds) row by row.
#' @noRd
by_mechanism <- function(kinds, handlers, ...) {
  out <- vector("list", nrow(kinds))
  for (mechanism in unique(kinds$mechanism)) {
    rows <- which(kinds$mechanism == mechanism)
    out[rows] <- handlers[[mechanism]](kinds[rows, , drop = FALSE], ...)
  }
  out
}
