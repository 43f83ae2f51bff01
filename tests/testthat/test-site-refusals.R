# What a hub may try. Every refusal is by name, nothing is drawn and nothing charged.

skip_on_cran()

plan_for_site <- function(..., epsilon = 1) {
  dpadmm_plan(ill ~ age + smoker, site_schema, c(A = 300, B = 200),
    epsilon = epsilon, delta = 1e-4, na.action = "omit", seed = 1, ...
  )
}

hub <- function(plan = plan_for_site(iterations = 4), ..., data = site_frames()$A) {
  one_site(site_policy("A", site_schema, 4, 1e-4, ...), data, plan)
}

test_that("a round is answered once, whatever is asked", {
  skip_unless_sites()
  it <- hub()
  expect_site_refuses(it$step(1), "run") # not open
  expect_null(it$open()$error)
  d <- 4L
  first <- it$step(1)
  expect_length(first$value$values, d)
  expect_identical(it$step(1), first) # replayed
  expect_site_refuses(it$step(1, rep(1, d)), "inbox") # the same round, another inbox
  expect_site_refuses(it$step(0), "round")
  second <- it$step(2, rep(0.5, d))
  expect_site_refuses(it$step(1), "round")
  expect_site_refuses(it$step(5), "round") # more rounds than charged
  expect_site_refuses(it$step(2.5), "round")
  expect_site_refuses(it$step(NaN), "round")
  for (bad in list(rep(NaN, d), rep(1e300, d), numeric(3), c(Inf, 0, 0, 0))) {
    expect_site_refuses(it$step(3, bad), "inbox")
  }
  for (bad in list("B64:", "B64:@@", "x", NA, 3, "B64:AAAA AAAA", c("B64:", "B64:"))) {
    expect_site_refuses(it$step(3, as = bad), "inbox")
  }
  expect_identical(it$step(2, rep(0.5, d)), second) # nothing of this has moved it
  expect_identical(nrow(site_report(it$site$it)$charges), 1L)
})

test_that("a run has one plan and one charge", {
  skip_unless_sites()
  it <- hub()
  it$open()
  it$open() # again: an answer that was lost on its way
  expect_identical(nrow(site_report(it$site$it)$charges), 1L)
  weaker <- text_to_wire(plan_recipe(plan_for_site(iterations = 4, epsilon = 3)))
  expect_site_refuses(it$open(recipe = weaker), "plan") # swapped after open
  expect_null(site_answer(it$site, "close", list(run = it$run))$error)
  expect_site_refuses(it$step(1), "run")
  expect_site_refuses(it$open(), "run")
  expect_site_refuses(it$open(run = "../x"), "run")
  expect_site_refuses(site_answer(it$site, "step", list(run = strrep("f", 32), round = 1,
    inbox = "B64:")), "run") # forged
  expect_identical(nrow(site_report(it$site$it)$charges), 1L)
})

test_that("plans that the policy does not allow are refused by field", {
  skip_unless_sites()
  refused <- function(plan, field, ..., error = "refused", data = site_frames()$A) {
    it <- hub(plan, ..., data = data)
    expect_site_refuses(it$open(), field, error)
    expect_identical(nrow(site_report(it$site$it)$charges), 0L)
  }
  refused(plan_for_site(iterations = 11), "iterations", rounds = 10)
  refused(plan_for_site(method = admm()), "method", methods = "mr_admm")
  refused(plan_for_site(epsilon = Inf), "epsilon")
  refused(dpadmm_plan(ill ~ age + smoker, site_schema, c(A = 300, B = 200), epsilon = 1,
    na.action = "omit", seed = 1, method = admm(), iterations = 3,
    control = dpadmm_control(accountant = "paper")), "accountant")
  refused(plan_for_site(method = fp_admm(unit = "record")), "method") # a server's noise
  refused(plan_for_site(iterations = 3), "sizes", data = site_frames()$B) # other n
  refused(plan_for_site(iterations = 3), "sizes", site = "Z")
  other <- dpadmm_schema(age = c(18, 101), smoker = c("no", "yes"), ill = c("no", "yes"))
  refused(dpadmm_plan(ill ~ age, other, c(A = 300, B = 200), epsilon = 1, delta = 1e-4,
    na.action = "omit", seed = 1), "schema")
  refused(dpadmm_plan(ill ~ age, site_schema, c(A = 300, B = 200), epsilon = 1,
    delta = 1e-4, seed = 1), "na.action")
  more <- c(site_schema, dpadmm_schema(salary = c(0, 1)))
  refused(dpadmm_plan(ill ~ salary, more, c(A = 300, B = 200), epsilon = 1, delta = 1e-4,
    na.action = "omit", seed = 1), "formula", error = "plan")
  refused(plan_for_site(epsilon = 5), "ledger", error = "budget")
  it <- hub()
  expect_site_refuses(it$open(seed = 1), "seed")
  expect_site_refuses(it$open(analyst = "a b"), "analyst")
  for (text in c("{", "[]", "{\"kind\":\"list\"}", "1", "", strrep("[", 1e5))) {
    expect_identical(it$open(recipe = text_to_wire(text))$error, "plan")
  }
})

