# Sites whose records are in a file of dpadmm_records().

stored_sites <- function(frames, formula, ...) {
  sites_local(Map(function(frame, name) {
    file <- tempfile(fileext = ".dpadmm")
    dpadmm_records(frame, formula, site_schema, file = file, na.action = "omit", chunk = 37, ...)
    dpadmm_site(site_policy(name, site_schema, 100, 1e-4, source = file, simulation = TRUE))
  }, frames, names(frames)))
}

test_that("a site's file of records is its data frame, to the last bit", {
  skip_on_cran()
  skip_unless_sites()
  frames <- lapply(site_frames(), function(x) {
    x$age[seq(5, nrow(x), 9)] <- 200 # beyond its bounds
    x$age[seq(6, nrow(x), 9)] <- NA # these count nothing
    x
  })
  made <- lapply(names(frames), function(name) {
    policy <- site_policy(name, site_schema, 100, 1e-4, simulation = TRUE)
    dpadmm_site(policy, frames[[name]])
  })
  here <- sites_local(stats::setNames(made, names(frames)))
  there <- stored_sites(frames, ill ~ age + smoker)
  for (method in list(mr_admm(), fp_admm(unit = "record", noise = "block"))) {
    plan <- suppressWarnings(dpadmm_plan(ill ~ age + smoker, here, epsilon = 8, delta = 1e-4,
      method = method, iterations = 5))
    expect_identical(dpadmm_fit(plan, there, seed = 5)$coefficients,
      dpadmm_fit(plan, here, seed = 5)$coefficients)
  }
  weighted <- stored_sites(frames, ill ~ age, case_weights = ~age, weight_bound = 100)
  plan <- suppressWarnings(dpadmm_plan(ill ~ age, here, epsilon = 8, delta = 1e-4, iterations = 5,
    case_weights = ~age, weight_bound = 100))
  expect_identical(dpadmm_fit(plan, weighted, seed = 5)$coefficients,
    dpadmm_fit(plan, here, seed = 5)$coefficients)
})

test_that("a file is for plans of its formula alone, and says nothing else", {
  skip_unless_sites()
  frames <- site_frames()
  sites <- stored_sites(frames, ill ~ age + smoker)
  plan <- suppressWarnings(dpadmm_plan(ill ~ age, sites, epsilon = 8, delta = 1e-4))
  e <- expect_error(dpadmm_fit(plan, sites, seed = 1), class = "dpadmm_error_site")
  expect_match(conditionMessage(e), "ill ~ age + smoker", fixed = TRUE)
  # labels that are none are not told of
  file <- tempfile(fileext = ".dpadmm")
  frame <- transform(frames$A, ill = c(1, -1, 7)[seq_len(300) %% 3 + 1])
  columns <- dpadmm_schema(age = c(18, 100), ill = c(-10, 10))
  dpadmm_records(frame, ill ~ age, columns, file = file, na.action = "omit")
  odd <- dpadmm_site(site_policy("A", columns, 100, 1e-4, source = file, simulation = TRUE))
  plain <- dpadmm_site(site_policy("B", columns, 100, 1e-4, simulation = TRUE), frame)
  both <- sites_local(list(A = odd, B = plain))
  plan <- suppressWarnings(dpadmm_plan(ill ~ age, both, epsilon = 8, delta = 1e-4,
    loss = "huber", iterations = 3))
  expect_no_error(dpadmm_fit(plan, both, seed = 1))
})

test_that("a policy of persons, or of more records than there are, wants a table", {
  skip_unless_sites()
  file <- tempfile(fileext = ".dpadmm")
  dpadmm_records(site_frames()$C, ill ~ age, site_schema, file = file, na.action = "omit")
  for (given in list(list(person = "id"), list(records = 200))) {
    policy <- do.call(site_policy, c(list("A", site_schema, 4, source = file), given))
    e <- expect_error(dpadmm_site(policy), class = "dpadmm_error_policy")
    expect_identical(tolower(e$argument), names(given))
  }
})
