# The best of a random number of trials (Theorem 21), against output laws that are summed here.

skip_on_cran()

inside <- asNamespace("dpadmm")
# the slope and the sum of the law's generating function, from its definition
law <- function(shape, stop, most = 20000) {
  k <- seq_len(most)
  weight <- if (shape == 0) -log(k) else lgamma(k + shape) - lgamma(k + 1) - lgamma(1 + shape)
  weight <- exp(weight + k * log1p(-stop))
  weight / sum(weight)
}
# the output of the best of K draws from p, whose entries are in the order of their scores
best <- function(p, number) {
  below <- c(0, cumsum(p))
  below[length(below)] <- 1
  k <- seq_along(number)
  diff(vapply(below, function(x) sum(number * x^k), 0))
}
renyi <- function(p, q, a) log(sum(p^a * q^(1 - a))) / (a - 1)
both <- function(p, q) function(s) {
  log_p <- log(p)
  log_q <- log(q)
  a <- 1 + s
  there <- exp(outer(log_p, a) + outer(log_q, 1 - a))
  back <- exp(outer(log_q, a) + outer(log_p, 1 - a))
  log(pmax(colSums(there), colSums(back))) / s
}
# the theorem's bound at several orders, each part of which may be left out
bound <- function(a, curve, shape, stop, eta = 1 + shape, mean = TRUE, down = log(1 / stop)) {
  b <- 1 + 10^seq(-5, 3, length.out = 1001)
  r <- curve(b - 1)
  hat <- min(down, ((1 - 1 / b) * r + down / b)[is.finite(r)])
  number <- law(shape, stop)
  curve(a - 1) + eta * hat + if (mean) log(sum(seq_along(number) * number)) / (a - 1) else 0
}

test_that("no output law of a small mechanism is beyond the bound, which is the theorem's", {
  set.seed(20)
  a <- c(1.3, 2, 5, 20)
  for (shape in c(-0.5, 0, 0.4, 1)) for (stop in c(0.01, 0.05, 0.3)) {
    number <- law(shape, stop, 4000)
    for (i in 1:8) {
      p <- rexp(4)^sample(4, 1)
      q <- rexp(4)^sample(4, 1)
      p <- (p / sum(p) + 1e-6) / (1 + 4e-6)
      q <- (q / sum(q) + 1e-6) / (1 + 4e-6)
      got <- inside$best_of_curve(a - 1, both(p, q), shape, stop)
      out <- list(best(p, number), best(q, number))
      expect_all(got >= vapply(a, renyi, 0, p = out[[1]], q = out[[2]]), "beyond the bound")
      # never above the theorem at this order, nor below it at all orders from here on
      expect_all(got <= bound(a, both(p, q), shape, stop) * (1 + 1e-6), "above the theorem")
      later <- bound(10^seq(0.05, 2.5, length.out = 200), both(p, q), shape, stop)
      expect_all(got >= min(later[is.finite(later)]) * 0.98, "below the theorem")
    }
  }
})

test_that("every part of the bound is needed", {
  beyond <- function(p, q, shape, stop, a, ...) {
    number <- law(shape, stop)
    exact <- renyi(best(p, number), best(q, number), a)
    expect_lte(exact, inside$best_of_curve(a - 1, both(p, q), shape, stop))
    exact - bound(a, both(p, q), shape, stop, ...)
  }
  pair <- list(c(0.96, 0.04), c(1e-6, 1 - 1e-6))
  expect_gt(beyond(pair[[1]], pair[[2]], -0.4, 0.005, 10, eta = -0.4), 0.5)
  expect_gt(beyond(pair[[1]], pair[[2]], 1, 0.005, 10, down = 0), 0.5)
  # what differs is at the top, where the slope is the mean number of trials
  top <- list(c(1 - 1e-4, 1e-4), c(1 - 1e-9, 1e-9))
  expect_gt(beyond(top[[1]], top[[2]], -0.5, 0.001, 2, mean = FALSE), 0.1)
})

test_that("a pure loss costs 2 + shape times as much, and no less", {
  # a rare best, and just below it what the other data set hardly has
  for (shape in c(-0.5, 0, 1)) {
    e <- 0.5
    rare <- 1e-3
    p <- c(0, exp(e) * 1e-5, rare)
    q <- c(0, 1e-5, exp(e) * rare)
    p[1] <- 1 - sum(p)
    q[1] <- 1 - sum(q)
    stop <- 2e-4
    k <- seq_len(2e5)
    weight <- if (shape == 0) -log(k) else lgamma(k + shape) - lgamma(k + 1)
    number <- exp(weight + k * log1p(-stop))
    number <- number / sum(number)
    worst <- max(abs(log(best(p, number) / best(q, number))))
    got <- dp_event_best_of(list(dp_event_pure(e)), inside$trials_mean(shape, stop), shape)
    expect_lte(worst, account(got)$epsilon)
    expect_gt(worst, 0.85 * account(got)$epsilon)
    expect_rel(account(got)$epsilon, (2 + shape) * e, 1e-6)
  }
  # with a delta it is never more
  some <- dp_event_best_of(list(dp_event_pure(0.3), dp_event_laplace(5, 1)), 8)
  expect_lte(account(some, 1e-9)$epsilon, account(some)$epsilon)
})

