# Many processes at one ledger, and processes that are killed; they are forked from a small one.

skip_without_ledger()
skip_on_cran()
skip_on_os("windows") # no fork
inside <- asNamespace("dpadmm")

test_that("eight processes that race for a budget never spend more than it", {
  path <- tempfile(fileext = ".sqlite")
  budget <- inside$new_budget(1, 1e-5)
  event <- small_event(budget, 40.5)
  results <- in_child(helpers = "ledger", path = path, event = event, {
    racers <- lapply(1:8, function(k) {
      parallel::mcparallel({
        icu <- dpadmm_ledger(path, "icu", epsilon = 1, delta = 1e-5) # a race, too
        n <- 0
        repeat {
          got <- tryCatch(charge(icu, event), error = identity)
          if (inherits(got, "error")) break
          n <- n + 1
        }
        list(n = n, class = class(got)[1L])
      }, mc.set.seed = FALSE, silent = TRUE)
    })
    parallel::mccollect(racers)
  })
  expect_identical(unique(vapply(results, `[[`, "", "class")), "dpadmm_error_budget")
  expect_identical(sum(vapply(results, `[[`, 0, "n")), 40)
  report <- ledger_report(dpadmm_ledger(path, "icu"), plan = event)
  expect_true(report$chain$ok)
  expect_identical(nrow(report$charges), 40L)
  expect_lte(sum(report$charges$cost), budget$allowance)
  expect_identical(report$more, 0)
})

test_that("a ledger survives processes that are killed in the middle of charges", {
  path <- tempfile(fileext = ".sqlite")
  budget <- inside$new_budget(1, 1e-5)
  event <- small_event(budget, 1e6)
  seen <- in_child(helpers = "ledger", path = path, event = event, {
    set.seed(3)
    lapply(1:30, function(kill) {
      said <- tempfile()
      one <- parallel::mcparallel({
        icu <- dpadmm_ledger(path, "icu", epsilon = 1, delta = 1e-5)
        took <- system.time(charge(icu, event))[["elapsed"]]
        saveRDS(took, paste0(said, "-half"))
        file.rename(paste0(said, "-half"), said)
        repeat charge(icu, event)
      }, mc.set.seed = FALSE, silent = TRUE)
      while (!file.exists(said)) Sys.sleep(0.005)
      # a charge lasts as long as the disk makes it: somewhere in the next few
      Sys.sleep(runif(1, 0, 5 * readRDS(said)))
      tools::pskill(one$pid, tools::SIGKILL)
      suppressWarnings(parallel::mccollect(one))
      report <- ledger_report(dpadmm_ledger(path, "icu", epsilon = 1, delta = 1e-5))
      list(ok = report$chain$ok, charges = nrow(report$charges))
    })
  })
  expect_true(all(vapply(seen, `[[`, NA, "ok")))
  charges <- vapply(seen, `[[`, 0L, "charges")
  expect_true(all(diff(c(0L, charges)) > 0)) # the first of each had been answered
  icu <- dpadmm_ledger(path, "icu", epsilon = 1, delta = 1e-5)
  expect_identical(charge(icu, event)$number, charges[30L] + 1L)
})
