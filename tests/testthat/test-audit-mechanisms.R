# The audit of broken mechanisms, which it must catch, and of sound guarantees, which it must
# not contradict. tools/audit does the last with many more runs.

skip_on_cran()

# ---- broken mechanisms, which must be caught --------------------------------------------

#' Slopes of Huber losses far from their labels are -1 and 1: everything is linear.
far <- function(kind, ...) worst_case_neighbours(kind, ..., numeric = TRUE)

expect_caught <- function(a) {
  expect_gt(a$epsilon, a$claimed)
  expect_true(a$exceeds)
}

test_that("caught: noise halved", {
  pair <- far("labels", n = 4)
  sigma <- gaussian_sigma(4, 1e-5, sensitivity = 2 / 4 * sqrt(3))
  promised <- rep(dp_event_gaussian(sigma, 2 / 4), 3)
  with_noise <- function(sigma, confidence) {
    release <- fit_release(grad_admm(), "huber",
      iterations = 3, noise = gaussian_noise(sigma), delta = 1e-5
    )
    audit(release, pair$data1, pair$data2,
      runs = 1000, bound = "gaussian", confidence = confidence, claim = promised, seed = 1
    )
  }
  # over many seeds the bound is 1.80 of the claim, standard deviation .19
  expect_caught(with_noise(sigma / 2, 0.95))
  expect_false(with_noise(sigma, 1 - 1e-5)$exceeds)
})

test_that("caught: sensitivity without the factor 2", {
  pair <- far("outlier", n = 5)
  # calibrated to c / n, which is what adding or removing a record changes
  sigma <- gaussian_sigma(4, 1e-5, sensitivity = 1 / 5)
  release <- fit_release(dp_sgd(), "huber", iterations = 1, noise = gaussian_noise(sigma),
    delta = 1e-5)
  a <- audit(release, pair$data1, pair$data2, runs = 300, bound = "gaussian", claim = 4, seed = 1)
  expect_caught(a)
})

test_that("caught: a fresh threshold for every query of the sparse vector test", {
  epsilon <- 4
  # 200 queries: all are below their threshold with probability .052 on the one data set and
  # 1.0e-4 on the other, log ratio 6.3; the bound of 40,000 runs is 5.0 give or take .3
  release <- function(fresh) {
    test <- sparse_vector_test(list(eps_ratio = 2^(2 / 3), threshold = 6, loss_clip = 1), 1L, 2,
      epsilon, 1L, fresh
    )
    function(data, seed) {
      answers <- core_call(.Call(ffi_sparse_vector, test, matrix(data, 200), noise_key(seed)))
      sum(!is.na(answers))
    }
  }
  seen <- function(fresh, runs, confidence) {
    audit(release(fresh), -1, 1,
      runs = runs, delta = 0, confidence = confidence, claim = epsilon, seed = 1
    )
  }
  expect_caught(seen(TRUE, 40000, 0.95))
  expect_false(seen(FALSE, 10000, 1 - 1e-5)$exceeds)
})

test_that("caught: a start computed from the data", {
  pair <- worst_case_neighbours("labels", n = 6, nodes = 2)
  release <- function(data, seed) {
    control <- dpadmm_control(start = 20 * mean(data$x * data$y), keep_iterates = TRUE,
      progress = FALSE)
    dpadmm_fit(data$x, data$y, data$nodes,
      method = admm(eta = 0.5), C = 1, iterations = 2, noise = gaussian_noise(3), delta = 1e-5,
        seed = seed, control = control
    )
  }
  claim <- release(pair$data1, 1)
  expect_caught(audit(release, pair$data1, pair$data2, runs = 300, bound = "gaussian",
    claim = claim, seed = 1))
})

test_that("caught: an even update from the data", {
  # one node of R-ADMM with silent neighbours; the even step reads its gradient from the
  # records instead of the optimality condition
  share <- 0.5
  eta <- 0.4
  sigma <- 4
  modulus <- 0.01 + 2 * eta
  node <- function(honest) function(data) {
    slope <- function(f) -share * sum(data * plogis(-data * f))
    b <- rnorm(1, sd = sigma)
    f <- uniroot(function(f) slope(f) + modulus * f + b, c(-100, 100), tol = 1e-12)$root
    gradient <- if (honest) -2 * eta * f else slope(f) + 0.01 * f
    c(f, f - (gradient + eta * f) / (2 * eta + 0.1))
  }
  claim <- dp_event_objective_gaussian(sigma, 2 * share, share / 4, modulus,
    logistic_curvature = TRUE
  )
  expect_caught(audit(node(FALSE), c(1, 1), c(-1, 1), runs = 200, claim = claim, seed = 1))
  honest <- audit(node(TRUE), c(1, 1), c(-1, 1), runs = 1000, claim = claim, bound = "gaussian",
    seed = 1)
  expect_false(honest$exceeds)
})

