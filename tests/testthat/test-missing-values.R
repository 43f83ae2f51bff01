# Missing values: an error, a public value with an indicator, or weight 0.

holes <- local({
  n <- 80
  set.seed(2)
  data <- data.frame(
    age = runif(n, 20, 90), ward = sample(c("general", "cardiac"), n, TRUE),
    stay = sample(0:9, n, TRUE)
  )
  data$y <- as.integer(data$age / 90 + rnorm(n, sd = 0.3) > 0.6)
  whole <- data
  data$age[c(3, 10)] <- NA
  data$ward[c(3, 20)] <- NA
  list(data = data, whole = whole, nodes = rep_len(c("A", "B"), n), n = n)
})
wards <- c("general", "cardiac", "unknown")
plain_bounds <- dpadmm_schema(age = c(0, 110), ward = wards, stay = c(0, 9))
imputing <- function(impute = list(age = 50, ward = "unknown")) {
  dpadmm_schema(age = c(0, 110), ward = wards, stay = c(0, 9), impute = impute)
}
fit_holes <- function(data = holes$data, schema = plain_bounds, ...,
                      formula = y ~ age + ward + stay, epsilon = Inf, C = 1) {
  dpadmm_fit(formula, data,
    nodes = holes$nodes, schema = schema, epsilon = epsilon, C = C, iterations = 5, ...
  )
}
prediction <- function(fit, data) predict(fit, data, type = "link")

test_that("a missing value is an error that says where and what to do", {
  expect_error(fit_holes(), "`age` has a missing value at row 3 \\(and 1 more\\).*missing-values",
    class = "dpadmm_error_missing")
  none <- holes$whole
  none$y[4] <- NA
  expect_error(fit_holes(none), "`y` has a missing value at row 4.*na.action",
    class = "dpadmm_error_missing")
  expect_error(fit_holes(na.action = "pass"), class = "dpadmm_error_argument")
  expect_error(fit_holes(na.action = stats::na.pass), class = "dpadmm_error_argument")
})

test_that("imputed columns are the public value and an indicator by hand", {
  by_hand <- holes$data
  by_hand$age_missing <- as.double(is.na(by_hand$age))
  by_hand$age[is.na(by_hand$age)] <- 50
  by_hand$ward[is.na(by_hand$ward)] <- "unknown"
  expected <- dpadmm:::records_frame(y ~ age + ward + stay, by_hand, NULL, plain_bounds,
    dpadmm_loss("logistic"))
  for (impute in list(list(age = 50, ward = "unknown"), c(age = 50, ward = "unknown"))) {
    found <- dpadmm:::records_frame(y ~ age + ward + stay, holes$data, NULL, imputing(impute),
      dpadmm_loss("logistic"))
    found$x <- dpadmm:::model_matrix(found$x)
    last <- ncol(found$x)
    expect_identical(colnames(found$x)[last], "age_missing")
    # one more column of the design is one more term that a row's norm has room for
    unit <- found$blueprint$factor
    expect_equal(unit / expected$blueprint$factor, sqrt(4 / 5))
    expect_identical(unname(as.vector(found$x[, last])), unit * by_hand$age_missing)
    others <- as.matrix(dpadmm:::model_matrix(expected$x))
    expect_equal(as.matrix(found$x[, -last]), others * sqrt(4 / 5))
    expect_null(found$leaks)
    expect_identical(found$blueprint$columns, colnames(found$x))
  }
  # dense designs too, factors, and a column without a hole
  dense <- dpadmm:::records_frame(y ~ age + stay, holes$data, NULL,
    imputing(c(age = 50, stay = 2)), dpadmm_loss("logistic"))$x
  dense <- dpadmm:::model_matrix(dense)
  expect_true(is.matrix(dense))
  expect_identical(tail(colnames(dense), 2), c("age_missing", "stay_missing"))
  expect_identical(sum(dense[, "stay_missing"]), 0)
  factors <- transform(holes$data, ward = factor(ward))
  expect_equal(coef(fit_holes(factors, imputing())), coef(fit_holes(schema = imputing())))
})

