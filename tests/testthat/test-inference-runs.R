# Runs with standard errors: engines, sites, coverage, what is refused and what cannot be told.

skip_on_cran()

made <- function(n, seed) {
  u <- function(k) (sin(seq_len(n) * k + seed) * 1e4) %% 1
  x <- data.frame(a = 2 * u(1.7) - 1, b = 2 * (u(2.3) > 0.6) - 1)
  x$ill <- ifelse(u(5.9) < plogis(-0.3 + x$a - 0.5 * x$b), "yes", "no")
  x
}
bounds <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), ill = c("no", "yes"))
cohort <- made(3000, 1)
clinic <- rep(c("A", "B"), c(2000, 1000))

planned <- function(..., sizes = c(A = 2000, B = 1000), inference = TRUE) {
  dpadmm_plan(ill ~ a + b, bounds, sizes = sizes, inference = inference, ...)
}

test_that("engines agree on intervals to the last bit", {
  plan <- planned(epsilon = 8, delta = 1e-6, inference = "sandwich")
  fit <- dpadmm_fit(plan, cohort, nodes = clinic, seed = 3)
  expect_null(fit$iterates)
  other <- dpadmm_fit(plan, cohort, nodes = clinic, seed = 3,
    control = dpadmm_control(engine = "stepwise", keep_iterates = TRUE))
  expect_identical(other$inference, fit$inference)
  expect_identical(dim(other$iterates), c(30L, 2L, 3L))
  key <- dpadmm:::noise_key(3)
  records <- dpadmm:::records_planned(plan$problem$blueprint, cohort, NULL, plan$problem$loss,
    list())
  held <- list(index = match(clinic, c("A", "B")), size = c(2000L, 1000L))
  runs <- lapply(c(TRUE, FALSE), function(cache) {
    dpadmm:::run_plan(plan, records, held, key, dpadmm:::engine_stepwise(TRUE, cache))$moments
  })
  expect_identical(runs[[1]], dpadmm:::run_plan(plan, records, held, key)$moments)
  expect_equal(runs[[2]], runs[[1]], tolerance = 0.1) # at a mean model that a solver found anew
})

test_that("sites release moments, and one that misses a round leaves no intervals", {
  skip_unless_sites()
  frames <- split(cohort, clinic)
  sites <- sites_local(frames, bounds, epsilon = 100, delta = 1e-4, simulation = TRUE)
  plan <- dpadmm_plan(ill ~ a + b, sites, epsilon = 8, delta = 1e-6, inference = TRUE)
  over <- dpadmm_fit(plan, sites, seed = 5)
  inside <- dpadmm_fit(plan, do.call(rbind, unname(frames)), nodes = clinic, seed = 5)
  expect_identical(vcov(over), vcov(inside))
  expect_identical(confint(over), confint(inside))
  missed <- dpadmm:::with_inference(over, list(), missed = TRUE)
  expect_error(vcov(missed), "missed a round", class = "dpadmm_error_unavailable")
})

test_that("intervals cover what they should, as often as they should", {
  plan <- planned(epsilon = 2, delta = 1e-6)
  truth <- c(-0.3, 1, -0.5)
  set.seed(20)
  expect_covers(200, truth, function(run) {
    x <- data.frame(a = runif(3000, -1, 1), b = 2 * (runif(3000) > 0.6) - 1)
    x$ill <- ifelse(runif(3000) < plogis(-0.3 + x$a - 0.5 * x$b), "yes", "no")
    dpadmm_fit(plan, x, nodes = clinic, seed = run)
  })
  # and half of the intervals of level 1/2
  fit <- dpadmm_fit(plan, cohort, nodes = clinic, seed = 1)
  half <- confint(fit, level = 0.5)
  expect_lt(max(half[, 2] - half[, 1]), 0.4 * max(apply(confint(fit), 1, diff)))
})

test_that("on the same records estimates vary as the noise is said to move them", {
  skip_if_not_installed("generics")
  plan <- planned(epsilon = 1, delta = 1e-6)
  expect_varies_as_said(120, function(seed) {
    dpadmm_fit(plan, cohort, nodes = clinic, seed = seed)$inference
  })
  fit <- dpadmm_fit(plan, cohort, nodes = clinic, seed = 1)
  expect_equal(generics::tidy(fit, conf.int = TRUE)$std.error, unname(sqrt(diag(vcov(fit)))))
})

