# Networks: which edges, who they join, and what is refused.

#' Adjacency matrix of a network of n nodes as a fit sees it.
adjacency <- function(network, n) {
  network <- dpadmm:::list_edges(dpadmm:::resolve_network(network, n))
  A <- matrix(0, n, n)
  for (i in seq_len(n)) {
    mine <- network$neighbour[seq_len(network$degree[i]) + network$start[i]] + 1L
    expect_identical(mine, sort(unique(mine)))
    A[i, mine] <- 1
  }
  expect_identical(A, t(A))
  expect_identical(diag(A), numeric(n))
  expect_equal(network$degree, rowSums(A))
  expect_equal(nrow(network$edges), sum(A) / 2)
  A
}

#' Whether every node can be reached: powers of I + A fill up.
connected <- function(A) {
  reach <- (diag(nrow(A)) + A > 0) * 1
  for (k in seq_len(nrow(A))) reach <- (reach %*% reach > 0) * 1
  all(reach > 0)
}

test_that("complete, ring and star graphs have their edges", {
  for (n in c(2, 3, 5, 12)) {
    expect_identical(adjacency(network_complete(), n), 1 - diag(n))
    ring <- matrix(0, n, n)
    ring[cbind(seq_len(n), seq_len(n) %% n + 1)] <- 1
    expect_identical(adjacency(network_ring(n), n), pmax(ring, t(ring)))
    star <- matrix(0, n, n)
    star[1, -1] <- star[-1, 1] <- 1
    expect_identical(adjacency(network_star(), n), star)
  }
})

test_that("an adjacency matrix comes back, dense, sparse, logical or weighted", {
  A <- matrix(0, 5, 5)
  A[cbind(c(1, 1, 2, 4, 3), c(2, 4, 3, 5, 4))] <- 1
  A <- A + t(A)
  for (given in list(
    A, A > 0, A * 0.3, A * 1L, Matrix::Matrix(A, sparse = TRUE), Matrix::Matrix(A > 0,
      sparse = TRUE),
    methods::as(methods::as(Matrix::Matrix(A, sparse = TRUE), "generalMatrix"), "TsparseMatrix")
  )) {
    expect_identical(adjacency(network_adjacency(given), 5), A)
    expect_identical(adjacency(as_network(given), 5), A)
  }
  skew <- A
  skew[1, 2] <- 7 # any non-zero entry is an edge
  expect_identical(adjacency(network_adjacency(skew), 5), A)
  stored <- Matrix::sparseMatrix(c(1, 2, 1, 3), c(2, 1, 3, 1), x = c(1, 1, 0, 0), dims = c(3, 3))
  expect_error(network_adjacency(stored), "disconnected", class = "dpadmm_error_network")
})

test_that("random graphs are connected, simple and of the asked density", {
  set.seed(20)
  for (n in c(2, 3, 10, 40)) {
    for (p in c(0, 0.05, 0.5, 1)) {
      A <- adjacency(network_random(n, p), n)
      expect_true(connected(A))
      if (p == 0) expect_identical(sum(A) / 2, n - 1) # a tree joins what nothing joined
      if (p == 1) expect_identical(A, 1 - diag(n))
    }
  }
  # far above the threshold no edge need be added: counts are binomial, cells alike
  draws <- replicate(200, network_random(20, 0.4)$edges, simplify = FALSE)
  edges <- sum(vapply(draws, nrow, 0L))
  z <- (edges - 200 * 190 * 0.4) / sqrt(200 * 190 * 0.4 * 0.6)
  expect_lt(abs(z), 4)
  code <- unlist(lapply(draws, function(e) 20 * e[, 1] + e[, 2]))
  cells <- table(code)
  expect_length(cells, 190)
  statistic <- sum((cells - edges / 190)^2) / (edges / 190 * 0.6)
  expect_gt(2 * min(pchisq(statistic, 189), pchisq(statistic, 189, lower.tail = FALSE)), 1e-4)
})

test_that("set.seed() repeats a random graph", {
  draw <- function(seed) {
    set.seed(seed)
    network_random(15, 0.2)
  }
  expect_identical(draw(1), draw(1))
  expect_false(identical(draw(1), draw(2)))
})

test_that("large graphs are no trouble", {
  set.seed(4)
  big <- network_random(2000, 0.001)
  expect_identical(max(dpadmm:::components(2000L, big$edges)), 1L)
  expect_identical(nrow(unique(big$edges)), nrow(big$edges))
})

test_that("components are labelled in order of their first node", {
  edges <- rbind(c(2, 5), c(5, 7), c(3, 4))
  expect_identical(dpadmm:::components(7L, edges), c(1L, 2L, 3L, 3L, 2L, 4L, 2L))
})