test_that("why whole holders and a server's noise do not go over sites is said", {
  skip_unless_sites()
  sites <- sites_local(site_frames(), site_schema, epsilon = 100, delta = 1e-4)
  over <- function(method) {
    plan <- dpadmm_plan(ill ~ age, sites, epsilon = 8, delta = 1e-4, iterations = 2,
      method = method)
    expect_error(dpadmm_fit(plan, sites), class = "dpadmm_error")
  }
  for (noise in c("aggregate", "block")) {
    error <- over(fp_admm(unit = "holder", noise = noise))
    expect_match(conditionMessage(error), "no site has them all")
    expect_identical(error$argument, "method")
  }
  error <- over(fp_admm(unit = "record"))
  expect_match(conditionMessage(error), "nothing without noise of its own")
  expect_identical(unname(ledger_report(sites)$sites$charges), c(0L, 0L, 0L))
})

test_that("nothing in a plan's text is run", {
  skip_unless_sites()
  text <- plan_recipe(plan_for_site(iterations = 3))
  it <- hub()
  mark <- tempfile()
  for (term in c(sprintf("file.create('%s')", mark), "system('true')", "I(get('age'))", "age[1]",
    "(function(x) x)(age)", "base::log(age)", "mean(age)", "rank(age)", "ave(age)",
    "poly(age, 2)", "bs(age, df = 5)", "scale(age)", "`log`(age)(1)")) {
    bad <- sub("ill ~ age + smoker", paste("ill ~ age +", gsub("'", "\\\\\\\\\"", term)), text,
      fixed = TRUE)
    answer <- it$open(recipe = text_to_wire(bad))
    expect_true(answer$error %in% c("formula", "plan", "argument", "refused"), label = term)
  }
  expect_false(file.exists(mark))
  expect_identical(nrow(site_report(it$site$it)$charges), 0L)
})

test_that("no refusal and no answer's form hangs on a record", {
  skip_unless_sites()
  plan <- plan_for_site(iterations = 2)
  good <- site_frames()$A
  odd <- list(
    same_labels = transform(good, ill = "yes"), no_labels = transform(good, ill = NA),
    other_labels = transform(good, ill = "perhaps"), wild = transform(good, age = 1e308),
    infinite = transform(good, age = -Inf), missing = transform(good, age = NA_real_),
    text = transform(good, age = "old"), level = transform(good, smoker = "sometimes"),
    tiny = transform(good, age = 1e-320)
  )
  for (name in names(odd)) {
    it <- hub(plan, data = odd[[name]])
    expect_null(it$open()$error, label = name)
    for (round in 1:2) {
      answer <- it$step(round)
      expect_null(answer$error, label = name)
      expect_true(all(is.finite(answer$value$values)), label = name)
    }
  }
})

test_that("a run outlives its process, and its key does not outlive the run", {
  skip_unless_sites()
  file <- tempfile(fileext = ".sqlite")
  plan <- plan_for_site(iterations = 4)
  policy <- site_policy("A", site_schema, 4, 1e-4, ledger = file, simulation = TRUE)
  data <- site_frames()$A
  at_once <- one_site(site_policy("A", site_schema, 4, 1e-4, simulation = TRUE), data, plan)
  at_once$open(seed = 3)
  again <- one_site(policy, data, plan)
  again$open(seed = 3)
  for (round in 1:4) {
    inbox <- rep(round / 4, 4)
    again <- one_site(policy, data, plan) # a new session
    expect_identical(again$step(round, inbox), at_once$step(round, inbox))
    again <- one_site(policy, data, plan)
    expect_identical(again$step(round, inbox), at_once$step(round, inbox))
  }
  con <- store_connect(file)
  row <- store_run(con, run_at(again$site$it, again$run))
  expect_length(row$key, 32L)
  ledger_disconnect(con)
  site_answer(again$site, "close", list(run = again$run))
  bytes <- unlist(lapply(Sys.glob(paste0(file, "*")), readBin, what = "raw", n = 1e7))
  con <- store_connect(file)
  left <- store_run(con, run_at(again$site$it, again$run), "closed, state, inbox, message")
  expect_identical(lapply(left, is.null), list(closed = FALSE, state = TRUE, inbox = FALSE,
    message = TRUE))
  expect_identical(left$inbox, NA_character_)
  DBI::dbGetQuery(con, "PRAGMA wal_checkpoint(TRUNCATE)")
  ledger_disconnect(con)
  bytes <- unlist(lapply(Sys.glob(paste0(file, "*")), readBin, what = "raw", n = 1e7))
  expect_length(grepRaw(row$key, bytes, fixed = TRUE), 0L)
})

test_that("a site that was late goes on with the round it is asked for", {
  skip_unless_sites()
  it <- hub()
  it$open()
  it$step(1)
  answer <- it$step(4)
  expect_length(answer$value$values, 4L)
  expect_site_refuses(it$step(3), "round")
  expect_identical(it$step(4), answer)
})

test_that("after its deadline a run is over", {
  skip_unless_sites()
  it <- hub(deadline = 1e-9)
  it$open()
  expect_site_refuses(it$step(1), "run")
})
