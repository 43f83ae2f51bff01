# A process that was forked has none of the threads that OpenMP had started in R's.

skip_on_cran()
skip_on_os("windows") # no fork

test_that("a fit of two threads ends in a process that was forked after such a fit", {
  fits <- in_child(seconds = 60, {
    n <- 4000
    x <- matrix(sin(seq_len(10 * n)), n) / 4
    y <- ifelse(cos(seq_len(n)) > 0, 1, -1)
    fit <- function() {
      coef(quiet_fit(x, y, nodes = 4, epsilon = 5, delta = 1e-5, iterations = 2, seed = 1,
        control = dpadmm::dpadmm_control(threads = 2)))
    }
    here <- fit()
    list(here = here, there = parallel::mccollect(parallel::mcparallel(fit()))[[1L]])
  })
  expect_identical(fits$there, fits$here)
})