test_that("the noise of a curvature moves a step as it is said to", {
  v <- c(0.5, 2)
  u <- rbind(c(1, -2, 0.5), c(0.3, 0, 1))
  set.seed(8)
  moved <- t(replicate(4000, {
    out <- 0
    for (i in 1:2) {
      E <- matrix(0, 3, 3)
      E[lower.tri(E)] <- rnorm(3, sd = sqrt(v[i] / 2))
      E <- E + t(E)
      diag(E) <- rnorm(3, sd = sqrt(v[i]))
      out <- out + as.vector(E %*% u[i, ])
    }
    out
  }))
  want <- dpadmm:::curvature_noise(v, u)
  # standard error of an entry of a covariance: below sqrt(2 / 4000) of its variances
  expect_lt(max(abs(cov(moved) - want) / sqrt(outer(diag(want), diag(want)))), 4 * sqrt(2 / 4000))
})

test_that("a plan says how wide intervals will be, or that there will be none", {
  set.seed(4)
  x <- matrix(rnorm(8000 * 4), 8000)
  x <- 0.999 * x / sqrt(rowSums(x^2)) # no preferred direction, and a weak signal
  y <- ifelse(runif(8000) < plogis(0.3 * x[, 1]), 1, -1)
  for (epsilon in c(1, 20)) {
    plan <- dpadmm_plan(4, sizes = c(4000, 4000), epsilon = epsilon, delta = 1e-6,
      inference = TRUE)
    fit <- dpadmm_fit(plan, x, y, seed = 2)
    error <- mean(sqrt(diag(vcov(fit))))
    expect_lt(abs(log(error / plan$expected$intervals$error)), log(1.15))
    expect_output(print(plan), "standard errors\\s+of\\s+about")
  }
  weak <- planned(epsilon = 0.05, delta = 1e-6)
  expect_lt(weak$expected$intervals$safe, 1)
  expect_output(print(weak), "probably\\s+none")
  expect_null(dpadmm_plan(4, sizes = c(50, 60), epsilon = 1)$expected$intervals)
})

test_that("a picture has the intervals, the largest z first", {
  skip_if_not_installed("generics")
  skip_if_not_installed("ggplot2")
  fit <- dpadmm_fit(planned(epsilon = 8, delta = 1e-6), cohort, nodes = clinic, seed = 3)
  drawn <- ggplot2::autoplot(fit, "coefficients")$data
  table <- generics::tidy(fit, conf.int = TRUE)[2:3, ]
  table <- table[order(-abs(table$statistic)), ]
  expect_identical(rev(levels(drawn$term)), table$term)
  expect_identical(drawn$conf.low, table$conf.low)
  plain <- dpadmm_fit(ill ~ a + b, cohort, nodes = clinic, schema = bounds, epsilon = Inf)
  expect_identical(ggplot2::autoplot(plain, "coefficients", largest = 1)$data$estimate,
    coef(plain)[["a"]])
  expect_output(print(summary(fit)), "with 95% intervals")
})

test_that("what has no inference is refused before anything is charged", {
  blame <- function(..., argument = "inference") {
    error <- expect_error(suppressWarnings(dpadmm_plan(3, sizes = c(90, 80), ...)),
      class = "dpadmm_error_argument")
    expect_identical(error$argument, argument)
    conditionMessage(error)
  }
  without <- list(pp_admm(), ipp_admm(), fp_admm(), dp_cd())
  for (method in without) {
    words <- blame(epsilon = 1, delta = 1e-5, method = method, inference = TRUE)
    expect_match(words, "mr_admm(), grad_admm(), acc_admm() and dp_sgd() do", fixed = TRUE)
  }
  blame(epsilon = 1, inference = TRUE) # Gamma-norm noise
  blame(noise = gaussian_noise(1), delta = 1e-5, inference = TRUE)
  blame(epsilon = 1, delta = 1e-5, loss = "hinge", inference = TRUE)
  blame(epsilon = 1, delta = 1e-5, loss = "huber", inference = "model")
  blame(epsilon = 1, delta = 1e-5, inference = "yes")
  blame(epsilon = 1, delta = 1e-5, inference = NA)
  blame(epsilon = 1, delta = 1e-5, inference = TRUE, case_weights = TRUE, weight_bound = 1)
  expect_error(dpadmm_plan(501, sizes = c(90, 80), epsilon = 1, delta = 1e-5, inference = TRUE),
    "500", class = "dpadmm_error_argument")
  expect_error(planned(epsilon = 1, delta = 1e-5, rows = "shorten"), "scale",
    class = "dpadmm_error_argument")
})

