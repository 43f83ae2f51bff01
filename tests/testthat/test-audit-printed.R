# For each printed formula that promises too much: data on which what is there, exact or
# measured, is more than what is printed.

printed_epsilon <- function(fit, delta, view = NULL) privacy(fit, "paper", delta = delta,
  view = view)$epsilon

quiet <- dpadmm_control(progress = FALSE)

test_that("noisy-fixed-point-admm, Theorem 2: n noises are counted as one", {
  n <- 20
  gamma <- 0.5
  sigma <- 1
  K <- 11
  fit <- dpadmm_fit(matrix(1, n, 1), rep(1e6, n),
    method = fp_admm(gamma = gamma, noise = "block"), loss = "huber", iterations = K,
    noise = gaussian_noise(sigma), delta = 1e-5, seed = 1, control = quiet
  )
  # with linear losses and lambda = 1/2, z moves by -gamma mean(b) + mean(eta) / 2
  law <- function(b) affine_law(1, -gamma * mean(b), sigma / (2 * sqrt(n)), K - 1, 0)
  exact <- audit_exact(law(rep(-1, n)), law(c(1, rep(-1, n - 1))), delta = 1e-5)$curve$epsilon
  printed <- printed_epsilon(fit, 1e-5)
  expect_gt(exact, 3 * printed)
  expect_lte(exact, privacy(fit)$epsilon)
  # and so does the audit of the fit itself
  pair <- worst_case_neighbours("outlier", n = n, numeric = TRUE)
  release <- fit_release(fp_admm(gamma = gamma, noise = "block"), "huber", iterations = K,
    noise = gaussian_noise(sigma), delta = 1e-5)
  a <- audit(release, pair$data1, pair$data2, runs = 300, bound = "gaussian", claim = printed,
    statistic = function(z) z[K], seed = 1)
  expect_true(a$exceeds)
  expect_lt(a$epsilon, exact)
})

test_that("noisy-fixed-point-admm, Theorem 3 (central): so are the noises of m sampled users", {
  pair <- worst_case_neighbours("outlier", n = 110, numeric = TRUE)
  method <- fp_admm(lambda = 0.25, gamma = 1, setting = "federated", sample = 20, noise = "block")
  sigma <- 1.5
  K <- 400
  fit <- do.call(dpadmm_fit, c(pair$data1, list(
    method = method, loss = "huber", iterations = K, noise = gaussian_noise(sigma), delta = 1e-3,
      seed = 1, control = quiet
  )))
  printed <- printed_epsilon(fit, 1e-3, "central")
  expect_lt(printed, Inf)
  release <- fit_release(method, "huber", iterations = K, noise = gaussian_noise(sigma),
    delta = 1e-3, seed = 1)
  # the last model has seen every step
  a <- audit(release, pair$data1, pair$data2, runs = 800, delta = 1e-3, bound = "gaussian",
    statistic = function(z) z[K], claim = printed, seed = 1)
  expect_true(a$exceeds)
})

test_that("noisy-fixed-point-admm, Theorem 4: two users see each other's every step", {
  # user 2 knows his own noise, and as he is not alone only user 1 can have walked between
  view <- function(walk, gamma, sigma) {
    steps <- length(walk)
    u <- matrix(0, 2, 1 + steps) # column 1: how far user 1's slope moves it
    seen <- NULL
    for (k in seq_len(steps)) {
      i <- walk[k]
      z <- colMeans(u)
      if (i == 2) seen <- rbind(seen, z)
      # lambda = 1/2: u <- z - gamma b + eta / 2
      u[i, ] <- z
      if (i == 1) u[i, c(1, 1 + k)] <- u[i, c(1, 1 + k)] + c(2 * gamma, sigma / 2)
    }
    kept <- seen[c(TRUE, rowSums(abs(diff(seen[, -1, drop = FALSE]))) > 0), , drop = FALSE]
    kept[rowSums(abs(kept[, -1, drop = FALSE])) > 0, , drop = FALSE]
  }
  gamma <- 0.5
  sigma <- 4
  walks <- lapply(1:30, function(seed) {
    fit <- dpadmm_fit(matrix(1, 2, 1), c(1e6, 1e6),
      method = fp_admm(gamma = gamma, setting = "decentralized"), loss = "huber", iterations = 40,
      noise = gaussian_noise(sigma), delta = 1e-5, seed = seed, control = quiet
    )
    seen <- view(fit$plan$walk + 1, gamma, sigma)
    printed <- dpadmm:::printed_of(fit$plan, "network")
    exact <- audit_exact(gaussian_law(seen[, 1], tcrossprod(seen[, -1])), gaussian_law(0 * seen[,
      1], tcrossprod(seen[, -1])),
      delta = 1e-5, orders = 2)
    c(
      exact = exact$curve$epsilon, printed = printed_epsilon(fit, 1e-5),
        sound = privacy(fit)$epsilon,
      divergence = exact$renyi$divergence,
        printed_divergence = sum(printed$count * (printed$sensitivity / printed$scale)^2)
    )
  })
  walks <- do.call(rbind, walks)
  expect_gt(mean(walks[, "divergence"]), 1.5 * mean(walks[, "printed_divergence"]))
  expect_gt(mean(walks[, "exact"]), mean(walks[, "printed"]))
  expect_true(all(walks[, "exact"] <= walks[, "sound"] * (1 + 1e-8)))
})

