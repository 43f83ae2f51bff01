# What single accountants compute: published values, exact answers, brackets; and events.

poisson <- function(sigma, q, count = 1, ...) {
  dp_event_subsampled_gaussian(sigma,
    sensitivity = 1, q = q, neighbours = "add-remove", count = count, ...
  )
}

# ---- published values ----------------------------------------------------------------

test_that("published guarantees of the subsampled Gaussian come out", {
  events <- poisson(0.7, 0.01, 120)
  rdp <- account(events, 1e-5, "rdp")
  orders <- c(1 + (1:99) / 10, 12:63)
  spent <- 120 * rdp_subsampled_gaussian(orders, 0.01, 0.7)
  expect_rel(rdp_to_epsilon(orders, spent, 1e-5), 3.23919219, 1e-8)
  # orders between those of the published grid can only help
  expect_lte(rdp$epsilon, 3.23919219)
  expect_gte(rdp$epsilon, 3.23919219 * (1 - 1e-3))
  bracket <- pld_epsilon(events, 1e-5)
  # the published bracket and this one hold the same number
  expect_lte(bracket[["lower"]], 2.46148)
  expect_gte(bracket[["upper"]], 2.46100)
  expect_lte(bracket[["upper"]], 2.46148)
  expect_gte(bracket[["lower"]], 2.46100 * (1 - 2e-3))
  best <- account(events, 1e-5)
  expect_identical(best$accountant, "pld")
  expect_identical(best$epsilon, bracket[["upper"]])
  expect_identical(best$bracket, bracket)
  # 60,000 records in batches of 150: 19 was the best of the whole orders
  many <- account(poisson(1.3, 150 / 60000, 6000), 1e-5, "rdp")
  expect_lte(many$epsilon, 0.7242234)
  expect_rel(many$epsilon, 0.7242234, 1e-3)
  expect_lt(abs(many$order - 19), 1.5)
})

test_that("published guarantees of Gaussian noise and zCDP come out", {
  published <- list(
    c(1, 1e-5, 3.73063163482), c(0.5, 1e-6, 8.05761848073), c(log(3), 1e-5, 3.42466239791)
  )
  for (p in published) {
    expect_rel(account(dp_event_gaussian(p[3], 1), p[2])$epsilon, p[1], 1e-10)
    noise <- calibrate(function(s) dp_event_gaussian(s, 1), p[1], p[2])
    expect_rel(noise, p[3], 1e-9)
  }
  # rho = 1/32 is sigma = 4
  expect_rel(account(dp_event_gaussian(4, 1), 1e-3, "zcdp")$epsilon, 0.6880024554878085, 1e-10)
  expect_rel(account(dp_event_gaussian(40, 1, count = 100), 1e-3, "zcdp")$epsilon,
    0.6880024554878085, 1e-10)
})

# ---- what each accountant computes -----------------------------------------------------

test_that("Gaussian releases are one Gaussian release, to every accountant", {
  events <- c(
    dp_event_gaussian(5, 1, count = 7), dp_event_gaussian(2, 0.3), dp_event_gaussian(9, 4)
  )
  mu <- sqrt(7 / 25 + 0.3^2 / 4 + 16 / 81)
  for (delta in c(1e-2, 1e-6, 1e-30, 1e-200)) {
    exact <- gaussian_epsilon(1 / mu, delta)
    best <- account(events, delta)
    expect_rel(best$epsilon, exact, 1e-9)
    expect_identical(best$accountant, "gaussian")
    pld <- account(events, delta, "pld")
    expect_lte(pld$bracket[["lower"]], exact)
    expect_gte(pld$epsilon, exact)
    expect_rel(pld$epsilon, exact, 1e-3)
    expect_rel(pld$bracket[["lower"]], exact, 2e-3)
    orders <- 1 + 10^seq(-2, 4, length.out = 4000)
    rdp <- account(events, delta, "rdp")$epsilon
    want <- rdp_to_epsilon(orders, orders * mu^2 / 2, delta)
    expect_true(rdp <= want * (1 + 1e-8))
    expect_rel(rdp, want, 1e-5)
    expect_rel(account(events, delta, "zcdp")$epsilon, zcdp_to_epsilon(mu^2 / 2, delta), 1e-9)
    expect_gt(rdp, exact)
  }
})

