# experiment(): every run once, the same whatever the workers, kept through interruptions.

settings <- data.frame(method = c("a", "b, \"c\""), size = c(1, 0.1))
tally <- function(file) if (file.exists(file)) length(readLines(file)) else 0L
noisy <- function(setting, seed) {
  data.frame(name = setting$method, step = 1:2, value = rnorm(2, sd = setting$size), seed = seed)
}

test_that("a result has settings, repetition and what run returned, in order", {
  got <- experiment(settings, noisy, repetitions = 3, seed = 5)
  expect_s3_class(got, c("dpadmm_experiment", "data.frame"), exact = TRUE)
  expect_identical(names(got), c("method", "size", "repetition", "name", "step", "value", "seed"))
  expect_identical(got$method, rep(settings$method, each = 6))
  expect_identical(got$size, rep(settings$size, each = 6))
  expect_identical(got$repetition, rep(rep(1:3, each = 2), 2))
  expect_identical(got$name, got$method)
  expect_identical(got$step, rep(1:2, 6))
  # to the last bit, from the seed that run was given
  seeds <- unique(got$seed)
  expect_length(seeds, 6)
  expect_true(all(seeds >= 0 & seeds < 2^31))
  set.seed(seeds[2], "Mersenne-Twister", "Inversion", "Rejection")
  expect_identical(got$value[3:4], rnorm(2))
})

test_that("runs depend on seed, setting and repetition alone", {
  all <- experiment(settings, noisy, repetitions = 3, seed = 5)
  expect_identical(experiment(settings, noisy, repetitions = 3, seed = 5), all)
  second <- experiment(settings[2, ], noisy, repetitions = 2, seed = 5)
  expect_identical(second$value, all$value[all$size == 0.1 & all$repetition <= 2])
  expect_false(any(experiment(settings, noisy, repetitions = 3, seed = 6)$value %in% all$value))
  # R's own generator goes on as if nothing had been
  set.seed(3)
  expected <- runif(2)
  set.seed(3)
  experiment(settings, noisy, repetitions = 1)
  expect_identical(runif(2), expected)
})

test_that("factors reach run as strings and come back as factors", {
  given <- data.frame(f = factor(c("z", "y"), c("z", "y")), on = c(TRUE, NA))
  run <- function(setting, seed) data.frame(class = class(setting$f), got = setting$on)
  got <- experiment(given, run, repetitions = 1)
  expect_identical(got$f, given$f)
  expect_identical(got$on, given$on)
  expect_identical(got$got, given$on)
  expect_identical(got$class, c("character", "character"))
})

test_that("numbers and strings survive the text", {
  odd <- c(pi, 1 / 3, 1e-310, 2^53 + 2, -0.1, Inf, -Inf, NaN, NA, .Machine$double.xmin)
  words <- c("a,b", "\"", "", "#", "'", "NA x", "\u00e9", "\\n", " a ", "x")
  run <- function(setting, seed) data.frame(odd, words)
  got <- experiment(data.frame(s = "#"), run, repetitions = 1)
  expect_identical(got$odd, odd)
  expect_identical(got$words, words)
})

test_that("a file holds finished runs, and only the others are run", {
  file <- tempfile(fileext = ".csv")
  count <- tempfile()
  run <- function(setting, seed) {
    cat("run\n", file = count, append = TRUE)
    data.frame(value = rnorm(1, sd = setting$size))
  }
  first <- experiment(settings, run, repetitions = 2, file = file)
  expect_identical(tally(count), 4L)
  expect_identical(experiment(settings, run, repetitions = 2, file = file), first)
  expect_identical(tally(count), 4L)
  more <- experiment(settings, run, repetitions = 3, file = file)
  expect_identical(tally(count), 6L)
  expect_identical(more[more$repetition <= 2, ], first, ignore_attr = TRUE)
  expect_identical(more, experiment(settings, run, repetitions = 3))
  # fewer again: the rest stays in the file
  expect_identical(experiment(settings, run, repetitions = 2, file = file), first)
  sorted <- more[order(more$repetition == 3), ]
  expect_equal(read_experiment(file), sorted, ignore_attr = "row.names")
})

test_that("an incomplete end of a file is run again", {
  file <- tempfile(fileext = ".csv")
  whole <- experiment(settings, noisy, repetitions = 2, file = file)
  text <- readChar(file, 1e6)
  lines <- readLines(file)
  expect_length(lines, 2 + 4 * 3)
  for (cut in c(seq(0, nchar(text), by = 17), nchar(lines[1]) + 0:1, nchar(text) - 1)) {
    writeBin(charToRaw(substr(text, 1, cut)), file)
    expect_identical(experiment(settings, noisy, repetitions = 2, file = file), whole)
    expect_identical(readLines(file), lines)
  }
})

