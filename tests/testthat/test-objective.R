# Renyi divergences of objective perturbation: the formulas of Theorems 2-4 of
# vignette("privacy-accounting"), computed here, and what a bound must keep to.

skip_on_cran()

gaussian <- function(orders, shift, kappa, logistic_curvature = FALSE) {
  rdp_objective_gaussian(orders, 1, shift, kappa, 1, logistic_curvature)
}

gamma_norm <- function(orders, shift, kappa, dim, logistic_curvature = FALSE) {
  rdp_objective_gamma(orders, 1, shift, kappa, 1, dim, logistic_curvature)
}

plain <- function(a, shift) a * shift^2 / 2

# ---- formulas ------------------------------------------------------------------------

theorem2 <- function(a, t, u, k) {
  s <- a - 1
  a * u^2 / 2 + (log(2) + pnorm((s - t) * u, log.p = TRUE) + a * log1p(k) -
    log1p((1 + t) * k) + pmax(0, -s * log1p(k) - log1p(-t * k))) / s
}

# Over a grid of t, finer and finer around its best.
theorem2_least <- function(a, u, k) {
  from <- 0
  to <- if (k > 0) min(a - 1, 1 / k * (1 - 1e-12)) else a - 1
  for (round in 1:4) {
    t <- seq(from, to, length.out = 2001)
    y <- theorem2(a, t, u, k)
    from <- t[max(1L, which.min(y) - 1L)]
    to <- t[min(2001L, which.min(y) + 1L)]
  }
  min(y)
}

# The maximum over the two slopes as it stands in Theorem 3 ...
theorem3 <- function(a, u, k, n = 401) {
  s <- a - 1
  p <- seq(0.5, 1, length.out = n)
  cap <- 4 * k * p * (1 - p)
  f1 <- a * log1p(cap) - log1p(a * cap)
  f2 <- -s * log1p(cap) - log1p(-s * cap)
  max(a * u^2 / 8 * outer(p, p, `+`)^2 + outer(f1, f2, `+`) / s)
}

# ... and its bound M_1 + M_2, a maximum for each record.
theorem3_parts <- function(a, u, k, n = 100001) {
  s <- a - 1
  p <- seq(0.5, 1, length.out = n)
  cap <- 4 * k * p * (1 - p)
  less <- a * u^2 / 4 * (1 - p^2)
  f1 <- log1p(cap) - log1p(s * cap / (1 + cap)) / s
  f2 <- -log1p(cap) - log1p(-s * cap) / s
  a * u^2 / 2 + max(f1 - less) + max(f2 - less)
}

# The pure loss of Theorem 1 and, by trying slopes, its Corollary.
pure_loss <- function(u, k, logistic_curvature) {
  p <- seq(0, 1, length.out = 20001)
  if (logistic_curvature) max(u / 2 * (1 + p) + log1p(4 * k * p * (1 - p))) else u + log1p(k)
}

# Theorem 4 over the Gamma density. Only part 2 is cut at the pure loss.
theorem4 <- function(a, u, k, d, logistic_curvature = FALSE) {
  s <- a - 1
  loss <- pure_loss(u, k, logistic_curvature)
  pure <- s * loss
  mean_of <- function(bound, kinks) {
    right <- qgamma(c(1e-4, 1e-8, 1e-12, 1e-20, 1e-30, 1e-60, 1e-120), d, lower.tail = FALSE)
    at <- c(0, qgamma(c(1e-30, 1e-12, 1e-4, 0.1, 0.5, 0.9), d), right, kinks, 2 * max(kinks))
    at <- sort(unique(at[is.finite(at)]))
    # less one, so that small divergences keep their digits
    f <- function(x) {
      y <- exp(dgamma(x, d, log = TRUE)) * expm1(bound(x))
      ifelse(is.finite(y), y, 0)
    }
    sum(mapply(function(from, to) {
      integrate(f, from, to, rel.tol = 1e-11, subdivisions = 5000, stop.on.error = FALSE)$value
    }, at[-length(at)], at[-1L]))
  }
  fixed <- log(2) + s * log1p(k) + (s * u)^2 / (2 * d)
  two <- function(x) pmin(pure, fixed + s * u^2 / (2 * x))
  best <- min(
    mean_of(two, if (pure > fixed) s * u^2 / 2 / (pure - fixed) else 0),
    expm1(s * rdp_pure(a, loss))
  )
  if (s * k < 1) {
    from <- (s + 0.5) * u
    licence <- (11 + 5 * sqrt(5)) * (1 - s * k) * u^2 / (64 * k^2)
    free <- if (k == 0) Inf else if (logistic_curvature) licence else 0
    jacobian <- log1p(k) - log1p(a * k) - log1p(-s * k)
    one <- function(x) {
      c <- s * a * u^2
      loss <- ifelse(x >= from, c / (x + sqrt(pmax(0, x^2 - c))),
        ifelse(x >= s * u, 2 * s * (a * u - x), 2 * x)
      )
      loss + ifelse(x >= from & x <= free, 0, jacobian)
    }
    best <- min(best, mean_of(one, c(s * u, from, max(from, min(free, 1e3)))))
  }
  log1p(best) / s
}

