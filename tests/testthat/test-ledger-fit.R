# Fits that are charged to a budget.

skip_without_ledger()
inside <- asNamespace("dpadmm")
set.seed(11)
n <- 60
people <- data.frame(age = runif(n, 20, 80), smoker = rep(c("no", "yes"), n / 2))
people$ill <- rep(c(FALSE, TRUE), each = n / 2)
x <- matrix(runif(3 * n), n) / 2
y <- rep(c(-1, 1), n / 2)
public <- dpadmm_schema(age = c(18, 90), smoker = c("no", "yes"))
new_budget <- function(epsilon = 4, delta = 1e-5) {
  dpadmm_ledger(tempfile(fileext = ".sqlite"), "icu", epsilon, delta)
}
fit <- function(ledger, ..., epsilon = 0.5, delta = 1e-5) {
  dpadmm_fit(x, y, nodes = 2, epsilon = epsilon, delta = delta, iterations = 4, ledger = ledger,
    ...
  )
}
update <- function(...) suppressWarnings(stats::update(...), classes = "dpadmm_warning_utility")
charges <- function(ledger) as.data.frame(ledger_report(ledger))

test_that("every way to fit is charged what its plan releases", {
  icu <- new_budget()
  plan <- dpadmm_plan(3, sizes = c(30, 30), epsilon = 0.5, delta = 1e-5, iterations = 4)
  fits <- list(
    fit(icu),
    dpadmm_fit(ill ~ age + smoker, people,
      nodes = 2, schema = public, epsilon = 0.5, delta = 1e-5, ledger = icu
    ),
    dpadmm_fit(people[c("age", "smoker")], people$ill,
      nodes = 2, schema = public, epsilon = 0.5, delta = 1e-5, ledger = icu
    ),
    dpadmm_fit(plan, x, y, ledger = icu$path, data_id = "icu"),
    dpadmm_fit(x, y, method = dp_sgd(batch = 6), epsilon = 0.5, delta = 1e-5, ledger = icu)
  )
  rows <- charges(icu)
  expect_identical(rows$number, 1:5)
  for (k in seq_along(fits)) {
    expect_identical(fits[[k]]$ledger[c("path", "data_id", "number")],
      list(path = icu$path, data_id = "icu", number = k)
    )
    expect_equal(rows$cost[k], inside$charge_cost(fits[[k]]$events, icu$budget))
    expect_match(format(privacy(fits[[k]])), sprintf("charged as no. %d", k), all = FALSE)
  }
  expect_match(rows$what[2], "MR-ADMM, ill ~ age + smoker, 2 nodes", fixed = TRUE)
  expect_match(paste(format(privacy(fits[1:2])), collapse = " "), "no. 1 .* no. 2 ")
  expect_identical(anyDuplicated(rows$run), 0L)
  expect_identical(ledger_report(icu, plan = fits[[1]])$more, ledger_report(icu, plan)$more)
})

test_that("the charge is made before any noise is drawn, and stays when the fit fails", {
  icu <- new_budget()
  seen <- NULL
  local_binding("run_plan", function(...) {
    seen <<- nrow(charges(icu))
    stop("the power went out")
  })
  expect_error(fit(icu), "the power went out")
  expect_identical(seen, 1L)
  expect_identical(nrow(charges(icu)), 1L)
})

test_that("nothing is charged, and nothing drawn, where a check fails or the budget refuses", {
  icu <- new_budget(0.6)
  drawn <- 0
  run <- inside$run_plan
  local_binding("run_plan", function(...) {
    drawn <<- drawn + 1
    run(...)
  })
  bad <- spoil(x, cbind(7, 2), NA)
  expect_error(
    dpadmm_fit(bad, y, nodes = 2, epsilon = 1, ledger = icu), class = "dpadmm_error_missing"
  )
  plan <- dpadmm_plan(3, sizes = c(30, 31), epsilon = 0.5, delta = 1e-5)
  expect_error(dpadmm_fit(plan, x, y, ledger = icu), class = "dpadmm_error_plan")
  expect_error(fit(icu, loss = "nonsense"), class = "dpadmm_error_argument")
  expect_blame(fit(icu, seed = 1), "argument", "seed", "simulation")
  expect_blame(dpadmm_fit(plan, x, y, seed = 1, ledger = icu), "argument", "seed")
  expect_blame(fit(icu, epsilon = Inf), "argument", "epsilon", "without noise")
  expect_refused(suppressWarnings(dpadmm_fit(ill ~ age + smoker, people,
    nodes = 2, epsilon = 0.5, delta = 1e-5, ledger = icu
  )), "budget", "ledger", "the range of `age`")
  expect_blame(fit(icu$path), "argument", "data_id", "missing")
  expect_refused(fit(icu$path, data_id = "x"), "ledger", "data_id", "dpadmm_ledger(")
  expect_blame(fit(icu, data_id = "x"), "argument", "data_id")
  expect_blame(fit(NULL, data_id = "x"), "argument", "data_id")
  expect_blame(fit(3), "argument", "ledger")
  expect_refused(fit(tempfile(), data_id = "x"), "ledger", "path", "no such file")
  expect_refused(fit(icu, epsilon = 0.7), "budget", "ledger", "100% is left")
  expect_identical(nrow(charges(icu)), 0L)
  expect_identical(drawn, 0)
  expect_identical(fit(icu, epsilon = 0.6)$ledger$number, 1L) # all of it, at once
  expect_refused(fit(icu, epsilon = 0.01), "budget", "ledger", "nothing is left")
  expect_identical(drawn, 1)
})

test_that("update() charges again, unless told otherwise", {
  icu <- new_budget()
  first <- fit(icu)
  expect_identical(update(first, data = x, y = y)$ledger$number, 2L)
  expect_null(update(first, data = x, y = y, ledger = NULL)$ledger)
  expect_error(update(first, data = x, y = y, seed = 1), class = "dpadmm_error_argument")
  plan <- dpadmm_plan(3, sizes = c(30, 30), epsilon = 0.5, delta = 1e-5, iterations = 4)
  planned <- dpadmm_fit(plan, x, y, ledger = icu$path, data_id = "icu")
  expect_identical(update(planned, data = x, y = y)$ledger$number, 4L)
  expect_null(update(planned, data = x, y = y, ledger = NULL)$ledger)
  by_path <- fit(icu$path, data_id = "icu")
  expect_null(update(by_path, data = x, y = y, ledger = NULL)$ledger)
  expect_identical(nrow(charges(icu)), 5L)
})

test_that("a printed guarantee is never charged, but what is proved", {
  icu <- new_budget(50)
  cheap <- fit(icu, epsilon = 5, delta = 0, control = dpadmm_control(accountant = "paper"))
  expect_equal(charges(icu)$cost, inside$charge_cost(cheap$events, icu$budget))
  # no budget covers what nothing is proved of
  expect_refused(
    fit(icu, method = ipp_admm(), epsilon = 5, control = dpadmm_control(accountant = "paper")),
    "budget", "ledger", "nothing finite is proved"
  )
})
