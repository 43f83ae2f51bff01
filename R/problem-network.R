#' Networks of data holders
#'
#' An undirected, connected graph without self-loops: who exchanges messages with
#' whom. The complete graph, the ring and the star take their size from the
#' nodes of the fit when `n` is not given.
#'
#' @param n number of nodes; `NULL`: as many as the fit has.
#' @param p probability of each edge, in `[0, 1]`.
#' @param A adjacency matrix (dense or sparse), symmetric, zeros on the diagonal;
#'   non-zero entries are edges. Row names, when given, are matched to the names
#'   of the fit's nodes.
#' @param graph an undirected graph of class `igraph`.
#' @param ... not used.
#' @return An object of class `dpadmm_network`, with methods `print()`, `summary()` and
#'   [plot()][plot.dpadmm_network]. Where one is asked for, the names `"complete"`, `"ring"` and
#'   `"star"` will do.
#' @details `network_random()` draws each edge independently (Erdős and Rényi)
#'   with R's generator, so [set.seed()] repeats it; when the draw falls apart, a
#'   random edge joins each further component to the ones before it.
#' @examples
#' network_complete()
#' network_ring(6)
#' network_random(20, p = 0.2)
#' network_adjacency(matrix(c(0, 1, 0, 1, 0, 1, 0, 1, 0), 3))
#' @name network
NULL

new_network <- function(name, n = NULL, edges = NULL, names = NULL) {
  structure(list(name = name, n = n, edges = edges, names = names), class = "dpadmm_network")
}

check_size <- function(n) {
  if (is.null(n)) NULL else as.integer(check_number(n, "n", lower = 2, upper = 1e6, whole = TRUE))
}

#' @rdname network
#' @export
network_complete <- function(n = NULL) new_network("complete", check_size(n))

#' @rdname network
#' @export
network_ring <- function(n = NULL) new_network("ring", check_size(n))

#' @rdname network
#' @export
network_star <- function(n = NULL) new_network("star", check_size(n))

#' @rdname network
#' @export
network_random <- function(n, p) {
  n <- check_size(check_number(n, "n", lower = 2, whole = TRUE))
  check_number(p, "p", lower = 0, upper = 1)
  count <- stats::rbinom(1L, n * (n - 1) / 2, p)
  code <- sort(sample(n * (n - 1) / 2, count))
  # pairs (i, j), i < j, numbered column by column of the upper triangle
  j <- ceiling((1 + sqrt(1 + 8 * code)) / 2)
  edges <- cbind(code - (j - 1) * (j - 2) / 2, j)
  label <- components(n, edges)
  for (k in seq_len(max(label))[-1L]) {
    before <- which(label < k)
    here <- which(label == k)
    join <- c(before[sample.int(length(before), 1L)], here[sample.int(length(here), 1L)])
    edges <- rbind(edges, sort(join))
  }
  new_network("random", n, edges)
}

#' @rdname network
#' @export
network_adjacency <- function(A) {
  if (!(is.matrix(A) || methods::is(A, "Matrix"))) {
    abort("argument", sprintf("`A` must be a matrix, not %s.", kind_of(A)), argument = "A")
  }
  n <- nrow(A)
  if (n != ncol(A) || n < 2L) {
    abort("shape", sprintf("`A` must be square with at least 2 rows, not %d x %d.", n, ncol(A)),
      argument = "A"
    )
  }
  if (is.matrix(A) && !is.numeric(A) && !is.logical(A)) {
    abort("argument", sprintf("`A` must be numeric or logical, not %s.", typeof(A)), argument = "A")
  }
  names <- rownames(A)
  if (anyDuplicated(names)) {
    abort("network", sprintf("`A` has two nodes named \"%s\".", names[duplicated(names)][1L]),
      argument = "A", place = which(duplicated(names))[1L]
    )
  }
  entries <- Matrix::summary(methods::as(methods::as(A * 1, "CsparseMatrix"), "generalMatrix"))
  if (any(bad <- !is.finite(entries$x))) {
    bad <- entries[which(bad)[1L], ]
    missing <- is.na(bad$x) && !is.nan(bad$x)
    abort(if (missing) "missing" else "finite", sprintf(
      "`A` %s at row %d, column %d.",
      if (missing) "has a missing value" else paste("is", bad$x), bad$i, bad$j
    ), argument = "A", place = c(bad$i, bad$j))
  }
  entries <- entries[entries$x != 0, ]
  if (any(loop <- entries$i == entries$j)) {
    abort("network", sprintf("`A` has a self-loop at node %d.", entries$i[loop][1L]),
      argument = "A", place = entries$i[loop][1L]
    )
  }
  there <- entries$i * (n + 1) + entries$j
  back <- entries$j * (n + 1) + entries$i
  if (any(lone <- !(back %in% there))) {
    abort("network", sprintf(
      "`A` is not symmetric: there is an edge from node %d to node %d but none back.",
      entries$i[lone][1L], entries$j[lone][1L]
    ), argument = "A", place = c(entries$i[lone][1L], entries$j[lone][1L]))
  }
  upper <- entries$i < entries$j
  network <- new_network("adjacency", n, cbind(entries$i, entries$j)[upper, , drop = FALSE], names)
  check_connected(network, "A")
}

