# The ledger as a file: charges, refusals, what is found of tampering, many processes, kills.

skip_without_ledger()
inside <- asNamespace("dpadmm")
new_path <- function() tempfile(fileext = ".sqlite")
sql <- function(path, statement) {
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  on.exit(DBI::dbDisconnect(con))
  if (grepl("^SELECT", statement)) {
    DBI::dbGetQuery(con, statement)
  } else {
    DBI::dbExecute(con, statement)
  }
}
chain_of <- function(ledger) inside$with_ledger(ledger, inside$ledger_verify)
left_of <- function(ledger) {
  inside$with_ledger(ledger, function(con) inside$ledger_left(con, ledger$data_id))
}

test_that("a budget is made once, and opens again", {
  path <- new_path()
  first <- dpadmm_ledger(path, "icu", epsilon = 1, delta = 1e-5)
  expect_identical(dpadmm_ledger(path, "icu", epsilon = 1, delta = 1e-5), first)
  expect_identical(dpadmm_ledger(path, "icu"), first)
  expect_identical(first$budget[c("order", "allowance")],
    inside$new_budget(1, 1e-5)[c("order", "allowance")]
  )
  if (.Platform$OS.type == "unix") expect_identical(format(file.mode(path)), "600")
  dpadmm_ledger(path, "other", epsilon = 2)
  expect_output(print(first), "\"icu\": epsilon = 1, delta = 1e-05")
})

test_that("events are stored to the last bit", {
  tables <- c(
    list(
      dp_event_gaussian(c(pi, 1 / 3, 1e-3), 0.1 + 0.2, node = c("\"A\" \u00e9", "B\\", "B\\")),
      dp_event_pure(0.3, neighbours = "add-remove"),
      dp_event_laplace(1e15 / 3, 1, node = c(NA, 2, 1), count = 1:3)
    ),
    lapply(list(mr_admm(), dp_sgd(batch = 10)), function(method) {
      sizes <- if (method$name == "dp_sgd") 90 else c(A = 40, B = 50)
      dpadmm_plan(3, sizes = sizes, method = method, epsilon = 1, delta = 1e-5)$events
    })
  )
  for (events in tables) {
    stored <- inside$events_from_json(inside$events_to_json(events))
    expect_identical(stored, inside$counted_events(events))
    expect_equal(sum(stored$count), sum(events$count))
    expect_identical(account(stored, 1e-5)$epsilon, account(events, 1e-5)$epsilon)
  }
})

test_that("charges are written until the budget refuses, which writes nothing", {
  icu <- dpadmm_ledger(new_path(), "icu", epsilon = 1, delta = 1e-5)
  event <- small_event(icu$budget, 3.5)
  for (k in 1:3) {
    got <- charge(icu, event)
    expect_identical(got$number, k)
    expect_equal(got$left$share, 1 - k / 3.5, tolerance = 1e-6)
  }
  before <- sql(icu$path, "SELECT * FROM charge")
  refused <- expect_error(charge(icu, event), class = "dpadmm_error_budget")
  expect_identical(conditionMessage(refused),
    'The budget of "icu": 14.2% is left, and this costs more.'
  )
  expect_identical(refused$place, "icu")
  expect_identical(sql(icu$path, "SELECT * FROM charge"), before)
  # another data set has its own budget, in the same chain
  other <- dpadmm_ledger(icu$path, "other", epsilon = 1)
  expect_identical(charge(other, dp_event_pure(0.5))$number, 4L)
  expect_equal(left_of(other)$left, 0.5)
  expect_error(charge(other, dp_event_gaussian(1, 1)), class = "dpadmm_error_budget")
  expect_error(charge(other, dp_event_pure(0.1, neighbours = "add-remove")),
    '"replace-one" neighbours', class = "dpadmm_error_accountant"
  )
  expect_error(charge(icu, dp_event_exact()), class = "dpadmm_error_budget")
  expect_identical(charge(icu, small_event(icu$budget, 8))$number, 5L)
  expect_true(chain_of(icu)$ok)
  con <- inside$ledger_connect(icu$path)
  on.exit(inside$ledger_disconnect(con))
  expect_error(inside$ledger_charge(con, "icu", event, "a", "b", "c", "d"),
    "within ledger_transaction", class = "dpadmm_error_ledger"
  )
})

