# Exact divergences of normal laws against quadrature, known mechanisms and the package's
# own guarantees for linear processes.

#' The hockey stick of two one-dimensional normal laws by quadrature.
quadrature <- function(m1, v1, m2, v2, epsilon) {
  f <- function(x) pmax(dnorm(x, m1, sqrt(v1)) - exp(epsilon) * dnorm(x, m2, sqrt(v2)), 0)
  at <- seq(-40, 40, by = 0.1)
  sum(mapply(function(l, u) integrate(f, l, u, rel.tol = 1e-10, stop.on.error = FALSE)$value,
    at[-length(at)], at[-1]))
}

test_that("equal covariances: the Gaussian mechanism, in any coordinates", {
  shift <- c(0.4, -1, 0.2)
  root <- matrix(c(1, 0.3, -0.2, 0, 2, 0.5, 0, 0, 0.7), 3)
  covariance <- tcrossprod(root)
  exact <- audit_exact(gaussian_law(shift, covariance), gaussian_law(c(0, 0, 0), covariance),
    delta = c(0.1, 1e-6))
  mu <- sqrt(sum(solve(root, shift)^2))
  expect_equal(exact$mu, mu, tolerance = 1e-10)
  expect_equal(exact$curve$epsilon, gaussian_epsilon(1, c(0.1, 1e-6), mu), tolerance = 1e-10)
  expect_equal(exact$renyi$divergence, exact$renyi$order * mu^2 / 2, tolerance = 1e-10)
  expect_equal(exact$delta_at(c(0, 1)), gaussian_delta(1, c(0, 1), mu), tolerance = 1e-10)
  same <- audit_exact(gaussian_law(1, 2), gaussian_law(1, 2))
  expect_equal(same$curve$epsilon, rep(0, 8))
})

test_that("unlike covariances: quadrature in one dimension, both directions", {
  skip_on_cran()
  for (v in c(0.3, 0.999, 1.001, 4)) for (m in c(0, 2)) {
    exact <- audit_exact(gaussian_law(0, v), gaussian_law(m, 1), orders = c(1.2, 3))
    expect_null(exact$mu)
    for (epsilon in c(0, 0.05, 2)) {
      truth <- max(quadrature(0, v, m, 1, epsilon), quadrature(m, 1, 0, v, epsilon))
      expect_lt(abs(exact$delta_at(epsilon) - truth), 1e-9 + 1e-7 * truth)
    }
    moment <- function(a) {
      f <- function(x) exp(a * dnorm(x, 0, sqrt(v), TRUE) + (1 - a) * dnorm(x, m, 1, TRUE))
      log(integrate(f, -60, 60, rel.tol = 1e-10, subdivisions = 1000)$value) / (a - 1)
    }
    if (v < 1.3) expect_equal(exact$renyi$forward, c(moment(1.2), moment(3)), tolerance = 1e-7)
  }
  # order 3 of a law that is four times as wide does not exist
  expect_identical(exact$renyi$forward[2], Inf)
})

test_that("unlike covariances: a limit of equal ones, and products of independent laws", {
  base <- audit_exact(gaussian_law(c(1, 0.5), diag(2)), gaussian_law(c(0, 0), diag(2)))
  near <- audit_exact(gaussian_law(c(1, 0.5), diag(c(1 + 1e-7, 1))), gaussian_law(c(0, 0), diag(2)))
  expect_null(near$mu)
  expect_equal(near$curve$epsilon, base$curve$epsilon, tolerance = 1e-5)
  # three coordinates, one with equal variances: integrate the hockey stick over the third
  one <- gaussian_law(c(0, 0, 0), diag(c(0.5, 2, 1)))
  two <- gaussian_law(c(0.3, 0.5, 0.4), diag(3))
  plane <- likelihood_ratio(gaussian_law(c(0, 0), diag(c(0.5, 2))), gaussian_law(c(0.3, 0.5),
    diag(2)))
  for (epsilon in c(0.5, 2)) {
    f <- function(x) {
      l <- dnorm(x, 0, 1, TRUE) - dnorm(x, 0.4, 1, TRUE)
      vapply(seq_along(x), function(k) exp(l[k]) * dnorm(x[k], 0.4) * hockey_stick(plane,
        epsilon - l[k]), 0)
    }
    expect_equal(hockey_stick(likelihood_ratio(one, two), epsilon), integrate(f, -12, 12,
      rel.tol = 1e-8)$value,
      tolerance = 1e-6)
  }
  # epsilon and delta are inverse to each other
  exact <- audit_exact(one, two, delta = c(0.01, 1e-6))
  expect_equal(exact$delta_at(exact$curve$epsilon), exact$curve$delta, tolerance = 1e-6)
})

