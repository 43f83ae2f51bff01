# Gamma-norm noise on values: exact on a grid, at next to no cost, with nothing beside it.

skip_on_cran()

# log(P_x / f(x)) of the law that is drawn, worked out from its definition, over |x| = r.
log_ratio <- function(r, s, d) {
  n <- 2:(80 * s)
  at <- ((0:length(n)) / s)^2
  above <- -diff(stats::pchisq(at, d + 1, lower.tail = FALSE))
  weight <- ifelse(n < s, diff(stats::pchisq(at, d + 1)), above)
  drawn <- vapply(r, function(x) sum(weight * exp(-x^2 / (2 * n^2)) / (sqrt(2 * pi) * n)^d), 0)
  log(drawn) + r / s - log(gamma(d / 2) / (2 * pi^(d / 2) * gamma(d) * s^d))
}

test_that("the law is within what is charged, and not far within", {
  for (s in c(200, 1000)) for (d in c(1, 2, 5, 20)) {
    ratio <- log_ratio(s * c(0, exp(seq(-6, log(50), length.out = 30))), s, d)
    cost <- gamma_grid_cost(d, s)
    expect_lt(diff(range(ratio)), cost)
    expect_gt(diff(range(ratio)), cost / 10)
  }
  # of one dimension it is Laplace noise: the same ratio by its closed form
  x <- 0:2000
  n <- 2:16000
  weight <- exp(-((n - 2) / 200)^2 / 2) - exp(-((n - 1) / 200)^2 / 2)
  drawn <- vapply(x, function(x) sum(weight * exp(-x^2 / (2 * n^2)) / (sqrt(2 * pi) * n)), 0)
  rounded <- ifelse(x == 0, -expm1(-0.5 / 200), exp(-x / 200) * sinh(0.5 / 200))
  expect_lt(diff(range(log(drawn / rounded))), gamma_grid_cost(1, 200))
})

test_that("it is charged for every release, to the party that makes it", {
  cost <- gamma_grid_cost(10)
  events <- dp_event_gamma(c(2, 3), 0.1, dim = 10, node = 1:2, count = c(5, 1e6))
  pure <- account(events)$per_node$epsilon
  expect_equal(pure - c(1, 3e5), c(5, 1e6) * cost, tolerance = 1e-4)
  one <- dp_event_gamma(2, 0.1, dim = 10, count = 1e6)
  books <- open_books(one)
  delta <- 1e-5
  for (accountant in c("pure", "zcdp", "rdp", "pld")) {
    ideal <- fold_with(accountant, books, delta * exp(-1e6 * cost))$epsilon[[1]]
    expect_equal(account(one, delta, accountant)$epsilon - ideal, 1e6 * cost, tolerance = 1e-6)
  }
  # under a filter as part of the divergence
  budget <- new_budget(1e5, delta)
  order <- budget$order
  own <- sum(rdp_curves(open_books(one)$kinds)(order - 1)) * 1e6
  expect_gte(charge_cost(one, budget) - own, 1e6 * cost * order / (order - 1) * (1 - 1e-6))
  expect_identical(gamma_grid_cost(2^26), 0)
  expect_true(all(diff(gamma_grid_cost(10^(0:7))) > 0))
})

test_that("a value has one noise, of the mechanism itself, and costs what the theorem says", {
  sizes <- rep(4000, 5)
  for (method in list(admm(1, "primal"), pp_admm(), grad_admm(), acc_admm())) {
    for (delta in c(0, 1e-5)) {
      plan <- dpadmm_plan(10, if (has_nodes(method)) sizes else 20000, method = method,
        epsilon = 1, delta = delta, noise = "gamma")
      expect_false("hidden" %in% plan$releases$part)
      expect_lte(privacy(plan)$epsilon, 1)
      values <- plan$events$mechanism == "gamma"
      expect_true(any(values))
      # all that the program adds to what a value moves by, in the units of epsilon
      if (!inherits(method, "dpadmm_family_plausible")) {
        ideal <- plan
        ideal$slop <- 0 * plan$slop
        ideal$tol <- 0 * plan$tol
        ideal <- with_releases(method, ideal)
        expect_lt(max(plan$releases$sensitivity / ideal$releases$sensitivity) - 1, 1e-5)
        expect_gt(min(plan$releases$sensitivity / ideal$releases$sensitivity) - 1, 1e-12)
      }
    }
  }
})

test_that("noise on values is drawn on the grid of 1 / alpha", {
  key <- noise_key(3)
  draw <- function(value, alpha, round) {
    .Call(ffi_release, "gamma", alpha, as.double(value), as.double(round), key, 1)
  }
  for (alpha in c(1e-200, 0.7, 3e5)) {
    grid <- 2^(floor(log2(1 / alpha)) - 40)
    values <- draw(rep(1 / alpha / 3, 50), alpha, 1)
    expect_identical(values / grid, round(values / grid))
    expect_true(any((values / grid) %% 2 == 1))
  }
  # what a solver or a sum is off by below the grid shows nowhere
  expect_identical(draw(c(1, 2), 1, 2), draw(c(1, 2) + 2^-43, 1, 2))
  # of 10 entries the norm is Gamma distributed, of shape 10
  norms <- vapply(1:2000, function(t) sqrt(sum(draw(numeric(10), 2, t)^2)), 0)
  expect_gt(stats::ks.test(norms, "pgamma", shape = 10, rate = 2)$p.value, 1e-3)
  expect_lt(stats::ks.test(norms, "pgamma", shape = 10.5, rate = 2)$p.value, 1e-3)
})

test_that("noise in an objective without noise on the message is refused by the core", {
  plan <- dpadmm_plan(3, c(50, 60), method = admm(1), epsilon = 1, delta = 0)
  spec <- core_spec(plan, FALSE, 1)
  expect_true(all(spec$output_scale > 0))
  spec$output_scale[2, 1] <- 0
  rows <- matrix(0.1, 110, 3)
  records <- list(x = rows, y = rep(c(-1, 1), 55), size = c(50, 60),
    row_bound = 1, layout = "packed")
  expect_error(core_call(.Call(ffi_run, spec, records, noise_key(1), NULL)), "output_scale")
})
