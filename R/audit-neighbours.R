#' Neighbouring data sets that are easy to tell apart
#'
#' Small pairs for [audit()] on which the guarantees are, or nearly are, used up. Both
#' differ in the first record only.
#'
#' * `"labels"`: the first record has norm `bound` and label 1, then -1: two gradients as far
#'   apart as can be (for numeric labels `far` and `-far`). All others are the same row with
#'   labels in turn.
#' * `"small-node"`: the first record as in `"labels"`, alone in the smallest node. All others
#'   are zero rows that say nothing, in nodes of 3 records and more.
#' * `"curvature"`: the first record has norm `bound`, then it is a zero row: all the curvature
#'   and all the gradient of one record comes or goes. All others are zero rows.
#' * `"sparse-vector"`: the first record as in `"labels"`, alone in its node: its loss is all
#'   that the sparse vector test asks about, and the other label answers the other way. All
#'   others are the same row with label 1, so that their messages draw the node there.
#' * `"outlier"`: the first record as in `"labels"`. All others are the same row with label 1:
#'   the first record stands against all.
#'
#' In the last two kinds the last record is a zero row with label -1, because a fit refuses
#' labels that are all the same.
#'
#' @param kind one of those above.
#' @param n number of records (>= 3; `"small-node"`: `3 nodes - 2`).
#' @param d number of columns (>= 1). The rows lie along (1, ..., 1) / sqrt(d).
#' @param nodes number of nodes (>= 1); with one, for methods with a single data holder, the
#'   pair has no `nodes`. `"small-node"` and `"sparse-vector"` need two.
#' @param bound norm of the rows (> 0), `control$row_bound`.
#' @param numeric whether the labels are numbers, for `"huber"` and `"squared"` loss, and
#'   not classes.
#' @param far size of numeric labels (> 0): beyond the reach of the fit, so that clipped
#'   and Huber's slopes are at their bound.
#' @return A list of class `dpadmm_neighbours`: `data1` and `data2`, each a list of `x`, `y`
#'   and perhaps `nodes` for [fit_release()]; and `kind`.
#'
#'   Errors of class `dpadmm_error_argument` for sizes that leave no room for the kind.
#' @examples
#' pair <- worst_case_neighbours("small-node", n = 7, d = 2, nodes = 3)
#' pair$data1$y
#' pair$data2$y
#' table(pair$data1$nodes)
#' @export
worst_case_neighbours <- function(
    kind = c("labels", "small-node", "curvature", "sparse-vector", "outlier"), n = 6, d = 1,
    nodes = 1, bound = 1, numeric = FALSE, far = 1e6) {
  kind <- check_choice(kind, eval(formals(worst_case_neighbours)$kind), "kind")
  check_number(n, "n", lower = 3, whole = TRUE)
  check_number(d, "d", lower = 1, whole = TRUE)
  check_number(nodes, "nodes", lower = 1, upper = n, whole = TRUE)
  check_number(bound, "bound", lower = 0, open_lower = TRUE)
  check_flag(numeric, "numeric")
  check_number(far, "far", lower = 0, open_lower = TRUE)
  alone <- kind %in% c("small-node", "sparse-vector")
  if (alone && nodes < 2) {
    abort("argument",
      sprintf('"%s" puts the first record in a node of its own: it needs two `nodes`.', kind),
      argument = "nodes", value = nodes
    )
  }
  if (kind == "small-node" && n < 3 * nodes - 2) {
    abort("argument",
      sprintf('"small-node" with %g nodes needs n >= %g, not %g.', nodes, 3 * nodes - 2, n),
      argument = "n", value = n
    )
  }
  # a little shorter than the bound, so that no rounding shortens it further
  row <- rep(bound / sqrt(d) * (1 - 8 * .Machine$double.eps * d), d)
  quiet <- kind %in% c("small-node", "curvature")
  x <- rbind(row, matrix(if (quiet) 0 else rep(row, each = n - 1), n - 1, d), deparse.level = 0)
  y <- rep_len(c(1, -1), n)
  if (kind %in% c("sparse-vector", "outlier")) {
    # a zero row keeps the other class, which a fit needs
    y[] <- 1
    y[n] <- -1
    x[n, ] <- 0
  }
  data1 <- list(x = x, y = y)
  data2 <- data1
  if (kind == "curvature") data2$x[1L, ] <- 0 else data2$y[1L] <- -1
  if (numeric) {
    data1$y <- far * data1$y
    data2$y <- far * data2$y
  }
  if (nodes > 1) {
    others <- if (alone) 1 + rep_len(seq_len(nodes - 1), n - 1)
    data1$nodes <- data2$nodes <- if (alone) c(1, others) else rep_len(seq_len(nodes), n)
  }
  structure(list(data1 = data1, data2 = data2, kind = kind), class = "dpadmm_neighbours")
}

#' @export
print.dpadmm_neighbours <- function(x, ...) {
  nodes <- x$data1$nodes
  cat(sprintf(
    "<dpadmm_neighbours: \"%s\", %d records of %d columns%s, the first one replaced>\n", x$kind,
    nrow(x$data1$x), ncol(x$data1$x),
    if (is.null(nodes)) "" else sprintf(" in nodes of %s", paste(tabulate(nodes), collapse = ", "))
  ))
  invisible(x)
}
