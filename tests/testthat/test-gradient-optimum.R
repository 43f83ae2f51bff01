# The noise-free methods end at the optimum that trusted solvers find.

n <- 80
d <- 6
x <- matrix(sin(seq_len(n * d) * sqrt(3)), n) * 0.4
score <- as.vector(x %*% c(2, 2, -1, 0, 0.5, 0))
y <- ifelse(score + 0.3 * cos(seq_len(n)) > 0, 1, -1)
edges <- rbind(c(1, 2), c(2, 3), c(4, 6))

objective <- function(f, loss, A, weights) {
  a <- as.vector(x %*% f)
  fit <- if (loss == "logistic") mean(log1p(exp(-y * a))) else mean((score - a)^2) / 2
  fit + sum(weights * abs(as.vector(A %*% f)))
}

#' min mean logistic loss + sum_j w_j |A f|_j: every loss is two exponential cones.
ecos_logistic <- function(A, weights) {
  A <- as.matrix(A)
  m <- nrow(A)
  at <- list(f = seq_len(d), t = d + seq_len(n), p = d + n + seq_len(n), q = d + 2 * n + seq_len(n),
    v = d + 3 * n + seq_len(m))
  count <- d + 3 * n + m
  zero <- function(rows) matrix(0, rows, count)
  # |A f| <= v, p + q <= 1
  linear <- rbind(zero(2 * m), zero(n))
  linear[seq_len(m), at$f] <- A
  linear[m + seq_len(m), at$f] <- -A
  linear[cbind(seq_len(m), at$v)] <- linear[cbind(m + seq_len(m), at$v)] <- -1
  linear[cbind(2 * m + seq_len(n), at$p)] <- linear[cbind(2 * m + seq_len(n), at$q)] <- 1
  right <- c(numeric(2 * m), rep(1, n))
  # exp(-y f'x - t) <= p and exp(-t) <= q; ECOS orders the rows of a cone x, z, y
  cones <- lapply(seq_len(n), function(k) {
    G <- zero(6)
    G[1, at$f] <- y[k] * x[k, ]
    G[1, at$t[k]] <- G[4, at$t[k]] <- 1
    G[2, at$p[k]] <- G[5, at$q[k]] <- -1
    G
  })
  G <- rbind(linear, do.call(rbind, cones))
  cost <- numeric(count)
  cost[at$t] <- 1 / n
  cost[at$v] <- weights
  found <- ECOSolveR::ECOS_csolve(
    c = cost, G = methods::as(G, "CsparseMatrix"), h = c(right, rep(c(0, 0, 1), 2 * n)),
    dims = list(l = length(right), q = NULL, e = 2L * n),
    control = ECOSolveR::ecos.control(feastol = 1e-10, abstol = 1e-10, reltol = 1e-10)
  )
  found$x[at$f]
}

graph <- graph_guided(edges, lambda1 = 0.02, lambda2 = 0.005)

test_that("the graph-guided fused lasso ends at ECOS's optimum", {
  skip_if_not_installed("ECOSolveR")
  best <- ecos_logistic(graph$A, graph$weights)
  value <- objective(best, "logistic", graph$A, graph$weights)
  for (method in list(grad_admm(rho = 0.1), acc_admm(rho = 0.1, restart = TRUE))) {
    fit <- dpadmm_fit(x, y, method = method, penalty = graph, iterations = 5000, epsilon = Inf)
    reached <- objective(coef(fit), "logistic", graph$A, graph$weights)
    expect_lt(abs(reached - value), 1e-6 * value)
    expect_lt(fit$trace$gap[5000], 1e-6)
  }
})

test_that("acceleration as printed swings about the optimum, by about 1 / rho", {
  skip_if_not_installed("ECOSolveR")
  value <- objective(ecos_logistic(graph$A, graph$weights), "logistic", graph$A, graph$weights)
  swing <- vapply(c(1, 10, 100), function(rho) {
    fit <- dpadmm_fit(x, y,
      method = acc_admm(rho = rho), penalty = graph, iterations = 20000, epsilon = Inf
    )
    late <- fit$iterates[15001:20000, ]
    max(apply(late, 1, objective, "logistic", graph$A, graph$weights)) / value - 1
  }, 0)
  expect_true(all(swing * c(1, 10, 100) > 1e-3 & swing * c(1, 10, 100) < 1e-2))
})

test_that("any A, B and c state one problem", {
  # y = A x through other B and c: B y = c - A x, g of the y that is meant
  A <- as.matrix(graph$A)
  B <- c(2, 2, -2, 2, -2, 2, 2, -2, 2)
  solve_it <- function(penalty, ...) {
    dpadmm_fit(x, y,
      method = acc_admm(rho = 0.1, restart = TRUE, ...), penalty = penalty, iterations = 4000,
      epsilon = Inf
    )
  }
  plain <- solve_it(graph)
  scaled <- solve_it(generalised_lasso(A, 2 * graph$weights), B = B)
  expect_equal(coef(scaled), coef(plain), tolerance = 1e-6)
  # f(x) + lambda |x - s|_1 by c = s: the optimum stays at s when lambda is large
  s <- c(0.3, -0.2, 0, 0.1, 0.5, 1)
  shifted <- dpadmm_fit(x, y,
    method = grad_admm(c = s), penalty = penalty_l1(2), iterations = 500, epsilon = Inf
  )
  expect_equal(unname(coef(shifted)), s, tolerance = 1e-6)
  expect_equal(shifted$y, numeric(d), tolerance = 1e-6)
})

