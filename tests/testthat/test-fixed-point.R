# Algorithm 1 and its instances: the textbook updates, written out.

quiet <- dpadmm_control(progress = FALSE)
party_key <- function(seed) .Call(ffi_key_party, noise_key(seed), 1)

test_that("Algorithm 1 is followed block by block", {
  A <- matrix(c(0.3, -0.4, 0.1, 0.2, 0.5, 0, -0.3, 0.2, 0.4), 3)
  b <- c(1, -1, 0.5)
  K <- 9
  lambda <- seq(0.2, 1, length.out = K)
  active <- matrix(c(TRUE, TRUE, FALSE, FALSE, TRUE, TRUE), K, 2)
  blocks <- c("left", "right", "left")
  error <- function(k, u) 0.01 * k * u
  run <- fixed_point(function(u) as.vector(A %*% u) + b, c(1, 2, 3),
    blocks = blocks, lambda = lambda, active = active, noise = gaussian_noise(0.3), errors = error,
    iterations = K, sensitivity = c(0.1, 0.2), delta = 1e-6, seed = 5
  )
  u <- c(1, 2, 3)
  for (k in 1:K) {
    on <- active[k, match(blocks, c("left", "right"))]
    if (any(on)) {
      noisy <- sent((as.vector(A %*% u) + b + error(k, u))[on], 0.3, k, noise_key(5), 1)
      u[on] <- u[on] + lambda[k] * (noisy - u[on])
    }
    expect_equal(run$iterates[k, ], u, tolerance = 1e-12)
  }
  left <- sum(active[, 1])
  right <- sum(active[, 2])
  expect_equal(privacy(run)$epsilon,
    gaussian_epsilon(0.3, 1e-6, sqrt(left * 0.1^2 + right * 0.2^2)), tolerance = 1e-9)
  same <- fixed_point(operator_affine(A, b), c(1, 2, 3),
    blocks = blocks, lambda = lambda, active = active, noise = gaussian_noise(0.3), errors = error,
    iterations = K, delta = 1e-6, seed = 5
  )
  expect_equal(same$iterates, run$iterates, tolerance = 1e-14)
  expect_error(privacy(same), "sensitivity", class = "dpadmm_error_argument")
})

test_that("the affine operator is A u + b, whole or in parts", {
  A <- matrix(sin(1:49), 7)
  R <- operator_affine(A, cos(1:7))
  u <- 1 / (1:7)
  expected <- as.vector(A %*% u + cos(1:7))
  for (at in list(1:7, 3L, c(6L, 2L), integer(0))) {
    expect_equal(R$apply(u, at), expected[at], tolerance = 1e-15)
  }
  whole <- operator_affine(matrix(1:4, 2), 1L) # integers too
  expect_identical(whole$apply(c(1, -1), 1:2), c(-1, -1))
  expect_error(operator_affine(matrix(1, 2, 3)), class = "dpadmm_error_shape")
  expect_error(operator_affine(diag(3), 1:2), class = "dpadmm_error_shape")
})

test_that("blocks are active as asked", {
  moved <- function(active, K = 400) {
    run <- fixed_point(function(u) u + 1, numeric(8), blocks = 1:8, lambda = 1, active = active,
      iterations = K, seed = 2)
    rbind(run$iterates[1, ], diff(run$iterates)) > 0.5
  }
  expect_true(all(moved("all", 5)))
  expect_true(all(rowSums(moved("one")) == 1))
  expect_true(all(rowSums(moved(3)) == 3))
  order <- max.col(moved("permutation") * 1)
  passes <- matrix(order, 8)
  expect_true(all(apply(passes, 2, sort) == 1:8))
  expect_gt(length(unique(apply(passes, 2, paste, collapse = " "))), 40)
  # uniform, two-sided
  level <- function(counts, total, p) {
    x <- sum((counts - total * p)^2 / (total * p * (1 - p))) * (1 - p)
    pchisq(x, length(counts) - 1)
  }
  for (p in c(level(colSums(moved("one")), 400, 1 / 8), level(tabulate(passes[1, ], 8), 50,
    1 / 8))) {
    expect_gt(p, 1e-3)
    expect_lt(p, 1 - 1e-3)
  }
  share <- sum(moved(0.3))
  expect_lt(abs(share - 0.3 * 3200), 4 * sqrt(3200 * 0.21))
  expect_true(any(rowSums(moved(0.3)) != rowSums(moved(0.3))[1]))
})