test_that("pure mechanisms compose optimally, and the PLD bracket holds the optimum", {
  set.seed(41)
  for (i in 1:6) {
    e <- 10^runif(3, -2, 0)
    count <- sample(1:30, 3)
    events <- c(
      dp_event_pure(e[1], count = count[1]), dp_event_pure(e[2], count = count[2]),
      dp_event_pure(e[3], count = count[3])
    )
    delta <- 10^-c(1, 3, 5, 8, 12, 50)[i]
    exact <- compose_pure(e, delta, count)
    expect_rel(account(events, delta, "pure")$epsilon, exact, 1e-9)
    pld <- account(events, delta, "pld")
    expect_lte(pld$bracket[["lower"]], exact * (1 + 1e-9))
    expect_gte(pld$bracket[["upper"]], exact * (1 - 1e-9))
    expect_lt(diff(pld$bracket), 0.01 * exact)
    expect_rel(account(events)$epsilon, sum(e * count), 1e-12)
    # Gamma-norm noise of the same losses, to the accountant that only reads losses
    gamma <- c(
      dp_event_gamma(e[1], 1, dim = 3, count = count[1]),
      dp_event_gamma(e[2], 1, dim = 3, count = count[2]),
      dp_event_objective_gamma(e[3] / 2, 1, expm1(e[3] / 2) * 3, 3, dim = 2, count = count[3])
    )
    grid <- sum(count[1:2]) * gamma_grid_cost(3)
    exact <- compose_pure(e, delta * exp(-grid), count) + grid
    expect_rel(account(gamma, delta, "pure")$epsilon, exact, 1e-9)
    # the others are bounds of the same thing
    for (accountant in c("rdp", "zcdp")) {
      expect_lte(account(events, delta, "best")$epsilon, account(events, delta, accountant)$epsilon)
    }
  }
  # Laplace noise: between its curve and its worst case
  events <- dp_event_laplace(4, 1, count = 20)
  pld <- account(events, 1e-4, "pld")
  expect_lte(pld$epsilon, compose_pure(0.25, 1e-4, 20) * (1 + 1e-9))
  expect_lt(pld$epsilon, account(events, 1e-4, "rdp")$epsilon)
  # one release: delta(e) = 1 - exp((e - t) / 2) for e <= t
  for (e in c(0.1, 0.9)) {
    got <- pld_delta(dp_event_laplace(1, 1), e)
    exact <- -expm1((e - 1) / 2)
    expect_lte(got[["lower"]], exact * (1 + 1e-9))
    expect_gte(got[["upper"]], exact * (1 - 1e-9))
    expect_rel(got[["upper"]], exact, 1e-3)
  }
})

test_that("one subsampled step: the bracket holds the exact profile", {
  # delta(e) of adding or removing by quadrature of the densities
  exact <- function(e, q, s) {
    mix <- function(z) (1 - q) * dnorm(z, 0, s) + q * dnorm(z, 1, s)
    one <- function(f) {
      integrate(f, -12 * s, 1 + 12 * s, rel.tol = 1e-10, subdivisions = 2000L)$value
    }
    max(
      one(function(z) pmax(0, mix(z) - exp(e) * dnorm(z, 0, s))),
      one(function(z) pmax(0, dnorm(z, 0, s) - exp(e) * mix(z)))
    )
  }
  swap <- function(e, q, s) {
    mix <- function(z, m) (1 - q) * dnorm(z, 0, s) + q * dnorm(z, m, s)
    integrate(function(z) pmax(0, mix(z, 1) - exp(e) * mix(z, -1)), -12 * s, 1 + 12 * s,
      rel.tol = 1e-10, subdivisions = 2000L)$value
  }
  for (p in list(c(0.1, 0.2, 1), c(0.5, 0.3, 0.7), c(0.02, 0.01, 0.8), c(1, 0.5, 0.5))) {
    want <- exact(p[1], p[2], p[3])
    got <- pld_delta(poisson(p[3], p[2]), p[1])
    expect_lte(got[["lower"]], want * (1 + 1e-6))
    expect_gte(got[["upper"]], want * (1 - 1e-6))
    expect_lt(diff(got), 0.02 * want)
    want <- swap(p[1], p[2], 2 * p[3])
    got <- pld_delta(dp_event_subsampled_gaussian(p[3], 1, q = p[2]), p[1])
    expect_lte(got[["lower"]], want * (1 + 1e-6))
    expect_gte(got[["upper"]], want * (1 - 1e-6))
    expect_lt(diff(got), 0.02 * want)
  }
})