test_that("the number of trials has its law", {
  for (shape in c(-0.5, 0, 0.6, 1)) {
    stop <- inside$trials_stop(7, shape)
    number <- law(shape, stop)
    hazard <- inside$trials_hazard(shape, stop)
    k <- seq_len(60)
    expect_equal(sum(seq_along(number) * number), 7, tolerance = 1e-9)
    expect_rel(hazard[k], number[k] / rev(cumsum(rev(number)))[k], 1e-10)
    x <- c(0.2, 0.9, 1)
    expect_equal(inside$trials_generating(x, shape, stop),
      vapply(x, function(x) sum(number * x^seq_along(number)), 0), tolerance = 1e-10
    )
    key <- inside$noise_key(5)
    drawn <- vapply(1:1000, function(i) {
      inside$draw_trials(shape, stop, key, 1000 * i)
    }, 0)
    cells <- c(1:6, 10, 20)
    seen <- tabulate(findInterval(drawn, cells), length(cells))
    share <- diff(c(cumsum(number)[cells] - number[cells], 1))
    expect_gt(chisq.test(seen, p = share)$p.value, 1e-4)
    # what is drawn is within the slack that is charged for it
    expect_lt(inside$trials_slack(shape, stop), 1e-8)
  }
  words <- vapply(1:500, function(i) inside$random_word(inside$noise_key(1), i), 0)
  expect_true(all(words >= 0 & words < 2^53 & words == floor(words)))
  expect_gt(ks.test(words / 2^53, "punif")$p.value, 1e-4)
  expect_identical(anyDuplicated(words), 0L)
})

test_that("the event composes, party by party, and its candidates survive as text", {
  tables <- list(
    c(dp_event_gaussian(7 / 3, 1, count = 4), dp_event_pure(0.01)),
    c(dp_event_objective_gaussian(9, 1, 0.1, 2, logistic_curvature = TRUE),
      dp_event_subsampled_gaussian(6, 1, q = 0.1, count = 20, dim = 11))
  )
  event <- dp_event_best_of(tables, 6)
  back <- inside$candidate_tables(event$candidates)
  for (k in 1:2) {
    expect_identical(account(back[[k]], 1e-6)$epsilon, account(tables[[k]], 1e-6)$epsilon)
  }
  # noise on samples pays for its grid in as many trials as there may be
  expect_identical(event$dim, 20 * 11 * inside$trials_most(event$stop))
  # the worst candidate counts, at each order
  single <- vapply(tables, function(e) account(dp_event_best_of(e, 6), 1e-6)$epsilon, 0)
  expect_gte(account(event, 1e-6)$epsilon, max(single))
  expect_lte(account(event, 1e-6)$epsilon, sum(single))
  # with other releases: one curve
  more <- dp_event_gaussian(3, 1)
  s <- 2:60 - 1
  total <- inside$rdp_total(event, 1)(s) + inside$rdp_total(more, 1)(s)
  expect_lte(account(c(event, more), 1e-6, "rdp")$epsilon,
    rdp_to_epsilon(s + 1, total, 1e-6) * (1 + 1e-6))
  here <- event
  here$node <- 1L
  there <- dp_event_best_of(tables[1], 6, node = 2)
  expect_equal(account(c(here, there), 1e-6)$per_node$epsilon,
    c(account(event, 1e-6)$epsilon, single[1]), tolerance = 1e-6
  )
  expect_output(print(event), "2 tables")
  skip_if_not_installed("jsonlite")
  stored <- inside$events_from_json(inside$events_to_json(c(event, more)))
  expect_identical(account(stored, 1e-6)$epsilon, account(c(event, more), 1e-6)$epsilon)
  budget <- inside$new_budget(3, 1e-6)
  expect_gt(inside$charge_cost(event, budget), inside$charge_cost(tables[[1]], budget))
})

test_that("bad candidates are refused", {
  good <- dp_event_pure(0.1)
  expect_blames(dp_event_best_of(3, 5), "candidates")
  expect_blames(dp_event_best_of(list(), 5), "candidates")
  expect_blames(dp_event_best_of(list(good, 1), 5), "candidates")
  expect_blames(dp_event_best_of(dp_event_pure(0.1, node = 1), 5), "candidates")
  expect_blames(dp_event_best_of(good, 1.5), "trials")
  expect_blames(dp_event_best_of(good, 1e9), "trials")
  expect_blames(dp_event_best_of(good, 5, shape = -0.9), "shape")
  expect_error(dp_event_best_of(dp_event_exact(), 5), class = "dpadmm_error_accountant")
  nested <- dp_event_best_of(good, 5)
  expect_error(dp_event_best_of(nested, 5), class = "dpadmm_error_accountant")
  unlike <- list(good, dp_event_pure(0.1, neighbours = "add-remove"))
  expect_error(dp_event_best_of(unlike, 5), class = "dpadmm_error_accountant")
})

test_that("dozens of parties are asked at no orders of choices where none is left to look at", {
  one <- dp_event_gaussian(10, 1)
  own <- function(i) {
    c(dp_event_objective_gamma(0.1 * 1.01^i, 1, curvature = 0.25, modulus = 50 + i, dim = 10,
      logistic_curvature = TRUE, node = i), dp_event_best_of(list(one), trials = 10, node = i))
  }
  spent <- function(count) {
    account(do.call(c, lapply(seq_len(count), own)), 1e-5, "rdp")$per_node$epsilon
  }
  # of more than 32 orders are walked to
  expect_rel(spent(40)[1:4], spent(4), 1e-6)
})
