# The privacy filter of a budget: its order and allowance, what charges cost, which are admitted,
# and that an analyst who looks before each choice cannot lose more than the budget.

inside <- asNamespace("dpadmm")
new_budget <- inside$new_budget
admits <- inside$filter_admits
cost_of <- inside$charge_cost

# By the exported conversion alone: the allowance of an order is where its epsilon is reached.
allowance_at <- function(order, epsilon, delta) {
  off <- function(rdp) {
    rdp + log1p(-1 / order) - log(delta * order) / (order - 1) - epsilon
  }
  uniroot(off, c(-50, epsilon + 50), tol = 1e-12)$root
}

test_that("the order is where Gaussian noise could spend most, and its allowance is sound", {
  for (of in list(c(1, 1e-5), c(0.1, 1e-6), c(8, 1e-5), c(0.5, 1e-9), c(30, 1e-3), c(3, 0.01))) {
    budget <- new_budget(of[1], of[2])
    best <- optimize(function(y) {
      2 * allowance_at(1 + exp(y), of[1], of[2]) / (1 + exp(y))
    }, c(log(1e-2), log(1e4)), maximum = TRUE, tol = 1e-8)
    expect_equal(2 * budget$allowance / budget$order, best$objective, tolerance = 1e-5)
    expect_equal(budget$allowance, allowance_at(budget$order, of[1], of[2]), tolerance = 1e-8)
    # what is kept for noise on a grid is more than the rounding
    spent <- rdp_to_epsilon(budget$order, budget$allowance, of[2])
    expect_lt(spent, of[1])
    expect_gt(spent, of[1] * (1 - 1e-7))
  }
  # a delta too small for the epsilon: nothing is allowed but a first charge
  expect_identical(new_budget(1e-6, 1e-9)$allowance, 0)
  expect_identical(new_budget(0.7, 0)$allowance, 0.7)
})

test_that("a charge costs its divergence at that order, for the record that loses most", {
  budget <- new_budget(1, 1e-5)
  a <- budget$order
  expect_equal(cost_of(dp_event_gaussian(8, 1.5, count = 3), budget), 3 * a * (1.5 / 8)^2 / 2,
    tolerance = 1e-8
  )
  expect_gte(cost_of(dp_event_gaussian(8, 1.5, count = 3), budget), 3 * a * (1.5 / 8)^2 / 2)
  parties <- dp_event_gaussian(c(8, 4), 1, node = c("A", "B"))
  expect_identical(cost_of(parties, budget), cost_of(dp_event_gaussian(4, 1), budget))
  # what reads all records adds to the party's own; what is in another division adds up
  expect_equal(cost_of(c(parties, dp_event_gaussian(8, 1)), budget), a * (1 / 16 + 1 / 64) / 2,
    tolerance = 1e-8
  )
  expect_equal(cost_of(dp_event_laplace(5, 1), budget), rdp_laplace(a, 5), tolerance = 1e-8)
  expect_equal(cost_of(dp_event_subsampled_gaussian(2, 1, 0.1, count = 7), budget),
    7 * rdp_subsampled_gaussian(a, 0.1, 2, neighbours = "replace-one"), tolerance = 1e-8
  )
  # each coordinate that is drawn on a grid has its share
  wide <- dp_event_subsampled_gaussian(2, 1, 0.1, dim = 2^20, count = 2^10)
  ideal <- dp_event_subsampled_gaussian(2, 1, 0.1, count = 2^10)
  expect_equal(cost_of(wide, budget) - cost_of(ideal, budget), budget$allowance / 2^10,
    tolerance = 1e-6
  )
  expect_identical(cost_of(dp_event_exact(), budget), Inf)
  expect_identical(cost_of(inside$event_printed_test(1, 1, 1), budget), Inf)
  mixed <- c(dp_event_pure(1), dp_event_pure(1, neighbours = "add-remove"))
  expect_error(cost_of(mixed, budget), class = "dpadmm_error_accountant")
})

test_that("pure epsilons add, and ten tenths are one", {
  budget <- new_budget(1)
  tenth <- dpadmm_plan(3, sizes = c(80, 90), epsilon = 0.1)$events
  expect_identical(inside$filter_more(budget, tenth, numeric()), 10)
  costs <- rep(cost_of(tenth, budget), 10)
  expect_true(admits(budget, tenth, costs[-1]))
  expect_false(admits(budget, tenth, costs))
  expect_identical(cost_of(dp_event_gaussian(1e6, 1), budget), Inf)
})