test_that("an error in a transaction leaves nothing of it", {
  icu <- dpadmm_ledger(new_path(), "icu", epsilon = 1, delta = 1e-5)
  event <- small_event(icu$budget, 10)
  expect_error(inside$with_ledger(icu, function(con) {
    inside$ledger_transaction(con, function(con) {
      inside$ledger_charge(con, "icu", event, "a", "b", "c", "d")
      stop("later")
    })
  }), "later")
  expect_identical(left_of(icu)$charges, 0L)
  expect_identical(charge(icu, event)$number, 1L)
  expect_true(chain_of(icu)$ok)
})

test_that("a renewal begins a period, which no clock brings back", {
  icu <- dpadmm_ledger(new_path(), "icu", epsilon = 1, delta = 1e-5, renewal = 30)
  begin <- Sys.time()
  all <- dp_event_gaussian(gaussian_sigma(1, 1e-5), 1)
  charge(icu, all)
  expect_error(charge(icu, all), "nothing is left", class = "dpadmm_error_budget")
  now <- begin
  local_binding("ledger_now", function() now)
  now <- begin + 29.9 * 86400
  expect_error(charge(icu, all), class = "dpadmm_error_budget")
  now <- begin + 30.1 * 86400
  expect_identical(charge(icu, all)$left$period, 1L)
  now <- begin + 10 * 86400
  expect_error(charge(icu, all), class = "dpadmm_error_budget")
  report <- ledger_report(icu)
  expect_identical(report$charges$period, 0:1)
  expect_identical(report$period, 1L)
  expect_output(print(report), "in every period of 30 days")
})

test_that("what was changed in the file is found, and nothing more is charged", {
  path <- new_path()
  icu <- dpadmm_ledger(path, "icu", epsilon = 1, delta = 1e-5)
  for (k in 1:4) charge(icu, small_event(icu$budget, 10))
  changes <- c(
    "UPDATE charge SET cost = 0 WHERE number = 2" = 2,
    "UPDATE charge SET analyst = 'x' WHERE number = 1" = 1,
    "UPDATE charge SET events = replace(events, '1', '2') WHERE number = 4" = 4,
    "UPDATE charge SET period = 1 WHERE number = 3" = 3,
    "UPDATE charge SET previous = '' WHERE number = 3" = 3,
    "DELETE FROM charge WHERE number = 2" = 2,
    "DELETE FROM charge WHERE number = 4" = 4,
    "UPDATE budget SET allowance = 9" = 0,
    "UPDATE budget SET epsilon = 2" = 0
  )
  for (change in names(changes)) {
    copy <- new_path()
    file.copy(path, copy)
    sql(copy, change)
    changed <- icu
    changed$path <- copy
    expect_equal(chain_of(changed)$row, changes[[change]], label = change)
    found <- expect_warning(report <- ledger_report(changed), class = "dpadmm_warning_ledger")
    expect_equal(found$place, changes[[change]])
    expect_output(print(report), "NOT WHAT WAS WRITTEN")
    expect_error(charge(changed, small_event(icu$budget, 10)), "nothing is charged",
      class = "dpadmm_error_ledger"
    )
  }
  expect_true(chain_of(icu)$ok)
})

test_that("a row that was written anew, hash and all, no longer fits the next one", {
  icu <- dpadmm_ledger(tempfile(fileext = ".sqlite"), "icu", epsilon = 1, delta = 1e-5)
  for (k in 1:4) charge(icu, small_event(icu$budget, 10))
  row <- sql(icu$path, "SELECT * FROM charge WHERE number = 2")
  row$cost <- 0
  own <- sql(icu$path, "SELECT hash FROM budget")$hash
  sql(icu$path, sprintf("UPDATE charge SET cost = 0, hash = '%s' WHERE number = 2",
    inside$row_hash(row, with = own)
  ))
  expect_equal(chain_of(icu)$row, 3)
})

