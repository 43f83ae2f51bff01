# What a site keeps of its runs: no more of a record than the next step needs, and connections that
# end with it.

skip_on_cran()

test_that("what is stored each round has no work space", {
  skip_unless_sites()
  stored <- function(method, n) {
    plan <- dpadmm_plan(ill ~ age + smoker, site_schema, c(A = n, B = 200), epsilon = 1,
      delta = 1e-4, na.action = "omit", seed = 1, iterations = 3, method = method)
    it <- one_site(site_policy("A", site_schema, 4, 1e-4), site_patients(n, 1), plan)
    it$open()
    for (round in 1:2) it$step(round)
    row <- with_store(it$site$it, function(con) store_run(con, run_at(it$site$it, it$run)))
    length(row$state)
  }
  # a margin of each record, and nothing of it where gradients are asked for
  for (method in list(mr_admm(), admm(1, "primal"))) {
    expect_identical(stored(method, 6000L) - stored(method, 2000L), 8L * 4000L)
  }
  expect_identical(stored(grad_admm(), 6000L), stored(grad_admm(), 2000L))
  expect_lt(stored(grad_admm(), 6000L), 500)
})

test_that("records are encoded once for all plans that take them alike", {
  skip_unless_sites()
  policy <- function() site_policy("A", site_schema, 4, 1e-4, simulation = TRUE)
  plan_of <- function(formula, ...) {
    dpadmm_plan(formula, site_schema, c(A = 300, B = 200), delta = 1e-4, na.action = "omit",
      seed = 1, iterations = 2, ...)
  }
  half <- dpadmm_control(row_bound = 0.5)
  plans <- list(
    plan_of(ill ~ age + smoker, epsilon = 1), plan_of(ill ~ age + smoker, epsilon = 2),
    plan_of(ill ~ age + smoker, epsilon = 2, method = grad_admm()),
    plan_of(ill ~ age, epsilon = 2), plan_of(ill ~ age, epsilon = 2, control = half),
    plan_of(ill ~ age, epsilon = 2, control = half, loss = "hinge"),
    plan_of(ill ~ age, epsilon = 2, method = fp_admm(unit = "record", noise = "block"))
  )
  encoded <- 0
  whole <- site_records
  local_binding("site_records", function(...) {
    encoded <<- encoded + 1
    whole(...)
  })
  site <- dpadmm_site(policy(), site_frames()$A)
  first_message <- function(site, plan, run) {
    ask <- function(...) site_answer(site, ...)$value
    ask("open", list(run = run, recipe = text_to_wire(plan_recipe(plan)), seed = 1))
    ask("step", list(run = run, round = 1, inbox = doubles_to_wire(numeric(plan$problem$d))))
  }
  made <- vapply(seq_along(plans), function(k) {
    before <- encoded
    got <- first_message(site, plans[[k]], sprintf("%032d", k))
    now <- encoded
    alone <- first_message(dpadmm_site(policy(), site_frames()$A), plans[[k]], strrep("0", 32))
    expect_identical(got, alone)
    expect_length(got$values, plans[[k]]$problem$d)
    now - before
  }, 0)
  expect_identical(made[1:3], c(1, 0, 0))
  expect_identical(made[4:7], c(1, 1, 1, 1))
})

test_that("a site that nobody closed ends its connections itself", {
  skip_unless_sites()
  held <- function() length(ls(.connections))
  invisible(gc())
  before <- held()
  use <- function() {
    it <- one_site(site_policy("A", site_schema, 4, 1e-4), site_frames()$A,
      dpadmm_plan(ill ~ age, site_schema, c(A = 300, B = 200), epsilon = 1, delta = 1e-4,
        na.action = "omit", seed = 1, iterations = 3))
    it$open()
    it$step(1, numeric(2))
    now <- held()
    list(now = now, con = it$site$it$con, rounds = it$site$it$rounds)
  }
  got <- use()
  expect_identical(got$now, before + 1L)
  expect_no_warning(for (k in 1:3) gc())
  expect_identical(held(), before)
  expect_false(DBI::dbIsValid(got$con))
  if (!is.null(got$rounds)) expect_false(DBI::dbIsValid(got$rounds$con))
})

test_that("a process that was forked does not open the ledger anew, whose locks it seems to have", {
  skip_unless_sites()
  skip_on_os("windows")
  got <- in_child(helpers = "sites", inside = TRUE, {
    it <- one_site(site_policy("A", site_schema, 4, 1e-4), site_frames()$A,
      dpadmm_plan(ill ~ age, site_schema, c(A = 300, B = 200), epsilon = 1, delta = 1e-4,
        na.action = "omit", seed = 1, iterations = 5))
    it$open()
    for (round in 1:2) it$step(round, numeric(2))
    policy <- site_policy("A", site_schema, 4, 1e-4, ledger = it$site$it$policy$ledger)
    job <- parallel::mcparallel(silent = TRUE, {
      third <- it$step(3, numeric(2))
      other <- tryCatch(dpadmm_site(policy, site_frames()$A), error = identity)
      plain <- tryCatch(ledger_connect(policy$ledger), error = identity)
      open <- DBI::dbIsValid(it$site$it$con)
      rm(it)
      said <- tryCatch(for (k in 1:3) gc(), warning = conditionMessage)
      list(third = third, other = other, plain = plain, open = open, said = said)
    })
    got <- parallel::mccollect(job)[[1L]]
    c(got, list(after = lapply(3:4, function(round) it$step(round, numeric(2)))))
  })
  expect_identical(got$third$error, "ledger")
  expect_match(got$third$message, "forked")
  expect_s3_class(got$other, "dpadmm_error_ledger")
  expect_s3_class(got$plain, "dpadmm_error_ledger")
  expect_true(got$open)
  expect_null(got$said)
  expect_null(got$after[[1L]]$error)
  expect_null(got$after[[2L]]$error)
})
