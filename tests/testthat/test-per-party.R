# Numbers that are given party by party belong to the parties of their names.

sizes <- c(A = 400, B = 300, C = 500)

plan_of <- function(..., method = mr_admm(eta = 1, growth = 1, gamma = 0.5), epsilon = 2) {
  dpadmm_plan(2, sizes = sizes, method = method, epsilon = epsilon, delta = 1e-5, iterations = 4,
    ...)
}

spent <- function(plan) {
  per_node <- privacy(plan)$per_node
  stats::setNames(per_node$epsilon, per_node$node)
}

test_that("a budget belongs to the party of its name, whatever the order", {
  wanted <- c(A = 0.5, B = 8, C = 2)
  for (order in list(1:3, 3:1, c(2, 3, 1))) {
    plan <- plan_of(epsilon = wanted[order])
    expect_equal(spent(plan), wanted, tolerance = 1e-6)
  }
  # without names, in the order of the parties
  expect_equal(spent(plan_of(epsilon = unname(wanted))), wanted, tolerance = 1e-6)
})

test_that("a fit gives each hospital the budget that it asked for", {
  x <- matrix(sin(seq_len(160) * sqrt(2)), 80) / 2
  fit <- dpadmm_fit(x, rep(c(-1, 1), 40),
    nodes = rep(c("A", "B"), 40), epsilon = c(B = 8, A = 0.1), iterations = 2
  )
  expect_equal(spent(fit), c(A = 0.1, B = 8), tolerance = 1e-6)
})

test_that("unknown, lacking and repeated names are errors that name them", {
  expect_blame(plan_of(epsilon = c(A = 1, B = 1, D = 1)), "nodes", "epsilon",
    "unknown party, \"D\"", place = "D")
  expect_blame(plan_of(epsilon = c(A = 1, B = 1)), "nodes", "epsilon", "nothing for party \"C\"",
    place = "C")
  expect_blame(plan_of(epsilon = c(A = 1)), "nodes", "epsilon", place = "B")
  expect_blame(plan_of(epsilon = c(A = 1, B = 1, C = 1, A = 1)), "nodes", "epsilon", "twice",
    place = "A")
  expect_blame(plan_of(epsilon = c(A = 1, B = 1, 1)), "nodes", "epsilon", place = "")
  expect_blame(plan_of(epsilon = c(1, 1)), "shape", "epsilon")
})

test_that("so do penalties, steps, splits and tolerances", {
  numbers <- c(C = 3, A = 1, B = 2)
  by_party <- c(1, 2, 3)
  first <- function(plan, field) as.matrix(plan[[field]])[, 1L]
  expect_equal(first(plan_of(method = mr_admm(eta = numbers, growth = 1, gamma = 1)), "eta"),
    by_party)
  expect_equal(first(plan_of(method = mr_admm(eta = 1, growth = numbers, gamma = 1)), "eta"),
    by_party)
  expect_equal(first(plan_of(method = r_admm(eta = 1, gamma = numbers)), "gamma"), by_party)
  expect_equal(first(plan_of(method = m_admm(eta = 4, growth = 1, theta = numbers)), "theta"),
    by_party)
  expect_equal(plan_of(method = pp_admm(eta = 1, split = numbers / 4))$split, by_party / 4)
  expect_equal(plan_of(method = pp_admm(eta = 1, beta = numbers / 1e4))$beta, by_party / 1e4)
  start <- cbind(1:3, 4:6)
  rownames(start) <- c("C", "A", "B")
  started <- plan_of(control = dpadmm_control(start = start))
  expect_equal(started$start, unname(t(start[c(2, 3, 1), ])))
  expect_blame(plan_of(method = r_admm(eta = c(A = 1, B = 1, E = 1))), "nodes", "eta", place = "E")
  theorem <- check_convergence(r_admm(eta = 1, gamma = 40), network_complete(3), M = 1:3)
  expect_blame(check_convergence(r_admm(eta = 1, gamma = 40), network_complete(3), M = c(A = 1)),
    "nodes", "M", place = "A")
  named <- check_convergence(r_admm(eta = 1, gamma = 40), network_complete(3),
    M = c("3" = 3, "1" = 1, "2" = 2))
  expect_identical(named, theorem)
})

test_that("so do noise scales and the rows of their matrix", {
  given <- function(noise) plan_of(epsilon = NULL, noise = noise)$noise
  expect_equal(given(gaussian_noise(c(C = 3, A = 1, B = 2)))[, 1L], 1:3)
  expect_equal(given(gamma_noise(c(C = 3, A = 1, B = 2)))[, 1L], 1:3)
  scales <- matrix(c(3, 1, 2, 6, 4, 5), 3, dimnames = list(c("C", "A", "B"), NULL))
  expect_equal(given(gaussian_noise(scales)), cbind(1:3, 4:6))
  expect_blame(given(gaussian_noise(c(A = 1, B = 2, E = 1))), "nodes", "sigma", place = "E")
  expect_blame(given(gamma_noise(c(A = 1, B = 2))), "nodes", "alpha", place = "C")
  expect_equal(given(gaussian_noise(3:1))[, 1L], 3:1)
})
