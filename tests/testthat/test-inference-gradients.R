# Standard errors of methods with one model, whose releases are noisy gradients: grad_admm(),
# acc_admm() and dp_sgd(), of one holder, of several, and of a secure sum.

skip_on_cran()

drawn <- function(n) {
  x <- data.frame(a = runif(n, -1, 1), b = 2 * (runif(n) > 0.6) - 1)
  x$ill <- ifelse(runif(n) < plogis(-0.3 + x$a - 0.5 * x$b), "yes", "no")
  x
}
truth <- c(-0.3, 1, -0.5)
bounds <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), ill = c("no", "yes"))
set.seed(31)
cohort <- drawn(3000)
sizes <- c(A = 1500, B = 900, C = 600)
clinic <- rep(names(sizes), sizes)
methods <- list(grad_admm(), acc_admm(), dp_sgd())

planned <- function(method, ..., epsilon = 4, inference = TRUE) {
  suppressWarnings(dpadmm_plan(ill ~ a + b, bounds, sizes = sizes, method = method,
    inference = inference, epsilon = epsilon, delta = 1e-6, ...))
}

test_that("without noise they are those of glm, whoever holds the records", {
  skip_if_not_installed("generics")
  other <- glm(ill == "yes" ~ a + b, binomial, cohort)
  for (method in methods) {
    for (nodes in list(clinic, NULL)) {
      fit <- dpadmm_fit(ill ~ a + b, cohort, nodes = nodes, schema = bounds, method = method,
        epsilon = Inf, inference = TRUE)
      expect_equal(vcov(fit), vcov(other), tolerance = 1e-5)
      expect_equal(generics::tidy(fit, conf.int = TRUE)$estimate, unname(coef(other)),
        tolerance = 1e-6)
    }
  }
  ridge <- dpadmm_fit(ill ~ a + b, cohort, nodes = clinic, schema = bounds, epsilon = Inf,
    method = acc_admm(), penalty = penalty_l2(0.05), inference = TRUE)
  expect_gt(max(abs(coef(ridge) - coef(other))), 0.05)
  expect_equal(vcov(ridge), vcov(other), tolerance = 1e-5)
  predicted <- predict(ridge, cohort[1:3, ], "link", se.fit = TRUE)
  expect_equal(predicted, lapply(predict(other, cohort[1:3, ], se.fit = TRUE)[1:2], unname),
    tolerance = 1e-5)
})

test_that("a run of many rounds without noise comes to the same", {
  skip_if_not_installed("generics")
  other <- glm(ill == "yes" ~ a + b, binomial, cohort)
  for (method in list(acc_admm(rho = 0.1), dp_sgd(step = 1))) {
    fit <- dpadmm_fit(planned(method, epsilon = Inf, iterations = 400), cohort, nodes = clinic)
    expect_equal(sqrt(diag(vcov(fit))), sqrt(diag(vcov(other))), tolerance = 1e-4)
    expect_equal(generics::tidy(fit, conf.int = TRUE)$estimate, unname(coef(other)),
      tolerance = 1e-4)
  }
  wide <- dpadmm_fit(planned(acc_admm(rho = 0.1), epsilon = Inf, iterations = 400,
    inference = "sandwich"), cohort, nodes = clinic)
  X <- model.matrix(other)
  bread <- vcov(other)
  meat <- crossprod((fitted(other) - (cohort$ill == "yes")) * X)
  expect_equal(vcov(wide), bread %*% meat %*% bread, tolerance = 1e-3, ignore_attr = TRUE)
})

# what a run noted: points, gradients, and moments as symmetric matrices
noted <- function(plan, seed) {
  records <- dpadmm:::records_planned(plan$problem$blueprint, cohort, NULL, plan$problem$loss,
    list())
  held <- list(index = match(clinic, names(sizes)), size = sizes)
  result <- dpadmm:::run_plan(plan, records, held, dpadmm:::noise_key(seed))
  kinds <- unique(plan$inference$rules)
  moments <- lapply(kinds, function(kind) dpadmm:::unpack_moments(plan, result$moments, kind)[[1]])
  x <- plan$problem$blueprint$factor * cbind(1, cohort$a, cohort$b)
  c(result[c("points", "gradients")], list(x = x, y = records$y,
    f = dpadmm:::split_result(plan, result)$f, moments = stats::setNames(moments, kinds)))
}
secured <- function(method, ...) planned(method, aggregation = secure_sum(honest = 2), ...)

