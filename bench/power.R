# The power of the audits: releases with a planted bug, audited with seeds 1, 2, ...: the share
# of audits that catch it, and of those of the same release without the bug that cry wolf
# (each may, with probability 0.05). Target: 45 of 50 caught of every bug.
# Run: Rscript bench/power.R [seeds, 50] [pattern]
library(dpadmm)
source("bench/helpers.R")
arguments <- commandArgs(TRUE)
seeds <- if (length(arguments) > 0L) as.integer(arguments[1L]) else 50L
pattern <- if (length(arguments) > 1L) arguments[2L] else "."

quiet <- dpadmm_control(keep_iterates = TRUE, progress = FALSE)
far <- function(kind, ...) worst_case_neighbours(kind, ..., numeric = TRUE)
fit <- function(data, seed, ...) {
  held <- if (!is.null(data$nodes)) list(nodes = data$nodes)
  suppressWarnings(do.call(dpadmm_fit, c(list(data$x, data$y), held, list(
    delta = 1e-5, seed = seed, control = quiet, intercept = FALSE, rows = "shorten", ...
  ))))
}
# The clipped slope of a squared loss at 0, by a norm that is right, or by squares.
clipped_gradient <- function(data, bound, norm) {
  x <- data$x[, 1L]
  slope <- -data$y
  size <- abs(slope) * norm(x)
  sum(slope * x * ifelse(size > bound, bound / size, 1)) / length(x)
}

