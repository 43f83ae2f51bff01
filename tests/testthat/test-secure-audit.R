# Audits of secure sums: what a hub opens, with what some holders tell it.

skip_on_cran()

pair_of <- function(nodes = 3) {
  worst_case_neighbours("labels", n = 3 * nodes, nodes = nodes, numeric = TRUE)
}
opened_by <- function(method, honest, ...) {
  fit_release(method, "huber", iterations = 3, delta = 0.01, epsilon = 4,
    aggregation = secure_sum(honest, failures = 0), ...)
}
settled <- function(release) environment(release)$plan

test_that("a release of secure sums is the models and, of each sum, what colluders leave", {
  data <- pair_of(5)$data1
  for (method in list(dp_sgd(), acc_admm(), fp_admm(gamma = 1))) {
    all <- list(NULL, 2, c(4, 1), character(), "3")
    for (colluding in if (method$name == "dp_sgd") all else all[3]) {
      release <- opened_by(method, 3, colluding = colluding)
      seen <- release(data, seed = 7)
      plan <- settled(release)
      made <- sum_parts(plan, 7, list(x = data$x, y = data$y, holder = data$nodes), d = 1)
      heard <- setdiff(1:5, if (is.null(colluding)) 4:5 else as.numeric(colluding))
      sums <- colSums(matrix(made$parts[, heard, ], length(heard))) * plan$secure$grid
      expect_identical(tail(seen, length(sums)), sums)
      expect_length(sums, if (method$name == "fp_admm") length(plan$rule) else 3L)
      fit <- suppressWarnings(dpadmm_fit(data$x, data$y, nodes = data$nodes, method = method,
        loss = "huber", iterations = 3, delta = 0.01, epsilon = 4, seed = 7,
        aggregation = secure_sum(3, failures = 0), rows = "shorten", intercept = FALSE,
        control = dpadmm_control(keep_iterates = TRUE, progress = FALSE)))
      expect_identical(head(seen, length(fit$iterates)), as.vector(fit$iterates))
      expect_length(seen, length(fit$iterates) + length(sums))
    }
  }
})

test_that("an audit against all but the honest is below the claim, and catches small parts", {
  pair <- pair_of()
  seen <- function(release) {
    audit(release, pair$data1, pair$data2, runs = 1000, delta = 0.01, bound = "gaussian",
      confidence = 0.999, seed = 1, progress = FALSE)
  }
  release <- opened_by(dp_sgd(), 2)
  honest <- seen(release)
  expect_equal(honest$claimed, 4, tolerance = 1e-6)
  expect_false(honest$exceeds)
  expect_gt(honest$epsilon, 2)
  plan <- settled(release)
  plan$secure$steps <- plan$secure$steps / 2
  assign("plan", plan, envir = environment(release))
  expect_true(seen(release)$exceeds)
})

test_that("who cannot collude is refused by field", {
  pair <- pair_of()
  refused <- function(colluding, ...) {
    expect_blame(opened_by(dp_sgd(), 2, colluding = colluding)(pair$data1), "argument", "colluding")
  }
  for (bad in list(2:3, 4, 0, "x", NA, c(1, 1), 1.5, TRUE, list(1))) refused(bad)
  plain <- fit_release(dp_sgd(), "huber", iterations = 1, epsilon = 1, delta = 1e-5, colluding = 1)
  expect_blame(plain(pair$data1), "argument", "colluding")
  expect_blames(fit_release(mr_admm(), epsilon = 1, delta = 1e-5, aggregation = "secure")(
    pair$data1), "aggregation")
  expect_blames(low_bits_attack(opened_by(dp_sgd(), 2), pair$data1, pair$data2, runs = 4),
    "release")
})
