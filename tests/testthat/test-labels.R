# How labels are coded: declared or by convention, and never by which of them occur.

n <- 20
x <- matrix(sin(seq_len(2 * n) * sqrt(3)), n) / 2
nodes <- rep_len(1:4, n)

label_fit <- function(y, ..., epsilon = 0.1) {
  dpadmm_fit(x, y, nodes = nodes, epsilon = epsilon, seed = 1, ...)
}

test_that("a fit is the same whether or not a label is 0, but for what is noisy", {
  one <- label_fit(rep(1, n))
  zero <- label_fit(c(0, rep(1, n - 1)))
  expect_identical(one$blueprint, zero$blueprint)
  expect_identical(one$plan, zero$plan)
  expect_null(zero$leaks)
  # -1 and 0 are both the negative class, also next to each other
  expect_identical(label_fit(c(-1, 0, rep(1, n - 2))), label_fit(c(0, 0, rep(1, n - 2))))
  expect_setequal(predict(label_fit(rep(0:1, n / 2), epsilon = Inf), x), c(-1, 1))
  tested <- evaluate(label_fit(rep(0:1, n / 2), epsilon = Inf), x, rep(0:1, n / 2))
  expect_identical(tested,
    evaluate(label_fit(rep(0:1, n / 2), epsilon = Inf), x, rep(c(-1, 1), n / 2)))
})

test_that("classes are declared by the argument, in fits and plans", {
  y <- rep(0:1, n / 2)
  base <- label_fit(y, epsilon = Inf)
  for (classes in list(c(0, 1), c(FALSE, TRUE), c("no", "yes"), c(2, 5))) {
    declared <- label_fit(classes[y + 1], classes = classes)
    expect_null(declared$leaks)
    expect_identical(declared$blueprint$classes, classes)
    exact <- label_fit(classes[y + 1], classes = classes, epsilon = Inf)
    expect_identical(coef(exact), coef(base))
    expect_identical(
      as.character(predict(exact, x)), as.character(classes[(predict(base, x) > 0) + 1])
    )
    expect_identical(evaluate(exact, x, classes[y + 1]), evaluate(base, x, y))
    plan <- dpadmm_plan(2, sizes = c("1" = 5, "2" = 5, "3" = 5, "4" = 5), epsilon = Inf,
      classes = classes)
    planned <- dpadmm_fit(plan, x, classes[y + 1], nodes = nodes)
    expect_identical(predict(planned, x), predict(exact, x))
  }
  # the second is the positive class
  expect_equal(coef(label_fit(y, classes = c(1, 0), epsilon = Inf)), -coef(base), tolerance = 1e-6)
  # what was not declared is an error
  expect_blame(
    label_fit(c(-1, y[-1]), classes = c(0, 1)), "labels", "y", "0 and 1; it is -1 at", 1L
  )
  expect_blame(label_fit(y > 0, classes = c(0, 1)), "labels", "y", place = 1L)
})

test_that("classes of a data frame's response are declared by the schema or the argument", {
  data <- data.frame(x, y = rep(0:1, n / 2))
  schema <- dpadmm_schema(X1 = c(-1, 1), X2 = c(-1, 1), y = c(0, 1))
  frame_fit <- function(data, ...) dpadmm_fit(y ~ ., data, nodes = nodes, epsilon = Inf, ...)
  expect_identical(frame_fit(data, schema = schema)$blueprint$classes, c(0, 1))
  bounds <- dpadmm_schema(X1 = c(-1, 1), X2 = c(-1, 1))
  expect_identical(frame_fit(data, schema = bounds)$blueprint$classes, c(-1, 1))
  expect_identical(
    coef(frame_fit(data, schema = bounds, classes = c(0, 1))),
    coef(frame_fit(data, schema = schema))
  )
  expect_blame(frame_fit(data, schema = schema, classes = c(1, 0)), "argument", "classes", "unlike")
  plan <- dpadmm_plan(y ~ X1 + X2, schema, sizes = c(10, 10), epsilon = Inf)
  expect_identical(dpadmm_fit(plan, data, nodes = 2)$blueprint$classes, c(0, 1))
})

test_that("classes that are none are refused", {
  for (bad in list(1, c(1, 1), c(1, NA), c("a", "b", "c"), list(0, 1), quote(a))) {
    expect_blame(label_fit(rep(1, n), classes = bad), "argument", "classes")
  }
  expect_blame(
    dpadmm_fit(x, x[, 1], method = fp_admm(), loss = "huber", epsilon = 1, classes = c(0, 1)),
    "argument", "classes", "has no classes"
  )
})
