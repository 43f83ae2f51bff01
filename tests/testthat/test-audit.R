# The audit: its statistics and its runs.

skip_on_cran()

gaussian_release <- function(sigma) function(data) sum(data) + rnorm(1, sd = sigma)

# ---- statistics -------------------------------------------------------------------------

test_that("confidence bounds of a proportion are Clopper and Pearson's", {
  for (x in c(0, 1, 17, 50)) {
    expect_equal(binomial_lower(x, 50, 0.05), binom.test(x, 50,
      alternative = "greater")$conf.int[1])
    expect_equal(binomial_upper(x, 50, 0.05), binom.test(x, 50, alternative = "less")$conf.int[2])
  }
})

test_that("the lower bound holds with its confidence, and is of use", {
  # the truth: mu = 1.5
  bounds <- vapply(1:100, function(seed) {
    a <- audit(gaussian_release(1), 1.5, 0, runs = 200, confidence = 0.8, bound = "gaussian",
      seed = seed)
    c(a$mu, log(a$test$rates[["p"]] / a$test$rates[["q"]]))
  }, c(0, 0))
  expect_lte(sum(bounds[1, ] > 1.5), qbinom(0.999, 100, 0.2))
  expect_gt(mean(bounds[1, ]), 0.9)
  # Clopper-Pearson at delta = 0 for randomised response of epsilon = 1
  response <- function(data) data == (runif(1) < plogis(1))
  seen <- vapply(1:100, function(seed) {
    audit(response, TRUE, FALSE, runs = 200, delta = 0, confidence = 0.8, seed = seed)$epsilon
  }, 0)
  expect_lte(sum(seen > 1), qbinom(0.999, 100, 0.2))
  expect_gt(mean(seen), 0.3)
})

test_that("identical data sets show nothing but chance", {
  seen <- vapply(1:60, function(seed) {
    audit(function(data) rnorm(5), 0, 0, runs = 100, delta = 0.01, confidence = 0.9,
      seed = seed)$epsilon
  }, 0)
  expect_lte(sum(seen > 0), qbinom(0.999, 60, 0.1))
})

test_that("the learned score finds a direction among many values, and one without noise", {
  along <- function(data) {
    noise <- rnorm(20)
    noise[2] <- -noise[1] + data # the noises cancel in their sum
    noise
  }
  a <- audit(along, 0.1, 0, runs = 200, seed = 1)
  expect_gt(a$epsilon, log(0.9 / 0.05))
  weights <- a$weights / a$weights[1]
  expect_equal(weights[1:2], c(1, 1), tolerance = 1e-3)
  still <- audit(function(data) c(rnorm(1), data), 1, 2, runs = 100, seed = 1)
  expect_gt(still$epsilon, 2)
})

test_that("the discriminant is that of the pooled covariance, of few values and of many", {
  with_r_seed(4, {
    for (d in c(3, 30, 31, 80)) {
      values <- lapply(c(0, 0.5), function(shift) matrix(rnorm(15 * d, shift, 1:3), 15))
      covariance <- (cov(values[[1]]) + cov(values[[2]])) * 14 / 30
      expected <- solve(
        covariance + 0.3 * diag(diag(covariance)), colMeans(values[[1]]) - colMeans(values[[2]])
      )
      expect_equal(discriminant(0.3, pooled_moments(lapply(values, t))), unname(expected))
    }
  })
})

test_that("the number of runs it says is needed is about the number needed", {
  response <- function(data) data == (runif(1) < plogis(4))
  cases <- list(
    list(release = "response", bound = "clopper-pearson", delta = 0.001, run = response,
      data = c(TRUE, FALSE)),
    list(release = "gaussian", bound = "gaussian", delta = 1e-3,
      run = gaussian_release(gaussian_sigma(4, 1e-3)), data = c(1, 0))
  )
  for (case in cases) {
    runs <- audit_runs(4, case$release, case$bound, delta = case$delta)
    seen <- vapply(1:30, function(seed) {
      audit(case$run, case$data[1], case$data[2], runs = runs, delta = case$delta,
        bound = case$bound, seed = seed)$epsilon
    }, 0)
    # it supposes the best test, which an audit has yet to find
    expect_gte(sum(seen >= 2), qbinom(0.001, 30, 0.7))
    # a third of it will not do
    few <- vapply(1:30, function(seed) {
      audit(case$run, case$data[1], case$data[2], runs = max(20, runs %/% 3), delta = case$delta,
        bound = case$bound, seed = seed)$epsilon
    }, 0)
    expect_lt(sum(few >= 2), sum(seen >= 2))
  }
  expect_true(all(diff(audit_runs(c(0.1, 1, 4), "response")) < 0))
  expect_identical(audit_runs(0.001, delta = 0.5), Inf)
  # a rate near 1 is no easier to see: quantiles are those of pbinom() there, too
  expect_identical(audit_runs(c(1e-3, 1e-6)), c(Inf, Inf))
  rates <- 1 - pnorm(-seq(3, 4, 0.05))
  k <- dpadmm:::binomial_quantile(0.05, 40960, rates)
  expect_true(all(pbinom(k, 40960, rates) >= 0.05 & pbinom(k - 1, 40960, rates) < 0.05))
})

