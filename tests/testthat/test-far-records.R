# Records from 1e-310 to the largest double: whether a private fit ends well is settled by public
# numbers, so no record may decide it; and what is said of a fit is finite.

skip_on_cran()

far_row <- function(row, d = 3) {
  x <- matrix(sin(seq_len(24 * d)), 24) / 3
  x[1L, ] <- row
  x
}
labels <- rep_len(c(-1, 1), 24)
largest <- .Machine$double.xmax
rows <- list(
  huge = c(1e300, -1e300, 1e300), largest = c(largest, -largest, largest),
  unlike = c(1e300, 1, -1e-300), tiny = c(1e-310, 0, -1e-310)
)

for (name in names(all_methods())) {
  test_that(paste0(name, "(): one far record changes neither whether a fit ends nor its range"), {
    for (row in rows) for (sparse in c(FALSE, TRUE)) {
      x <- far_row(row)
      if (sparse) x <- methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")
      model <- dpadmm_fit(x, labels, nodes = rep_len(1:3, 24), method = name, epsilon = 1,
        delta = 1e-5, iterations = 3, seed = 1, intercept = sparse)
      expect_true(all(is.finite(model$coefficients)))
      expect_true(all(is.finite(unlist(model$trace))))
      expect_true(all(is.finite(predict(model, x, type = "link"))))
    }
  })
}

test_that("a far row counts as the row of its direction that is as long as the bound", {
  direction <- c(3, -4, 0) / 5
  fits <- lapply(list(direction, 1e200 * direction, 1e300 * direction), function(row) {
    dpadmm_fit(far_row(row), labels, nodes = rep_len(1:3, 24), epsilon = Inf, iterations = 5)
  })
  for (fit in fits[-1L]) expect_equal(fit$coefficients, fits[[1L]]$coefficients, tolerance = 1e-9)
  # others stay as they are
  tamed <- dpadmm:::tame_rows(far_row(1e300 * direction), 2)
  expect_identical(tamed[-1L, ], far_row(0)[-1L, ])
  expect_equal(tamed[1L, ], 2 * direction / 0.8)
  expect_identical(dpadmm:::tame_rows(far_row(1e99 * direction), 2), far_row(1e99 * direction))
})

test_that("predictions beyond the range of doubles are its ends, never NaN", {
  x <- far_row(direction <- c(1, 1, 1) / 2)
  model <- dpadmm_fit(x, labels, nodes = rep_len(1:3, 24), epsilon = Inf, iterations = 5,
    rows = "error")
  model$coefficients[] <- rep(c(1e200, 1e200, -1e200), each = 3)
  far <- rbind(c(1e200, 1e200, 1e200), c(1e200, -1e200, 1e200), c(0, 0, 0))
  expect_identical(predict(model, far, type = "link"), c(largest, -largest, 0))
})

test_that("the trace of a far model is finite", {
  y <- labels * 1e200
  model <- dpadmm_fit(far_row(1:3 / 5), y, nodes = rep_len(1:3, 24), loss = "squared",
    epsilon = Inf, iterations = 3, rho = 1e-100)
  expect_gt(max(abs(model$coefficients)), 1e155)
  expect_true(all(is.finite(unlist(model$trace))))
})

test_that("a run that has no statement is an error before it", {
  plan <- function(...) dpadmm_plan(3, c(30, 40), ..., iterations = 2)
  expect_error(plan(method = pp_admm(), noise = gamma_noise(0.1), delta = 1e-5,
    control = dpadmm_control(accountant = "paper")), class = "dpadmm_error_accountant")
  # an epsilon beyond the range of numbers
  expect_error(dpadmm_plan(3, 100, method = fp_admm(), noise = gaussian_noise(1e-49), delta = 1e-5,
    iterations = 3, control = dpadmm_control(row_bound = 1e49)), class = "dpadmm_error_accountant")
})

test_that("sizes that leave the range of numbers are the fault of an argument", {
  wide <- dpadmm_control(row_bound = 1e37)
  expect_blame(dpadmm_plan(3, c(30, 40), epsilon = Inf, iterations = 2, rho = 1e-294,
    control = wide), "argument", "rho")
  narrow <- dpadmm_control(row_bound = 1.14e-40)
  expect_blame(dpadmm_plan(2, rep(1, 200), noise = gamma_noise(45.3), delta = 1e-175,
    network = "star", rho = 3.45, iterations = 3, control = narrow), "argument", "row_bound")
})
