# Edges of unlike nodes, the model of all, and what is said of a holder alone.

unlike_sizes <- c(6000, rep(100, 12), rep(10, 3))
unlike_plan <- function(..., sizes = unlike_sizes, epsilon = 1, delta = 1e-5) {
  dpadmm_plan(4, sizes = sizes, epsilon = epsilon, delta = delta, ...)
}

test_that("edges weigh as the nodes they join, and are alike where nodes are", {
  plan <- unlike_plan()
  problem <- plan$problem
  factor <- problem$network$factor
  N <- problem$N
  W <- outer(factor, factor) * (1 - diag(N))
  expect_equal(problem$degree, rowSums(W) + problem$network$self)
  share <- problem$C / sum(problem$C)
  expect_gt(problem$degree[1] / sum(problem$degree), 0.9 * share[1])
  expect_true(all(problem$degree > 0) && all(problem$network$self >= 0))
  for (plain in list(unlike_plan(sizes = rep(500, 5)), unlike_plan(method = mr_admm(eta = 1)),
    unlike_plan(weights = "nodes"), unlike_plan(epsilon = Inf, delta = 0))) {
    expect_null(plain$problem$network$factor)
    expect_equal(plain$problem$degree, rep(plain$problem$N - 1, plain$problem$N))
  }
  # who sends how much to whom is as before
  expect_identical(unique(summary(plan)$traffic$neighbours), N - 1L)
})

test_that("masses are shares, but at least what is asked for", {
  share <- c(8, 1, 1, 0.1)
  got <- dpadmm:::shared_mass(share, c(0.5, 0.5, 3, 0.5), 12)
  expect_equal(sum(got), 12)
  expect_equal(got[3:4], c(3, 0.5))
  expect_equal(got[1] / got[2], 8) # what is left is shared as it should be
  expect_equal(dpadmm:::shared_mass(share, 0 * share, 12), 12 * share / sum(share))
  expect_equal(dpadmm:::shared_mass(share, c(10, 20, 5, 5), 20), c(5, 10, 2.5, 2.5))
})

test_that("recycled updates over weighted edges are those of their equation", {
  sizes <- c(400, 60, 20)
  nodes <- rep(1:3, sizes)
  x <- matrix(seeded_normals(sum(sizes) * 3, 8), ncol = 3)
  y <- sign(x[, 1] + 0.3 * seeded_normals(sum(sizes), 9))
  for (network in c("complete", "star")) for (engine in c("local", "stepwise")) {
    fit <- dpadmm_fit(x, y, nodes = nodes, network = network, epsilon = 5, delta = 1e-5, seed = 3,
      control = dpadmm_control(keep_iterates = TRUE, engine = engine, progress = FALSE))
    plan <- fit$plan
    facts <- list_edges(plan$problem$network)
    A <- matrix(0, 3, 3)
    A[facts$edges] <- 1
    W <- outer(facts$factor, facts$factor) * (A + t(A)) + diag(facts$self)
    V <- rowSums(W)
    expect_gt(diff(range(V / rowSums(A + t(A)))), 0.1)
    f <- lambda <- matrix(0, 3, 3)
    for (t in seq(1, plan$iterations - 1, 2)) {
      e <- plan$eta[1, t]
      now <- fit$iterates[t, , ]
      kkt <- -(2 * lambda - e * (V * f + W %*% f)) - 2 * e * V * now
      lambda <- lambda + plan$theta[, t] / 2 * (V * now - W %*% now)
      f <- now - (kkt + 2 * lambda + e * (V * now - W %*% now)) / (2 * e * V + plan$gamma)
      expect_equal(unname(fit$iterates[t + 1, , ]), unname(f), tolerance = 1e-9)
    }
    share <- plan$problem$C / sum(plan$problem$C)
    expect_equal(unname(coef(fit)), as.vector(share %*% fit$coefficients))
    path <- loss_trace(fit, x, y)
    expect_equal(tail(path$loss, 1), evaluate(fit, x, y)$loss)
  }
})

test_that("one large holder among many small ones does no worse than alone", {
  sizes <- c(6000, rep(100, 40), rep(10, 9))
  n <- sum(sizes)
  d <- 4
  x <- matrix(stats::pnorm(seeded_normals(n * d, 1)), n)
  coin <- stats::pnorm(seeded_normals(n, 2))
  y <- ifelse(coin < stats::plogis(4 * x[, 1] - 4 * x[, 2]), 1, -1)
  loss <- function(sizes, seed) {
    own <- seq_len(sum(sizes))
    fit <- dpadmm_fit(x[own, ] / 2, y[own], nodes = rep(seq_along(sizes), sizes), epsilon = 0.5,
      delta = 1e-5, seed = seed, intercept = TRUE)
    evaluate(fit, x / 2, y)$loss
  }
  behind <- vapply(1:4, function(seed) loss(sizes, seed) - loss(c(3000, 3000), seed), 0)
  expect_lt(mean(behind), 0.005)
})