test_that("consensus ADMM is Algorithm 1 with its operator", {
  data <- sim_lasso(n = 9, p = 4, support = 2, seed = 1)
  for (lambda in c(0.3, 0.5, 1)) {
    R <- operator_admm(data$x, data$y, "huber", penalty_l1(0.01), gamma = 2)
    run <- fixed_point(R, numeric(36), lambda = lambda, iterations = 6)
    means <- t(apply(run$iterates, 1, function(u) rowMeans(matrix(u, 4))))
    z <- sign(means) * pmax(abs(means) - 0.02, 0)
    fit <- dpadmm_fit(data$x, data$y,
      method = fp_admm(lambda = lambda, gamma = 2), loss = "huber", penalty = penalty_l1(0.01),
      iterations = 7, epsilon = Inf, control = quiet
    )
    expect_equal(unname(fit$iterates[-1, ]), z, tolerance = 1e-10)
  }
})

test_that("built-in operators are non-expansive and as sensitive as they say", {
  data <- sim_lasso(n = 10, p = 3, support = 2, seed = 1)
  other <- data
  other$y[4] <- -50
  data$y[4] <- 50
  make <- list(
    function(d) operator_gradient(d$x, d$y, "huber", step = 2),
    function(d) operator_admm(d$x, d$y, "huber", penalty_l2(0.1), gamma = 1.5)
  )
  set.seed(2)
  for (f in make) {
    R <- f(data)
    all <- seq_len(R$d)
    for (trial in 1:20) {
      u <- rnorm(R$d)
      v <- rnorm(R$d)
      expect_lte(sqrt(sum((R$apply(u, all) - R$apply(v, all))^2)),
        sqrt(sum((u - v)^2)) * (1 + 1e-12))
    }
    moved <- sqrt(sum((R$apply(u, all) - f(other)$apply(u, all))^2))
    expect_equal(moved, R$sensitivity, tolerance = 1e-8) # the far labels attain it
    expect_lte(moved, R$sensitivity * (1 + 1e-12))
  }
})

test_that("DP-SGD is its textbook update", {
  data <- sim_lasso(n = 40, p = 5, support = 2, seed = 1)
  soft <- function(v, k) sign(v) * pmax(abs(v) - k, 0)
  for (sampling in c("poisson", "fixed")) {
    for (step in c(0.5, 7)) { # below and above 2 / beta
      fit <- dpadmm_fit(data$x, data$y,
        method = dp_sgd(step = step, batch = 10, sampling = sampling, clip = 0.2), loss = "squared",
        penalty = penalty_l1(0.01), iterations = 12, noise = gaussian_noise(0.05), delta = 1e-6,
          seed = 9, control = quiet
      )
      u <- numeric(5)
      for (k in 1:12) {
        batch <- .Call(ffi_sample, party_key(9), k, 40, if (sampling == "poisson") 0.25 else 10,
          sampling == "poisson")
        g <- numeric(5)
        for (i in batch) {
          gi <- (sum(data$x[i, ] * u) - data$y[i]) * data$x[i, ]
          g <- g + gi * min(1, 0.2 / sqrt(sum(gi^2)))
        }
        u <- soft(u - step * sent(g / 10, 0.05, k, party_key(9)), step * 0.01)
        expect_equal(unname(fit$iterates[k, ]), u, tolerance = 1e-11) # the grid is 1e-14
      }
    }
  }
})

test_that("DP-CD is its textbook update", {
  data <- sim_lasso(n = 40, p = 5, support = 2, seed = 1)
  for (blocks in list(NULL, 2, c(1, 1, 2, 3, 2))) {
    fit <- dpadmm_fit(data$x, sign(data$y),
      method = dp_cd(step = 3, blocks = blocks, order = "permutation", clip = 0.1),
        penalty = penalty_l2(0.1),
      iterations = 12, noise = gaussian_noise(0.05), delta = 1e-6, seed = 9, control = quiet
    )
    label <- if (is.null(blocks)) 1:5 else if (length(blocks) == 1) c(1, 1, 2, 2, 2) else blocks
    u <- numeric(5)
    turns <- NULL
    for (k in 1:12) {
      before <- if (k == 1) numeric(5) else fit$iterates[k - 1, ]
      here <- unname(which(fit$iterates[k, ] != before))
      turns <- c(turns, label[here[1]])
      expect_identical(here, which(label == label[here[1]]), ignore_attr = TRUE)
      slope <- -sign(data$y) / (1 + exp(sign(data$y) * as.vector(data$x %*% u)))
      parts <- slope * data$x[, here, drop = FALSE]
      parts <- parts * pmin(1, 0.1 / sqrt(rowSums(parts^2)))
      # noise for the moving coordinates only
      noisy <- sent(colMeans(parts), 0.05, k, party_key(9))
      u[here] <- (u[here] - 3 * noisy) / (1 + 3 * 0.1)
      expect_equal(unname(fit$iterates[k, ]), u, tolerance = 1e-11) # the grid is 1e-14
    }
    B <- max(label)
    expect_setequal(turns[1:B], 1:B)
  }
  expect_equal(privacy(fit)$epsilon, gaussian_epsilon(0.05, 1e-6, 2 * 0.1 / 40 * sqrt(12)),
    tolerance = 1e-9)
})

