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
#'   returns something else; `dpadmm_error_interrupt` on Ctrl-C, its field `finished` being the
#'   result so far; `dpadmm_error_argument` for a file of another experiment;
#'   `dpadmm_error_parse` for something else in its place.
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
    abort("argument", sprintf("`run` must be a function of a setting and a seed, not %s.", kind_of(run)), argument = "run")
  }
  check_number(repetitions, "repetitions", lower = 1, upper = 1e6, whole = TRUE)
  seed <- check_seed(check_number(seed, "seed"))
  check_number(workers, "workers", lower = 1, upper = 1024, whole = TRUE)
  check_flag(progress, "progress")
  if (workers > 1) need_package("mirai", "more than one worker")
  uses <- used_objects(run)
  header <- log_header(names(settings), seed, fingerprint(list(names(settings), uses$code)))
  log <- open_log(check_path(file), length(settings), header)
  asked <- asked_runs(settings, repetitions)
  todo <- which(!(asked$key %in% names(log$done)))
  tasks <- lapply(todo, function(k) {
    list(key = asked$key[k], setting = asked$setting(k), seed = run_seed(asked$key[k], seed))
  })
  bar <- progress_bar(progress, length(asked$key), "Experiment")
  on.exit(bar$done())
  finished <- function() which(asked$key %in% names(log$done))
  keep <- function(task, result) {
    log_add(log, task$key, check_run(result, task), c(names(settings), "repetition"))
    if (!is.null(bar$tick)) bar$tick(length(finished()))
  }
  result <- function(runs) {
    found <- log_read(log, asked$key[runs])
    from <- match(found$key, asked$key)
    out <- data.frame(settings[asked$row[from], , drop = FALSE], repetition = asked$repetition[from],
      found$values, check.names = FALSE, row.names = NULL
    )
    structure(out, class = c("dpadmm_experiment", "data.frame"))
  }
  interrupted <- function(e) {
    have <- finished()
    abort("interrupt", sprintf(
      "Interrupted: %d of %d runs are finished%s.", length(have), length(asked$key),
      if (is.null(file)) "" else sprintf(' and kept in "%s"', file)
    ), finished = if (length(have)) result(have))
  }
  tryCatch(
    if (workers > 1 && length(tasks) > 1L) {
      run_workers(tasks, run, uses$globals, min(workers, length(tasks)), keep)
    } else {
      for (task in tasks) keep(task, run_once(run, task$setting, task$seed))
    },
    interrupt = interrupted, dpadmm_error_interrupt = interrupted
  )
  log_sort(log, asked$key)
  result(seq_along(asked$key))
}

#' @rdname experiment
#' @export
read_experiment <- function(file) {
  path <- check_path(file)
  if (is.null(path) || !file.exists(path)) {
    abort("argument", sprintf("There is no file \"%s\".", format(path)), argument = "file", value = path)
  }
  log <- open_log(path)
  if (length(log$done) == 0L) {
    abort("parse", sprintf('"%s" has no finished run.', path), argument = "file", value = path)
  }
  structure(log_read(log, names(log$done), all = TRUE)$values, class = c("dpadmm_experiment", "data.frame"))
}

check_path <- function(file) {
  if (!is.null(file) && (!is.character(file) || length(file) != 1L || is.na(file))) {
    abort("argument", sprintf("`file` must be a path, not %s.", kind_of(file)), argument = "file")
  }
  file
}

check_settings <- function(settings) {
  if (!is.data.frame(settings)) {
    abort("argument", sprintf("`settings` must be a data frame with one row a setting, not %s.", kind_of(settings)),
      argument = "settings"
    )
  }
  if (nrow(settings) == 0L || ncol(settings) == 0L) {
    abort("shape", "`settings` must have rows and columns.", argument = "settings")
  }
  check_columns(settings, "settings", "argument")
  if ("repetition" %in% names(settings)) {
    abort("argument", "`settings` must not have a column `repetition`.", argument = "settings", place = "repetition")
  }
  if (any(twice <- duplicated(csv_lines(settings)))) {
    abort("argument", sprintf("Two rows of `settings` are the same: row %d is there before.", which(twice)[1L]),
      argument = "settings", place = which(twice)[1L]
    )
  }
}

#' Columns that can be written as text and read again.
#' @noRd
check_columns <- function(data, argument, kind) {
  if (anyDuplicated(names(data)) || any(names(data) == "")) {
    abort(kind, sprintf("The columns of `%s` must have different names.", argument), argument = argument)
  }
  for (name in names(data)) {
    column <- data[[name]]
    plain <- is.null(dim(column)) &&
      (is.factor(column) || is.character(column) || is.logical(column) || (is.numeric(column) && !is.object(column)))
    if (!plain) {
      abort(kind, sprintf("The column `%s` of `%s` must be numbers, logicals or strings, not %s.", name, argument, kind_of(column)),
        argument = argument, place = name
      )
    }
    if (any(grepl("[\r\n]", if (is.factor(column)) levels(column) else column))) {
      abort(kind, sprintf("The column `%s` of `%s` has a line break.", name, argument), argument = argument, place = name)
    }
  }
}

