# Networks in print and drawn; coefficients drawn.

pdf(NULL)

#' How many characters a plot puts on the page, and the coordinates it returns.
drawn <- function(code) {
  dev.control("enable")
  at <- force(code)
  calls <- vapply(recordPlot()[[1]], function(call) {
    name <- call[[2]][[1]]$name
    if (is.null(name)) "" else name
  }, "")
  list(at = at, texts = sum(calls == "C_text"), segments = sum(calls == "C_segments"))
}

test_that("print and summary give nodes, edges and degrees", {
  expect_output(print(network_ring(6)), "ring, 6 nodes, 6 edges, 2 neighbours a node", fixed = TRUE)
  expect_output(print(network_star(5)), "star, 5 nodes, 4 edges, 1 to 4 neighbours", fixed = TRUE)
  expect_output(print(network_complete()), "complete, as many nodes as the fit>", fixed = TRUE)
  A <- matrix(c(0, 1, 1, 1, 0, 0, 1, 0, 0), 3, dimnames = list(c("a", "b", "c"), NULL))
  facts <- summary(network_adjacency(A))
  expect_identical(facts$degree, c(a = 2L, b = 1L, c = 1L))
  expect_identical(c(facts$nodes, facts$edges), c(3L, 2L))
  expect_output(print(facts), "adjacency network of 3 nodes with 2 edges", fixed = TRUE)
  expect_output(print(summary(network_ring())), "as many nodes as the fit", fixed = TRUE)
  expect_null(summary(network_ring())$degree)
})

test_that("a network is drawn with its nodes apart, and its own picture each", {
  ring <- drawn(plot(network_ring(6)))
  expect_identical(dim(ring$at), c(6L, 2L))
  expect_equal(rowSums(ring$at^2), rep(1, 6))
  # neighbours of a ring are next to each other
  expect_equal(rowSums((ring$at - ring$at[c(2:6, 1), ])^2), rep(1, 6))
  expect_identical(c(ring$texts, ring$segments), c(1L, 1L))
  star <- plot(network_star(), n = 5)
  expect_equal(star[1, ], c(0, 0))
  expect_equal(rowSums(star[-1, ]^2), rep(1, 4))
  set.seed(4)
  network <- network_random(200, 0.02)
  before <- .Random.seed
  large <- drawn(plot(network))
  expect_identical(.Random.seed, before)
  expect_identical(large$texts, 0L) # 200 labels could not be read
  expect_identical(dim(large$at), c(200L, 2L))
  expect_gt(min(dist(large$at)), 0)
  expect_equal(max(rowSums(large$at^2)), 1)
  expect_identical(plot(network), large$at)
  expect_identical(drawn(plot(network_ring(4), labels = FALSE))$texts, 0L)
  plan <- dpadmm_plan(2, c(north = 20, south = 30, west = 10), epsilon = 1)
  expect_identical(dim(plot(plan$problem$network)), c(3L, 2L))
  expect_blame(plot(network_ring()), "argument", "n", "from the fit")
  expect_blame(plot(network_ring(4), labels = "a"), "shape", "labels", "length 4")
  expect_blame(plot(network_ring(4), n = 5), "nodes", "network", "4 nodes")
})

test_that("labels stand beside their nodes", {
  at <- rbind(c(0, 0), c(3, 4), c(0, -1))
  expect_equal(sqrt(rowSums((beside(at, 0.1) - at)^2)), rep(0.1, 3))
  expect_equal(beside(at, 0.5)[2:3, ], rbind(c(3.3, 4.4), c(0, -1.5)))
})

test_that("coefficients are drawn without the intercept, largest first", {
  data <- data.frame(four_nodes$x, y = four_nodes$y)
  public <- dpadmm_schema(X1 = c(-0.5, 0.5), X2 = c(-0.5, 0.5), X3 = c(-0.5, 0.5))
  model <- dpadmm_fit(y ~ ., data, nodes = 4, schema = public, epsilon = Inf)
  expect_identical(plot(model, "coefficients"), model)
  expect_identical(plot(model, "coefficients", largest = 1, main = "Model"), model)
  given <- c("(Intercept)" = 9, a = 1, b = -3, c = 2)
  expect_identical(largest_slopes(given, 2), c(b = -3, c = 2))
  expect_identical(largest_slopes(given[1], 2), given[1])
  expect_blame(plot(model, "weights"), "argument", "what", '"run", "coefficients"')
  expect_blame(plot(model, "coefficients", largest = 0), "argument", "largest", place = 1)
})

dev.off()
