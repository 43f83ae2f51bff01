# What a statement says, and the numbers behind it at the ends of the range of settings.

x <- matrix(sin(seq_len(240) * sqrt(2)), 120) / 2
y <- ifelse(x[, 1] > x[, 2], 1, -1)

words <- function(statement) gsub("\\s+", " ", paste(format(statement), collapse = " "))

test_that("delta is in plain decimals, never less than it is", {
  expect_identical(
    vapply(c(1e-7, 1e-5, 0.001, 0.25, 1.23e-4), delta_words, ""),
    c("0.0000001", "0.00001", "0.001", "0.25", "0.000123")
  )
  expect_identical(delta_words(1e-9), "1e-09")
  for (delta in 10^-seq(0.1, 6.9, 0.37)) {
    shown <- as.numeric(delta_words(delta))
    expect_true(shown >= delta && shown <= 1.01 * delta)
  }
})

test_that("a statement says what (epsilon, delta) means, for whom and among which neighbours", {
  fit <- function(method, ...) {
    dpadmm_fit(x, y, method = method, epsilon = 1, delta = 1e-5, iterations = 3, ...)
  }
  means <- "the probability of any event is at most 2.72 times what it would have been then"
  nodes <- words(privacy(fit(admm(1), nodes = 3)))
  expect_match(nodes, paste0(means, ", plus 0.00001."), fixed = TRUE)
  expect_match(nodes, "had any one record been another of the same node:", fixed = TRUE)
  expect_match(nodes, "The number of records of each node is taken to be public.", fixed = TRUE)
  one <- words(privacy(fit(dp_sgd())))
  expect_match(one, "had any one record been another:", fixed = TRUE)
  expect_no_match(one, "is taken to be public")
  hospital <- rep(1:40, 3)
  whole <- words(privacy(suppressMessages(fit(fp_admm(unit = "holder"), nodes = hospital))))
  expect_match(whole, "had any one holder's records been another:", fixed = TRUE)
  expect_match(whole, "The number of records of each holder is taken to be public.", fixed = TRUE)
  record <- words(privacy(fit(fp_admm(), nodes = hospital)))
  expect_match(record, "had any one record been another of the same node:", fixed = TRUE)
  expect_no_match(words(privacy(fit(fp_admm()))), "is taken to be public")
  sums <- words(privacy(fit(dp_sgd(batch = 0.1, neighbours = "add-remove"))))
  expect_match(sums, "had any one record been left out of the sums:", fixed = TRUE)
  pure <- words(privacy(dpadmm_fit(x, y, nodes = 3, epsilon = 1, iterations = 2)))
  expect_match(pure, paste0(means, "."), fixed = TRUE)
})

test_that("that a run is a simulation is said first", {
  seeded <- dpadmm_fit(x, y, nodes = 3, epsilon = 1, iterations = 2, seed = 1)
  expect_match(format(privacy(seeded))[1L], "a simulation, not a private release")
  expect_match(format(privacy(seeded, "paper"))[1L], "a simulation, not a private release")
  run <- fixed_point(function(u) u / 2, 1, noise = gaussian_noise(1), sensitivity = 1,
    delta = 1e-5, iterations = 2, seed = 1)
  expect_match(format(privacy(run))[1L], "a simulation, not a private release")
})

test_that("several leaks are one line", {
  data <- data.frame(a = x[, 1], b = c("u", "v"), y = y)
  fit <- suppressWarnings(dpadmm_fit(y ~ a + b, data, nodes = 3, epsilon = 1, iterations = 2),
    classes = "dpadmm_warning_privacy_leak")
  line <- grep("Not covered", format(privacy(fit)), value = TRUE)
  expect_identical(line, paste(
    "  Not covered: what was read from the records,",
    "the range of `a`, the levels of `b`."
  ))
})

test_that("aggregate noise costs what it does for lambda of any size", {
  moved <- function(lambda) {
    server_releases(list(
      prox_gamma = 1, grad_bound = 1, step_bound = Inf, rounds = 10, late = TRUE, n = 4,
      noise_on = "aggregate", lambda = lambda, most = 1:10
    ))$sensitivity
  }
  # ten steps move z by 2 gamma L / n times 1, 2, ..., 10 times 2 lambda
  for (lambda in c(2e-17, 3e-16, 1e-14, 1e-300)) {
    expect_equal(moved(lambda) / lambda, 1:10, tolerance = 1e-9)
    expect_true(all(moved(lambda) >= lambda * (1:10) * (1 - 20 * lambda)))
  }
  for (lambda in c(1e-3, 0.1, 0.3, 0.499, 0.5)) {
    expect_equal(moved(lambda), 0.5 * (1 - (1 - 2 * lambda)^(1:10)), tolerance = 1e-12)
  }
  expect_identical(moved_share(0.5, 0:2), c(0, 1, 1))
})

test_that("a beta that rounding exceeds is an error before a record is read", {
  plan <- function(..., method = pp_admm, epsilon = 2) {
    dpadmm_plan(2, sizes = rep(40, 3), method = method(...), epsilon = epsilon, delta = 1e-4,
      iterations = 5)
  }
  for (method in list(pp_admm, ipp_admm)) {
    for (beta in c(1e-300, 1e-30, 1e-14)) {
      expect_blame(plan(beta = beta, method = method), "argument", "beta", "out of reach",
        place = "1")
    }
    expect_error(
      dpadmm_fit(x, y, nodes = 3, method = method(beta = 1e-30), epsilon = 2, delta = 1e-4),
      class = "dpadmm_error_argument"
    )
  }
  expect_blame(plan(beta = c(1e-3, 1e-30, 1e-3)), "argument", "beta", place = "2")
  expect_s3_class(plan(beta = 1e-9), "dpadmm_plan")
  # nothing is claimed of a run without noise
  expect_s3_class(plan(beta = 1e-30, epsilon = Inf), "dpadmm_plan")
})