test_that("dozens of fits of a tenth each go into a budget of one", {
  # independently: the order and the allowance by optimisation, the noise by Balle and Wang
  best <- optimize(function(y) 2 * allowance_at(1 + exp(y), 1, 1e-5) / (1 + exp(y)),
    c(0, 6), maximum = TRUE, tol = 1e-8
  )$objective
  mu <- 1 / gaussian_sigma(0.1, 1e-5)
  budget <- new_budget(1, 1e-5)
  fit <- dp_event_gaussian(1 / mu, 1)
  costs <- numeric()
  for (k in 1:200) if (admits(budget, fit, costs)) costs <- c(costs, cost_of(fit, budget))
  n <- length(costs)
  expect_equal(n, floor(best / mu^2))
  expect_gt(n, 50) # adding epsilons: 10
  expect_identical(inside$filter_more(budget, fit, numeric()), n + 0)
  expect_identical(inside$filter_more(budget, fit, costs[1:7]), n - 7)
  expect_lt(gaussian_epsilon(1 / (mu * sqrt(n)), 1e-5), 1)

  # fits of the default method, whose cost is summed here release by release
  plan <- dpadmm_plan(5, sizes = c(A = 900, B = 700), epsilon = 0.1, delta = 1e-5)
  one <- function(e) {
    if (e$mechanism == "gaussian") return(rdp_gaussian(budget$order, e$sigma, e$sensitivity))
    rdp_objective_gaussian(
      budget$order, e$sigma, e$sensitivity, e$curvature, e$modulus, e$logistic_curvature
    )
  }
  rows <- split(plan$events, seq_len(nrow(plan$events)))
  cost <- max(tapply(vapply(rows, one, 0) * plan$events$count, plan$events$node, sum))
  expect_identical(inside$filter_more(budget, plan$events, numeric()),
    floor(budget$allowance / cost)
  )
  expect_gt(floor(budget$allowance / cost), 60)
})

test_that("the first charge may have all by its own statement, and then nothing is left", {
  budget <- new_budget(1, 1e-5)
  all <- dp_event_gaussian(gaussian_sigma(1, 1e-5), 1)
  more <- dp_event_gaussian(gaussian_sigma(1.001, 1e-5), 1)
  least <- dp_event_gaussian(1e6, 1)
  expect_gt(cost_of(all, budget), budget$allowance)
  expect_true(admits(budget, all, numeric()))
  expect_false(admits(budget, more, numeric()))
  expect_identical(inside$filter_more(budget, all, numeric()), 1)
  expect_false(admits(budget, least, cost_of(all, budget)))
  expect_false(admits(budget, all, cost_of(least, budget)))
  expect_true(admits(budget, least, cost_of(least, budget)))
  expect_identical(inside$filter_more(budget, least, cost_of(all, budget)), 0)
  expect_false(admits(budget, dp_event_exact(), numeric()))
})

#' The delta at epsilon = 1 of an analyst who sees each noisy answer before the next choice, by
#' simulation under the first data set: mean of (1 - exp(epsilon - loss))_+.
adversary <- function(budget, choose, n) {
  step <- lapply(c(small = 30, large = 7), function(parts) {
    event <- dp_event_gaussian(sqrt(parts * budget$order / (2 * budget$allowance)), 1)
    list(mu = 1 / event$sigma, event = event, cost = cost_of(event, budget))
  })
  # whether each of the simulated analysts may go on, asked once for all that have spent alike
  may <- function(of, small, large) {
    state <- 2 * (1e4 * small + large) + (of == "large")
    first <- which(!duplicated(state))
    ok <- mapply(function(of, small, large) {
      costs <- rep(c(step$small$cost, step$large$cost), c(small, large))
      admits(budget, step[[of]]$event, costs, step[[of]]$cost)
    }, of[first], small[first], large[first])
    unname(ok[match(state, state[first])])
  }
  loss <- small <- large <- numeric(n)
  live <- rep(TRUE, n)
  for (round in 1:100) { # the filter ends it before
    of <- choose(loss)
    ok <- live & may(of, small, large)
    # what is refused may be asked for smaller
    of[live & !ok] <- "small"
    ok <- live & may(of, small, large)
    mu <- ifelse(of == "small", step$small$mu, step$large$mu) * ok
    loss <- loss + mu * rnorm(n) + mu^2 / 2
    small <- small + (ok & of == "small")
    large <- large + (ok & of == "large")
    live <- ok
  }
  term <- pmax(0, -expm1(budget$epsilon - loss))
  c(delta = mean(term), error = sd(term) / sqrt(n))
}

test_that("who chooses by what was seen cannot lose more than the budget", {
  skip_on_cran()
  set.seed(20)
  budget <- new_budget(1, 0.01)
  for (choose in list(
    unlucky = function(loss) ifelse(loss < 0, "large", "small"),
    greedy = function(loss) ifelse(loss > 0.3, "large", "small"),
    near = function(loss) ifelse(abs(loss - 1) < 0.4, "large", "small")
  )) {
    got <- adversary(budget, choose, 20000)
    expect_lt(got[["delta"]] - 4 * got[["error"]], 0.01)
    # near the whole budget is spent on every path, so that the test can fail
    expect_gt(got[["delta"]], 0.002)
  }
  # the same with twice the allowance, which is wrong
  wrong <- utils::modifyList(budget, list(allowance = 2 * budget$allowance))
  expect_gt(adversary(wrong, function(loss) rep("large", length(loss)), 20000)[["delta"]], 0.01)
})
