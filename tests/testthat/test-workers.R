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

test_that("an error of a task is raised as it was", {
  skip_if_not_installed("mirai")
  fails <- function(x) stop(errorCondition("on purpose", class = "mine", field = x))
  for (workers in 1:2) {
    error <- expect_error(run_tasks(list(1, 1, 1), fails, workers), class = "mine")
    expect_identical(error$field, 1)
  }
})

test_that("workers have answered before their connections are closed", {
  skip_if_not_installed("mirai")
  files <- tempfile(c("begun", "answered"))
  on.exit(unlink(files))
  work <- function(fails) {
    if (fails) {
      while (!file.exists(files[1])) Sys.sleep(0.05)
      stop("on purpose")
    }
    tryCatch({
      file.create(files[1])
      Sys.sleep(60)
    }, interrupt = function(e) {
      Sys.sleep(0.4)
      file.create(files[2])
    })
  }
  expect_error(run_tasks(list(FALSE, TRUE), work, 2, list(files = files)), "on purpose")
  expect_true(file.exists(files[2]))
})

test_that("the end of a worker is told, with its task", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("mirai")
  # in a process of its own with a time limit: what waits for a dead worker may wait forever
  code <- c(
    sprintf(".libPaths(c(%s))", paste(vapply(.libPaths(), deparse, ""), collapse = ", ")),
    "library(dpadmm)", "run_tasks <- dpadmm:::run_tasks",
    "dies <- function(x) if (x == 2) tools::pskill(Sys.getpid(), tools::SIGKILL)",
    "name <- function(task) paste('number', task)",
    "one <- tryCatch(run_tasks(list(1, 2, 3), dies, 2, words = name), error = identity)",
    "left <- mirai::status(.compute = 'dpadmm-workers')$connections",
    "run <- function(setting, seed) {",
    "  if (setting$k == 3) tools::pskill(Sys.getpid(), tools::SIGKILL)",
    "  data.frame(value = 1)",
    "}",
    "two <- tryCatch(experiment(data.frame(k = 1:4), run, 1, workers = 2), error = identity)",
    "answer <- list(one = one[c('message', 'argument', 'place')], left = left,",
    "  two = conditionMessage(two), classes = c(class(one)[1], class(two)[1]))",
    "saveRDS(answer, commandArgs(TRUE))"
  )
  script <- tempfile(fileext = ".R")
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(c(script, file)))
  writeLines(code, script)
  log <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(script), shQuote(file)),
    stdout = TRUE, stderr = TRUE, timeout = 60
  ))
  expect_true(file.exists(file), info = paste(log, collapse = "\n"))
  answer <- readRDS(file)
  expect_identical(answer$classes, rep("dpadmm_error_operator", 2))
  expect_match(answer$one$message, "A worker ended at number 2")
  expect_identical(answer$one$argument, "workers")
  expect_identical(answer$one$place, "number 2")
  expect_identical(answer$left, 0L) # and then there are no workers left over
  expect_match(answer$two, "k = 3, repetition = 1")
})
