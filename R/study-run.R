# One run of an experiment: its seed, the call, and what may come back.

#' A run's seed, below 2^31 so that every generator takes it.
#' @noRd
run_seed <- function(key, seed) {
  hash <- cli::hash_md5(paste(number_text(seed), key, sep = ","))
  as.numeric(paste0("0x", substr(hash, 1L, 8L))) %/% 2
}

#' A function of a task, its setting and seed, that returns what `run` returned under its own
#' state of R's generator, or what ended it, as a value: which run it was is said where it is
#' kept.
#' @noRd
task_runner <- function(run) {
  force(run)
  function(task) {
    failed <- function(e) structure(list(error = e), class = "dpadmm_failed_run")
    tryCatch(with_r_seed(task$seed, run(task$setting, task$seed)),
      error = failed, dpadmm_error_interrupt = failed
    )
  }
}

#' What a run returned, if it is what it should be.
#' @noRd
check_run <- function(result, setting) {
  if (inherits(result, "dpadmm_failed_run")) {
    error <- result$error
    if (inherits(error, "interrupt")) interrupt(conditionMessage(error))
    abort("operator", sprintf(
      "`run` failed at %s: %s", setting_words(setting), conditionMessage(error)
    ), argument = "run", place = setting, parent = error)
  }
  if (!is.data.frame(result) || nrow(result) == 0L || ncol(result) == 0L) {
    got <- if (is.data.frame(result)) {
      sprintf("one of %d x %d", nrow(result), ncol(result))
    } else {
      kind_of(result)
    }
    abort("operator", sprintf(
      "`run` must return a data frame with rows and columns; at %s it returned %s.",
      setting_words(setting), got
    ), argument = "run", place = setting)
  }
  check_columns(result, "run", "operator")
  if (length(twice <- intersect(names(result), names(setting)))) {
    abort("operator", sprintf(
      "`run` must not return a column `%s`: the settings have it.", twice[1L]
    ), argument = "run", place = twice)
  }
  result
}
