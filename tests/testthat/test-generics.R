# What R's generics for models do with plans and fits: what is public, what is made anew, and
# what is refused.

people <- local({
  n <- 60
  data.frame(
    age = 20 + (seq_len(n) * 37) %% 60, smoker = c("no", "yes")[1 + (seq_len(n) %% 3 == 0)],
    ill = (seq_len(n) * 13) %% 7 < 3, site = rep(c("A", "B", "C"), c(30, 20, 10))
  )
})
public <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"))
fit_people <- function(formula = ill ~ age + smoker, ..., data = people) {
  dpadmm_fit(formula, data, nodes = ~site, schema = public, epsilon = 10, iterations = 4, ...)
}
plan_people <- function(formula = ill ~ age + smoker, ..., epsilon = 10) {
  dpadmm_plan(formula, public, c(A = 30, B = 20, C = 10), epsilon = epsilon, ...)
}

# A few iterations are enough here, and update() calls the package's own dpadmm_fit().
update <- function(...) {
  suppressWarnings(stats::update(...),
    classes = c("dpadmm_warning_convergence", "dpadmm_warning_utility")
  )
}

# ---- what is public ------------------------------------------------------------------------

test_that("formula(), terms() and nobs() say what is public", {
  for (made in list(fit_people(), plan_people())) {
    expect_identical(deparse(formula(made)), "ill ~ age + smoker")
    expect_identical(environment(formula(made)), globalenv())
    expect_identical(attr(terms(made), "term.labels"), c("age", "smoker"))
    expect_identical(attr(terms(made), "response"), 1L)
    expect_identical(nobs(made), 60L)
  }
  expect_identical(deparse(formula(plan_people(ill ~ . - 1))), "ill ~ (age + smoker) - 1")
  expect_identical(deparse(formula(fit_people(I(age > 40) ~ smoker))), "I(age > 40) ~ smoker")
  framed <- dpadmm_fit(people["age"], people$ill,
    nodes = 2, schema = public["age"], epsilon = Inf, iterations = 2
  )
  expect_identical(deparse(formula(framed)), "~age")
  matrix <- fit_four_nodes()
  expect_identical(nobs(matrix), 60L)
  expect_error(formula(matrix), "no formula", class = "dpadmm_error_unavailable")
})

test_that("augment() adds predictions to records that are given", {
  skip_if_not_installed("generics")
  fit <- fit_people()
  out <- generics::augment(fit, people)
  expect_identical(out[names(people)], people)
  expect_identical(out$.fitted, predict(fit, people, type = "response"))
  expect_identical(out$.pred_class, predict(fit, people))
  expect_blame(generics::augment(fit), "argument", "newdata", "keep its records")
  expect_blame(generics::augment(fit, list(1)), "argument", "newdata", "data frame")
  expect_blame(generics::augment(fit, people, se_fit = TRUE), "argument", "se_fit", "Unknown")
  numbers <- fit_four_nodes(.y = four_nodes$x[, 1], loss = "huber")
  out <- generics::augment(numbers, four_nodes$x)
  expect_identical(names(out), c("V1", "V2", "V3", ".fitted"))
  expect_identical(out$.fitted, predict(numbers, four_nodes$x, type = "response"))
  hinge <- fit_four_nodes(loss = "hinge")
  out <- generics::augment(hinge, Matrix::Matrix(four_nodes$x, sparse = TRUE))
  expect_identical(out$.fitted, predict(hinge, four_nodes$x, type = "link"))
})

# ---- what is refused -----------------------------------------------------------------------

test_that("what needs records is refused with the reason", {
  fit <- fit_people()
  for (generic in c("residuals", "fitted", "deviance", "logLik", "AIC", "BIC", "anova", "vcov",
    "confint", "simulate", "extractAIC", "model.frame", "model.matrix")) {
    error <- expect_error(get(generic, asNamespace("stats"))(fit),
      class = "dpadmm_error_unavailable"
    )
    expect_match(conditionMessage(error), "record|sample", label = generic)
    expect_match(format(conditionCall(error))[1], generic, fixed = TRUE)
  }
  expect_error(resid(fit), "predict(fit, newdata)", fixed = TRUE)
  expect_error(vcov(fit), "not released", class = "dpadmm_error_unavailable")
})

# ---- what is made anew ---------------------------------------------------------------------