test_that("new data are imputed as the training data were", {
  fit <- fit_holes(schema = imputing())
  new <- data.frame(age = c(NA, 50), ward = c("cardiac", NA), stay = 3)
  link <- prediction(fit, new)
  expect_true(all(is.finite(link)))
  # nothing of the other rows
  expect_equal(prediction(fit, new[1, ]), link[1])
  expect_equal(prediction(fit, data.frame(age = NA, ward = "cardiac", stay = 3)), link[1])
  expect_equal(prediction(fit, data.frame(age = 50, ward = "unknown", stay = 3)), link[2])
  expect_identical(evaluate(fit, holes$data)$records, 80L)
  expect_error(prediction(fit, data.frame(age = 50, ward = "general", stay = NA)),
    class = "dpadmm_error_missing")
  # a plan has the columns too
  plan <- dpadmm_plan(y ~ age + ward + stay, imputing(), sizes = c(A = 40, B = 40), epsilon = Inf,
    C = 1, iterations = 5)
  expect_equal(coef(dpadmm_fit(plan, holes$data, nodes = holes$nodes)), coef(fit))
})

test_that("what cannot be imputed is a classed error", {
  bad <- function(...) expect_error(imputing(list(...)), class = "dpadmm_error_argument")
  bad(age = 200)
  bad(age = NA)
  bad(age = c(1, 2))
  bad(age = "old")
  bad(ward = "attic")
  bad(weight = 3)
  bad(50)
  expect_output(print(imputing()), "age: 0 to 110 (missing: 50)", fixed = TRUE)
})

test_that("omitted rows are weight 0: they stay in the count and do nothing", {
  bad <- c(3, 10, 20)
  omitted <- fit_holes(na.action = "omit")
  expect_identical(coef(fit_holes(na.action = na.omit)), coef(omitted))
  expect_identical(omitted$nodes$size, c(40L, 40L))
  by_weight <- fit_holes(holes$whole, case_weights = replace(rep(1, 80), bad, 0), weight_bound = 1)
  expect_equal(coef(omitted), coef(by_weight), tolerance = 1e-12)
  # whatever else the row says
  other <- holes$data
  other[3, c("stay", "y")] <- list(9L, 1L - other$y[3])
  other$stay[10] <- NA
  expect_equal(coef(fit_holes(other, na.action = "omit")), coef(omitted), tolerance = 1e-12)
  # without the rows, the same mean loss if C says so: here a node each loses its share
  pair <- c(3, 5, 10, 20) # two of each node
  data <- holes$whole
  data$age[pair] <- NA
  absent <- dpadmm_fit(y ~ age + ward + stay, data[-pair, ], nodes = holes$nodes[-pair],
    schema = plain_bounds, epsilon = Inf, C = 38 / 40, iterations = 5,
    method = mr_admm(eta = 1, gamma = 0.5))
  left_out <- fit_holes(data, na.action = "omit", method = mr_admm(eta = 1, gamma = 0.5))
  expect_equal(coef(left_out), coef(absent), tolerance = 1e-9)
})

