# Every error has its class, names the argument and, where there is one, the place.

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

spoil <- function(what, at, value) {
  what[at] <- value
  what
}

#' The error of `code`: its kind, its argument, its place and words of its message.
expect_blame <- function(code, kind, argument, message = NULL, place = NULL) {
  error <- tryCatch(
    {
      force(code)
      NULL
    },
    error = identity
  )
  expect_identical(
    class(error), c(paste0("dpadmm_error_", kind), "dpadmm_error", "error", "condition")
  )
  expect_identical(error$argument, argument)
  expect_equal(error$place, place)
  text <- conditionMessage(error)
  expect_match(text, argument, fixed = TRUE, label = "the message")
  if (!is.null(message)) expect_match(text, message, fixed = TRUE)
  # nothing of the data rides along
  expect_lt(length(serialize(error, NULL)), 4000)
  expect_lte(length(error$value), 2L)
  invisible(error)
}

test_that("missing and infinite predictors name row and column", {
  at <- cbind(7, 2)
  expect_blame(fit(.x = spoil(x, at, NA)), "missing", "x", "row 7, column 2", c(7, 2))
  expect_blame(fit(.x = spoil(x, at, NaN)), "finite", "x", "NaN at row 7, column 2", c(7, 2))
  expect_blame(fit(.x = spoil(x, at, Inf)), "finite", "x", "Inf at row 7, column 2", c(7, 2))
  expect_blame(fit(.x = spoil(x, at, -Inf)), "finite", "x", "-Inf at row 7, column 2", c(7, 2))
  # a sparse matrix counts its entries otherwise: an empty column before the bad one
  sparse <- x
  sparse[, 1] <- 0
  sparse[1:5, 2] <- 0
  for (bad in c(NA, NaN, Inf)) {
    given <- Matrix::Matrix(spoil(sparse, cbind(40, 3), bad), sparse = TRUE)
    expect_blame(
      fit(.x = given), if (is.na(bad) && !is.nan(bad)) "missing" else "finite", "x",
      "row 40, column 3", c(40, 3)
    )
  }
})

test_that("what is no matrix of numbers, or is empty, is refused", {
  expect_blame(fit(.x = as.list(1:n)), "argument", "x", "list")
  expect_blame(fit(.x = seq_len(n)), "argument", "x")
  expect_blame(fit(.x = matrix("a", n, 2)), "argument", "x")
  expect_blame(fit(.x = x[, 0]), "shape", "x", "40 x 0")
  expect_blame(fit(.x = x[0, ], .y = y[0]), "shape", "x", "0 x 3")
})

test_that("labels must be of two classes, one a record", {
  expect_blame(fit(.y = y[-1]), "shape", "y", "40")
  expect_blame(fit(.y = c(y, 1)), "shape", "y", "41")
  expect_blame(fit(.y = NULL), "shape", "y")
  expect_blame(fit(.y = spoil(y, 9, NA)), "missing", "y", "position 9", 9)
  expect_blame(fit(.y = spoil(y, 9, NaN)), "finite", "y", "NaN at position 9", 9)
  expect_blame(fit(.y = spoil(y, 9, Inf)), "finite", "y", "position 9", 9)
  expect_blame(fit(.y = spoil(y, 9, 2)), "labels", "y", "2 at position 9", 9)
  expect_blame(fit(.y = factor(rep("a", n))), "labels", "y", "two classes, not 1")
  expect_blame(fit(.y = rep_len(c("a", "b", "c"), n)), "labels", "y", "two classes, not 3")
  expect_blame(fit(.y = factor(rep_len(c("a", "b"), n), c("a", "b", "c"))), "labels", "y", "not 3")
  expect_blame(fit(.y = as.complex(y)), "argument", "y", "complex")
  expect_blame(fit(.y = as.list(y)), "argument", "y", "list")
  expect_blame(dpadmm_fit(x, nodes = 4, epsilon = 1), "argument", "y", "missing")
})

