# Columns scaled by public numbers, and coefficients in the user's own units.

set.seed(14)
n <- 400
people <- data.frame(
  age = runif(n, 20, 90), stay = rpois(n, 5), sex = sample(c("f", "m"), n, TRUE),
  ward = sample(c("u", "v", "w"), n, TRUE)
)
people$score <- with(people, 0.1 * (age - 60) + 0.2 * stay + (ward == "v") + rnorm(n))
people$ill <- ifelse(people$score + rnorm(n) > 1, "yes", "no")
public <- dpadmm_schema(
  age = c(18, 100), stay = c(0, 30), sex = c("f", "m"), ward = c("w", "u", "v"),
  ill = c("no", "yes"), score = c(-20, 20), "log(age)" = log(c(18, 100)),
  "I(stay^2)" = c(0, 900)
)
one_fit <- function(formula, ..., rows = "scale", epsilon = Inf, data = people) {
  dpadmm_fit(formula, data, nodes = 2, schema = public, ..., rows = rows, epsilon = epsilon,
    iterations = 4, seed = 1
  )
}
# all levels of every factor, numbers as they are
plain_matrix <- function(formula, data = people) {
  factors <- names(data)[vapply(data, is.character, NA)]
  data[factors] <- lapply(factors, function(f) factor(data[[f]], public[[f]]))
  terms <- delete.response(terms(formula, data = data))
  model.matrix(terms, data, contrasts.arg = lapply(data[all.vars(terms)][
    vapply(data[all.vars(terms)], is.factor, NA)
  ], contrasts, contrasts = FALSE))
}
formulas <- list(
  ill ~ age + stay + sex + ward, ill ~ age * ward, ill ~ age * stay * sex, ill ~ age - 1,
  ill ~ sex + age:sex - 1, ill ~ age:sex, ill ~ age + age:stay + ward, ill ~ log(age) + I(stay^2),
  ill ~ sex:ward + age, ill ~ 1, ill ~ stay + age:stay:ward + ward
)

test_that("coefficients are those of columns as they are, whatever the formula", {
  for (formula in formulas) {
    model <- one_fit(formula)
    x <- plain_matrix(formula)
    expect_identical(names(coef(model)), colnames(x))
    expect_equal(drop(x %*% coef(model)), predict(model, people, "link"),
      ignore_attr = TRUE, tolerance = 1e-9
    )
    expect_equal(predict(model, people[7, ], "link"), predict(model, people, "link")[7])
    each <- coef(model, node = "all")
    expect_equal(colMeans(each), coef(model))
    expect_equal(each[2, ], coef(model, node = 2))
    expect_identical(coef(model, scale = "schema"), colMeans(model$coefficients))
  }
})

test_that("no row within the schema is shortened, and its bound is reached", {
  corners <- expand.grid(age = c(18, 100), stay = c(0, 30), sex = c("f", "m"),
    ward = c("u", "v", "w"), stringsAsFactors = FALSE)
  for (bound in c(1, 3)) for (formula in formulas) {
    blueprint <- dpadmm_plan(formula, public, c(5, 5), epsilon = 1,
      control = dpadmm_control(row_bound = bound)
    )$problem$blueprint
    x <- as.matrix(dpadmm:::encode_new(blueprint, rbind(corners, people[1:4])))
    expect_true(all(dpadmm:::shortening(x, bound) == 1))
    norms <- sqrt(rowSums(x^2))
    if (all(c("age", "stay", "ward") %in% all.vars(formula))) {
      expect_equal(max(norms), bound, tolerance = 1e-8)
    }
  }
})

test_that("a number is centred only where its shift can be taken up", {
  centred <- function(formula) {
    terms <- stats::delete.response(stats::terms(formula))
    names(which(dpadmm:::centred_variables(terms)))
  }
  expect_identical(centred(y ~ a + b), c("a", "b"))
  expect_identical(centred(y ~ a + b - 1), character())
  expect_identical(centred(y ~ a * b), c("a", "b"))
  expect_identical(centred(y ~ a + a:b), "b") # a:b less b is a; less a it is b, which is not there
  expect_identical(centred(y ~ a:b), character())
})

