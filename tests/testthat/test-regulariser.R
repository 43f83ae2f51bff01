# Penalties, regularisers on differences, and graphs over features.

test_that("each proximal step minimises, by brute force", {
  penalties <- list(
    penalty_none(), penalty_l1(0.7), penalty_l2(0.4), penalty_elastic_net(0.3, 1.2),
    penalty_box(-0.5, 0.8), penalty_nonneg()
  )
  expect_setequal(vapply(penalties, `[[`, "", "name"), .Call(ffi_penalties))
  v <- c(-3, -0.71, -0.2, 0, 1e-8, 0.3, 0.9, 4)
  for (penalty in penalties) {
    numbers <- penalty_numbers(penalty)
    value <- function(z) .Call(ffi_penalty_values, penalty$name, numbers, matrix(z), NULL)
    for (step in c(0, 0.1, 1, 7)) {
      z <- .Call(ffi_prox, penalty$name, numbers, v, step)
      for (j in seq_along(v)) {
        cost <- function(z) step * value(z) + (z - v[j])^2 / 2
        near <- z[j] + c(-1, 1) * rep(10^seq(-6, 1, length.out = 200), each = 2)
        if (step > 0 || penalty$name != "box") {
          expect_true(all(vapply(near, cost, 0) >= cost(z[j]) - 1e-14))
        }
      }
    }
  }
  expect_identical(.Call(ffi_penalty_values, "l1", c(2, 0), matrix(c(1, -3)), NULL), 8)
  expect_identical(.Call(ffi_penalty_values, "box", c(0, 1), matrix(c(0.5, 2)), NULL), Inf)
})

test_that("penalties check their weights and print", {
  expect_error(penalty_l1(-1), class = "dpadmm_error_argument")
  expect_error(penalty_l1("a"), class = "dpadmm_error_argument")
  expect_error(penalty_l2(c(1, 2)), class = "dpadmm_error_shape")
  expect_error(penalty_elastic_net(1, NA_real_), class = "dpadmm_error_missing")
  expect_error(penalty_box(1, 1), class = "dpadmm_error_argument")
  expect_output(print(penalty_l1(0.25)), "l1; lambda = 0.25")
})

dense <- function(A) unname(as.matrix(A))

test_that("graph_guided() stacks the differences over the identity", {
  W <- rbind(c(1, -1, 0, 0), c(0, 0, 1, -1), c(0, 1, -1, 0))
  want <- rbind(W, diag(4))
  edges <- rbind(c(1, 2), c(3, 4), c(2, 3))
  by_edges <- graph_guided(edges, 0.3, 0.1)
  expect_identical(dense(by_edges$A), want)
  expect_identical(by_edges$weights, c(rep(0.3, 3), rep(0.1, 4)))
  expect_s4_class(by_edges$A, "dgCMatrix")
  expect_identical(dense(graph_guided(W, 0.3, 0.1)$A), want)
  expect_identical(dense(graph_guided(Matrix::Matrix(W, sparse = TRUE), 0.3)$A), want)
  expect_identical(dense(graph_guided(as.data.frame(edges), 0.3)$A), want)
  # each edge once, whatever its direction
  expect_identical(dense(graph_guided(rbind(edges, edges[, 2:1]), 0.3)$A), want)
  expect_identical(dim(graph_guided(edges, 0.3, d = 6)$A), c(9L, 6L))
  expect_identical(graph_guided(edges, c(1, 2, 3), 0)$weights, c(1, 2, 3, 0, 0, 0, 0))
  ring <- graph_guided(network_ring(4), 1)
  expect_identical(sort(rowSums(abs(dense(ring$A)))), c(1, 1, 1, 1, 2, 2, 2, 2))
  skip_if_not_installed("igraph")
  graph <- igraph::graph_from_edgelist(edges, directed = FALSE)
  expect_identical(dense(graph_guided(graph, 0.3)$A), want)
  expect_error(graph_guided(igraph::graph_from_edgelist(edges), 1), class = "dpadmm_error_network")
})

test_that("bad graphs are classed errors", {
  expect_error(graph_guided(rbind(c(1, 1)), 1), class = "dpadmm_error_network")
  expect_error(graph_guided(rbind(c(1, 9)), 1, d = 5), class = "dpadmm_error_shape")
  expect_error(graph_guided(matrix(0, 0, 4), 1), class = "dpadmm_error_shape")
  expect_error(graph_guided(diag(4), 1, d = 5), class = "dpadmm_error_shape")
  expect_error(graph_guided(rbind(c(1, 2)), -1), class = "dpadmm_error_argument")
  expect_error(graph_guided(rbind(c(1, 2)), c(1, 2)), class = "dpadmm_error_shape")
  expect_error(graph_guided("chain", 1), class = "dpadmm_error_argument")
  expect_error(graph_guided(network_ring(), 1), class = "dpadmm_error_argument")
})

test_that("fused lasso, trend filtering and the generalised lasso build their matrices", {
  expect_identical(dense(fused_lasso(3, 1, 2)$A), rbind(c(1, -1, 0), c(0, 1, -1), diag(3)))
  expect_identical(fused_lasso(3, 1, 2)$weights, c(1, 1, 2, 2, 2))
  expect_identical(dense(trend_filter(5, 1, order = 0)$A), dense(diff(diag(5))))
  expect_identical(dense(trend_filter(5, 1, order = 1)$A), dense(diff(diag(5), differences = 2)))
  expect_identical(dense(trend_filter(6, 1, order = 2)$A), dense(diff(diag(6), differences = 3)))
  D <- matrix(c(1, 2, 0, -1, 3, 1), 2)
  expect_identical(dense(generalised_lasso(D, 2)$A), D)
  expect_identical(generalised_lasso(D, 2)$weights, c(2, 2))
  expect_error(trend_filter(2, 1, order = 1), class = "dpadmm_error_argument")
  expect_error(fused_lasso(1, 1), class = "dpadmm_error_argument")
  expect_output(print(fused_lasso(4, 1)), "fused lasso; A is 7 x 4, 3 edges")
})

test_that("feature_graph() finds the graph and says that it reads records", {
  skip_if_not_installed("glasso")
  k <- 400
  e <- matrix(cos((1:(4 * k))^2 * 0.37), k)
  x <- cbind(a = e[, 1], b = e[, 1] + 0.5 * e[, 2], c = e[, 3], flat = 1, d = e[, 3] - 0.5 * e[, 4])
  graph <- feature_graph(x, lambda = 0.2, public = TRUE)
  expect_identical(unname(graph$edges), rbind(c(1L, 2L), c(3L, 5L)))
  expect_identical(feature_graph(Matrix::Matrix(x, sparse = TRUE), lambda = 0.2,
    public = TRUE)$edges, graph$edges)
  expect_warning(leaky <- feature_graph(x, lambda = 0.2), class = "dpadmm_privacy_leak")
  y <- ifelse(x[, 1] > 0, 1, -1)
  run <- function(graph, ...) {
    dpadmm_fit(x, y, method = grad_admm(), penalty = graph_guided(graph, 0.1), iterations = 2,
      seed = 1, ...)
  }
  told <- format(privacy(run(leaky, epsilon = 1, delta = 1e-5)))
  expect_true(any(grepl("Not covered: what was read from the records, the graph over the features",
    told)))
  expect_null(run(graph, epsilon = 1, delta = 1e-5)$leaks)
  expect_error(feature_graph(x, method = "lasso"), class = "dpadmm_error_argument")
  expect_error(feature_graph(x, lambda = 0), class = "dpadmm_error_argument")
})
