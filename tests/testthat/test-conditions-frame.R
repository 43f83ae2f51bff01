# Every error has its class, names the argument and, where there is one, the place. Here:
# data frames, schemas and what a fit is asked for; and how messages read.

n <- 40
x <- matrix(sin(seq_len(3 * n)), n) / 2
y <- rep(c(-1, 1), n / 2)
nodes <- rep(1:4, n / 4)
frame <- data.frame(
  y = y > 0, age = x[, 1], smoker = rep(c("no", "yes"), each = n / 2), site = nodes
)

fit <- function(..., .x = x, .y = y, .nodes = nodes, epsilon = Inf, iterations = 2) {
  dpadmm_fit(.x, .y, nodes = .nodes, ..., epsilon = epsilon, iterations = iterations)
}

frame_fit <- function(formula = y ~ age + smoker, data = frame, nodes = ~site, ...) {
  dpadmm_fit(formula, data, nodes = nodes, ..., epsilon = Inf, iterations = 2)
}

test_that("data frames: the column and the row are named", {
  bad <- function(column, at, value) {
    data <- frame
    data[[column]][at] <- value
    data
  }
  expect_blame(frame_fit(data = bad("age", 3, NA)), "missing", "age", "row 3", 3)
  expect_blame(frame_fit(data = bad("age", 3, NaN)), "finite", "age", "NaN at row 3", 3)
  expect_blame(frame_fit(data = bad("age", 3, Inf)), "finite", "age", "Inf at row 3", 3)
  expect_blame(frame_fit(data = bad("smoker", 4, NA)), "missing", "smoker", "row 4", 4)
  expect_blame(frame_fit(data = bad("y", 5, NA)), "missing", "y", "row 5", 5)
  expect_blame(frame_fit(data = bad("site", 6, NA)), "missing", "nodes", "position 6", 6)
  expect_blame(dpadmm_fit(bad("age", 3, NA)[2:3], frame$y, nodes = 4, epsilon = Inf),
    "missing", "age", "row 3", 3
  )
  expect_blame(frame_fit(nodes = ~nowhere), "argument", "nodes", "~nowhere")
  expect_blame(frame_fit(nodes = ~ site + age), "argument", "nodes")
  expect_blame(frame_fit(data = as.list(frame)), "argument", "data", "list")
  expect_blame(frame_fit(data = frame[0, ]), "shape", "data", "no rows")
  expect_blame(frame_fit(y ~ age * offset(age)), "argument", "formula", "offset")
  error <- expect_error(frame_fit(y ~ poly(age, 2)), "poly\\(age, 2\\)",
    class = "dpadmm_error_argument")
  expect_identical(error$argument, "formula")
  expect_error(frame_fit(~age), "response", class = "dpadmm_error_argument")
  expect_error(frame_fit(y ~ nowhere), "nowhere", class = "dpadmm_error_argument")
  dated <- data.frame(day = as.Date("2020-01-01") + seq_len(n), y = frame$y)
  expect_blame(dpadmm_fit(y ~ day, dated, nodes = 4, epsilon = Inf), "argument", "day", "Date")
  expect_blame(dpadmm_fit(y ~ age, nodes = 4, epsilon = Inf), "argument", "data", "missing")
  expect_blame(dpadmm_fit(frame[2:3], nodes = 4, epsilon = Inf), "argument", "y", "missing")
  expect_error(dpadmm_fit(formula = y ~ age, data = frame, nodes = 4, epsilon = Inf),
    class = "dpadmm_error_argument"
  )
})

test_that("a problem without coefficients is refused", {
  expect_blame(frame_fit(y ~ 0), "shape", "formula")
  expect_error(dpadmm_fit(frame[0], frame$y, nodes = 4, epsilon = Inf),
    class = "dpadmm_error_shape")
})

