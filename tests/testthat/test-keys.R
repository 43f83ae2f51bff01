# Keys are overwritten where they were.

keys_of <- function(code) {
  made <- list()
  home <- asNamespace("dpadmm")
  original <- home$noise_key
  bind <- function(f) {
    unlockBinding("noise_key", home)
    assign("noise_key", f, home)
    lockBinding("noise_key", home)
  }
  on.exit(bind(original))
  bind(function(seed = NULL) {
    key <- original(seed)
    made[[length(made) + 1L]] <<- key # the very vector, not a copy
    key
  })
  force(code)
  made
}

overwritten <- function(keys) vapply(keys, function(key) all(key == as.raw(0)), NA)

x <- matrix(sin(1:80), 40) / 2
y <- rep_len(c(-1, 1), 40)

test_that("a run leaves no key of its noise in R's memory", {
  for (engine in c("local", "stepwise")) {
    keys <- keys_of(dpadmm_fit(x, y,
      nodes = 2, epsilon = 1, iterations = 2, control = dpadmm_control(engine = engine)
    ))
    # the plan's own key, of what is public, is the other one
    expect_identical(sum(overwritten(keys)), 1L)
    expect_length(keys, 2L)
  }
  plan <- dpadmm_plan(2, sizes = 40, method = dp_sgd(), epsilon = 1, delta = 1e-5)
  expect_true(all(overwritten(keys_of(dpadmm_fit(plan, x, y)))))
  expect_true(all(overwritten(keys_of(
    fixed_point(function(u) u / 2, c(1, 1), noise = gaussian_noise(1), sensitivity = 1,
      delta = 1e-5, iterations = 3)
  ))))
  expect_true(all(overwritten(keys_of(
    general_admm(prox_loss(x, y), penalty_none(), u0 = c(0, 0), noise = gaussian_noise(1),
      delta = 1e-5, iterations = 3)
  ))))
})

test_that("nor does a run that ends early", {
  plan <- dpadmm_plan(2, sizes = 40, method = dp_sgd(), epsilon = 1, delta = 1e-5)
  keys <- keys_of(expect_error(dpadmm_fit(plan, x[-1, ], y[-1]), class = "dpadmm_error_plan"))
  expect_true(all(overwritten(keys)))
  keys <- keys_of(expect_error(
    fixed_point(function(u) if (u[1] == 1) u + 1 else stop("no more"), c(1, 1), lambda = 1,
      iterations = 3, noise = gaussian_noise(1), sensitivity = 1, delta = 1e-5), "no more"
  ))
  expect_length(keys, 1L)
  expect_true(all(overwritten(keys)))
})

test_that("what is overwritten is a key in place", {
  key <- noise_key()
  same <- key
  forget_key(key)
  expect_identical(same, raw(32))
  expect_error(forget_key("key"), class = "dpadmm_error_argument")
})