test_that("update() of a plan plans as if asked anew", {
  plan <- plan_people()
  anew <- function(...) plan_people(..., seed = 1)
  seeded <- anew()
  expect_identical(update(seeded), seeded)
  expect_identical(update(seeded, epsilon = 2), anew(epsilon = 2))
  # what was worked out by default is worked out anew, not kept
  expect_identical(update(seeded, rho = 0.1)$problem$C, anew(rho = 0.1)$problem$C)
  expect_false(identical(update(seeded, rho = 0.1)$problem$C, seeded$problem$C))
  expect_equal(update(seeded, . ~ . - smoker), anew(ill ~ age))
  expect_identical(update(anew(rho = 0.1), rho = NULL)$problem, seeded$problem)
  expect_identical(
    update(seeded, sizes = c(A = 5, B = 6), network = "ring")$problem$size, c(5L, 6L)
  )
  noisy <- update(plan, noise = gamma_noise(0.5))
  expect_identical(noisy$budget$noise, gamma_noise(0.5))
  expect_equal(privacy(update(noisy, epsilon = 3))$epsilon, 3, tolerance = 1e-6)
  expect_identical(update(anew(rho = 0.1), lambda = 0.2), anew(lambda = 0.2))
  expect_identical(update(anew(lambda = 0.2), rho = 0.1), anew(rho = 0.1))
  columns <- dpadmm_plan(c("a", "b"), c(20, 30), epsilon = 1)
  expect_identical(update(columns, epsilon = 2)$problem$blueprint, columns$problem$blueprint)
  expect_blame(update(columns, . ~ a), "argument", "formula.")
  expect_error(update(plan, . ~ ., 3), "named", class = "dpadmm_error_argument")
  expect_blame(update(plan, family = "binomial"), "argument", "family", "`loss`")
  expect_error(update(fit_people()$plan), "update the fit", class = "dpadmm_error_argument")
})

test_that("update() of a fit takes the records again", {
  fit <- fit_people(seed = 3)
  again <- update(fit, data = people, seed = 3)
  expect_identical(again, fit)
  expect_false(update(fit, data = people)$seeded)
  expect_identical(
    coef(update(fit, data = people, epsilon = Inf)),
    coef(dpadmm_fit(ill ~ age + smoker, people,
      nodes = ~site, schema = public, epsilon = Inf, iterations = 4
    ))
  )
  fewer <- update(fit, . ~ . - age, data = people, nodes = 2)
  expect_identical(deparse(formula(fewer)), "ill ~ smoker")
  expect_identical(fewer$plan$problem$N, 2L)
  expect_blame(update(fit, epsilon = 2), "argument", "data", "keep its records")
  # the leaks of the first fit are leaks of the second
  expect_warning(leaky <- update(fit, data = people, schema = NULL), class = "dpadmm_privacy_leak")
  expect_warning(update(leaky, data = people, epsilon = 5), class = "dpadmm_privacy_leak")
})

test_that("update() of fits of matrices, data frames and plans", {
  matrix <- fit_four_nodes()
  expect_blame(update(matrix, data = four_nodes$x, y = four_nodes$y), "argument", "nodes")
  both <- function(C) fit_four_nodes(C = C)
  expect_identical(
    coef(update(both(1), data = four_nodes$x, y = four_nodes$y, nodes = four_nodes$nodes, C = 2)),
    coef(both(2))
  )
  framed <- dpadmm_fit(people[c("age", "site")], people$ill,
    nodes = ~site, schema = public["age"], epsilon = Inf, iterations = 2
  )
  again <- update(framed, data = people[c("age", "site")], y = people$ill)
  expect_identical(again, framed)
  plan <- plan_people(iterations = 4, nodes = ~site)
  planned <- dpadmm_fit(plan, people, seed = 1)
  expect_identical(update(planned, data = people, seed = 1), planned)
  expect_equal(privacy(update(planned, data = people, epsilon = 4))$epsilon, 4, tolerance = 1e-6)
})

test_that("update() asks for numbers of records again", {
  o <- seq_len(four_nodes$n) / 50
  shifted <- fit_four_nodes(offset = o)
  again <- function(...) {
    update(shifted, data = four_nodes$x, y = four_nodes$y, nodes = four_nodes$nodes, ...)
  }
  expect_blame(again(), "argument", "offset", "again")
  expect_identical(coef(again(offset = o)), coef(shifted))
  expect_identical(coef(again(offset = NULL)), coef(fit_four_nodes()))
  plan <- dpadmm_plan(3, sizes = c("1" = 15, "2" = 15, "3" = 15, "4" = 15), epsilon = Inf, C = 1,
    iterations = 6, method = plain_method(), rows = "shorten", offset = TRUE
  )
  run <- function(f, ...) f(..., data = four_nodes$x, y = four_nodes$y, nodes = four_nodes$nodes)
  planned <- run(dpadmm_fit, plan, offset = o)
  expect_identical(coef(run(update, planned, offset = o)), coef(planned))
  expect_error(run(update, planned), "`offset`", class = "dpadmm_error_argument")
})

test_that("what a fit remembers of its call holds no record and no environment", {
  local({
    secret <- runif(1e5)
    old <- function(v) v + 1
    fit <- fit_people(ill ~ age + smoker)
    expect_lt(length(serialize(fit$asked, NULL)), 3000)
    expect_identical(environment(fit$asked$x), globalenv())
    expect_identical(environment(fit$asked$nodes), globalenv())
    expect_null(fit$asked$data)
    expect_null(fit_four_nodes()$asked$nodes)
  })
})
