# Fits without noise of methods with one model: by default the minimiser of the method's own
# objective, as glmnet has it and as its conditions say.

set.seed(4)
n <- 200
d <- 8
x <- matrix(rnorm(n * d), n) / 5
truth <- c(4, -3, 2, rep(0, d - 3))
y <- ifelse(runif(n) < plogis(x %*% truth), 1, -1)
score <- as.vector(x %*% truth) + rnorm(n) / 10
# of length 1, by which glmnet divides the response before it weighs the ridge part
score <- score / sqrt(mean(score^2))
wide_rows <- dpadmm_control(row_bound = 1e9)

optimum <- function(x, y, method, penalty, ..., control = wide_rows) {
  # with its warnings, of which there must be none
  expect_no_warning(
    fit <- dpadmm::dpadmm_fit(x, y,
      method = method, penalty = penalty, epsilon = Inf, intercept = FALSE, control = control, ...
    )
  )
  expect_true(fit$converged)
  fit
}

glmnet_beta <- function(x, y, loss, l1, l2) {
  skip_if_not_installed("glmnet")
  if (loss == "logistic") y <- factor(y)
  as.vector(glmnet::glmnet(x, y, if (is.factor(y)) "binomial" else "gaussian",
    alpha = l1 / (l1 + l2), lambda = l1 + l2, standardize = FALSE, intercept = FALSE,
    thresh = 1e-14, maxit = 1e7
  )$beta)
}

mean_gradient <- function(f, x, y, loss, weight = 1, offset = 0) {
  a <- as.vector(x %*% f) + offset
  slope <- .Call(ffi_loss, loss$name, loss$width, a, y)$gradient
  as.vector(crossprod(x, weight * slope)) / length(y)
}

#' How far 0 is from the subgradients of mean loss + l1 |f| + l2 f^2 / 2, for columns of length 1.
off_optimum <- function(f, x, y, loss, l1, l2, ...) {
  g <- mean_gradient(f, x, y, dpadmm_loss(loss), ...) + l2 * f
  off <- ifelse(f == 0, pmax(abs(g) - l1, 0), abs(g + l1 * sign(f)))
  max(off / sqrt(colMeans(x^2)))
}

methods <- list(fp_admm(), dp_sgd(), dp_cd(), grad_admm(), acc_admm())

for (method in methods) {
  test_that(paste(method$name, "ends at glmnet's lasso and elastic net"), {
    for (loss in c("logistic", "squared")) for (l in list(c(0.02, 0), c(0.01, 0.02))) {
      penalty <- if (l[2] > 0) penalty_elastic_net(l[1], l[2]) else penalty_l1(l[1])
      labels <- if (loss == "logistic") y else score
      fit <- optimum(x, labels, method, penalty, loss = loss)
      expect_lt(max(abs(coef(fit) - glmnet_beta(x, labels, loss, l[1], l[2]))), 1e-6)
      expect_gt(sum(coef(fit) == 0), 0)
      expect_lt(off_optimum(unname(coef(fit)), x, labels, loss, l[1], l[2]), 1e-9)
    }
  })
}

test_that("more columns than records, dense or sparse", {
  m <- 150
  wide <- matrix(rnorm(40 * m), 40) / 10
  labels <- ifelse(wide[, 1] - wide[, 2] + rnorm(40) / 20 > 0, 1, -1)
  fit <- optimum(wide, labels, dp_sgd(), penalty_l1(0.005))
  expect_lt(max(abs(coef(fit) - glmnet_beta(wide, labels, "logistic", 0.005, 0))), 1e-6)
  sparse <- wide * (abs(wide) > 0.1)
  expect_equal(
    coef(optimum(Matrix::Matrix(sparse, sparse = TRUE), labels, dp_sgd(), penalty_l1(0.005))),
    coef(optimum(sparse, labels, dp_sgd(), penalty_l1(0.005))), tolerance = 1e-9
  )
  # no one minimiser: a gradient of 0 all the same
  plain <- optimum(wide, rnorm(40), dp_sgd(), penalty_none(), loss = "squared")
  expect_lt(max(plain$trace$step), 1e4)
  split <- optimum(wide, labels, grad_admm(), penalty_l1(0.005))
  expect_equal(coef(split), coef(fit), tolerance = 1e-9)
})

test_that("collinear columns: where the minimiser is not one, its predictions are", {
  copied <- cbind(x, x[, 1], -2 * x[, 3], 0)
  plain <- optimum(x, y, dp_sgd(), penalty_none())
  fit <- optimum(copied, y, dp_sgd(), penalty_none())
  expect_equal(as.vector(copied %*% coef(fit)), as.vector(x %*% coef(plain)), tolerance = 1e-8)
  lasso <- optimum(copied, y, dp_sgd(), penalty_l1(0.01))
  by_glmnet <- glmnet_beta(copied, y, "logistic", 0.01, 0)
  expect_equal(copied %*% coef(lasso), copied %*% by_glmnet, tolerance = 1e-6,
    ignore_attr = TRUE)
  near <- cbind(x, x[, 1] + rnorm(n) / 1e4)
  fit <- optimum(near, y, dp_sgd(), penalty_none())
  glm_fit <- glm.fit(near, y > 0, family = binomial(), control = list(epsilon = 1e-15))
  expect_equal(as.vector(near %*% coef(fit)), as.vector(glm_fit$linear.predictors),
    tolerance = 1e-7)
})

