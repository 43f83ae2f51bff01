# Who holds which record.

#' From the `nodes` argument to an index 1..N for each record and the nodes' names. A number
#' splits the records evenly in a random order drawn from the fit's key.
#' @noRd
resolve_nodes <- function(nodes, n, key) {
  if (is.null(nodes)) {
    abort("nodes", "This method needs `nodes`: a number of nodes, a vector of node names, or ~column.",
      argument = "nodes"
    )
  }
  if (is.numeric(nodes) && length(nodes) == 1L) {
    check_number(nodes, "nodes", lower = 2, upper = n, whole = TRUE)
    index <- integer(n)
    index[.Call(ffi_permutation, key, n)] <- rep_len(seq_len(nodes), n)
    return(list(
      index = index, names = as.character(seq_len(nodes)), size = tabulate(index, nodes), split = TRUE
    ))
  }
  if (length(nodes) != n || !is.null(dim(nodes)) || !is.atomic(nodes)) {
    abort("shape", sprintf("`nodes` must be one number, ~column, or a vector with one entry for each of the %d records, not %d.", n, length(nodes)),
      argument = "nodes", value = length(nodes)
    )
  }
  if (any(bad <- is.na(nodes))) {
    abort("missing", sprintf("`nodes` has a missing value at %s.", where_first(bad)), argument = "nodes", place = which(bad)[1L])
  }
  names <- if (is.factor(nodes)) levels(nodes) else unique(as.character(sort(unique(nodes))))
  index <- match(as.character(nodes), names)
  size <- tabulate(index, length(names))
  if (any(size == 0L)) {
    abort("nodes", sprintf("Node \"%s\" has no records.", names[size == 0L][1L]), argument = "nodes", place = names[size == 0L][1L])
  }
  if (length(names) < 2L) abort("nodes", "There must be at least two nodes.", argument = "nodes")
  list(index = index, names = names, size = size)
}

#' Nodes in the order of the network's own names, when those are the same names.
#' @noRd
align_nodes <- function(nodes, network) {
  if (is.null(network$names) || identical(network$names, nodes$names)) return(nodes)
  if (length(network$names) != length(nodes$names)) return(nodes) # resolve_network() complains
  if (isTRUE(nodes$split)) {
    nodes$names <- network$names
    return(nodes)
  }
  if (length(lost <- setdiff(nodes$names, network$names))) {
    abort("nodes", sprintf("Node \"%s\" is not one of the nodes that `network` names.", lost[1L]),
      argument = "nodes", place = lost[1L]
    )
  }
  order <- match(network$names, nodes$names)
  list(index = match(nodes$index, order), names = network$names, size = nodes$size[order])
}