test_that("noisy-fixed-point-admm, Theorem 7: too small when ||A|| < 1", {
  # f(x) = mean of slopes times x, A x = a x: the step moves u by 2 lambda gamma mean(b) / a
  a <- 0.1
  n <- 10
  prox <- function(b) function(w, gamma, M) w / a - gamma * mean(b) / a^2
  run <- function(b) {
    general_admm(prox(b), penalty_none(), A = matrix(a), u0 = 0, gamma = 0.2, iterations = 4,
      lipschitz = 1, n = n,
      noise = gaussian_noise(0.5), delta = 1e-5, seed = 1)
  }
  b <- rep(1, n)
  other <- c(-1, b[-1])
  steps <- 3
  # lambda = 1/2: u <- -z + ... moves by -gamma mean(b) / a and has noise sigma / 2
  law <- function(b) affine_law(1, -0.2 * mean(b) / a, 0.5 / 2, steps, 0)
  one <- run(b)
  two <- run(other)
  # the law is that of the runs: same noise, means apart by the law's
  expect_equal(one$iterates[-1, 1] - two$iterates[-1, 1], law(b)$mean - law(other)$mean,
    tolerance = 1e-8)
  exact <- audit_exact(law(b), law(other), delta = 1e-5)$curve$epsilon
  paper <- account(one$printed, 1e-5, "paper")$epsilon
  expect_gt(exact, 3 * paper)
  expect_lte(exact, account(one$events, 1e-5)$epsilon * (1 + 1e-10))
})

test_that("dp-admm-accadmm, Theorem 1: half of what replacing a record changes", {
  n <- 10
  fit <- dpadmm_fit(matrix(1, n, 1), rep(1e6, n),
    method = grad_admm(), loss = "huber", iterations = 5, epsilon = 1, delta = 1e-3, seed = 1,
    control = dpadmm_control(accountant = "paper", progress = FALSE)
  )
  expect_equal(printed_epsilon(fit, 1e-3), 1, tolerance = 1e-6)
  # the released gradients: slopes -1, one of them replaced by 1
  law <- function(b) affine_law(0, mean(b), fit$noise[1], 5, 0)
  exact <- audit_exact(law(rep(-1, n)), law(c(1, rep(-1, n - 1))), delta = 1e-3)$curve$epsilon
  expect_equal(exact, 1.416, tolerance = 1e-3)
  # and these are the means of the fit's releases
  released <- function(y) {
    fit <- dpadmm_fit(matrix(1, n, 1), 1e6 * y, method = grad_admm(eta = 1, gamma = 1, rho = 1e-9),
      loss = "huber",
      iterations = 5, noise = gaussian_noise(0.1), delta = 1e-3, seed = 1, control = quiet)
    -diff(c(0, fit$iterates[, 1]))
  }
  expect_equal(released(c(-1, rep(1, n - 1))) - released(rep(1, n)), rep(2 / n, 5),
    tolerance = 1e-6)
})

test_that("plausible-admm, Theorem 2: an inexact solution moves by twice what is printed", {
  # A solver may stop anywhere within beta / modulus of the minimiser, on one side for the
  # one data set and on the other for its neighbour. With nearly all of the budget on the
  # noise that hides this, that noise is all there is.
  split <- 0.999
  for (epsilon in c(0.5, 2)) {
    fit <- dpadmm_fit(matrix(c(1, 1, 1, 1), 4), c(1, -1, 1, -1),
      nodes = c(1, 1, 2, 2), method = pp_admm(eta = 0.5, beta = 0.01, split = split), C = 1,
        iterations = 5,
      epsilon = epsilon, delta = 1e-5, seed = 1, control = dpadmm_control(accountant = "paper",
        progress = FALSE)
    )
    modulus <- fit$plan$problem$rho / 2 + 2 * 0.5
    law <- function(side) affine_law(0, side * 0.01 / modulus, fit$noise$output[1], 5, 0)
    exact <- audit_exact(law(1), law(-1), delta = 1e-5)$curve$epsilon
    expect_equal(printed_epsilon(fit, 1e-5), epsilon, tolerance = 0.06)
    expect_gt(exact, 1.4 * printed_epsilon(fit, 1e-5))
    expect_gte(privacy(fit)$epsilon, exact)
  }
})

test_that("plausible-admm, Theorem 5: the test as printed is beyond its claim", {
  # Its own epsilon: 60 negative answers, by brute force over the threshold's noise
  epsilon <- 2
  test <- sparse_vector_test(list(eps_ratio = 2^(2 / 3), threshold = 7.5, loss_clip = 1), 1L, 2,
    epsilon, 1L, TRUE)
  answers <- function(data, seed) {
    sum(!is.na(core_call(.Call(ffi_sparse_vector, test, matrix(data, 60), noise_key(seed)))))
  }
  below <- function(query) {
    f <- function(z) exp(-abs(z)) / 2 * ifelse(z > (query - 7.5) / test$threshold_scale,
      1 - exp(-abs(7.5 + test$threshold_scale * z - query) / test$query_scale) / 2,
      exp(-abs(7.5 + test$threshold_scale * z - query) / test$query_scale) / 2)
    integrate(f, -40, 0, rel.tol = 1e-10)$value + integrate(f, 0, 40, rel.tol = 1e-10)$value
  }
  expect_gt(60 * log(below(-1) / below(1)), 1.3 * epsilon)
  # and nothing is proved of such a fit
  fit <- dpadmm_fit(matrix(c(1, 1, 1, 1), 4), c(1, -1, 1, -1),
    nodes = c(1, 1, 2, 2), method = ipp_admm(eta = 0.5), C = 1, iterations = 4, epsilon = 2,
      delta = 1e-5, seed = 1,
    control = dpadmm_control(accountant = "paper", progress = FALSE)
  )
  expect_error(privacy(fit), class = "dpadmm_error_accountant")
})
