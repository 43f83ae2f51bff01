# What several fits cost together, party by party.

# Noise on the output is Gaussian, so that the truth is one Gaussian release of both.
hospitals <- function(sizes, epsilon, ..., delta = 1e-5) {
  dpadmm_plan(2, sizes = sizes, epsilon = epsilon, delta = delta, method = admm(1, "primal"),
    iterations = 3, ...)
}

both <- function(first, second, delta = 1e-5) {
  mu <- 1 / gaussian_sigma(c(first, second), delta, 1)
  gaussian_epsilon(1 / sqrt(sum(mu^2)), delta, 1)
}

by_name <- function(guarantee) {
  stats::setNames(guarantee$per_node$epsilon, guarantee$per_node$node)
}

test_that("parties are told apart by their names and not by their place", {
  first <- hospitals(c(A = 90, B = 90, C = 90, D = 90), c(0.2, 3, 0.2, 0.2))
  second <- hospitals(c(C = 90, B = 90), c(C = 0.2, B = 3))
  wanted <- c(A = 0.2, B = both(3, 3), C = both(0.2, 0.2), D = 0.2)
  expect_equal(by_name(account(list(first, second), 1e-5)), wanted, tolerance = 1e-6)
  expect_equal(by_name(account(c(first$events, second$events), 1e-5)), wanted, tolerance = 1e-6)
  expect_equal(by_name(account(rbind(second$events, first$events), 1e-5))[names(wanted)], wanted,
    tolerance = 1e-6)
  statement <- privacy(list(first, second))
  expect_equal(by_name(statement), wanted, tolerance = 1e-6)
  expect_identical(statement$delta, 1e-5)
  expect_equal(by_name(account(list(first, second), 1e-5, records = "disjoint")),
    c(A = 0.2, B = 3, C = 0.2, D = 0.2), tolerance = 1e-6)
})

test_that("the figures of four hospitals and of two are right", {
  plan <- function(sizes, epsilon) dpadmm_plan(3, sizes = sizes, epsilon = epsilon, delta = 1e-5)
  four <- plan(c(A = 100, B = 100, C = 100, D = 100), c(0.2, 3, 0.2, 0.2))
  two <- plan(c(B = 100, C = 100), c(3, 0.2))
  expect_equal(account(list(four, two), 1e-5)$epsilon, 4.44, tolerance = 2e-3)
  levels <- plan(c(A = 100, B = 100), c(4, 0.1))
  turned <- plan(c(B = 100, A = 100), c(0.1, 4))
  expect_equal(account(list(levels, turned), 1e-5)$epsilon, 5.96, tolerance = 2e-3)
  open <- plan(c(A = 100, B = 100), Inf)
  expect_identical(account(c(levels$events, open$events), 1e-5)$epsilon, Inf)
  expect_identical(privacy(list(levels, open))$epsilon, Inf)
})

test_that("a record may move between parties that are not known to be the same", {
  plan <- function(sizes, epsilon) dpadmm_plan(3, sizes = sizes, epsilon = epsilon, delta = 1e-5)
  joint <- function(...) account(list(...), 1e-5)$epsilon
  first <- plan(c(A = 1000, B = 1000), c(A = 5, B = 0.1))
  other <- plan(c(C = 1000, D = 1000), c(C = 5, D = 0.1))
  all <- joint(first, other)
  expect_gt(all, 7)
  # another run never makes it less
  expect_gte(joint(first, other, plan(c(A = 1000, C = 1000), 0.01)), all)
  # somebody who was at A and is at C now
  expect_gt(joint(first, plan(c(B = 1000, C = 1000), c(B = 0.1, C = 5))), 7)
  # one name, and other numbers of records: other records
  numbered <- plan(c("1" = 311, "2" = 157, "3" = 132), c(2, 0.1, 0.1))
  again <- plan(c("1" = 114, "2" = 174, "3" = 312), c(0.1, 0.1, 2))
  expect_gt(joint(numbered, again), 2.9)
  expect_lt(joint(numbered, plan(c("1" = 311, "2" = 157, "3" = 132), c(0.1, 0.1, 2))), 2.1)
})

