# utility_bound() against its formulas and against simulated runs.

test_that("the printed bounds are the printed formulas", {
  tau <- 0.8
  at <- function(...) utility_bound(..., tau = tau, p = 9)
  expect_equal(at("theorem-1", k = c(0, 7), D = 2, sigma = 0.5, q = 0.25, zeta = 0.3), {
    (1 - 0.25^2 * 0.2 / 8)^c(0,
      7) * 2 + 8 * ((3 * 0.5 + 0.3) / (0.5 * 0.2) + (9 * 0.25 + 0.09) / (0.25^3 * 0.2^3))
  })
  # what 1 less a tiny number would round away
  slow <- at("theorem-1", k = 1e15, D = 1e60, sigma = 0.5, q = 1e-8, zeta = 0.3)
  expect_equal(slow / 1e60, exp(-0.0025), tolerance = 1e-9)
  constants <- list(alpha = 3, epsilon = 0.5, L = 2, gamma = 0.1, n = 100, tau = tau, p = 9)
  first <- sqrt(9 * 3 / 0.5) * 0.2 / 0.2
  second <- 9 * 3 * 0.2^2 / (0.5 * 0.2^3)
  expect_equal(do.call(utility_bound, c("corollary-5.1", constants)), first / 100 + second / 100^2)
  expect_equal(do.call(utility_bound, c("corollary-5.2", constants, r = 0.1)),
    first / (sqrt(0.1) * 100) + second / (0.1 * 100)^2)
  expect_equal(do.call(utility_bound, c("corollary-5.3", constants)), first / 10 + second / 100)
})

test_that("with D the corollaries are the contraction bound with their iterations' noise", {
  constants <- list(alpha = 3, epsilon = 0.5, L = 2, gamma = 0.4, n = 100, tau = 0.8, p = 9)
  cases <- list(
    list("corollary-5.1", 8, 1, list()), list("corollary-5.2", 16, 0.1, list(r = 0.1)),
    list("corollary-5.3", 8 * log(100), 0.01, list())
  )
  for (case in cases) {
    corollary <- function(...) {
      do.call(utility_bound, c(case[[1]], constants, case[[4]], list(...)))
    }
    of_noise <- function(k) {
      sigma <- sqrt(case[[2]] * k * 3 * 2^2 * 0.4^2 / (0.5 * 100^2))
      utility_bound("contraction", tau = 0.8, p = 9, k = k, D = 50, sigma = sigma, q = case[[3]])
    }
    ks <- c(1, 10, 500)
    expect_equal(corollary(D = 50, k = ks), vapply(ks, of_noise, 0), tolerance = 1e-12)
    expect_equal(corollary(D = 50), min(vapply(1:3000, of_noise, 0)), tolerance = 1e-12)
  }
})

test_that("the corollaries' rates are those printed, up to logarithms", {
  at <- function(bound, n, ...) {
    utility_bound(bound, alpha = 2, epsilon = 1, L = 1, gamma = 1, n = n, tau = 0.5, p = 5, ...)
  }
  # the printed second term alone falls as n^-2 or n^-1, and so does the bound
  falls <- function(bound, ...) at(bound, 1e8, D = 1, ...) / at(bound, 1e7, D = 1, ...)
  expect_equal(falls("corollary-5.1") * 10^2, 1, tolerance = 0.5)
  expect_equal(falls("corollary-5.2", r = 0.1) * 10^2, 1, tolerance = 0.5)
  expect_equal(falls("corollary-5.3") * 10, 1, tolerance = 0.5)
  # Theorem 1 has a floor instead
  floor <- function(q, tau) {
    size <- sqrt(q) * (1 - tau) * (1 + 1e-9)
    utility_bound("theorem-1", tau = tau, p = 1, k = 1e9, D = 1, sigma = size, q = q)
  }
  for (q in c(1, 0.2)) {
    expect_equal(floor(q, 0.7), 8 + 8 / (q^2 * 0.3), tolerance = 1e-6)
  }
})

test_that("the contraction bound holds on simulated runs, and lies below Theorem 1", {
  tau <- 0.7
  A <- tau * qr.Q(qr(matrix(c(2, 1, 0, -1, 1, 3, 1, 0, 1, 1, 1, -2, 0, 1, 0, 1), 4)))
  u0 <- c(3, -2, 1, 4)
  for (q in c(1, 0.5)) {
    distance <- rowMeans(vapply(1:300, function(seed) {
      run <- fixed_point(operator_affine(A), u0, blocks = 1:4, lambda = 1,
        active = if (q == 1) "all" else q,
        noise = gaussian_noise(0.5), iterations = 25, delta = 1e-6, seed = seed)
      rowSums(run$iterates^2)
    }, double(25)))
    bound <- utility_bound("contraction", tau = tau, p = 4, k = 1:25, D = sum(u0^2), sigma = 0.5,
      q = q)
    expect_true(all(distance <= bound))
    printed <- utility_bound("theorem-1", tau = tau, p = 4, k = 0:24, D = sum(u0^2), sigma = 0.5,
      q = q)
    expect_true(all(bound <= printed))
  }
})

test_that("constants are checked", {
  expect_error(utility_bound("theorem-1", tau = 0.5, p = 4, k = 1, D = 1), "sigma",
    class = "dpadmm_error_argument")
  expect_error(utility_bound("corollary-5.2", tau = 0.5, p = 4, alpha = 2, epsilon = 1, L = 1,
    gamma = 1, n = 10),
    "`r`", class = "dpadmm_error_argument")
  expect_error(utility_bound("theorem-1", tau = 1, p = 4, k = 1, D = 1, sigma = 1),
    class = "dpadmm_error_argument")
  expect_error(utility_bound("theorem-1", tau = 0.5, p = 4, k = 1, D = 1, sigma = 0.1),
    class = "dpadmm_error_theorem")
})
