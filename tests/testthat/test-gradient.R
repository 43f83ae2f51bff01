# The front door of gradient ADMM: what may be given, what comes back.

n <- 120
d <- 5
x <- matrix(sin(seq_len(n * d) * sqrt(5)), n) / 3
y <- ifelse(x[, 1] - x[, 2] + 0.1 * cos(seq_len(n)) > 0, 1, -1)
fit <- function(method = grad_admm(), ..., .x = x, .y = y, epsilon = Inf, iterations = 10) {
  dpadmm_fit(.x, .y, method = method, ..., epsilon = epsilon, iterations = iterations)
}
penalty <- graph_guided(rbind(c(1, 2), c(4, 5)), 0.01, 0.02, d = d)

test_that("a fit has the shape it promises", {
  one <- fit(acc_admm(), penalty = penalty)
  expect_s3_class(one, "dpadmm_fit")
  expect_identical(dim(coef(one, "all")), c(1L, 5L))
  expect_identical(dim(one$iterates), c(10L, 5L))
  expect_length(one$y, 7)
  expect_length(one$u, 7)
  expect_identical(nrow(one$trace), 10L)
  A <- as.matrix(penalty$A)
  expect_equal(one$trace$gap[10], sqrt(sum((A %*% coef(one) - one$y)^2)), tolerance = 1e-12)
  expect_equal(one$trace$step[10], sqrt(sum((one$iterates[10, ] - one$iterates[9, ])^2)),
    tolerance = 1e-12)
  expect_null(fit(control = dpadmm_control(keep_iterates = FALSE))$iterates)
  # iterates are a prefix of a longer run's
  expect_identical(fit(acc_admm(), penalty = penalty, iterations = 15)$iterates[1:10, ],
    one$iterates)
})

test_that("x may be a data frame, a formula, a dense or a sparse matrix", {
  data <- data.frame(label = y, a = x[, 1], b = x[, 2])
  schema <- dpadmm_schema(a = c(-0.5, 0.5), b = c(-0.5, 0.5))
  formula <- dpadmm_fit(label ~ a + b, data, schema = schema, method = grad_admm(), epsilon = Inf,
    iterations = 10)
  by_hand <- fit(.x = cbind(1, 2 * x[, 1], 2 * x[, 2]) / sqrt(3) * dpadmm:::.inside)
  released <- coef(formula, scale = "schema")
  expect_equal(unname(released), unname(coef(by_hand)), tolerance = 1e-12)
  frame <- dpadmm_fit(data[-1], y, schema = schema, method = grad_admm(), epsilon = Inf,
    iterations = 10)
  expect_equal(coef(frame), coef(formula), tolerance = 1e-12)
  expect_length(predict(formula, data), n)
  expect_equal(coef(fit(.x = Matrix::Matrix(x, sparse = TRUE))), coef(fit()), tolerance = 1e-12)
  expect_equal(coef(fit(grad_admm(A = as.matrix(penalty$A)))), coef(fit(grad_admm(A = penalty$A))),
    tolerance = 1e-12)
  expect_identical(coef(fit(nodes = NULL)), coef(fit(nodes = 1)))
})

test_that("a penalty may be given by the fit, the method or its A, but once", {
  want <- coef(fit(penalty = penalty))
  expect_identical(coef(fit(grad_admm(penalty = penalty))), want)
  expect_identical(coef(fit(grad_admm(A = penalty))), want)
  expect_error(fit(grad_admm(A = penalty), penalty = penalty_l1(1)),
    class = "dpadmm_error_argument")
  expect_error(fit(grad_admm(penalty = penalty_l1(1)), penalty = penalty_l1(1)),
    class = "dpadmm_error_argument")
  expect_error(fit(grad_admm(A = diag(d)), penalty = penalty), class = "dpadmm_error_argument")
  expect_error(fit(penalty = "l1"), class = "dpadmm_error_argument")
})

test_that("gamma is eta rho ||A'A|| + 1 unless given, and a smaller one warns with the bound", {
  norm <- max(eigen(as.matrix(Matrix::crossprod(penalty$A)))$values)
  expect_equal(fit(grad_admm(eta = 2, rho = 0.3), penalty = penalty)$plan$gamma, 0.6 * norm + 1,
    tolerance = 1e-7)
  expect_equal(fit(penalty = penalty)$plan$eta, 4)
  expect_warning(low <- fit(grad_admm(eta = 2, rho = 0.3, gamma = 1), penalty = penalty),
    sprintf("%.4g", 0.6 * norm + 1), class = "dpadmm_warning_theorem"
  )
  expect_identical(low$plan$gamma, 1)
  expect_no_warning(fit(grad_admm(eta = 2, rho = 0.3, gamma = 10), penalty = penalty))
  chain <- fused_lasso(400, 1)$A
  expect_equal(largest_eigenvalue(chain), max(eigen(as.matrix(Matrix::crossprod(chain)))$values),
    tolerance = 1e-2)
  expect_identical(largest_eigenvalue(Matrix::sparseMatrix(i = 1, j = 1, x = 0, dims = c(2, 3))), 0)
})

