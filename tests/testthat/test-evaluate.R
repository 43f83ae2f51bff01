# evaluate() and loss_trace() against formulas written out here.

set.seed(71)
n <- 60L
x <- matrix(rnorm(4 * n), n)
y <- ifelse(x[, 1] - x[, 2] + rnorm(n) > 0, 1, -1)
keep <- dpadmm_control(keep_iterates = TRUE)
short <- x * pmin(1, 1 / sqrt(rowSums(x^2)))
logistic <- function(f, x, y) mean(log(1 + exp(-y * as.vector(x %*% f))))
wrong <- function(f, x, y) mean(ifelse(x %*% f > 0, 1, -1) != y)

test_that("evaluate() is the mean loss, objective and error of the mean model", {
  fit <- dpadmm_fit(x, y,
    nodes = 3, method = r_admm(1), rho = 0.3, C = 2, noise = gamma_noise(1), iterations = 7,
    seed = 1
  )
  f <- colMeans(fit$coefficients)
  got <- evaluate(fit, x, y)
  expect_identical(names(got), c("records", "loss", "objective", "error"))
  expect_identical(got$records, n)
  expect_equal(got$loss, logistic(f, short, y), tolerance = 1e-14)
  objective <- logistic(f, short, y) + 0.3 / (2 * 3 * 2) * sum(f^2)
  expect_equal(got$objective, objective, tolerance = 1e-14)
  expect_equal(got$error, wrong(f, x, y))
  # sparse records, and labels of one class only, are fine
  expect_equal(evaluate(fit, Matrix::Matrix(x, sparse = TRUE), y), got)
  positive <- y > 0
  expect_equal(evaluate(fit, x[positive, ], y[positive])$error, wrong(f, x[positive, ], 1))
  each <- evaluate(fit, x, y, node = "all")
  expect_identical(each$node, c("1", "2", "3"))
  expect_equal(each$loss, unname(apply(fit$coefficients, 1, logistic, short, y)))
  expect_equal(evaluate(fit, x, y, node = 2)[-1], each[2, -(1:2)], ignore_attr = TRUE)
  worst <- evaluate(fit, x, y, node = "worst")
  expect_equal(worst$loss, max(each$loss))
  expect_equal(worst$error, max(each$error))
  expect_equal(evaluate(fit, x, y, node = "average")$error, mean(each$error))
})

test_that("the noiseless optimum minimises the reported objective", {
  fit <- dpadmm_fit(x, y,
    nodes = 3, method = admm(0.5), rho = 0.3, C = 2, epsilon = Inf, iterations = 400
  )
  best <- evaluate(fit, x, y)$objective
  # nodes of 20 records each: the sum of their objectives is N C times this one
  objective <- function(f) logistic(f, short, y) + 0.3 / 12 * sum(f^2)
  found <- optim(numeric(4), objective, method = "BFGS", control = list(reltol = 1e-15))
  expect_equal(best, found$value, tolerance = 1e-9)
})

test_that("objectives of the other families have their penalty", {
  z <- x[, 1] + rnorm(n)
  lasso <- dpadmm_fit(x, z,
    method = fp_admm(gamma = 2), loss = "squared", penalty = penalty_l1(0.2), epsilon = Inf,
    iterations = 30
  )
  f <- lasso$coefficients[1, ]
  got <- evaluate(lasso, x, z)
  expect_identical(names(got), c("records", "loss", "objective", "rmse"))
  expect_equal(got$loss, mean((short %*% f - z)^2) / 2)
  expect_equal(got$objective, got$loss + 0.2 * sum(abs(f)))
  expect_equal(got$rmse, sqrt(mean((short %*% f - z)^2)))
  elastic <- dpadmm_fit(x, z,
    method = dp_sgd(), loss = "huber", penalty = penalty_elastic_net(0.1, 0.4), epsilon = Inf,
    iterations = 5
  )
  f <- elastic$coefficients[1, ]
  got <- evaluate(elastic, x, z)
  expect_equal(got$objective - got$loss, 0.1 * sum(abs(f)) + 0.2 * sum(f^2))
  r <- as.vector(short %*% f - z)
  expect_equal(got$loss, mean(ifelse(abs(r) <= 1, r^2 / 2, abs(r) - 0.5)))
  fused <- dpadmm_fit(x, y,
    method = grad_admm(), C = 3, penalty = fused_lasso(4, 0.1, 0.02), epsilon = Inf,
    iterations = 20
  )
  f <- fused$coefficients[1, ]
  got <- evaluate(fused, x, y)
  expect_equal(got$objective - got$loss, (0.1 * sum(abs(diff(f))) + 0.02 * sum(abs(f))) / 3)
  # B y = c - A x with another B and c
  moved <- dpadmm_fit(x, y,
    method = grad_admm(B = 2, c = 1), penalty = penalty_l2(0.5), epsilon = Inf, iterations = 20
  )
  f <- moved$coefficients[1, ]
  got <- evaluate(moved, x, y)
  expect_equal(got$objective - got$loss, 0.25 * sum(((1 - f) / 2)^2))
  boxed <- dpadmm_fit(x, y,
    method = fp_admm(), penalty = penalty_box(-0.1, 0.1), epsilon = Inf, iterations = 20
  )
  expect_equal(evaluate(boxed, x, y)$objective, evaluate(boxed, x, y)$loss)
  boxed$coefficients[1, 1] <- 0.2
  expect_identical(evaluate(boxed, x, y)$objective, Inf)
})

