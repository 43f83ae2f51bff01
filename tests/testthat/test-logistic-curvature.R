# Pure losses of objectives with logistic curvature: the Corollary to Theorem 1 of
# vignette("privacy-accounting"), against trying slopes and against exact densities.

tried <- function(shift, kappa) {
  p <- seq(0, 1, length.out = 20001)
  max(shift / 2 * (1 + p) + log1p(4 * kappa * p * (1 - p)))
}

release <- function(alpha, kappa, logistic = TRUE, count = 1, dim = 3) {
  dp_event_objective_gamma(alpha, 1, kappa * 2, 2,
    dim = dim, logistic_curvature = logistic, count = count
  )
}

problems <- expand.grid(shift = 10^seq(-4, 2, 0.5), ratio = c(0.01, 0.1249, 0.1251, 0.5, 3, 100))

test_that("the pure loss is the largest over the record's slope, and free from 8 kappa on", {
  for (i in seq_len(nrow(problems))) {
    shift <- problems$shift[i]
    kappa <- shift * problems$ratio[i]
    loss <- account(release(shift, kappa))$epsilon
    truth <- tried(shift, kappa)
    expect_gte(loss, truth)
    expect_rel(loss, truth, 1e-7)
    if (problems$ratio[i] < 1 / 8) expect_rel(loss, shift, 1e-14)
    if (problems$ratio[i] > 1 / 8) expect_gt(loss, shift)
    expect_lt(loss, account(release(shift, kappa, FALSE))$epsilon)
    expect_rel(account(release(shift, kappa, FALSE))$epsilon, shift + log1p(kappa), 1e-14)
  }
  # several kinds at once, each by its own rule
  table <- c(release(1, 2), release(0.3, 2, FALSE), release(2, 0.1, count = 4))
  expect_rel(account(table)$epsilon, tried(1, 2) + 0.3 + log(3) + 4 * 2, 1e-7)
})

test_that("every accountant that reads pure losses reads this one", {
  for (p in list(c(0.3, 0.01), c(0.3, 0.5))) {
    e <- release(p[1], p[2], count = 12)
    pure <- dp_event_pure(account(release(p[1], p[2]))$epsilon, count = 12)
    for (accountant in c("pure", "zcdp", "pld")) {
      expect_rel(account(e, 1e-4, accountant)$epsilon, account(pure, 1e-4, accountant)$epsilon,
        1e-9)
    }
    expect_lte(account(e, 1e-4, "rdp")$epsilon, account(pure, 1e-4, "rdp")$epsilon * (1 + 1e-9))
    # at high orders the divergence is that of the pure loss
    expect_rel(rdp_objective_gamma(1e5, p[1], 1, 2 * p[2], 2, 3, TRUE),
      rdp_pure(1e5, pure$epsilon), 1e-8)
  }
})

test_that("no density ratio of a logistic objective exceeds its pure loss, and some come near", {
  # one released coefficient: modulus / 2 theta^2 + b theta + linear theta + weight * the loss of
  # one record, x = 1 and y = 1 or -1, or another record
  worst_ratio <- function(alpha, weight, modulus) {
    theta <- seq(-60, 60, length.out = 24001)
    far <- c(-1, 1) * weight / modulus
    log_density <- function(x, y, linear) {
      g <- modulus * theta + linear - weight * y * x * plogis(-y * x * theta)
      -alpha * abs(g) + log(modulus + weight * x^2 * plogis(x * theta) * plogis(-x * theta))
    }
    max(vapply(c(seq(-8, 8, length.out = 9), seq(-200, 200, length.out = 9)), function(at) {
      linear <- -modulus * at
      one <- log_density(1, 1, linear)
      max(vapply(list(c(1, -1), c(0, 1), c(0.3, -1), c(1e-3, -1)), function(other) {
        max(abs(one - log_density(other[1], other[2], linear)))
      }, 0))
    }, 0))
  }
  share <- c()
  for (p in list(c(2, 1, 1), c(1, 0.5, 1), c(0.5, 1, 1), c(0.2, 1, 0.5), c(0.05, 2, 1),
    c(1e-3, 1, 0.3))) {
    claim <- account(dp_event_objective_gamma(p[1], 2 * p[2], p[2] / 4, p[3],
      dim = 1, logistic_curvature = TRUE
    ))$epsilon
    share <- c(share, worst_ratio(p[1], p[2], p[3]) / claim)
  }
  expect_lte(max(share), 1)
  expect_gt(max(share), 0.99)
})

test_that("noise of a pure fit is that of the shift alone where curvature is free", {
  at_defaults <- function(epsilon, loss, method = "mr_admm") {
    dpadmm_plan(20, sizes = rep(400, 5), epsilon = epsilon, loss = loss, method = method)
  }
  for (epsilon in c(0.5, 1)) for (method in c("admm", "mr_admm")) {
    plan <- at_defaults(epsilon, "logistic", method)
    e <- plan$events
    expect_lte(privacy(plan)$epsilon, epsilon)
    own <- e$node == 1 & e$mechanism == "objective_gamma"
    expect_charged(epsilon, sum((e$alpha * e$sensitivity * e$count)[own]))
    # the same without logistic curvature costs more
    e$logistic_curvature <- FALSE
    expect_gt(account(e)$epsilon, 1.03 * epsilon)
  }
  plan <- at_defaults(1, "huber")
  expect_rel(privacy(plan)$epsilon, 1, 1e-9)
  own <- plan$events$node == 1 & plan$events$mechanism == "objective_gamma"
  expect_lt(with(plan$events, sum((alpha * sensitivity * count)[own])), 0.99)
})

test_that("the guess at a pure budget's noise is the answer", {
  problem <- list(loss = dpadmm_loss("logistic"), d = 3)
  budget <- list(delta = 0, mechanism = "gamma")
  for (curvature in c(1e-4, 0.05, 0.3)) for (epsilon in c(0.5, 2)) {
    counted <- data.frame(
      part = c("objective", "output"), node = 1L, sensitivity = c(0.1, 0.2), weight = c(1, 2),
      count = c(3, 1), curvature = c(curvature, NA), modulus = c(2, NA)
    )
    unit <- likely_units(counted, epsilon, budget, problem)
    loss <- account(c(
      dp_event_objective_gamma(1 / unit, 0.1, curvature, 2,
        dim = 3, logistic_curvature = TRUE, count = 3
      ),
      dp_event_gamma(1 / (2 * unit), 0.2, dim = 3)
    ))$epsilon
    expect_rel(loss, epsilon, 1e-3)
  }
  # no noise is enough for more curvature than this
  counted$curvature[1] <- 2 * expm1(0.7)
  expect_identical(likely_units(counted, 2, budget, problem), NA_real_)
})
