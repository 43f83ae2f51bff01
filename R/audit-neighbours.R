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
#'
#' In the last two kinds the last record is a zero row with label -1, so that both classes
#' are there.
#'
#' Four kinds are for what is not arithmetic on ordinary numbers:
#'
#' * `"underflow"`: as `"labels"`, but the squares of the first record's entries, 1e-170, are 0
#'   for a computer; numeric labels are 1e180 and -1e180, so that its gradient is large all the
#'   same.
#' * `"overflow"`: as `"labels"`, but the squares of its entries, 1e300, are infinite, and in the
#'   second data set they are 1e-320.
#' * `"coding"`: all labels are 1, then the first is 0.
#' * `"terms"`: data frames with columns `v`, `y` and perhaps `node`, for formulas with
#'   declared bounds (0 to 1). In the second data set the first `v` is 1e6: a term that reads
#'   other rows, such as `I(v > mean(v))`, changes everywhere. All labels but the last are 1.
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
#'   and perhaps `nodes` for [fit_release()] (`"terms"`: a data frame); and `kind`.
#'
#'   Errors of class `dpadmm_error_argument` for sizes that leave no room for the kind.
#' @examples
#' pair <- worst_case_neighbours("small-node", n = 7, d = 2, nodes = 3)
#' pair$data1$y
#' pair$data2$y
#' table(pair$data1$nodes)
#' @export
worst_case_neighbours <- function(
    kind = c("labels", "small-node", "curvature", "sparse-vector", "outlier", "underflow",
      "overflow", "coding", "terms"), n = 6, d = 1, nodes = 1, bound = 1, numeric = FALSE,
    far = 1e6) {
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
  pair <- extreme_pair(kind, data1, data2, if (numeric) far else 1, numeric)
  if (nodes > 1) {
    others <- if (alone) 1 + rep_len(seq_len(nodes - 1), n - 1)
    held <- if (alone) c(1, others) else rep_len(seq_len(nodes), n)
    name <- if (kind == "terms") "node" else "nodes"
    pair <- lapply(pair, function(data) replace(data, name, list(held)))
  }
  structure(c(pair, kind = kind), class = "dpadmm_neighbours")
}

#' Both data sets with labels of their size, and what a kind has of extreme numbers.
#' @noRd
extreme_pair <- function(kind, data1, data2, far, numeric) {
  data1$y <- far * data1$y
  data2$y <- far * data2$y
  entry <- function(data, value) {
    data$x[1L, ] <- value
    data
  }
  if (kind == "underflow") {
    data1 <- entry(data1, 1e-170)
    data2 <- entry(data2, 1e-170)
    if (numeric) {
      data1$y[1L] <- 1e180
      data2$y[1L] <- -1e180
    }
  } else if (kind == "overflow") {
    data1 <- entry(data1, 1e300)
    data2 <- entry(data2, 1e-320)
  } else if (kind == "coding") {
    data1$y[] <- data2$y[] <- far
    data2$y[1L] <- 0
  } else if (kind == "terms") {
    # all but the first are just above the mean, then far below it
    data1 <- data.frame(v = c(0.3, rep(0.5, length(data1$y) - 1)), y = data1$y)
    data1$y[-1L] <- c(rep(far, nrow(data1) - 2), -far)
    data2 <- replace(data1, "v", list(replace(data1$v, 1L, 1e6)))
  }
  list(data1 = data1, data2 = data2)
}

#' Methods with a public number far out
#'
#' Guarantees hold for all settings that a method accepts, so audits try those nobody would
#' choose: every method of the package with one of its numbers at one of `values`.
#'
#' @param values numbers.
#' @return A list of methods for [dpadmm_fit()], named by the call that makes them. A setting
#'   that its method refuses is not there.
#' @seealso [worst_case_neighbours()].
#' @examples
#' names(worst_case_methods(1e-17))
#' @export
worst_case_methods <- function(values = c(1e-30, 1e-17, 1e6)) {
  check_numbers(values, "values")
  made <- list()
  for (name in names(methods_table())) {
    make <- methods_table()[[name]]
    for (argument in names(formals(make))) for (value in values) {
      call <- sprintf("%s(%s = %g)", name, argument, value)
      made[[call]] <- tryCatch(do.call(make, stats::setNames(list(value), argument)),
        dpadmm_error = function(e) NULL
      )
    }
  }
  made
}

#' @export
print.dpadmm_neighbours <- function(x, ...) {
  check_no_dots(...)
  nodes <- if (x$kind == "terms") x$data1$node else x$data1$nodes
  cat(sprintf(
    "<dpadmm_neighbours: \"%s\", %d records of %d columns%s, the first one replaced>\n", x$kind,
    length(x$data1$y), if (is.null(x$data1$x)) 1L else ncol(x$data1$x),
    if (is.null(nodes)) "" else sprintf(" in nodes of %s", paste(tabulate(nodes), collapse = ", "))
  ))
  invisible(x)
}
