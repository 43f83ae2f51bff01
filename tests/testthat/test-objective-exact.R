# Renyi divergences of objective perturbation against the exact divergence of small problems, by
# quadrature over the density of the released minimiser (Lemma 6 of
# vignette("privacy-accounting")).

gamma_norm <- function(orders, shift, kappa, dim, logistic_curvature = FALSE) {
  rdp_objective_gamma(orders, 1, shift, kappa, 1, dim, logistic_curvature)
}

# A loss as a function of a = x'theta: slope and curvature, their bounds and the kinks.
losses <- list(
  logistic = list(
    slope = function(a, y) -y * plogis(-y * a), curve = function(a, y) plogis(a) * plogis(-a),
    l1 = 1, c1 = 0.25, kinks = function(y) numeric(), logistic_curvature = TRUE
  ),
  huber = list(
    slope = function(a, y) pmin(pmax(a - y, -0.5), 0.5),
    curve = function(a, y) as.numeric(abs(a - y) < 0.5),
    l1 = 0.5, c1 = 1, kinks = function(y) y + c(-0.5, 0.5), logistic_curvature = FALSE
  ),
  hinge = list(
    slope = function(a, y) -y * pmin(pmax((1.5 - y * a) / 1, 0), 1),
    curve = function(a, y) as.numeric(abs(1 - y * a) < 0.5),
    l1 = 1, c1 = 1, kinks = function(y) y * (1 + c(-0.5, 0.5)), logistic_curvature = FALSE
  )
)

# Simpson's rule between each two of the points `at`, about `per_unit` intervals per unit.
simpson <- function(at, per_unit) {
  at <- sort(unique(at))
  at <- at[c(TRUE, diff(at) > 1e-9)]
  rules <- lapply(seq_len(length(at) - 1L), function(i) {
    n <- ceiling(per_unit * (at[i + 1L] - at[i]) / 2) + 25
    # a hair inside: the curvature jumps at a kink
    hair <- 1e-12 * max(1, abs(at[i + 0:1]))
    x <- seq(at[i] + hair, at[i + 1L] - hair, length.out = 2 * n + 1)
    cbind(x, log((x[2L] - x[1L]) / 3 * c(1, rep(c(4, 2), length.out = 2 * n - 1), 1)))
  })
  rules <- do.call(rbind, rules)
  list(x = rules[, 1L], log_w = rules[, 2L])
}

# The larger of the two directions.
divergence <- function(orders, log_density, log_w, tolerance = 1e-7) {
  # the laws are complete: nothing lost at the ends
  for (p in log_density) stopifnot(abs(log_sum(p + log_w)) < tolerance)
  vapply(orders, function(a) {
    one <- function(p, q) log_sum(a * p + (1 - a) * q + log_w) / (a - 1)
    max(one(log_density[[1L]], log_density[[2L]]), one(log_density[[2L]], log_density[[1L]]))
  }, 0)
}

log_sum <- function(y) max(y) + log(sum(exp(y - max(y))))

# Both divergences of the minimiser of modulus/2 theta^2 + b theta + weight * the losses
# of the other records and one of a pair. A record is c(x, y).
exact_1d <- function(orders, loss, pair, others, weight, modulus, log_noise, scale, reach) {
  part <- function(theta, record, what) {
    x <- record[1L]
    if (what == "slope") {
      weight * x * loss$slope(x * theta, record[2L])
    } else {
      weight * x^2 * loss$curve(x * theta, record[2L])
    }
  }
  total <- function(theta, last, what) {
    start <- if (what == "slope") modulus * theta else rep(modulus, length(theta))
    Reduce(`+`, lapply(c(others, list(last)), part, theta = theta, what = what), start)
  }
  wide <- (reach + weight * loss$l1 * (length(others) + 1)) / modulus
  root <- function(last) {
    uniroot(total, c(-wide, wide), last = last, what = "slope", tol = 1e-13)$root
  }
  kinks <- unlist(lapply(c(others, pair), function(r) loss$kinks(r[2L]) / r[1L]))
  at <- c(-wide, kinks[abs(kinks) < wide], root(pair[[1L]]), root(pair[[2L]]), wide)
  rule <- simpson(at, max(30 * modulus / scale, 20))
  log_density <- lapply(pair, function(last) {
    log_noise(total(rule$x, last, "slope")) + log(total(rule$x, last, "curve"))
  })
  divergence(orders, log_density, rule$log_w)
}

