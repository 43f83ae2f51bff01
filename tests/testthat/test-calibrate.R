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
  speed <- vapply(accountants(), function(a) a$speed, "")
  for (accountant in setdiff(provers(), c("best", names(speed)[speed == "slow"]))) {
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

test_that("a good guess at the noise takes few steps", {
  asked <- 0
  counted <- function(events) function(noise) {
    asked <<- asked + 1
    events(noise)
  }
  laplace <- counted(function(b) dp_event_laplace(b, 1, count = 5))
  expect_rel(calibrate_near(laplace, 0.5, 0, "best", 10), 10, 1e-9)
  expect_lte(asked, 2)
  asked <- 0
  objective <- counted(function(s) dp_event_objective_gaussian(s, 0.02, 0.001, 1, count = 20))
  noise <- calibrate(objective, 1, 1e-5, interval = c(1e-3, 1e3))
  asked <- 0
  expect_rel(calibrate_near(objective, 1, 1e-5, "best", 0.9 * noise), noise, 1e-8)
  expect_lte(asked, 7)
})

test_that("what is set aside for the likely noise is enough for the noise that is found", {
  for (method in list(mr_admm(), m_admm(), pp_admm())) for (delta in c(0, 1e-5)) {
    plan <- dpadmm_plan(4, sizes = c(500, 700, 900), method = method, epsilon = 1, delta = delta)
    least <- 1e-6 * plan$slop
    plan$slop <- least
    likely <- likely_rounding(plan$method, with_releases(plan$method, plan))
    expect_true(all(likely$slop > least))
    expect_false(settle_rounding(plan$method, protect(plan$method, likely))$raised)
  }
})
