#' Penalties on differences of coefficients
#'
#' Regularisers of the form `sum_j w_j |(A x)_j|`, the generalised lasso. Give one as the
#' `penalty` of a fit (or as `A` of [grad_admm()] or [acc_admm()]): it brings its matrix A
#' and its weights w along.
#'
#' * `graph_guided()`: `lambda1 ||W x||_1 + lambda2 ||x||_1` with `A = [W; I]`. For a graph
#'   over the features W has a row `x_i - x_j` for each edge; a matrix W is taken as it is.
#' * `fused_lasso()`: graph-guided over the chain 1 - 2 - ... - d.
#' * `trend_filter()`: `lambda ||D x||_1`, D the differences of the given order plus one, so
#'   that order 0 favours piecewise constant, 1 piecewise linear coefficients.
#' * `generalised_lasso()`: `lambda ||D x||_1` for any matrix D.
#'
#' @param W the graph over the features: a matrix with one column for each feature (dense or
#'   sparse, the differences themselves), a two-column matrix of edges (indices of
#'   features), an undirected igraph, a [network], or a [feature_graph()].
#' @param D a matrix with one column for each feature, dense or sparse.
#' @param lambda,lambda1,lambda2 weights (>= 0); `lambda` and `lambda1` may be one for each
#'   row of D or W.
#' @param d number of features, the intercept included. For edges the default is the
#'   largest index.
#' @param order order of the piecewise polynomial (>= 0).
#' @return An object of class `dpadmm_regulariser`: a list with `name`, `A` (m x d sparse or
#'   dense), `weights` (m), `penalty` and, for graphs, `edges`.
#'
#'   Errors: `dpadmm_error_shape` for an empty matrix or a wrong number of columns,
#'   `dpadmm_error_network` for a self-loop.
#' @source Kim, Sohn and Xing (2009) for the graph-guided fused lasso; Tibshirani and Taylor
#'   (2011), The solution path of the generalized lasso.
#' @seealso [feature_graph()] for a graph learnt from records.
#' @examples
#' graph_guided(rbind(c(1, 2), c(2, 3)), lambda1 = 0.1, lambda2 = 0.01)$A
#' trend_filter(5, lambda = 1, order = 1)$A
#' @name regulariser
NULL

new_regulariser <- function(name, A, weights, edges = NULL, leak = NULL) {
  structure(list(
    name = name, A = A, weights = as.double(weights), penalty = penalty_l1(1),
    edges = edges, leak = leak
  ), class = "dpadmm_regulariser")
}

#' @rdname regulariser
#' @export
graph_guided <- function(W, lambda1, lambda2 = lambda1, d = NULL) {
  graph <- feature_differences(W, d)
  first <- row_weights(lambda1, nrow(graph$W), "lambda1")
  second <- check_weight(lambda2, "lambda2")
  p <- ncol(graph$W)
  new_regulariser("graph-guided fused lasso",
    A = rbind(graph$W, Matrix::Diagonal(p)), weights = c(first, rep(second, p)),
    edges = graph$edges, leak = graph$leak
  )
}

#' @rdname regulariser
#' @export
fused_lasso <- function(d, lambda1, lambda2 = 0) {
  d <- check_number(d, "d", lower = 2, upper = 1e7, whole = TRUE)
  out <- graph_guided(cbind(seq_len(d - 1), seq_len(d - 1) + 1), lambda1, lambda2, d)
  out$name <- "fused lasso"
  out
}

#' @rdname regulariser
#' @export
trend_filter <- function(d, lambda, order = 1) {
  order <- check_number(order, "order", lower = 0, upper = 10, whole = TRUE)
  d <- check_number(d, "d", lower = order + 2, upper = 1e7, whole = TRUE)
  D <- Matrix::Diagonal(d)
  for (k in seq_len(order + 1)) D <- D[-1L, , drop = FALSE] - D[-nrow(D), , drop = FALSE]
  out <- generalised_lasso(D, lambda)
  out$name <- sprintf("trend filtering of order %d", as.integer(order))
  out
}

