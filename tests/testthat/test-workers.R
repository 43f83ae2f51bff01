# Work shared among processes, of experiments and audits alike.

test_that("one worker or more: values in the order of the tasks, told as they finish", {
  tasks <- list(a = 3, b = 1, c = 2)
  told <- NULL
  tell <- function(k, value) {
    told <<- c(told, k)
    value + 100
  }
  expect_identical(run_tasks(tasks, function(x) 10 * x, 1, finished = tell), list(130, 110, 120))
  expect_identical(told, 1:3)
  expect_identical(run_tasks(list(), stop), list())
  expect_identical(run_tasks(list(1, 2), function(x) NULL), list(NULL, NULL))
  skip_if_not_installed("mirai")
  told <- NULL
  slow <- function(x) {
    Sys.sleep(x / 4)
    c(x, base, Sys.getpid())
  }
  environment(slow) <- globalenv()
  got <- run_tasks(tasks, slow, 2, list(base = 7), tell)
  expect_equal(vapply(got, `[`, c(0, 0), 1:2), matrix(c(103, 107, 101, 107, 102, 107), 2))
  expect_setequal(told, 1:3)
  expect_identical(told[1], 2L) # the quickest
  expect_length(unique(vapply(got, `[`, 0, 3)), 2L)
  expect_false(any(vapply(got, `[`, 0, 3) == Sys.getpid() + 100))
  expect_identical(mirai::status(.compute = "dpadmm-workers")$connections, 0L)
})

test_that("an error of a task is raised as it was, and the end of a worker is told", {
  skip_if_not_installed("mirai")
  fails <- function(x) stop(errorCondition("on purpose", class = "mine", field = x))
  for (workers in 1:2) {
    error <- expect_error(run_tasks(list(1, 1, 1), fails, workers), class = "mine")
    expect_identical(error$field, 1)
  }
  dies <- function(x) if (x == 2) tools::pskill(Sys.getpid(), tools::SIGKILL)
  error <- expect_error(
    run_tasks(list(1, 2, 3), dies, 2, words = function(task) paste("number", task)),
    "A worker ended at number 2", class = "dpadmm_error_operator"
  )
  expect_identical(error$argument, "workers")
  expect_identical(error$place, "number 2")
  # and then there are no workers left over
  expect_identical(mirai::status(.compute = "dpadmm-workers")$connections, 0L)
  run <- function(setting, seed) {
    if (setting$k == 3) tools::pskill(Sys.getpid(), 9)
    data.frame(value = 1)
  }
  expect_error(experiment(data.frame(k = 1:4), run, 1, workers = 2), "k = 3, repetition = 1",
    class = "dpadmm_error_operator"
  )
})