test_that("labels that are all the same are no error, which would tell of one that differs", {
  for (same in list(1, -1, 0, TRUE, factor("a", c("a", "b")))) {
    model <- fit(.x = abs(x), .y = rep(same, n))
    expect_true(all(predict(model, abs(x)) == same))
  }
})

test_that("a regression loss takes any finite numbers, nothing else", {
  expect_blame(fit(.y = spoil(x[, 1], 3, Inf), loss = "huber"), "finite", "y", "position 3", 3)
  expect_blame(fit(.y = factor(y), loss = "huber"), "argument", "y", "factor")
  expect_blame(fit(loss = "squared", epsilon = 1), "argument", "loss", "huber")
})

test_that("who holds what must be clear", {
  expect_blame(dpadmm_fit(x, y, epsilon = 1), "argument", "nodes", "missing")
  expect_blame(fit(.nodes = NULL), "nodes", "nodes")
  expect_blame(fit(.nodes = 1), "argument", "nodes", "[2, 40]", 1)
  expect_blame(fit(.nodes = 41), "argument", "nodes", "[2, 40]", 1)
  expect_blame(fit(.nodes = 2.5), "argument", "nodes", "whole number", 1)
  expect_blame(fit(.nodes = NaN), "finite", "nodes", place = 1)
  expect_blame(fit(.nodes = nodes[-1]), "shape", "nodes", "40")
  expect_blame(fit(.nodes = spoil(nodes, 5, NA)), "missing", "nodes", "position 5", 5)
  expect_blame(fit(.nodes = ~site), "shape", "nodes")
  error <- expect_error(fit(.nodes = factor(nodes, 1:5)), "\"5\" has no records",
    class = "dpadmm_error_nodes"
  )
  expect_identical(error[c("argument", "place")], list(argument = "nodes", place = "5"))
  error <- expect_error(fit(.nodes = rep("a", n)), "two nodes", class = "dpadmm_error_nodes")
  expect_identical(error$argument, "nodes")
})

test_that("C is at most the records of every node", {
  uneven <- rep(c("a", "b", "c"), c(20, 6, 14))
  error <- expect_blame(fit(.nodes = uneven, C = 6.5), "argument", "C", "node \"b\" has 6", "b")
  expect_identical(error$value, 6.5)
  expect_s3_class(fit(.nodes = uneven, C = 6), "dpadmm_fit")
})

test_that("numbers of the problem are in their range", {
  for (name in c("C", "rho")) {
    for (bad in list(0, -1)) {
      expect_blame(do.call(fit, setNames(list(bad), name)), "argument", name, "(0, Inf)", 1)
    }
    expect_blame(do.call(fit, setNames(list(NaN), name)), "finite", name, "NaN", 1)
    expect_blame(do.call(fit, setNames(list(Inf), name)), "finite", name, "Inf", 1)
    expect_blame(do.call(fit, setNames(list(NA_real_), name)), "missing", name, place = 1)
    expect_blame(do.call(fit, setNames(list("1"), name)), "argument", name)
    expect_blame(do.call(fit, setNames(list(c(1, 1)), name)), "shape", name, "length 1")
  }
  expect_blame(fit(iterations = 0), "argument", "iterations", "whole number", 1)
  expect_blame(fit(iterations = 1.5), "argument", "iterations", "1.5", 1)
  expect_blame(fit(iterations = Inf), "finite", "iterations", place = 1)
  expect_blame(fit(seed = -1), "argument", "seed", place = 1)
  expect_blame(fit(seed = 0.5), "argument", "seed", place = 1)
  expect_blame(fit(penalty = 1), "argument", "penalty")
  expect_blame(fit(loss = "foo"), "argument", "loss", "foo")
  expect_blame(fit(method = "ridge"), "argument", "method")
  expect_blame(fit(method = admm), "argument", "method")
  expect_blame(fit(network = "ring"), "argument", "network")
  expect_blame(fit(control = list()), "argument", "control")
  expect_blame(fit(iteration_count = 3), "argument", "iteration_count", "Unknown")
})