test_that("a plan says when its largest holder alone would do better", {
  for (epsilon in c(0.5, 8)) {
    expect_null(unlike_plan(epsilon = epsilon)$expected$alone)
    alone <- unlike_plan(epsilon = epsilon, weights = "nodes")$expected$alone
    expect_identical(alone$name, "1")
    expect_gt(alone$ratio[2], 1.2 * alone$ratio[1])
    # about what a plan of its halves is forecast to be, and wherever the holder stands
    halves <- unlike_plan(sizes = c(3000, 3000), epsilon = epsilon)
    truth <- dpadmm:::signal_over_error(halves$expected, halves$problem)
    expect_equal(alone$ratio[2], truth, tolerance = 0.1)
    last <- unlike_plan(sizes = rev(unlike_sizes), epsilon = epsilon, weights = "nodes")
    expect_equal(last$expected$alone$ratio, alone$ratio)
  }
  expect_null(unlike_plan(sizes = rep(500, 4), weights = "nodes")$expected$alone)
  plan <- unlike_plan(epsilon = 8, weights = "nodes")
  expect_output(print(plan), "alone\\s+are\\s+forecast\\s+to\\s+do\\s+better")
  x <- matrix(seeded_normals(sum(unlike_sizes) * 4, 1), ncol = 4)
  expect_warning(
    dpadmm::dpadmm_fit(plan, x, sign(x[, 1]), nodes = rep(seq_along(unlike_sizes), unlike_sizes)),
    "alone", class = "dpadmm_warning_utility"
  )
})

test_that("steps of a pure budget do not overshoot for good, however many records there are", {
  n <- 20000
  x <- matrix(seeded_normals(n * 4, 1), n)
  x <- x / sqrt(rowSums(x^2))
  y <- ifelse(stats::pnorm(seeded_normals(n, 2)) < stats::plogis(4 * x[, 1]), 1, -1)
  for (epsilon in c(0.5, 2, 8)) {
    fit <- dpadmm_fit(x, y, nodes = rep(1:2, n / 2), epsilon = epsilon, seed = 1)
    expect_lt(evaluate(fit, x, y)$loss, log(2))
  }
})

test_that("alike weights are the most precise ones for noise that hides the largest", {
  size <- c(40, 400, 4000)
  for (noise in c(0.1, 10, 1e4)) {
    cost <- function(w) (sum(w^2 * size) + max(w)^2 * noise) / sum(w * size)^2
    others <- replicate(200, cost(stats::runif(3)))
    expect_true(all(cost(rep(1, 3)) <= others))
  }
})

test_that("what a node's messages give away is found over weighted edges, too", {
  sizes <- c(40, 6, 5)
  x <- matrix(seeded_normals(sum(sizes) * 2, 8), ncol = 2)
  x <- 0.9 * x / sqrt(rowSums(x^2))
  y <- ifelse(x[, 1] > 0, 1, -1)
  # so large a budget that next to no noise is left
  fit <- dpadmm_fit(x, y, nodes = rep(1:3, sizes), epsilon = 3e4, delta = 1e-5, seed = 3,
    iterations = 8, control = dpadmm_control(keep_iterates = TRUE, progress = FALSE))
  expect_false(is.null(fit$plan$problem$network$factor))
  plan <- fit$plan
  own <- 41:45 # all of node 2 but one
  start <- matrix(0, 2, 3)
  got <- dpadmm:::missing_gradients(fit, x[own, ], y[own], 2, plan$problem$network, plan$eta,
    plan$theta, start)
  slope <- -y[46] * stats::plogis(-y[46] * as.vector(got$at %*% x[46, ]))
  expect_lt(max(abs(got$gradient - outer(slope, x[46, ]))), 0.03)
  fit$plan$problem$network$factor <- NULL
  wrong <- dpadmm:::missing_gradients(fit, x[own, ], y[own], 2, plan$problem$network, plan$eta,
    plan$theta, start)
  expect_gt(max(abs(wrong$gradient - outer(slope, x[46, ]))), 0.3)
})
