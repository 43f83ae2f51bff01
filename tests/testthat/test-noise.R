# Noise against its law, two-sided: with the scale that was asked for a test passes, with
# two thirds and three halves of it the same test fails. All from fixed seeds.

draw <- function(kind, scale, dim, n, key = noise_key(1), node = 0) {
  .Call(ffi_noise, kind, as.double(scale), as.double(dim), as.double(n), key, as.double(node))
}

#' `test(scale)` is a p-value under the hypothesis that `scale` was used.
expect_scale <- function(test, scale) {
  expect_gt(test(scale), 1e-3)
  expect_lt(test(scale / 1.5), 1e-9)
  expect_lt(test(scale * 1.5), 1e-9)
}

laplace_cdf <- function(x, b) ifelse(x < 0, exp(-abs(x) / b) / 2, 1 - exp(-abs(x) / b) / 2)

test_that("Gaussian noise has the asked standard deviation", {
  for (d in c(1, 5)) {
    x <- draw("gaussian", 0.4, d, 4000 / d)
    expect_identical(dim(x), c(as.integer(4000 / d), as.integer(d)))
    expect_scale(function(sigma) ks.test(as.vector(x), "pnorm", 0, sigma)$p.value, 0.4)
    expect_scale(function(sigma) {
      p <- pchisq(sum(x^2) / sigma^2, length(x))
      2 * min(p, 1 - p)
    }, 0.4)
  }
})

test_that("Gaussian coordinates are uncorrelated within and across rows", {
  x <- draw("gaussian", 1, 6, 3000)
  within <- cor(x)[upper.tri(diag(6))]
  across <- cor(x[-1, ], x[-nrow(x), ])
  z <- abs(c(within, across)) * sqrt(nrow(x))
  expect_gt(length(z) * 2 * pnorm(-max(z)), 1e-3)
})

test_that("Gamma-norm noise has a Gamma norm and a uniform direction", {
  alpha <- 1.7
  for (d in c(1, 3, 20)) {
    b <- draw("gamma", alpha, d, 3000)
    norm <- sqrt(rowSums(b^2))
    expect_scale(function(rate) ks.test(norm, "pgamma", d, rate)$p.value, alpha)

    w <- b / norm
    expect_gt(pchisq(sum(colMeans(w)^2) * nrow(w) * d, d, lower.tail = FALSE), 1e-3)
    # the square of a coordinate of a uniform direction is Beta(1/2, (d - 1)/2)
    if (d > 1) expect_gt(ks.test(w[, d]^2, "pbeta", 1 / 2, (d - 1) / 2)$p.value, 1e-3)
    expect_gt(cor.test(norm, w[, 1])$p.value, 1e-3)
  }
})

test_that("Laplace noise has the asked scale", {
  x <- as.vector(draw("laplace", 2.5, 4, 1000))
  expect_scale(function(b) ks.test(x, laplace_cdf, b)$p.value, 2.5)
})

test_that("a seed repeats the noise and only the seed does", {
  key <- noise_key(7)
  expect_type(key, "raw")
  expect_length(key, 32L)
  expect_identical(noise_key(7), key)
  expect_identical(noise_key(7L), key)
  expect_false(identical(noise_key(8), key))
  expect_false(identical(noise_key(7 + 2^32), key))
  expect_identical(draw("gamma", 1, 3, 5, key), draw("gamma", 1, 3, 5, noise_key(7)))

  expect_false(identical(noise_key(), noise_key()))
  # as set.seed() does not reach the key, so the key's drawing does not touch R's generator
  set.seed(1)
  before <- .Random.seed
  first <- noise_key()
  expect_identical(.Random.seed, before)
  set.seed(1)
  expect_false(identical(noise_key(), first))
  x <- draw("gaussian", 1, 2, 2, key)
  set.seed(2)
  expect_identical(draw("gaussian", 1, 2, 2, key), x)
  expect_false(identical(.Call(ffi_key, NA_real_), .Call(ffi_key, NA_real_)))
})

test_that("streams are the documented ones", {
  # computed by an implementation in another language (tests/reference/streams.py)
  expect_identical(
    paste(noise_key(42), collapse = ""),
    "9f5969e35af816b4b4d455cf980bcb7469aa2530542e3f75cecf3ed7d8f29e6b"
  )
  gaussian <- rbind(
    c(-0.23233131829703685, 2.458096559878741, 0.99577981146468642),
    c(2.7901060185003121, -0.39267395715288644, -0.10854402915853863)
  )
  gamma <- rbind(
    c(-3.6140654059941637, 1.5977497478561691, 0.16675356040525),
    c(-0.15332410700143545, -4.3845515323802493, -0.2117688150205726)
  )
  laplace <- rbind(c(-0.48386116160627812, -0.87131967269683319, -0.37166464893819395))
  key <- noise_key(42)
  expect_equal(draw("gaussian", 1, 3, 2, key, node = 2), gaussian, tolerance = 2e-15)
  expect_equal(draw("gamma", 0.8, 3, 2, key, node = 2), gamma, tolerance = 2e-15)
  expect_equal(draw("laplace", 1.5, 3, 1, key, node = 2), laplace, tolerance = 2e-15)
})

test_that("a row is its iteration's own stream: more rows, other nodes, other uses", {
  key <- noise_key(3)
  x <- draw("gaussian", 1, 4, 6, key, node = 2)
  expect_identical(draw("gaussian", 1, 4, 3, key, node = 2), x[1:3, ])
  expect_identical(draw("gaussian", 2, 4, 6, key, node = 2), 2 * x)
  # a pair of coordinates does not depend on how many follow
  expect_identical(draw("gaussian", 1, 2, 6, key, node = 2), x[, 1:2])
  other <- draw("gaussian", 1, 4, 6, key, node = 3)
  expect_length(intersect(x, other), 0L)
  expect_length(unique(as.vector(x)), 24L)
})