test_that("budget and noise are positive, and exactly one is given", {
  expect_blame(fit(epsilon = 0), "argument", "epsilon", "(0, Inf)", 1)
  expect_blame(fit(epsilon = -1), "argument", "epsilon", "-1", 1)
  expect_blame(fit(epsilon = -Inf), "argument", "epsilon", "-Inf", 1)
  expect_blame(fit(epsilon = NaN), "finite", "epsilon", "NaN", 1)
  expect_blame(fit(epsilon = NA_real_), "missing", "epsilon", place = 1)
  expect_blame(fit(epsilon = "1"), "argument", "epsilon")
  expect_blame(fit(epsilon = 1, delta = 1), "argument", "delta", "[0, 1)", 1)
  expect_blame(fit(epsilon = 1, delta = -0.1), "argument", "delta", place = 1)
  expect_blame(fit(epsilon = 1, delta = NaN), "finite", "delta", place = 1)
  expect_blame(fit(noise = gamma_noise(1)), "argument", "epsilon", "exactly one")
  expect_blame(dpadmm_fit(x, y, nodes = 4), "argument", "epsilon", "exactly one")
  expect_blame(dpadmm_fit(x, y, nodes = 4, noise = 1), "argument", "noise")
  for (bad in list(0, -1, c(1, 0))) {
    expect_blame(gamma_noise(bad), "argument", "alpha", place = length(bad))
    expect_blame(gaussian_noise(bad), "argument", "sigma", place = length(bad))
  }
  expect_blame(gamma_noise(Inf), "finite", "alpha", place = 1)
  expect_blame(dpadmm_fit(x, y, nodes = 4, noise = gaussian_noise(1)), "accountant", "delta")
  error <- expect_error(dpadmm_fit(x, y, nodes = 4, noise = gamma_noise(1:3)), "4 \\(one a node\\)",
    class = "dpadmm_error_shape"
  )
  expect_identical(error$argument, "noise")
  error <- expect_error(
    dpadmm_fit(x, y, nodes = 4, noise = gamma_noise(matrix(1, 4, 2)), iterations = 10),
    "4 x 5 matrix", class = "dpadmm_error_shape"
  )
  expect_identical(error$argument, "noise")
})

test_that("a budget out of reach says what noise cannot buy down", {
  # 1 noisy update: log(1 + c1 C/(B Lam)) remains, Lam = rho/N + 2 eta V = 0.0025 + 6
  floor <- log1p(0.25 / 10 / (0.01 / 4 + 6))
  method <- mr_admm(eta = 1, growth = 1)
  error <- expect_error(fit(epsilon = floor / 2, method = method, C = 1),
    class = "dpadmm_error_budget"
  )
  expect_identical(error$argument, "epsilon")
  expect_equal(error$floor, floor, tolerance = 1e-6)
  expect_s3_class(fit(epsilon = floor * 1.01, method = method, C = 1), "dpadmm_fit")
  # the other way, nobody asked about an interval
  expect_blame(fit(epsilon = 1e15, method = method, C = 1), "argument", "epsilon")
})

