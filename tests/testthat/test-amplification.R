test_that("one reading step followed by quiet ones is divided by their number", {
  expect_equal(rdp_amplification_iteration(3, c(2, rep(0, 7)), 1.5), 3 * 4 / (2 * 1.5^2 * 8))
  expect_equal(rdp_amplification_iteration(3, c(0, 0, 2), 1), 3 * 4 / 2) # the last one is seen at once
  expect_equal(rdp_amplification_iteration(c(2, 4), rep(0, 3), 1), c(0, 0))
})

test_that("it is exact for translations, whose final states are Gaussian", {
  # T_k(z) = z + c_k: the final mean moves by sum(s), its variance is K sigma^2
  s <- c(0.7, 0, 0, 0)
  expect_equal(rdp_amplification_iteration(5, s, 0.9), 5 * sum(s)^2 / (2 * 4 * 0.9^2))
})

test_that("the default choice is the best one", {
  set.seed(8)
  for (k in 1:20) {
    s <- rexp(6) * rbinom(6, 1, 0.6)
    best <- rdp_amplification_iteration(2, s, 1)
    # random feasible shifts: never ahead of s, all of it by the end
    for (trial in 1:50) {
      owed <- 0
      shift <- numeric(6)
      for (i in 1:6) {
        owed <- owed + s[i]
        shift[i] <- if (i == 6) owed else owed * runif(1)
        owed <- owed - shift[i]
      }
      expect_gte(rdp_amplification_iteration(2, s, 1, shift = shift), best * (1 - 1e-12))
    }
  }
})

test_that("the printed network bound by hand, and its condition", {
  expect_equal(
    rdp_network_walk(2, n = 100, contributions = 5, lipschitz = 1.5, gamma = 0.1, sigma = 4),
    8 * 2 * 5 * 1.5^2 * 0.01 * log(100) / (16 * 100)
  )
  expect_error(rdp_network_walk(c(2, 40), 10, 1, 1, 0.1, sigma = 4), class = "dpadmm_error_theorem")
})

test_that("bad input is a classed error", {
  expect_error(rdp_amplification_iteration(2, c(1, 0), 1, shift = c(0, 2)), class = "dpadmm_error_argument")
  expect_error(rdp_amplification_iteration(2, c(0, 1), 1, shift = c(1, 0)), class = "dpadmm_error_argument")
  expect_error(rdp_amplification_iteration(1, 1, 1), class = "dpadmm_error_argument")
  expect_error(rdp_amplification_iteration(2, -1, 1), class = "dpadmm_error_argument")
  expect_error(rdp_network_walk(2, 1, 1, 1, 1, 10), class = "dpadmm_error_argument")
})