test_that("the lasso and the elastic net end at glmnet's optimum", {
  skip_if_not_installed("glmnet")
  lambda <- 0.02
  glmnet_fit <- function(family, response, alpha, lambda) {
    as.vector(glmnet::glmnet(x, response, family,
      alpha = alpha, lambda = lambda, standardize = FALSE, intercept = FALSE, thresh = 1e-14,
      maxit = 1e7
    )$beta)
  }
  identity <- diag(d)
  best <- objective(glmnet_fit("binomial", y, 1, lambda), "logistic", identity, rep(lambda, d))
  for (method in list(grad_admm(rho = 0.1), acc_admm(rho = 0.1, restart = TRUE))) {
    fit <- dpadmm_fit(x, y, method = method, penalty = penalty_l1(lambda), iterations = 5000,
      epsilon = Inf)
    expect_lt(abs(objective(coef(fit), "logistic", identity, rep(lambda, d)) - best), 1e-6 * best)
  }
  net <- glmnet_fit("binomial", y, 0.5, lambda)
  fit <- dpadmm_fit(x, y,
    method = acc_admm(rho = 0.1, restart = TRUE), penalty = penalty_elastic_net(lambda / 2,
      lambda / 2), iterations = 5000,
    epsilon = Inf
  )
  ridge <- function(f) lambda / 4 * sum(f^2)
  value <- objective(net, "logistic", identity, rep(lambda / 2, d)) + ridge(net)
  reached <- objective(coef(fit), "logistic", identity, rep(lambda / 2, d)) + ridge(coef(fit))
  expect_lt(abs(reached - value), 1e-6 * value)
})

test_that("ridge, fused lasso and trend filtering of squared loss have their normal equations", {
  ridge <- dpadmm_fit(x, score, method = acc_admm(rho = 0.3, restart = TRUE), loss = "squared",
    penalty = penalty_l2(0.1),
    iterations = 3000, epsilon = Inf)
  expect_equal(unname(coef(ridge)),
    as.vector(solve(crossprod(x) / n + 0.1 * diag(d), crossprod(x, score) / n)), tolerance = 1e-7)
  # subgradient optimality: grad f = -A'v with v in lambda sign(A x), |v| <= lambda
  for (penalty in list(fused_lasso(d, 0.01), trend_filter(d, 0.01, order = 1))) {
    fit <- dpadmm_fit(x, score, method = acc_admm(rho = 0.1, restart = TRUE), loss = "squared",
      penalty = penalty,
      iterations = 6000, epsilon = Inf)
    gradient <- as.vector(crossprod(x, x %*% coef(fit) - score)) / n
    dual <- 0.1 * fit$u
    expect_lt(max(abs(gradient + as.vector(Matrix::crossprod(penalty$A, dual)))), 1e-6)
    expect_lt(max(abs(dual)), max(penalty$weights) * (1 + 1e-6))
    free <- abs(fit$y) > 1e-8
    expect_equal(dual[free], penalty$weights[free] * sign(fit$y[free]), tolerance = 1e-6)
    expect_lt(sum((as.vector(penalty$A %*% coef(fit)) - fit$y)^2), 1e-10)
  }
})

test_that("non-negative least squares has no negative coefficient and meets optimality", {
  fit <- dpadmm_fit(x, score, method = acc_admm(rho = 0.3, restart = TRUE), loss = "squared",
    penalty = penalty_nonneg(),
    iterations = 5000, epsilon = Inf)
  gradient <- as.vector(crossprod(x, x %*% fit$y - score)) / n
  expect_gte(min(fit$y), 0)
  expect_gt(min(gradient), -1e-6)
  expect_lt(max(abs(gradient * fit$y)), 1e-6)
})

test_that("acceleration is faster on the paper's problem", {
  data <- adult_matrix("a9a")
  keep <- seq_len(8000)
  x <- data$x[keep, ]
  x <- x / sqrt(Matrix::rowSums(x^2))
  label <- data$y[keep]
  penalty <- fused_lasso(ncol(x), 1e-5, 1e-5)
  value <- function(fit) {
    f <- coef(fit)
    mean(log1p(exp(-label * as.vector(x %*% f)))) +
      sum(penalty$weights * abs(as.vector(penalty$A %*% f)))
  }
  run <- function(method, T) {
    value(dpadmm_fit(x, label, method = method, penalty = penalty, iterations = T, epsilon = Inf))
  }
  best <- run(acc_admm(rho = 0.01), 3000)
  for (T in c(50, 200)) {
    expect_lt(run(acc_admm(rho = 0.01), T) - best, 0.2 * (run(grad_admm(rho = 0.01), T) - best))
  }
})