test_that("an affine recursion has the law of its simulation, step by step", {
  A <- matrix(c(0.5, 0.2, -0.1, 0.8), 2)
  law <- affine_law(A, b = c(1, -1), noise = matrix(c(1, 0.5), 2), steps = 2, start = c(2, 0),
    released = t(c(1, 1)))
  # by hand: u_1 = A u_0 + b + g xi_1, u_2 = A u_1 + b + g xi_2, seen through (1, 1)
  g <- c(1, 0.5)
  u1 <- A %*% c(2, 0) + c(1, -1)
  expect_equal(law$mean, c(sum(u1), sum(A %*% u1 + c(1, -1))))
  load <- rbind(c(sum(g), 0), c(sum(A %*% g), sum(g)))
  expect_equal(law$covariance, tcrossprod(load))
})

test_that("aggregate noise of fp_admm() with linear losses: the guarantee is the truth", {
  n <- 7
  gamma <- 1.7
  tau <- 0.6
  for (lambda in c(0.2, 0.5)) {
    # the state is (mean of u, z) before the noise that z gets
    keep <- 1 - 2 * lambda
    law <- function(b) {
      affine_law(rbind(c(keep, 2 * lambda), c(keep, 2 * lambda)), -2 * lambda * gamma * mean(b),
        matrix(c(0, tau), 2), steps = 5, start = c(0, 0), released = t(c(0, 1)))
    }
    b <- c(1, 0.3, -0.8, 1, 0.1, -0.4, 0.9)
    exact <- audit_exact(law(b), law(replace(b, 1, -1)), delta = 1e-5)
    fit <- dpadmm_fit(matrix(1, n, 1), rep(1e6, n),
      method = fp_admm(lambda = lambda, gamma = gamma), loss = "huber", iterations = 6,
      noise = gaussian_noise(tau), delta = 1e-5, seed = 1
    )
    expect_charged(privacy(fit)$epsilon, exact$curve$epsilon)
  }
})

test_that("laws that can be told apart with certainty, and bad input, are classed errors", {
  apart <- function(law1, law2) expect_error(audit_exact(law1, law2),
    class = "dpadmm_error_accountant")
  apart(gaussian_law(0, 0), gaussian_law(1, 0))
  apart(gaussian_law(c(0, 0), diag(c(1, 0))), gaussian_law(c(0, 1), diag(c(1, 0))))
  apart(gaussian_law(c(0, 0), diag(c(1, 0))), gaussian_law(c(0, 0), diag(2)))
  # no noise where nothing differs is no harm
  silent <- audit_exact(gaussian_law(c(1, 5), diag(c(1, 0))), gaussian_law(c(0, 5), diag(c(1, 0))))
  expect_equal(silent$mu, 1)
  expect_error(gaussian_law(c(0, 0), diag(3)), class = "dpadmm_error_shape")
  expect_error(gaussian_law(c(0, 0), matrix(c(1, 2, 2, 1), 2)), class = "dpadmm_error_argument")
  expect_error(gaussian_law(c(0, 0), matrix(c(1, 0.5, 0, 1), 2)), class = "dpadmm_error_argument")
  expect_error(gaussian_law(NaN, 1), class = "dpadmm_error_finite")
  expect_error(audit_exact(1, gaussian_law(0, 1)), class = "dpadmm_error_argument")
  expect_error(audit_exact(gaussian_law(0, 1), gaussian_law(c(0, 0), diag(2))),
    class = "dpadmm_error_shape")
  expect_error(audit_exact(gaussian_law(0, 1), gaussian_law(0, 1), delta = 0),
    class = "dpadmm_error_argument")
  expect_error(audit_exact(gaussian_law(0, 1), gaussian_law(0, 1), orders = 1),
    class = "dpadmm_error_argument")
  expect_error(affine_law(diag(2), 0, 1, 3, start = 0), class = "dpadmm_error_shape")
  expect_error(affine_law(1, 0, list(1, 1), 3, start = 0), class = "dpadmm_error_shape")
  expect_error(affine_law(1, 0, 1, 0, start = 0), class = "dpadmm_error_argument")
  expect_error(affine_law(1, 0, 1, 2, start = 0, released = diag(2)), class = "dpadmm_error_shape")
})
