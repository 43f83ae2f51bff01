# What a plan says to expect, and the warning of a fit that is likely to be noise.

x <- matrix(sin(seq_len(300) * sqrt(2)), 100) / 2
y <- ifelse(x[, 1] > 0, 1, -1)

test_that("a fit in \"mostly noise\" warns before it runs, and only then", {
  warned <- expect_warning(
    fit <- dpadmm::dpadmm_fit(x, y, nodes = 4, epsilon = 0.1, delta = 1e-5),
    class = "dpadmm_warning_utility"
  )
  expect_identical(warned$verdict, "mostly noise")
  expect_lt(warned$ratio, 1.2)
  expect_match(conditionMessage(warned), "times the budget")
  expect_identical(fit$plan$expected$verdict, "mostly noise")
  plan <- dpadmm_plan(3, c(50, 50), epsilon = 0.1)
  expect_warning(dpadmm::dpadmm_fit(plan, x, y), class = "dpadmm_warning_utility")
  expect_no_warning(dpadmm_plan(3, c(50, 50), epsilon = 0.1)) # a plan only says so
  expect_no_warning(dpadmm::dpadmm_fit(x, y, nodes = 4, epsilon = 100, delta = 1e-3))
  expect_no_warning(dpadmm::dpadmm_fit(x, y, nodes = 4, epsilon = Inf))
})

test_that("plans and fits print what to expect", {
  plan <- dpadmm_plan(3, c(50, 50), epsilon = 0.1)
  fit <- dpadmm_fit(plan, x, y)
  for (shown in list(plan, summary(plan), fit, summary(fit))) {
    expect_output(print(shown), "What to expect: Noise moves each coefficient")
    expect_output(print(shown), "mostly noise")
  }
  skip_if_not_installed("generics")
  expect_identical(generics::glance(fit)$expected, "mostly noise")
  open <- dpadmm_fit(x, y, nodes = 4, epsilon = Inf)
  expect_no_match(capture.output(print(open)), "What to expect")
})

test_that("every private plan has a finite forecast, better with less noise", {
  for (make in all_methods()) {
    share <- vapply(c(0.5, 2, 8), function(epsilon) {
      expected <- small_plan(make(), epsilon = epsilon)$expected
      expect_true(is.finite(expected$signal) && expected$signal > 0)
      expect_lte(expected$noise, expected$most)
      expected$noise / expected$signal
    }, 0)
    expect_true(all(diff(share) < 0))
  }
})

test_that("a loss without a slope of its own is forecast by the clip", {
  methods <- list(
    fp_admm(clip = 0.1), fp_admm(clip = 0.1, setting = "federated", sample = 5),
    fp_admm(clip = 0.1, clip_on = "step"), fp_admm(clip = 0.1, setting = "decentralized"),
    dp_sgd(clip = 0.1), dp_cd(clip = 0.1), grad_admm(clip = 0.1), acc_admm(clip = 0.1)
  )
  for (method in methods) {
    ratio <- vapply(c(1, 4), function(epsilon) {
      small_plan(method, loss = "squared", epsilon = epsilon)$expected$ratio
    }, 0)
    expect_true(all(is.finite(ratio)) && ratio[1] > 0 && ratio[1] < ratio[2])
  }
  # with one record each, clipping the step by gamma c is clipping the gradient by c
  signal <- function(...) {
    small_plan(fp_admm(gamma = 5, noise = "block", ...), loss = "squared")$expected$signal
  }
  expect_equal(signal(clip = 0.5, clip_on = "step"), signal(clip = 0.1))
})