test_that("rows left out are another one of weight 0, in whatever form rows are kept", {
  set.seed(1)
  n <- 300
  data <- data.frame(a = rnorm(n), k = sample(0:300, n, TRUE),
    g = gl(3, 100, labels = letters[1:3]), y = rep(c("no", "yes"), n / 2))
  spoilt <- data
  spoilt$a[c(2, 200)] <- NA
  spoilt$k[c(50, 51)] <- NA
  spoilt$g[51] <- NA
  spoilt$y[299] <- NA
  whole <- data
  lost <- c(2, 50, 51, 200, 299)
  whole[lost, ] <- data[1, ]
  whole$y[lost] <- NA
  schema <- dpadmm_schema(a = c(-2, 2), k = c(0, 300), g = letters[1:3], y = c("no", "yes"))
  for (formula in c(y ~ a + k, y ~ a * g + k, y ~ I(exp(a)) + g + k)) {
    if (grepl("exp", deparse(formula))) schema[["I(exp(a))"]] <- c(0, 8)
    for (engine in c("local", "stepwise")) for (method in list(r_admm(), dp_sgd())) {
      fit <- function(...) {
        coef(dpadmm_fit(formula, ..., schema = schema, epsilon = 1, delta = 1e-5,
          na.action = "omit", iterations = 3, method = method, seed = 1,
          nodes = if (inherits(method, "dpadmm_family_graph")) 3,
          control = dpadmm_control(engine = engine)))
      }
      expect_identical(fit(spoilt), fit(whole))
    }
  }
})

test_that("a private run with omitted rows has the statement of one without, and says so", {
  omitted <- fit_holes(na.action = "omit", epsilon = 1, delta = 1e-5, C = NULL, seed = 1)
  whole <- fit_holes(holes$whole, epsilon = 1, delta = 1e-5, C = NULL, seed = 1)
  expect_identical(omitted$events, whole$events)
  text <- paste(format(privacy(omitted)), collapse = " ")
  expect_match(text, "missing values count with weight 0")
  expect_no_match(paste(format(privacy(whole)), collapse = " "), "missing")
  plan <- dpadmm_plan(y ~ age + ward + stay, plain_bounds, sizes = c(A = 40, B = 40), epsilon = 1,
    delta = 1e-5, iterations = 5, na.action = "omit")
  expect_identical(coef(dpadmm_fit(plan, holes$data, nodes = holes$nodes, seed = 1)),
    coef(omitted))
  # a missing node is nobody's
  nodes <- replace(holes$nodes, 2, NA)
  expect_error(dpadmm_fit(plan, holes$data, nodes = nodes), class = "dpadmm_error_missing")
})

test_that("rows are omitted for a missing label, weight, offset, and of a matrix", {
  data <- holes$whole
  data$w <- 1
  data$t <- 1
  weights <- function(bad) replace(rep(1, 80), bad, 0)
  expected <- coef(fit_holes(holes$whole, case_weights = weights(7), weight_bound = 1))
  for (column in c("y", "w", "t", "age")) {
    spoilt <- data
    spoilt[[column]][7] <- NA
    found <- fit_holes(spoilt, formula = y ~ age + ward + stay + offset(t - 1), na.action = "omit",
      case_weights = ~w, weight_bound = 1)
    expect_equal(coef(found), expected, tolerance = 1e-12, info = column)
  }
  given <- fit_holes(holes$whole, na.action = "omit", case_weights = replace(rep(1, 80), 7, NA),
    weight_bound = 1)
  expect_equal(coef(given), expected, tolerance = 1e-12)
  x <- as.matrix(holes$whole[c("age", "stay")]) / 100
  fit <- function(x, y = holes$whole$y, ...) {
    # minimisers to the last digits, whatever path leads to them
    dpadmm_fit(x, y, nodes = holes$nodes, epsilon = Inf, C = 1, iterations = 5, ...,
      control = dpadmm_control(tol = 1e-15))
  }
  expected <- coef(fit(x, case_weights = weights(c(2, 5)), weight_bound = 1))
  spoilt <- replace(x, cbind(2, 1), NA)
  y <- replace(holes$whole$y, 5, NA)
  expect_equal(coef(fit(spoilt, y, na.action = "omit")), expected, tolerance = 1e-12)
  sparse <- methods::as(spoilt, "CsparseMatrix")
  expect_equal(coef(fit(sparse, y, na.action = "omit")), expected, tolerance = 1e-12)
  expect_error(fit(spoilt), class = "dpadmm_error_missing")
  expect_equal(coef(fit(replace(x, TRUE, NA), na.action = "omit")),
    coef(fit(x, case_weights = rep(0, 80), weight_bound = 1)))
  # numbers that are not finite are missing ones
  expected <- coef(fit(x, case_weights = weights(7), weight_bound = 1))
  for (bad in c(NaN, Inf, -Inf)) {
    spoilt <- replace(rep(0, 80), 7, bad)
    expect_equal(coef(fit(x, offset = spoilt, na.action = "omit")), expected, tolerance = 1e-12)
    expect_equal(coef(fit(x, case_weights = spoilt + 1, weight_bound = 1, na.action = "omit")),
      expected, tolerance = 1e-12)
    expect_error(fit(x, offset = spoilt), class = "dpadmm_error_finite")
  }
})

