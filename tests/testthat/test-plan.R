# Plans: made of public numbers, and kept.

schema <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"), ill = c("no", "yes"))
sizes <- c(north = 30, south = 50, west = 40)
n <- sum(sizes)
patients <- data.frame(
  age = 18 + (seq_len(n) * 37) %% 80, smoker = c("no", "yes")[1 + (seq_len(n) %% 3 == 0)],
  ill = c("no", "yes")[1 + ((seq_len(n) * 13) %% 7 < 3)],
  site = rep(names(sizes), sizes)
)
plan_of <- function(..., formula = ill ~ age + smoker, .schema = schema, .sizes = sizes) {
  dpadmm_plan(formula, .schema, .sizes, ..., epsilon = 2, delta = 1e-5)
}

test_that("no argument of a plan could carry a record", {
  for (method in list(dpadmm::dpadmm_plan, dpadmm:::dpadmm_plan.default,
    dpadmm:::dpadmm_plan.formula, dpadmm:::make_plan, dpadmm:::plan_for)) {
    expect_false(any(c("data", "y", "records") %in% names(formals(method))))
  }
})

test_that("a formula and a schema give the columns that data would", {
  plan <- plan_of()
  fit <- dpadmm_fit(ill ~ age + smoker, patients,
    nodes = ~site, schema = schema, epsilon = 2, delta = 1e-5
  )
  expect_identical(plan$problem$blueprint$columns, names(coef(fit)))
  expect_identical(plan$problem$size, fit$plan$problem$size)
  expect_identical(plan$noise, fit$noise)
  dotted <- plan_of(formula = ill ~ .)
  expect_identical(dotted$problem$blueprint$columns, plan$problem$blueprint$columns)
  crossed <- plan_of(formula = ill ~ age * smoker - 1)
  expect_identical(
    crossed$problem$blueprint$columns,
    c("age", "smokerno", "smokeryes", "age:smokerno", "age:smokeryes")
  )
  logs <- dpadmm_plan(ill ~ log(age), dpadmm_schema("log(age)" = c(2, 5)), sizes, epsilon = 1)
  expect_identical(logs$problem$blueprint$columns, c("(Intercept)", "log(age)"))
})

test_that("a plan says what is sent, by whom, and how many bytes", {
  plan <- plan_of(iterations = 10, network = network_star())
  sent <- summary(plan)$traffic
  expect_identical(sent$party, names(sizes))
  expect_identical(sent$messages, rep(10L, 3))
  expect_identical(sent$numbers, rep(4L, 3))
  expect_equal(sent$bytes, c(2, 1, 1) * 10 * 4 * 8)
  ipp <- dpadmm_plan(4, sizes, method = ipp_admm(max_sends = 3), iterations = 10, epsilon = 2)
  expect_identical(summary(ipp)$traffic$messages, rep(3L, 3))
})

test_that("dpadmm_fit(plan, data) runs exactly the plan", {
  plan <- plan_of(nodes = ~site)
  fit <- dpadmm_fit(plan, patients, seed = 1)
  expect_identical(fit$plan, plan)
  expect_identical(fit$events, plan$events)
  direct <- dpadmm_fit(ill ~ age + smoker, patients,
    nodes = ~site, schema = schema, epsilon = 2, delta = 1e-5, seed = 1
  )
  expect_equal(coef(fit), coef(direct), tolerance = 1e-12)
  expect_identical(levels(predict(fit, patients)), c("no", "yes"))
  shuffled <- patients[order(patients$age), ]
  expect_equal(coef(dpadmm_fit(plan, shuffled, seed = 1)), coef(fit), tolerance = 1e-6)
  bare <- plan_of(.sizes = unname(sizes))
  expect_identical(dpadmm_fit(bare, patients, seed = 1)$nodes$size, c(30L, 50L, 40L))
})

