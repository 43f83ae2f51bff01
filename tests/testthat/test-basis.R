# Splines and polynomials with public knots.

set.seed(3)
n <- 300
people <- data.frame(
  age = runif(n, 18, 100), stay = rpois(n, 4), sex = sample(c("f", "m"), n, TRUE)
)
people$ill <- ifelse(sin(people$age / 15) + rnorm(n) > 0, "yes", "no")
public <- dpadmm_schema(age = c(18, 100), stay = c(0, 30), sex = c("f", "m"), ill = c("no", "yes"))
spline <- ill ~ bs(age, knots = c(40, 60), Boundary.knots = c(18, 100)) + sex
formulas <- list(
  spline, ill ~ splines::ns(age, knots = 50, Boundary.knots = c(30, 90)) * sex,
  ill ~ poly(age, 3, raw = TRUE) + stay,
  ill ~ bs(age, Boundary.knots = c(0, 120), intercept = TRUE) - 1,
  ill ~ stay * ns(age, knots = c(50, 70), Boundary.knots = c(18, 100))
)
fit_of <- function(formula, ..., epsilon = Inf, schema = public, data = people) {
  dpadmm_fit(formula, data, nodes = 2, schema = schema, ..., epsilon = epsilon, iterations = 4,
    seed = 1
  )
}
as_they_are <- function(formula, data = people) {
  bs <- splines::bs
  ns <- splines::ns
  environment(formula) <- environment()
  data$sex <- factor(data$sex)
  terms <- delete.response(terms(formula))
  full <- if ("sex" %in% all.vars(formula)) list(sex = contrasts(data$sex, contrasts = FALSE))
  model.matrix(terms, data, contrasts.arg = full)
}

test_that("coefficients are those of the basis as R computes it, and new rows follow", {
  for (formula in formulas) {
    model <- fit_of(formula)
    x <- as_they_are(formula)
    expect_identical(names(coef(model)), colnames(x))
    expect_equal(drop(x %*% coef(model)), predict(model, people, "link"),
      ignore_attr = TRUE, tolerance = 1e-8)
    # a few rows, whose range is their own, and one
    expect_equal(predict(model, people[5:9, ], "link"), predict(model, people, "link")[5:9])
    expect_equal(predict(model, people[5, ], "link"), predict(model, people, "link")[5])
    # beyond the bounds it is as at the nearer one
    far <- people[c(1, 1), ]
    far$age <- c(100, 250)
    expect_identical(diff(predict(model, far, "link")), 0)
  }
})

test_that("no row within the schema is shortened", {
  grid <- expand.grid(age = seq(18, 100, 0.01), stay = c(0, 30), sex = c("f", "m"))
  for (formula in formulas) {
    plan <- dpadmm_plan(formula, public, sizes = c(10, 10), epsilon = 1)
    x <- dpadmm:::encode_new(plan$problem$blueprint, grid)
    expect_true(all(dpadmm:::shortening(methods::as(x, "CsparseMatrix"), 1) == 1))
    expect_gt(max(Matrix::rowSums(x^2)), 0.9)
    expect_identical(plan$problem$blueprint, fit_of(formula, epsilon = 1)$blueprint)
  }
})

test_that("knots are public numbers, kept by value; what reads the records is refused", {
  at <- c(40, 60)
  named <- fit_of(ill ~ bs(age, knots = at, Boundary.knots = c(18, 100)) + sex)
  rm(at)
  expect_equal(predict(named, people, "link"), predict(fit_of(spline), people, "link"))
  expect_error(fit_of(ill ~ bs(age, knots = quantile(age), Boundary.knots = c(18, 100))),
    "must be public numbers", class = "dpadmm_error_formula")
  bs <- splines::bs
  expect_error(fit_of(ill ~ bs(age, df = 5)), class = "dpadmm_error")
  expect_error(fit_of(ill ~ poly(age, 2)), class = "dpadmm_error")
  # bounds of the variable itself; without them they are read, as of any other
  expect_error(fit_of(ill ~ bs(age, knots = 50, Boundary.knots = c(20, 90))), "beyond",
    class = "dpadmm_error_argument")
  leaky <- ill ~ bs(age, knots = 50, Boundary.knots = c(0, 120))
  expect_warning(fit_of(leaky, schema = dpadmm_schema(ill = c("no", "yes")), epsilon = 1),
    "the range of `age`", class = "dpadmm_privacy_leak")
  expect_error(fit_of(ill ~ ns(sex, Boundary.knots = c(0, 1))), class = "dpadmm_error_argument")
  expect_error(fit_of(ill ~ poly(age, stay, degree = 2, raw = TRUE)), "one variable",
    class = "dpadmm_error_formula")
  expect_error(fit_of(ill ~ bs(rank(age), knots = 9, Boundary.knots = c(0, 300))),
    class = "dpadmm_error_formula")
})

