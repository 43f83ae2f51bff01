# How much unlike parties count.

unlike <- c(large = 9000, middle = 700, small = 250, one = 1)
shares <- function(..., epsilon = 1, delta = 1e-5) {
  plan <- dpadmm_plan(4, sizes = unlike, ..., epsilon = epsilon, delta = delta)
  stats::setNames(plan$problem$C / sum(plan$problem$C), names(unlike))
}

test_that("records, nodes and precision share the weight as they say", {
  expect_equal(shares(weights = "nodes"), 0 * unlike + 1 / 4)
  expect_equal(shares(weights = "records"), unlike / sum(unlike))
  d <- dpadmm_plan(4, sizes = unlike, epsilon = Inf)$problem$d
  z <- gaussian_sigma(1, 1e-5)
  counts <- unlike / (1 + 64 * 16 * d * z^2 / unlike)
  expect_equal(shares(), counts / sum(counts))
  expect_equal(shares(epsilon = Inf, delta = 0), unlike / sum(unlike))
  # a party with a larger budget has less noise, and counts more
  generous <- shares(epsilon = c(1, 1, 8, 1))
  expect_gt(generous[["small"]], shares()[["small"]])
})

test_that("the share of a pure budget follows from its noise", {
  plan <- dpadmm_plan(4, sizes = unlike, epsilon = 1, method = admm(eta = 1), iterations = 6)
  z <- sqrt(6 * (plan$problem$d + 1))
  counts <- unname(unlike / (1 + 64 * 16 * plan$problem$d * z^2 / unlike))
  expect_equal(plan$problem$C / sum(plan$problem$C), counts / sum(counts))
})

test_that("precise weights have the least variance for the information, by simulation", {
  # sums of gradients of B records of norm 1 with derivatives +-1/2, and noise that hides a record
  set.seed(4)
  size <- c(40, 400, 4000)
  d <- 3
  z <- 1.7
  draws <- vapply(size, function(B) {
    records <- matrix(rnorm(B * d), B)
    mean(colSums(records / sqrt(rowSums(records^2)) * sample(c(-1, 1), B, TRUE) / 2)^2)
  }, 0)
  v <- size / 4 / d
  expect_equal(mean(replicate(400, {
    u <- rnorm(d)
    (u / sqrt(sum(u^2)) / 2)[1]^2
  })), 1 / (4 * d), tolerance = 0.15)
  expect_true(all(draws > 0))
  cost <- function(w) sum(w^2 * (v + (2 * z)^2)) / sum(w * v)^2
  best <- optim(c(1, 1), function(w) cost(c(w, 1)), control = list(reltol = 1e-14))$par
  ours <- 1 / (1 + 16 * d * z^2 / size)
  expect_equal(c(best, 1), ours / ours[3], tolerance = 1e-3)
})

test_that("a weight for each party is taken as it is, by name, and lambda is rho / (N C)", {
  C <- c(2, 1, 0.5, 0.1)
  plan <- dpadmm_plan(4, sizes = unlike, epsilon = 1, delta = 1e-5, C = C)
  expect_equal(plan$problem$C, C)
  plan <- dpadmm_plan(4, sizes = unlike, epsilon = 1, delta = 1e-5, lambda = 0.02, C = 0.01)
  expect_equal(plan$problem$rho / sum(plan$problem$C), 0.02)
  expect_equal(mean(plan$problem$C), 0.01)
  default <- dpadmm_plan(4, sizes = c(500, 700), epsilon = 1, delta = 1e-5)$problem
  expect_equal(default$rho / sum(default$C), 1 / 1200)
  expect_error(dpadmm_plan(4, sizes = unlike, epsilon = 1, delta = 1e-5, lambda = 1, rho = 1),
    class = "dpadmm_error_argument"
  )
  expect_error(
    dpadmm_plan(4, sizes = unlike, epsilon = 1, delta = 1e-5, C = C, weights = "nodes"),
    class = "dpadmm_error_argument"
  )
  expect_error(dpadmm_plan(4, sizes = unlike, epsilon = 1, delta = 1e-5, C = c(2, 2, 2, 2)),
    'node "one"', class = "dpadmm_error_argument"
  )
  expect_error(dpadmm_plan(4, sizes = 100, epsilon = 1, delta = 1e-5, method = dp_sgd(),
    weights = "nodes"
  ), "does not use", class = "dpadmm_error_argument")
})

test_that("a record is hidden to the same degree whatever its party weighs", {
  for (weights in c("precision", "records", "nodes")) {
    plan <- dpadmm_plan(4, sizes = unlike, epsilon = 1, delta = 1e-5, weights = weights)
    spent <- privacy(plan)
    expect_equal(spent$per_node$epsilon, rep(1, 4), tolerance = 1e-3, info = weights)
  }
})

test_that("a party of one record does not spoil the model of the others", {
  set.seed(3)
  n <- 8001
  x <- cbind(1, runif(n), runif(n)) / sqrt(3)
  y <- ifelse(runif(n) < plogis(-3 + 6 * x[, 2] * sqrt(3)), 1, -1)
  who <- rep(c("a", "b", "c"), c(4000, 4000, 1))
  error <- function(rows, seed) {
    fit <- dpadmm_fit(x[rows, ], y[rows], nodes = who[rows], epsilon = 1, delta = 1e-5, seed = seed)
    mean(predict(fit, x) != y)
  }
  with <- vapply(1:8, function(seed) error(1:n, seed), 0)
  without <- vapply(1:8, function(seed) error(1:(n - 1), seed), 0)
  expect_lt(mean(with), mean(without) + 2 * sqrt(var(with) + var(without)) / sqrt(8) + 1e-3)
})

test_that("no party weighs more than its records by default, to the last bit", {
  # there the product of the weight and the share may round above the number of records
  set.seed(5)
  for (k in 1:60) {
    sizes <- sample(20:9000, 2)
    plan <- dpadmm_plan(5, sizes, epsilon = stats::runif(2, 0.2, 3), delta = 1e-6, rho = 1,
      iterations = 2)
    expect_true(all(plan$problem$C <= sizes), label = toString(sizes))
  }
})
