# The settings of an experiment, and columns that can be kept as text.

check_settings <- function(settings) {
  if (!is.data.frame(settings)) {
    abort("argument", sprintf(
      "`settings` must be a data frame with one row a setting, not %s.", kind_of(settings)
    ), argument = "settings")
  }
  if (nrow(settings) == 0L || ncol(settings) == 0L) {
    abort("shape", "`settings` must have rows and columns.", argument = "settings")
  }
  check_columns(settings, "settings", "argument")
  if ("repetition" %in% names(settings)) {
    abort("argument", "`settings` must not have a column `repetition`.",
      argument = "settings", place = "repetition"
    )
  }
  if (any(twice <- duplicated(csv_lines(settings)))) {
    abort("argument", sprintf(
      "Two rows of `settings` are the same: row %d is there before.", which(twice)[1L]
    ), argument = "settings", place = which(twice)[1L])
  }
}

#' Columns that can be written as text and read again.
#' @noRd
check_columns <- function(data, argument, kind) {
  if (anyDuplicated(names(data)) || any(names(data) == "")) {
    abort(kind, sprintf("The columns of `%s` must have different names.", argument),
      argument = argument
    )
  }
  for (name in names(data)) {
    column <- data[[name]]
    if (!is_plain(column)) {
      abort(kind, sprintf(
        "The column `%s` of `%s` must be numbers, logicals or strings, not %s.",
        name, argument, kind_of(column)
      ), argument = argument, place = name)
    }
    if (any(grepl("[\r\n]", if (is.factor(column)) levels(column) else column))) {
      abort(kind, sprintf("The column `%s` of `%s` has a line break.", name, argument),
        argument = argument, place = name
      )
    }
  }
}

is_plain <- function(x) {
  is.null(dim(x)) && (is.factor(x) || is.character(x) || is.logical(x) ||
    (is.numeric(x) && !is.object(x)))
}

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

setting_words <- function(setting) {
  paste(names(setting), vapply(setting, format, ""), sep = " = ", collapse = ", ")
}
