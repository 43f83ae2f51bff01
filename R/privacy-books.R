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
    # without noise there is no guarantee for either
    noisy <- unique(releases$neighbours[releases$mechanism != "exact"])
    relations <- if (length(noisy)) noisy else relations[1L]
  }
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
row_kind <- function(columns) core_call(.Call(ffi_row_kind, columns))

#' For each of groups 1, ..., `count` of rows, the first that has the same ones in the same order.
#' @param group of each row.
#' @noRd
row_groups <- function(columns, group, count) {
  core_call(.Call(ffi_row_groups, columns, as.integer(group), as.integer(count)))
}

#' The sums of groups 1, ..., `count` of numbers.
#' @param group of each.
#' @noRd
group_sums <- function(x, group, count) {
  core_call(.Call(ffi_group_sums, x, group, as.integer(count)))
}

#' The accountants' view of releases: `kinds`, the distinct ones; `ledgers`, the distinct
#' combinations of kinds and counts that a record may lose; for every `node` (its name; its
#' number where it has none; `NA` where nobody is told apart) which of the ledgers, `ledger`, its
#' records may lose. Hundreds of alike nodes are then accounted once. `told`: the order that events
#' tell of each ledger, `NULL` where they tell none.
#' @noRd
open_books <- function(releases) {
  columns <- read_columns(releases)
  kind <- row_kind(columns[names(columns) != "neighbours"])
  first <- which(!duplicated(kind))
  ledger_of <- function(rows) {
    own <- kind[rows]
    count <- as.double(releases$count[rows])
    kinds <- sort.int(unique(own), method = "radix")
    if (length(kinds) == length(own)) return(list(kind = kinds, count = count[match(kinds, own)]))
    list(kind = kinds, count = group_sums(count, match(own, kinds), length(kinds)))
  }
  everybody <- which(is.na(releases$node))
  rows <- party_rows(releases)
  books <- list(kinds = pick_releases(releases, first))
  if (length(rows) > 1L) return(c(books, joint_ledgers(releases, rows, everybody, ledger_of)))
  node <- NA_integer_
  own <- list(integer(0))
  if (length(rows) == 1L) {
    own <- unname(rows[[1L]])
    node <- names(rows[[1L]])
    if (all(is.na(releases$party))) node <- as.integer(node)
  }
  ledgers <- lapply(own, function(rows) ledger_of(c(everybody, rows)))
  kinds <- lapply(ledgers, `[[`, "kind")
  columns <- list(unlist(kinds), unlist(lapply(ledgers, `[[`, "count")))
  like <- row_groups(columns, rep(seq_along(ledgers), lengths(kinds)), length(ledgers))
  distinct <- unique(like)
  told <- told_orders(releases, own)[distinct]
  at <- as.list(match(like, distinct))
  c(books, list(ledgers = ledgers[distinct], node = node, ledger = at, told = told))
}

#' The columns of releases that tell accountants one kind from another, without what is unknown of
#' all.
#' @noRd
read_columns <- function(releases) {
  columns <- columns_but(releases, .unread)
  columns[!vapply(columns, function(column) is.na(column[1L]) && all(is.na(column)), NA)]
}

#' The order that the events of each party tell, or `NULL`.
#' @param rows a list of the parties' rows.
#' @noRd
told_orders <- function(releases, rows) {
  order <- releases$order
  if (all(is.na(order))) return(NULL)
  told <- vapply(rows, function(own) order[own[1L]], 0)
  replace(told, which(told <= 1), NA)
}

#' The same of unlike parties 1, 2, ... whose alike releases are counted: each row is a kind.
#' @noRd
counted_books <- function(releases) {
  node <- unique(releases$node)
  if (is.unsorted(node)) node <- sort.int(node, method = "radix")
  ledgers <- core_call(.Call(
    ffi_row_ledgers, match(releases$node, node), as.double(releases$count), length(node)
  ))
  list(kinds = releases, node = node, ledger = as.list(seq_along(node)), ledgers = ledgers)
}

#' The ledgers of a record that sits somewhere in each of several divisions: by named party, or
#' for all where none has a name.
#' @param rows a list of the parties' rows for each division.
#' @noRd
joint_ledgers <- function(releases, rows, everybody, ledger_of) {
  divisions <- lapply(rows, lapply, ledger_of)
  shared <- list(list(ledger_of(everybody)))
  named <- vapply(rows, function(own) any(!is.na(releases$party[unlist(own)])), NA)
  node <- NA_integer_
  sets <- if (any(named)) {
    label <- unlist(lapply(rows[named], names))
    node <- unique(label)
    of_party <- unlist(lapply(which(named), function(i) {
      others <- cross_ledgers(c(shared, divisions[-i]))
      lapply(unname(divisions[[i]]), function(own) lapply(others, add_ledgers, own))
    }), recursive = FALSE)
    lapply(unname(split(of_party, factor(label, node))), unlist, recursive = FALSE)
  } else {
    list(cross_ledgers(c(shared, divisions)))
  }
  distinct <- unique(unlist(sets, recursive = FALSE))
  list(ledgers = distinct, node = node, ledger = lapply(sets, match, distinct))
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

#' A kind of each mechanism, by which accountants are chosen, and all choices of trials, which hang
#' on their candidates.
#' @noRd
each_kind <- function(kinds) {
  mechanism <- kinds$mechanism
  # printed, or so few that picking takes longer
  if (is.null(mechanism) || length(mechanism) < 64L) return(kinds)
  pick_releases(kinds, which(!duplicated(mechanism) | mechanism == "best_of"))
}

#' A number of each kind, by a table of handlers: mechanism -> function of its kinds' columns.
#' @noRd
by_mechanism <- function(kinds, handlers) {
  out <- numeric(length(kinds$mechanism))
  for (own in each_mechanism(kinds)) out[own$rows] <- handlers[[own$name]](own$columns)
  out
}

#' The kinds of each mechanism: list(name, `rows`, and the `columns` that tell them apart).
#' @noRd
each_mechanism <- function(kinds) {
  columns <- columns_but(kinds, c("mechanism", .unread))
  mechanism <- kinds$mechanism
  out <- list()
  for (name in unique(mechanism)) {
    rows <- which(mechanism == name)
    own <- if (length(rows) == length(mechanism)) columns else lapply(columns, `[`, rows)
    out[[name]] <- list(name = name, rows = rows, columns = own)
  }
  out
}