pairs_1d <- list(
  opposite = list(c(1, 1), c(1, -1)), norms = list(c(1, 1), c(0.3, 1)),
  mixed = list(c(1, 1), c(-0.4, 1)), apart = list(c(1, -0.4), c(1, 0.6)),
  tiny = list(c(1, 1), c(1e-3, 1))
)
others_1d <- list(list(), list(c(0.8, 1), c(-0.5, 1), c(0.9, -1)))
orders_exact <- c(1.1, 1.5, 2, 4, 9, 24, 64)

test_that("Gaussian noise: never below the exact divergence in one dimension", {
  share <- c()
  for (name in names(losses)) {
    loss <- losses[[name]]
    for (pair in pairs_1d[if (name == "huber") 1:5 else c(1:3, 5)]) {
      for (setting in list(c(0.2, 1, 1), c(1, 0.4, 2), c(0.05, 2, 0.2), c(2, 1, 0.3))) {
        for (others in if (setting[1L] < 1) others_1d else others_1d[1L]) {
          weight <- setting[1L]
          modulus <- setting[2L]
          sigma <- setting[3L]
          delta <- 2 * weight * loss$l1
          bound <- rdp_objective_gaussian(orders_exact, sigma, delta, weight * loss$c1, modulus,
            logistic_curvature = loss$logistic_curvature
          )
          exact <- exact_1d(orders_exact, loss, pair, others, weight, modulus,
            function(g) dnorm(g, 0, sigma, log = TRUE),
            scale = sigma, reach = 12 * sigma + 65 * delta
          )
          share <- c(share, exact / bound)
        }
      }
    }
  }
  expect_lte(max(share), 1 + 1e-8)
  expect_gt(max(share), 0.95) # some reach it
  expect_gt(length(share) / length(orders_exact), 60)
})

test_that("Gaussian noise: never below the exact divergence in two dimensions", {
  orders <- c(1.1, 2, 5, 10)
  # logistic records of labels 1; `far` moves the minimiser (as the dual variable does) to
  # where both slopes are near their largest
  exact_2d <- function(x1, x2, weight, modulus, sigma, far) {
    half <- (9 * sigma + 20 * weight) / modulus
    step <- 0.3 * sigma / (modulus + max(orders) * weight / 4)
    axis <- seq(-half, half, by = min(step, 0.4))
    centre <- -far * (x1 + x2) / max(1e-9, sqrt(sum((x1 + x2)^2)))
    theta <- rbind(rep(axis, length(axis)), rep(axis, each = length(axis))) + centre
    log_density <- lapply(list(x1, x2), function(x) {
      a <- colSums(x * theta)
      g <- modulus * (theta - centre) + weight * x %o% -plogis(-a)
      dnorm(g[1L, ], 0, sigma, log = TRUE) + dnorm(g[2L, ], 0, sigma, log = TRUE) +
        2 * log(modulus) + log1p(weight / modulus * sum(x^2) * plogis(a) * plogis(-a))
    })
    log_cell <- 2 * log(axis[2L] - axis[1L])
    divergence(orders, log_density, log_cell)
  }
  turn <- function(degrees) c(cos(degrees * pi / 180), sin(degrees * pi / 180))
  share <- lapply(list(
    list(turn(0), turn(90), 0.3, 1, 0.5, 0), list(turn(0), turn(180), 0.3, 1, 0.5, 0),
    list(turn(0), 0.2 * turn(0), 0.3, 1, 0.5, 5), list(turn(0), turn(90), 1, 1, 1, 8),
    list(turn(0), turn(120), 0.2, 1, 1, 3), list(turn(0), turn(150), 0.3, 1, 0.5, 25),
    list(turn(0), turn(165), 0.1, 0.5, 0.5, 50), list(turn(0), turn(135), 0.5, 0.5, 2, 2)
  ), function(p) {
    bound <- rdp_objective_gaussian(orders, p[[5L]], 2 * p[[3L]], p[[3L]] / 4, p[[4L]],
      logistic_curvature = TRUE
    )
    do.call(exact_2d, p) / bound
  })
  expect_lte(max(unlist(share)), 1 + 1e-8)
  expect_gt(share[[6L]][2L], 0.92) # cos(15 degrees)^2 at most
  expect_gt(share[[7L]][2L], 0.97)
})

