# The front door: what may be given, and what a fit tells of it beyond its budget.

n <- four_nodes$n
x <- four_nodes$x
y <- four_nodes$y
nodes <- four_nodes$nodes
plain <- plain_method()
fit <- fit_four_nodes
found <- node_coefficients
base <- fit()

# ---- what may be given --------------------------------------------------------------

test_that("dense, sparse and integer matrices give one fit", {
  sparse <- methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")
  expect_equal(found(fit(.x = sparse)), found(base), tolerance = 1e-9)
  triplet <- methods::as(sparse, "TsparseMatrix")
  expect_equal(found(fit(.x = triplet)), found(base), tolerance = 1e-9)
  expect_equal(found(fit(.x = methods::as(sparse, "unpackedMatrix"))), found(base),
    tolerance = 1e-9)

  whole <- round(2 * x)
  reference <- found(fit(.x = whole))
  integer <- whole
  storage.mode(integer) <- "integer"
  expect_identical(found(fit(.x = integer)), reference)
  with_zeros <- Matrix::Matrix(whole, sparse = TRUE)
  expect_lt(length(with_zeros@x), length(whole))
  expect_equal(found(fit(.x = with_zeros)), reference, tolerance = 1e-9)
  expect_identical(found(fit(.x = whole > 0)), found(fit(.x = (whole > 0) * 1)))
  pattern <- methods::as(Matrix::Matrix(whole > 0, sparse = TRUE), "nMatrix")
  expect_equal(found(fit(.x = pattern)), found(fit(.x = whole > 0)), tolerance = 1e-9)
})

test_that("sparse rows are those of their columns, also of more than two bytes count", {
  at <- c(1:3, 65535:65538)
  few <- matrix(sin(seq_len(60 * 7) * sqrt(2)), 60) / sqrt(7)
  wide <- Matrix::sparseMatrix(as.vector(row(few)), at[col(few)], x = as.vector(few),
    dims = c(60, 65538))
  model <- function(x) {
    unname(suppressWarnings(dpadmm_fit(x, rep_len(c(-1, 1, 1, -1, 1), 60), nodes = 2,
      epsilon = Inf, iterations = 2, C = 1, seed = 1, intercept = FALSE)$coefficients))
  }
  found <- model(wide)
  expect_equal(found[, at], model(few), tolerance = 1e-6)
  expect_true(all(found[, -at] == 0))
})

test_that("data frames and formulas give the fit of the matrix they stand for", {
  data <- data.frame(y = y, a = x[, 1], b = x[, 2], g = rep_len(c("u", "v", "w"), n), at = nodes)
  schema <- dpadmm_schema(a = c(-0.5, 0.3), b = c(-1, 1), g = c("w", "v", "u"))
  by_hand <- cbind(
    1, (pmin(data$a, 0.3) + 0.1) / 0.4, data$b, data$g == "w", data$g == "v", data$g == "u"
  ) / sqrt(4) * dpadmm:::.inside
  want <- fit(.x = by_hand)
  formula <- dpadmm_fit(y ~ a + b + g, data, nodes = ~at, schema = schema,
    method = plain, C = 1, epsilon = Inf, iterations = 6)
  expect_equal(found(formula), found(want), tolerance = 1e-9)
  expect_identical(names(coef(formula)), c("(Intercept)", "a", "b", "gw", "gv", "gu"))
  dotted <- dpadmm_fit(y ~ ., data, nodes = ~at, schema = schema,
    method = plain, C = 1, epsilon = Inf, iterations = 6)
  expect_identical(coef(dotted, "all"), coef(formula, "all"))
  columns <- dpadmm_fit(data[c("a", "b", "g")], data$y,
    nodes = data$at, schema = schema, method = plain, C = 1, epsilon = Inf, iterations = 6
  )
  expect_identical(coef(columns, "all"), coef(formula, "all"))
  with_nodes <- dpadmm_fit(data[c("a", "b", "g", "at")], data$y,
    nodes = ~at, schema = schema, method = plain, C = 1, epsilon = Inf, iterations = 6
  )
  expect_identical(coef(with_nodes, "all"), coef(formula, "all"))
  bare <- dpadmm_fit(y ~ a + b - 1, data, nodes = ~at, schema = schema,
    method = plain, C = 1, epsilon = Inf, iterations = 6)
  # without an intercept nothing takes up a shift
  unshifted <- cbind(pmin(data$a, 0.3) / 0.5, data$b) / sqrt(2)
  expect_equal(found(bare), found(fit(.x = unshifted)), tolerance = 1e-9)
  expect_equal(
    predict(formula, data, "link"), predict(want, by_hand, "link"),
    tolerance = 1e-9
  )
  # rows are shortened at predict() too, where the user wants them so
  short <- dpadmm_fit(y ~ a + b + g, data, nodes = ~at, schema = schema, rows = "shorten",
    method = plain, C = 1, epsilon = Inf, iterations = 6)
  long <- 2 * by_hand
  expect_equal(found(short), found(fit(.x = long)), tolerance = 1e-9)
  norm <- sqrt(rowSums(long^2))
  expect_gt(min(norm), 1.2)
  expect_equal(predict(short, data, "link"), drop(long %*% colMeans(found(short))) / norm)
})