test_that("a file of another experiment is refused", {
  file <- tempfile(fileext = ".csv")
  factor <- 2
  scale <- function(v) factor * v
  run <- function(setting, seed) data.frame(value = scale(setting$size))
  experiment(settings, run, repetitions = 1, file = file)
  refused <- function(file, message = NULL, settings. = settings, ..., kind = "argument") {
    expect_error(experiment(settings., run, repetitions = 1, ..., file = file), message,
      class = paste0("dpadmm_error_", kind)
    )
  }
  refused(file, "seed", seed = 2)
  refused(file, settings. = settings[2:1])
  refused(file, settings. = settings[1])
  # comments are not code
  run <- function(setting, seed) {
    # a word
    data.frame(value = scale(setting$size))
  }
  brace <- tempfile()
  first <- experiment(settings, run, repetitions = 1, file = brace)
  run <- function(setting, seed) {
    data.frame(value = scale(setting$size)) # another
  }
  expect_identical(experiment(settings, run, repetitions = 1, file = brace), first)
  # what run uses is
  factor <- 3
  refused(brace)
  factor <- 2
  scale <- function(v) v * factor
  refused(brace)
  writeLines("a,b", file)
  refused(file, kind = "parse")
  expect_error(read_experiment(file), class = "dpadmm_error_parse")
  expect_error(read_experiment(tempfile()), class = "dpadmm_error_argument")
})

test_that("workers give the same result and file, know globals, and are gone afterwards", {
  skip_if_not_installed("mirai")
  code <- c(
    sprintf(".libPaths(c(%s))", paste(vapply(.libPaths(), deparse, ""), collapse = ", ")),
    "library(dpadmm)", "library(stats4)", # a package to be attached in the workers
    "base <- Matrix::Matrix(10, sparse = TRUE)", # of a class whose package is not attached
    "helper <- function(v) base[1, 1] + v",
    "run <- function(setting, seed) data.frame(",
    "  value = helper(setting$k) + rnorm(1), attached = 'stats4' %in% .packages(),",
    "  pid = Sys.getpid())",
    "plain <- function(setting, seed) run(setting, seed)[-3]",
    "settings <- data.frame(k = 1:6)", "files <- c(tempfile(), tempfile())",
    "one <- experiment(settings, plain, 2, file = files[1])",
    "two <- experiment(settings, plain, 2, workers = 2, file = files[2])",
    "pids <- unique(experiment(settings, run, 2, workers = 2)$pid)",
    "end <- Sys.time() + 10", # they have 0.2 s to go, but the machine may be busy
    "while ((alive <- any(vapply(pids, tools::pskill, NA, signal = 0))) && Sys.time() < end)",
    "  Sys.sleep(0.1)",
    "fails <- function(setting, seed) stop('so')",
    "failed <- tryCatch(experiment(settings, fails, workers = 2), error = identity)",
    "cat(identical(one, two), identical(readLines(files[1]), readLines(files[2])),",
    "  all(two$attached), length(pids), Sys.getpid() %in% pids, alive, class(failed)[1],",
    "  grepl('k = .*: so', conditionMessage(failed)))"
  )
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  out <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(script)), stdout = TRUE, stderr = TRUE, timeout = 300
  ))
  expect_identical(utils::tail(out, 1), "TRUE TRUE TRUE 2 FALSE FALSE dpadmm_error_operator TRUE")
})

#' Start an experiment of 0.1 s runs in another process, send it a SIGINT when three are in the
#' file, and return what it then said.
interrupted_experiment <- function(workers) {
  folder <- tempfile("experiment")
  dir.create(folder)
  path <- function(name) file.path(folder, name)
  writeLines(c(
    sprintf(".libPaths(c(%s))", paste(vapply(.libPaths(), deparse, ""), collapse = ", ")),
    "library(dpadmm)", sprintf("setwd(%s)", deparse(folder)),
    "run <- function(setting, seed) { Sys.sleep(0.1); data.frame(value = rnorm(1)) }",
    "settings <- data.frame(k = 1:10)", "writeLines(as.character(Sys.getpid()), 'pid')",
    sprintf("workers <- %d", workers),
    "code <- quote(experiment(settings, run, 2, workers = workers, file = 'runs.csv'))",
    "said <- tryCatch(eval(code), interrupt = identity)",
    "saveRDS(list(class = class(said), message = conditionMessage(said),",
    "  finished = said$finished), 'part')",
    "file.rename('part', 'answer')"
  ), path("run.R"))
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(path("run.R"))),
    wait = FALSE, stdout = path("log"), stderr = path("log")
  )
  await <- function(condition, seconds) {
    end <- proc.time()[["elapsed"]] + seconds
    while (!condition() && proc.time()[["elapsed"]] < end) Sys.sleep(0.02)
    condition()
  }
  ends <- function() file.exists(path("runs.csv")) && sum(readLines(path("runs.csv")) == "#") >= 3
  if (!await(ends, 30)) stop("no runs: ", readLines(path("log")))
  tools::pskill(as.integer(readLines(path("pid"))), tools::SIGINT)
  if (!await(function() file.exists(path("answer")), 60)) {
    tools::pskill(as.integer(readLines(path("pid"))), tools::SIGKILL)
    stop("did not end on SIGINT: ", paste(readLines(path("log")), collapse = "\n"))
  }
  c(readRDS(path("answer")), file = path("runs.csv"))
}

