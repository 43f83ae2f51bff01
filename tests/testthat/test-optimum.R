# Fits without noise: the optimum itself, or a word that it has not been reached.

pima <- local({
  set.seed(9)
  n <- 600
  x <- cbind(1, matrix(runif(5 * n), n))
  colnames(x) <- c("one", letters[1:5])
  y <- ifelse(runif(n) < plogis(-4 + x[, 2] * 3 + x[, 3] * 5 - x[, 4]), 1, -1)
  list(x = x, y = y, who = sample(rep(c("A", "B", "C"), c(500, 90, 10))))
})
wide <- dpadmm_control(row_bound = 3)
plain_fit <- function(...) dpadmm::dpadmm_fit(..., intercept = FALSE) # with its warnings

test_that("the default without noise is the pooled optimum, also for unlike parties", {
  skip_if_not_installed("generics")
  glm_fit <- glm.fit(pima$x, pima$y > 0,
    family = binomial(), control = list(epsilon = 1e-15, maxit = 100)
  )
  for (method in list(mr_admm(), r_admm(), admm(), m_admm(), pp_admm(), ipp_admm())) {
    fit <- plain_fit(pima$x, pima$y,
      nodes = pima$who, method = method, epsilon = Inf, lambda = 1e-13, control = wide
    )
    expect_equal(unname(coef(fit)), unname(glm_fit$coefficients), tolerance = 1e-7)
    expect_identical(dim(coef(fit, node = "all")), c(3L, 6L))
    expect_true(fit$converged)
    expect_true(generics::glance(fit)$converged)
  }
})

test_that("lambda is glmnet's", {
  skip_if_not_installed("glmnet")
  x <- pima$x[, -1] # glmnet leaves out constant columns
  fit <- dpadmm_fit(x, pima$y, nodes = pima$who, epsilon = Inf, lambda = 0.01, control = wide)
  ridge <- glmnet::glmnet(x, pima$y > 0, "binomial",
    alpha = 0, lambda = 0.01, standardize = FALSE, intercept = FALSE, thresh = 1e-16, maxit = 1e7
  )
  expect_equal(unname(coef(fit)), unname(as.vector(ridge$beta)), tolerance = 1e-6)
})

test_that("ADMM that runs long enough comes to the same optimum, by any weights", {
  for (weights in c("records", "nodes")) {
    share <- if (weights == "nodes") rep(1, 3) else 3 * c(500, 90, 10) / 600
    objective <- function(f) {
      losses <- log1p(exp(-pima$y * as.vector(pima$x %*% f)))
      sum(share * tapply(losses, pima$who, mean)) + 3 * 0.05 / 2 * sum(f^2)
    }
    best <- optim(numeric(6), objective,
      method = "BFGS", control = list(reltol = 1e-15, maxit = 500)
    )
    long <- dpadmm_fit(pima$x, pima$y,
      nodes = pima$who, method = admm(eta = 0.1), C = 1, lambda = 0.05, weights = weights,
      epsilon = Inf, iterations = 3000, control = wide
    )
    short <- dpadmm_fit(pima$x, pima$y,
      nodes = pima$who, C = 1, lambda = 0.05, weights = weights, epsilon = Inf, control = wide
    )
    expect_equal(unname(coef(long)), best$par, tolerance = 1e-4, info = weights)
    expect_equal(coef(short), coef(long), tolerance = 1e-5, info = weights)
    expect_true(long$converged)
  }
})

test_that("a fit that has not arrived warns, and more iterations of small steps do not hide it", {
  fit <- function(...) {
    plain_fit(pima$x, pima$y,
      nodes = pima$who, lambda = 1e-8, epsilon = Inf, control = wide, ...
    )
  }
  for (iterations in c(5, 50, 500)) {
    expect_warning(early <- fit(iterations = iterations), class = "dpadmm_warning_convergence")
    expect_false(early$converged)
  }
  expect_no_warning(fit())
})

test_that("methods with one model say whether they arrived", {
  x <- pima$x / 3
  plain <- function(...) plain_fit(x, pima$y, epsilon = Inf, ...)
  expect_warning(fit <- plain(method = dp_sgd(step = 0.1), iterations = 5),
    class = "dpadmm_warning_convergence"
  )
  expect_false(fit$converged)
  long <- plain(method = dp_sgd(step = 4), penalty = penalty_l2(0.1), iterations = 400)
  expect_true(long$converged)
  split <- plain(method = grad_admm(), penalty = penalty_l2(0.1), iterations = 2000)
  expect_true(split$converged)
  expect_equal(coef(split), coef(long), tolerance = 1e-4)
})

test_that("a fit with noise neither converges nor warns of it", {
  expect_no_warning(
    fit <- plain_fit(pima$x, pima$y, nodes = pima$who, epsilon = 50, control = wide),
    class = "dpadmm_warning_convergence"
  )
  expect_identical(fit$converged, NA)
})