# ---- runs -------------------------------------------------------------------------------

test_that("a seed repeats an audit, whoever runs it, and R's generator is left alone", {
  set.seed(4)
  before <- .Random.seed
  one <- audit(gaussian_release(1), 1, 0, runs = 200, seed = 5)
  expect_identical(.Random.seed, before)
  expect_identical(audit(gaussian_release(1), 1, 0, runs = 200, seed = 5), one)
  expect_false(identical(audit(gaussian_release(1), 1, 0, runs = 200, seed = 6)$roc, one$roc))
  skip_if_not_installed("mirai")
  by_two <- in_child(audit(release, 1, 0, runs = 200, seed = 5, workers = 2)$roc,
    release = gaussian_release(1))
  expect_identical(by_two, one$roc)
})

test_that("a release gets a seed of its own in every run, or none", {
  seeds <- NULL
  keep <- function(data, seed) {
    seeds <<- c(seeds, seed)
    seed %% 7
  }
  audit(keep, 1, 0, runs = 30, seed = 3)
  expect_length(unique(seeds), 60)
  seeds <- NULL
  audit(function(data, seed) {
    expect_null(seed)
    rnorm(1)
  }, 1, 0, runs = 20)
})

test_that("fit_release() repeats the fit it stands for, with its noise worked out once", {
  pair <- worst_case_neighbours("labels", n = 6, nodes = 2)
  control <- dpadmm_control(keep_iterates = TRUE, progress = FALSE)
  methods <- list(m_admm(), mr_admm(), admm(perturb = "primal"), pp_admm(), ipp_admm())
  for (method in methods) for (delta in if (method$name %in% c("m_admm", "mr_admm")) c(0,
    1e-3) else 1e-3) {
    release <- fit_release(method, iterations = 3, epsilon = 2, delta = delta)
    fit <- do.call(dpadmm_fit, c(pair$data1, list(
      method = method, iterations = 3, epsilon = 2, delta = delta, seed = 9, control = control
    )))
    expect_equal(release(pair$data1, seed = 9), fit_values(fit), tolerance = 1e-6)
  }
  alone <- worst_case_neighbours("labels", n = 6)
  for (method in list(fp_admm(), dp_sgd(batch = 2), dp_cd(), grad_admm(init = "noisy-gradient"))) {
    release <- fit_release(method, iterations = 3, epsilon = 2, delta = 1e-3)
    fit <- do.call(dpadmm_fit, c(alone$data1, list(
      method = method, iterations = 3, epsilon = 2, delta = 1e-3, seed = 9, control = control
    )))
    expect_equal(release(alone$data1, seed = 9), as.vector(fit$iterates), tolerance = 1e-6)
  }
})

test_that("with a seed of its own fit_release() settles the same users and blocks", {
  pair <- worst_case_neighbours("outlier", n = 40, d = 3, numeric = TRUE)
  methods <- list(fp_admm(setting = "federated", sample = 3), fp_admm(setting = "decentralized"),
    dp_cd())
  for (method in methods) {
    values <- lapply(c(7, 7, 8), function(seed) {
      fit_release(method, "huber", iterations = 20, noise = gaussian_noise(1), delta = 1e-3,
        seed = seed)(pair$data1, seed = 1)
    })
    expect_identical(values[[1L]], values[[2L]])
    expect_false(identical(values[[1L]], values[[3L]]))
  }
  expect_error(fit_release(seed = "a"), class = "dpadmm_error_argument")
})

test_that("claims of every kind are understood", {
  claims <- list(3, dp_event_gaussian(1, 1), account(dp_event_gaussian(1, 1), 1e-5),
    function(delta) gaussian_epsilon(1, delta))
  claimed <- vapply(claims, function(claim) {
    audit(gaussian_release(1), 1, 0, runs = 20, claim = claim, seed = 1)$claimed
  }, 0)
  expect_equal(claimed[1], 3)
  expect_equal(claimed[2:4], rep(gaussian_epsilon(1, 1e-5), 3), tolerance = 1e-9)
  fit <- dpadmm_fit(matrix(1, 4, 1), c(1, -1, 1, -1), nodes = 2, epsilon = 3, delta = 1e-5,
    seed = 1)
  expect_equal(audit(gaussian_release(1), 1, 0, runs = 20, claim = fit)$claimed, 3,
    tolerance = 1e-6)
  expect_lte(audit(gaussian_release(1), 1, 0, runs = 20, claim = privacy(fit))$claimed, 3)
  expect_error(audit(gaussian_release(1), 1, 0, runs = 20, delta = 1e-9, claim = privacy(fit)),
    class = "dpadmm_error_argument")
})