test_that("named choices and the best t of Theorem 2 are what it says", {
  for (u in c(1e-3, 0.1, 1, 6)) {
    for (k in c(0, 1e-4, 0.02, 0.3, 4)) {
      for (a in c(1.01, 1.5, 2, 7.5, 60)) {
        value <- gaussian(a, u, k)
        least <- theorem2_least(a, u, k)
        expect_lte(value, theorem2(a, 0, u, k) * (1 + 1e-12)) # bound A
        if ((a - 1) * k < 1) {
          b <- plain(a, u) + log((1 + k) / ((1 + a * k) * (1 - (a - 1) * k))) / (a - 1)
          expect_lte(value, b * (1 + 2e-9))
        }
        expect_lte(value, least * (1 + 1e-6))
        expect_gte(value, least * (1 - 1e-9))
      }
    }
  }
})

test_that("the bound for losses with logistic curvature is Theorem 3's", {
  for (u in c(1e-3, 0.1, 1)) {
    for (ratio in c(0.1, 0.3, 0.55, 0.6, 0.8, 2, 20)) {
      k <- ratio * u
      for (a in c(1.01, 1.5, 2, 7.5, 60)) {
        value <- gaussian(a, u, k, logistic_curvature = TRUE)
        expect_lte(value, gaussian(a, u, k))
        if ((a - 1) * k >= 1) {
          expect_identical(value, gaussian(a, u, k))
          next
        }
        other <- theorem2_least(a, u, k)
        parts <- min(other, theorem3_parts(a, u, k))
        expect_lte(value, parts * (1 + 1e-6))
        expect_gte(value, parts * (1 - 1e-10))
        expect_gte(value, min(other, theorem3(a, u, k)) * (1 - 1e-10))
      }
    }
  }
})

test_that("Theorem 3's region is where logistic curvature costs the plain Gaussian mechanism", {
  for (a in c(1.1, 2, 10, 50)) {
    for (u in c(0.01, 0.1)) {
      # (R sigma / Lambda)^2 = 64 kappa^2 / u^2, so solve 64 k^2 / u^2 = c (1 - s k) for k
      q <- (11 + 5 * sqrt(5)) * u^2 / 64
      edge <- (-q * (a - 1) + sqrt(q^2 * (a - 1)^2 + 4 * q)) / 2
      expect_equal(gaussian(a, u, edge * (1 - 1e-6), TRUE), plain(a, u), tolerance = 2e-9)
      expect_equal(theorem3(a, u, edge * (1 - 1e-6)), plain(a, u), tolerance = 1e-12)
      # beyond it the maximum is at a slope of about 0.62, well above for twice the curvature
      expect_gt(gaussian(a, u, edge * 1.001, TRUE), plain(a, u))
      expect_gt(gaussian(a, u, 2 * edge, TRUE), 1.1 * plain(a, u))
      expect_gt(gaussian(a, u, edge / 2), plain(a, u))
    }
  }
})

gamma_problems <- expand.grid(
  a = c(1.01, 1.5, 2, 5, 40), u = c(0.05, 0.5, 3), k = c(0, 0.003, 0.1, 1), d = c(1, 2, 3, 10, 100),
  logistic_curvature = c(FALSE, TRUE)
)

test_that("Theorem 4 is the mean over the Gamma density", {
  problems <- subset(gamma_problems, !logistic_curvature | (k > 0 & a < 10 & u < 1))
  ratio <- with(problems, mapply(function(a, u, k, d, logistic_curvature) {
    gamma_norm(a, u, k, d, logistic_curvature) / theorem4(a, u, k, d, logistic_curvature)
  }, a, u, k, d, logistic_curvature))
  expect_gte(min(ratio), 1 - 1e-9)
  expect_lte(max(ratio), 1 + 2e-9)
})

# ---- properties ----------------------------------------------------------------------

orders_all <- c(1.001, 1.05, 1.3, 2, 3, 5.5, 10, 33, 100, 400)

problems_all <- expand.grid(
  u = c(0.002, 0.3, 5), k = c(0, 0.01, 0.3, 6), d = c(1, 40), logistic_curvature = c(FALSE, TRUE)
)

