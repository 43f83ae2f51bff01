# Theorem IV.1's matrix inequalities written out again, entry by entry, for comparison.

skip_on_cran()

by_hand <- function(A, eta_now, eta_next, gamma, M, L, mu) {
  n <- nrow(A)
  D <- diag(rowSums(A))
  W0 <- diag(eta_now)
  W1 <- diag(eta_next)
  Dt <- 2 * W0 %*% D + gamma * diag(n)
  s <- min(diag(Dt))
  X <- W1 %*% (D - A)
  e <- svd(X)
  inverse <- ifelse(e$d > 1e-10 * max(e$d), 1 / e$d, 0)
  pinv <- e$v %*% diag(inverse) %*% t(e$u)
  # the four Penrose conditions: pinv is the pseudo-inverse
  expect_equal(X %*% pinv %*% X, X, tolerance = 1e-10)
  expect_equal(pinv %*% X %*% pinv, pinv, tolerance = 1e-10)
  DM <- diag(M^2)
  one <- diag(n) + W1 %*% (D + A) %*% solve(Dt) - L * mu / (2 * s) * pinv %*% DM
  two <- W1 %*% (D + A) -
    W1 %*% (D + A) %*% solve(Dt) %*% (W0 %*% (D - A) + 2 / L * W1 %*% (D + A)) -
    L * mu / (2 * s * (mu - 1)) * DM
  least <- function(Z) min(eigen((Z + t(Z)) / 2, symmetric = TRUE)$values)
  c(least(one), least(two))
}

A5 <- matrix(0, 5, 5)
A5[cbind(c(1, 1, 2, 3, 4, 2), c(2, 3, 3, 4, 5, 4))] <- 1
A5 <- A5 + t(A5)

test_that("R-ADMM's conditions are Theorem IV.1 at L = 2, mu = 2", {
  M <- c(1, 2, 1.5, 1, 2)
  out <- check_convergence(r_admm(eta = 1.3, gamma = 7), network_adjacency(A5), M = M)
  expect_equal(out$margin, by_hand(A5, rep(1.3, 5), rep(1.3, 5), 7, M, 2, 2), tolerance = 1e-9)
  expect_identical(out$condition, c("(iii)", "(iv)"))
  expect_identical(out$holds, out$margin > 0)
})

test_that("MR-ADMM's conditions are the worst over consecutive penalties", {
  eta <- c(1, 1.2, 0.9, 1.1, 1)
  growth <- c(1.02, 1.01, 1.05, 1, 1.03)
  M <- rep(1.5, 5)
  out <- check_convergence(mr_admm(eta, growth, gamma = 5), network_adjacency(A5),
    M = M, iterations = 7, L = 1.5, mu = 3
  )
  hand <- vapply(1:3, function(k) {
    by_hand(A5, eta * growth^k, eta * growth^(k + 1), 5, M, 1.5, 3)
  }, double(2))
  expect_equal(out$margin[1:2], apply(hand, 1L, min), tolerance = 1e-9)
})

test_that("the smallest gamma is the edge of the conditions", {
  network <- network_adjacency(A5)
  holds <- function(gamma, ...) {
    all(check_convergence(r_admm(eta = 1, gamma = gamma), network, M = 3, ...)$holds)
  }
  edge <- attr(check_convergence(r_admm(eta = 1, gamma = 1), network, M = 3), "gamma")
  expect_true(is.finite(edge) && edge > 0)
  expect_true(holds(edge * 1.001))
  expect_false(holds(edge * 0.999))
  # a search over L and mu can only need less
  free <- check_convergence(mr_admm(eta = 1, growth = 1, gamma = 1), network,
    M = 3, iterations = 4
  )
  expect_lt(attr(free, "gamma"), edge)
})

test_that("no gamma satisfies (ii) on a bipartite network", {
  for (network in list(network_star(5), network_ring(6))) {
    out <- check_convergence(r_admm(eta = 1, gamma = 100), network, M = 1)
    expect_false(out$holds[2L])
    expect_identical(attr(out, "gamma"), Inf)
  }
  odd <- check_convergence(r_admm(eta = 1, gamma = 1), network_ring(5), M = 1)
  expect_true(is.finite(attr(odd, "gamma")))
})

test_that("M-ADMM's and ADMM's conditions", {
  grown <- check_convergence(m_admm(eta = 1, growth = 1.01, theta = 0.5), network_ring(6))
  expect_equal(grown$margin[1:2], c(1.01 - 0.5, 1.01^2 - 1.01), tolerance = 1e-12)
  uneven <- m_admm(eta = c(1, 1, 1, 1, 1, 0.4), growth = 1, theta = 0.5)
  bad <- check_convergence(uneven, network_ring(6))
  expect_identical(bad$holds, c(FALSE, TRUE, TRUE))
  expect_true(check_convergence(admm(eta = 0.5), network_star(4))$holds)
})

