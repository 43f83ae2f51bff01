# Without noise every method must end at the minimiser of the nodes' summed objectives,
# sum_i (C/B_i) sum_n L(y_n, f'x_n) + rho |f|^2/2: a weighted ridge problem over the pooled
# records, solved here by glmnet and by Newton's method.

sizes <- c(20, 35, 12, 28, 15)
total <- sum(sizes)
C <- 5
rho <- 1

# Records without a random generator: irrational steps fill the cube evenly.
x <- outer(seq_len(total), sqrt(c(2, 3, 5, 7)), function(n, step) (n * step) %% 1 - 0.4)
x <- x / sqrt(max(rowSums(x^2)))
score <- drop(x %*% c(3, -2, 1, 0.5)) + 1.2 * ((seq_len(total) * sqrt(11)) %% 1 - 0.5)
label <- ifelse(score > 0, 1, -1)
# Interleaved nodes: (37 n) mod 110 visits every record once.
nodes <- rep(seq_along(sizes), sizes)[(37 * seq_len(total)) %% total + 1]
weights <- (C / sizes)[nodes]

adjacency_of <- function(from, to, n = length(sizes)) {
  adjacency <- matrix(0, n, n)
  adjacency[cbind(from, to)] <- adjacency[cbind(to, from)] <- 1
  adjacency
}

networks <- list(
  complete = 1 - diag(5),
  ring = adjacency_of(1:5, c(2:5, 1)),
  star = adjacency_of(1, 2:5),
  random = adjacency_of(c(1, 2, 2, 3, 4), c(2, 3, 4, 4, 5))
)

methods <- list(
  "ADMM" = admm(eta = 0.3),
  "M-ADMM" = m_admm(eta = c(0.3, 0.4, 0.25, 0.35, 0.3), growth = 1, theta = 0.25),
  "R-ADMM" = r_admm(eta = 0.3, gamma = 0.5),
  "MR-ADMM" = mr_admm(eta = 0.3, growth = 1, gamma = 0.5)
)

# Slope and curvature of each loss in the score.
losses <- list(
  logistic = function(s, y) {
    p <- stats::plogis(-y * s)
    list(slope = -y * p, curvature = p * (1 - p))
  },
  squared = function(s, y) list(slope = s - y, curvature = rep(1, length(s))),
  huber = function(s, y) {
    list(slope = pmax(pmin(s - y, 1), -1), curvature = as.numeric(abs(s - y) <= 1))
  },
  hinge = function(s, y) {
    m <- y * s
    slope <- ifelse(m > 1.5, 0, ifelse(m < 0.5, -1, -(1.5 - m)))
    list(slope = y * slope, curvature = as.numeric(abs(1 - m) <= 0.5))
  }
)

#' Damped Newton to a gradient norm of 1e-11.
pooled_optimum <- function(loss, y, weights) {
  f <- numeric(ncol(x))
  ridge <- rho * sum(weights) / (length(sizes) * C)
  gradient <- function(f) {
    drop(crossprod(x, weights * losses[[loss]](drop(x %*% f), y)$slope)) + ridge * f
  }
  for (step in seq_len(200)) {
    g <- gradient(f)
    if (sqrt(sum(g^2)) < 1e-11) return(f)
    curvature <- losses[[loss]](drop(x %*% f), y)$curvature
    move <- solve(crossprod(x, weights * curvature * x) + diag(ridge, ncol(x)), g)
    size <- 1
    while (sum(gradient(f - size * move)^2) >= sum(g^2) && size > 1e-6) size <- size / 2
    f <- f - size * move
  }
  stop("Newton's method did not converge")
}

fit_exact <- function(method, adjacency, loss = "logistic", iterations = 400, data = x,
                      by = nodes, y = if (loss %in% c("squared", "huber")) score else label,
                      threads = 1) {
  dpadmm_fit(data, y,
    nodes = by, network = network_adjacency(adjacency), method = method, loss = loss,
    C = C, rho = rho, weights = "nodes", iterations = iterations, epsilon = Inf,
    control = dpadmm_control(keep_iterates = TRUE, tol = 1e-12, threads = threads)
  )
}

all_nodes <- function(fit) unname(coef(fit, node = "all"))

for (network in names(networks)) {
  test_that(sprintf("every node of a %s network ends at glmnet's pooled optimum", network), {
    skip_if_not_installed("glmnet")
    # glmnet divides the weights by their sum, N C.
    pooled <- glmnet::glmnet(x, factor(label),
      family = "binomial", weights = weights, alpha = 0, lambda = rho / sum(weights),
      standardize = FALSE, intercept = FALSE, thresh = 1e-14, maxit = 1e6
    )
    optimum <- as.numeric(pooled$beta)
    expect_lt(max(abs(optimum - pooled_optimum("logistic", label, weights))), 1e-6)
    for (name in names(methods)) {
      found <- all_nodes(fit_exact(methods[[name]], networks[[network]]))
      expect_lt(max(abs(sweep(found, 2L, optimum))), 1e-6, label = paste(name, "error"))
    }
  })
}