test_that("loss_trace() measures every iterate", {
  fit <- dpadmm_fit(x, y,
    nodes = 3, method = r_admm(1), noise = gamma_noise(1), iterations = 6, seed = 1, control = keep
  )
  got <- loss_trace(fit, x, y)
  expect_s3_class(got, c("dpadmm_trace", "data.frame"), exact = TRUE)
  expect_identical(got$iteration, 1:6)
  for (t in 1:6) {
    f <- colMeans(fit$iterates[t, , ])
    expect_equal(got$loss[t], logistic(f, short, y))
    expect_equal(got$error[t], wrong(f, x, y))
  }
  expect_equal(got[6, -1], evaluate(fit, x, y)[-1], ignore_attr = TRUE)
  each <- loss_trace(fit, x, y, node = "all")
  expect_identical(each$node, rep(c("1", "2", "3"), each = 6))
  fourth <- each$loss[each$node == "2" & each$iteration == 4]
  expect_equal(fourth, logistic(fit$iterates[4, 2, ], short, y))
  expect_equal(loss_trace(fit, x, y, node = 2)$loss, each$loss[each$node == "2"])
  worst <- loss_trace(fit, x, y, node = "worst")
  expect_equal(worst$loss, as.vector(tapply(each$loss, each$iteration, max)))
  expect_equal(worst$error, as.vector(tapply(each$error, each$iteration, max)))
  average <- loss_trace(fit, x, y, node = "average")
  expect_identical(average$iteration, 1:6)
  expect_equal(average$loss, as.vector(tapply(each$loss, each$iteration, mean)))
  one <- dpadmm_fit(x, y, method = fp_admm(), epsilon = Inf, iterations = 5)
  expect_equal(loss_trace(one, x, y)$loss, apply(one$iterates, 1, logistic, short, y))
  expect_equal(nrow(loss_trace(one, x, y, node = "all")), 5)
})

test_that("products in several parts give the same as in one", {
  fit <- dpadmm_fit(x, y, nodes = 2, epsilon = Inf, iterations = 3)
  many <- 2e5 # at 4e6 numbers at a time: 20 models
  records <- list(
    x = matrix(rep(x, length.out = many * 4), many), y = rep_len(y, many), shorten = rep(1, many)
  )
  models <- matrix(rnorm(4 * 45), 4)
  got <- dpadmm:::measure(fit, records, models)
  for (k in c(1, 20, 21, 45)) expect_equal(got$loss[k], logistic(models[, k], records$x, records$y))
})

