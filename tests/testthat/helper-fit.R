# What the tests of dpadmm_fit()'s front door share: records on four nodes, and a fit of them.

four_nodes <- local({
  n <- 60
  x <- matrix(sin(seq_len(3 * n) * sqrt(2)), n) / 2
  y <- ifelse(x[, 1] + 0.3 * cos(seq_len(n)) > 0, 1, -1)
  list(n = n, x = x, y = y, nodes = rep_len(1:4, n))
})

# Method and C are spelt out: their defaults depend on the budget, the row bound and the sizes.
plain_method <- function() mr_admm(eta = 1, growth = 1, gamma = 0.5)

fit_four_nodes <- function(..., .x = four_nodes$x, .y = four_nodes$y, .nodes = four_nodes$nodes,
                           method = plain_method(), C = 1, epsilon = Inf, iterations = 6) {
  dpadmm_fit(.x, .y,
    nodes = .nodes, method = method, C = C, ..., epsilon = epsilon, iterations = iterations
  )
}

#' Unnamed coefficients of every node, as they were released.
node_coefficients <- function(model) unname(coef(model, node = "all", scale = "schema"))
