test_that("sim_lasso has the paper's shape", {
  lasso <- sim_lasso(seed = 3)
  expect_identical(dim(lasso$x), c(1000L, 64L))
  expect_equal(rowSums(lasso$x^2), rep(1, 1000))
  expect_identical(sum(lasso$model != 0), 8L)
  expect_true(all(lasso$model >= 0 & lasso$model <= 1))
  residual <- lasso$y - as.vector(lasso$x %*% lasso$model)
  p <- pchisq(sum(residual^2) / 0.01, 1000)
  expect_gt(min(p, 1 - p), 1e-4)
  # uniform on the sphere: means near 0, mean squares near 1 / 64
  expect_lt(max(abs(colMeans(lasso$x))) * sqrt(64 * 1000), 4.5)
  expect_lt(max(abs(colMeans(lasso$x^2) * 64 - 1)), 0.3)
})

test_that("sim_logistic draws labels from its model, as strong as it is told to be", {
  made <- sim_logistic(20000, 4, strength = 6, seed = 2)
  expect_equal(rowSums(made$x^2), rep(1, 20000))
  expect_equal(sqrt(sum(made$model^2)), 6)
  expect_lt(max(abs(colMeans(made$x))) * sqrt(4 * 20000), 4.5) # uniform on the sphere
  # maximum likelihood finds the model: the distance is chi-square in units of its covariance
  found <- stats::glm.fit(made$x, (made$y + 1) / 2, family = stats::binomial())
  chance <- stats::plogis(as.vector(made$x %*% made$model))
  information <- crossprod(made$x * sqrt(chance * (1 - chance)))
  away <- found$coefficients - made$model
  p <- pchisq(sum(away * (information %*% away)), 4)
  expect_gt(min(p, 1 - p), 1e-4)
  expect_identical(sim_logistic(50, 4, strength = 0, seed = 2)$x, sim_logistic(50, 4, seed = 2)$x)
  expect_error(sim_logistic(strength = -1), class = "dpadmm_error_argument")
  expect_error(sim_logistic(p = 0), class = "dpadmm_error_argument")
})

# every generator of the package, by its name
generators <- grep("^sim_", getNamespaceExports("dpadmm"), value = TRUE)

test_that("generators depend on their seed alone and leave R's generator be", {
  expect_gte(length(generators), 4)
  for (name in generators) {
    simulate <- getExportedValue("dpadmm", name)
    set.seed(1)
    before <- .Random.seed
    a <- simulate(n = 50, seed = 4)
    expect_identical(.Random.seed, before, label = name)
    expect_true(a$synthetic, label = name)
    expect_identical(c(nrow(a$x), length(a$y)), c(50L, 50L), label = name)
    expect_true(all(is.finite(a$x), is.finite(a$y)), label = name)
    expect_identical(simulate(n = 50, seed = 4), a, label = name)
    expect_false(identical(simulate(n = 50, seed = 5)$x, a$x), label = name)
    expect_false(identical(simulate(n = 50)$x, simulate(n = 50)$x), label = name)
    for (n in list(0, 1.5, NA_real_, "many")) {
      expect_error(simulate(n = n), class = "dpadmm_error", label = name)
    }
    expect_error(simulate(n = 50, seed = -1), class = "dpadmm_error_argument", label = name)
  }
})

test_that("the others have the shape and balance of what they stand for", {
  cases <- list(
    list(sim_ijcnn1(4000, seed = 1), 22L, 0.097), list(sim_bio_train(4000, seed = 1), 74L, 0.009),
    list(sim_census("us", 4000, seed = 1), 58L, 0.3),
    list(sim_census("brazil", 4000, seed = 1), 53L, 0.3)
  )
  for (case in cases) {
    data <- case[[1]]
    expect_identical(dim(data$x), c(4000L, case[[2]]))
    expect_true(all(is.finite(data$x)))
    expect_equal(mean(data$y == 1), case[[3]], tolerance = 0.01)
    expect_setequal(unique(data$y), c(-1, 1))
    expect_true(data$synthetic)
    expect_gt(min(apply(data$x, 2, sd)), 0)
    # there is something to learn: a linear score separates better than chance
    fit <- lm.fit(cbind(1, data$x), data$y)
    score <- cbind(1, data$x) %*% ifelse(is.na(fit$coefficients), 0, fit$coefficients)
    auc <- mean(rank(score)[data$y == 1]) / 4000
    expect_gt(auc, 0.6)
  }
  expect_true(all(sim_census(n = 100, seed = 1)$x >= 0 & sim_census(n = 100, seed = 1)$x <= 1))
  expect_true(all(abs(sim_ijcnn1(100, seed = 1)$x) <= 1))
  expect_error(sim_lasso(n = 0), class = "dpadmm_error_argument")
  expect_error(sim_lasso(p = 3, support = 4), class = "dpadmm_error_argument")
  expect_error(sim_census("france"), class = "dpadmm_error_argument")
})