test_that("knots from records are an error, or a leak on request", {
  bounds <- c(18, 100)
  ages <- people$age
  age <- c(40, 60) # a variable with the name of a column
  record <- list2env(people)
  wide <- list(
    ill ~ bs(age, knots = quantile(people$age, 1:3 / 4), Boundary.knots = c(18, 100)),
    ill ~ splines::ns(age, knots = median(ages), Boundary.knots = bounds),
    ill ~ bs(age, knots = age, Boundary.knots = bounds),
    ill ~ sex + ns(age, knots = mean(record$age), Boundary.knots = bounds),
    ill ~ poly(age, 1 + (mean(ages) > 0), raw = TRUE)
  )
  for (formula in wide) {
    term <- grep("age", dpadmm:::variable_names(stats::terms(formula)), value = TRUE)
    expect_blame(fit_of(formula), "formula", "formula", "not computed row by row", place = term)
    expect_warning(
      model <- suppressWarnings(fit_of(formula, row_wise = FALSE, epsilon = 1),
        classes = "dpadmm_warning_utility"),
      sprintf("all rows, by the term `%s`", term), fixed = TRUE, class = "dpadmm_privacy_leak"
    )
    expect_match(format(privacy(model)), "Not covered: .*all rows, by the term", all = FALSE)
  }
  # as long as the data before rows were taken
  expect_error(fit_of(wide[[2]], subset = 1:200), class = "dpadmm_error_formula")
  plan <- function(formula) dpadmm_plan(formula, public, sizes = c(10, 10), epsilon = 1)
  for (k in c(1, 3)) expect_error(plan(wide[[k]]), class = "dpadmm_error_formula")
  # few rows, as many as knots
  public_knots <- ill ~ ns(age, knots = bounds / 2 + 20, Boundary.knots = bounds)
  few <- fit_of(public_knots, data = people[1:2, ])
  expect_s3_class(few, "dpadmm_fit")
})

test_that("missing values of a variable are imputed in its spline, with one indicator", {
  public <- dpadmm_schema(age = c(18, 100), sex = c("f", "m"), impute = list(age = 50))
  holed <- people
  holed$age[c(2, 9)] <- c(NA, NaN)
  filled <- transform(holed, age_missing = as.double(is.na(age)),
    age = ifelse(is.na(age), 50, age))
  knots <- "age, knots = 60, Boundary.knots = c(18, 100)"
  formulas <- lapply(sprintf(c("ill ~ sex + bs(%s)", "ill ~ age + sex + splines::ns(%s)",
    "ill ~ bs(%s) + poly(age, 2, raw = TRUE)"), knots), stats::as.formula)
  for (formula in formulas) {
    model <- fit_of(formula, schema = public, data = holed)
    expect_identical(sum(names(coef(model)) == "age_missing"), 1L)
    x <- cbind(as_they_are(formula, filled), age_missing = filled$age_missing)
    expect_identical(names(coef(model)), colnames(x))
    link <- predict(model, holed, "link")
    expect_equal(drop(x %*% coef(model)), link, ignore_attr = TRUE, tolerance = 1e-8)
    expect_equal(predict(model, holed[9, ], "link"), link[9])
    sizes <- stats::setNames(model$nodes$size, model$nodes$names)
    plan <- dpadmm_plan(formula, public, sizes = sizes, epsilon = 1)
    expect_identical(plan$problem$blueprint$columns, colnames(x))
  }
  # where nothing is imputed, a missing age takes its row out
  omitted <- fit_of(spline, data = holed, na.action = "omit")
  expect_identical(which(is.na(predict(omitted, holed, "link"))), c(2L, 9L))
})
