# What is reported is on the safe side of the truth, in 400 bits, and close to it.

big <- function(x) Rmpfr::mpfr(x, 400)

# Above the truth, and by no more than a few parts in 1e9.
expect_outward <- function(got, truth) {
  error <- as.numeric(got / truth - 1)
  expect_all(error >= 0 & error <= 2e-9, "rounded outward")
}

test_that("randomised response, Laplace and Gaussian curves are those of their densities", {
  set.seed(32)
  a <- 1 + 10^runif(40, -2, 2)
  e <- 10^runif(40, -5, 1.5)
  skip_if_not_installed("Rmpfr")
  p <- 1 / (1 + exp(-big(e)))
  r <- 1 - p
  A <- big(a)
  exact <- log(p^A * r^(1 - A) + r^A * p^(1 - A)) / (A - 1)
  expect_outward(mapply(rdp_pure, a, e), exact)
  # Laplace, t = sensitivity / scale: left of both centres, between, right of both
  T <- big(e)
  moment <- exp((A - 1) * T) / 2 + exp(-A * T) / 2 +
    (exp((A - 1) * T) - exp(-A * T)) / (2 * (2 * A - 1))
  exact <- log(moment) / (A - 1)
  expect_outward(mapply(rdp_laplace, a, 1 / e), exact)
  expect_outward(mapply(rdp_laplace, a, 3, 3 * e), exact)
  expect_outward(rdp_gaussian(a, 3, 0.7), A * big(0.7)^2 / 18)
  # sampling, at whole orders a sum of positive terms
  for (p in list(c(2, 0.01, 4), c(7, 0.3, 0.8), c(40, 1e-4, 2))) {
    k <- big(0:p[1])
    q <- big(p[2])
    moment <- sum(Rmpfr::chooseMpfr(p[1], 0:p[1]) * q^k * (1 - q)^(p[1] - k) *
      exp(k * (k - 1) / (2 * big(p[3])^2)))
    expect_outward(rdp_subsampled_gaussian(p[1], p[2], p[3]), log(moment) / (p[1] - 1))
  }
  # Gamma-norm noise whose loss is large: randomised response
  response <- log(cosh(big(2.5) * 40) / cosh(big(20))) / 2
  expect_outward(rdp_objective_gamma(3, 40, 1, 0, 1, 1), response)
  # Bound B where it is the least, with and without logistic curvature
  kappa <- big(0.015625)
  exact <- 33 * 2 - log1p(-32 * 33 * kappa^2 / (1 + kappa)) / 32
  expect_outward(rdp_objective_gaussian(33, 1, 2, 0.015625, 1), exact)
  expect_outward(rdp_objective_gaussian(33, 1, 2, 0.015625, 1, TRUE), big(66))
  # Theorem 2 near order 1, where logarithms over the order less one cancelled: Bound B again
  s <- big(1 + 1.532353e-7) - 1
  kappa <- big(1.146411e-7)
  exact <- (1 + s) * big(1.071206e-7)^2 / 2 - log1p(-s * (1 + s) * kappa^2 / (1 + kappa)) / s
  expect_outward(rdp_objective_gaussian(1 + 1.532353e-7, 1, 1.071206e-7, 1.146411e-7, 1), exact)
  # what underflows is not nothing
  expect_gt(rdp_gaussian(2, 1e300), 0)
  expect_gt(rdp_pure(2, 1e-300), 0)
  expect_gt(rdp_laplace(2, 1e300), 0)
  expect_gt(rdp_objective_gaussian(2, 1e300, 1, 0, 1), 0)
  # amplification
  walk <- 8 * big(3) * 5 * (big(0.1) * big(0.2) / 2)^2 * log(big(100)) / 100
  expect_outward(rdp_network_walk(3, 100, 5, 0.1, 0.2, 2), walk)
  iteration <- big(3) * 4 * big(0.25)^2 / (2 * big(0.3)^2)
  expect_outward(rdp_amplification_iteration(3, c(1, 0, 0, 0), 0.3), iteration)
  expect_identical(rdp_amplification_iteration(3, c(0, 0), 0.3), 0)
})

