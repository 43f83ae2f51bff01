# A machine that is restarted may have lost the last rounds of a run: it answers none of it.

boot_plan <- function(iterations = 4) {
  dpadmm_plan(ill ~ age + smoker, site_schema, c(A = 300, B = 200), epsilon = 1, delta = 1e-4,
    na.action = "omit", seed = 1, iterations = iterations)
}

boot_hub <- function(file) {
  one_site(site_policy("A", site_schema, 4, 1e-4, ledger = file), site_frames()$A, boot_plan())
}

another_boot <- function(...) "00000000-0000-4000-8000-000000000000"

expect_restarted <- function(answer) {
  expect_site_refuses(answer, "run", "restart")
  expect_match(answer$message, "restarted")
}

test_that("in another boot of the machine a run is over, and its charge stays", {
  skip_unless_sites()
  skip_on_os(c("windows", "mac", "solaris"))
  file <- tempfile(fileext = ".sqlite")
  it <- boot_hub(file)
  it$open()
  first <- it$step(1)
  # what a power cut may leave of the next round: nothing
  con <- store_connect(file)
  earlier <- tempfile(fileext = ".sqlite")
  DBI::dbExecute(con, sprintf("VACUUM INTO '%s'", earlier))
  ledger_disconnect(con)
  it$step(2, rep(0.5, 4))
  again <- boot_hub(earlier)
  expect_identical(again$step(1), first) # the same machine, still up
  local_binding("machine_boot", another_boot)
  for (hub in list(it, again, boot_hub(earlier))) {
    expect_restarted(hub$step(2, rep(0.7, 4)))
    expect_restarted(hub$step(2, rep(0.5, 4)))
    expect_restarted(hub$step(1))
    expect_restarted(hub$open())
    expect_restarted(site_answer(hub$site, "check", list(run = hub$run, recipe = hub$recipe)))
    expect_identical(nrow(site_report(hub$site$it)$charges), 1L)
  }
  # the next run forgets the key of this one, which is over for the same reason as before
  other <- boot_hub(earlier)
  expect_null(other$open(run = strrep("a", 32))$error)
  con <- store_connect(earlier)
  row <- store_run(con, run_at(other$site$it, other$run))
  ledger_disconnect(con)
  expect_length(row$key, 0L)
  expect_restarted(other$step(2))
})

test_that("charges wait for the disk, rounds do where the boot has no name", {
  skip_unless_sites()
  level <- function(con) DBI::dbGetQuery(con, "PRAGMA synchronous")[[1L]]
  it <- boot_hub(tempfile(fileext = ".sqlite"))
  it$open()
  expect_identical(level(it$site$it$con), 2L) # FULL
  if (!is.na(machine_boot())) {
    it$step(1)
    rounds <- it$site$it$rounds$con
    leave_rounds(it$site$it)
    rounds <- rounds_connect(it$site$it$policy$ledger)
    DBI::dbClearResult(rounds$statement)
    expect_identical(level(rounds$con), 1L) # NORMAL
    ledger_disconnect(rounds$con)
    expect_length(it$step(2)$value$values, 4L) # the statement is made anew
  }
  local_binding("machine_boot", function(...) NA_character_)
  it <- boot_hub(tempfile(fileext = ".sqlite"))
  it$open()
  for (round in 1:2) expect_length(it$step(round)$value$values, 4L)
  expect_null(it$site$it$rounds)
  # and where it has one now, and the run began without, it still does
  local_binding("machine_boot", another_boot)
  expect_length(it$step(3)$value$values, 4L)
  expect_null(it$site$it$rounds)
})

test_that("what is no name of a boot is none", {
  skip_on_os(c("windows", "mac", "solaris"))
  none <- tempfile()
  expect_identical(machine_boot(none), NA_character_)
  writeLines("", none)
  expect_identical(machine_boot(none), NA_character_)
  if (file.exists("/proc/sys/kernel/random/boot_id")) {
    expect_identical(machine_boot(), readLines("/proc/sys/kernel/random/boot_id"))
  }
})

test_that("a ledger of before boots were stored is read, and its runs go on", {
  skip_unless_sites()
  file <- tempfile(fileext = ".sqlite")
  it <- boot_hub(file)
  it$open()
  first <- it$step(1)
  rm(it)
  invisible(gc())
  con <- ledger_connect(file)
  columns <- setdiff(DBI::dbListFields(con, "run"), "boot")
  DBI::dbExecute(con, sprintf("CREATE TABLE old AS SELECT %s FROM run",
    paste(columns, collapse = ", ")))
  DBI::dbExecute(con, "DROP TABLE run")
  DBI::dbExecute(con, "ALTER TABLE old RENAME TO run")
  ledger_disconnect(con)
  it <- boot_hub(file)
  expect_identical(it$step(1), first)
  expect_length(it$step(2)$value$values, 4L)
})

test_that("a run goes on without the site whose machine was restarted", {
  skip_unless_sites()
  file <- tempfile(fileext = ".sqlite")
  sites <- sites_local(site_frames(), site_schema, epsilon = 100, delta = 1e-4, ledger = file)
  plan <- dpadmm_plan(ill ~ age + smoker, sites, epsilon = 8, delta = 1e-4, iterations = 5)
  restart <- function(name) {
    con <- store_connect(file)
    DBI::dbExecute(con, "UPDATE run SET boot = ? WHERE run LIKE ?",
      params = list(another_boot(), paste("%", name)))
    ledger_disconnect(con)
  }
  at <- function(sites, round, what) {
    post <- sites$post
    sites$post <- function(i, request, arguments) {
      if (request == "step" && arguments$round == round && i == 1L) what()
      post(i, request, arguments)
    }
    sites
  }
  # each site asks its data base, as the process of one that was restarted would
  local_binding("last_round", function(site, run, round) {
    with_store(site, function(con) store_last(con, run_at(site, run)))
  })
  save <- tempfile()
  warned <- expect_warning(
    fit <- dpadmm_fit(plan, at(sites, 3, function() restart("C")), save = save),
    class = "dpadmm_warning_site"
  )
  expect_match(conditionMessage(warned), "C.*round 3.*restarted")
  expect_identical(unique(fit$sites$status), "lost")

  # a hub that was stopped meets it when it asks again
  unlink(save)
  sites$min_sites <- 2
  stop_hub <- function() stop("the hub dies")
  expect_error(suppressWarnings(dpadmm_fit(plan, at(sites, 3, stop_hub), save = save)))
  restart("B")
  charges <- nrow(ledger_report(sites)$charges[[1L]])
  warned <- expect_warning(fit <- dpadmm_resume(save, sites), class = "dpadmm_warning_site")
  expect_identical(warned$place, "B")
  expect_match(conditionMessage(warned), "restarted")
  expect_identical(nrow(ledger_report(sites)$charges[[1L]]), charges)
  expect_identical(unique(fit$sites[c("site", "status")]),
    data.frame(site = "B", status = "lost"), ignore_attr = TRUE)
})