test_that("data that do not fit a plan are refused before anything is released", {
  plan <- plan_of(nodes = ~site)
  suppressMessages(trace("run_plan", quote(stop("it ran")),
    where = asNamespace("dpadmm"), print = FALSE
  ))
  on.exit(suppressMessages(untrace("run_plan", where = asNamespace("dpadmm"))))
  refused <- function(class, ...) {
    expect_error(dpadmm_fit(...), class = paste0("dpadmm_error_", class))
  }
  refused("plan", plan, patients[-1, ])
  refused("plan", plan, patients, nodes = rep(c("north", "east", "west"), 40))
  refused("plan", plan, patients, nodes = 3)
  one <- dpadmm_plan(2, 30, method = dp_sgd(), epsilon = 1, delta = 1e-5)
  refused("nodes", one, matrix(0, 30, 2), rep(0:1, 15), nodes = 3)
  refused("plan", plan_of(), patients)
  refused("plan", dpadmm_plan(2, c(10, 20), epsilon = 1), matrix(0, 31, 2), rep_len(0:1, 31))
  refused("shape", plan, patients[c("age", "ill", "site")])
  refused("level", plan, transform(patients, smoker = "often"))
  refused("labels", plan, transform(patients, ill = "maybe"))
  refused("missing", plan, transform(patients, age = NA_real_))
  refused("shape", dpadmm_plan(3, c(10, 20), epsilon = 1), matrix(0, 30, 2), rep(0:1, 15))
  refused("argument", plan)
  refused("argument", plan, patients, threads = 2)
  expect_error(dpadmm_fit(plan, patients), "it ran")
})

test_that("plans are refused with a class for what is missing or wrong", {
  expect_error(dpadmm_plan(ill ~ age, sizes = sizes, epsilon = 1), class = "dpadmm_error_argument")
  expect_error(plan_of(formula = ill ~ weight), "`weight`", class = "dpadmm_error_argument")
  expect_error(plan_of(formula = ~age), class = "dpadmm_error_argument")
  expect_error(dpadmm_plan(3, epsilon = 1), class = "dpadmm_error_argument")
  for (bad in list(0, c(10, 0.5), NA, c(a = 1, a = 2), "many")) {
    expect_error(dpadmm_plan(3, bad, epsilon = 1), class = "dpadmm_error")
  }
  for (bad in list(0, 1.5, NA_real_, character())) {
    expect_error(dpadmm_plan(bad, sizes, epsilon = 1), class = "dpadmm_error")
  }
  expect_error(dpadmm_plan(3, 100, epsilon = 1), class = "dpadmm_error_nodes")
  expect_error(dpadmm_plan(3, sizes, epsilon = 1, records = 1), class = "dpadmm_error_argument")
  expect_error(plan_of(nodes = "site"), class = "dpadmm_error_argument")
  expect_error(plot(dpadmm_plan(3, sizes, epsilon = Inf)), class = "dpadmm_error_argument")
})

test_that("named networks and named sizes meet by name", {
  A <- matrix(c(0, 1, 1, 1, 0, 0, 1, 0, 0), 3, dimnames = list(c("west", "north", "south"), NULL))
  plan <- dpadmm_plan(2, sizes, network = network_adjacency(A), epsilon = 1)
  expect_identical(plan$problem$names, c("west", "north", "south"))
  expect_identical(plan$problem$size, c(40L, 30L, 50L))
  rownames(A)[1] <- "east"
  expect_error(
    dpadmm_plan(2, sizes, network = network_adjacency(A), epsilon = 1),
    class = "dpadmm_error_nodes"
  )
})

test_that("events of some releases are those that these make alone, as accountants read them", {
  read <- function(events) {
    known <- Filter(function(column) !all(is.na(column)), unclass(events)[.calibrated])
    as_releases(known, "dp_events")
  }
  for (method in list(mr_admm(), pp_admm(), ipp_admm())) for (noise in c("gaussian", "gamma")) {
    plan <- suppressWarnings(dpadmm_plan(5,
      sizes = c(100, 200, 300, 400), method = method, epsilon = 1, delta = 1e-5, noise = noise,
      iterations = 4
    ))
    releases <- placed_releases(plan)
    mechanism <- plan$budget$mechanism
    events <- events_of_unit(releases, mechanism, plan$problem)
    unit <- 1 + seq_len(nrow(releases)) / nrow(releases)
    keep <- which(releases$node %in% c(2, 4))
    alone <- release_events(pick_releases(releases, keep), unit[keep], mechanism, plan$problem)
    all <- release_events(releases, unit, mechanism, plan$problem)
    expect_named(all, names(.event_columns))
    expect_identical(events(unit), all)
    expect_identical(events(unit[keep], keep), read(alone))
    events <- events_of_unit(releases, mechanism, plan$problem)
    # the first time and when they are there
    expect_identical(events(unit[keep], keep), read(alone))
    expect_identical(events(unit[keep], keep), read(alone))
    expect_identical(events(unit, seq_along(unit)), read(all))
    expect_identical(events(unit), all)
    said <- function(events, of) fold_ledgers(of, counted_books(events), 1e-5, list())$epsilon
    expect_identical(said(read(all), "best"), said(all, "best"))
    if (noise == "gamma") expect_identical(said(read(all), "pld"), said(all, "pld"))
  }
})
