# The Gaussian mechanism against published values, high precision and quadrature.

test_that("published standard deviations of the Gaussian mechanism come out", {
  expect_rel(gaussian_sigma(c(1, 0.5, log(3)), c(1e-5, 1e-6, 1e-5)),
    c(3.73063163482, 8.05761848073, 3.42466239791), 1e-11)
})

# log of the mechanism's delta, to many digits.
exact_log_delta <- function(sigma, epsilon, sensitivity = 1) {
  big <- function(x) Rmpfr::mpfr(x, 500)
  mu <- big(sensitivity) / big(sigma)
  e <- big(epsilon)
  root <- sqrt(big(2))
  tail <- function(x) Rmpfr::erfc(x / root) / 2
  log(tail(e / mu - mu / 2) - exp(e) * tail(e / mu + mu / 2))
}

test_that("the Gaussian mechanism is exact, and rounds outward, to the ends of its range", {
  skip_on_cran()
  skip_if_not_installed("Rmpfr")
  set.seed(35)
  n <- 150
  epsilon <- c(10^runif(n, -6, 4), 1e-6, 1e-6, 1e4, 1e4)
  delta <- c(10^runif(n / 2, -300, -0.01), 10^runif(n / 2, -10, -0.01), 1e-300, 0.5, 1e-300, 0.5)
  bound <- log(Rmpfr::mpfr(delta, 500))
  sigma <- gaussian_sigma(epsilon, delta)
  at <- function(...) exact_log_delta(...) - bound
  expect_all(as.numeric(at(sigma, epsilon)) <= 0, "gaussian_sigma is enough")
  expect_all(as.numeric(at(sigma * (1 - 1e-10), epsilon)) > 0, "gaussian_sigma is the least")
  # epsilon at that noise, and at others
  sigma <- sigma * 10^runif(n + 4, -0.1, 0.1)
  got <- gaussian_epsilon(sigma, delta)
  some <- got > 0
  expect_gt(mean(some), 0.8)
  expect_all(as.numeric(at(sigma, got)) <= 0, "gaussian_epsilon is enough")
  expect_all(as.numeric(at(sigma, got * (1 - 1e-10)))[some] > 0, "gaussian_epsilon is the least")
  # delta where it has not underflowed
  log_delta <- as.numeric(exact_log_delta(sigma, epsilon))
  seen <- log_delta > log(1e-290)
  got <- gaussian_delta(sigma, epsilon)
  error <- log(got[seen]) - log_delta[seen]
  expect_all(error >= -1e-15 * abs(log_delta[seen]), "gaussian_delta is not too small")
  # log delta moves by about epsilon times a relative change of its arguments
  most <- 1e-10 * pmax(1, abs(log_delta[seen])) + 1e-10
  expect_all(error <= most, "gaussian_delta is not too large")
  expect_all(got > 0 & got <= 1, "gaussian_delta in (0, 1]")
})

test_that("the Gaussian mechanism keeps its identities", {
  set.seed(36)
  epsilon <- 10^runif(60, -6, 4)
  delta <- 10^runif(60, -300, -1)
  sigma <- gaussian_sigma(epsilon, delta)
  expect_rel(gaussian_epsilon(sigma, delta), epsilon, 1e-9)
  expect_rel(gaussian_sigma(epsilon, delta, 7), 7 * sigma, 1e-12)
  expect_rel(gaussian_epsilon(7 * sigma, delta, 7), epsilon, 1e-9)
  expect_rel(gaussian_delta(2, 0.3, 0.5), gaussian_delta(4, 0.3), 1e-12)
  # total variation at epsilon = 0
  s <- 10^seq(-2, 6, length.out = 9)
  expect_rel(gaussian_delta(s, 0), 2 * pnorm(1 / (2 * s)) - 1, 1e-9)
  expect_identical(gaussian_epsilon(1e6, 0.1), 0)
  expect_identical(gaussian_delta(1, 1, 0), 0)
  expect_identical(gaussian_epsilon(1, 1e-5, 0), 0)
  # the classical closed form of delta by quadrature: E (1 - exp(epsilon - L))_+
  for (p in list(c(1, 0.5), c(2, 1), c(0.3, 4))) {
    mu <- 1 / p[1]
    f <- function(l) dnorm(l, mu^2 / 2, mu) * -expm1(p[2] - l)
    want <- integrate(f, p[2], p[2] + mu^2 + 12 * mu, rel.tol = 1e-11)$value
    expect_rel(gaussian_delta(p[1], p[2]), want, 1e-8)
  }
})

test_that("the Gaussian mechanism is monotone, never NaN, and its bad arguments are named", {
  sigma <- 10^seq(-3, 6, length.out = 91)
  for (epsilon in c(0, 1e-6, 1, 1e4)) {
    got <- gaussian_delta(sigma, epsilon)
    expect_all(is.finite(got) & got >= 0 & got <= 1, "delta in [0, 1]")
    expect_all(diff(got) <= 1e-11 * got[-91], "delta falls in sigma")
  }
  for (delta in c(1e-300, 1e-100, 1e-5, 0.5, 1 - 1e-10)) {
    got <- gaussian_epsilon(sigma, delta)
    expect_all(is.finite(got) & got >= 0, "epsilon finite")
    expect_all(diff(got) <= 1e-11 * got[-91], "epsilon falls in sigma")
    e <- 10^seq(-6, 4, length.out = 51)
    expect_all(diff(gaussian_sigma(e, delta)) <= 0, "sigma falls in epsilon")
    expect_all(gaussian_sigma(e, delta) > 0, "sigma is positive")
  }
  d <- 10^seq(-300, -0.01, length.out = 101)
  expect_all(diff(gaussian_sigma(1, d)) <= 0, "sigma falls in delta")
  expect_all(diff(gaussian_epsilon(1, d)) <= 0, "epsilon falls in delta")
  expect_blames(gaussian_delta(0, 1), "sigma")
  expect_blames(gaussian_delta(-1, 1), "sigma")
  expect_blames(gaussian_epsilon(0, 0.1), "sigma")
  expect_blames(gaussian_delta(1, -1), "epsilon")
  expect_blames(gaussian_sigma(-1, 0.1), "epsilon")
  expect_blames(gaussian_sigma(1, 0.1, -1), "sensitivity")
  for (delta in c(0, 1, -1, 2)) {
    expect_blames(gaussian_epsilon(1, delta), "delta")
    expect_blames(gaussian_sigma(1, delta), "delta")
  }
  for (x in list(NA_real_, NaN, Inf, "a", numeric(0))) {
    expect_blames(gaussian_delta(x, 1), "sigma", "dpadmm_error")
    expect_blames(gaussian_epsilon(1, x), "delta", "dpadmm_error")
    expect_blames(gaussian_sigma(x, 0.1), "epsilon", "dpadmm_error")
  }
  expect_error(gaussian_delta(c(1, 2, 3), c(1, 2)), class = "dpadmm_error_shape")
})

test_that("next to no noise has an epsilon, and not one that rounding made up", {
  mu <- 10^seq(6, 150, by = 0.5)
  for (delta in c(1e-5, 0.01, 0.3)) {
    epsilon <- vapply(mu, function(mu) gaussian_epsilon(1, delta, mu), 0)
    expect_true(all(epsilon >= mu^2 / 2 - mu))
    expect_true(all(epsilon <= mu * (mu / 2 + sqrt(-2 * log(delta)) + 1) * (1 + 1e-12)))
  }
})