# ---- runs ------------------------------------------------------------------------------------

#' The runs asked for: row of the settings, repetition, key (the text of both) of each, and
#' what `run` gets.
#' @noRd
asked_runs <- function(settings, repetitions) {
  row <- rep(seq_len(nrow(settings)), each = repetitions)
  repetition <- rep(as.integer(seq_len(repetitions)), nrow(settings))
  plain <- lapply(settings, function(v) if (is.factor(v)) as.character(v) else v)
  list(
    row = row, repetition = repetition,
    key = paste(csv_lines(settings)[row], repetition, sep = ","),
    setting = function(k) c(lapply(plain, function(v) v[[row[k]]]), repetition = repetition[k])
  )
}

#' A run's seed, below 2^31 so that every generator takes it.
#' @noRd
run_seed <- function(key, seed) {
  hash <- cli::hash_md5(paste(number_text(seed), key, sep = ","))
  as.numeric(paste0("0x", substr(hash, 1L, 8L))) %/% 2
}

#' One run under its own state of R's generator. An error becomes a value: it must cross
#' process borders.
#' @noRd
run_once <- function(run, setting, seed) {
  tryCatch(with_r_seed(seed, run(setting, seed)), error = function(e) {
    structure(list(error = e, message = conditionMessage(e)), class = "dpadmm_failed_run")
  })
}

#' R's own generator is the code's to use; here its state is put back afterwards.
#' @noRd
with_r_seed <- function(seed, code) {
  home <- globalenv()
  old <- home$.Random.seed
  kinds <- RNGkind()
  on.exit({
    suppressWarnings(RNGkind(kinds[1L], kinds[2L], kinds[3L])) # "Rounding" warns
    if (is.null(old)) rm(".Random.seed", envir = home) else home$.Random.seed <- old
  })
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  code
}

#' What a run returned, if it is what it should be.
#' @noRd
check_run <- function(result, task) {
  setting <- task$setting
  where <- paste(names(setting), vapply(setting, format, ""), sep = " = ", collapse = ", ")
  if (inherits(result, "dpadmm_failed_run")) {
    if (inherits(result$error, "dpadmm_error_interrupt")) stop(result$error)
    abort("operator", sprintf("`run` failed at %s: %s", where, result$message),
      argument = "run", place = setting, parent = result$error
    )
  }
  if (!is.data.frame(result) || nrow(result) == 0L || ncol(result) == 0L) {
    abort("operator", sprintf(
      "`run` must return a data frame with rows and columns; at %s it returned %s.", where,
      if (is.data.frame(result)) sprintf("one of %d x %d", nrow(result), ncol(result)) else kind_of(result)
    ), argument = "run", place = setting)
  }
  check_columns(result, "run", "operator")
  if (length(twice <- intersect(names(result), names(setting)))) {
    abort("operator", sprintf("`run` must not return a column `%s`: the settings have it.", twice[1L]),
      argument = "run", place = twice
    )
  }
  result
}

#' Processes with the attached packages, and `objects` in their global environments.
#' @noRd
start_workers <- function(workers, profile, objects) {
  # what they are sent refers to packages, which they must find where this process did
  old <- Sys.getenv("R_LIBS", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old))
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  mirai::daemons(workers, .compute = profile)
  shared <- list2env(objects, new.env(parent = emptyenv()))
  start <- quote({
    # also those that are only loaded: objects of their classes may be among the globals
    for (package in loaded) requireNamespace(package, quietly = TRUE)
    for (package in packages) library(package, character.only = TRUE)
  })
  ready <- mirai::everywhere(
    start, shared,
    .args = list(loaded = loadedNamespaces(), packages = rev(.packages())), .compute = profile
  )
  for (worker in ready) {
    first_answer(list(worker), profile)
    if (mirai::is_error_value(worker$data)) {
      abort("operator", sprintf("A worker could not start: %s", as.character(worker$data)), argument = "workers")
    }
  }
}

#' Which task is the first to have an answer. A task whose worker was killed has one, an error;
#' but when no worker is left, tasks would wait for ever.
#' @noRd
first_answer <- function(tasks, profile) {
  repeat {
    for (try in 1:400) {
      done <- which(!vapply(tasks, mirai::unresolved, NA))
      if (length(done)) return(done[1L])
      Sys.sleep(0.005)
    }
    if (mirai::status(.compute = profile)$connections == 0) {
      abort("operator", "All workers ended.", argument = "workers")
    }
  }
}

