# Experiments: a function run over settings and repetitions, in parallel, resumable, with the
# same results whatever the number of workers.

#' Run an experiment over settings and repetitions
#'
#' Calls `run(setting, seed)` for every row of `settings` and every repetition, and gathers what
#' it returns. With a `file` every finished run is written there at once, and calling again
#' after an interruption (or with more repetitions or settings) runs only what is not there.
#'
#' The seed of a run depends on `seed`, the values in its row of `settings` and the number of the
#' repetition, and on nothing else: not on the other rows, the number of workers, or who
#' finishes first. R's own generator is seeded with it before each run (and put back after the
#' experiment), so that `sample()` and [network_random()] are repeatable too. What is to be the
#' same in all settings, such as the split of the records, is drawn after
#' `set.seed(setting$repetition)`.
#'
#' Workers are R processes of package mirai, started for the experiment and ended with it. They
#' have the attached packages, and the objects of the global environment that `run` uses,
#' itself or through other functions. Records that `run` reads should lie there, or be made by a
#' function that `run` calls; the result is as private as what `run` returns.
#'
#' The file is text, comma separated, and starts with a fingerprint of the code of `run` and the
#' objects it uses: when they or the seed have changed, continuing is an error. Code in packages
#' is not looked at. Results come back as numbers (exactly), logicals or strings, with a file
#' or without; for small files, let `run` return `signif()` of what it found.
#'
#' @param settings a data frame with one row a setting, no two alike; columns of numbers,
#'   logicals or strings (factors reach `run` as strings).
#' @param run a function of `setting`, a list with the values of a row of `settings` and
#'   `repetition`, and `seed`, a whole number below 2^31. It returns a data frame with one
#'   row or several, always the same columns.
#' @param repetitions number of repetitions (>= 1).
#' @param seed a whole number.
#' @param workers number of processes (>= 1); 1: this one.
#' @param file where to keep finished runs; `NULL`: nowhere.
#' @param progress show a progress bar.
#' @return A data frame of class `dpadmm_experiment`: the columns of `settings`, `repetition`
#'   (from 1), and those of `run`; ordered by row of `settings` and repetition. `summary()` and
#'   [plot()][plot.dpadmm_experiment] give means and ranges over repetitions.
#'   `read_experiment()`: the same from a file, compressed or not, with all runs in it.
#'
#'   Errors: `dpadmm_error_operator` when `run` fails (the message says in which setting) or
#'   returns something else; `dpadmm_error_argument` for a file of another experiment;
#'   `dpadmm_error_parse` for something else in its place. Ctrl-C is an interrupt of class
#'   `dpadmm_error_interrupt`, its field `finished` being the result so far.
#' @examples
#' settings <- expand.grid(n = c(10, 100, 1000), spread = c(1, 2))
#' run <- function(setting, seed) {
#'   data.frame(mean = abs(mean(rnorm(setting$n, sd = setting$spread))))
#' }
#' found <- experiment(settings, run, repetitions = 5)
#' summary(found, "mean")
#' plot(found, "n", "mean", group = "spread", log = "xy")
#' @export
experiment <- function(settings, run, repetitions = 10, seed = 1, workers = 1, file = NULL,
                       progress = interactive()) {
  check_settings(settings)
  if (!is.function(run)) {
    abort("argument",
      sprintf("`run` must be a function of a setting and a seed, not %s.", kind_of(run)),
      argument = "run"
    )
  }
  check_number(repetitions, "repetitions", lower = 1, upper = 1e6, whole = TRUE)
  seed <- check_seed(check_number(seed, "seed"))
  check_workers(workers)
  check_flag(progress, "progress")
  uses <- used_objects(run)
  header <- log_header(names(settings), seed, fingerprint(list(names(settings), uses$code)))
  log <- open_log(check_path(file), length(settings), header)
  asked <- asked_runs(settings, repetitions)
  bar <- progress_bar(progress, length(asked$key), "Experiment")
  on.exit(bar$done())
  interrupted <- function(e) abort_interrupted(log, settings, asked)
  tryCatch(
    run_missing(log, settings, asked, run, seed, workers, uses$globals, bar$tick),
    interrupt = interrupted
  )
  log_sort(log, asked$key)
  experiment_result(log, settings, asked, seq_along(asked$key))
}

#' Do the runs that the log does not have, and keep each in it as it finishes.
#' @noRd
run_missing <- function(log, settings, asked, run, seed, workers, globals, tick) {
  tasks <- lapply(which(!(asked$key %in% names(log$done))), function(k) {
    list(key = asked$key[k], setting = asked$setting(k), seed = run_seed(asked$key[k], seed))
  })
  columns <- c(names(settings), "repetition")
  have <- length(asked$key) - length(tasks)
  keep <- function(k, result) {
    log_add(log, tasks[[k]]$key, check_run(result, tasks[[k]]$setting), columns)
    have <<- have + 1L
    if (!is.null(tick)) tick(have)
  }
  run_tasks(tasks, task_runner(run), workers, globals, keep, function(task) {
    setting_words(task$setting)
  })
}

abort_interrupted <- function(log, settings, asked) {
  have <- which(asked$key %in% names(log$done))
  interrupt(sprintf(
    "Interrupted: %d of %d runs are finished%s.", length(have), length(asked$key),
    if (is.null(log$path)) "" else sprintf(' and kept in "%s"', log$path)
  ), finished = if (length(have)) experiment_result(log, settings, asked, have))
}

#' The result of some of the runs asked for, which the log must have.
#' @noRd
experiment_result <- function(log, settings, asked, runs) {
  found <- log_read(log, asked$key[runs])
  from <- match(found$key, asked$key)
  out <- data.frame(settings[asked$row[from], , drop = FALSE],
    repetition = asked$repetition[from], found$values, check.names = FALSE, row.names = NULL
  )
  structure(out, class = c("dpadmm_experiment", "data.frame"))
}

#' @rdname experiment
#' @export
read_experiment <- function(file) {
  path <- check_path(file)
  if (is.null(path) || !file.exists(path)) {
    abort("argument", sprintf('There is no file "%s".', format(path)),
      argument = "file", value = path
    )
  }
  log <- open_log(path)
  if (length(log$done) == 0L) {
    abort("parse", sprintf('"%s" has no finished run.', path), argument = "file", value = path)
  }
  structure(log_read(log, names(log$done), all = TRUE)$values,
    class = c("dpadmm_experiment", "data.frame")
  )
}

check_path <- function(file) {
  if (!is.null(file) && (!is.character(file) || length(file) != 1L || is.na(file))) {
    abort("argument", sprintf("`file` must be a path, not %s.", kind_of(file)), argument = "file")
  }
  file
}
