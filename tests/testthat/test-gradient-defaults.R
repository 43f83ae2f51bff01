# What gradient methods do when they are not told.

skip_on_cran()

made <- function(method = acc_admm(), d = 20, sizes = 40000, epsilon = 1, delta = 1e-5, ...) {
  dpadmm_plan(d, sizes, method = method, epsilon = epsilon, delta = delta, ...)
}

# How far the model of a run goes against a gradient of 1, by the steps as they are written.
travelled <- function(plan) {
  T <- plan$iterations
  step <- if (is.null(plan$constraint)) plan[["step"]] else plan$eta / plan$gamma
  theta <- 1
  x <- before <- ahead <- 0
  path <- numeric(T)
  for (t in seq_len(T)) {
    x <- ahead + step
    after <- (1 + sqrt(1 + 4 * theta^2)) / 2
    ahead <- x + if (isTRUE(plan$accelerated)) (theta - 1) / after * (x - before) else 0
    theta <- after
    before <- path[t] <- x
  }
  switch(if (is.null(plan$average)) "last" else plan$average,
    last = x, mean = mean(path), weighted = stats::weighted.mean(path, seq_len(T)))
}

smoothness <- function(plan) {
  C <- plan$problem$C
  (if (is.null(C)) 1 else C) * plan$problem$loss$curvature * plan$problem$row_bound^2
}

# The time that noise leaves, from the noise that the plan was calibrated to.
due <- function(plan) {
  bound <- plan$problem$row_bound * if (is.null(plan$problem$C)) 1 else plan$problem$C
  parts <- if (is_secure(plan)) plan$noise / sqrt(plan$secure$honest) else plan$noise
  sd <- sqrt(sum(matrix(parts, plan$problem$N)[, 1]^2))
  q <- 0.3 / (sd / sqrt(plan$iterations) / bound)
  q / sqrt(1 + plan$problem$d / q)
}

test_that("a run takes the time that its noise leaves", {
  for (method in list(acc_admm(), grad_admm(), acc_admm(average = "last"), acc_admm(average =
    "mean"), acc_admm(rho = 2), acc_admm(gamma = 3), acc_admm(eta = 0.5), dp_sgd(), dp_sgd(0.5),
    dp_sgd(neighbours = "add-remove"))) {
    for (plan in list(made(method), made(method, 50, c(3000, 1000), c(1, 2)))) {
      time <- travelled(plan) * smoothness(plan)
      if (plan$iterations < 1000) expect_gt(time, 0.999 * due(plan))
      # a step fewer would not do, or the step is shorter
      expect_lt(time, due(plan) * (1 + 3 / plan$iterations))
    }
  }
  three <- made(acc_admm(), iterations = 500)
  expect_equal(travelled(three) * smoothness(three), due(three), tolerance = 1e-3)
  few <- made(acc_admm(), iterations = 20)
  expect_equal(few$eta, 4)
  expect_equal(few$gamma, few$eta * few$rho + 1)
})

test_that("holders of a secure sum take a curator's steps, or what their shared noise leaves", {
  steps <- function(plan) plan[c("iterations", "eta", "gamma", "step")]
  shared <- function(method, honest, failures, ...) {
    made(method, sizes = rep(800, 50), aggregation = secure_sum(honest, failures), ...)
  }
  for (method in list(acc_admm(), grad_admm(), dp_sgd())) {
    expect_equal(steps(shared(method, 50, 0)), steps(made(method)), tolerance = 1e-9)
    for (plan in list(shared(method, 49, 1), shared(method, 5, 20),
      shared(method, 5, 20, epsilon = rep(c(2, 0.5), 25)))) {
      time <- travelled(plan) * smoothness(plan)
      if (plan$iterations < 1000) expect_gt(time, 0.999 * due(plan))
      expect_lt(time, due(plan) * (1 + 3 / plan$iterations))
    }
    given <- shared(method, 49, 50, iterations = 40)
    expect_lt(travelled(given) * smoothness(given), due(given) * (1 + 1e-3))
  }
})