test_that("the mass of no loss under fixed-size sampling keeps its digits at much noise", {
  # P(|Z| < 1 / (2 s)) is the density at 0 over s
  s <- 1e10
  bins <- fixed_size_bins(0.3, s)(1e-12, -60)
  expect_rel(exp(bins$log_mass[bins$index == 0][1L]) * s, 0.7 * dnorm(0), 1e-9)
})

test_that("brackets nest as the grid is refined, and shrink", {
  cases <- list(
    poisson(0.9, 0.05, 50), dp_event_gaussian(6, 1, count = 4),
    dp_event_laplace(5, 1, count = 10),
    c(dp_event_pure(0.1, count = 20), dp_event_gaussian(9, 1, count = 3)),
    dp_event_subsampled_gaussian(1.2, 1, q = 0.05, count = 50)
  )
  for (events in cases) {
    steps <- 0.02 / 4^(0:3)
    brackets <- vapply(steps, function(h) pld_epsilon(events, 1e-5, step = h),
      c(lower = 0, upper = 0)
    )
    expect_all(brackets["lower", ] <= brackets["upper", ], "lower <= upper")
    expect_all(diff(brackets["upper", ]) <= 1e-7 * brackets["upper", -1], "upper ends fall")
    expect_all(diff(brackets["lower", ]) >= -1e-7 * brackets["lower", -1], "lower ends rise")
    # every bracket holds the finest
    meets <- brackets["lower", ] <= brackets["upper", 4] &
      brackets["upper", ] >= brackets["lower", 4]
    expect_all(meets, "brackets meet")
    width <- brackets["upper", ] - brackets["lower", ]
    expect_true(width[4] <= width[1] / 30 + 1e-6)
    # the default: about 0.1% of epsilon or better
    own <- pld_epsilon(events, 1e-5)
    expect_lt(diff(own), 2e-3 * own[["upper"]])
    expect_lte(own[["lower"]], brackets["upper", 4])
    expect_gte(own[["upper"]], brackets["lower", 4])
  }
})

test_that("epsilon and delta of one bracket invert one another", {
  for (events in list(poisson(0.7, 0.01, 120), dp_event_gaussian(6, 1, count = 4))) {
    e <- pld_epsilon(events, 1e-6)
    expect_gte(pld_delta(events, e[["upper"]])[["upper"]], 0.98e-6 * 0.98)
    expect_lte(pld_delta(events, e[["upper"]])[["lower"]], 1e-6)
    expect_gte(pld_delta(events, e[["lower"]])[["upper"]], 1e-6)
  }
})

test_that("10,000 steps at small rates keep a narrow bracket", {
  events <- poisson(0.8, 0.001, 10000)
  got <- pld_epsilon(events, 1e-6)
  expect_lt(diff(got), 0.01)
  expect_lt(got[["upper"]], account(events, 1e-6, "rdp")$epsilon)
})

# ---- events -------------------------------------------------------------------------------

test_that("events are tables that combine, repeat and print", {
  one <- dp_event_gaussian(2, 1, node = 1:3)
  expect_s3_class(one, c("dp_events", "data.frame"))
  expect_identical(nrow(one), 3L)
  both <- c(rep(one, 4), dp_event_pure(0.1))
  expect_s3_class(both, "dp_events")
  expect_identical(both$count, c(4, 4, 4, 1))
  expect_identical(both$mechanism, c(rep("gaussian", 3), "pure"))
  expect_output(print(both), "13 releases in 4 kinds")
  expect_output(print(account(one, 1e-5)), "over 3 nodes")
  expect_rel(account(rep(one, 4), 1e-5)$epsilon,
    account(dp_event_gaussian(1, 1), 1e-5)$epsilon, 1e-9
  )
})