#' @rdname regulariser
#' @export
generalised_lasso <- function(D, lambda) {
  D <- check_matrix(D, "D")
  new_regulariser("generalised lasso", D, row_weights(lambda, nrow(D), "lambda"))
}

#' @export
print.dpadmm_regulariser <- function(x, ...) {
  check_no_dots(...)
  edges <- if (is.null(x$edges)) "" else sprintf(", %d edges", nrow(x$edges))
  cat(sprintf(
    "<dpadmm_regulariser: %s; A is %d x %d%s>\n", x$name, nrow(x$A), ncol(x$A), edges
  ))
  invisible(x)
}

row_weights <- function(lambda, m, argument) {
  check_numbers(lambda, argument, lower = 0)
  if (!(length(lambda) %in% c(1L, m))) {
    abort("shape", sprintf(
      "`%s` must have length 1 or %d (one a row), not %d.", argument, m, length(lambda)
    ), argument = argument, value = length(lambda))
  }
  rep_len(as.double(lambda), m)
}

#' The differences over a graph's edges, or a matrix as it is.
#' @noRd
feature_differences <- function(W, d) {
  if (is.data.frame(W)) W <- as.matrix(W)
  leak <- NULL
  names <- NULL
  if (inherits(W, "dpadmm_feature_graph")) {
    edges <- W$edges
    d <- W$d
    names <- W$features
    leak <- W$leak
  } else if (inherits(W, "igraph")) {
    need_package("igraph", "converting its graphs")
    if (igraph::is_directed(W)) abort("network", "`W` must be undirected.", argument = "W")
    edges <- igraph::as_edgelist(W, names = FALSE)
    d <- igraph::vcount(W)
  } else if (inherits(W, "dpadmm_network")) {
    if (is.null(W$n)) abort("argument", "`W` must be a network of a known size.", argument = "W")
    W <- list_edges(resolve_network(W, W$n))
    edges <- W$edges
    d <- W$n
  } else if (is_edge_list(W)) {
    edges <- W
  } else {
    W <- check_matrix(W, "W")
    if (!is.null(d) && ncol(W) != d) {
      abort("shape", sprintf("`W` must have %d columns (one a feature), not %d.", d, ncol(W)),
        argument = "W"
      )
    }
    return(list(W = W, edges = NULL, leak = NULL))
  }
  edges <- check_edges(edges, d)
  if (is.null(d)) d <- max(edges)
  k <- seq_len(nrow(edges))
  W <- Matrix::sparseMatrix(
    i = c(k, k), j = c(edges[, 1L], edges[, 2L]), x = rep(c(1, -1), each = length(k)),
    dims = c(length(k), d), dimnames = list(NULL, names)
  )
  list(W = W, edges = edges, leak = leak)
}

#' Differences have entries of both signs: two columns of whole numbers >= 1 are edges.
#' @noRd
is_edge_list <- function(W) {
  is.matrix(W) && is.numeric(W) && ncol(W) == 2L && nrow(W) > 0L && !anyNA(W) &&
    all(W >= 1 & W == round(W))
}

#' Each edge once, the smaller index first.
#' @noRd
check_edges <- function(edges, d) {
  edges <- unname(cbind(pmin(edges[, 1L], edges[, 2L]), pmax(edges[, 1L], edges[, 2L])))
  if (any(loop <- edges[, 1L] == edges[, 2L])) {
    abort("network", sprintf("`W` has a self-loop at feature %d.", as.integer(edges[loop, 1L][1L])),
      argument = "W", place = edges[loop, 1L][1L]
    )
  }
  if (!is.null(d) && nrow(edges) && max(edges) > check_number(d, "d", lower = 1, whole = TRUE)) {
    abort("shape", sprintf(
      "`W` has an edge of feature %d, but there are %d features.",
      as.integer(max(edges)), as.integer(d)
    ), argument = "W", value = max(edges))
  }
  unique(edges)
}