test_that("where the data or the budget tell nothing, a fit says so", {
  skip_if_not_installed("generics")
  silent <- function(fit, words) {
    expect_true(all(is.finite(coef(fit))))
    for (ask in list(vcov, confint, function(fit) generics::tidy(fit, conf.int = TRUE),
      function(fit) predict(fit, cohort[1:2, ], "link", se.fit = TRUE))) {
      expect_error(ask(fit), words, class = "dpadmm_error_unavailable")
    }
    expect_output(print(summary(fit)), "No intervals")
  }
  silent(dpadmm_fit(planned(epsilon = 0.05, delta = 1e-6), cohort, nodes = clinic, seed = 1),
    "cannot carry intervals at this budget")
  whole <- function(data) {
    suppressWarnings(dpadmm_fit(planned(epsilon = Inf), data, nodes = clinic))
  }
  twin <- transform(cohort, b = a)
  silent(whole(twin), "collinear")
  silent(whole(transform(cohort, ill = ifelse(a > 0, "yes", "no"))), "separated")
  # with noise, too: at any budget a curvature is measured against its noise
  silent(dpadmm_fit(planned(epsilon = 8, delta = 1e-6), twin, nodes = clinic, seed = 2),
    "cannot carry")
  fit <- dpadmm_fit(ill ~ a + b, cohort, nodes = clinic, schema = bounds, epsilon = 8)
  expect_error(vcov(fit), "inference = TRUE", class = "dpadmm_error_unavailable")
  fit <- dpadmm_fit(planned(epsilon = 8, delta = 1e-6), cohort, nodes = clinic, seed = 1)
  expect_error(confint(fit, "c"), class = "dpadmm_error_argument")
  expect_error(confint(fit, level = 1), class = "dpadmm_error_argument")
  expect_error(predict(fit, cohort, se.fit = TRUE), class = "dpadmm_error_argument")
  expect_error(generics::tidy(fit, nodes = TRUE, conf.int = TRUE), class = "dpadmm_error_argument")
})

test_that("where the meat drowns in noise intervals are neither too narrow nor far too wide", {
  # of a variance of noise alone, S, and what is seen of M >= 0, X ~ N(M, 1)
  covered <- function(S, M) {
    seen <- qnorm((1:400 - 0.5) / 400, M)
    it <- function(x) list(bread = diag(1), estimate = 0, noise = S * diag(1),
      meat = x * diag(1), meat_variance = 1)
    half <- vapply(seen, function(x) {
      found <- dpadmm:::linear_forms(it(x), diag(1))
      qt(0.975, found$df) * sqrt(found$variance)
    }, 0)
    mean(2 * pnorm(half / sqrt(S + M)) - 1)
  }
  for (M in c(0.5, 1, 2, 4, 8)) {
    for (S in c(1.3, 3)) expect_lt(abs(covered(S, M) - 0.96), 0.015)
  }
})

test_that("noise that hides minimisers is not what gradients of many records drown in", {
  plan <- dpadmm_plan(4, sizes = c(1e5, 1e5), epsilon = 0.5, delta = 1e-6, inference = TRUE)
  h <- plan$problem$C * 0.25 / 4
  noisy <- plan$noisy
  through <- (dpadmm:::modulus_of(plan)[, noisy] + h) * plan$scales$output[, noisy]
  expect_lt(sqrt(mean((through / plan$scales$objective[, noisy])^2)), 0.8)
  expect_lte(account(plan$events, 1e-6)$epsilon, 0.5)
})