test_that("units of columns and of the response do not matter", {
  units <- 10^c(6, -6, 3, -3, 0, 5, -5, 1)
  scaled <- t(t(x) * units)
  expect_equal(coef(optimum(scaled, y, dp_sgd(), NULL)) * units,
    coef(optimum(x, y, dp_sgd(), NULL)), tolerance = 1e-9)
  lasso <- optimum(scaled, y, fp_admm(), penalty_l1(0.01))
  expect_lt(off_optimum(unname(coef(lasso)), scaled, y, "logistic", 0.01, 0), 1e-9)
  large <- optimum(scaled, 1e6 * score, dp_sgd(), NULL, loss = "squared")
  expect_equal(unname(coef(large)) * units, unname(lm.fit(x, 1e6 * score)$coefficients),
    tolerance = 1e-9)
})

test_that("hinge and Huber's loss, which have straight parts, and a box", {
  for (loss in c("hinge", "huber")) {
    labels <- if (loss == "hinge") y else 3 * score
    fit <- optimum(x, labels, dp_cd(), penalty_elastic_net(0.01, 0.001), loss = loss)
    expect_lt(off_optimum(unname(coef(fit)), x, labels, loss, 0.01, 0.001), 1e-9)
  }
  for (box in list(penalty_box(-0.5, 1), penalty_nonneg())) {
    f <- unname(coef(optimum(x, y, dp_sgd(), box)))
    ends <- box$parameters
    g <- mean_gradient(f, x, y, dpadmm_loss("logistic"))
    expect_true(all(f >= ends[1] & f <= ends[2]))
    expect_lt(max(abs(g[f > ends[1] & f < ends[2]])), 1e-11)
    expect_true(all(g[f == ends[1]] > 0) && all(g[f == ends[2]] < 0))
    expect_gt(sum(f == ends[1]), 0)
  }
})

test_that("penalties on differences: 0 is a subgradient", {
  fused <- fused_lasso(d, 0.01, 0.002)
  fit <- optimum(x, y, grad_admm(rho = 0.3), fused)
  dual <- 0.3 * fit$u
  f <- unname(coef(fit))
  expect_lt(max(abs(mean_gradient(f, x, y, dpadmm_loss("logistic")) +
    as.vector(Matrix::crossprod(fused$A, dual)))), 1e-11)
  differences <- as.vector(fused$A %*% f)
  expect_equal(fit$y, differences, tolerance = 1e-9)
  expect_true(all(abs(dual) <= fused$weights * (1 + 1e-12)))
  apart <- abs(differences) > 1e-9
  expect_equal(dual[apart], (fused$weights * sign(differences))[apart], tolerance = 1e-12)
  expect_gt(sum(!apart), 0)
  expect_gt(sum(apart), 0)
})

test_that("weights, offsets, holders, long rows and C count as in a run that is long enough", {
  who <- rep(c("a", "b", "c"), c(100, 60, 40))
  weight <- runif(n)
  offset <- rnorm(n) / 3
  net <- penalty_elastic_net(0.02, 0.01)
  counted <- list(case_weights = weight, weight_bound = 1, offset = offset)
  cases <- list(
    c(list(method = fp_admm(gamma = 20), penalty = net), counted),
    c(list(method = fp_admm(), nodes = who, penalty = net), counted),
    list(method = fp_admm(unit = "holder", gamma = 20), nodes = who, penalty = net),
    list(method = fp_admm(setting = "decentralized"), nodes = who, penalty = net),
    c(list(method = dp_cd(step = 4), penalty = net), counted),
    list(method = dp_sgd(step = 4), penalty = net, control = dpadmm_control(row_bound = 0.3)),
    list(method = grad_admm(rho = 0.1), penalty = fused_lasso(d, 0.02, 0.01), C = 3),
    list(method = acc_admm(rho = 0.1, restart = TRUE, B = 2, c = 0.1), penalty = penalty_l1(0.02))
  )
  for (case in cases) {
    both <- lapply(list(NULL, 3000), function(iterations) {
      do.call(dpadmm_fit, c(list(x, y, epsilon = Inf, iterations = iterations), case))
    })
    expect_true(both[[1]]$converged)
    expect_equal(coef(both[[1]]), coef(both[[2]]), tolerance = 1e-6, info = case$method$name)
  }
})

test_that("iterations that are given are run, and so they are where a clip changes the objective", {
  fit <- function(...) dpadmm_fit(x, y, epsilon = Inf, ...)
  expect_identical(nrow(fit(method = dp_sgd(), iterations = 7)$trace), 7L)
  expect_identical(nrow(fit(method = grad_admm(clip = 1e-3))$trace), 1000L)
  expect_identical(nrow(fit(method = fp_admm(clip = 1e-3))$trace), 50L)
  expect_identical(nrow(fit(method = dp_sgd())$trace), 1L)
  expect_output(print(fit(method = dp_sgd())), "8 coefficients, the optimum")
})

test_that("a search that does not arrive says so", {
  fit <- optimum(x, y, dp_sgd(), NULL)
  fit$converged <- has_converged(fit$plan, fit$trace, arrived = FALSE)
  expect_warning(warn_unless_converged(fit), "has not found", class = "dpadmm_warning_convergence")
})