#' A graph over features from records
#'
#' Sparse inverse covariance selection: an edge where the graphical lasso's estimate of the
#' inverse correlation matrix is not zero. It reads the records without noise, so unless `x`
#' is public a private fit that uses the graph leaks; there is a warning of class
#' `dpadmm_privacy_leak` and a line in the fit's statement.
#'
#' @param x public records: a numeric matrix, dense or sparse, with features in columns.
#' @param method `"glasso"`, the package of that name.
#' @param lambda weight of the graphical lasso's penalty on correlations, in `(0, 1)`.
#' @param public whether `x` is public, or such that its graph may be known.
#' @param ... further arguments of `glasso::glasso()`.
#' @return An object of class `dpadmm_feature_graph` for [graph_guided()]: a list with
#'   `edges` (two columns of indices), `d` and `features` (names or `NULL`). Features that do
#'   not vary have no edges.
#'
#'   Errors: `dpadmm_error_package` without glasso.
#' @source El Ghaoui, Banerjee and d'Aspremont (2008), Model selection through sparse maximum
#'   likelihood estimation for multivariate Gaussian or binary data; Friedman, Hastie and
#'   Tibshirani (2008), Sparse inverse covariance estimation with the graphical lasso.
#' @examplesIf requireNamespace("glasso", quietly = TRUE)
#' x <- matrix(rnorm(300), 100)
#' x[, 2] <- x[, 1] + x[, 2] / 2
#' graph <- feature_graph(x, lambda = 0.3, public = TRUE)
#' graph_guided(graph, lambda1 = 0.1)
#' @export
feature_graph <- function(x, method = "glasso", lambda = 0.1, public = FALSE, ...) {
  x <- check_matrix(x, "x")
  method <- check_choice(method, "glasso", "method")
  check_number(lambda, "lambda", lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
  check_flag(public, "public")
  need_package("glasso", "feature_graph()")
  leak <- NULL
  if (!public) {
    leak <- "the graph over the features"
    warn("privacy_leak", paste(
      "The graph is read from the records without noise. Use a public graph or public records",
      "(`public = TRUE`) for a private fit."
    ), argument = "x")
  }
  correlation <- correlations(x)
  varies <- which(diag(correlation) > 0)
  edges <- matrix(integer(0), 0L, 2L)
  if (length(varies) > 1L) {
    found <- glasso::glasso(correlation[varies, varies], rho = lambda, ...)$wi
    edges <- which(found != 0 & upper.tri(found), arr.ind = TRUE)
    edges <- cbind(varies[edges[, 1L]], varies[edges[, 2L]])
  }
  structure(list(edges = edges, d = ncol(x), features = colnames(x), method = method, leak = leak),
    class = "dpadmm_feature_graph"
  )
}

#' Correlations of the columns, 0 for those that do not vary; x is never made dense.
#' @noRd
correlations <- function(x) {
  n <- nrow(x)
  mean <- Matrix::colMeans(x)
  covariance <- as.matrix(Matrix::crossprod(x)) / n - tcrossprod(mean)
  scale <- diag(covariance)
  # what rounding leaves of a constant column's variance is no variance
  flat <- scale <= 1e-12 * (scale + mean^2)
  scale <- ifelse(flat, 0, 1 / sqrt(pmax(scale, .Machine$double.xmin)))
  out <- covariance * scale * rep(scale, each = length(scale))
  diag(out) <- as.double(!flat)
  out
}

#' @export
print.dpadmm_feature_graph <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf(
    "<dpadmm_feature_graph: %d features, %d edges, by %s%s>\n", x$d, nrow(x$edges), x$method,
    if (is.null(x$leak)) "" else "; read from records"
  ))
  invisible(x)
}