test_that("bad events and bad questions are classed errors that name the argument", {
  for (x in c(0, -1)) {
    expect_blames(dp_event_gaussian(x, 1), "sigma")
    expect_blames(dp_event_subsampled_gaussian(x, 1, 0.1), "sigma")
    expect_blames(dp_event_objective_gaussian(x, 1, 1, 1), "sigma")
    expect_blames(dp_event_objective_gaussian(1, 1, 1, x), "modulus")
    expect_blames(dp_event_laplace(x, 1), "b")
    expect_blames(dp_event_gamma(x, 1, 2), "alpha")
    expect_blames(dp_event_objective_gamma(x, 1, 1, 1, 2), "alpha")
    expect_blames(dp_event_subsampled_gaussian(1, 1, q = x), "q")
    expect_blames(rep(dp_event_pure(1), x), "times")
    expect_blames(dp_event_pure(1, count = x), "count")
    expect_blames(dp_event_gamma(1, 1, dim = x), "dim")
  }
  expect_blames(dp_event_subsampled_gaussian(1, 1, q = 1.01), "q")
  expect_blames(dp_event_subsampled_gaussian(1, 1, 0.1, sampling = "none"), "sampling")
  expect_blames(dp_event_gaussian(1, 1, neighbours = "swap"), "neighbours")
  expect_blames(dp_event_gaussian(1, -1), "sensitivity")
  expect_blames(dp_event_pure(-1), "epsilon")
  for (x in list(NA_real_, NaN, Inf, "a")) {
    expect_blames(dp_event_gaussian(x, 1), "sigma", "dpadmm_error")
    expect_blames(dp_event_pure(x), "epsilon", "dpadmm_error")
    expect_blames(dp_event_subsampled_gaussian(1, 1, q = x), "q", "dpadmm_error")
  }
  event <- dp_event_gaussian(1, 1)
  for (delta in c(1, -0.1, 2)) expect_blames(account(event, delta), "delta")
  for (accountant in c("rdp", "pld", "zcdp")) expect_blames(account(event, 0, accountant), "delta")
  expect_blames(account(event, 0), "accountant", "dpadmm_error_accountant")
  expect_blames(account(event, 1e-5, "guess"), "accountant")
  expect_blames(account(list(), 1e-5), "events")
  expect_blames(account(event[0, ], 1e-5), "events")
  mixed <- c(event, dp_event_pure(1, neighbours = "add-remove"))
  expect_blames(account(mixed, 1e-5), "events", "dpadmm_error_accountant")
  expect_error(account(mixed, 1e-5), "replace-one.*add-remove")
  expect_blames(pld_epsilon(mixed, 1e-5), "events", "dpadmm_error_accountant")
  for (delta in c(0, 1)) expect_blames(pld_epsilon(event, delta), "delta")
  expect_blames(pld_delta(event, -1), "epsilon")
  expect_blames(pld_epsilon(event, 1e-5, step = 0), "step")
  fixed <- dp_event_subsampled_gaussian(1, 1, 0.1, "fixed", neighbours = "add-remove")
  for (accountant in c("rdp", "pld", "best")) {
    expect_blames(account(fixed, 1e-5, accountant), "neighbours", "dpadmm_error_accountant")
  }
})

# ---- a finished fit -----------------------------------------------------------------------

test_that("a finished fit is re-reported at any delta", {
  n <- 60
  x <- matrix(sin(seq_len(2 * n)), n) / 2
  y <- rep(c(-1, 1), n / 2)
  fit <- function(...) dpadmm_fit(x, y, nodes = 3, iterations = 4, seed = 1, ...)
  gaussian <- suppressWarnings(fit(epsilon = 2, delta = 1e-5))
  expect_identical(privacy(gaussian)$delta, 1e-5)
  expect_lte(privacy(gaussian)$epsilon, 2 * (1 + 1e-12))
  deltas <- c(1e-12, 1e-8, 1e-5, 1e-2)
  spent <- vapply(deltas, function(d) privacy(gaussian, delta = d)$epsilon, 0)
  expect_all(diff(spent) < 0, "falls in delta")
  for (i in seq_along(deltas)) {
    expect_identical(spent[i], account(gaussian$events, deltas[i])$epsilon)
  }
  expect_error(privacy(gaussian, delta = 0), class = "dpadmm_error_accountant")
  pure <- suppressWarnings(fit(epsilon = 8))
  expect_rel(privacy(pure)$epsilon, 8, 1e-6)
  expect_lte(privacy(pure, delta = 1e-3)$epsilon, privacy(pure)$epsilon)
  for (delta in c(1, -1)) expect_blames(privacy(pure, delta = delta), "delta")
})
