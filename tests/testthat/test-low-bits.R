# Nobody can tell from the last bits of a release which data set it came from. Every method,
# by the table of methods, with a guarantee that is worth next to nothing: 2,000 releases, of
# which a guess must be right for half.

skip_on_cran()

# Forty parties alike, each with a record that is turned round in the second data set: what each
# sends is a release of its own. Labels of the Huber loss are far away, so that its gradients,
# and what they are without noise, are the same in every round.
d <- 16
records <- local({
  x <- matrix(sin(seq_len(6 * d) * sqrt(7)) + cos(seq_len(6 * d)^2), 6)
  x / sqrt(rowSums(x^2)) * (1 - 1e-12)
})
turned <- replace(records, cbind(1, 1:d), -records[1, ])
labels <- c(1, 1, -1, 1, -1, -1)

attack <- function(method, noise) {
  # so much that a message is private with an epsilon of about 0.01; a power of two would make
  # every double possible
  scale <- 128 * sqrt(2)
  release <- function(loss, iterations) {
    fit_release(method, loss, iterations = iterations,
      noise = if (noise == "gaussian") gaussian_noise(scale) else gamma_noise(1 / scale),
      delta = if (noise == "gaussian") 1e-6 else 0
    )
  }
  if (has_nodes(method)) {
    parties <- rep(1:40, each = 6)
    data <- function(x) list(x = x[rep(1:6, 40), ], y = rep(labels, 40), nodes = parties)
    low_bits_attack(release("logistic", 1), data(records), data(turned), runs = 25, seed = 1)
  } else {
    data <- function(x) list(x = x, y = 1e6 * labels)
    # states of private ADMM for consensus do depend on the noise so far, z_1 reads no record,
    # and the first record need not be in the first sample
    if (inherits(method, "dpadmm_family_server")) {
      low_bits_attack(release("huber", 2), data(records), data(-records), runs = 1000, seed = 1)
    } else {
      low_bits_attack(release("huber", 100), data(records), data(turned), runs = 10,
        rounds = 100, seed = 1
      )
    }
  }
}

kinds <- c(method_cases(), list(
  "primal" = admm(perturb = "primal"), "block" = fp_admm(noise = "block"),
  "federated" = fp_admm(setting = "federated", sample = 4), "one block" = dp_cd(blocks = 1)
))

kinds$ipp_admm <- ipp_admm(threshold = -1e6) # every message passes its test

for (name in names(kinds)) for (noise in c("gaussian", "gamma")) {
  if (noise == "gamma" && inherits(kinds[[name]], c("dpadmm_family_server",
    "dpadmm_family_descent"))) next
  test_that(sprintf("%s, %s noise: last bits of 2,000 releases tell nothing", name, noise), {
    seen <- attack(kinds[[name]], noise)
    expect_equal(seen$of, 2000)
    expect_gt(seen$p, 1e-6)
  })
}

# ---- the attack itself: what it must find, and what it must not ---------------------------

value <- list(sin(1:40) / 3, sin(1:40) / 3 + 1e-4)

right_of <- function(noisy, runs = 200, scale = 1.4, radial = FALSE) {
  values <- dpadmm:::with_r_seed(1, do.call(rbind, lapply(rep(value, each = runs), noisy)))
  truth <- lapply(value, function(v) matrix(v, 2 * runs, length(v), byrow = TRUE))
  marks <- low_bit_marks(values, truth, scale, radial)
  rightly_told(cbind(marks$against, marks$own), rep(1:2, each = runs)) / (2 * runs)
}

test_that("it finds noise that is a product, a grid that starts at the value, and one that moves", {
  # the noise of this package until it was drawn on a grid
  expect_gt(right_of(function(v) v + 1.4 * rnorm(length(v))), 0.95)
  expect_gt(right_of(function(v) v + 1.4 * rnorm(length(v)), scale = c(3.3, 1.4)), 0.95)
  radial <- function(v) {
    z <- rnorm(length(v))
    v + sum(rexp(length(v))) * (z / sqrt(sum(z^2)))
  }
  expect_gt(right_of(radial, radial = TRUE), 0.8)
  # exact noise, added to a value that was not rounded to its grid
  grid <- 2^-30
  expect_gt(right_of(function(v) v + grid * round(rnorm(length(v)) / grid)), 0.95)
  # a grid that depends on the value
  moved <- function(v) {
    grid <- if (v[1] > value[[1]][1]) 2^-30 else 2^-31
    grid * (round(v / grid) + round(rnorm(length(v)) / grid))
  }
  expect_gt(right_of(moved), 0.95)
})