test_that("the guarantees of DP-SGD are those of the sampled Gaussian", {
  data <- sim_lasso(n = 100, p = 3, support = 2, seed = 1)
  fit <- function(...) {
    dpadmm_fit(data$x, data$y, method = dp_sgd(clip = 0.5, ...), loss = "squared", iterations = 20,
      noise = gaussian_noise(0.2), delta = 1e-5, seed = 1, control = quiet)
  }
  epsilon <- function(sensitivity, ...) {
    account(dp_event_subsampled_gaussian(0.2, sensitivity, 0.1, ..., count = 20), 1e-5)$epsilon
  }
  expect_charged(privacy(fit(batch = 10))$epsilon, epsilon(2 * 0.5 / 10, "poisson"))
  expect_charged(privacy(fit(batch = 0.1, neighbours = "add-remove"))$epsilon,
    epsilon(0.5 / 10, "poisson", neighbours = "add-remove"))
  expect_charged(privacy(fit(batch = 10, sampling = "fixed"))$epsilon,
    epsilon(2 * 0.5 / 10, "fixed"))
  expect_equal(privacy(fit())$epsilon, gaussian_epsilon(0.2, 1e-5, 2 * 0.5 / 100 * sqrt(20)),
    tolerance = 1e-9)
  budget <- dpadmm_fit(data$x, data$y, method = dp_sgd(batch = 10, clip = 0.5), loss = "squared",
    iterations = 20,
    epsilon = 2, delta = 1e-5, seed = 1, control = quiet)
  expect_lte(privacy(budget)$epsilon, 2)
  expect_gt(privacy(budget)$epsilon, 2 * (1 - 1e-6))
})

test_that("general ADMM with A = I is Douglas-Rachford, and finds the optimum for any A and B", {
  data <- sim_lasso(n = 30, p = 4, support = 2, seed = 1)
  soft <- function(v, k) sign(v) * pmax(abs(v) - k, 0)
  u <- numeric(4)
  H <- crossprod(data$x) / 30
  run <- general_admm(prox_loss(data$x, data$y, "squared"), penalty_l1(0.02), u0 = u, lambda = 0.4,
    gamma = 3, iterations = 10)
  for (k in 1:10) {
    z <- soft(u, 3 * 0.02)
    expect_equal(run$iterates[k, ], z, tolerance = 1e-9)
    x <- solve(H + diag(4) / 3, crossprod(data$x, data$y) / 30 + (2 * z - u) / 3)
    u <- u + 2 * 0.4 * (as.vector(x) - z)
  }
  # 4 x + 0 = z by B = -1/2: x = z / 8, a rescaled penalty
  A <- 4 * diag(4)
  scaled <- general_admm(prox_loss(data$x, data$y, "squared"), penalty_l1(0.02), A = A,
    B = -diag(4) / 2, c = 1,
    u0 = numeric(4), gamma = 60, iterations = 4000)
  x <- (1 + scaled$z / 2) / 4
  slope <- as.vector(H %*% x - crossprod(data$x, data$y) / 30) / 8 # by dx/dz
  live <- abs(scaled$z) > 1e-9
  expect_lt(max(abs(slope[live] + 0.02 * sign(scaled$z[live]))), 1e-7)
  expect_true(all(abs(slope[!live]) <= 0.02 + 1e-7))
  # a user's own function in place of the penalty
  own <- general_admm(prox_loss(data$x, data$y, "squared"), function(w, gamma, M) soft(w,
    0.02 * gamma),
    u0 = numeric(4), lambda = 0.4, gamma = 3, iterations = 10)
  expect_equal(own$iterates, run$iterates, tolerance = 1e-12)
})

