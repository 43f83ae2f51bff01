# Gamma-norm noise on the output: the closed form of its loss (Theorem 5 of
# vignette("privacy-accounting")) against integrals over the norm and the direction of the noise,
# and against draws.

# without the 1e-9 by which divergences are moved outward
gamma_curve <- function(a, t, dim) {
  columns <- do.call(renyi_columns, c(1L, gamma_kinds(t, dim)))
  as.vector(divergences(columns, a - 1)) / (1 + 1e-9)
}

skip_on_cran()

# P(loss > l): the noise has norm r ~ Gamma(d, 1) and the cosine c with the shift, which is above l
# when c is below a bound that falls in r.
survival <- function(l, t, d) {
  if (l >= t) return(0)
  if (l < -t) return(1)
  below <- function(r) {
    c <- pmin(1, pmax(-1, (t^2 - l^2) / (2 * r * t) - l / t))
    pbeta((1 + c) / 2, (d - 1) / 2, (d - 1) / 2)
  }
  always <- (t - l) / 2
  at <- c(always, always + 0.1 * 1:3, qgamma(c(1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9), d))
  at <- sort(at[at >= always])
  at <- c(at, max(at) + 60)
  pgamma(always, d) + sum(mapply(function(from, to) {
    integrate(function(r) dgamma(r, d) * below(r), from, to,
      rel.tol = 1e-10, subdivisions = 2000L)$value
  }, at[-length(at)], at[-1L]))
}

# The other law's is its mirror image.
exact_delta <- function(epsilon, t, d) {
  survival(epsilon, t, d) - exp(epsilon) * (1 - survival(-epsilon, t, d))
}

shifts <- list(c(0.3, 2), c(3, 2), c(1, 3), c(0.7, 5), c(4, 20), c(12, 105), c(25, 40))

test_that("one release: the bracket holds the exact profile, and is narrow", {
  for (p in shifts) for (share in c(0.05, 0.3, 0.6)) {
    epsilon <- share * p[1]
    want <- exact_delta(epsilon, p[1], p[2])
    # the integrals have ten digits
    if (want < 1e-8) next
    got <- pld_delta(dp_event_gamma(p[1], 1, dim = p[2]), epsilon)
    expect_lte(got[["lower"]], want * (1 + 1e-6))
    expect_gte(got[["upper"]], want * (1 - 1e-6))
    expect_lt(diff(got), 0.01 * want)
    # and of the epsilon at this delta
    if (want < 1) {
      back <- pld_epsilon(dp_event_gamma(p[1], 1, dim = p[2]), want)
      expect_lte(back[["lower"]], epsilon * (1 + 1e-6))
      expect_gte(back[["upper"]], epsilon * (1 - 1e-6))
      expect_lt(diff(back), 5e-3 * p[1])
    }
  }
})

test_that("divergences agree with an integral over norm and direction", {
  # E_P exp(s loss), the loss being |b - shift| - |b|: midpoints in the angle, then the norm
  moment <- function(s, t, d) {
    angles <- seq(0, pi, length.out = 4001)
    angles <- (angles[-1L] + angles[-4001L]) / 2
    log_w <- (d - 2) * log(sin(angles)) + log(pi / 4000) - (lbeta((d - 1) / 2, 0.5))
    given <- function(r) vapply(r, function(r) {
      loss <- sqrt(pmax(0, r^2 - 2 * r * t * cos(angles) + t^2)) - r
      sum(exp(log_w + s * loss))
    }, 0)
    at <- c(0, t * c(0.5, 1, 2), qgamma(c(1e-6, 0.01, 0.5, 0.99, 1 - 1e-9), d))
    at <- sort(c(at, max(at) + 40))
    sum(mapply(function(from, to) {
      integrate(function(r) dgamma(r, d) * given(r), from, to, rel.tol = 1e-8)$value
    }, at[-length(at)], at[-1L]))
  }
  for (p in shifts) for (s in c(0.3, 2, 9)) {
    got <- gamma_curve(1 + s, p[1], p[2])
    expect_lt(abs(got - log(moment(s, p[1], p[2])) / s), 1e-6 + 1e-4 * got)
    # never above the bound for objectives without curvature, Theorem 4
    expect_lte(got, rdp_objective_gamma(1 + s, p[1], 1, 0, 1, p[2]))
  }
  orders <- 1 + 10^seq(-7, 5, length.out = 40)
  for (t in c(1e-8, 1, 300, 2e4)) for (d in c(1, 2, 7, 1e4, 1e7)) {
    curve <- gamma_curve(orders, t, d)
    expect_all(is.finite(curve) & curve >= 0 & curve <= t * (1 + 1e-9), "within the pure loss")
    expect_all(diff(curve) >= -1e-9 * curve[-1L], "rises in the order")
    expect_all(gamma_curve(orders, 1.5 * t, d) >= curve * (1 - 1e-9), "rises in the shift")
    if (d == 1) next
    more <- gamma_curve(orders, t, 2 * d)
    expect_all(more <= curve * (1 + 1e-9), "falls in the dimension")
  }
  # in many dimensions it is Gaussian noise of variance dim / alpha^2
  expect_rel(gamma_curve(c(2, 5), 3, 1e6), c(2, 5) * 9 / 2e6, 1e-4)
})