test_that("steps are at most as long as is sure to descend, and at most a thousand", {
  for (epsilon in c(0.01, 0.3, 8, 1e4)) {
    for (method in list(acc_admm(), grad_admm())) {
      plan <- made(method, epsilon = epsilon)
      expect_lte(plan$eta / plan$gamma, 1 / (smoothness(plan) + plan$rho) * (1 + 1e-9))
      expect_true(plan$iterations %in% 10:1000)
    }
  }
  expect_identical(made(grad_admm(), epsilon = 8)$iterations, 1000L)
  expect_lt(made(acc_admm(), epsilon = 8)$iterations, 500)
})

test_that("more budget and records mean a longer run, more holders and columns a shorter one", {
  for (method in list(acc_admm(), grad_admm(), dp_sgd())) {
    grows <- function(plans) {
      expect_true(all(diff(vapply(plans, travelled, 0)) > 0))
      expect_false(is.unsorted(vapply(plans, function(p) p$iterations, 0L)))
    }
    grows(lapply(c(0.1, 0.5, 2), function(epsilon) made(method, epsilon = epsilon, sizes = 5000)))
    grows(lapply(c(500, 2000, 10000), function(n) made(method, sizes = n)))
    grows(lapply(c(50, 10, 2, 1), function(N) made(method, sizes = rep(5000 / N, N))))
    grows(lapply(c(200, 50, 5), function(d) made(method, d, 5000)))
  }
  # of equal sums of squares of noise: the same
  expect_identical(made(sizes = rep(1000, 4), epsilon = 1)$iterations,
    made(sizes = c(10, 90, 900, 3000), epsilon = 1)$iterations)
  two <- c(a = 5000, b = 5000)
  expect_lt(made(sizes = two, per_person = 3)$iterations, made(sizes = two)$iterations)
})

test_that("units do not matter", {
  one <- made(penalty = penalty_l2(0.01))
  other <- made(C = 8, penalty = penalty_l2(0.72), control = dpadmm_control(row_bound = 3))
  expect_identical(one$iterations, other$iterations)
  half <- made(C = 8, penalty = penalty_l2(0.08))
  expect_equal(8 * half$eta / half$gamma, one$eta / one$gamma, tolerance = 1e-6)
  plain <- made()
  wide <- made(control = dpadmm_control(row_bound = 3))
  r <- wide$problem$row_bound / plain$problem$row_bound
  expect_identical(wide$iterations, plain$iterations)
  expect_equal(r^2 * wide$eta / wide$gamma, plain$eta / plain$gamma, tolerance = 1e-6)
})

test_that("a pure budget has few steps, and noise enough for all of them", {
  for (method in list(acc_admm(), grad_admm())) {
    pure <- made(method, delta = 0)
    expect_lt(pure$iterations, made(method)$iterations)
    sd <- sqrt(pure$problem$d + 1) / pure$noise[1]
    q <- 0.3 / (sd / sqrt(pure$iterations))
    time <- travelled(pure) * smoothness(pure)
    expect_equal(time, q / sqrt(1 + pure$problem$d / q), tolerance = 1e-3)
  }
})

test_that("settings are finite for whatever is asked", {
  cases <- list(
    list(sizes = 1), list(sizes = rep(1, 200)), list(sizes = 2e9, epsilon = 100),
    list(epsilon = 1e-5, sizes = 10), list(epsilon = 1e6), list(d = 10000, sizes = 100),
    list(epsilon = 1e-3, delta = 0, sizes = 5), list(epsilon = 1e5, delta = 0),
    list(control = dpadmm_control(row_bound = 1e-6)), list(penalty = penalty_l2(1e6))
  )
  for (case in cases) {
    for (method in list(acc_admm(), grad_admm(), dp_sgd())) {
      if (identical(case$delta, 0) && method$name == "dp_sgd") next
      plan <- do.call(made, c(list(method), case))
      numbers <- c(plan$eta, plan$gamma, plan$rho, plan[["step"]], plan$iterations, plan$noise)
      expect_true(all(is.finite(numbers) & numbers > 0))
      expect_lte(plan$iterations, 1000)
    }
  }
})