test_that("a run without noise is an event of infinite cost, for its parties", {
  open <- hospitals(c(B = 90, C = 90), Inf)
  expect_s3_class(open$events, "dp_events")
  expect_identical(by_name(account(open)), c(B = Inf, C = Inf))
  noisy <- hospitals(c(A = 90, B = 90, C = 90, D = 90), c(0.5, 1, 1, 2))
  together <- list(noisy, open)
  expect_equal(by_name(account(together, 1e-5)), c(A = 0.5, B = Inf, C = Inf, D = 2),
    tolerance = 1e-6)
  expect_output(print(account(together, 1e-5)), "released without noise")
  text <- paste(format(privacy(together)), collapse = " ")
  expect_match(text, "none. Something was released without noise")
  expect_match(text, "\"B\" and \"C\"")
  expect_match(text, "Other parties: from 0.5 to 2 (node \"D\")", fixed = TRUE)
  expect_identical(account(list(noisy, open), 1e-5, records = "disjoint")$epsilon, Inf)
  # whatever the neighbours of the others, there is no guarantee
  expect_identical(account(c(dp_event_pure(1, "add-remove"), dp_event_exact()))$epsilon, Inf)
  # no noise elsewhere buys it down
  exact <- function(sigma) c(dp_event_gaussian(sigma, 1), dp_event_exact())
  error <- expect_error(calibrate(exact, 1, 1e-5), class = "dpadmm_error_budget")
  expect_identical(error$floor, Inf)
  # what happens to be too large is still an error
  expect_error(account(dp_event_gaussian(1e-200, 1), 1e-5), class = "dpadmm_error_accountant")
  for (method in list(dp_sgd(), fp_admm(), grad_admm())) {
    plan <- dpadmm_plan(2, sizes = 50, method = method, epsilon = Inf, iterations = 3)
    expect_identical(account(plan)$epsilon, Inf)
    expect_output(print(plan), "Privacy: none")
    expect_identical(privacy(plan, iterations = TRUE)$epsilon, rep(Inf, 3))
  }
})

test_that("fits know their parties too, and a run of which nothing is known is an error", {
  x <- matrix(sin(seq_len(160) * sqrt(2)), 80) / 2
  fit <- function(nodes, epsilon) {
    dpadmm_fit(x, rep(c(-1, 1), 40), nodes = nodes, method = admm(1, "primal"), iterations = 2,
      epsilon = epsilon, delta = 1e-5)
  }
  who <- rep(c("A", "B"), each = 40)
  first <- fit(who, c(2, 0.1))
  second <- fit(factor(who, c("B", "A")), c(0.1, 2))
  expect_equal(by_name(account(list(first, second), 1e-5)), c(A = both(2, 2), B = both(0.1, 0.1)),
    tolerance = 1e-6)
  expect_identical(account(list(first, fit(who, Inf)), 1e-5)$epsilon, Inf)
  unknown <- fixed_point(function(u) u / 2, 1, noise = gaussian_noise(1), delta = 1e-5)
  expect_error(account(list(first, unknown), 1e-5), class = "dpadmm_error_accountant")
  expect_error(privacy(list(first, unknown)), class = "dpadmm_error_argument")
  run <- fixed_point(function(u) u / 2, 1, iterations = 3, delta = 1e-5)
  expect_identical(account(run)$epsilon, Inf)
  expect_output(print(run), "Privacy: none")
})

test_that("who has no name may be anybody", {
  split <- function(epsilon) hospitals(c(60, 60), epsilon)
  # the record of node 1 may be at node 2 of another split
  expect_equal(account(list(split(c(3, 0.1)), split(c(0.1, 3))), 1e-5)$epsilon, both(3, 3),
    tolerance = 1e-6)
  expect_equal(account(list(split(c(3, 0.1)), split(c(3, 0.1))), 1e-5)$epsilon, both(3, 3),
    tolerance = 1e-6)
  expect_equal(account(rep(split(c(3, 0.1))$events, 2), 1e-5)$epsilon, both(3, 3),
    tolerance = 1e-6)
  named <- hospitals(c(A = 60, B = 60), c(1, 2))
  expect_equal(by_name(account(list(named, split(c(3, 0.1))), 1e-5)),
    c(A = both(1, 3), B = both(2, 3)), tolerance = 1e-6)
  # nor has the one holder of all records
  pooled <- dpadmm_plan(2, sizes = 120, method = dp_cd(blocks = 1), epsilon = 3, delta = 1e-5,
    iterations = 2)
  expect_equal(by_name(account(list(named, pooled), 1e-5)), c(A = both(1, 3), B = both(2, 3)),
    tolerance = 1e-6)
  # parties of fits without a common name are two ways to divide the same records
  other <- hospitals(c(north = 60, south = 60), c(3, 0.1))
  expect_equal(by_name(account(list(named, other), 1e-5)),
    c(A = both(1, 3), B = both(2, 3), north = both(2, 3), south = both(2, 0.1)), tolerance = 1e-6)
  # until a third fit says that they are of one division
  whole <- hospitals(c(A = 60, B = 60, north = 60, south = 60), rep(0.01, 4))
  linked <- by_name(account(list(named, other, whole), 1e-5))
  expect_equal(linked, c(A = both(1, 0.01), B = both(2, 0.01), north = both(3, 0.01),
    south = both(0.1, 0.01)), tolerance = 1e-6)
})