test_that("what is noted are gradients and moments of all records, with noise as it is said", {
  each <- function(plan) {
    lapply(1:12, function(seed) {
      got <- noted(plan, seed)
      off <- vapply(seq_len(nrow(got$points)), function(t) {
        margin <- as.vector(got$x %*% got$points[t, ])
        got$gradients[t, ] - colMeans((plogis(margin) - (got$y > 0)) * got$x)
      }, numeric(3))
      p <- plogis(as.vector(got$x %*% got$f))
      H <- crossprod(got$x, p * (1 - p) * got$x) / 3000
      M <- crossprod((p - (got$y > 0)) * got$x) / 3000^2
      list(gradient = off, curvature = got$moments$curvature - H, scores = got$moments$scores - M)
    })
  }
  # a sum of squares within four standard deviations of its mean
  chi <- function(z) expect_lt(abs(sum(z^2) - length(z)), 4 * sqrt(2 * length(z)))
  lower <- lower.tri(diag(3))
  for (method in methods) {
    for (plan in list(planned(method, inference = "sandwich", iterations = 12),
      secured(method, inference = "sandwich", iterations = 12))) {
      off <- each(plan)
      drawn <- if (is.null(plan$secure)) plan$noise else plan$scales$gradient
      spread <- sqrt(sum(as.matrix(drawn)[, 1]^2))
      chi(unlist(lapply(off, `[[`, "gradient")) / spread)
      for (kind in c("curvature", "scores")) {
        v <- dpadmm:::moment_variance(plan, kind)
        noise <- lapply(off, `[[`, kind)
        chi(unlist(lapply(noise, diag)) / sqrt(v))
        chi(unlist(lapply(noise, `[`, lower)) / sqrt(v / 2))
      }
    }
  }
})

test_that("a quarter of the budget goes to moments, and all of it is what was asked for", {
  for (method in methods) {
    for (plan in list(planned(method), planned(method, inference = "sandwich"))) {
      expect_lte(account(plan$events, 1e-6)$epsilon, 4)
      expect_gt(account(plan$events, 1e-6)$epsilon, 3.99)
      r <- plan$releases
      cost <- tapply((r$sensitivity / r$weight)^2, list(r$node, r$part != "output"), sum)
      expect_equal(cost[, 2] / rowSums(cost), rep(0.25, 3), ignore_attr = TRUE)
      moments <- plan$events[plan$events$iteration > plan$iterations, ]
      expect_identical(nrow(moments), 3L * ncol(plan$moment_scales))
      expect_equal(as.vector(plan$moment_scales), moments$sigma)
      # Theorem 19: sqrt(2) times the largest of a record, at its weight in the mean of all
      r <- r[r$part == "curvature", ]
      bound <- sqrt(2) * 0.25 * plan$problem$row_bound^2 / 3000
      expect_equal(r$sensitivity, rep(bound, 3), tolerance = 1e-4)
    }
    secure <- secured(method)
    expect_lte(account(secure$events, 1e-6)$epsilon, 4)
    expect_gt(account(secure$events, 1e-6)$epsilon, 3.99)
    # an attempt that may fail is paid for as one more matrix
    r <- secure$releases
    expect_identical(max(r$count[r$part == "curvature"]), secure$secure$failures + 0)
  }
})

test_that("moments of neighbours are within what their noise hides, and can be as far apart", {
  private <- suppressWarnings(dpadmm_plan(3, sizes = c(20, 20, 20), method = grad_admm(),
    iterations = 1, epsilon = 4, delta = 1e-6, inference = TRUE))
  plan <- dpadmm:::moments_only(private, matrix(0, 3))
  plan$private <- FALSE
  plan[c("scales", "moment_scales")] <- NULL
  moved <- function(x, y) {
    run <- function(x, y) {
      records <- list(x = x, y = y)
      held <- list(index = rep(1:3, 20), size = c(20, 20, 20))
      result <- dpadmm:::run_plan(plan, records, held, dpadmm:::noise_key(1))
      dpadmm:::unpack_moments(plan, result$moments, "curvature")[[1]]
    }
    base <- 0.1 * matrix(sin(1:180), 60)
    label <- rep(c(-1, 1), 30)
    other <- base
    base[7, ] <- x
    other[7, ] <- y
    norm(run(base, label) - run(other, label), "F")
  }
  R <- private$problem$row_bound * 0.999999
  allowed <- private$releases$sensitivity[private$releases$part == "curvature"][1]
  expect_lt(moved(c(R, 0, 0), c(0, R, 0)) / allowed, 1)
  expect_gt(moved(c(R, 0, 0), c(0, R, 0)) / allowed, 0.9999)
})

