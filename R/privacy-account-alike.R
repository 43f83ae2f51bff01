# Many ledgers that are nearly alike, for accountants that are slow: one that costs no less than any
# of several is asked about for all of them.
#
# Where a release is known by one number alone, its size, and one of a larger size dominates it
# (randomised response by its loss; Gamma-norm noise by its shift, as the remark to Theorem 5 of the
# vignette "Privacy accounting" says), a ledger is dominated by one whose entries have at least its
# sizes. The sizes that are largest in a group of ledgers, entry by entry, so make a ledger whose
# epsilon is proved for each of them.

# by how much more the losses of a ledger may seem to add up to: far below what .many_excess leaves
# between noise and budget
.alike_width <- 2e-5

#' Groups of ledgers, where there are very many or `how` says so (see spend()): list(group =
#' of each ledger, `most` and `least` = a ledger a group that costs no less and no more than any of
#' the group; no `least` where `how` asks for upper bounds alone).
#' @param size of each kind, `NA` where a kind is not known by it.
#' @param family of each kind: sizes of one family can be compared.
#' @noRd
alike_ledgers <- function(ledgers, size, family, how = list()) {
  count <- length(ledgers)
  if (count <= .many_for_slow && !isTRUE(how$alike)) {
    return(list(group = seq_len(count), most = ledgers, least = ledgers))
  }
  group <- integer(count)
  most <- least <- list()
  for (pattern in alike_patterns(one_by_one(ledgers), size, family)) {
    kind <- pattern$kind
    sizes <- matrix(size[kind], nrow(kind))
    groups <- nearby_columns(sizes, pattern$count)
    group[pattern$ledger] <- length(most) + groups
    pick <- function(sizes) ledgers_of_largest(sizes, groups, pattern, ledgers)
    most <- c(most, pick(sizes))
    if (!isTRUE(how$upper)) least <- c(least, pick(-sizes))
  }
  list(group = group, most = most, least = least)
}

#' A ledger of the largest sizes of each group, entry by entry; of one ledger it is itself.
#' @param sizes of the pattern's kinds.
#' @param groups 1, 2, ..., one a column.
#' @noRd
ledgers_of_largest <- function(sizes, groups, pattern, ledgers) {
  members <- tabulate(groups)
  out <- ledgers[pattern$ledger[match(seq_along(members), groups)]]
  several <- which(members > 1L)
  kinds <- lapply(seq_len(nrow(sizes)), function(k) {
    by <- order(groups, -sizes[k, ])
    pattern$kind[k, by[match(several, groups[by])]]
  })
  out[several] <- .mapply(function(...) {
    own <- c(...)
    kind <- unique(own)
    if (length(kind) == length(own)) return(list(kind = kind, count = pattern$count))
    list(kind = kind, count = group_sums(pattern$count, match(own, kind), length(kind)))
  }, kinds, NULL)
  out
}

#' Ledgers with an entry for each release, where their counts are unlike and those not too many:
#' which releases are alike to the last bit, and so counted, shall not tell parties apart.
#' @noRd
one_by_one <- function(ledgers) {
  counts <- lapply(ledgers, `[[`, "count")
  if (length(unique(counts)) == 1L) return(ledgers)
  if (any(vapply(counts, sum, 0) > .most_entries)) return(ledgers)
  lapply(ledgers, function(own) {
    list(kind = rep(own$kind, own$count), count = rep(1, sum(own$count)))
  })
}
.most_entries <- 1000

#' Ledgers that have releases of the same families, equally often: a list of list(`ledger` = which,
#' `kind` = their kinds, largest sizes first, a column each, `count` of each row).
#' @noRd
alike_patterns <- function(ledgers, size, family) {
  entries <- lengths(lapply(ledgers, `[[`, "kind"))
  unlist(lapply(unname(split(seq_along(ledgers), entries)), function(own) {
    kind <- unlist(lapply(ledgers[own], `[[`, "kind"))
    count <- unlist(lapply(ledgers[own], `[[`, "count"))
    column <- rep(seq_along(own), each = entries[own[1L]])
    order <- order(column, family[kind], count, -size[kind])
    kind <- matrix(kind[order], ncol = length(own))
    count <- matrix(count[order], ncol = length(own))
    rows <- function(x) lapply(seq_len(nrow(kind)), function(i) x[i, ])
    same <- row_kind(c(rows(matrix(family[kind], nrow(kind))), rows(count)))
    lapply(unname(split(seq_along(own), same)), function(k) {
      list(ledger = own[k], kind = kind[, k, drop = FALSE], count = count[, k[1L]])
    })
  }), recursive = FALSE)
}

#' Groups of columns in the order of what they add up to, `count` times each row: within a group
#' the largest of each row add up to hardly more than any column.
#' @noRd
nearby_columns <- function(sizes, count) {
  total <- colSums(sizes * count)
  if (anyNA(total)) return(seq_along(total))
  by <- c(list(total), lapply(seq_len(nrow(sizes)), function(i) sizes[i, ]))
  core_call(.Call(ffi_alike_groups, as.double(sizes), as.double(count), total,
    do.call(order, by), .alike_width
  ))
}
