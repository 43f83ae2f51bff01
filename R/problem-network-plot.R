# Networks in print and as pictures.

#' @export
print.dpadmm_network <- function(x, ...) {
  check_no_dots(...)
  facts <- summary(x)
  cat(sprintf("<dpadmm_network: %s, %s%s>\n", x$name,
    if (is.null(x$n)) "as many nodes as the fit" else sprintf("%d nodes", x$n),
    if (is.null(x$n)) "" else sprintf(
      ", %d edges, %s neighbours a node", facts$edges,
      paste(unique(range(facts$degree)), collapse = " to ")
    )
  ))
  invisible(x)
}

#' Look at a network
#'
#' `summary()` counts, `plot()` draws: nodes on a circle, the hub of a star in the middle, and other
#' networks by the layout of package igraph when it is installed. Nodes are labelled up to 50
#' of them, by their names if they have any.
#'
#' @param object,x a network, see [network]; that of a plan is `plan$problem$network`.
#' @param n number of nodes, for a network that takes it from the fit.
#' @param labels the nodes' labels, or `FALSE` for none.
#' @param ... passed to [plot.default()]; not used by `summary()`.
#' @return `summary()`: an object of class `summary.dpadmm_network`, a list with the `name`, the
#'   numbers of `nodes` and `edges`, and the `degree` of each node; for a network without a
#'   number of nodes the name only. `plot()`: the coordinates of the nodes, an n x 2
#'   matrix, invisibly.
#' @examples
#' summary(network_ring(6))
#' plot(network_star(), n = 5, labels = c("hub", "A", "B", "C", "D"))
#' plot(network_random(20, p = 0.2))
#' @name plot.dpadmm_network
#' @export
summary.dpadmm_network <- function(object, ...) {
  check_no_dots(...)
  facts <- list(name = object$name)
  if (!is.null(object$n)) {
    whole <- resolve_network(object, object$n)
    degree <- stats::setNames(as.integer(whole$degree), node_labels(whole))
    facts <- c(facts, list(nodes = whole$n, edges = count_edges(whole), degree = degree))
  }
  structure(facts, class = "summary.dpadmm_network")
}

#' @export
print.summary.dpadmm_network <- function(x, ...) {
  check_no_dots(...)
  if (is.null(x$nodes)) {
    cat(sprintf("A %s network of as many nodes as the fit has\n", x$name))
    return(invisible(x))
  }
  cat(sprintf("A %s network of %d nodes with %d edges\n", x$name, x$nodes, x$edges))
  cat("Neighbours of a node\n")
  print(summary(x$degree))
  invisible(x)
}

#' @rdname plot.dpadmm_network
#' @export
plot.dpadmm_network <- function(x, n = x$n, labels = NULL, ...) {
  check_plot_dots(..., own = c("x", "y", "type", "axes", "asp", "xlab", "ylab", "xlim", "ylim"))
  if (is.null(n)) {
    abort("argument", "`n` is needed: this network takes its number of nodes from the fit.",
      argument = "n"
    )
  }
  whole <- list_edges(resolve_network(x, check_size(n)))
  at <- network_layout(whole)
  if (is.null(labels)) labels <- if (whole$n <= 50L) node_labels(whole) else FALSE
  if (!isFALSE(labels) && length(labels) != whole$n) {
    abort("shape", sprintf("`labels` must have length %d, or be FALSE.", whole$n),
      argument = "labels", value = length(labels)
    )
  }
  draw_network(at, whole$edges, labels, ...)
  invisible(at)
}

draw_network <- function(at, edges, labels, ...) {
  old <- graphics::par(mar = c(1, 1, 2, 1))
  on.exit(graphics::par(old))
  plot(at, type = "n", axes = FALSE, asp = 1, xlab = "", ylab = "",
    xlim = range(at[, 1L]) * 1.15, ylim = range(at[, 2L]) * 1.15, ...
  )
  from <- edges[, 1L]
  to <- edges[, 2L]
  # the more edges, the paler: dense networks would be black
  shade <- grDevices::grey(0, alpha = max(0.01, min(0.6, 60 / length(from))))
  graphics::segments(at[from, 1L], at[from, 2L], at[to, 1L], at[to, 2L], col = shade)
  size <- max(0.4, min(1.5, 20 / nrow(at)))
  graphics::points(at, pch = 21, bg = "white", cex = size)
  if (!isFALSE(labels)) graphics::text(beside(at, 0.1), labels = labels, cex = 0.8, xpd = NA)
}

#' Points moved away from the middle, or aside where they are there.
#' @noRd
beside <- function(at, by) {
  radius <- sqrt(rowSums(at^2))
  direction <- at / radius
  direction[radius < 1e-8, ] <- rep(c(1, -1) / sqrt(2), each = sum(radius < 1e-8))
  at + by * direction
}

#' Where the nodes are: n x 2, around 0, the farthest at 1.
#' @noRd
network_layout <- function(network) {
  n <- network$n
  spread <- !(network$name %in% c("complete", "ring", "star")) &&
    requireNamespace("igraph", quietly = TRUE)
  if (spread) {
    graph <- igraph::graph_from_edgelist(matrix(as.integer(network$edges), ncol = 2L), FALSE)
    at <- with_r_seed(1, igraph::layout_with_fr(graph))
    at <- sweep(at, 2L, colMeans(at))
    return(at / sqrt(max(rowSums(at^2))))
  }
  outer <- if (network$name == "star") n - 1L else n
  angle <- pi / 2 - 2 * pi * (seq_len(outer) - 1) / outer
  at <- cbind(cos(angle), sin(angle))
  if (network$name == "star") rbind(0, at) else at
}

node_labels <- function(network) {
  if (is.null(network$names)) as.character(seq_len(network$n)) else network$names
}