test_that("without noise they are the coefficients of glm()", {
  for (formula in list(ill ~ age + stay, ill ~ age * stay)) {
    fit <- dpadmm_fit(formula, people, nodes = 2, schema = public, method = admm(eta = 0.002),
      C = 1, rho = 1e-9, epsilon = Inf, iterations = 20000
    )
    truth <- glm(update(formula, (ill == "yes") ~ .), binomial, people)
    expect_equal(coef(fit), coef(truth), tolerance = 1e-3)
  }
})

# ---- matrices -----------------------------------------------------------------------

x <- cbind(a = people$age / 100, b = people$stay / 40)
y <- ifelse(people$ill == "yes", 1, -1)
matrix_fit <- function(.x = x, ...) {
  # thirty iterations do, and are not enough to converge
  suppressWarnings(
    dpadmm::dpadmm_fit(.x, y, nodes = 2, method = admm(eta = 0.5), ..., epsilon = Inf,
      iterations = 30, seed = 1
    ),
    classes = "dpadmm_warning_convergence"
  )
}

test_that("a matrix has an intercept unless the user takes it out", {
  model <- matrix_fit()
  expect_identical(names(coef(model)), c("(Intercept)", "a", "b"))
  # the internal rows keep the bound, and the coefficients come back in the user's units
  for (bound in c(1, 2)) {
    model <- matrix_fit(control = dpadmm_control(row_bound = bound))
    by_hand <- matrix_fit(cbind(bound, x) / sqrt(2), intercept = FALSE,
      control = dpadmm_control(row_bound = bound)
    )
    expect_equal(unname(coef(model)), unname(coef(by_hand)) * c(bound, 1, 1) / sqrt(2),
      tolerance = 1e-6
    )
    expect_equal(predict(model, x, "link"), drop(cbind(1, x) %*% coef(model)))
  }
  sparse <- matrix_fit(Matrix::Matrix(x, sparse = TRUE))
  expect_equal(coef(sparse), coef(matrix_fit()), tolerance = 1e-9)
  expect_identical(names(coef(matrix_fit(unname(x)))), c("(Intercept)", "x1", "x2"))
  expect_identical(names(coef(matrix_fit(intercept = FALSE))), c("a", "b"))
  # a plan is the same, by number and by names
  for (columns in list(2, c("a", "b"))) {
    plan <- dpadmm::dpadmm_plan(columns, c(200, 200), method = admm(eta = 0.5), epsilon = Inf,
      iterations = 30
    )
    expect_identical(plan$problem$d, 3L)
    planned <- dpadmm_fit(plan, x, y, seed = 1)
    expect_equal(unname(coef(planned)), unname(coef(matrix_fit(C = plan$problem$C))))
  }
  expect_error(one_fit(ill ~ age, intercept = FALSE), "y ~ x - 1", class = "dpadmm_error_argument")
  expect_identical(
    names(coef(dpadmm_fit(people["age"], y, nodes = 2, schema = public["age"], intercept = FALSE,
      epsilon = Inf, iterations = 2
    ))), "age"
  )
})

test_that("with an intercept and a matrix it is glm() again", {
  model <- dpadmm::dpadmm_fit(x, y, nodes = 2, method = admm(eta = 0.002), C = 1, rho = 1e-9,
    epsilon = Inf, iterations = 20000
  )
  expect_equal(unname(coef(model)), unname(coef(glm(y > 0 ~ x, binomial))), tolerance = 1e-3)
})