test_that("a schema must suit its column", {
  expect_blame(dpadmm_schema(age = c(1, 1)), "argument", "age", "increase")
  expect_blame(dpadmm_schema(age = c(0, Inf)), "finite", "age", place = 2)
  expect_blame(dpadmm_schema(age = 1), "shape", "age", "length 2")
  expect_blame(dpadmm_schema(age = c(-1.7e308, 1.7e308)), "argument", "age")
  expect_blame(dpadmm_schema(sex = c("a", "a")), "argument", "sex")
  expect_blame(dpadmm_schema(sex = c("a", NA)), "argument", "sex")
  expect_error(dpadmm_schema(), class = "dpadmm_error_argument")
  expect_error(dpadmm_schema(c(0, 1)), class = "dpadmm_error_argument")
  expect_blame(frame_fit(schema = dpadmm_schema(age = c("a", "b"))), "argument", "schema",
    "numeric")
  expect_blame(frame_fit(schema = dpadmm_schema(smoker = c(0, 1))), "argument", "schema",
    "categorical")
  expect_blame(frame_fit(schema = list(age = c(0, 1))), "argument", "schema")
  expect_blame(frame_fit(schema = dpadmm_schema(smoker = c("no", "never"))), "level", "smoker",
    "\"yes\"", 21)
  error <- expect_error(
    dpadmm_fit(smoker ~ age, frame, nodes = 4, epsilon = Inf,
      schema = dpadmm_schema(smoker = c("no", "oui"))),
    "yes at position 21", class = "dpadmm_error_labels"
  )
  expect_identical(error$argument, "smoker")
})

test_that("predict() checks new data as fitting did", {
  model <- frame_fit()
  new <- data.frame(age = c(0.1, 0.2), smoker = c("no", "sometimes"))
  error <- expect_blame(predict(model, new), "level", "smoker", "\"sometimes\" at row 2", 2)
  expect_identical(error$value, "sometimes")
  expect_blame(predict(model, new[1]), "shape", "newdata", "smoker", "smoker")
  new$smoker <- "no"
  expect_blame(predict(model, transform(new, age = NA_real_)), "missing", "age", "row 1", 1)
  expect_blame(predict(model, transform(new, age = c(1, Inf))), "finite", "age", "row 2", 2)
  expect_blame(predict(model, transform(new, smoker = c("no", NA))), "missing", "smoker", "row 2",
    2)
  expect_blame(predict(model, transform(new, age = "old")), "argument", "age", "numeric")
  expect_blame(predict(model, x), "argument", "newdata", "data frame")
  expect_blame(predict(model), "argument", "newdata")
  expect_blame(predict(model, new, type = "probability"), "argument", "type", "probability")

  model <- fit()
  expect_blame(predict(model, x[, 1:2]), "shape", "newdata", "3 columns, not 2")
  expect_blame(predict(model, spoil(x, 4, NA)), "missing", "newdata", "row 4, column 1", c(4, 1))
  expect_blame(predict(model, frame), "argument", "newdata")
  named <- x
  colnames(named) <- c("a", "b", "c")
  model <- fit(.x = named)
  expect_blame(predict(model, named[, 1:2]), "shape", "newdata", "`c`", "c")
  expect_blame(predict(fit(loss = "hinge"), x, type = "response"), "argument", "type", "hinge")
  expect_blame(predict(fit(loss = "huber"), x, type = "class"), "argument", "type", "huber")
})

test_that("coef() knows its nodes", {
  model <- fit()
  for (bad in list("e", 0, 5, 1.5, NA, TRUE, c(1, 2))) {
    expect_blame(coef(model, node = bad), "argument", "node")
  }
})

test_that("the messages read well", {
  says <- function(code) tryCatch(code, error = conditionMessage)
  expect_identical(
    says(fit(.x = spoil(x, cbind(7, 2), NA))), "`x` has a missing value at row 7, column 2."
  )
  expect_identical(
    says(fit(.y = spoil(y, 9, 2))),
    "`y` must have two classes, -1 (or 0) and 1; it is 2 at position 9."
  )
  expect_identical(says(fit(.nodes = factor(nodes, 1:5))), "Node \"5\" has no records.")
  expect_identical(says(fit(C = 11)), paste(
    "`C` must be at most the number of records of every node: it is 11 for node \"1\", which has",
    "10."
  ))
  expect_identical(says(fit(rho = 0)), "`rho` must be in (0, Inf), not 0.")
  expect_identical(says(fit(method = mr_admm(growth = 0.9))),
    "`growth` must be in [1, Inf), not 0.9.")
  expect_identical(
    says(fit(method = mr_admm(eta = c(1, 2)))), "`eta` must have length 1 or 4 (one a node), not 2."
  )
  expect_identical(
    says(fit(network = network_ring(3))), "`network` has 3 nodes but the records belong to 4."
  )
  expect_identical(
    says(frame_fit(data = transform(frame, age = replace(age, 3, NA)))),
    paste("`age` has a missing value at row 3. Give it a public value by `impute` of",
      "dpadmm_schema(), or use na.action = \"omit\": see ?\"missing-values\".")
  )
  expect_identical(says(predict(frame_fit(), data.frame(age = 1, smoker = "maybe"))), paste(
    "`smoker` has the level \"maybe\" at row 1,",
    "which is not one of the declared or training levels."
  ))
})