test_that("a transformed variable is one column with bounds of its own", {
  data <- data.frame(y = y, a = exp(x[, 1]), at = nodes)
  schema <- dpadmm_schema("log(a)" = c(-0.5, 0.5), "I(a^2)" = c(0, 4))
  model <- dpadmm_fit(y ~ log(a) + I(a^2), data,
    nodes = ~at, schema = schema, method = plain, C = 1, epsilon = Inf, iterations = 6
  )
  by_hand <- cbind(1, 2 * x[, 1], data$a^2 / 2 - 1) / sqrt(3)
  expect_equal(found(model), found(fit(.x = by_hand)), tolerance = 1e-9)
  expect_identical(names(coef(model)), c("(Intercept)", "log(a)", "I(a^2)"))
  one <- data[7, "a", drop = FALSE]
  expect_equal(predict(model, one, "link"), predict(model, data, "link")[7])
})

test_that("nodes: a vector, a factor, names, a column", {
  letters_of <- letters[nodes]
  expect_identical(found(fit(.nodes = letters_of)), found(base))
  expect_identical(rownames(coef(fit(.nodes = letters_of), "all")), letters[1:4])
  expect_identical(found(fit(.nodes = factor(nodes))), found(base))
  # a factor's own order of levels is the order of the nodes
  backwards <- fit(.nodes = factor(nodes, 4:1))
  expect_identical(backwards$nodes$names, as.character(4:1))
  expect_equal(coef(backwards, "all")[as.character(1:4), ], coef(base, "all"), tolerance = 1e-9)
  expect_identical(fit(.nodes = nodes * 10)$nodes$names, c("10", "20", "30", "40"))
  expect_identical(fit(.nodes = c(10, 9)[1 + (nodes > 2)])$nodes$names, c("9", "10"))
  expect_identical(base$nodes$size, as.integer(tabulate(nodes)))
})

test_that("a number of nodes splits the records evenly, in a random order", {
  uneven <- fit(.nodes = 7, seed = 1)
  expect_identical(sort(uneven$nodes$size), sort(as.integer(rep(c(8, 9), c(3, 4)))))
  expect_identical(found(fit(.nodes = 7, seed = 1)), found(uneven))
  expect_false(identical(found(fit(.nodes = 7, seed = 2)), found(uneven)))
  expect_false(identical(found(fit(.nodes = 7)), found(fit(.nodes = 7))))
})

test_that("labels may be coded in any of the documented ways", {
  expect_identical(found(fit(.y = (y + 1) / 2)), found(base))
  expect_identical(found(fit(.y = y > 0)), found(base))
  expect_identical(found(fit(.y = as.integer(y))), found(base))
  word <- c("bad", "good")[(y + 3) / 2]
  expect_identical(found(fit(.y = word)), found(base))
  expect_identical(found(fit(.y = factor(word))), found(base))
  # the second level is the positive class: the logistic problem turns around
  turned <- fit(.y = factor(word, c("good", "bad")))
  expect_equal(found(turned), -found(base), tolerance = 1e-8)

  expect_identical(predict(base, x), ifelse(predict(base, x, "link") > 0, 1, -1))
  zeros <- fit(.y = (y + 1) / 2, classes = c(0, 1))
  expect_identical(unique(sort(predict(zeros, x))), c(0, 1))
  expect_identical(predict(fit(.y = (y + 1) / 2), x), predict(base, x))
  expect_type(predict(fit(.y = y > 0), x), "logical")
  expect_identical(levels(predict(fit(.y = factor(word)), x)), c("bad", "good"))
  expect_identical(as.character(predict(turned, x)), as.character(predict(fit(.y = word), x)))
})