#' @rdname network
#' @export
as_network <- function(graph, ...) UseMethod("as_network")

#' @export
as_network.default <- function(graph, ...) {
  check_no_dots(...)
  if (is.matrix(graph) || methods::is(graph, "Matrix")) return(network_adjacency(graph))
  abort("argument", sprintf(
    "`graph` must be a network, a matrix or an igraph, not %s.", kind_of(graph)
  ), argument = "graph")
}

#' @export
as_network.dpadmm_network <- function(graph, ...) {
  check_no_dots(...)
  graph
}

#' @rdname network
#' @export
as_network.igraph <- function(graph, ...) {
  check_no_dots(...)
  need_package("igraph", "converting its graphs")
  if (igraph::is_directed(graph)) {
    abort("network", "`graph` must be undirected.", argument = "graph")
  }
  network_adjacency(igraph::as_adjacency_matrix(graph, sparse = TRUE))
}

#' Labels 1, 2, ... of the connected components.
#' @noRd
components <- function(n, edges) {
  lists <- neighbour_lists(n, edges)
  .Call(ffi_components, lists$start, lists$neighbour) + 1L
}

#' Compressed neighbour lists, indices from 0, as the C core takes them.
#' @noRd
neighbour_lists <- function(n, edges) {
  from <- c(edges[, 1L], edges[, 2L])
  to <- c(edges[, 2L], edges[, 1L])
  order <- order(from, to)
  list(
    start = as.integer(c(0, cumsum(tabulate(from, n)))), neighbour = as.integer(to[order]) - 1L
  )
}

check_connected <- function(network, argument) {
  label <- components(network$n, network$edges)
  if (max(label) > 1L) {
    abort("network", sprintf(
      "`%s` is disconnected: no path joins node 1 and node %d (%d components).",
      argument, which(label == 2L)[1L], max(label)
    ), argument = argument, place = which(label == 2L)[1L])
  }
  network
}

#' The network of a fit with n nodes: edges, degrees and neighbour lists. A complete one has no
#' lists: all are neighbours of all.
#' @noRd
resolve_network <- function(network, n) {
  network <- check_network(network)
  if (!is.null(network$n) && network$n != n) {
    abort("nodes", sprintf("`network` has %d nodes but the records belong to %d.", network$n, n),
      argument = "network", value = network$n
    )
  }
  network$n <- n
  if (network$name != "complete") return(list_edges(network))
  network$degree <- rep(n - 1L, n)
  network
}

#' A network with its edges and lists, also where it is complete.
#' @noRd
list_edges <- function(network) {
  n <- network$n
  if (is.null(network$edges)) {
    i <- seq_len(n)
    network$edges <- switch(network$name,
      complete = cbind(rep(i[-n], (n - 1L):1L), unlist(lapply(i[-n], function(k) (k + 1L):n))),
      ring = if (n == 2L) cbind(1L, 2L) else cbind(c(i[-n], 1L), c(i[-1L], n)),
      star = cbind(1L, i[-1L])
    )
  }
  network[c("start", "neighbour")] <- neighbour_lists(n, network$edges)
  if (is.null(network$degree)) network$degree <- diff(network$start)
  network
}

count_edges <- function(network) {
  edges <- sum(as.double(count_neighbours(network))) / 2
  if (edges <= .Machine$integer.max) as.integer(edges) else edges
}

count_neighbours <- function(network) {
  if (is.null(network$start)) rep(network$n - 1L, network$n) else diff(network$start)
}

#' The numbers of a node's neighbours.
#' @noRd
neighbours_of <- function(network, i) {
  if (is.null(network$start)) return(setdiff(seq_len(network$n), i))
  network$neighbour[(network$start[i] + 1L):network$start[i + 1L]] + 1L
}
