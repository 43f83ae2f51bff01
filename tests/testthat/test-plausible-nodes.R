# The noise of PP-ADMM and IPP-ADMM, worked out node by node, in networks of many nodes.

delta <- 1e-4

test_that("a hundred uneven nodes, every network: each spends its budget, as it would alone", {
  N <- 101
  sizes <- 20 + (seq_len(N) * 37) %% 211
  n <- sum(sizes)
  many <- outer(seq_len(n), sqrt(c(2, 3, 5)), function(n, step) (n * step) %% 1 - 0.4) / 2
  labels <- ifelse(drop(many %*% c(3, -2, 1)) > 0, 1, -1)
  holder <- rep(seq_len(N), sizes)
  path <- abs(outer(seq_len(N), seq_len(N), `-`)) == 1
  networks <- list(
    network_star(), network_complete(), network_random(N, 0.03), network_adjacency(path)
  )
  if (requireNamespace("igraph", quietly = TRUE)) {
    networks[[4]] <- as_network(igraph::make_tree(N, 3, mode = "undirected"))
  }
  for (k in seq_along(networks)) {
    method <- if (k %% 2) pp_admm(eta = 0.5) else ipp_admm(eta = 0.5, max_sends = 3)
    fit <- dpadmm_fit(many, labels,
      nodes = holder, network = networks[[k]], method = method, C = 1, rho = 0.5, iterations = 5,
      epsilon = 1, delta = delta, seed = 1
    )
    spent <- privacy(fit)$per_node$epsilon
    expect_length(spent, N)
    expect_lte(max(spent), 1)
    expect_gt(min(spent), 1 - 1e-6)
    expect_true(all(is.finite(fit$coefficients)))
    expect_false(anyDuplicated(fit$noise$objective) > 0)
    if (k %% 2) {
      # calibrated from scratch, node by node
      for (i in c(1, 60, 101)) {
        own <- fit$events[fit$events$node == i, ]
        scale <- calibrate(function(s) {
          own$sigma <- own$sigma * s
          own
        }, 1, delta)
        expect_equal(scale, 1, tolerance = 1e-8)
      }
    }
  }
})
