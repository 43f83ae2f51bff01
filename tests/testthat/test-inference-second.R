# Standard errors beyond the first order: what is taken for the third derivative of logistic data
# terms, and estimates of runs that end far from their optimum.

skip_on_cran()

# data terms of two nodes at f and at f + u, and the third derivative as they are told of it
set.seed(6)
n <- 2e4
columns <- list(
  normal = cbind(1, matrix(rnorm(3 * n, 0.2), n) %*% chol(0.05 + 0.2 * diag(3))) / 2,
  mixed = cbind(1, runif(n, -1, 1), 2 * (runif(n) < 0.3) - 1, pmax(-1, pmin(1, rnorm(n)))) / 2
)
of_node <- rep(1:2, c(15000, 5000))
parts <- list(weight = c(3 / 15000, 1 / 5000), mass = c(3, 1), share = c(3, 1) / 4)
public <- stats::setNames(rep(list(c(-1, 1)), 3), c("a", "b", "c"))
problem <- dpadmm_plan(ill ~ a + b + c, do.call(dpadmm_schema, c(public, list(ill = c("n", "y")))),
  sizes = c(15000, 5000), epsilon = Inf, iterations = 1)$problem
here <- c(-4, 1.5, -0.8, 0.7)
moved <- rbind(c(-0.2, 0.4, -0.3, 0.2), c(0.3, -0.1, 0.4, -0.2))

data_terms <- function(x, f) {
  p <- plogis(as.vector(x %*% f))
  weight <- parts$weight[of_node]
  list(H = crossprod(x, weight * p * (1 - p) * x), p = p)
}
told <- function(x, problem) {
  dpadmm:::third_order(problem, data_terms(x, here)$H, here, sum(parts$mass))
}

test_that("the curvature at another point is nearly what it is said to be", {
  left <- vapply(columns, function(x) {
    third <- told(x, problem)
    off <- vapply(1:2, function(k) {
      truth <- data_terms(x, here + moved[k, ])$H - third$H
      got <- dpadmm:::change_of_curvature(third, moved[k, ])
      expect_equal(got, t(got))
      expect_equal(as.vector(got %*% moved[k, ]),
        dpadmm:::change_of_gradient(third, moved)[k, ])
      c(sum((got - truth)^2), sum(truth^2))
    }, numeric(2))
    sum(off[1, ]) / sum(off[2, ])
  }, 0)
  expect_lt(left[["normal"]], 0.05)
  expect_lt(left[["mixed"]], 0.6) # numbers of two values have a third moment of their own
})

test_that("the second order of gradients is nearly what it is", {
  for (kind in names(columns)) {
    x <- columns[[kind]]
    third <- told(x, problem)
    at <- data_terms(x, here)
    move <- rowSums(x * moved[of_node, ])
    left <- plogis(as.vector(x %*% here) + move) - at$p - at$p * (1 - at$p) * move
    truth <- as.vector(crossprod(x, parts$weight[of_node] * left))
    place <- matrix(as.vector(sweep(moved, 2L, here, `+`)), 1L)
    got <- dpadmm:::second_order(problem, parts, place, here, third$H, solve(third$H), third)
    expect_lt(sum((got$value - truth)^2) / sum(truth^2), c(normal = 0.05, mixed = 0.6)[[kind]])
    expect_equal(got$error(1), sum(got$value %*% solve(third$H) * got$value))
  }
})

test_that("nothing is said of it for other losses and where margins have a part not known", {
  known <- function(problem) told(columns$mixed, problem)
  expect_null(known(replace(problem, "loss", list(dpadmm_loss("huber")))))
  with_offset <- problem
  with_offset$blueprint$offset <- list(call = quote(t))
  expect_null(known(with_offset))
  matrix <- dpadmm_plan(4, sizes = c(15000, 5000), epsilon = Inf, iterations = 1)$problem
  expect_identical(known(matrix)$m, numeric(4))
})

test_that("where a ridge has drawn a run far in, estimates and errors are those without it", {
  skip_if_not_installed("generics")
  x <- data.frame(a = runif(n, -1, 1), b = 2 * (runif(n) < 0.3) - 1)
  x$ill <- ifelse(runif(n) < plogis(-2 + 1.2 * x$a + 0.6 * x$b), "yes", "no")
  other <- summary(glm(ill == "yes" ~ a + b, binomial, x))$coefficients
  bounds <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), ill = c("no", "yes"))
  for (inference in c("model", "sandwich")) {
    plan <- suppressWarnings(dpadmm_plan(ill ~ a + b, bounds, sizes = c(12000, 8000),
      epsilon = 50, delta = 1e-6, inference = inference, lambda = 0.01))
    fit <- dpadmm_fit(plan, x, nodes = rep(1:2, c(12000, 8000)), seed = 1)
    expect_gt(max(abs(coef(fit) - other[, 1]) / other[, 2]), 10)
    own <- generics::tidy(fit, conf.int = TRUE)
    expect_lt(max(abs(own$estimate - other[, 1]) / other[, 2]), 2)
    expect_lt(max(abs(log(own$std.error / other[, 2]))), 0.08)
  }
})

test_that("errors of predictions are those of the table, also where a variance is seen below 0", {
  x <- data.frame(a = c(-1, 0.5, 1), b = c(1, 0, -1))
  bounds <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), ill = c("no", "yes"))
  cohort <- data.frame(a = runif(900, -1, 1), b = runif(900, -1, 1), ill = c("no", "yes", "yes"))
  fit <- dpadmm_fit(ill ~ a + b, cohort, nodes = rep(1:2, 450), schema = bounds, epsilon = 50,
    delta = 1e-6, inference = "sandwich", seed = 1)
  L <- cbind(1, x$a, x$b)
  error <- function() predict(fit, x, "link", se.fit = TRUE)$se.fit
  expect_equal(error(), unname(sqrt(rowSums((L %*% vcov(fit)) * L))))
  fit$inference$meat <- -fit$inference$meat
  only_noise <- fit
  only_noise$inference$meat <- 0 * fit$inference$meat
  expect_equal(error(), unname(sqrt(rowSums((L %*% vcov(only_noise)) * L))))
})