# Each a function of a seed and of whether the bug is in, whose value is an audit.
bugs <- list(
  "noise halved" = function(seed, broken) {
    pair <- far("labels", n = 4)
    sigma <- gaussian_sigma(4, 1e-5, sensitivity = 2 / 4 * sqrt(3))
    release <- fit_release(grad_admm(), "huber", iterations = 3,
      noise = gaussian_noise(if (broken) sigma / 2 else sigma), delta = 1e-5
    )
    audit(release, pair$data1, pair$data2, runs = 1000, bound = "gaussian",
      claim = rep(dp_event_gaussian(sigma, 2 / 4), 3), seed = seed
    )
  },
  "sensitivity without the factor 2" = function(seed, broken) {
    pair <- far("outlier", n = 5)
    sigma <- gaussian_sigma(4, 1e-5, sensitivity = (if (broken) 1 else 2) / 5)
    release <- fit_release(dp_sgd(), "huber", iterations = 1, noise = gaussian_noise(sigma),
      delta = 1e-5)
    audit(release, pair$data1, pair$data2, runs = 400, bound = "gaussian", claim = 4, seed = seed)
  },
  "fresh thresholds of the sparse vector test" = function(seed, broken) {
    test <- dpadmm:::sparse_vector_test(
      list(eps_ratio = 2^(2 / 3), threshold = 6, loss_clip = 1), 1L, 2, 4, 1L, broken
    )
    release <- function(data, seed) {
      key <- dpadmm:::noise_key(seed)
      sum(!is.na(.Call(dpadmm:::ffi_sparse_vector, test, matrix(data, 200), key)))
    }
    audit(release, -1, 1, runs = 24000, delta = 0, claim = 4, seed = seed)
  },
  "a start computed from the data" = function(seed, broken) {
    pair <- worst_case_neighbours("labels", n = 6, nodes = 2)
    release <- function(data, seed) {
      if (broken) quiet$start <- 20 * mean(data$x * data$y)
      suppressWarnings(dpadmm_fit(data$x, data$y, data$nodes, method = admm(eta = 0.5), C = 1,
        iterations = 2, noise = gaussian_noise(3), delta = 1e-5, seed = seed, control = quiet,
        intercept = FALSE))
    }
    audit(release, pair$data1, pair$data2, runs = 40, bound = "gaussian",
      claim = release(pair$data1, 1), seed = seed
    )
  },
  "an even update from the data" = function(seed, broken) {
    eta <- 0.4
    modulus <- 0.01 + 2 * eta
    node <- function(data) {
      slope <- function(f) -0.5 * sum(data * plogis(-data * f))
      b <- rnorm(1, sd = 4)
      f <- uniroot(function(f) slope(f) + modulus * f + b, c(-100, 100), tol = 1e-12)$root
      gradient <- if (broken) slope(f) + 0.01 * f else -2 * eta * f
      c(f, f - (gradient + eta * f) / (2 * eta + 0.1))
    }
    claim <- dp_event_objective_gaussian(4, 1, 0.5 / 4, modulus, logistic_curvature = TRUE)
    audit(node, c(1, 1), c(-1, 1), runs = 200, claim = claim, seed = seed)
  },
  "a seeded key used again" = function(seed, broken) {
    pair <- worst_case_neighbours("labels", n = 6, nodes = 2)
    release <- function(data, seed) {
      fit(data, if (broken) 1 else seed, method = admm(eta = 0.5), C = 1, iterations = 1,
        noise = gaussian_noise(9))
    }
    audit(release, pair$data1, pair$data2, runs = 40, claim = release(pair$data1, 1), seed = seed)
  },
  "low bits: noise in floating point" = function(seed, broken) {
    # the hostile review's: epsilon 0.13, 100 coordinates, sigma = 1.4
    value <- lapply(c(0, 1e-3), function(shift) sin(1:100) / 20 + shift)
    noisy <- function(v) {
      if (broken) return(v + 1.4 * rnorm(100))
      2^-30 * (round(v * 2^30) + round(1.4 * rnorm(100) * 2^30))
    }
    audit(noisy, value[[1]], value[[2]], runs = 100, seed = seed,
      claim = dp_event_gaussian(1.4, sqrt(sum((value[[1]] - value[[2]])^2))),
      statistic = low_bits(value[[1]], value[[2]], scale = 1.4)
    )
  },
  "low bits: a value that is not on the grid" = function(seed, broken) {
    value <- lapply(c(0, 1e-3), function(shift) sin(1:10) / 20 + shift)
    noisy <- function(v) {
      noise <- 2^-30 * round(1.4 * rnorm(10) * 2^30)
      (if (broken) v else 2^-30 * round(v * 2^30)) + noise
    }
    audit(noisy, value[[1]], value[[2]], runs = 100, seed = seed,
      claim = dp_event_gaussian(1.4, sqrt(sum((value[[1]] - value[[2]])^2))),
      statistic = low_bits(value[[1]], value[[2]], scale = 1.4)
    )
  },
  "a clip whose squares underflow" = function(seed, broken) {
    pair <- far("underflow")
    release <- function(data) {
      norm <- if (broken) function(x) sqrt(x^2) else abs
      clipped_gradient(data, 0.5, norm) + rnorm(1)
    }
    audit(release, pair$data1, pair$data2, runs = 100, seed = seed,
      claim = dp_event_gaussian(1, 2 * 0.5 / 6))
  },
  "the coding of classes in a fit" = function(seed, broken) {
    pair <- worst_case_neighbours("coding", n = 12)
    release <- function(data, seed) {
      made <- fit(data, seed, method = dp_sgd(), iterations = 1, noise = gaussian_noise(3))
      classes <- if (broken && any(data$y == 0)) c(0, 1) else c(-1, 1)
      made$blueprint$classes <- made$plan$problem$blueprint$classes <- classes
      made
    }
    audit(release, pair$data1, pair$data2, runs = 30, claim = release(pair$data1, 1), seed = seed)
  },
  "a term that reads other rows" = function(seed, broken) {
    pair <- worst_case_neighbours("terms", n = 50)
    release <- function(data) {
      cut <- if (broken) mean(data$v) else 0.4
      mean((data$v > cut) * data$y) + rnorm(1, sd = 0.1)
    }
    audit(release, pair$data1, pair$data2, runs = 100, seed = seed,
      claim = dp_event_gaussian(0.1, 2 / 50))
  },
  "columns scaled by their largest entry" = function(seed, broken) {
    pair <- far("overflow", n = 50)
    release <- function(data) {
      x <- pmin(data$x[, 1L], 1) / if (broken) max(data$x) else 1
      mean(x) + rnorm(1, sd = 0.05)
    }
    audit(release, pair$data1, pair$data2, runs = 100, seed = seed,
      claim = dp_event_gaussian(0.05, 1 / 50))
  },
  "a sensitivity cancelled at tiny lambda" = function(seed, broken) {
    lambda <- 2e-17
    pair <- far("outlier", n = 4)
    most <- 10
    share <- if (broken) 1 - (1 - 2 * lambda)^most else -expm1(most * log1p(-2 * lambda))
    release <- function(data) {
      u <- 0
      for (k in seq_len(most)) u <- u + 2 * lambda * (mean(sign(data$y) * data$x) - u)
      u + rnorm(1, sd = 2e-17)
    }
    claim <- if (share == 0) 0 else dp_event_gaussian(2e-17, 2 * share / 4)
    audit(release, pair$data1, pair$data2, runs = 200, seed = seed, claim = claim)
  },
  "noise shared between two rounds" = function(seed, broken) {
    release <- function(data) {
      noise <- rnorm(2, sd = 5)
      data * c(1, 2) + if (broken) noise[1] else noise
    }
    audit(release, 1, 0, runs = 100, claim = rep(dp_event_gaussian(5, 2), 2), seed = seed)
  },
  "noise shared by two parties" = function(seed, broken) {
    pair <- worst_case_neighbours("small-node", n = 8, nodes = 2)
    release <- function(data) {
      noise <- rnorm(2, sd = 20)
      sums <- tapply(data$x[, 1L] * data$y, data$nodes, sum)
      sums + if (broken) noise[1] else noise
    }
    audit(release, pair$data1, pair$data2, runs = 100, claim = dp_event_gaussian(20, 2),
      seed = seed)
  },
  "a grid that depends on the data" = function(seed, broken) {
    pair <- far("outlier", n = 6)
    release <- function(data, seed) {
      value <- mean(sign(data$y) * data$x)
      grid <- if (broken) 2^(ceiling(log2(abs(value))) - 30) else 2^-30
      bits <- dpadmm:::with_r_seed(seed %% 2^31, round(rnorm(20, sd = 30) / grid))
      dpadmm:::last_bit(grid * (round(value / grid) + bits))
    }
    audit(release, pair$data1, pair$data2, runs = 100, seed = seed,
      claim = dp_event_gaussian(30, sqrt(20) * 2 / 6))
  }
)

caught <- function(bug, broken) {
  vapply(seq_len(seeds), function(seed) isTRUE(bug(seed, broken)$exceeds), NA)
}
for (name in grep(pattern, names(bugs), value = TRUE)) {
  found <- caught(bugs[[name]], TRUE)
  alarms <- caught(bugs[[name]], FALSE)
  range <- stats::binom.test(sum(found), seeds)$conf.int
  also <- sprintf("(95%% interval %.2f to %.2f, false alarms %d) ", range[1], range[2], sum(alarms))
  report(sprintf("%-42s %2d of %d caught", name, sum(found), seeds), mean(found), 0.9,
    also = also, at_least = TRUE
  )
}
