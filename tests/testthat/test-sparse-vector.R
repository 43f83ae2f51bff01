# The sparse vector test: its guarantee by brute force on tiny inputs (every outcome of every
# pair of neighbouring query sequences), the compiled test against the exact law, and the
# printed test beyond its claim.

skip_on_cran()

# ---- exact outcome probabilities --------------------------------------------------------

laplace_cdf <- function(x, b) ifelse(x < 0, exp(-abs(x) / b) / 2, 1 - exp(-abs(x) / b) / 2)

# The law of the threshold noise on a grid, for integrals over it.
unit <- seq(-40, 40, by = 0.04)
weight <- exp(-abs(unit)) / sum(exp(-abs(unit)))

#' P(query + noise < threshold + z): matrix, threshold noises x queries.
below <- function(queries, test) {
  z <- test$threshold + test$threshold_scale * unit
  laplace_cdf(outer(z, queries, `-`), test$query_scale)
}

#' All outcomes: sequences of 0 and 1, cut after the last allowed 1 (NA from there).
outcomes <- function(T, most) {
  all <- as.matrix(expand.grid(rep(list(0:1), T)))
  late <- t(apply(all, 1L, cumsum)) - all >= most
  if (T == 1L) late <- t(late)
  all[late] <- NA
  unique(matrix(all, ncol = T))
}

outcome_probability <- function(outcome, queries, test, p = below(queries, test)) {
  factor <- function(t) {
    if (is.na(outcome[t])) return(1)
    if (outcome[t] == 1) 1 - p[, t] else p[, t]
  }
  if (test$printed) {
    prod(vapply(seq_along(queries), function(t) sum(weight * factor(t)), 0))
  } else {
    sum(Reduce(`*`, lapply(seq_along(queries), factor), weight))
  }
}

make_test <- function(epsilon, s, most, ratio, printed, threshold = 0) {
  parameters <- list(eps_ratio = ratio, threshold = threshold, loss_clip = 1)
  sparse_vector_test(parameters, 1L, s, epsilon, most, printed)
}

#' The largest log ratio over all outcomes.
worst_ratio <- function(queries, other, test) {
  all <- outcomes(length(queries), test$max_sends)
  p <- apply(all, 1L, outcome_probability, queries, test)
  q <- apply(all, 1L, outcome_probability, other, test)
  max(abs(log(p / q)))
}

test_that("outcomes are all there and their probabilities sum to one", {
  expect_identical(nrow(outcomes(3, 3)), 8L)
  expect_identical(nrow(outcomes(3, 1)), 4L)
  for (printed in c(FALSE, TRUE)) {
    test <- make_test(1, 2, 2, 3, printed)
    p <- apply(outcomes(4, 2), 1L, outcome_probability, c(-1, 0.5, 0, 1), test)
    expect_equal(sum(p), 1, tolerance = 1e-12)
  }
})

test_that("the sound test keeps its epsilon on every tiny input, and uses most of it", {
  # all pairs of sequences of 4 queries; s = 2, so any two are neighbours
  sequences <- as.matrix(expand.grid(rep(list(c(-1, 0, 1)), 4)))
  used <- 0
  for (most in 1:2) for (ratio in c(0.5, (2 * most)^(2 / 3))) {
    for (epsilon in c(0.3, 2)) for (threshold in c(0, 20)) {
      test <- make_test(epsilon, 2, most, ratio, FALSE, threshold)
      all <- outcomes(4, most)
      each <- below(c(-1, 0, 1), test)
      p <- apply(sequences, 1L, function(queries) {
        apply(all, 1L, outcome_probability, queries, test, each[, queries + 2])
      })
      ratios <- apply(log(p), 1L, function(row) diff(range(row)))
      expect_lte(max(ratios), epsilon * (1 + 1e-3))
      used <- max(used, max(ratios) / epsilon)
    }
  }
  expect_gt(used, 0.65)
})

#' The printed test's worst case among constant sequences: answers that are all negative.
search_printed <- function(epsilon, most, ratio) {
  grid <- expand.grid(T = 2:16, threshold = seq(-4, 4, by = 0.5))
  grid$ratio <- mapply(function(T, threshold) {
    test <- make_test(epsilon, 2, most, ratio, TRUE, threshold)
    T * log(sum(weight * below(-1, test)) / sum(weight * below(1, test)))
  }, grid$T, grid$threshold)
  grid
}

test_that("the printed test exceeds its claim: a search finds where", {
  for (epsilon in c(0.5, 2)) {
    grid <- search_printed(epsilon, 1, 2^(2 / 3))
    worst <- grid[which.max(grid$ratio), ]
    expect_gt(worst$ratio, 2 * epsilon)
    # the whole outcome space agrees with the shortcut of the search
    test <- make_test(epsilon, 2, 1, 2^(2 / 3), TRUE, worst$threshold)
    T <- min(worst$T, 8)
    expect_gte(worst_ratio(rep(-1, T), rep(1, T), test) * (1 + 1e-9), worst$ratio * T / worst$T)
    # at the same length and scales the sound test is within its claim
    sound <- make_test(epsilon, 2, 1, 2^(2 / 3), FALSE, worst$threshold)
    expect_lte(worst_ratio(rep(-1, T), rep(1, T), sound), epsilon * (1 + 1e-6))
  }
})

# ---- the compiled test ------------------------------------------------------------------

