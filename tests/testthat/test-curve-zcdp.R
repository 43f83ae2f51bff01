# zCDP as Renyi divergences at every order.

test_that("zCDP conversions are the best order's", {
  expect_rel(zcdp_to_epsilon(1 / 32, 1e-3), 0.6880024554878085, 1e-12)
  set.seed(34)
  for (i in 1:20) {
    rho <- 10^runif(1, -6, 3)
    delta <- 10^runif(1, -15, -1)
    epsilon <- 10^runif(1, -1, 1) * (rho + 2 * sqrt(rho * log(1 / delta)))
    y <- seq(-14, 14, length.out = 4001) # log(order - 1)
    at_epsilon <- function(y) {
      s <- exp(y)
      (1 + s) * rho + y - log1p(s) - (log(delta) + log1p(s)) / s
    }
    best <- optimize(at_epsilon, y[pmin(pmax(which.min(at_epsilon(y)) + c(-1, 1), 1), 4001)],
      tol = 1e-9)$objective
    got <- zcdp_to_epsilon(rho, delta)
    expect_equal(got, max(best, 0), tolerance = 1e-8)
    at_delta <- function(y) {
      s <- exp(y)
      s * ((1 + s) * rho - epsilon) + s * (y - log1p(s)) - log1p(s)
    }
    best <- optimize(at_delta, y[pmin(pmax(which.min(at_delta(y)) + c(-1, 1), 1), 4001)],
      tol = 1e-9)$objective
    if (best > log(1e-290)) expect_rel(zcdp_to_delta(rho, epsilon), min(1, exp(best)), 1e-6)
    # the exact Gaussian is never worse
    exact <- gaussian_epsilon(1 / sqrt(2 * rho), delta)
    expect_true(exact <= got * (1 + 1e-9))
  }
  rho <- 10^seq(-300, 300, length.out = 61)
  for (delta in c(1e-300, 1e-5, 1 - 1e-12)) {
    got <- zcdp_to_epsilon(rho, delta)
    expect_all(is.finite(got) & got >= 0, "zcdp_to_epsilon finite")
    expect_all(diff(got) >= 0, "zcdp_to_epsilon rises in rho")
  }
  for (epsilon in c(0, 1e-6, 1, 1e4, 1e300)) {
    got <- zcdp_to_delta(rho, epsilon)
    expect_all(is.finite(got) & got >= 0 & got <= 1, "zcdp_to_delta in [0, 1]")
    expect_all(diff(got) >= -1e-9 * got[-1], "zcdp_to_delta rises in rho")
  }
  expect_identical(zcdp_to_epsilon(0, 1e-5), 0)
  expect_identical(zcdp_to_delta(0, 1), 0)
  expect_blames(zcdp_to_epsilon(-1, 0.1), "rho")
  expect_blames(zcdp_to_delta(1, -1), "epsilon")
})
