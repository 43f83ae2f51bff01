# Summaries and figures of experiments.

found <- data.frame(
  method = rep(c("b", "a"), each = 6), eps = rep(c(0.1, 1, 10), 4),
  repetition = rep(rep(1:2, each = 3), 2),
  error = c(1, 2, 3, 2, 4, 6, 5, 5, 5, 7, 7, NA)
)
class(found) <- c("dpadmm_experiment", "data.frame")

test_that("summary() is mean, range and count over repetitions", {
  got <- summary(found, "error")
  expect_identical(names(got), c("method", "eps", "mean", "lowest", "highest", "runs"))
  expect_identical(got$method, rep(c("b", "a"), each = 3))
  expect_equal(got$mean, c(1.5, 3, 4.5, 6, 6, 5))
  expect_equal(got$lowest, c(1, 2, 3, 5, 5, 5))
  expect_equal(got$highest, c(2, 4, 6, 7, 7, 5))
  expect_equal(got$runs, c(2, 2, 2, 2, 2, 1))
  expect_equal(summary(found, "error", by = "method")$runs, c(6, 5))
  expect_error(summary(found, "mistake"), class = "dpadmm_error_argument")
  expect_error(summary(found, "method"), class = "dpadmm_error_argument")
})

test_that("titles of axes are the columns' names, or what they are called", {
  drawn <- function(...) { # all text of a figure
    file <- tempfile(fileext = ".pdf")
    on.exit(unlink(file))
    grDevices::pdf(file, compress = FALSE, useKerning = FALSE)
    plot(found, "eps", "error", group = "method", ...)
    grDevices::dev.off()
    text <- grep(" Tj$", readLines(file, warn = FALSE), value = TRUE)
    sub(".*\\((.*)\\) Tj", "\\1", text)
  }
  expect_identical(intersect(c("eps", "error"), drawn()), c("eps", "error"))
  titled <- drawn(xlab = "budget", ylab = "share of mistakes")
  expect_identical(setdiff(c("budget", "share of mistakes"), titled), character())
  expect_identical(intersect(c("eps", "error"), titled), character())
})

test_that("figures show those, with lines that differ in type and shape", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(found, "eps", "error", group = "method", log = "x"), found)
  expect_identical(plot(found, "method", "error", facet = "eps"), found)
  expect_error(plot(found, "eps", "error"), "`method`", class = "dpadmm_error_argument")
  expect_error(plot(found, "eps", "mistake", "method"), class = "dpadmm_error_argument")
  expect_error(plot(found, "eps", "error", "method", log = "z"), class = "dpadmm_error_argument")
  other <- found
  other$error <- found$error - 1
  expect_error(plot(other, "eps", "error", "method", log = "y"), class = "dpadmm_error_argument")
  other$error <- NA_real_
  expect_error(plot(other, "eps", "error", "method"), class = "dpadmm_error_missing")
  skip_if_not_installed("ggplot2")
  figure <- ggplot2::autoplot(found, "eps", "error", group = "method", log = "x")
  layers <- ggplot2::ggplot_build(figure)$data
  line <- layers[[2]]
  expect_equal(sort(line$y), sort(c(1.5, 3, 4.5, 6, 6, 5)))
  expect_equal(sort(unique(line$x)), c(-1, 0, 1))
  expect_length(unique(line$linetype), 2)
  expect_length(unique(layers[[3]]$shape), 2)
  # the first group is the first in the data, not in the alphabet
  expect_equal(line$y[line$group == 1], c(1.5, 3, 4.5))
  expect_equal(layers[[1]]$ymin, c(1, 2, 3, 5, 5)) # no range of a single run
  grid <- ggplot2::autoplot(found, "repetition", "error", facet = c("method", "eps"))
  expect_equal(nrow(ggplot2::ggplot_build(grid)$layout$layout), 6)
})

# Only some groups were repeated.
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