test_that("what the compiled routines cannot use is a classed error", {
  key <- noise_key(1)
  bad <- list(
    list("cauchy", 1, 2, 2, key, 0), list("gamma", 0, 2, 2, key, 0),
    list("gamma", NaN, 2, 2, key, 0), list("gamma", 1, 0, 2, key, 0),
    list("gamma", 1, 1.5, 2, key, 0), list("gamma", 1, 2, 2^31, key, 0),
    list("gamma", 1, 2, NA_real_, key, 0), list("gamma", 1, 2, 2, key[-1], 0),
    list("gamma", 1, 2, 2, key, -1), list("gamma", 1, 2, 2, key, 2^32),
    list(NULL, 1, 2, 2, key, 0), list("gamma", c(1, 2), 2, 2, key, 0)
  )
  for (arguments in bad) {
    answer <- do.call(.Call, c(list(ffi_noise), arguments))
    expect_s3_class(answer, "dpadmm_status")
    expect_error(core_call(answer), class = "dpadmm_error_argument")
  }
  # noise beyond the doubles is an error, not an infinity
  expect_error(core_call(draw("gaussian", 1e308, 50, 2)), class = "dpadmm_error_finite")
  expect_error(core_call(draw("gamma", 1e-320, 50, 2)), class = "dpadmm_error_finite")
  expect_error(core_call(.Call(ffi_key, 2^53)), class = "dpadmm_error_argument")
  expect_error(core_call(.Call(ffi_key, "1")), class = "dpadmm_error_argument")
})

test_that("statuses become the documented conditions", {
  status <- function(kind) structure(1L, kind = kind, class = "dpadmm_status")
  for (kind in setdiff(names(.core_messages), "interrupt")) {
    expect_error(core_call(status(kind)),
      class = paste0("dpadmm_error_", kind), regexp = .core_messages[[kind]], fixed = TRUE
    )
  }
  ended <- tryCatch(core_call(status("interrupt"), spent = 2), interrupt = identity)
  expect_identical(class(ended), c("dpadmm_error_interrupt", "interrupt", "condition"))
  expect_identical(ended$spent, 2)
  failure <- tryCatch(core_call(status("size"), "Too many.", argument = "x"), error = identity)
  expect_identical(conditionMessage(failure), "Too many.")
  expect_identical(failure$argument, "x")
  expect_identical(core_call(1:3), 1:3)
  expect_silent(core_call(status(NULL)))
  expect_true(ended_early(status("interrupt")))
  expect_true(ended_early(status("size")))
  expect_false(ended_early(status(NULL)))
  expect_false(ended_early("interrupt"))
})

test_that("constructors keep the scale, its shape and the names of parties", {
  expect_identical(unclass(gamma_noise(0.5)), list(mechanism = "gamma", scale = 0.5))
  expect_identical(gaussian_noise(0.5)$mechanism, "gaussian")
  expect_identical(gaussian_noise(2L)$scale, 2)
  expect_identical(gaussian_noise(c(a = 1, b = 2))$scale, c(a = 1, b = 2))
  schedule <- matrix(1:6, 2, dimnames = list(c("a", "b"), NULL))
  expect_identical(gamma_noise(schedule)$scale, schedule + 0)
  expect_null(dimnames(gamma_noise(unname(schedule))$scale))
  expect_s3_class(gamma_noise(1), c("dpadmm_noise_gamma", "dpadmm_noise"), exact = TRUE)
  expect_s3_class(gaussian_noise(1), c("dpadmm_noise_gaussian", "dpadmm_noise"), exact = TRUE)
})

test_that("constructors and seeds refuse what they cannot mean", {
  for (make in list(gamma_noise, gaussian_noise)) {
    for (value in list(0, -1, c(1, 0), "1", NULL, numeric(0), TRUE)) {
      expect_error(make(value), class = "dpadmm_error_argument")
    }
    expect_error(make(NA_real_), class = "dpadmm_error_missing")
    expect_error(make(Inf), class = "dpadmm_error_finite")
    expect_error(make(NaN), class = "dpadmm_error_finite")
    expect_error(make(array(1, c(1, 1, 1))), class = "dpadmm_error_shape")
  }
  for (value in list(-1, 0.5, 2^53, "1", TRUE)) {
    expect_error(noise_key(value), class = "dpadmm_error_argument")
  }
  expect_error(noise_key(1:2), class = "dpadmm_error_shape")
  expect_error(noise_key(NA_real_), class = "dpadmm_error_missing")
  expect_error(noise_key(Inf), class = "dpadmm_error_finite")
})

test_that("noise prints its law, scale and shape", {
  shown <- capture.output({
    print(gamma_noise(0.5))
    print(gaussian_noise(c(0.1, 0.25, 0.1)))
    print(gamma_noise(matrix(c(1, 2), 2, 10)))
  })
  expect_identical(shown, c(
    "<dpadmm_noise: Gamma-norm noise, density ~ exp(-alpha ||b||)>",
    "  alpha = 0.5",
    "<dpadmm_noise: Gaussian noise, N(0, sigma^2) a coordinate>",
    "  sigma = 0.1 to 0.25 (3 nodes)",
    "<dpadmm_noise: Gamma-norm noise, density ~ exp(-alpha ||b||)>",
    "  alpha = 1 to 2 (2 x 10: nodes x noisy updates)"
  ))
})
