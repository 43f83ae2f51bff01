# With linear or quadratic losses the whole process is Gaussian, so the Renyi divergence
# between neighbours has a closed form: a / 2 times the squared Mahalanobis length of the
# shift of the mean. The bounds are held against it.

skip_on_cran()

#' The joint law of what is seen, for one-dimensional losses h_i x^2 / 2 + b_i x: rows of
#' `map` are values as functions of (1, all noises); the first column is the mean.
process <- function(b, h, gamma, lambda, turns, block, mean_noise, seen = c("z", "u")) {
  n <- length(b)
  noises <- sum(lengths(turns)) + length(turns)
  u <- matrix(0, n, 1 + noises)
  z <- colMeans(u)
  used <- 1
  out <- NULL
  for (k in seq_along(turns)) {
    for (i in turns[[k]]) {
      used <- used + 1
      eta <- replace(numeric(1 + noises), used, block)
      v <- 2 * z - u[i, ]
      v[1] <- v[1] - gamma * b[i]
      u[i, ] <- u[i, ] + 2 * lambda * (v / (1 + gamma * h) - z) + lambda * eta
    }
    z <- colMeans(u)
    used <- used + 1
    z <- z + replace(numeric(1 + noises), used, mean_noise)
    out <- rbind(out, if (seen[1] == "z") z else u[turns[[k]], , drop = FALSE])
  }
  out
}

#' Divergence over its order between data that differ in user 1's slope.
exact_rate <- function(b, b1, ...) {
  here <- process(b, ...)
  there <- process(replace(b, 1, b1), ...)
  shift <- here[, 1] - there[, 1]
  noise <- here[, -1, drop = FALSE]
  sum(shift * solve(tcrossprod(noise), shift)) / 2
}

bound_rate <- function(lambda, gamma, n, noise, scale, setting = "centralized", turns, bound = 1) {
  plan <- list(
    lambda = lambda, prox_gamma = gamma, setting = setting, noise_on = noise, n = n,
    rounds = length(turns), late = FALSE, sample = 0L, grad_bound = bound, step_bound = Inf,
    most = cummax(vapply(seq_along(turns), function(k) max(tabulate(unlist(turns[1:k]), n)), 0L))
  )
  events <- dpadmm:::release_events(dpadmm:::server_releases(plan), scale, "gaussian", list(d = 1))
  sum(events$count * (events$sensitivity / events$sigma)^2 / 2)
}

n <- 7
others <- c(0.3, -0.8, 1, 0.1, -0.4, 0.9)
everyone <- rep(list(seq_len(n)), 5)

test_that("aggregate noise: the bound is never below the exact divergence, and meets it", {
  for (lambda in c(0.1, 0.35, 0.5)) {
    exact <- exact_rate(c(1, others), -1,
      h = 0, gamma = 1.7, lambda = lambda, turns = everyone, block = 0, mean_noise = 0.6
    )
    sound <- bound_rate(lambda, 1.7, n, "aggregate", 0.6, turns = everyone)
    expect_equal(exact, sound, tolerance = 1e-10)
    # quadratic losses whose slopes differ by 2 at every point: never above
    for (h in c(0.2, 1, 5)) {
      expect_lte(exact_rate(c(1, others), -1,
        h = h, gamma = 1.7, lambda = lambda, turns = everyone, block = 0, mean_noise = 0.6
      ), sound * (1 + 1e-12))
    }
  }
  # some users only: user 1 in rounds 1, 3 and 4
  turns <- list(c(1, 2), c(3, 4), c(1, 5), c(1, 6), c(2, 7))
  for (lambda in c(0.2, 0.5)) {
    exact <- exact_rate(c(1, others), -1, h = 0, gamma = 1.7, lambda = lambda, turns = turns,
      block = 0, mean_noise = 0.6)
    sound <- bound_rate(lambda, 1.7, n, "aggregate", 0.6, turns = turns)
    expect_lte(exact, sound * (1 + 1e-12))
    if (lambda == 0.5) expect_equal(exact, sound, tolerance = 1e-10)
  }
})