test_that("penalties that grow for ever are not covered, and such a run stops on its way", {
  ring <- network_ring(5)
  growths <- list(m = c(1, 1, 1, 1.1, 1), mr = 1.1)
  for (method in list(m_admm(1, growths$m, 0.5), mr_admm(1, growths$mr, 40))) {
    found <- check_convergence(method, ring, iterations = 1)
    expect_identical(found$holds[3], FALSE)
    expect_equal(found$margin[3], -0.1)
    expect_match(found$condition[3], "sup")
  }
  for (method in list(m_admm(1, 1, 0.5), mr_admm(1, 1, 40))) {
    expect_true(all(check_convergence(method, ring, M = 1)$holds))
  }
  expect_true(is.finite(attr(check_convergence(mr_admm(1, 1.1, 40), ring, M = 1), "gamma")))
  x <- matrix(sin(1:200), 50) / 2
  model <- function(growth, iterations = 1000) {
    coef(dpadmm_fit(x, sign(cos(1:50)),
      nodes = 5, network = ring, method = m_admm(0.5, growth, 0.5), C = 1, rho = 0.1,
      iterations = iterations, epsilon = Inf
    ))
  }
  arrived <- model(1)
  expect_lt(max(abs(model(1, 2000) - arrived)), 1e-5)
  expect_gt(max(abs(model(1.1) - arrived)), 1)
})

test_that("runs converge where the conditions hold", {
  set.seed(4)
  x <- matrix(rnorm(60 * 3), 60)
  x <- x / sqrt(rowSums(x^2))
  y <- sign(x[, 1] + rnorm(60))
  public <- 0.25 + 0.3 / 5
  network <- network_adjacency(A5)
  gamma <- attr(check_convergence(r_admm(eta = 0.2, gamma = 1), network, M = public), "gamma")
  fit <- dpadmm_fit(x, y,
    nodes = rep(1:5, 12), network = network, method = r_admm(0.2, gamma * 1.01),
    C = 1, rho = 0.3, iterations = 2001, epsilon = Inf
  )
  expect_lt(fit$trace$gap[2001], 1e-7)
})

test_that("sample sizes by hand", {
  expect_equal(sample_size(0.1, 0.05, 10), 100 * log(20) / 0.01)
  expect_equal(sample_size(0.1, 0.05, 10, gap = c(0, 0.05), w = 2), 2 * 100 * log(20) / 0.0025)
  room <- 5 * 1750 * 0.01 / 200 - 2 * 5 * 400 * log(20 / 0.05)^2 / (1750 * 2500)
  expect_gt(room, 0)
  expect_equal(
    sample_size(0.1, 0.05, 10, alpha = 50, d = 20, N = 5, C = 1750), 1750 * 5 * log(20) / room
  )
  expect_identical(sample_size(0.1, 0.05, 10, alpha = 0.01, d = 20, N = 5, C = 1750), Inf)
})

test_that("sizes are asked for when something is chosen from them, and only then", {
  error <- expect_error(check_convergence(r_admm(eta = 1), network_ring(5)), "`gamma`",
    class = "dpadmm_error_argument"
  )
  expect_identical(error$argument, "size")
  expect_error(check_convergence(admm(), network_ring(5)), class = "dpadmm_error_argument")
  # what is chosen is what a fit without noise would choose
  x <- matrix(sin(1:120), 60) / 2
  fit <- dpadmm_fit(x, rep(c(-1, 1), 30),
    nodes = 5, network = network_ring(), method = mr_admm(), C = 1, iterations = 4, epsilon = Inf
  )
  plan <- fit$plan
  chosen <- check_convergence(mr_admm(), network_ring(5), iterations = 4, size = fit$nodes$size)
  stated <- check_convergence(
    mr_admm(eta = plan$chosen$eta, growth = plan$chosen$growth, gamma = plan$chosen$gamma),
    network_ring(5), iterations = 4
  )
  expect_equal(chosen, stated)
  # given parameters leave nothing to choose
  given <- r_admm(eta = 1, gamma = 2)
  expect_identical(
    check_convergence(given, network_ring(5)), check_convergence(given, network_ring(5), size = 7)
  )
})

test_that("a method without a theorem is refused by a word on those that have one", {
  for (method in list(pp_admm(), ipp_admm(), fp_admm(), grad_admm(), dp_sgd())) {
    error <- expect_error(check_convergence(method, network_ring(5)),
      "theorems for admm\\(\\), m_admm\\(\\), r_admm\\(\\), mr_admm\\(\\)",
      class = "dpadmm_error_argument"
    )
    expect_identical(error$argument, "method")
  }
})

test_that("bad input is a classed error", {
  ring <- network_ring(5)
  expect_error(check_convergence(r_admm(1, 1), network_complete()), class = "dpadmm_error_argument")
  expect_error(check_convergence(r_admm(1, 1), ring, M = -1), class = "dpadmm_error_argument")
  expect_error(check_convergence(r_admm(1, 1), ring, M = 1:2), class = "dpadmm_error_shape")
  expect_error(check_convergence(r_admm(1, 1), ring, mu = 1), class = "dpadmm_error_argument")
  expect_error(check_convergence(1, ring), class = "dpadmm_error_argument")
  expect_error(sample_size(0.1, 0.05, 10, gap = 0.1), class = "dpadmm_error_argument")
  expect_error(sample_size(0.1, 1, 10), class = "dpadmm_error_argument")
})

test_that("a network may be named", {
  by_name <- check_convergence(admm(eta = 1), "ring", n = 5)
  expect_identical(by_name, check_convergence(admm(eta = 1), network_ring(5)))
  expect_error(check_convergence(admm(eta = 1), "ring"), "`n` is needed",
    class = "dpadmm_error_argument"
  )
})
