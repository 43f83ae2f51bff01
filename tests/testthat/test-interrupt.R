# Ctrl-C during a long fit, for real: a child process gets a SIGINT.

#' Run `code` in a loop of try() in another R process, send it a SIGINT once it has begun to fit,
#' and return what it wrote to `answer` and how many seconds after the signal.
interrupted_run <- function(code) {
  folder <- tempfile("interrupt")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  path <- function(name) file.path(folder, name)
  writeLines(c(
    sprintf(".libPaths(c(%s))", paste(vapply(.libPaths(), deparse, ""), collapse = ", ")),
    "library(dpadmm)", sprintf("setwd(%s)", deparse(folder)),
    "n <- 4000", "x <- matrix(sin(seq_len(20 * n)), n) / 5",
    "y <- ifelse(sin(seq_len(n) * 7) > 0, 1, -1)",
    # the signal is meant for the long loop, not for what comes before
    "invisible(trace('run_core', quote(writeLines(as.character(Sys.getpid()), 'pid')),",
    "  print = FALSE, where = asNamespace('dpadmm')))",
    "answer <- NULL",
    "tryCatch(for (k in 1:100) try(", code, "), interrupt = function(e) answer <<- e)",
    "if (is.null(answer)) stop('it had ended before the signal came')",
    "again <- dpadmm_fit(x, y, nodes = 4, epsilon = Inf, iterations = 2)",
    "saveRDS(list(class = class(answer), message = conditionMessage(answer), spent = answer$spent,",
    "  iteration = answer$iteration, again = coef(again)), 'part')",
    "file.rename('part', 'answer')"
  ), path("run.R"))
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(path("run.R"))),
    wait = FALSE, stdout = path("log"), stderr = path("log")
  )
  await <- function(name, seconds) {
    end <- proc.time()[["elapsed"]] + seconds
    while (!file.exists(path(name)) && proc.time()[["elapsed"]] < end) Sys.sleep(0.02)
    file.exists(path(name))
  }
  if (!await("pid", 60)) stop("the child did not start: ", readLines(path("log")))
  Sys.sleep(0.5)
  pid <- as.integer(readLines(path("pid")))
  sent <- proc.time()[["elapsed"]]
  tools::pskill(pid, tools::SIGINT)
  answered <- await("answer", 10)
  took <- proc.time()[["elapsed"]] - sent
  if (!answered) {
    tools::pskill(pid, tools::SIGKILL)
    stop("the fit did not end on SIGINT: ", paste(readLines(path("log")), collapse = "\n"))
  }
  c(readRDS(path("answer")), took = took)
}

test_that("a private fit that is interrupted ends at once and says what was spent", {
  skip_on_cran()
  skip_on_os("windows")
  answer <- interrupted_run(
    "dpadmm_fit(x, y, nodes = 4, method = r_admm(1), noise = gamma_noise(1), iterations = 1e5)"
  )
  expect_lt(answer$took, 2)
  expect_identical(answer$class, c("dpadmm_error_interrupt", "interrupt", "condition"))
  begun <- answer$iteration
  expect_gt(begun, 1)
  expect_lt(begun, 1e5)
  # every odd update that was begun counts: 2C/B alpha, so large that curvature is free
  updates <- ceiling(begun / 2)
  each <- 2 / 1000
  expect_charged(answer$spent$epsilon, updates * each)
  expect_identical(answer$message, sprintf(
    "In iteration %d: Interrupted. The %d noisy updates begun so far have spent epsilon = %s.",
    begun, updates, format(answer$spent$epsilon, digits = 4)
  ))
  expect_length(answer$again, 21) # the process goes on and can fit again
})

test_that("without noise there is nothing to have spent", {
  skip_on_cran()
  skip_on_os("windows")
  # so large a penalty that every iteration has work to do: unhurried by convergence, a
  # million of them take minutes
  answer <- interrupted_run(
    "dpadmm_fit(x, y, nodes = 4, method = admm(eta = 1e4), epsilon = Inf, iterations = 1e6)"
  )
  expect_lt(answer$took, 2)
  expect_identical(answer$class[1], "dpadmm_error_interrupt")
  expect_match(answer$message, "No noise was added", fixed = TRUE)
  expect_null(answer$spent)
})

test_that("the spent privacy stops at the last update that was begun", {
  x <- matrix(sin(1:60), 20) / 2
  model <- dpadmm_fit(x, rep(c(-1, 1), 10),
    nodes = 4, method = r_admm(eta = 1), noise = gamma_noise(1), iterations = 7
  )
  spent <- function(begun) dpadmm:::spent_so_far(model$events, begun, model$plan$budget$delta)
  expect_null(spent(0)$guarantee)
  expect_match(spent(0)$words, "no privacy was spent", fixed = TRUE)
  whole <- privacy(model)$epsilon # four noisy updates: 1, 3, 5, 7
  expect_equal(spent(1)$guarantee$epsilon, whole / 4)
  expect_equal(spent(2)$guarantee$epsilon, whole / 4)
  expect_equal(spent(3)$guarantee$epsilon, whole / 2)
  expect_equal(spent(7)$guarantee$epsilon, whole)
})

test_that("an interrupt that nobody handles says what was spent and ends the script", {
  skip_on_cran()
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(c(%s))", paste(vapply(.libPaths(), deparse, ""), collapse = ", ")),
    "for (k in 1:3) try(dpadmm:::interrupt('In iteration 3: spent.', spent = 1))",
    "cat('went on')"
  ), script)
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(script)), stdout = TRUE, stderr = TRUE, timeout = 300
  ))
  expect_identical(sum(said == "In iteration 3: spent."), 1L)
  expect_false(any(grepl("went on", said)))
  expect_identical(attr(said, "status"), 1L)
})