test_that("the loss of several releases is that of draws", {
  set.seed(61)
  n <- 2e5
  draws <- function(t, d) {
    r <- rgamma(n, d)
    c <- 2 * rbeta(n, (d - 1) / 2, (d - 1) / 2) - 1
    sqrt(r^2 - 2 * r * t * c + t^2) - r
  }
  for (p in list(c(0.8, 5, 6), c(2, 30, 10), c(0.3, 2, 20))) {
    total <- Reduce(`+`, lapply(seq_len(p[3]), function(k) draws(p[1], p[2])))
    events <- dp_event_gamma(p[1] / 2, 2, dim = p[2], count = p[3])
    for (epsilon in quantile(total, c(0.5, 0.9, 0.99))) {
      if (epsilon <= 0) next
      lost <- pmax(0, -expm1(epsilon - total))
      got <- pld_delta(events, epsilon)
      error <- 5 * sd(lost) / sqrt(n)
      expect_lte(got[["lower"]], mean(lost) + error)
      expect_gte(got[["upper"]], mean(lost) - error)
      expect_lt(diff(got), 0.02 * mean(lost) + 1e-12)
    }
  }
})

test_that("a shift that is shorter than the sensitivity costs no more", {
  for (d in c(2, 9)) for (epsilon in c(0.1, 0.5, 1.2)) {
    delta <- vapply(c(0.2, 0.7, 1.5, 3, 6), function(t) {
      if (epsilon >= t) 0 else exact_delta(epsilon, t, d)
    }, 0)
    expect_all(diff(delta) >= 0, "delta rises in the shift")
  }
})

test_that("delta > 0 buys what it buys for Gaussian noise, and the best accountant says so", {
  for (d in c(5, 20, 105)) {
    budget <- function(accountant) {
      calibrate(function(alpha) dp_event_gamma(alpha, 1, dim = d, count = 30), 1, 1e-5,
        accountant,
        interval = c(1e-3, 10)
      )
    }
    alpha <- budget("best")
    best <- account(dp_event_gamma(alpha, 1, dim = d, count = 30), 1e-5)
    expect_identical(best$accountant, "pld")
    expect_lte(best$epsilon, 1)
    expect_gt(alpha, 1.05 * budget("rdp"))
    # standard deviation a coordinate of a Gaussian with the same guarantee
    expect_rel(sqrt(d) / alpha, gaussian_sigma(1, 1e-5, sqrt(30)), 0.05)
  }
  # mixed with other releases
  mixed <- c(dp_event_gamma(0.4, 1, dim = 8, count = 10), dp_event_gaussian(9, 1, count = 4))
  expect_lt(account(mixed, 1e-5)$epsilon, account(mixed, 1e-5, "rdp")$epsilon)
  # one dimension: Laplace noise
  for (accountant in c("pld", "rdp")) {
    expect_rel(account(dp_event_gamma(0.5, 1, dim = 1, count = 8), 1e-5, accountant)$epsilon,
      account(dp_event_laplace(2, 1, count = 8), 1e-5, accountant)$epsilon, 1e-9)
  }
})

test_that("ratios of Bessel functions are those of integrals, and of R's functions", {
  # K_(nu + 1)(z) / K_nu(z), nu = d / 2 - 1, z = t / 2
  ratio <- function(nu, z) {
    dim <- rep(2 * nu + 2, length(z))
    z / (dim - 1) / spherical_lean(2 * z, dim)
  }
  # K_nu(z) is proportional to the integral of exp(-z cosh x) cosh(nu x)
  k <- function(nu, z) {
    integrate(function(x) exp(z - z * cosh(x)) * cosh(nu * x), 0, 8, rel.tol = 1e-10)$value
  }
  for (nu in c(0, 0.5, 1, 1.5, 4, 20.5)) for (z in c(0.5, 3, 60)) {
    expect_rel(ratio(nu, z), k(nu + 1, z) / k(nu, z), 1e-8)
  }
  z <- c(10^seq(-9, 3.6, 0.05), 2 + c(-1e-9, 0, 1e-9))
  scaled <- function(nu) besselK(z, nu, expon.scaled = TRUE)
  for (nu in c(0, 0.5, 1, 2, 7.5)) expect_rel(ratio(nu, z), scaled(nu + 1) / scaled(nu), 4e-14)
  # far up, where the recurrence begins with an approximation
  nu <- 5000
  for (at in c(1e-3, 40, 5e4)) {
    long <- besselK(at, 1, TRUE) / besselK(at, 0, TRUE)
    if (!is.finite(long)) next
    for (order in seq_len(nu)) long <- 2 * order / at + 1 / long
    expect_rel(ratio(nu, at), long, 1e-12)
  }
  expect_identical(spherical_lean(c(0, 1e-200), c(2, 9)), c(0, 0))
  expect_error(spherical_lean(1, c(2, 3)), class = "dpadmm_error_argument")
})
