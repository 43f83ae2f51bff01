# Public numbers from 1e-300 to 1e300: every method has a plan whose numbers are finite, or an
# error of the package that names an argument of the user's.

skip_on_cran()

far <- c(1e-300, 1e-17, 1e17, 1e300)

# Arguments that are numbers, of the method's constructor and of the plan. How a sample is
# accounted for does not change with its size, but takes longer.
numeric_arguments <- function(make) {
  known <- c("eta", "growth", "theta", "gamma", "beta", "split", "lambda", "step", "clip", "rho",
    "threshold", "loss_clip", "eps_ratio", "test_share", "mu", "B", "c")
  intersect(known, names(formals(make)))
}

settings_of <- function(make, value) {
  # with the value as each argument of a constructor that takes it
  made <- function(field, constructor, arguments) {
    lapply(arguments, function(argument) {
      tryCatch(stats::setNames(
        list(do.call(constructor, stats::setNames(list(value), argument))), field
      ), dpadmm_error = function(e) NULL)
    })
  }
  own <- made("method", make, numeric_arguments(make))
  others <- c(made("control", dpadmm_control, c("row_bound", "tol")), list(
    list(C = value), list(rho = value), list(epsilon = value),
    list(noise = gaussian_noise(value)), list(noise = gamma_noise(value)),
    list(control = dpadmm_control(start = c(value, 0, 0)))
  ))
  given <- function(settings) Filter(Negate(is.null), settings)
  c(given(own), lapply(given(others), function(more) c(list(method = make()), more)))
}

planned <- function(settings, delta) {
  if (is.null(settings$noise) && is.null(settings$epsilon)) settings$epsilon <- 1
  graph <- on_graph(settings$method)
  suppressWarnings(do.call(dpadmm_plan, c(
    list(3, if (graph) c(30, 40, 50) else 120, iterations = 3, delta = delta), settings
  )), classes = "dpadmm_warning")
}

for (name in names(all_methods())) {
  make <- all_methods()[[name]]

  test_that(paste0(name, "(): numbers far out give a finite plan or an error of the package"), {
    for (value in far) for (settings in settings_of(make, value)) for (delta in c(0, 1e-5)) {
      plan <- tryCatch(planned(settings, delta), error = identity)
      if (inherits(plan, "error")) {
        expect_s3_class(plan, "dpadmm_error")
        expect_false(is.null(plan$argument))
      } else {
        expect_true(all(is.finite(unlist(plan$scales))))
        expect_true(all(is.finite(unlist(plan$expected[c("noise", "most", "signal")]))))
        spent <- tryCatch(privacy(plan)$epsilon, dpadmm_error_accountant = function(e) NULL)
        if (is.null(settings$noise)) expect_lte(spent, max(1, settings$epsilon))
      }
    }
  })
}

test_that("numbers that rounding is not bounded for are refused by name", {
  plan <- function(...) planned(list(..., epsilon = 1), 1e-5)
  expect_blame(plan(method = admm(1e-300)), "argument", "eta")
  expect_blame(plan(method = admm(), C = 1e-60), "argument", "C")
  expect_blame(plan(method = mr_admm(), rho = 1e300), "argument", "rho")
  expect_blame(plan(method = pp_admm(beta = 1e50)), "argument", "beta", "1e+50 is too large",
    place = "1"
  )
  expect_blame(plan(method = ipp_admm(beta = 1e30)), "argument", "beta", "too large", place = "1")
  # a factor of 4, 250 times
  expect_blame(
    dpadmm_plan(3, c(30, 40), method = m_admm(growth = 4), epsilon = 1, delta = 1e-5,
      iterations = 250
    ), "argument", "growth"
  )
  expect_blame(planned(list(method = dp_sgd(), noise = gaussian_noise(1e-70)), 1e-5),
    "argument", "sigma"
  )
  wide <- dpadmm_control(row_bound = 1e100)
  expect_blame(plan(method = fp_admm(noise = "block"), control = wide), "argument", "row_bound")
  # without noise nothing needs to be hidden
  expect_s3_class(
    dpadmm_plan(3, c(30, 40), method = admm(1), epsilon = Inf, C = 1e-60), "dpadmm_plan"
  )
})

test_that("what a budget buys does not depend on the units of the records", {
  ratio <- vapply(c(1e-20, 1e-9, 1, 1e9, 1e20), function(unit) {
    plan <- dpadmm_plan(3, 120, method = dp_sgd(step = unit^-2), epsilon = 1, delta = 1e-5,
      control = dpadmm_control(row_bound = unit)
    )
    plan$noise / unit
  }, 0)
  expect_equal(ratio, rep(ratio[3], 5), tolerance = 1e-6)
})