test_that("rows beyond the bound are refused or, by the user's word, shortened", {
  long <- x
  long[c(7, 9), ] <- c(3, 1, 4, 1)
  both <- list(long, Matrix::Matrix(long, sparse = TRUE))
  for (matrix in both) for (intercept in c(TRUE, FALSE)) {
    error <- expect_error(matrix_fit(matrix, intercept = intercept),
      class = "dpadmm_error_row_bound"
    )
    expect_identical(error$place, 7L)
    expect_match(conditionMessage(error), "Row 7 of `x` has norm 5", fixed = TRUE)
    expect_match(conditionMessage(error), "1 more", fixed = TRUE)
  }
  expect_error(matrix_fit(long, control = dpadmm_control(threads = 2)), "Row 7 of `x` has norm 5",
    class = "dpadmm_error_row_bound"
  )
  plan <- dpadmm::dpadmm_plan(2, c(200, 200), epsilon = Inf)
  expect_error(dpadmm_fit(plan, long, y), class = "dpadmm_error_row_bound")
  kept <- pmin(1, 1 / sqrt(rowSums(long^2)))
  short <- matrix_fit(long, rows = "shorten")
  expect_equal(coef(short), coef(matrix_fit(long * kept)), tolerance = 1e-6)
  expect_equal(predict(short, long, "link"), predict(short, long * kept, "link"), tolerance = 1e-9)
  # a row as long as the bound, but for rounding, is fine; and predictions know no bound
  expect_no_error(matrix_fit(long / sqrt(rowSums(long^2))))
  model <- matrix_fit()
  expect_equal(predict(model, long, "link"), drop(cbind(1, long) %*% coef(model)))
})

test_that("the statement says what becomes of rows", {
  said <- function(fit) gsub("\\s+", " ", paste(format(privacy(fit)), collapse = " "))
  plans <- function(...) dpadmm::dpadmm_plan(..., sizes = c(50, 50), epsilon = 1)
  expect_match(said(plans(ill ~ age + sex, public)), "no row is shortened", fixed = TRUE)
  expect_match(said(plans(2)), "norm at most 1: longer ones are refused", fixed = TRUE)
  expect_match(said(plans(2, rows = "shorten")), "longer ones are shortened.", fixed = TRUE)
  # intercept and indicator alone are longer than 1: all of them
  expect_match(said(plans(ill ~ age + sex, public, rows = "shorten")),
    "shortened (100% of what the columns' bounds allow, up to norm 1.73)", fixed = TRUE)
  # an intercept and a number that is 1 at most: never longer than sqrt(2), half of them above
  # sqrt(1.25)
  half <- plans(ill ~ age, public, rows = "shorten",
    control = dpadmm_control(row_bound = sqrt(1.25)))
  expect_match(said(half), "(50% of", fixed = TRUE)
  none <- plans(ill ~ age, public, rows = "shorten", control = dpadmm_control(row_bound = 2))
  expect_match(said(none), "none is", fixed = TRUE)
})

test_that("coefficients of shortened rows come with a warning, where rows can be long", {
  model <- one_fit(ill ~ age + sex, rows = "shorten")
  for (show in list(coef, summary, function(m) coef(m, node = "all"))) {
    expect_warning(show(model), class = "dpadmm_warning_shortened")
  }
  expect_no_warning(coef(model, scale = "schema"))
  expect_no_warning(predict(model, people))
  expect_no_warning(evaluate(model, people))
  wide <- one_fit(ill ~ age + sex, rows = "shorten", control = dpadmm_control(row_bound = 2))
  expect_no_warning(coef(wide))
  expect_no_warning(coef(one_fit(ill ~ age + sex)))
  expect_error(coef(model, scale = "mine"), class = "dpadmm_error_argument")
})

# ---- responses ----------------------------------------------------------------------

dollars <- people
dollars$cost <- 55000 + 400 * (dollars$age - 50) + 900 * dollars$stay + rnorm(n, sd = 1000)
ages <- dpadmm_schema(age = c(18, 100))
costs <- dpadmm_schema(age = c(18, 100), stay = c(0, 30), cost = c(2e4, 1e5))