test_that("Gamma-norm noise: never below the exact divergence in one dimension", {
  share <- c()
  for (name in names(losses)) {
    loss <- losses[[name]]
    for (pair in pairs_1d[c(1, 2, if (name == "huber") 4 else 3)]) {
      for (setting in list(c(0.2, 1, 1), c(1, 0.4, 0.5), c(0.05, 2, 5))) {
        weight <- setting[1L]
        modulus <- setting[2L]
        alpha <- setting[3L]
        delta <- 2 * weight * loss$l1
        bound <- rdp_objective_gamma(orders_exact, alpha, delta, weight * loss$c1, modulus, 1,
          logistic_curvature = loss$logistic_curvature
        )
        exact <- exact_1d(orders_exact, loss, pair, list(), weight, modulus,
          function(g) log(alpha / 2) - alpha * abs(g),
          scale = 0.5 / alpha, reach = 40 / alpha + 65 * delta
        )
        share <- c(share, exact / bound)
      }
    }
  }
  expect_lte(max(share), 1 + 1e-8)
  expect_gt(max(share), 0.8)
  # without curvature this is the Laplace mechanism
  for (u in c(0.01, 0.5, 3)) {
    expect_true(all(gamma_norm(orders_exact, u, 0, 1) >= rdp_laplace(orders_exact, 1, u)))
  }
})

test_that("Gamma-norm noise: never below the exact divergence in three dimensions", {
  orders <- c(1.1, 2, 5, 12)
  # Both records lie on the first axis; r is the distance from it.
  exact_3d <- function(loss, pair, weight, modulus, alpha) {
    slope <- function(theta, r) weight * r[1L] * loss$slope(r[1L] * theta, r[2L])
    curve <- function(theta, r) weight * r[1L]^2 * loss$curve(r[1L] * theta, r[2L])
    half <- (40 / alpha + 12 * weight * loss$l1) / modulus
    kinks <- unlist(lapply(pair, function(r) loss$kinks(r[2L]) / r[1L]))
    roots <- vapply(pair, function(r) {
      uniroot(function(x) modulus * x + slope(x, r), c(-half, half), tol = 1e-13)$root
    }, 0)
    along <- simpson(c(-half, kinks, roots, half), 20 * modulus * alpha / 2)
    across <- simpson(c(0, 1, 4, 40) / alpha / modulus, 10 * modulus * alpha)
    r <- rep(across$x, each = length(along$x))
    log_w <- as.vector(outer(along$log_w, across$log_w + log(2 * pi * across$x), `+`))
    log_density <- lapply(pair, function(record) {
      g <- modulus * along$x + slope(along$x, record)
      log(alpha^3 / (8 * pi)) - alpha * sqrt(rep(g, length(across$x))^2 + (modulus * r)^2) +
        2 * log(modulus) + log(modulus + curve(along$x, record))
    })
    divergence(orders, log_density, log_w, tolerance = 1e-5)
  }
  share <- c()
  for (name in names(losses)) {
    loss <- losses[[name]]
    for (setting in list(c(0.2, 1, 1), c(0.5, 0.5, 1), c(0.05, 0.5, 4))) {
      bound <- rdp_objective_gamma(orders, setting[3L], 2 * setting[1L] * loss$l1,
        setting[1L] * loss$c1, setting[2L], 3,
        logistic_curvature = loss$logistic_curvature
      )
      exact <- exact_3d(loss, pairs_1d$opposite, setting[1L], setting[2L], setting[3L])
      share <- c(share, exact / bound)
    }
  }
  expect_lte(max(share), 1)
  expect_gt(max(share), 0.5)
})