test_that("block noise: the local bound is exact for who sees every message", {
  for (lambda in c(0.2, 0.5, 0.9)) {
    exact <- exact_rate(c(1, others), -1,
      h = 0, gamma = 1.7, lambda = lambda, turns = everyone, block = 0.6, mean_noise = 0, seen = "u"
    )
    sound <- bound_rate(lambda, 1.7, n, "block", 0.6, turns = everyone)
    expect_equal(exact, sound, tolerance = 1e-10)
    expect_equal(sound, 5 * 8 * 1.7^2 / 0.6^2, tolerance = 1e-10)
    # the released models alone tell less
    for (h in c(0, 1)) {
      expect_lte(exact_rate(c(1, others), -1,
        h = h, gamma = 1.7, lambda = lambda, turns = everyone, block = 0.6, mean_noise = 0
      ), sound)
    }
  }
  walk <- list(1, 4, 1, 2, 7, 1)
  exact <- exact_rate(c(1, others), -1, h = 0, gamma = 1.7, lambda = 0.5, turns = walk,
    block = 0.6, mean_noise = 0, seen = "u")
  expect_equal(exact, bound_rate(0.5, 1.7, n, "block", 0.6, "decentralized", walk),
    tolerance = 1e-10)
})

test_that("the printed central bound falls below the exact divergence", {
  # one noisy step at lambda = 1/2 costs 8 gamma^2 L^2 / (n sigma^2), n times the printed
  exact <- exact_rate(c(1, others), -1,
    h = 0, gamma = 1.7, lambda = 0.5, turns = everyone[1], block = 0.6, mean_noise = 0
  )
  expect_equal(exact, 8 * 1.7^2 / (n * 0.6^2), tolerance = 1e-10)
  printed <- function(K) 8 * K * 1.7^2 / (n^2 * 0.6^2)
  expect_lt(printed(2), exact) # K = 2 counts z_1, which reads nothing, and z_2
  # over five steps and for quadratic losses too
  for (h in c(0, 0.2)) {
    expect_lt(printed(6), exact_rate(c(1, others), -1,
      h = h, gamma = 1.7, lambda = 0.5, turns = everyone, block = 0.6, mean_noise = 0
    ))
  }
})

test_that("z_2 of a fit has the law the check assumes", {
  # Huber far from its labels is linear with slope -1 or 1
  y <- c(1, 1, -1, 1) * 1e6
  z <- function(noise, sigma) {
    vapply(1:600, function(seed) {
      dpadmm_fit(matrix(1, 4, 1), y,
        method = fp_admm(gamma = 0.7, noise = noise), loss = "huber", iterations = 2,
        noise = gaussian_noise(sigma), delta = 1e-6, seed = seed,
          control = dpadmm_control(progress = FALSE)
      )$iterates[2, 1]
    }, 0)
  }
  agrees <- function(z, sd) {
    p <- c(2 * pnorm(-abs(mean(z) - 0.35) / (sd / sqrt(600))), pchisq(sum((z - 0.35)^2) / sd^2,
      600))
    expect_gt(min(p, 1 - p[2]), 1e-4)
  }
  agrees(z("block", 0.4), 0.4 / sqrt(4 * 4)) # sigma^2 / (4 n)
  agrees(z("aggregate", 0.4), 0.4)
})

test_that("the step of Algorithm 5 is as sensitive as stated, and no more", {
  # linear f: A x moves by gamma A (A'A)^{-1} of the change of slope
  set.seed(1)
  for (A in list(diag(3), matrix(rnorm(12), 4), 0.1 * matrix(rnorm(12), 4), diag(c(2, 1, 0.2)))) {
    omega <- min(svd(A)$d)
    worst <- svd(A %*% solve(crossprod(A)))
    move <- 2 * 0.5 * 1.3 * worst$d[1] * 2 * 0.8 / 10 # 2 lambda gamma |.| 2 L / n
    stated <- 0.5 * general_sensitivity(A, 1.3, 0.8, 10, 5L, NULL)$sensitivity
    expect_equal(stated, move, tolerance = 1e-10)
  }
})