test_that("bad input is a classed error that names the argument", {
  expect_error(grad_admm(eta = 0), class = "dpadmm_error_argument")
  expect_error(acc_admm(eta = -1), class = "dpadmm_error_argument")
  expect_error(grad_admm(eta = NA_real_), class = "dpadmm_error_missing")
  expect_error(grad_admm(rho = 0), class = "dpadmm_error_argument")
  expect_error(grad_admm(gamma = 0), class = "dpadmm_error_argument")
  expect_error(grad_admm(clip = Inf), class = "dpadmm_error_finite")
  expect_error(grad_admm(mu = 1), class = "dpadmm_error_argument")
  expect_error(grad_admm(init = "exact"), class = "dpadmm_error_argument")
  expect_error(grad_admm(A = matrix(0, 0, d)), class = "dpadmm_error_shape")
  expect_error(grad_admm(A = matrix(0, 3, 0)), class = "dpadmm_error_shape")
  expect_error(grad_admm(A = "W"), class = "dpadmm_error_argument")
  expect_error(grad_admm(A = matrix(NA_real_, 2, d)), class = "dpadmm_error_missing")
  expect_error(fit(grad_admm(A = diag(d + 1))), class = "dpadmm_error_shape")
  expect_error(fit(penalty = fused_lasso(d + 1, 1)), class = "dpadmm_error_shape")
  expect_error(grad_admm(A = diag(d), c = numeric(d - 1)), class = "dpadmm_error_shape")
  expect_error(fit(grad_admm(c = numeric(d + 1))), class = "dpadmm_error_shape")
  expect_error(fit(grad_admm(c = numeric(3)), penalty = penalty), class = "dpadmm_error_shape")
  expect_error(grad_admm(c = NaN), class = "dpadmm_error_finite")
  expect_error(grad_admm(B = 0), class = "dpadmm_error_argument")
  expect_error(grad_admm(B = c(1, 0, -1)), "singular.*position 2", class = "dpadmm_error_argument")
  expect_error(grad_admm(B = diag(c(1, 0))), "singular", class = "dpadmm_error_argument")
  expect_error(grad_admm(B = matrix(1, 2, 2)), "diagonal", class = "dpadmm_error_argument")
  expect_error(grad_admm(B = matrix(1, 2, 3)), class = "dpadmm_error_shape")
  expect_error(fit(grad_admm(B = rep(-1, d + 1))), class = "dpadmm_error_shape")
  expect_error(fit(nodes = rep(1:2, n)), class = "dpadmm_error_shape")
  expect_error(fit(nodes = rep("A", n)), class = "dpadmm_error_nodes")
  expect_identical(fit(nodes = rep(1, n))$coefficients, fit()$coefficients)
  expect_error(fit(network = network_ring()), class = "dpadmm_error_argument")
  expect_error(fit(rho = 1), class = "dpadmm_error_argument")
  expect_error(fit(.y = 3 * x[, 1], loss = "squared", epsilon = 1, delta = 1e-5), "clip",
    class = "dpadmm_error_argument")
  expect_error(fit(control = dpadmm_control(start = 1:2)), class = "dpadmm_error_shape")
})

test_that("steps that diverge are an error, not a fit", {
  expect_error(
    suppressWarnings(fit(grad_admm(eta = 1e3, rho = 10, gamma = 1e-3), penalty = penalty_l2(1),
      iterations = 500)),
    "eta", class = "dpadmm_error_finite"
  )
})

test_that("B may be one number, a vector or a diagonal matrix", {
  want <- coef(fit(grad_admm(B = -2), penalty = penalty_l1(0.1)))
  expect_identical(coef(fit(grad_admm(B = rep(-2, d)), penalty = penalty_l1(0.1))), want)
  expect_identical(coef(fit(grad_admm(B = diag(-2, d)), penalty = penalty_l1(0.1))), want)
  expect_identical(coef(fit(grad_admm(B = Matrix::Diagonal(d, -2)), penalty = penalty_l1(0.1))),
    want)
})

test_that("printing, summaries and pictures work without a network", {
  skip_if_not_installed("generics")
  one <- dpadmm_fit(x, y, method = acc_admm(A = as.matrix(penalty$A)), penalty = penalty_l1(0.1),
    iterations = 5,
    epsilon = 1, delta = 1e-5, seed = 1)
  expect_output(print(one), "120 records")
  expect_output(print(summary(one)), "constraint residual")
  expect_output(print(one$plan$method), "7 x 5 matrix")
  expect_identical(nrow(generics::tidy(one)), 5L)
  expect_equal(generics::glance(one)$records, n)
  panels <- levels(plot_data(one)$panel)
  expect_identical(panels,
    c("constraint residual", "step size", "epsilon spent", "epsilon against delta"))
  spent <- privacy(one, iterations = TRUE)
  expect_equal(spent$epsilon[5], 1, tolerance = 1e-8)
  expect_true(all(diff(spent$epsilon) > 0))
})

test_that("the result is the same for any number of threads, and for large sparse data", {
  big <- 20000
  rows <- rep(seq_len(big), each = 4)
  columns <- (rows * 7L + seq_along(rows) * 13L) %% 50L + 1L
  sparse <- Matrix::sparseMatrix(i = rows, j = columns, x = cos(rows), dims = c(big, 50))
  label <- rep(c(1, -1, -1), length.out = big)
  run <- function(threads, x = sparse, ...) {
    dpadmm_fit(x, label, method = acc_admm(...), penalty = fused_lasso(50, 1e-3, 1e-4),
      iterations = 5, epsilon = 1,
      delta = 1e-5, seed = 3, control = dpadmm_control(threads = threads))
  }
  one <- run(1)
  expect_identical(run(2)$iterates, one$iterates)
  expect_identical(run(7)$iterates, one$iterates)
  expect_equal(run(1, as.matrix(sparse))$iterates, one$iterates, tolerance = 1e-10)
  expect_identical(run(2, as.matrix(sparse))$iterates, run(1, as.matrix(sparse))$iterates)
  expect_identical(run(2, clip = 0.2)$iterates, run(1, clip = 0.2)$iterates)
})