test_that("general ADMM's guarantee, sound and printed", {
  data <- sim_lasso(n = 50, p = 3, support = 1, seed = 1)
  A <- diag(c(2, 1, 0.5))
  run <- general_admm(prox_loss(data$x, data$y, "huber"), penalty_none(), A = A, u0 = numeric(3),
    gamma = 0.5,
    iterations = 12, noise = gaussian_noise(0.3), delta = 1e-6, seed = 1)
  sensitivity <- 4 * 0.5 / (50 * 0.5)
  expect_charged(privacy(run)$epsilon, gaussian_epsilon(0.3, 1e-6, sensitivity * sqrt(11)))
  # 8 K ||A||^2 L^2 gamma^2 / (sigma^2 n^2 omega^2)
  rate <- 8 * 12 * 2^2 * 0.5^2 / (0.3^2 * 50^2 * 0.5^2)
  expect_equal(privacy(run, "paper")$epsilon, rate + 2 * sqrt(rate * log(1e6)), tolerance = 1e-9)
  expect_error(general_admm(prox_loss(data$x, data$y, "huber"), penalty_none(), A = cbind(1:3, 1:3,
    1:3),
    u0 = numeric(3), epsilon = 1, delta = 1e-6), "rank", class = "dpadmm_error_argument")
  expect_error(general_admm(prox_loss(data$x, data$y, "squared"), penalty_none(), u0 = numeric(3),
    epsilon = 1,
    delta = 1e-6), "lipschitz", class = "dpadmm_error_argument")
  expect_error(general_admm(function(w, gamma, M) w[-1], penalty_none(), u0 = numeric(3)),
    class = "dpadmm_error_operator")
  expect_error(general_admm(function(w, gamma, M) w, penalty_l1(1), B = matrix(1, 3, 3),
    u0 = numeric(3)),
    class = "dpadmm_error_argument")
})

test_that("bad operators and settings are classed errors", {
  id <- function(u) u
  expect_error(fixed_point(function(u) u[-1], 1:3), class = "dpadmm_error_operator")
  expect_error(fixed_point(function(u) "a", 1:3), class = "dpadmm_error_operator")
  expect_error(fixed_point(function(u) u / 0, 0:3), class = "dpadmm_error_finite")
  calls <- 0
  drifting <- function(u) {
    calls <<- calls + 1
    u + calls
  }
  expect_no_error(fixed_point(drifting, 1:3, iterations = 2))
  expect_error(fixed_point(drifting, 1:3, check = TRUE), "not a function",
    class = "dpadmm_error_operator")
  expect_error(fixed_point(1, 1:3), class = "dpadmm_error_argument")
  for (lambda in list(0, 1.2, -1)) expect_error(fixed_point(id, 1:3, lambda = lambda),
    class = "dpadmm_error_argument")
  expect_error(fixed_point(id, 1:3, lambda = c(0.5, 0.5)), class = "dpadmm_error_shape")
  expect_error(fixed_point(id, 1:3, blocks = 1:2), class = "dpadmm_error_shape")
  expect_error(fixed_point(id, 1:3, active = "some"), class = "dpadmm_error_argument")
  expect_error(fixed_point(id, 1:3, active = 2), class = "dpadmm_error_argument")
  expect_error(fixed_point(id, 1:3, active = matrix(TRUE, 2, 2)), class = "dpadmm_error_shape")
  expect_error(fixed_point(id, 1:3, errors = function(k, u) 1), class = "dpadmm_error_operator")
  expect_error(fixed_point(id, 1:3, epsilon = 1, delta = 1e-6), "sensitivity",
    class = "dpadmm_error_argument")
  expect_error(fixed_point(id, c(1, NA)), class = "dpadmm_error_missing")
  data <- sim_lasso(n = 10, p = 2, support = 1, seed = 1)
  fit <- function(method, ...) {
    dpadmm_fit(data$x, data$y, method = method, loss = "squared", epsilon = 1, delta = 1e-6,
      control = quiet, ...)
  }
  expect_error(fit(dp_sgd(batch = 11, clip = 1)), "at most", class = "dpadmm_error_argument")
  expect_error(fit(dp_sgd()), "clip", class = "dpadmm_error_argument")
  expect_error(fit(dp_cd()), "clip", class = "dpadmm_error_argument")
  expect_error(dp_sgd(batch = 5, sampling = "fixed", neighbours = "add-remove"),
    class = "dpadmm_error_argument")
  expect_error(dp_sgd(step = 0), class = "dpadmm_error_argument")
})