test_that("caught: a seeded key used again", {
  pair <- worst_case_neighbours("labels", n = 6, nodes = 2)
  control <- dpadmm_control(keep_iterates = TRUE, progress = FALSE)
  release <- function(data) {
    dpadmm_fit(data$x, data$y, data$nodes, method = admm(eta = 0.5), iterations = 1,
      noise = gaussian_noise(9), C = 1,
      delta = 1e-5, seed = 1, control = control)
  }
  expect_caught(audit(release, pair$data1, pair$data2, runs = 100, claim = release(pair$data1),
    seed = 1))
  # one key for all steps of a run: the difference of two releases has no noise left
  repeated <- function(data) data * c(1, 2) + rnorm(1, sd = 5)
  claim <- rep(dp_event_gaussian(5, 2), 2)
  expect_caught(audit(repeated, 1, 0, runs = 100, claim = claim, seed = 1))
})

test_that("adding or removing a record is covered for a public n only, as the help says", {
  pair <- worst_case_neighbours("outlier", n = 6, numeric = TRUE)
  # a run on five records divides by five, as whoever counts them would
  planned <- function() {
    fit_release(dp_sgd(neighbours = "add-remove"), "huber",
      iterations = 1, noise = gaussian_noise(0.15), delta = 1e-3
    )
  }
  of_size <- list("6" = planned(), "5" = planned())
  claim <- attr(of_size[["6"]], "settle")(pair$data1)$events
  release <- function(data, seed) of_size[[as.character(nrow(data$x))]](data, seed)
  against <- function(other) {
    audit(release, pair$data1, other,
      runs = 400, delta = 1e-3, bound = "gaussian", claim = claim, seed = 1
    )
  }
  silent <- pair$data1
  silent$x[1, ] <- 0
  expect_false(against(silent)$exceeds)
  gone <- pair$data2
  gone$x <- gone$x[-1, , drop = FALSE]
  gone$y <- gone$y[-1]
  pair$data1$y[1] <- -pair$data1$y[1]
  expect_caught(against(gone))
})

# ---- sound guarantees, a fast subset of tools/audit --------------------------------------

test_that("the measured bound never exceeds a sound claim, and comes near it", {
  alone <- far("outlier", n = 4)
  shared <- far("labels", n = 4, nodes = 2)
  share_of <- function(method, pair, delta = 0.01, bound = "gaussian") {
    release <- fit_release(method, "huber", iterations = 2, epsilon = 4, delta = delta)
    a <- audit(release, pair$data1, pair$data2,
      runs = 1000, delta = delta, bound = bound, seed = 3
    )
    # the same counts at a confidence that no seed is likely to break
    test <- a$test
    strict <- c(
      p = binomial_lower(test$counts[test$from], test$n, 5e-6),
      q = binomial_upper(test$counts[3 - test$from], test$n, 5e-6)
    )
    expect_lte(rates_epsilon(strict, delta, bound), a$claimed)
    a$epsilon / a$claimed
  }
  # each is four standard deviations, over seeds, below the mean over seeds
  expect_gt(share_of(mr_admm(), shared), 0.15)
  expect_gt(share_of(grad_admm(), alone), 0.3)
  expect_gt(share_of(fp_admm(), alone), 0.25)
  expect_gt(share_of(dp_sgd(batch = 2), alone), 0.1)
  expect_gt(share_of(admm(perturb = "primal"), shared, delta = 0, bound = "clopper-pearson"), 0.2)
})

test_that("a noisy start is a message before the first round: its fits can be audited", {
  pair <- far("labels", n = 4)
  release <- function(sigma) {
    fit_release(grad_admm(rho = 0.1, init = "noisy-gradient"), "huber",
      penalty = penalty_l1(0.01), iterations = 4, noise = gaussian_noise(sigma), delta = 1e-5
    )
  }
  promised <- attr(release(1), "settle")(pair$data1)$events
  expect_equal(promised$iteration, 0:4)
  seen <- function(sigma, confidence) {
    audit(release(sigma), pair$data1, pair$data2, runs = 1000, bound = "gaussian",
      confidence = confidence, claim = promised, seed = 1
    )
  }
  expect_caught(seen(0.5, 0.95))
  expect_false(seen(1, 1 - 1e-5)$exceeds)
})