test_that("bounds grow with sensitivity and curvature, fall with noise and modulus", {
  rises <- function(high, low) all(high >= low * (1 - 1e-9))
  for (i in seq_len(nrow(problems_all))) {
    p <- problems_all[i, ]
    f <- function(sigma = 2, u = p$u, k = p$k, modulus = 3) {
      rdp_objective_gaussian(orders_all, sigma, u, k, modulus, p$logistic_curvature)
    }
    g <- function(alpha = 2, u = p$u, k = p$k, modulus = 3, d = p$d) {
      rdp_objective_gamma(orders_all, alpha, u, k, modulus, d, p$logistic_curvature)
    }
    gaussian <- f()
    expect_true(rises(gaussian[-1L], gaussian[-length(gaussian)]), info = "order")
    expect_true(rises(f(u = 1.3 * p$u), gaussian), info = "sensitivity")
    expect_true(rises(f(k = 1.3 * p$k), gaussian), info = "curvature")
    expect_true(rises(gaussian, f(sigma = 2.6)), info = "noise")
    expect_true(rises(gaussian, f(modulus = 4)), info = "modulus")
    expect_true(all(gaussian >= rdp_gaussian(orders_all, 2, p$u) * (1 - 1e-14)))
    if (p$k == 0) expect_equal(gaussian, rdp_gaussian(orders_all, 2, p$u), tolerance = 1e-14)

    gamma <- g()
    expect_true(rises(g(u = 1.3 * p$u), gamma), info = "sensitivity")
    expect_true(rises(g(k = 1.3 * p$k), gamma), info = "curvature")
    expect_true(rises(g(alpha = 2.6), gamma), info = "rate")
    expect_true(rises(gamma, g(modulus = 4)), info = "modulus")
    if (p$d > 1) expect_true(rises(gamma, g(d = 2 * p$d)), info = "dimension")
    pure <- 2 * p$u + log1p(p$k / 3)
    expect_true(all(gamma <= pure * (1 + 1e-14)))
    expect_true(rises(rdp_pure(orders_all, pure), gamma))
  }
})

test_that("a flat or absent record costs what it must", {
  expect_identical(gaussian(orders_all, 0, 0), numeric(10))
  expect_identical(gamma_norm(orders_all, 0, 0, 5), numeric(10))
  # in many dimensions Gamma-norm noise is Gaussian noise of variance dim / alpha^2
  expect_equal(gamma_norm(c(2, 5), 1, 0, 1e5), plain(c(2, 5), 1 / sqrt(1e5)), tolerance = 1e-3)
})

test_that("the scale of units does not matter", {
  expect_equal(
    rdp_objective_gaussian(orders_all, 3e-5, 2e-5, 0.4e3, 2e3, TRUE),
    gaussian(orders_all, 2 / 3, 0.2, TRUE)
  )
  expect_equal(
    rdp_objective_gamma(orders_all, 3e5, 2e-5, 0.4e3, 2e3, 7), gamma_norm(orders_all, 6, 0.2, 7)
  )
})

# A number, finite and not negative: an error would be none.
expect_sound <- function(value) {
  expect_true(all(is.finite(value)) && all(value >= 0))
}

test_that("no extreme makes a bound negative, infinite or NaN", {
  orders <- c(1 + 1e-7, 1.01, 2, 100, 1e5)
  for (size in c(0, 1e-6, 1, 1e3)) {
    for (h in c(0, 1e-12, 0.25, 1e6)) {
      for (logistic_curvature in c(FALSE, TRUE)) {
        for (sigma in c(1e-3, 1, 1e6)) {
          expect_sound(rdp_objective_gaussian(orders, sigma, size, h, 0.01, logistic_curvature))
        }
        for (alpha in c(1e-6, 1, 1e6)) {
          for (dim in c(1, 30, 1e5)) {
            expect_sound(rdp_objective_gamma(orders, alpha, size, h, 0.01, dim, logistic_curvature))
          }
        }
      }
    }
  }
  expect_error(rdp_objective_gaussian(2, 1e-200, 1, 0, 1), class = "dpadmm_error_finite")
  expect_error(rdp_objective_gaussian(2, 1, 1, 1e200, 1e-200), class = "dpadmm_error_finite")
  expect_error(rdp_objective_gamma(2, 1e200, 1e200, 0, 1, 3), class = "dpadmm_error_finite")
  expect_error(rdp_objective_gamma(2, 1, 1, 1e200, 1e-200, 3), class = "dpadmm_error_finite")
})

test_that("bad arguments are named", {
  good <- list(orders = 2, sensitivity = 1, curvature = 1, modulus = 1)
  wrong <- list(
    list(orders = 1), list(orders = c(2, 0.5)), list(orders = "2"), list(orders = NA_real_),
    list(orders = Inf), list(orders = numeric()), list(sensitivity = -1), list(sensitivity = NaN),
    list(curvature = -1), list(curvature = c(1, 2)), list(modulus = 0), list(modulus = -1),
    list(modulus = Inf), list(logistic_curvature = NA), list(logistic_curvature = 1),
    list(logistic_curvature = c(TRUE, FALSE))
  )
  fails <- function(f, given, change) {
    error <- expect_error(do.call(f, modifyList(given, change)), class = "dpadmm_error")
    expect_identical(error$argument, names(change))
  }
  for (change in wrong) {
    fails(rdp_objective_gaussian, c(good, sigma = 1), change)
    fails(rdp_objective_gamma, c(good, alpha = 1, dim = 2), change)
  }
  for (x in list(0, -1, Inf, NA_real_, "1", c(1, 2))) {
    fails(rdp_objective_gaussian, c(good, sigma = 1), list(sigma = x))
    fails(rdp_objective_gamma, c(good, alpha = 1, dim = 2), list(alpha = x))
  }
  for (x in list(0, 1.5, -2, NA_real_, "3")) {
    fails(rdp_objective_gamma, c(good, alpha = 1, dim = 2), list(dim = x))
  }
})