#' Runs in other processes, kept as they finish.
#' @noRd
run_workers <- function(tasks, run, globals, workers, keep) {
  profile <- "dpadmm-experiment"
  on.exit(mirai::daemons(0, .compute = profile))
  start_workers(workers, profile, c(globals, list(.dpadmm_run = run)))
  work <- quote(once(.dpadmm_run, setting, seed))
  send <- function(task) {
    mirai::mirai(work,
      .args = list(once = run_once, setting = task$setting, seed = task$seed), .compute = profile
    )
  }
  # one more a worker than it works on, so that none waits for us
  ahead <- seq_len(min(length(tasks), 2L * workers))
  flying <- lapply(tasks[ahead], send)
  waiting <- tasks[-ahead]
  owners <- tasks[ahead]
  while (length(flying)) {
    k <- first_answer(flying, profile)
    result <- flying[[k]]$data
    task <- owners[[k]]
    flying <- flying[-k]
    owners <- owners[-k]
    if (length(waiting)) {
      flying <- c(flying, list(send(waiting[[1L]])))
      owners <- c(owners, waiting[1L])
      waiting <- waiting[-1L]
    }
    if (mirai::is_error_value(result)) {
      result <- structure(list(error = NULL, message = paste("its worker ended:", format(result))), class = "dpadmm_failed_run")
    }
    keep(task, result)
  }
}

# ---- what a run depends on -------------------------------------------------------------------

#' What `run` uses outside of packages, itself or through other functions: `globals`, the objects
#' of the global environment by name; `code`, all of it in a form that is the same in every
#' session (functions by their text, without references to sources or compiled code).
#' @noRd
used_objects <- function(run) {
  globals <- list()
  seen <- list()
  describe <- function(x) {
    if (is.function(x)) {
      if (is.primitive(x) || isNamespace(environment(x))) return(deparse(x))
      for (k in seq_along(seen)) if (identical(seen[[k]], x)) return(sprintf("function %d", k))
      seen[[length(seen) + 1L]] <<- x
      names <- sort(unique(codetools::findGlobals(x)), method = "radix")
      parts <- lapply(stats::setNames(nm = names), function(name) look_up(name, environment(x)))
      text <- deparse(utils::removeSource(x), control = c("keepNA", "keepInteger", "digits17"))
      return(c(list(text), Filter(Negate(is.null), parts)))
    }
    if (is.environment(x)) return("environment")
    if (is.list(x)) return(c(list(class(x)), lapply(unclass(x), describe)))
    if (is.language(x)) return(deparse(x))
    x
  }
  look_up <- function(name, env) {
    repeat {
      if (identical(env, emptyenv()) || identical(env, baseenv()) || isNamespace(env)) return(NULL)
      global <- identical(env, globalenv())
      if (exists(name, env, inherits = FALSE)) {
        value <- tryCatch(get(name, env, inherits = FALSE), error = function(e) NULL) # a missing argument
        if (global) globals[[name]] <<- value
        return(describe(value))
      }
      if (global) return(NULL)
      env <- parent.env(env)
    }
  }
  list(code = describe(run), globals = globals)
}

fingerprint <- function(code) cli::hash_obj_md5(code)

# ---- text ------------------------------------------------------------------------------------

#' Numbers as text that reads back as the same number, in as few digits as that takes.
#' @noRd
number_text <- function(x) {
  out <- sprintf("%.15g", x)
  longer <- is.finite(x) & suppressWarnings(as.numeric(out)) != x
  out[longer] <- sprintf("%.17g", x[longer])
  out
}

#' Rows as lines of comma separated values.
#' @noRd
csv_lines <- function(data) {
  columns <- lapply(unname(as.list(data)), function(v) {
    if (is.factor(v)) v <- as.character(v)
    if (is.numeric(v)) return(number_text(v))
    if (is.logical(v)) return(ifelse(is.na(v), "NA", as.character(v)))
    ifelse(is.na(v), "NA", paste0('"', gsub('"', '""', enc2utf8(v), fixed = TRUE), '"'))
  })
  do.call(paste, c(columns, sep = ","))
}

#' The first `count` fields of each line, as they stand there.
#' @noRd
csv_start <- function(lines, count) {
  field <- '("([^"]|"")*"|[^",]*)'
  at <- regexpr(sprintf("^%s(,%s){%d}", field, field, count - 1L), lines)
  ifelse(at < 0L, NA, substr(lines, 1L, attr(at, "match.length")))
}

# ---- the log of finished runs ----------------------------------------------------------------

