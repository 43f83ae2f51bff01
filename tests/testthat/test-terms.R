# Terms of a formula that read more rows than their own.

n <- 120
people <- data.frame(
  age = 20 + 50 * (sin(seq_len(n)) + 1) / 2, weight = 60 + 20 * cos(seq_len(n)),
  city = rep_len(c("a", "b", "c"), n), h = rep_len(1:2, n)
)
people$ill <- people$age + people$weight / 2 > 80
cut_off <- 45

terms_fit <- function(formula, data = people, ..., epsilon = 1) {
  suppressWarnings(dpadmm_fit(formula, data, nodes = ~h, epsilon = epsilon, iterations = 2, ...),
    classes = "dpadmm_warning_privacy_leak")
}

test_that("terms that read all records are an error that names them, and no record", {
  wide <- list(
    ill ~ I(age > mean(age)), ill ~ I(age / max(age)), ill ~ rank(age), ill ~ ave(age, city),
    ill ~ I(age - min(age)), ill ~ cumsum(age), ill ~ cut(age, 3), ill ~ rev(age),
    ill ~ weight + I((age - mean(age)) / sd(age)), ill ~ I(age > median(age)):weight,
    ill ~ as.integer(factor(city)), I(age > mean(age)) ~ weight
  )
  for (formula in wide) {
    expect_blame(terms_fit(formula), "formula", "formula", "not computed row by row",
      place = grep("mean|max|rank|ave|min|cum|cut|rev|median|integer",
        dpadmm:::variable_names(stats::terms(formula)), value = TRUE))
  }
})

test_that("the review's two data sets are both refused", {
  A <- data.frame(age = c(30, rep(50, 399)), ill = rep_len(0:1, 400), h = rep(1:2, each = 200))
  B <- A
  B$age[1] <- 1e6
  for (data in list(A, B)) {
    expect_error(terms_fit(ill ~ 0 + I(age > mean(age)), data), class = "dpadmm_error_formula")
  }
})

test_that("terms of the own row pass: numbers, levels, types that vary", {
  own <- list(
    ill ~ log(age) + I(age > cut_off) + sqrt(weight) * age, ill ~ pmin(age, 60):city,
    ill ~ cut(age, c(0, 30, 60, 100)), ill ~ ifelse(age > 50, 1L, 2.5), ill ~ factor(city),
    ill ~ ifelse(age > 50, "old", city), ill ~ toupper(city) + is.na(age), I(age > 50) ~ weight,
    as.integer(ill) ~ age, ill ~ factor(city, c("a", "b", "c"))
  )
  for (formula in own) expect_s3_class(terms_fit(formula), "dpadmm_fit")
  expect_s3_class(terms_fit(ill ~ log(age), people[1:2, ]), "dpadmm_fit")
})

test_that("on request they are a leak, in the warning and the statement", {
  expect_warning(
    model <- dpadmm_fit(ill ~ I(age > mean(age)), people, nodes = ~h, epsilon = 1, iterations = 2,
      row_wise = FALSE),
    "all rows, by the term `I(age > mean(age))`", fixed = TRUE, class = "dpadmm_privacy_leak"
  )
  expect_match(format(privacy(model)), "Not covered: .* all rows, by the term", all = FALSE)
  expect_blame(terms_fit(ill ~ age, row_wise = NA), "argument", "row_wise")
})

test_that("a plan's fit refuses them too, before anything is released", {
  schema <- dpadmm_schema("rank(age)" = c(1, 200), "log(age)" = c(2, 5))
  plan <- function(formula) dpadmm_plan(formula, schema, sizes = c(60, 60), epsilon = 1)
  expect_error(dpadmm_fit(plan(ill ~ rank(age)), people, nodes = 2), class = "dpadmm_error_formula")
  expect_error(
    dpadmm_fit(plan(I(age > mean(age)) ~ log(age)), people, nodes = 2),
    class = "dpadmm_error_formula"
  )
  expect_s3_class(dpadmm_fit(plan(ill ~ log(age)), people, nodes = 2), "dpadmm_fit")
})