test_that("a response with bounds is scaled, and everything comes back in its units", {
  model <- dpadmm_fit(cost ~ age + stay, dollars, nodes = 2, schema = costs, loss = "squared",
    method = admm(eta = 0.02), C = 1, rho = 1e-9, epsilon = Inf, iterations = 20000
  )
  truth <- lm(cost ~ age + stay, dollars)
  expect_equal(coef(model), coef(truth), tolerance = 1e-4)
  expect_equal(predict(model, dollars, "response"), unname(fitted(truth)), tolerance = 1e-4)
  expect_equal(evaluate(model, dollars)$rmse, sqrt(mean(residuals(truth)^2)), tolerance = 1e-3)
  # a matrix with stated bounds is the same
  by_matrix <- dpadmm_fit(as.matrix(dollars[c("age", "stay")]), dollars$cost,
    nodes = 2, loss = "squared", response = c(2e4, 1e5), method = admm(eta = 2), C = 1, rho = 1e-9,
    epsilon = Inf, iterations = 4, control = dpadmm_control(row_bound = 110), intercept = TRUE,
    rows = "error"
  )
  expect_equal(predict(by_matrix, as.matrix(dollars[c("age", "stay")]), "response"),
    drop(cbind(1, as.matrix(dollars[c("age", "stay")])) %*% coef(by_matrix)))
})

test_that("responses outside of their bounds are set to them, and the statement says so", {
  fit_of <- function(data, ...) {
    dpadmm_fit(cost ~ age, data, nodes = 2, schema = costs, loss = "huber", epsilon = 1, seed = 1,
      ...
    )
  }
  far <- edge <- dollars
  far$cost[3] <- 1e9
  edge$cost[3] <- 1e5
  expect_identical(coef(fit_of(far)), coef(fit_of(edge)))
  expect_match(gsub("\\s+", " ", paste(format(privacy(fit_of(far))), collapse = " ")),
    "Responses outside of 20000 to 100000 are set to the nearer bound", fixed = TRUE)
  # without stated bounds they are read, which leaks
  expect_warning(
    dpadmm_fit(cost ~ age, far, nodes = 2, schema = ages, loss = "huber", epsilon = 1),
    "the range of `cost`", class = "dpadmm_privacy_leak"
  )
  expect_no_warning(
    dpadmm_fit(cost ~ age, far, nodes = 2, schema = ages, loss = "huber", epsilon = 1,
      response = c(2e4, 1e5))
  )
})

test_that("bounds of a response are checked, and a plan needs them", {
  plan <- function(schema, ..., loss = "huber") {
    dpadmm::dpadmm_plan(cost ~ age, schema, sizes = c(200, 200), epsilon = 1, loss = loss, ...)
  }
  expect_blames(plan(ages), "schema")
  expect_blames(plan(costs, response = c(0, 1)), "response")
  expect_blames(plan(ages, response = c(1, 0)), "response")
  expect_blames(plan(dpadmm_schema(age = c(0, 1), cost = c("a", "b"))), "schema")
  expect_blames(dpadmm::dpadmm_plan(2, c(5, 5), response = c(0, 1), epsilon = 1), "response")
  planned <- dpadmm_fit(plan(costs), dollars, seed = 1)
  one_step <- dpadmm_fit(cost ~ age, dollars, nodes = 2, schema = costs, loss = "huber",
    epsilon = 1, seed = 1)
  expect_identical(coef(planned), coef(one_step))
  # without an intercept nothing can take up a centre
  bare <- dpadmm_fit(cost ~ age - 1, dollars, nodes = 2, schema = costs, loss = "squared",
    method = admm(eta = 0.1), C = 1, rho = 1e-9, epsilon = Inf, iterations = 3000)
  expect_equal(coef(bare), coef(lm(cost ~ age - 1, dollars)), tolerance = 1e-4)
})