test_that("without a budget, and with samples, settings are as they were", {
  for (plan in list(made(acc_admm(clip = 0.1), epsilon = Inf), dpadmm_plan(20, 40000,
    method = acc_admm(), noise = gaussian_noise(0.01), delta = 1e-5))) {
    expect_equal(plan[c("eta", "rho", "gamma", "average")],
      list(eta = 4, rho = 1, gamma = 5, average = "last"))
  }
  expect_identical(plan$iterations, 50L)
  sampled <- made(dp_sgd(batch = 0.1))
  expect_identical(c(sampled[["step"]], sampled$iterations), c(1, 50))
})

test_that("the plan says what it settled", {
  plan <- made(acc_admm())
  expect_output(print(summary(plan)), sprintf("%d of length %.3g \\(rho 0.025\\).*weighted mean",
    plan$iterations, plan$eta / plan$gamma))
  expect_output(print(summary(made(dp_sgd()))), "iterations +[0-9]+ of length 4")
  expect_error(acc_admm(average = "first"), class = "dpadmm_error_argument")
})

test_that("a weighted mean gives iterate t the weight t", {
  x <- matrix(seeded_normals(600, 1), 100) / 6
  y <- ifelse(x[, 1] > 0, 1, -1)
  fit <- function(average) {
    dpadmm_fit(x, y, method = acc_admm(average = average), penalty = penalty_l1(0.01),
      epsilon = 2, delta = 1e-5, iterations = 7, seed = 1, intercept = FALSE, rows = "shorten")
  }
  last <- fit("last")
  weighted <- fit("weighted")
  # the time of their own; the same records and draws
  expect_equal(as.vector(coef(weighted)), as.vector(1:7 %*% weighted$iterates) / 28)
  expect_equal(as.vector(coef(last)), as.vector(last$iterates[7, ]))
})

# Excess loss over the best model.
lost <- function(data, epsilon, ..., nodes = NULL, penalty = NULL, loss = "logistic") {
  run <- function(method, epsilon, iterations = NULL) {
    fit <- suppressWarnings(dpadmm_fit(data$x, data$y, nodes = nodes, method = method,
      penalty = penalty, loss = loss, epsilon = epsilon, delta = 1e-5, iterations = iterations,
      intercept = FALSE, rows = "shorten"))
    evaluate(fit, data$x, data$y)$objective
  }
  mean(vapply(1:4, function(k) run(..., epsilon = epsilon), 0)) - run(acc_admm(), Inf)
}

test_that("default settings lose less than half of what 50 steps of 1 / L did", {
  n <- 6000
  x <- matrix(seeded_normals(n * 10, 5), n) * rep(1 / (1:10), each = n) / 1.5
  y <- ifelse(x[, 1] - 2 * x[, 3] + 3 * x[, 7] + 0.3 * seeded_normals(n, 6) > 0.2, 1, -1)
  data <- list(x = x, y = y)
  old <- lost(data, 4, acc_admm(eta = 4, rho = 1, average = "last"), iterations = 50)
  expect_lt(lost(data, 4, acc_admm()), old / 2)
  three <- rep(c("a", "b", "c"), c(4000, 1500, 500))
  old <- lost(data, 8, acc_admm(eta = 4, rho = 1, average = "last"), iterations = 50,
    nodes = three)
  expect_lt(lost(data, 8, acc_admm(), nodes = three), old / 2)
  old <- lost(data, 4, grad_admm(eta = 4, rho = 1, average = "last"), iterations = 50)
  expect_lt(lost(data, 4, grad_admm()), old / 2)
  old <- lost(data, 4, dp_sgd(step = 1), iterations = 50)
  expect_lt(lost(data, 4, dp_sgd()), old / 2)
  # a ridge that is stronger than the loss is curved
  ridge <- lost(data, 4, acc_admm(), penalty = penalty_l2(2))
  expect_lt(ridge, 1e-3)
})

test_that("runs of very many steps have defaults", {
  T <- 1e5
  expect_equal(dpadmm:::steps_reach(T, FALSE, "weighted")[T], (2 * T + 1) / 3)
  expect_equal(dpadmm:::steps_reach(T, FALSE, "mean")[T], (T + 1) / 2)
  plan <- dpadmm_plan(2, sizes = c(10, 10, 10), method = grad_admm(), epsilon = 1, delta = 1e-5,
    iterations = T)
  expect_true(is.finite(plan$eta) && plan$eta > 0)
})