test_that("where no row is whole, all count nothing: whether one is tells of a record", {
  data <- transform(holes$whole, t = 1, age = NA_real_)
  data$ward[1:40] <- NA
  nothing <- coef(fit_holes(holes$whole, case_weights = rep(0, 80), weight_bound = 1))
  found <- fit_holes(data, na.action = "omit")
  expect_equal(coef(found), nothing)
  expect_identical(predict(found, data[1, ], "link"), NA_real_)
  data$y <- NA_real_
  data$t <- Inf
  again <- fit_holes(data, na.action = "omit", formula = y ~ age + ward + stay + offset(log(t)))
  expect_equal(coef(again), nothing)
  words <- transform(data, y = rep(c("no", "yes"), 40), t = NA)
  for (y in list(words$y, factor(words$y))) {
    words$y <- y
    expect_equal(coef(fit_holes(words, na.action = "omit", formula = y ~ age + ward + stay +
      offset(t))), nothing)
  }
  plan <- dpadmm_plan(y ~ age + ward + stay, plain_bounds, sizes = c(A = 40, B = 40),
    epsilon = Inf, C = 1, iterations = 5, na.action = "omit")
  expect_equal(coef(dpadmm_fit(plan, data, nodes = holes$nodes)), nothing)
})

test_that("after omitting, predict() answers NA and evaluate() leaves out", {
  fit <- fit_holes(na.action = "omit")
  for (type in c("class", "response", "link")) {
    found <- predict(fit, holes$data, type = type)
    expect_identical(which(is.na(found)), c(3L, 10L, 20L))
    expect_equal(found[-c(3, 10, 20)], predict(fit, holes$whole[-c(3, 10, 20), ], type = type))
  }
  kept <- evaluate(fit, holes$whole[-c(3, 10, 20), ])
  expect_equal(evaluate(fit, holes$data)[c("records", "loss", "error")],
    kept[c("records", "loss", "error")])
})

test_that("both ways go together, and bounds read from data with holes are those of the rest", {
  fit <- fit_holes(schema = imputing(list(ward = "unknown")), na.action = "omit")
  link <- prediction(fit, holes$data)
  expect_identical(which(is.na(link)), c(3L, 10L))
  bounds <- function(data, ...) {
    suppressWarnings(dpadmm:::records_frame(y ~ age + ward, data, NULL, NULL,
      dpadmm_loss("logistic"), ...))$blueprint$variables
  }
  whole <- holes$data[-c(3, 10, 20), ]
  expect_identical(bounds(holes$data, options = dpadmm:::record_options(na_action = "omit")),
    bounds(whole))
})

test_that("an incomplete record against a complete one keeps the claim", {
  skip_on_cran()
  pair <- worst_case_neighbours("labels", n = 6, nodes = 2)
  pair$data2$x[1, ] <- NA
  release <- function(data, seed) {
    coef(dpadmm_fit(data$x, data$y, nodes = data$nodes, epsilon = 3, delta = 1e-4, seed = seed,
      na.action = "omit", iterations = 2, method = admm(eta = 1), C = 1))
  }
  found <- audit(release, pair$data1, pair$data2, runs = 300, claim = 3, delta = 1e-4, seed = 1)
  expect_false(found$exceeds)
})
