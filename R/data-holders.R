# Who holds which record.

#' `nodes` as given. What is no object is likely a column.
#' @noRd
given_nodes <- function(nodes) {
  tryCatch(nodes, error = function(e) {
    if (inherits(e, "dpadmm_error")) stop(e)
    abort("argument", sprintf(
      "`nodes` is not to be had: %s. A column of the data is given as nodes = ~column.",
      sub("[.]$", "", conditionMessage(e))
    ), argument = "nodes")
  })
}

#' From `nodes` to whose each record is, see record_index(), and the parties' names and sizes. A
#' number splits the records evenly in a random order drawn from the fit's key.
#' @noRd
resolve_nodes <- function(nodes, n, key) {
  if (is.null(nodes)) {
    abort("nodes",
      "This method needs `nodes`: a number of nodes, a vector of node names, or ~column.",
      argument = "nodes"
    )
  }
  if (n < 2L) {
    abort("nodes", "There must be at least two nodes, each with a record.", argument = "nodes")
  }
  if (is.numeric(nodes) && length(nodes) == 1L) {
    check_number(nodes, "nodes", lower = 2, upper = n, whole = TRUE)
    size <- n %/% as.integer(nodes) + (seq_len(nodes) <= n %% nodes)
    return(list(key = key, names = as.character(seq_len(nodes)), size = size))
  }
  held <- named_nodes(nodes, n)
  if (length(held$names) < 2L) {
    abort("nodes", "There must be at least two nodes.", argument = "nodes")
  }
  held
}

#' The index 1..N of each record's party. What a key or one party says is not kept: it would be as
#' many numbers as there are records.
#' @noRd
record_index <- function(held) {
  if (!is.null(held$index)) return(held$index)
  if (is.null(held$key)) rep(1L, held$size) else split_at_random(held$size, held$key)
}

#' The party of each record: `size[i]` of them for party i, in a random order.
#' @noRd
split_at_random <- function(size, key) core_call(.Call(ffi_split, key, as.integer(size)))

named_nodes <- function(nodes, n) {
  if (length(nodes) != n || !is.null(dim(nodes)) || !is.atomic(nodes)) {
    abort("shape", sprintf(paste(
      "`nodes` must be one number, ~column, or a vector with one entry for each of the %d",
      "records, not %d."
    ), n, length(nodes)), argument = "nodes", value = length(nodes))
  }
  if (any_missing(nodes)) {
    bad <- is.na(nodes)
    abort("missing", sprintf("`nodes` has a missing value at %s.", where_first(bad)),
      argument = "nodes", place = which(bad)[1L]
    )
  }
  names <- if (is.factor(nodes)) levels(nodes) else unique(as.character(sort(unique(nodes))))
  index <- if (is.factor(nodes)) as.integer(nodes)
    else if (is.integer(nodes)) match(nodes, sort(unique(nodes)))
    else match(as.character(nodes), names)
  size <- tabulate(index, length(names))
  if (any(size == 0L)) {
    empty <- names[size == 0L][1L]
    abort("nodes", sprintf("Node \"%s\" has no records.", empty),
      argument = "nodes", place = empty
    )
  }
  list(index = index, names = names, size = size)
}

#' Parties in the order of the network's own names, when those are the same names.
#' @noRd
align_nodes <- function(held, network) {
  if (is.null(network$names) || identical(network$names, held$names)) return(held)
  if (length(network$names) != length(held$names)) return(held) # resolve_network() complains
  if (!is.null(held$key)) {
    held$names <- network$names
    return(held)
  }
  if (length(lost <- setdiff(held$names, network$names))) {
    abort("nodes", sprintf(
      "Node \"%s\" is not one of the nodes that `network` names.", lost[1L]
    ), argument = "nodes", place = lost[1L])
  }
  order <- match(network$names, held$names)
  held$index <- match(held$index, order)
  held$names <- network$names
  held$size <- held$size[order]
  held
}

#' Whether `nodes` is a number of nodes, or their numbers, and these are 1.
#' @noRd
is_one_node <- function(nodes, n) {
  length(nodes) %in% c(1L, n) && length(unique(nodes)) == 1L && nodes[1L] %in% 1
}

#' All records with one holder.
#' @noRd
one_holder <- function(nodes, n) {
  if (!is.null(nodes) && !is_one_node(nodes, n)) {
    abort("nodes", "There is one data holder: leave `nodes` at NULL.", argument = "nodes")
  }
  list(names = "holder", size = n)
}

#' The records of a plan's parties (or users): as `nodes` says, which must be the plan's names
#' and sizes; or, where the plan has no names, at random.
#' @noRd
planned_holders <- function(problem, nodes, n, key) {
  # a number of nodes says no more than the plan does
  number <- is.numeric(nodes) && length(nodes) == 1L && n > 1L
  if (number && isTRUE(nodes == problem$N)) nodes <- NULL
  parties <- if (is.null(problem$users)) problem[c("names", "size", "named")] else problem$users
  if (is.null(nodes) || length(parties$size) == 1L) {
    if (n != problem$records) {
      abort("plan", sprintf("The data have %d records, the plan %d.", n, problem$records),
        argument = "data", value = n
      )
    }
  }
  if (length(parties$size) == 1L) return(one_holder(nodes, n))
  if (is.null(nodes)) {
    if (isTRUE(parties$named)) {
      abort("plan", "`nodes` is needed: the plan names the parties, so who holds which record?",
        argument = "nodes"
      )
    }
    return(c(list(key = key), parties[c("names", "size")]))
  }
  if (number) {
    abort("plan", sprintf("The plan has %d nodes, not %g.", problem$N, nodes),
      argument = "nodes", value = nodes
    )
  }
  match_parties(named_nodes(nodes, n), parties)
}

#' Holders in the plan's order; unlike names or sizes are an error.
#' @noRd
match_parties <- function(held, parties) {
  odd <- c(setdiff(held$names, parties$names), setdiff(parties$names, held$names))
  if (length(odd)) {
    abort("plan", sprintf(
      "`nodes` and the plan name unlike parties: \"%s\" is in one of them only.", odd[1L]
    ), argument = "nodes", place = odd[1L])
  }
  size <- held$size[match(parties$names, held$names)]
  if (any(bad <- size != parties$size)) {
    abort("plan", sprintf(
      "Party \"%s\" has %d records in the data and %d in the plan.", parties$names[bad][1L],
      size[bad][1L], parties$size[bad][1L]
    ), argument = "nodes", place = parties$names[bad][1L], value = size[bad][1L])
  }
  list(
    index = match(held$names, parties$names)[held$index], names = parties$names, size = size
  )
}
