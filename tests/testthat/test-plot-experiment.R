# Legends of experiments in which only some groups were repeated.

test_that("lines, shapes and colours name the groups in one order", {
  skip_if_not_installed("ggplot2")
  once <- data.frame(
    epsilon = 1:3, method = rep(c("ADMM", "AccADMM"), each = 3), repetition = 1, gap = 1:6
  )
  often <- data.frame(
    epsilon = 1:3, method = rep(c("DP-ADMM", "DP-AccADMM"), each = 6),
    repetition = rep(1:2, each = 3), gap = 1:12
  )
  found <- structure(rbind(once, often), class = c("dpadmm_experiment", "data.frame"))
  found$method <- factor(found$method, c("ADMM", "AccADMM", "DP-ADMM", "DP-AccADMM"))
  figure <- ggplot2::ggplot_build(ggplot2::autoplot(found, "epsilon", "gap", group = "method"))
  scales <- figure$plot$scales
  for (name in c("linetype", "shape", "colour")) {
    expect_identical(scales$get_scales(name)$get_limits(), levels(found$method))
  }
})