test_that("an interrupted experiment keeps what is finished and goes on from there", {
  skip_on_cran()
  skip_on_os("windows")
  for (workers in if (requireNamespace("mirai", quietly = TRUE)) 1:2 else 1) {
    said <- interrupted_experiment(workers)
    expect_identical(said$class, c("dpadmm_error_interrupt", "interrupt", "condition"))
    have <- nrow(said$finished)
    expect_gte(have, 3)
    expect_lt(have, 20)
    expect_match(said$message, sprintf("%d of 20 runs are finished and kept", have))
    kept <- read_experiment(said$file)
    each <- function(runs) paste(runs$k, runs$repetition, runs$value)
    expect_setequal(each(kept), each(said$finished))
    # the same code in this session goes on where that one stopped
    run <- function(setting, seed) {
      Sys.sleep(0.1)
      data.frame(value = rnorm(1))
    }
    took <- system.time(whole <- experiment(data.frame(k = 1:10), run, 2, file = said$file))
    expect_gte(took[["elapsed"]], 0.1 * (20 - have))
    kept$k <- as.numeric(kept$k)
    together <- merge(kept, whole, by = c("k", "repetition"))
    expect_identical(together$value.x, together$value.y)
    expect_length(unique(whole$value), 20)
  }
})

test_that("bad input is refused by class", {
  run <- function(setting, seed) data.frame(value = 1)
  expect_error(experiment(1:3, run), class = "dpadmm_error_argument")
  expect_error(experiment(settings[0, ], run), class = "dpadmm_error_shape")
  expect_error(experiment(settings[c(1, 2, 1), ], run), "row 3", class = "dpadmm_error_argument")
  expect_error(experiment(data.frame(repetition = 1), run), class = "dpadmm_error_argument")
  expect_error(experiment(data.frame(a = I(list(1))), run), class = "dpadmm_error_argument")
  expect_error(experiment(data.frame(a = "x\ny"), run), class = "dpadmm_error_argument")
  expect_error(experiment(settings, "run"), class = "dpadmm_error_argument")
  expect_error(experiment(settings, run, repetitions = 0), class = "dpadmm_error_argument")
  expect_error(experiment(settings, run, seed = -1), class = "dpadmm_error_argument")
  expect_error(experiment(settings, run, workers = 0), class = "dpadmm_error_argument")
  expect_error(experiment(settings, run, file = 3), class = "dpadmm_error_argument")
  bad <- list(
    function(setting, seed) 1, function(setting, seed) data.frame(),
    function(setting, seed) data.frame(size = 1),
    function(setting, seed) data.frame(repetition = 1),
    function(setting, seed) data.frame(v = I(list(1))),
    function(setting, seed) data.frame(v = "a\nb"), function(setting, seed) stop("so it is"),
    function(setting, seed) stats::setNames(data.frame(1), setting$method)
  )
  for (one in bad) expect_error(experiment(settings, one), class = "dpadmm_error_operator")
  expect_error(experiment(settings, bad[[7]]), "method = a, size = 1, repetition = 1: so it is")
})

test_that("the runs stored for the vignettes are those of the code beside them", {
  skip_on_cran()
  folder <- system.file("experiments", package = "dpadmm")
  scripts <- list.files(folder, "[.]R$", full.names = TRUE)
  expect_gt(length(scripts), 0)
  for (script in scripts) {
    env <- new.env(parent = globalenv())
    sys.source(script, env)
    for (part in names(env$stored)) {
      given <- env$stored[[part]]
      file <- sprintf("%s-%s.csv.gz", sub("[.]R$", "", script), part)
      uses <- used_objects(given$run)
      code <- fingerprint(list(names(given$settings), uses$code))
      seed <- if (is.null(given$seed)) 1 else given$seed
      # calling again would go on with this file, and finds no run missing
      expect_identical(readLines(file, 1), log_header(names(given$settings), seed, code))
      repetitions <- if (is.null(given$repetitions)) 10 else given$repetitions
      asked <- asked_runs(given$settings, repetitions)
      expect_true(all(asked$key %in% names(open_log(file)$done)), label = basename(file))
    }
  }
})