test_that("parameters of methods are in their range", {
  positive <- list(
    eta = function(v) admm(eta = v), eta = function(v) m_admm(eta = v),
      theta = function(v) m_admm(theta = v),
    eta = function(v) r_admm(eta = v), eta = function(v) mr_admm(eta = v)
  )
  for (k in seq_along(positive)) {
    name <- names(positive)[k]
    expect_blame(positive[[k]](0), "argument", name, "(0, Inf)", 1)
    expect_blame(positive[[k]](c(1, -2)), "argument", name, "position 2", 2)
    expect_blame(positive[[k]](NaN), "finite", name, place = 1)
    expect_blame(positive[[k]](c(1, 1, Inf)), "finite", name, "position 3", 3)
    expect_blame(positive[[k]](NA_real_), "missing", name, place = 1)
    expect_blame(positive[[k]]("1"), "argument", name)
    expect_blame(fit(method = positive[[k]](c(1, 1, 1))), "shape", name, "1 or 4")
  }
  for (make in list(m_admm, mr_admm)) {
    expect_blame(make(growth = 0.99), "argument", "growth", "[1, Inf)", 1)
    expect_blame(make(growth = c(1.1, 0.9)), "argument", "growth", "position 2", 2)
    expect_blame(fit(method = make(growth = 1e200), iterations = 8), "finite", "growth",
      place = if (identical(make, m_admm)) c(1, 2) else c(1, 3)
    )
  }
  expect_blame(r_admm(gamma = -0.1), "argument", "gamma", "[0, Inf)", 1)
  expect_blame(mr_admm(gamma = c(0, -1)), "argument", "gamma", "position 2", 2)
  expect_blame(admm(perturb = "both"), "argument", "perturb", "both")
  expect_s3_class(r_admm(gamma = 0), "dpadmm_method")
  expect_s3_class(mr_admm(growth = 1), "dpadmm_method")
})

test_that("settings are in their range", {
  expect_blame(dpadmm_control(tol = 0), "argument", "tol", place = 1)
  expect_blame(dpadmm_control(threads = 0), "argument", "threads", place = 1)
  expect_blame(dpadmm_control(threads = 1.5), "argument", "threads", place = 1)
  expect_blame(dpadmm_control(keep_iterates = NA), "argument", "keep_iterates")
  expect_blame(dpadmm_control(row_bound = 0), "argument", "row_bound", place = 1)
  expect_blame(dpadmm_control(row_bound = Inf), "finite", "row_bound", place = 1)
  expect_blame(dpadmm_control(accountant = "rdp"), "argument", "accountant", "rdp")
  expect_blame(dpadmm_control(start = c(0, NaN)), "finite", "start", "position 2", 2)
  expect_blame(dpadmm_control(start = "zero"), "argument", "start")
  expect_blame(fit(control = dpadmm_control(start = c(0, 0))), "shape", "start", "length 3")
  expect_blame(fit(control = dpadmm_control(start = matrix(0, 3, 4))), "shape", "start", "4 x 3")
  expect_blame(dpadmm_loss("hinge", width = 0), "argument", "width", place = 1)
  expect_blame(dpadmm_loss("logistic", width = 1), "argument", "width")
})

test_that("the network fits the nodes", {
  error <- expect_error(fit(network = network_ring(3)), "3 nodes.*belong to 4",
    class = "dpadmm_error_nodes"
  )
  expect_identical(error$argument, "network")
  A <- matrix(1, 3, 3) - diag(3)
  rownames(A) <- c("a", "b", "c")
  error <- expect_error(fit(.nodes = rep_len(c("a", "b", "q"), n), network = network_adjacency(A)),
    "\"q\"", class = "dpadmm_error_nodes"
  )
  expect_identical(error$place, "q")
})

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
  expect_blame(frame_fit(y ~ age + offset(age)), "argument", "formula", "offset")
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
    says(fit(.y = spoil(y, 9, 2))), "`y` must have two classes, -1 and 1; it is 2 at position 9."
  )
  expect_identical(says(fit(.nodes = factor(nodes, 1:5))), "Node \"5\" has no records.")
  expect_identical(says(fit(C = 11)), paste(
    "`C` must be at most the number of records of every node: C = 11, but node \"1\" has 10."
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
    "`age` has a missing value at row 3."
  )
  expect_identical(says(predict(frame_fit(), data.frame(age = 1, smoker = "maybe"))), paste(
    "`smoker` has the level \"maybe\" at row 1,",
    "which is not one of the declared or training levels."
  ))
})

test_that("an error's call is the user's function, without its data", {
  error <- tryCatch(do.call(dpadmm_fit, list(x, y[-1], nodes = 4, epsilon = 1)), error = identity)
  expect_lt(length(serialize(conditionCall(error), NULL)), 500)
  error <- tryCatch(fit(.y = y[-1]), error = identity)
  expect_identical(conditionCall(error), quote(dpadmm_fit()))
})