test_that("data frames are encoded as in training", {
  people <- data.frame(age = sample(20:80, n, TRUE), kind = sample(letters[1:3], n, TRUE))
  people$ill <- ifelse(people$age + rnorm(n, sd = 20) > 50, "yes", "no")
  schema <- dpadmm_schema(age = c(0, 100), kind = letters[1:4], ill = c("no", "yes"))
  fit <- dpadmm_fit(ill ~ age + kind, people,
    nodes = 3, schema = schema, epsilon = 30, seed = 1, control = keep
  )
  by_hand <- cbind(1, people$age, outer(people$kind, letters[1:4], `==`))
  sign <- ifelse(people$ill == "yes", 1, -1)
  got <- evaluate(fit, people)
  expect_equal(got$loss, logistic(coef(fit), by_hand, sign))
  expect_equal(got$error, mean(predict(fit, people) != people$ill))
  expect_equal(evaluate(fit, people[1:2], people$ill), got)
  expect_equal(evaluate(fit, people[1:2], factor(people$ill)), got)
  expect_equal(tail(loss_trace(fit, people)$loss, 1), got$loss)
  # a computed response is computed again
  older <- suppressWarnings(
    dpadmm_fit(age > 50 ~ kind, people, nodes = 2, epsilon = Inf, iterations = 3)
  )
  expect_equal(evaluate(older, people)$error, mean(predict(older, people) != (people$age > 50)))
  framed <- suppressWarnings(
    dpadmm_fit(people[1:2], people$ill, nodes = 2, epsilon = Inf, iterations = 3)
  )
  error <- mean(predict(framed, people) != people$ill)
  expect_equal(evaluate(framed, people[1:2], people$ill)$error, error)
  expect_error(evaluate(framed, people[1:2]), class = "dpadmm_error_argument")
  expect_error(evaluate(fit, people[1]), class = "dpadmm_error_shape")
  expect_error(evaluate(fit, people[1:2]), class = "dpadmm_error_argument")
  expect_error(evaluate(fit, by_hand, sign), class = "dpadmm_error_argument")
  expect_error(evaluate(fit, transform(people, kind = "e")), class = "dpadmm_error_level")
  expect_error(evaluate(fit, transform(people, age = NA)), class = "dpadmm_error_missing")
  expect_error(evaluate(fit, transform(people, ill = "maybe")), class = "dpadmm_error_labels")
  expect_error(evaluate(fit, people, sign), class = "dpadmm_error_labels")
  expect_error(evaluate(fit, people, sign > 0), class = "dpadmm_error_labels")
})

test_that("other bad input is refused by class", {
  fit <- dpadmm_fit(x, y, nodes = 3, epsilon = Inf, iterations = 3, seed = 1)
  expect_error(loss_trace(fit, x, y), class = "dpadmm_error_argument")
  expect_error(evaluate(fit), class = "dpadmm_error_argument")
  expect_error(evaluate(fit, x), class = "dpadmm_error_argument")
  error <- expect_error(evaluate(fit, x[, 1:3], y), class = "dpadmm_error_shape")
  expect_identical(error$argument, "x")
  expect_error(evaluate(fit, x, y[-1]), class = "dpadmm_error_shape")
  expect_error(evaluate(fit, x, replace(y, 4, NA)), class = "dpadmm_error_missing")
  for (other in list(y > 0, factor(y), as.character(y), y + 0.5)) {
    expect_error(evaluate(fit, x, other), class = "dpadmm_error_labels")
  }
  truth <- dpadmm_fit(x, y > 0, nodes = 3, epsilon = Inf, iterations = 3, seed = 1)
  expect_equal(evaluate(truth, x, y > 0), evaluate(fit, x, y))
  expect_error(evaluate(truth, x, (y + 1) / 2), class = "dpadmm_error_labels")
  expect_error(evaluate(fit, x, y, node = 4), class = "dpadmm_error_argument")
  expect_error(evaluate(fit, x, y, nodes = 1), class = "dpadmm_error_argument")
  numbers <- dpadmm_fit(x, x[, 1],
    method = fp_admm(), loss = "huber", epsilon = Inf, iterations = 3
  )
  expect_error(evaluate(numbers, x, letters[1:3][rep_len(1:3, n)]), class = "dpadmm_error_argument")
  expect_error(evaluate(numbers, x, replace(x[, 1], 2, Inf)), class = "dpadmm_error_finite")
  expect_error(loss_trace(numbers, x, x[, 1], node = "b"), class = "dpadmm_error_argument")
})

test_that("traces are drawn with either graphics", {
  fit <- dpadmm_fit(x, y, nodes = 3, epsilon = Inf, iterations = 4, control = keep)
  path <- loss_trace(fit, x, y, node = "all")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(path), path)
  expect_error(plot(path, what = "rmse"), class = "dpadmm_error_argument")
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(path))
  drawn <- built$data[[1]]
  expect_equal(sort(drawn$y), sort(c(path$loss, path$error)))
  expect_length(unique(drawn$linetype), 3)
})