test_that("positional arguments stand in the documented order", {
  arguments <- function(class) {
    names(formals(getS3method("dpadmm_fit", class, envir = asNamespace("dpadmm"))))
  }
  expect_identical(
    arguments("default")[1:15],
    c(
      "x", "y", "nodes", "network", "method", "loss", "penalty", "C", "rho", "iterations",
      "epsilon", "delta", "noise", "seed", "control"
    )
  )
  expect_identical(arguments("formula")[1:4], c("x", "data", "nodes", "schema"))
})

# ---- leaks --------------------------------------------------------------------------

leaky <- data.frame(
  y = factor(ifelse(y > 0, "ill", "well")), age = x[, 1], sex = rep_len(c("f", "m"), n),
  old = x[, 2] > 0
)

leak_of <- function(schema, formula = y ~ age + sex + old, data = leaky, epsilon = 10) {
  warning <- NULL
  model <- withCallingHandlers(
    dpadmm_fit(formula, data, nodes = 4, schema = schema, epsilon = epsilon, iterations = 2),
    dpadmm_privacy_leak = function(w) {
      warning <<- w
      invokeRestart("muffleWarning")
    }
  )
  list(warning = warning, text = paste(format(privacy(model)), collapse = "\n"))
}

test_that("bounds and levels read from the records are said in a warning and the statement", {
  leak <- leak_of(NULL)
  expect_identical(class(leak$warning)[1:3], c("dpadmm_privacy_leak",
    "dpadmm_warning_privacy_leak", "dpadmm_warning"))
  expect_identical(leak$warning$argument, "schema")
  for (what in c("the range of `age`", "the levels of `sex` and `y`")) {
    expect_match(conditionMessage(leak$warning), what, fixed = TRUE)
    text <- gsub("\\s+", " ", leak$text)
    expect_length(gregexpr("Not covered: what was read from the records,", text)[[1L]], 1L)
    expect_match(text, paste0("Not covered: [^.]*", what))
  }
  expect_no_match(conditionMessage(leak$warning), "old") # logical columns have no secret
})

test_that("what the schema states does not leak", {
  full <- dpadmm_schema(age = c(-1, 1), sex = c("f", "m"), y = c("ill", "well"))
  leak <- leak_of(full)
  expect_null(leak$warning)
  expect_no_match(leak$text, "Not covered")
  partial <- leak_of(dpadmm_schema(age = c(-1, 1), y = c("ill", "well")))
  expect_match(conditionMessage(partial$warning), "the levels of `sex`", fixed = TRUE)
  expect_no_match(conditionMessage(partial$warning), "age")
  # no protection, nothing to leak around
  expect_null(leak_of(NULL, epsilon = Inf)$warning)
  expect_no_match(leak_of(NULL, epsilon = Inf)$text, "Not covered")
})

test_that("the data frame method's labels can be declared too, and plain codes need not be", {
  schema <- dpadmm_schema(age = c(-1, 1), sex = c("f", "m"), y = c("ill", "well"))
  expect_no_warning(
    dpadmm_fit(leaky[2:4], leaky$y, nodes = 4, schema = schema, epsilon = 10, iterations = 2)
  )
  for (plain in list(y, (y + 1) / 2, y > 0)) expect_no_warning(fit(.y = plain, epsilon = 10))
  expect_warning(fit(.y = leaky$y, epsilon = 10), "Declare them with `classes`",
    class = "dpadmm_privacy_leak")
})

# ---- randomness ---------------------------------------------------------------------

test_that("only `seed` repeats the noise", {
  private <- function(...) found(fit(epsilon = 5, ...))
  expect_identical(private(seed = 11), private(seed = 11))
  expect_gt(max(abs(private(seed = 11) - private(seed = 12))), 1e-6)
  expect_gt(max(abs(private() - private())), 1e-6)
  set.seed(1)
  state <- .Random.seed
  first <- private()
  private(seed = 4)
  expect_identical(.Random.seed, state)
  set.seed(1)
  expect_gt(max(abs(first - private())), 1e-6)
})

test_that("a seeded fit is called a simulation, an unseeded one is not", {
  expect_output(print(fit(epsilon = 5, seed = 1)), "a simulation, not a private release")
  expect_no_match(capture.output(print(fit(epsilon = 5))), "simulation")
})

test_that("a fit without noise says that nothing is protected", {
  expect_output(print(base), "Privacy: none")
  expect_identical(privacy(base)$epsilon, Inf)
  expect_identical(unique(privacy(base)$per_node$epsilon), Inf)
})