test_that("the squared loss ends at glmnet's weighted ridge regression", {
  skip_if_not_installed("glmnet")
  # glmnet scales y to a root mean square of 1 and lambda with it.
  spread <- sqrt(sum(weights * score^2) / sum(weights))
  pooled <- glmnet::glmnet(x, score,
    family = "gaussian", weights = weights, alpha = 0, lambda = spread * rho / sum(weights),
    standardize = FALSE, intercept = FALSE, thresh = 1e-14, maxit = 1e6
  )
  optimum <- as.numeric(pooled$beta)
  expect_lt(max(abs(optimum - pooled_optimum("squared", score, weights))), 1e-6)
  found <- all_nodes(fit_exact(methods[["R-ADMM"]], networks$random, "squared"))
  expect_lt(max(abs(sweep(found, 2L, optimum))), 1e-6)
})

for (loss in names(losses)) {
  test_that(sprintf("every method ends at the %s optimum of Newton's method", loss), {
    y <- if (loss %in% c("squared", "huber")) score else label
    optimum <- pooled_optimum(loss, y, weights)
    for (name in names(methods)) {
      found <- all_nodes(fit_exact(methods[[name]], networks$random, loss))
      expect_lt(max(abs(sweep(found, 2L, optimum))), 1e-8, label = paste(name, "error"))
    }
  })
}

test_that("the logistic optimum has the smallest summed objective optim() can find", {
  objective <- function(f) {
    sum(weights * log1p(exp(-label * drop(x %*% f)))) + rho * sum(f^2) / 2
  }
  found <- stats::optim(numeric(ncol(x)), objective,
    method = "BFGS", control = list(reltol = 1e-15, maxit = 1000)
  )
  best <- objective(all_nodes(fit_exact(methods[["ADMM"]], networks$ring))[1L, ])
  expect_lt(best - found$value, 1e-12 * best)
  expect_lt(found$value - best, 1e-8 * best)
})

test_that("dual steps that differ between nodes weigh their objectives by 1/theta", {
  # sum_i lambda_i/theta_i stays 0, so the fixed point solves sum_i grad O_i/theta_i = 0.
  theta <- c(0.25, 0.15, 0.2, 0.1, 0.25)
  optimum <- pooled_optimum("logistic", label, weights / theta[nodes] * mean(theta))
  method <- m_admm(eta = 0.3, growth = 1, theta = theta)
  found <- all_nodes(fit_exact(method, networks$random))
  expect_lt(max(abs(sweep(found, 2L, optimum))), 1e-8)
  expect_gt(max(abs(optimum - pooled_optimum("logistic", label, weights))), 1e-3)
})

test_that("sparse and dense records give the same fit", {
  sparse_x <- x
  sparse_x[abs(sparse_x) < 0.15] <- 0
  for (loss in names(losses)) {
    for (name in names(methods)) {
      dense <- fit_exact(methods[[name]], networks$random, loss, 11, data = sparse_x)
      sparse <- fit_exact(methods[[name]], networks$random, loss, 11,
        data = Matrix::Matrix(sparse_x, sparse = TRUE)
      )
      expect_lt(max(abs(dense$iterates - sparse$iterates)), 1e-9, label = paste(name, loss))
    }
  }
})

test_that("two threads give exactly the serial fit", {
  skip_on_cran()
  for (name in names(methods)) {
    serial <- fit_exact(methods[[name]], networks$random, iterations = 15)
    parallel <- fit_exact(methods[[name]], networks$random, iterations = 15, threads = 2)
    expect_identical(parallel$iterates, serial$iterates, label = name)
  }
})

test_that("two threads give exactly the serial noisy fit", {
  noisy <- function(threads) {
    dpadmm_fit(x, label,
      nodes = nodes, network = network_adjacency(networks$random),
      method = methods[["MR-ADMM"]], loss = "logistic", C = C, rho = rho, iterations = 15,
      noise = gamma_noise(2), seed = 3,
      control = dpadmm_control(keep_iterates = TRUE, tol = 1e-12, threads = threads)
    )
  }
  expect_identical(noisy(2)$iterates, noisy(1)$iterates)
})

test_that("relabelling the nodes relabels the exact fit", {
  new <- c(3, 5, 1, 2, 4) # node i becomes new[i]
  old <- order(new)
  eta <- c(0.3, 0.4, 0.25, 0.35, 0.3)
  for (make in list(
    function(eta) m_admm(eta, growth = 1.02, theta = 0.25),
    function(eta) mr_admm(eta, growth = 1.02, gamma = 0.5)
  )) {
    before <- fit_exact(make(eta), networks$random, iterations = 12)
    after <- fit_exact(make(eta[old]), networks$random[old, old],
      iterations = 12, by = new[nodes]
    )
    difference <- unname(after$iterates)[, new, ] - unname(before$iterates)
    expect_lt(max(abs(difference)), 1e-9)
  }
})

test_that("the order of the records does not matter", {
  shuffled <- (43 * seq_len(total)) %% total + 1
  for (loss in names(losses)) {
    y <- if (loss %in% c("squared", "huber")) score else label
    for (name in names(methods)) {
      before <- fit_exact(methods[[name]], networks$random, loss, 12, y = y)
      after <- fit_exact(methods[[name]], networks$random, loss, 12,
        data = x[shuffled, ], by = nodes[shuffled], y = y[shuffled]
      )
      expect_lt(max(abs(before$iterates - after$iterates)), 1e-9, label = paste(name, loss))
    }
  }
})