test_that("it finds nothing in exact noise on a public grid", {
  grid <- 2^-30
  exact <- function(v) grid * (round(v / grid) + round(1.4 * rnorm(length(v)) / grid))
  right <- right_of(exact, runs = 1000)
  expect_gt(stats::binom.test(round(2000 * right), 2000)$p.value, 1e-6)
})

test_that("the loop over entries says what sums over whole matrices say", {
  with_r_seed(3, for (n in c(1, 7, 60)) for (size in c(1e-140, 1, 1e140)) {
    one <- matrix(rnorm(n * 5, sd = size), n)
    two <- one
    two[sample(length(one), length(one) %/% 2)] <- rnorm(length(one) %/% 2, sd = size)
    two[1, ] <- one[1, ] # a row that tells nothing
    grid <- size * 2^-20
    for (noise in list(1.4 * size * rnorm(n * 5), grid * round(rnorm(n * 5) * 2^20), 0)) {
      values <- (if (runif(1) < 0.5) one else two) + noise
      values[sample(length(values), 1)] <- 0
      for (radial in c(FALSE, TRUE)) for (scale in list(NULL, 1.4 * size, c(1.4, 3, 1.4) * size)) {
        expected <- marks_by_hand(values, list(one, two), scale, radial)
        found <- low_bit_marks(values, list(one, two), scale, radial)
        expect_equal(found, expected, tolerance = 1e-13, ignore_attr = TRUE)
      }
    }
  })
})

test_that("last bits and reachable doubles are what arithmetic says", {
  expect_identical(last_bit(c(1, 3, 6, 0.75, -40, 0)), c(0, 0, 1, -2, 3, 1023))
  expect_identical(last_bit(1 + .Machine$double.eps), -52)
  expect_identical(last_bit(5e-324), -1074)
  expect_identical(ulp(c(1, 1.5, -2, 0)), 2^c(-52, -52, -51, -1074))
  eps <- .Machine$double.eps
  expect_identical(steps_from(c(1, -1, 1.9), 2), c(1, -1, 1.9) * c(1, 1, 1) + c(2, -2, 2) * eps)
  expect_identical(steps_from(c(1, 1.5, 2), -1), c(1 - eps / 2, 1.5 - eps, 2 - eps))
  z <- matrix(sin(1:1000), 1)
  expect_false(any(impossible(z * 1.4, 0 * z, z * 1.4, 1.4)))
  # a share of 1 - 1/1.4 of the upper half of doubles is not reached
  up <- matrix(1.4 + 0.6 * (1:1000) / 1001, 1)
  expect_equal(mean(impossible(up, 0 * up, up, 1.4)), 1 - 1 / 1.4, tolerance = 0.1)
  # any double can be reached with a power of two
  expect_false(any(impossible(up, 0 * up, up, 4)))
})

test_that("low_bits() is a statistic for audit(), and a fit's audit looks at last bits itself", {
  noisy <- function(v) v + 1.4 * rnorm(length(v))
  expect_gt(audit(noisy, value[[1]], value[[2]], runs = 200,
    statistic = low_bits(value[[1]], value[[2]], scale = 1.4), seed = 1)$epsilon, 2)
  expect_error(low_bits(1, c(1, 2)), class = "dpadmm_error_shape")
  expect_error(low_bits(1, NA), class = "dpadmm_error")
  expect_error(low_bits(1, 2, scale = 0), class = "dpadmm_error_argument")
  expect_error(low_bits(1, 2)(c(1, 2)), class = "dpadmm_error_shape")
  expect_error(low_bits_attack(noisy, 1, 2), class = "dpadmm_error_argument")
  small <- worst_case_neighbours("labels", n = 6, d = 3)
  release <- fit_release(dp_sgd(), iterations = 2, epsilon = 0.1, delta = 1e-6)
  expect_length(release(small$data1, 1), 6)
  expect_gt(length(audit(release, small$data1, small$data2, runs = 20, seed = 1)$weights), 6)
  expect_output(print(low_bits_attack(release, small$data1, small$data2, runs = 4, seed = 1)),
    "of 8 releases told apart")
})