test_that("bad input is a classed error", {
  good <- gaussian_release(1)
  fails <- function(class, ...) expect_error(audit(...), class = paste0("dpadmm_error_", class))
  fails("argument", 1, 1, 0)
  fails("argument", good, 1)
  fails("argument", good, 1, 0, runs = 5)
  fails("argument", good, 1, 0, runs = 50.5)
  fails("argument", good, 1, 0, delta = 1)
  fails("argument", good, 1, 0, delta = 0, bound = "gaussian")
  fails("argument", good, 1, 0, confidence = 1)
  fails("argument", good, 1, 0, bound = "bayes")
  fails("argument", good, 1, 0, statistic = 2)
  fails("argument", good, 1, 0, seed = -1)
  fails("argument", good, 1, 0, workers = 0)
  fails("argument", good, 1, 0, progress = NA)
  fails("argument", good, 1, 0, claim = -1)
  fails("argument", good, 1, 0, claim = "much")
  fails("operator", function(data) "a", 1, 0)
  fails("operator", function(data) numeric(), 1, 0)
  fails("operator", good, 1, 0, statistic = function(v) c(v, v))
  fails("finite", function(data) NaN, 1, 0)
  fails("shape", function(data) rnorm(sample(5, 1)), 1, 0, seed = 1)
  # an error of the release is the caller's to see, from a worker too
  broken <- function(data) stop("on purpose")
  expect_error(audit(broken, 1, 0), "on purpose")
  skip_if_not_installed("mirai")
  said <- in_child(tryCatch(audit(broken, 1, 0, workers = 2), error = conditionMessage),
    broken = broken)
  expect_match(said, "on purpose")
})

test_that("worst cases are neighbours, at the bound, and fit", {
  # extreme numbers and data frames have a test of their own, in test-audit-extremes.R
  kinds <- setdiff(eval(formals(worst_case_neighbours)$kind),
    c("underflow", "overflow", "coding", "terms"))
  for (kind in kinds) for (numeric in c(FALSE, TRUE)) {
    pair <- worst_case_neighbours(kind, n = 7, d = 3, nodes = 3, bound = 2, numeric = numeric)
    expect_identical(pair$data1$x[-1, ], pair$data2$x[-1, ])
    expect_identical(pair$data1$y[-1], pair$data2$y[-1])
    expect_identical(pair$data1$nodes, pair$data2$nodes)
    expect_false(identical(pair$data1, pair$data2))
    expect_equal(sqrt(sum(pair$data1$x[1, ]^2)), 2)
    expect_lte(max(sqrt(rowSums(pair$data1$x^2))), 2)
    expect_identical(pair$kind, kind)
    expect_output(print(pair), sprintf("\"%s\", 7 records of 3 columns", kind))
    release <- fit_release(admm(eta = 1), if (numeric) "huber" else "logistic",
      iterations = 2, epsilon = 1, control = dpadmm_control(row_bound = 2)
    )
    expect_length(release(pair$data2, seed = 1), 2 * 3 * 3)
  }
  expect_identical(tabulate(worst_case_neighbours("small-node", n = 7, nodes = 3)$data1$nodes),
    c(1L, 3L, 3L))
  expect_null(worst_case_neighbours("labels")$data1$nodes)
  expect_error(worst_case_neighbours("worst"), class = "dpadmm_error_argument")
  expect_error(worst_case_neighbours("labels", n = 2), class = "dpadmm_error_argument")
  expect_error(worst_case_neighbours("labels", n = 4, nodes = 5), class = "dpadmm_error_argument")
  expect_error(worst_case_neighbours("small-node", n = 6), class = "dpadmm_error_argument")
  expect_error(worst_case_neighbours("small-node", n = 6, nodes = 3),
    class = "dpadmm_error_argument")
  expect_error(fit_release()(list(1)), class = "dpadmm_error_argument")
})

test_that("an audit prints and draws itself", {
  a <- audit(gaussian_release(0.5), 1, 0, runs = 400, claim = dp_event_gaussian(1, 1),
    bound = "gaussian", seed = 1)
  expect_output(print(a), "CONTRADICTED")
  expect_output(print(summary(a)), "held-out runs")
  b <- audit(gaussian_release(0.5), 1, 0, runs = 50, claim = 9, seed = 1)
  expect_output(print(b), "not contradicted")
  pdf(NULL)
  withr_off <- dev.cur()
  on.exit(dev.off(withr_off))
  for (type in c("epsilon", "tradeoff")) for (x in list(a, b)) {
    expect_identical(plot(x, type = type), x)
    skip_if_not_installed("ggplot2")
    expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(x, type = type)), "ggplot_built")
  }
  expect_error(plot(a, type = "roc"), class = "dpadmm_error_argument")
  # every measured point of the curve is at most the truth's, mu = 2
  curve <- measured_curve(a, 10^-(1:6))
  expect_true(all(curve$epsilon < gaussian_epsilon(1, curve$delta, 2)))
})