ask <- function(test, queries, runs, seed) {
  queries <- matrix(queries, length(queries), runs)
  answers <- core_call(.Call(ffi_sparse_vector, test, queries, noise_key(seed)))
  apply(answers + 0, 2L, paste, collapse = " ")
}

test_that("the compiled test follows the exact law", {
  queries <- c(-1, 0.8, 0.1, -0.3)
  for (printed in c(FALSE, TRUE)) {
    test <- make_test(3, 2, 2, 1.5, printed, threshold = 0.4)
    all <- outcomes(4, 2)
    names <- apply(all, 1L, paste, collapse = " ")
    count <- table(factor(ask(test, queries, 20000, seed = 5), names))
    p <- apply(all, 1L, outcome_probability, queries, test)
    expect_equal(sum(count), 20000)
    expect_gt(suppressWarnings(chisq.test(count, p = p))$p.value, 1e-3)
    # the same counts are no match for the other kind of test
    test$printed <- !printed
    q <- apply(all, 1L, outcome_probability, queries, test)
    expect_lt(suppressWarnings(chisq.test(count, p = q))$p.value, 1e-6)
  }
})

#' Bounds on log(P / Q) from counts, each end wrong with probability 0.0005.
estimated <- function(p, q) {
  ends <- function(count) stats::binom.test(count, 1e5, conf.level = 0.9995)$conf.int
  c(lower = log(ends(p)[1L] / ends(q)[2L]), upper = log(ends(p)[2L] / ends(q)[1L]))
}

test_that("estimated epsilon: below the claim when sound, above it as printed", {
  epsilon <- 2
  T <- 24
  # by when the first positive answer comes; T + 1: never
  first <- function(printed, query, seed) {
    test <- make_test(epsilon, 2, 1, 2^(2 / 3), printed, threshold = 4)
    answers <- core_call(.Call(ffi_sparse_vector, test, matrix(query, T, 1e5), noise_key(seed)))
    tabulate(1L + colSums(!answers, na.rm = TRUE), T + 1)
  }
  a <- first(TRUE, -1, 1)
  b <- first(TRUE, 1, 2)
  expect_gt(estimated(a[T + 1], b[T + 1])[["lower"]], epsilon)
  a <- first(FALSE, -1, 3)
  b <- first(FALSE, 1, 4)
  for (k in seq_len(T + 1)) {
    expect_lt(estimated(a[k], b[k])[["lower"]], epsilon)
    expect_lt(estimated(b[k], a[k])[["lower"]], epsilon)
  }
  expect_lt(estimated(a[T + 1], b[T + 1])[["upper"]], epsilon)
})

test_that("without noise the test compares, and is silent after its last positive answer", {
  test <- make_test(NULL, 2, 2L, 1, FALSE, 0.5)
  ask_once <- function(queries, key = noise_key(1)) {
    core_call(.Call(ffi_sparse_vector, test, matrix(queries), key))
  }
  answers <- ask_once(c(0.4, 0.5, 0.6, 9))
  expect_identical(as.vector(answers), c(FALSE, TRUE, TRUE, NA))
  expect_error(ask_once(NaN), class = "dpadmm_error_finite")
  expect_error(ask_once(0, raw(3)), class = "dpadmm_error_argument")
})

# ---- the query's sensitivity ------------------------------------------------------------

draw_unit <- function(key, n) as.vector(.Call(ffi_noise, "gaussian", 1, as.double(n), 1, key, 0))

test_that("no replaced record moves a query further than its sensitivity", {
  # one node's exact candidate and its query, computed here, for extreme replacements
  B <- 6
  d <- 2
  modulus <- 0.4
  clip <- 0.9
  beta <- 1e-3
  key <- noise_key(9)
  loss <- dpadmm_loss("logistic")
  public <- list(loss = loss, row_bound = 1, size = B, C = 1, per_person = 1)
  s <- query_sensitivity(public, clip, beta, modulus)
  expect_lt(s, 2 * clip)
  x <- matrix(draw_unit(key, B * d), B)
  x <- x / sqrt(rowSums(x^2))
  last <- c(0.5, -1)
  candidate <- function(x, y, b) {
    f <- c(0, 0)
    for (k in 1:50) {
      p <- stats::plogis(-y * as.vector(x %*% f))
      gradient <- colSums(-y * p * x) / B + modulus * f + b
      hessian <- crossprod(x * p * (1 - p), x) / B + modulus * diag(d)
      f <- f - solve(hessian, gradient)
    }
    f
  }
  mean_loss <- function(x, y, f) mean(pmin(log1p(exp(-y * as.vector(x %*% f))), clip))
  query <- function(x, y, b, shift) {
    mean_loss(x, y, last) - mean_loss(x, y, candidate(x, y, b) + shift)
  }
  angles <- seq(0, 2 * pi, length.out = 9)[-9]
  moved <- 0
  for (k in 1:5) {
    b <- draw_unit(noise_key(k), d) / 2
    y <- rep(c(-1, 1), B / 2)
    values <- vapply(angles, function(a) {
      x[1, ] <- c(cos(a), sin(a))
      # inexact solutions anywhere within beta / modulus
      vapply(angles, function(e) query(x, y, b, beta / modulus * c(cos(e), sin(e))), 0)
    }, numeric(8))
    moved <- max(moved, diff(range(values)))
  }
  expect_lte(moved, s)
  expect_gt(moved, s / 20)
})
