# A ledger that an earlier version wrote: its events have no candidates, shape or stop, which came
# later, and no persons.

# what that version stored of one fit by ADMM at A and B and one by DP-SGD, row for row
rows_of_before <- function() {
  hashes <- c("0d2cfef1216160a648629f0e6cb6c5cae40c45f3046973dc6192d2af8523387e",
    "576acd4340f352bf6b26c06e46391780f5713d58f7e55f2c46fa160bf8f7e82b")
  list(
    budget = list(data_id = "icu", epsilon = 1, delta = 1e-5, renewal_days = NA_real_,
      created = "2026-11-22T18:44:25.618Z", renyi_order = 17.826740610704672,
      allowance = 0.54472387382055021,
      hash = "a5cf673c090cd3cababc272967f74068ddeb1c17e3db7f8212c942395cda6815"),
    charge = list(number = 1:2, data_id = "icu",
      time = c("2026-11-22T18:44:27.626Z", "2026-11-22T18:44:35.456Z"), analyst = "ann@icu",
      plan = c("f1c535743a26175be289b698620b55930c50f01a60083c050cd38efa89fa62c5",
        "90ca67f079d6ba745173304753f9775f4c8eef4299a2528a40cd4977442bd701"),
      run = c("7f7d1d65fb71ccb28f77b04f9787e79a", "a2781d573756772f5176c1d26de1d5a0"),
      what = c("ADMM (ADMM-PVP when private), 2 nodes (complete), 4 coefficients, 2 iterations",
        "DP-SGD, 60 records, 4 coefficients, 4 iterations"),
      events = c(
        paste0('{"rows":2,"mechanism":"gaussian","sigma":0.15853678561321716,',
          '"sensitivity":0.009975261845386536,"dim":4,"neighbours":"replace-one","node":[1,2],',
          '"count":2,"party":["A","B"],"records":30,"division":1}'),
        paste0('{"rows":1,"mechanism":"subsampled_gaussian","sigma":1.0933248820876491,',
          '"sensitivity":0.33333333341310084,"dim":4,"q":0.10000000000000001,',
          '"sampling":"poisson","neighbours":"replace-one","count":4,"division":1}')
      ),
      cost = c(0.070576555347652489, 0.033125747977465571), period = 0L,
      previous = c("", hashes[1]), hash = hashes)
  )
}

test_that("a ledger of an earlier version is read, goes on, and is as it was written", {
  skip_without_ledger()
  inside <- asNamespace("dpadmm")
  path <- tempfile(fileext = ".sqlite")
  con <- inside$ledger_connect(path)
  rows <- rows_of_before()
  for (table in names(rows)) DBI::dbAppendTable(con, table, as.data.frame(rows[[table]]))
  inside$ledger_disconnect(con)
  icu <- dpadmm_ledger(path, "icu", epsilon = 1, delta = 1e-5)
  report <- ledger_report(icu)
  expect_identical(report$chain$ok, TRUE)
  expect_equal(report$charges$cost, rows$charge$cost)
  expect_output(print(report), "epsilon = 0.3702") # as that version said
  # the same events, made today
  today <- list(
    dp_event_gaussian(0.15853678561321716, 0.009975261845386536, node = c("A", "B"), count = 2,
      dim = 4),
    inside$events_from_json(rows$charge$events[2])
  )
  before <- lapply(rows$charge$events, inside$events_from_json)
  expect_equal(account(before[[1]], 1e-5)$epsilon, account(today[[1]], 1e-5)$epsilon)
  for (k in 1:2) {
    for (column in c("candidates", "shape", "stop", "per_person")) {
      expect_true(all(is.na(before[[k]][[column]])))
    }
    expect_equal(inside$charge_cost(before[[k]], icu$budget), rows$charge$cost[k])
  }
  # it goes on, and what is written of an ordinary event an earlier version reads, too
  charge(icu, today[[1]])
  con <- inside$ledger_connect(path)
  text <- inside$ledger_query(con, "SELECT events FROM charge WHERE number = 3")$events
  chain <- inside$ledger_verify(con)
  inside$ledger_disconnect(con)
  expect_true(chain$ok)
  expect_false(grepl("candidates|shape|stop|per_person", text))
  expect_error(charge(icu, dp_event_gaussian(0.01, 1)), class = "dpadmm_error_budget")
  # what it was charged for was about records: it covers no person with two
  con <- inside$ledger_connect(path)
  expect_error(inside$ledger_check(con, "icu", today[[1]], per_person = 2),
    class = "dpadmm_error_accountant")
  inside$ledger_disconnect(con)
})
