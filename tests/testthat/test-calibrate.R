# From a budget to noise.

poisson <- function(sigma, q, count = 1, ...) {
  dp_event_subsampled_gaussian(sigma,
    sensitivity = 1, q = q, neighbours = "add-remove", count = count, ...
  )
}

test_that("calibrated noise spends the budget and never more", {
  cases <- list(
    list(
      function(s) dp_event_gaussian(s, 2, count = 10), c("best", "rdp", "zcdp", "pld"),
      c(1e-6, 1e6)
    ),
    list(
      function(a) dp_event_objective_gamma(a, 0.02, 0.001, 1, dim = 10, count = 20),
      c("best", "rdp", "pure"), c(1e-6, 1e6)
    ),
    list(function(b) dp_event_laplace(b, 1, count = 5), c("best", "zcdp"), c(0.1, 1e4)),
    list(function(s) poisson(s, 0.02, 100), c("rdp", "best"), c(0.3, 100)),
    list(
      function(s) dp_event_objective_gaussian(s, 0.02, 0.001, 1, count = 20), c("best", "rdp"),
      c(1e-6, 1e6)
    )
  )
  for (case in cases) for (accountant in case[[2]]) for (epsilon in c(0.3, 3)) {
    noise <- calibrate(case[[1]], epsilon, 1e-5, accountant, interval = case[[3]])
    spent <- account(case[[1]](noise), 1e-5, accountant)$epsilon
    expect_lte(spent, epsilon)
    expect_gte(spent, epsilon * (1 - 1e-6))
  }
  for (epsilon in c(1e-3, 1, 100)) {
    b <- calibrate(function(b) dp_event_laplace(b, 1, count = 5), epsilon)
    expect_rel(b, 5 / epsilon, 1e-8)
    expect_lte(account(dp_event_laplace(b, 1, count = 5))$epsilon, epsilon)
  }
})

test_that("every accountant's noise can be calibrated", {
  skip_on_cran()
  for (accountant in setdiff(provers(), c("best", "pld"))) { # pld: within its grid only, below
    for (name in names(handled(accountant, 1))) {
      at <- function(size) handled(accountant, size, count = 3)[[name]]
      size <- calibrate(at, 0.8, 1e-5, accountant, interval = c(0.5, 1e4))
      spent <- account(at(size), 1e-5, accountant)$epsilon
      expect_lte(spent, 0.8, label = paste(accountant, "of", name))
      expect_gt(spent, 0.8 * (1 - 1e-5), label = paste(accountant, "of", name))
    }
  }
})

test_that("a budget that no noise meets says so, and one that all noise meets too", {
  curved <- function(a) dp_event_objective_gamma(a, 1, 1, 1, dim = 3, count = 10)
  error <- expect_error(calibrate(curved, 1), class = "dpadmm_error_budget")
  expect_rel(error$floor, 10 * log(2), 1e-6)
  expect_rel(error$curvature, 10 * log(2), 1e-12)
  expect_identical(error$argument, "epsilon")
  # logistic curvature is free with little noise only
  tied <- function(a) {
    dp_event_objective_gamma(a, 1, 1, 1, dim = 3, logistic_curvature = TRUE, count = 10)
  }
  error <- expect_error(calibrate(tied, 1), class = "dpadmm_error_budget")
  expect_rel(error$floor, 10 * log(2), 1e-6)
  constant <- function(x) dp_event_pure(0.5)
  expect_blames(calibrate(constant, 1), "interval")
  expect_error(calibrate(constant, 0.1), class = "dpadmm_error_budget")
  expect_error(calibrate(function(s) dp_event_gaussian(s, 1), 1e-3, 1e-5, interval = c(0.1, 1)),
    class = "dpadmm_error_budget")
  for (epsilon in c(0, -1)) expect_blames(calibrate(curved, epsilon), "epsilon")
  expect_blames(calibrate(curved, 1, 1), "delta")
  expect_blames(calibrate(curved, 1, -1), "delta")
  expect_blames(calibrate(1, 1), "events")
  expect_blames(calibrate(function(x) x, 1), "events(noise)")
  expect_blames(calibrate(curved, 1, interval = c(2, 1)), "interval")
  expect_blames(calibrate(curved, 1, interval = c(0, 1)), "interval")
  expect_blames(calibrate(curved, 1, accountant = "guess"), "accountant")
})