test_that("intervals cover what they should, as often as they should", {
  plans <- list(planned(grad_admm()), planned(acc_admm(), epsilon = 2),
    secured(dp_sgd(), iterations = 20))
  set.seed(22)
  expect_covers(150, truth, function(run) {
    dpadmm_fit(plans[[run %% 3 + 1]], drawn(3000), nodes = clinic, seed = run)
  })
})

test_that("on the same records estimates vary as the noise is said to move them", {
  plans <- list(planned(acc_admm(), epsilon = 1),
    secured(grad_admm(), epsilon = 1, iterations = 20))
  for (plan in plans) {
    expect_varies_as_said(60, function(seed) {
      dpadmm_fit(plan, cohort, nodes = clinic, seed = seed)$inference
    })
  }
})

test_that("engines and sites agree to the last bit, with plain and with secure sums", {
  for (plan in list(planned(acc_admm()), secured(grad_admm(), iterations = 10))) {
    fit <- dpadmm_fit(plan, cohort, nodes = clinic, seed = 3)
    other <- dpadmm_fit(plan, cohort, nodes = clinic, seed = 3,
      control = dpadmm_control(engine = "stepwise"))
    expect_identical(other$inference, fit$inference)
  }
  skip_unless_sites()
  frames <- split(cohort, clinic)
  sites <- sites_local(frames, bounds, epsilon = 100, delta = 1e-4, simulation = TRUE)
  kinds <- list(plain = "plain", secure = if (requireNamespace("sodium", quietly = TRUE)) "secure")
  for (aggregation in Filter(Negate(is.null), kinds)) {
    for (method in methods) {
      plan <- dpadmm_plan(ill ~ a + b, sites, epsilon = 8, delta = 1e-6, method = method,
        inference = TRUE, aggregation = aggregation, iterations = 10)
      over <- dpadmm_fit(plan, sites, seed = 5)
      inside <- dpadmm_fit(plan, cohort, nodes = clinic, seed = 5)
      expect_identical(vcov(over), vcov(inside))
      expect_identical(confint(over), confint(inside))
    }
  }
})

test_that("a plan says how wide intervals will be, and who sees what", {
  set.seed(4)
  x <- matrix(rnorm(8000 * 4), 8000)
  x <- 0.999 * x / sqrt(rowSums(x^2)) # no preferred direction, and a weak signal
  y <- ifelse(runif(8000) < plogis(0.3 * x[, 1]), 1, -1)
  for (method in methods) {
    plan <- dpadmm_plan(4, sizes = c(4000, 4000), epsilon = 4, delta = 1e-6, inference = TRUE,
      method = method)
    fit <- dpadmm_fit(plan, x, y, seed = 2)
    error <- mean(sqrt(diag(vcov(fit))))
    expect_lt(abs(log(error / plan$expected$intervals$error)), log(1.15))
    expect_output(print(plan), "standard errors\\s+of\\s+about")
  }
  expect_output(print(planned(grad_admm())), "1\\s+matrix\\s+of\\s+second\\s+moments")
})

test_that("gradients that are not those of the loss are refused before anything is charged", {
  skip_unless_sites()
  ledger <- dpadmm_ledger(tempfile(fileext = ".sqlite"), "icu", 5, 1e-5)
  refused <- function(words, ...) {
    error <- expect_error(
      dpadmm_fit(ill ~ a + b, cohort, nodes = clinic, schema = bounds, epsilon = 1, delta = 1e-6,
        inference = TRUE, ledger = ledger, ...),
      words, class = "dpadmm_error_argument"
    )
    expect_identical(error$argument, "inference")
  }
  refused("random batches", method = dp_sgd(batch = 100))
  refused("clipped", method = grad_admm(clip = 0.1))
  refused("penalty", method = acc_admm(), penalty = penalty_l1(0.01))
  refused("dp_sgd\\(\\) do", method = dp_cd())
  refused("dp_sgd\\(\\) do", method = fp_admm())
  expect_identical(nrow(ledger_report(ledger)$charges), 0L)
})
