# The printed bounds on amplification by iteration.

bound <- function(s, ..., order = 3) rdp_amplification_iteration(order, s = s, sigma = 1, ...)

test_that("one early shift is spread over all later iterations", {
  orders <- c(1.5, 2, 10)
  for (k in c(1, 2, 7)) {
    expect_equal(
      rdp_amplification_iteration(orders, c(3, numeric(k - 1)), sigma = 2), orders * 9 / (8 * k)
    )
  }
  # a late one is not, and equal ones are as they come
  expect_equal(bound(c(0, 0, 3), order = 2), 9)
  expect_equal(bound(c(1, 1, 1), order = 2), 3)
})

test_that("the moves chosen are allowed, and no allowed moves are better", {
  set.seed(61)
  for (i in 1:20) {
    n <- sample(2:8, 1)
    s <- c(rexp(n) * rbinom(n, 1, 0.6), 0.1)
    shift <- even_shifts(s)
    expect_true(all(cumsum(shift) <= cumsum(s) + 1e-12))
    expect_equal(sum(shift), sum(s))
    best <- bound(s)
    expect_equal(bound(s, shift = shift), best)
    for (j in 1:20) {
      # moves postponed at random: any such are allowed
      late <- s
      for (k in seq_len(n)) {
        part <- runif(1) * late[k]
        late[k] <- late[k] - part
        late[k + 1] <- late[k + 1] + part
      }
      expect_gte(bound(s, shift = late), best * (1 - 1e-12))
    }
  }
})

test_that("the exact divergence of contractions stays below the bound", {
  # u <- c u + noise, c <= 1, shifted at the first step: the mean moves by c^(k - 1) s, the
  # variance is the sum of c^(2 j)
  for (c in c(1, 0.9, 0.3)) for (k in c(1, 3, 10)) {
    exact <- 2 * (c^(k - 1) * 2)^2 / (2 * sum(c^(2 * (0:(k - 1)))))
    expect_lte(exact, bound(c(2, numeric(k - 1)), order = 2) * (1 + 1e-12))
  }
})

test_that("the network bound is Theorem 4 and keeps its condition", {
  at <- function(orders) {
    rdp_network_walk(orders, n = 100, contributions = 10, lipschitz = 1, gamma = 0.1, sigma = 2)
  }
  expect_equal(at(c(1.5, 2)), 8 * c(1.5, 2) * 10 * 0.01 * log(100) / (4 * 100))
  expect_identical(expect_error(at(c(2, 50)), class = "dpadmm_error_theorem")$value, 50)
})

test_that("bad arguments are named", {
  blames <- function(code, argument) {
    expect_identical(expect_error(code, class = "dpadmm_error")$argument, argument)
  }
  blames(rdp_amplification_iteration(1, 1, 1), "orders")
  blames(rdp_amplification_iteration(2, -1, 1), "s")
  blames(rdp_amplification_iteration(2, c(1, 1), 0), "sigma")
  blames(bound(c(0, 1), shift = c(1, 0)), "shift")
  blames(bound(c(1, 1), shift = c(1, 0.5)), "shift")
  blames(rdp_network_walk(2, 1, 1, 1, 1, 10), "n")
  blames(rdp_network_walk(2, 2, 1, 0, 1, 10), "lipschitz")
})
