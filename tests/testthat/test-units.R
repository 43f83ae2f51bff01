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