test_that("tables made by hand are one division, by number or by name", {
  e <- c(dp_event_pure(1, node = 1:2), dp_event_pure(0.5, node = 2))
  expect_equal(by_name(account(e)), c("1" = 1, "2" = 1.5))
  e <- c(dp_event_pure(1, node = c("x", "y")), dp_event_pure(0.5, node = c("y", "z")))
  expect_equal(by_name(account(e)), c(x = 1, y = 1.5, z = 0.5))
  expect_identical(e$party, c("x", "y", "y", "z"))
  # and adds to a fit by name
  plan <- dpadmm_plan(2, sizes = c(x = 60, y = 60), epsilon = c(1, 2))
  expect_equal(by_name(account(c(plan$events, dp_event_pure(0.5, node = "y")))),
    c(x = 1, y = 2.5), tolerance = 1e-6)
  expect_equal(by_name(account(list(plan, dp_event_pure(0.5)))), c(x = 1.5, y = 2.5),
    tolerance = 1e-6)
})

test_that("many ways to divide the records are bounded by one that is at least as dear", {
  set_of <- function(i) list(kind = seq_len(2), count = c(i, 40 - i))
  many <- list(lapply(1:39, set_of), lapply(1:39 * 1.1, set_of))
  joint <- cross_ledgers(many)
  expect_length(joint, 1L)
  expect_gte(joint[[1L]]$count[1L], 39 + 39 * 1.1)
  expect_gte(joint[[1L]]$count[2L], 39 + 40 - 1.1)
  few <- cross_ledgers(list(lapply(1:3, set_of), lapply(1:2, set_of)))
  expect_setequal(vapply(few, function(l) l$count[1L], 0), 2:5)
})

test_that("unlike neighbours have no joint guarantee", {
  one <- dpadmm_plan(2, sizes = 50, method = dp_sgd(), epsilon = 1, delta = 1e-5)
  other <- dpadmm_plan(2, sizes = 50, method = dp_sgd(neighbours = "add-remove"), epsilon = 1,
    delta = 1e-5)
  for (records in c("same", "disjoint")) {
    expect_blames(account(list(one, other), 1e-5, records = records), "events",
      "dpadmm_error_accountant")
    expect_error(privacy(list(one, other), records = records), class = "dpadmm_error_accountant")
  }
})

test_that("a joint statement says all that its parts say", {
  x <- matrix(sin(seq_len(160) * sqrt(2)), 80) / 2
  data <- data.frame(a = x[, 1], b = x[, 2], y = rep(c(-1, 1), 40), h = rep(c("A", "B"), 40))
  fit <- function(formula, ...) {
    suppressWarnings(dpadmm_fit(formula, data, nodes = ~h, iterations = 2, ...),
      classes = "dpadmm_warning")
  }
  first <- fit(y ~ a, epsilon = 1, seed = 1)
  second <- fit(y ~ b, epsilon = 2, delta = 1e-4)
  statement <- privacy(list(first, second))
  expect_identical(statement$delta, 1e-4)
  text <- paste(trimws(format(statement)), collapse = " ")
  expect_match(text, "^Seeded noise: a simulation")
  expect_match(text, "Privacy (sound) of 2 runs together: epsilon = ", fixed = TRUE)
  expect_match(text, "the ranges of `a` and `b`.", fixed = TRUE)
  expect_match(text, "divide the records in the same way", fixed = TRUE)
  expect_match(text, "Simulated in one process", fixed = TRUE)
  apart <- paste(trimws(format(privacy(list(first, second), records = "disjoint"))), collapse = " ")
  expect_match(apart, "No record was in two of the runs, as you stated.", fixed = TRUE)
  # a user's data only where all protect the same users
  users <- function(who) {
    suppressMessages(dpadmm_fit(x, data$y,
      nodes = who, method = fp_admm(unit = "holder"), epsilon = 1, delta = 1e-4, iterations = 3
    ))
  }
  same <- privacy(list(users(rep(1:20, 4)), users(rep(20:1, 4))))
  expect_match(paste(format(same), collapse = " "), "any one holder's\\s+records")
  mixed <- privacy(list(users(rep(1:20, 4)), users(rep(letters[1:20], 4))))
  expect_false(mixed$user_level)
  expect_false(privacy(list(users(rep(1:20, 4)), second))$user_level)
  expect_identical(privacy(list(first)), privacy(first))
  expect_blame(privacy(list()), "argument", "fit")
  expect_blame(privacy(list(first, 3)), "argument", "fit", "number 2", place = 2L)
})