test_that("what is no network is refused, with the place", {
  blame <- function(code, kind, argument, message, place = NULL) {
    error <- expect_error(code, message, class = paste0("dpadmm_error_", kind))
    expect_identical(error$argument, argument)
    expect_equal(error$place, place)
  }
  ring <- matrix(c(0, 1, 1, 1, 0, 1, 1, 1, 0), 3)
  loop <- ring
  loop[2, 2] <- 1
  blame(network_adjacency(loop), "network", "A", "self-loop at node 2", 2)
  blame(network_adjacency(Matrix::Matrix(loop, sparse = TRUE)), "network", "A",
    "self-loop at node 2", 2)
  oneway <- ring
  oneway[3, 1] <- 0
  blame(network_adjacency(oneway), "network", "A", "from node 1 to node 3", c(1, 3))
  apart <- matrix(0, 5, 5)
  apart[cbind(c(1, 2, 4, 5), c(2, 1, 5, 4))] <- 1
  blame(network_adjacency(apart), "network", "A",
    "no path joins node 1 and node 3 \\(3 components\\)", 3)
  blame(network_adjacency(matrix(0, 2, 2)), "network", "A", "disconnected", 2)
  blame(network_adjacency(ring[, 1:2]), "shape", "A", "3 x 2")
  blame(network_adjacency(matrix(0, 1, 1)), "shape", "A", "1 x 1")
  blame(network_adjacency(as.data.frame(ring)), "argument", "A", "data.frame")
  blame(network_adjacency(matrix("1", 2, 2)), "argument", "A", "character")
  for (bad in list(NA, NaN, Inf)) {
    hole <- ring
    hole[3, 2] <- bad
    blame(
      network_adjacency(hole), if (is.na(bad) && !is.nan(bad)) "missing" else "finite", "A",
      "row 3, column 2", c(3, 2)
    )
  }
  twice <- ring
  rownames(twice) <- c("a", "b", "a")
  blame(network_adjacency(twice), "network", "A", "two nodes named \"a\"", 3)
  for (make in list(network_complete, network_ring, network_star, function(n) network_random(n,
    0.5))) {
    blame(make(1), "argument", "n", "\\[2", 1)
    blame(make(2.5), "argument", "n", "whole number", 1)
    blame(make(NaN), "finite", "n", "NaN", 1)
    blame(make("5"), "argument", "n", "numeric")
  }
  blame(network_random(5, -0.1), "argument", "p", "\\[0, 1\\]", 1)
  blame(network_random(5, 1.1), "argument", "p", "\\[0, 1\\]", 1)
  blame(network_random(5, NA_real_), "missing", "p", "missing", 1)
  blame(as_network("ring"), "argument", "graph", "not the character ring")
  blame(as_network(NULL), "argument", "graph", "NULL")
})

n <- 45
x <- matrix(sin(seq_len(2 * n) * sqrt(3)), n) / 2
y <- ifelse(x[, 1] > 0.05, 1, -1)
at <- rep_len(c("c", "a", "b"), n)
fit <- function(network, nodes = at) {
  dpadmm_fit(x, y, nodes = nodes, network = network, epsilon = Inf, iterations = 5)
}

test_that("row names put the nodes in their places", {
  path <- matrix(0, 3, 3) # 1 - 2 - 3
  path[cbind(c(1, 2), c(2, 3))] <- 1
  path <- path + t(path)
  named <- function(names) {
    rownames(path) <- names
    network_adjacency(path)
  }
  plain <- fit(network_adjacency(path)) # sorted: a, b, c
  expect_identical(coef(fit(named(c("a", "b", "c"))), "all"), coef(plain, "all"))
  # c in the middle: the same as calling c the second node
  middle <- fit(named(c("a", "c", "b")))
  expect_identical(rownames(coef(middle, "all")), c("a", "c", "b"))
  expect_identical(middle$nodes$size, c(15L, 15L, 15L))
  relabelled <- fit(network_adjacency(path), nodes = c(a = 1, c = 2, b = 3)[at])
  expect_identical(unname(coef(middle, "all")), unname(coef(relabelled, "all")))
  expect_gt(max(abs(coef(middle, "all")[c("a", "b", "c"), ] - coef(plain, "all"))), 1e-6)
  # the star's centre is its first node
  centre <- fit(network_star(), nodes = factor(at, c("b", "a", "c")))
  expect_equal(unname(coef(centre, "all")),
    unname(coef(fit(named(c("a", "b", "c"))), "all")[c("b", "a", "c"), ]))
  # a random split takes the network's names
  expect_identical(rownames(coef(fit(named(c("p", "q", "r")), nodes = 3), "all")), c("p", "q", "r"))
})

test_that("igraph graphs are taken as they are", {
  skip_if_not_installed("igraph")
  ring <- igraph::make_ring(4)
  expect_identical(adjacency(as_network(ring), 4), adjacency(network_ring(4), 4))
  graph <- igraph::graph_from_literal(b - a, a - c)
  network <- as_network(graph)
  expect_identical(network$names, c("b", "a", "c"))
  model <- fit(network)
  expect_identical(rownames(coef(model, "all")), c("b", "a", "c"))
  weighted <- ring
  igraph::E(weighted)$weight <- c(2, 0.5, 3, 1)
  expect_identical(adjacency(as_network(weighted), 4), adjacency(network_ring(4), 4))
  expect_error(as_network(igraph::make_ring(4, directed = TRUE)), "undirected",
    class = "dpadmm_error_network")
  expect_error(as_network(igraph::make_graph(c(1, 1, 1, 2, 2, 3), directed = FALSE)), "self-loop",
    class = "dpadmm_error_network"
  )
  expect_error(as_network(igraph::make_empty_graph(3, directed = FALSE)), "disconnected",
    class = "dpadmm_error_network"
  )
})

test_that("networks print what is known of them", {
  expect_output(print(network_complete()), "complete, as many nodes as the fit")
  expect_output(print(network_star(4)), "star, 4 nodes")
  expect_output(print(network_adjacency(1 - diag(3))), "adjacency, 3 nodes, 3 edges")
})
