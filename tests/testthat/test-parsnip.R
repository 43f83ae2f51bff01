# The engine "dpadmm" of parsnip: the same fits as dpadmm_fit(), alone and in a workflow.

patients <- local({
  n <- 90
  age <- 20 + (seq_len(n) * 37) %% 60
  data.frame(
    age = age, sex = c("f", "m")[1 + (seq_len(n) %% 3 == 0)],
    hospital = rep_len(c("A", "B", "C"), n), cost = age / 10 + sin(seq_len(n)),
    ill = factor(age + 20 * sin(7 * seq_len(n)) > 50, labels = c("no", "yes"))
  )
})
public <- dpadmm_schema(
  age = c(18, 100), sex = c("f", "m"), ill = c("no", "yes"), cost = c(0, 12)
)
engine <- function(spec, ..., schema = public, epsilon = 5) {
  parsnip::set_engine(spec, "dpadmm",
    nodes = ~hospital, schema = !!schema, epsilon = !!epsilon, seed = 1, ...
  )
}
direct <- function(formula = ill ~ age + sex, ..., data = patients) {
  dpadmm_fit(formula, data, nodes = ~hospital, schema = public, epsilon = 5, seed = 1, ...)
}

test_that("a model fitted by parsnip is the fit of dpadmm_fit()", {
  skip_if_not_installed("parsnip")
  model <- parsnip::fit(engine(parsnip::logistic_reg()), ill ~ age + sex, data = patients)
  fit <- direct()
  expect_identical(coef(parsnip::extract_fit_engine(model)), coef(fit))
  expect_equal(privacy(parsnip::extract_fit_engine(model))$epsilon, 5, tolerance = 1e-6)
  new <- patients[1:7, ]
  expect_identical(predict(model, new)$.pred_class, predict(fit, new))
  probability <- predict(model, new, type = "prob")
  expect_identical(names(probability), c(".pred_no", ".pred_yes"))
  expect_equal(probability$.pred_yes, predict(fit, new, type = "response"))
  expect_equal(probability$.pred_no, 1 - probability$.pred_yes)
  # the order of the response's levels is parsnip's affair, that of the classes the schema's
  turned <- transform(patients, ill = factor(ill, c("yes", "no")))
  model <- parsnip::fit(engine(parsnip::logistic_reg()), ill ~ age + sex, data = turned)
  expect_identical(names(predict(model, new, type = "prob")), c(".pred_yes", ".pred_no"))
  expect_equal(predict(model, new, type = "prob")$.pred_yes, probability$.pred_yes)
  expect_identical(levels(predict(model, new)$.pred_class), c("yes", "no"))
})

test_that("penalty is lambda, or a ridge penalty where there is one model", {
  skip_if_not_installed("parsnip")
  penalised <- parsnip::logistic_reg(penalty = 0.05, mixture = 0)
  model <- parsnip::fit(engine(penalised), ill ~ age, data = patients)
  fit <- parsnip::extract_fit_engine(model)
  expect_identical(coef(fit), coef(direct(ill ~ age, lambda = 0.05)))
  problem <- fit$plan$problem
  expect_equal(mean(problem$rho / (problem$N * problem$C)), 0.05)
  one <- parsnip::set_engine(penalised, "dpadmm",
    schema = public, method = "fp_admm", epsilon = 5, delta = 1e-3, seed = 1
  )
  fit <- parsnip::extract_fit_engine(parsnip::fit(one, ill ~ age, data = patients))
  expect_identical(fit$plan$problem$penalty, penalty_l2(0.05))
  expect_error(
    parsnip::fit(engine(parsnip::logistic_reg(mixture = 1)), ill ~ age, data = patients),
    class = "dpadmm_error_argument"
  )
})

test_that("linear_reg() has the huber loss and gives numbers", {
  skip_if_not_installed("parsnip")
  model <- parsnip::fit(engine(parsnip::linear_reg()), cost ~ age, data = patients)
  fit <- parsnip::extract_fit_engine(model)
  expect_identical(fit$plan$problem$loss$name, "huber")
  expect_identical(coef(fit), coef(direct(cost ~ age, loss = "huber")))
  expect_equal(predict(model, patients)$.pred, predict(fit, patients, type = "response"))
  wide <- engine(parsnip::linear_reg(), loss = dpadmm_loss("huber", 2))
  fit <- parsnip::extract_fit_engine(parsnip::fit(wide, cost ~ age, data = patients))
  expect_identical(fit$plan$problem$loss$width, 2)
})

test_that("a workflow with a recipe, whose response has lost its name", {
  skip_if_not_installed("parsnip")
  skip_if_not_installed("workflows")
  if (Sys.getenv("TZ") == "") { # what recipes load asks the system for it, which may warn
    Sys.setenv(TZ = "UTC")
    on.exit(Sys.unsetenv("TZ"))
  }
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(ill ~ age + sex + hospital, data = patients)
  spec <- engine(parsnip::logistic_reg(), response = "ill")
  flow <- workflows::add_model(workflows::add_recipe(workflows::workflow(), recipe), spec)
  expect_no_warning(model <- parsnip::fit(flow, patients), class = "dpadmm_privacy_leak")
  fit <- parsnip::extract_fit_engine(model)
  expect_identical(names(coef(fit)), c("(Intercept)", "age", "sexf", "sexm"))
  expect_identical(coef(fit), coef(direct()))
  expect_identical(fit$nodes$names, c("A", "B", "C"))
  expect_null(fit$leaks)
  new <- patients[1:5, c("age", "sex", "hospital")]
  expect_equal(predict(model, new, type = "prob")$.pred_yes, predict(fit, new, type = "response"))
  # without its name the classes are read, which is said
  flow <- workflows::update_model(flow, engine(parsnip::logistic_reg()))
  expect_warning(parsnip::fit(flow, patients), class = "dpadmm_privacy_leak")
  flow <- workflows::update_model(flow, engine(parsnip::logistic_reg(), response = "sick"))
  expect_error(parsnip::fit(flow, patients), "`response`", class = "dpadmm_error_argument")
})

test_that("the engine is there whichever package is loaded first", {
  skip_if_not_installed("parsnip")
  for (order in list(c("parsnip", "dpadmm"), c("dpadmm", "parsnip"))) {
    script <- tempfile(fileext = ".R")
    writeLines(c(
      sprintf(".libPaths(c(%s))", paste(vapply(.libPaths(), deparse, ""), collapse = ", ")),
      sprintf("loadNamespace('%s')", order),
      "engines <- parsnip::get_from_env('logistic_reg')$engine",
      "writeLines(paste('engines:', sum(engines == 'dpadmm')))"
    ), script)
    said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
      stdout = TRUE, stderr = FALSE, timeout = 300
    )
    expect_identical(utils::tail(said, 1), "engines: 1", label = paste(order, collapse = ", "))
  }
})