# Line 1 of the file says whose runs these are, line 2 names the columns; then come the rows of
# each run and a line "#" when all of them are written. What follows the last "#" was cut off.

log_header <- function(settings, seed, code) {
  sprintf("# dpadmm_experiment settings=%d seed=%s code=%s", length(settings), number_text(seed), code)
}

#' The finished runs of a file, or of none: `done` has the lines of each run by its key. Without
#' a header the file is whoever's it is, and stays as it is.
#' @noRd
open_log <- function(path, settings = NULL, header = NULL) {
  log <- list2env(list(path = path, settings = settings, header = header, done = list()), parent = emptyenv())
  if (is.null(path) || !file.exists(path)) return(log)
  lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
  # cut off in its first line
  if (length(lines) == 0L || (length(lines) == 1L && !is.null(header) && startsWith(header, lines))) {
    unlink(path)
    return(log)
  }
  pattern <- "^# dpadmm_experiment settings=([0-9]+) seed=([^ ]+) code=([0-9a-f]+)$"
  if (!grepl(pattern, lines[1L])) {
    abort("parse", sprintf('"%s" is not a file of experiment().', path), argument = "file", value = path, place = 1L)
  }
  if (!is.null(header) && lines[1L] != header) {
    part <- function(k) sub(pattern, paste0("\\", k), c(lines[1L], header))
    changed <- c("number of settings columns", "seed", "code of `run`, what it uses, or a column of `settings`")[
      vapply(1:3, function(k) part(k)[1L] != part(k)[2L], NA)
    ]
    abort("argument", sprintf(
      '"%s" holds another experiment: another %s. Delete it, or choose another file.', path, changed[1L]
    ), argument = "file", value = path)
  }
  log$settings <- as.integer(sub(pattern, "\\1", lines[1L]))
  ends <- which(lines == "#")
  if (length(ends)) {
    log$columns <- lines[2L]
    starts <- c(3L, ends[-length(ends)] + 1L)
    keys <- csv_start(lines[starts], log$settings + 1L)
    if (anyNA(keys) || any(starts >= ends)) {
      k <- which(is.na(keys) | starts >= ends)[1L]
      abort("parse", sprintf('"%s", line %d is not a run.', path, starts[k]), argument = "file", value = path, place = starts[k])
    }
    log$done <- stats::setNames(Map(function(a, b) lines[a:(b - 1L)], starts, ends), keys)
  }
  # a tail that was cut off would garble what is appended
  if (is.null(header)) return(log)
  if (length(ends)) log_write(log) else unlink(path)
  log
}

#' Keep a run.
#' @noRd
log_add <- function(log, key, result, names) {
  columns <- csv_lines(as.list(c(names, base::names(result))))
  lines <- paste(key, csv_lines(result), sep = ",")
  if (is.null(log$columns)) {
    log$columns <- columns
    append_lines(log$path, c(log$header, columns))
  } else if (log$columns != columns) {
    abort("operator", sprintf(
      "`run` must always return the same columns: the first run had %s, this one has %s.", log$columns, columns
    ), argument = "run")
  }
  append_lines(log$path, c(lines, "#"))
  log$done[[key]] <- lines
}

append_lines <- function(path, lines) {
  if (is.null(path)) return(invisible())
  to <- file(path, "ab")
  on.exit(close(to))
  writeBin(charToRaw(paste0(lines, "\n", collapse = "")), to)
}

#' The whole log anew, so that it is there or not, never half of it.
#' @noRd
log_write <- function(log) {
  part <- paste0(log$path, ".part")
  unlink(part)
  runs <- unlist(lapply(log$done, c, "#"), use.names = FALSE)
  append_lines(part, c(log$header, log$columns, runs))
  if (!file.rename(part, log$path)) {
    abort("argument", sprintf('"%s" cannot be written.', log$path), argument = "file", value = log$path)
  }
}

#' These runs first, in this order.
#' @noRd
log_sort <- function(log, keys) {
  order <- c(keys, setdiff(names(log$done), keys))
  if (identical(order, names(log$done))) return(invisible())
  log$done <- log$done[order]
  if (!is.null(log$path)) log_write(log)
}

#' The rows of some runs: whose they are, and the values `run` returned, or all columns.
#' @noRd
log_read <- function(log, keys, all = FALSE) {
  runs <- log$done[keys]
  out <- utils::read.csv(
    text = c(log$columns, unlist(runs, use.names = FALSE)), colClasses = "character",
    check.names = FALSE, na.strings = character(), encoding = "UTF-8"
  )
  if (!all) out <- out[-seq_len(log$settings + 1L)]
  out[] <- lapply(out, utils::type.convert, as.is = TRUE)
  list(key = rep(keys, lengths(runs)), values = out)
}