test_that("roots of many functions are found in step, each on its safe side", {
  set.seed(11)
  root <- c(runif(40, -1, 1), 0, 1e-9, -1e-9, 3, -3)
  slope <- runif(length(root), 0.9, 3)
  calls <- 0
  f <- function(x, i) {
    calls <<- calls + 1
    -slope[i] * (x - root[i]) + 0.1 * (exp(root[i] - x) - 1)
  }
  found <- solve_together(f, length(root))
  near <- seq_len(43)
  expect_true(all(is.na(found[-near])))
  expect_true(all(f(found[near], near) <= 0))
  expect_true(all(f(found[near] - 1.02e-10, near) > 0))
  expect_lte(calls, 16)
  # steps, as of grids, and jumps
  calls <- 0
  flat <- solve_together(function(x, i) {
    calls <<- calls + 1
    pmin(0, pmax(-x - 0.5, 1e-16)) * (x > 0.2) + (x <= 0.2) * 1e-16
  }, 1L)
  expect_true(flat > 0.2 && flat <= 0.2 + 1.02e-10)
  expect_lte(calls, 120)
  stairs <- solve_together(function(x, i) ceiling(-20 * (x - 0.3)) / 20 + 0.01, 1L)
  expect_lte(abs(stairs - 0.35), 1e-9)
})

test_that("unlike parties spend their budgets exactly, as each would alone", {
  sizes <- c(40, 70, 111, 500, 90000)
  for (delta in c(1e-5, 0)) {
    plan <- dpadmm_plan(4, sizes = sizes, epsilon = c(2, 1, 1, 0.5, 1), delta = delta)
    spent <- account(plan, delta)$per_node$epsilon
    expect_true(all(spent <= plan$budget$epsilon))
    expect_rel(spent, plan$budget$epsilon, 1e-9)
    counted <- lapply(seq_along(sizes), function(i) {
      counted_releases(pick_releases(plan$releases, which(plan$releases$node == i)))
    })
    alone <- vapply(seq_along(sizes), function(i) {
      calibrate(function(unit) {
        release_events(counted[[i]], unit, plan$budget$mechanism, plan$problem)
      }, plan$budget$epsilon[i], delta)
    }, 0)
    expect_rel(as.vector(plan$unit), alone, 1e-8)
  }
})

test_that("an upper end is the same without the lower, which calibrations do not ask for", {
  mixes <- list(
    c(dp_event_laplace(10, 1, count = 50), dp_event_gaussian(20, 1)),
    dp_event_subsampled_gaussian(0.7, 1, q = 0.01, neighbours = "add-remove", count = 120),
    dp_event_laplace(3, 1, count = 7),
    dp_event_gamma(0.1, sensitivity = 1, dim = 3, count = 20)
  )
  for (events in mixes) for (delta in c(1e-10, 1e-5, 0.5)) {
    whole <- fold_events(events, delta, "pld")
    upper <- fold_events(events, delta, "pld", upper = TRUE)
    expect_identical(upper$epsilon, whole$epsilon)
    expect_identical(upper$bracket[["lower"]], 0)
  }
})

test_that("a million releases are calibrated at any delta", {
  skip_on_cran()
  million <- function(b) dp_event_laplace(b, sensitivity = 1, count = 1e6)
  for (delta in c(1e-5, 0.996)) {
    b <- calibrate(million, 1, delta)
    spent <- account(million(b), delta)$epsilon
    expect_lte(spent, 1)
    expect_gt(spent, 0.999)
  }
  # nearly Gaussian: no less noise than the losses' normal limit asks for, and not much more
  least <- gaussian_sigma(1, 0.996, sqrt(1e6))
  expect_gt(b, 0.99 * least)
  expect_lt(b, 1.01 * least)
})