test_that("the report says who, what, how much, and how many more", {
  icu <- dpadmm_ledger(new_path(), "icu", epsilon = 1, delta = 1e-5)
  expect_output(print(empty <- ledger_report(icu)), "0 charges; 100% is left")
  expect_identical(nrow(empty$charges), 0L)
  event <- small_event(icu$budget, 10.5)
  for (k in 1:3) charge(icu, event, what = paste("fit", k))
  report <- ledger_report(icu, plan = event)
  expect_identical(report$more, 7)
  expect_equal(report$left, 1 - 3 / 10.5, tolerance = 1e-6)
  expect_identical(report$charges$what, paste("fit", 1:3))
  expect_identical(as.data.frame(report), report$charges)
  expect_equal(report$statement$epsilon, account(rep(event, 3), 1e-5)$epsilon)
  expect_output(print(report), "7 more fits like the one asked about")
  expect_true(report$chain$ok)
  skip_if_not_installed("ggplot2")
  for (one in list(empty, report)) {
    pdf(NULL)
    expect_identical(plot(one), one)
    dev.off()
    expect_s3_class(ggplot2::autoplot(one), "ggplot")
  }
  drawn <- ggplot2::layer_data(ggplot2::autoplot(report), 1L)
  expect_equal(drawn$y, (0:3) / 10.5, tolerance = 1e-6)
})

test_that("bad files and bad arguments are classed errors that name what is wrong", {
  text <- new_path()
  writeLines(rep("this is no ledger", 100), text)
  expect_refused(dpadmm_ledger(text, "icu", 1), "ledger", "path", "not a database")
  database <- new_path()
  sql(database, "CREATE TABLE mine (x REAL)")
  expect_refused(dpadmm_ledger(database, "icu", 1), "ledger", "path", "no ledger")
  newer <- new_path()
  icu <- dpadmm_ledger(newer, "icu", 1)
  sql(newer, "PRAGMA user_version = 2")
  expect_refused(dpadmm_ledger(newer, "icu", 1), "ledger", "path", "version 2")
  expect_error(charge(icu, dp_event_pure(0.1)), class = "dpadmm_error_ledger")
  absent <- file.path(tempdir(), "no", "x")
  expect_refused(dpadmm_ledger(absent, "a", 1), "ledger", "path", "directory does not exist")
  expect_refused(dpadmm_ledger(tempdir(), "a", 1), "ledger", "path", "directory")
  expect_refused(dpadmm_ledger(new_path(), "a"), "ledger", "path", "no such file")
  path <- new_path()
  icu <- dpadmm_ledger(path, "icu", 1, 1e-5)
  expect_refused(dpadmm_ledger(path, "other"), "ledger", "data_id", "no budget of \"other\"")
  expect_refused(dpadmm_ledger(path, "icu", 2, 1e-5), "ledger", "epsilon", "`epsilon` 1, not 2")
  expect_refused(dpadmm_ledger(path, "icu", 1, 1e-6), "ledger", "delta", "1e-05, not 1e-06")
  expect_refused(dpadmm_ledger(path, "icu", 1, 1e-5, 7), "ledger", "renewal", "none, not 7")
  expect_blame(dpadmm_ledger(7, "icu", 1), "argument", "path")
  expect_blame(dpadmm_ledger(path, "", 1), "argument", "data_id")
  expect_blame(dpadmm_ledger(path, "a\nb", 1), "argument", "data_id", "printable")
  expect_blame(dpadmm_ledger(path, "b", -1), "argument", "epsilon", place = 1L)
  expect_blame(dpadmm_ledger(path, "b", Inf), "finite", "epsilon", place = 1L)
  expect_blame(dpadmm_ledger(path, "b", 1, 1), "argument", "delta", place = 1L)
  expect_blame(dpadmm_ledger(path, "b", 1, renewal = 0), "argument", "renewal", place = 1L)
  expect_blame(ledger_report(icu, plan = 3), "argument", "events")
  unlink(path)
  expect_error(ledger_report(icu), "no such file", class = "dpadmm_error_ledger")
  expect_false(file.exists(path))
})

test_that("without a package that it needs there is a classed error", {
  need <- inside$need_package
  absent <- list2env(list(requireNamespace = function(package, ...) package != "RSQLite"),
    parent = asNamespace("dpadmm")
  )
  environment(need) <- absent
  local_binding("need_package", need)
  expect_blame(dpadmm_ledger(new_path(), "icu", 1), "package", "RSQLite", "install.packages")
})
