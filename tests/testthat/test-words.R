# The words that users of glm() and glmnet() have: names of methods, networks and losses, and
# what they hear of arguments that are called otherwise.

fitted_by <- function(...) {
  dpadmm_fit(four_nodes$x, four_nodes$y,
    nodes = four_nodes$nodes, epsilon = Inf, iterations = 4, ...
  )
}

test_that("methods and networks go by their names", {
  for (name in c("admm", "m_admm", "r_admm", "mr_admm")) {
    method <- get(name, asNamespace("dpadmm"))()
    expect_identical(coef(fitted_by(method = name)), coef(fitted_by(method = method)))
  }
  for (name in c("complete", "ring", "star")) {
    network <- get(paste0("network_", name), asNamespace("dpadmm"))()
    named <- fitted_by(network = name)
    expect_identical(named$plan$problem$network, fitted_by(network = network)$plan$problem$network)
    plan <- dpadmm_plan(2, c(a = 30, b = 40, c = 50), network = name, epsilon = 2)
    expect_identical(plan$problem$network$name, name)
  }
  expect_blame(fitted_by(network = "rings"), "argument", "network", '"complete", "ring", "star"')
  expect_blame(fitted_by(network = diag(4)), "argument", "network", "network_random()")
  expect_blame(fitted_by(network = c("ring", "star")), "argument", "network")
  expect_blame(fitted_by(method = "lbfgs"), "argument", "method", '"mr_admm"')
})

test_that("losses go by the names of families", {
  logistic <- dpadmm_loss("logistic")
  for (name in list("binomial", stats::binomial(), stats::binomial, "quasibinomial")) {
    expect_identical(dpadmm_loss(name), logistic)
  }
  expect_identical(coef(fitted_by(loss = "binomial")), coef(fitted_by()))
  expect_blame(fitted_by(loss = "gaussian"), "argument", "loss", "Use \"huber\"")
  expect_blame(fitted_by(loss = stats::gaussian()), "argument", "loss", "Use \"huber\"")
  expect_blame(fitted_by(loss = stats::binomial("probit")), "argument", "loss", "probit link")
  expect_blame(fitted_by(loss = stats::poisson), "argument", "loss", "no loss for counts")
  expect_blame(fitted_by(loss = "multinomial"), "argument", "loss", "against the rest")
  expect_blame(fitted_by(loss = "foo"), "argument", "loss", '"logistic"')
  expect_blame(fitted_by(loss = stats::Gamma()), "argument", "loss", '"huber"')
})

test_that("an argument that is called otherwise says how", {
  expect_blame(fitted_by(family = "binomial"), "argument", "family", "`loss`")
  expect_blame(fitted_by(maxit = 100), "argument", "maxit", "`iterations`")
  expect_blame(fitted_by(alpha = 0.5), "argument", "alpha", "penalty_elastic_net()")
  expect_blame(fitted_by(subset = 1:3), "argument", "subset", "data[rows, ]")
  fit <- fitted_by()
  expect_blame(predict(fit, four_nodes$x, interval = TRUE), "argument", "interval", "se.fit = TRUE")
  expect_blame(coef(fit, conf.int = TRUE), "argument", "conf.int", "confint()")
  error <- expect_blame(fitted_by(colour = 1), "argument", "colour")
  expect_identical(conditionMessage(error), "Unknown argument `colour`.")
  expect_blame(
    dpadmm_plan(2, c(10, 20), epsilon = 1, family = "binomial"), "argument", "family", "`loss`"
  )
})