test_that("conversions of Renyi divergences are above the formula, near 0 too", {
  skip_if_not_installed("Rmpfr")
  set.seed(35)
  a <- 1 + 10^runif(300, -3, 3)
  delta <- 10^runif(300, -12, -1)
  # epsilons near 0, where the terms cancel
  rdp <- pmax(0, log(delta * a) / (a - 1) - log1p(-1 / a)) + 10^runif(300, -9, 0)
  A <- big(a)
  exact <- rdp + log(1 - 1 / A) - log(big(delta) * A) / (A - 1)
  got <- mapply(rdp_to_epsilon, a, rdp, delta)
  expect_all(as.numeric(got - exact) >= 0, "epsilon rounded outward")
  expect_all(as.numeric(got - pmax(exact, 0)) <= 1e-11 * (1 + abs(log(delta)) / (a - 1) + rdp),
    "close")
  epsilon <- 10^runif(300, -3, 2)
  exact <- exp((A - 1) * (rdp - big(epsilon) + log(1 - 1 / A)) - log(A))
  got <- mapply(rdp_to_delta, a, rdp, epsilon)
  expect_all(as.numeric(got / exact) >= 1 | got == 1, "delta rounded outward")
  expect_all(as.numeric(got / exact) <= 1 + 1e-9 | got < 1e-300, "close")
})

test_that("zCDP conversions are above the minimum over the orders, near 0 too", {
  skip_if_not_installed("Rmpfr")
  set.seed(36)
  # the order less one where a slope vanishes, nearly: the minimum is flat there
  least_s <- function(slope, x, y) {
    one <- function(x, y) {
      exp(uniroot(function(z) slope(exp(z), x, y), c(-60, 60), tol = 1e-13)$root)
    }
    big(mapply(one, as.numeric(x), as.numeric(y)))
  }
  by_delta <- function(s, rho, delta) rho * s^2 + log1p(s) + log(delta)
  epsilon_at <- function(s, rho, delta) {
    rho * (1 + s) + log(s / (1 + s)) - (log(delta) + log(1 + s)) / s
  }
  rho <- big(10^runif(200, -9, 5))
  delta <- big(10^runif(200, -15, -0.5))
  exact <- epsilon_at(least_s(by_delta, rho, delta), rho, delta)
  got <- zcdp_to_epsilon(as.numeric(rho), as.numeric(delta))
  expect_all(got >= exact, "epsilon rounded outward")
  expect_all(got - pmax(exact, 0) <= 1e-12 * (1 + exact), "close")
  # rhos whose epsilon is next to nothing
  few <- delta[delta < 1e-3]
  at <- big(vapply(as.numeric(few), function(d) {
    uniroot(function(x) zcdp_to_epsilon(exp(x), d) - 1e-7, c(-80, 1), tol = 1e-15)$root
  }, 0))
  rho <- big(as.numeric(exp(at)))
  exact <- epsilon_at(least_s(by_delta, rho, few), rho, few)
  expect_all(zcdp_to_epsilon(as.numeric(rho), as.numeric(few)) >= exact, "outward near 0")
  rho <- big(10^runif(200, -6, 15))
  epsilon <- rho + 2 * sqrt(rho) * sqrt(big(runif(200, 0.1, 300)))
  epsilon <- big(as.numeric(epsilon))
  s <- least_s(function(s, rho, epsilon) rho * (1 + 2 * s) - epsilon - log1p(1 / s), rho, epsilon)
  exact <- exp(s * ((1 + s) * rho - epsilon - log(1 + 1 / s)) - log(1 + s))
  got <- zcdp_to_delta(as.numeric(rho), as.numeric(epsilon))
  expect_all(got >= pmin(exact, 1), "delta rounded outward")
  # with a large rho the terms of log delta are rho times larger than what is left of them
  expect_all(got[rho < 1e6] <= exact[rho < 1e6] * (1 + 1e-6), "close")
})
