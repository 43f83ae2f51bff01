# The log of finished runs, in memory and, where there is a path, in a file.
#
# Line 1 of the file says whose runs these are, line 2 names the columns; then come the rows of
# each run and a line "#" when all of them are written. What follows the last "#" was cut off.

.log_pattern <- "^# dpadmm_experiment settings=([0-9]+) seed=([^ ]+) code=([0-9a-f]+)$"

log_header <- function(settings, seed, code) {
  sprintf("# dpadmm_experiment settings=%d seed=%s code=%s",
    length(settings), number_text(seed), code
  )
}

#' The finished runs of a file, or of none: `done` has the lines of each run by its key. Without
#' a header the file is whoever's it is, and stays as it is.
#' @noRd
open_log <- function(path, settings = NULL, header = NULL) {
  log <- list2env(
    list(path = path, settings = settings, header = header, done = list()), parent = emptyenv()
  )
  if (is.null(path) || !file.exists(path)) return(log)
  lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
  cut_off <- length(lines) == 1L && !is.null(header) && startsWith(header, lines)
  if (length(lines) == 0L || cut_off) {
    if (!is.null(header)) unlink(path)
    return(log)
  }
  if (any(foreign <- !validUTF8(lines))) {
    abort("parse", sprintf('"%s", line %d is not UTF-8.', path, which(foreign)[1L]),
      argument = "file", value = path, place = which(foreign)[1L]
    )
  }
  check_header(lines[1L], header, path)
  log$settings <- as.integer(sub(.log_pattern, "\\1", lines[1L]))
  log_parse(log, lines)
  # a tail that was cut off would garble what is appended
  if (!is.null(header)) {
    if (length(log$done)) log_write(log) else unlink(path)
  }
  log
}

#' Whether a file's first line is that of this experiment, or of any.
#' @noRd
check_header <- function(line, header, path) {
  if (!grepl(.log_pattern, line)) {
    abort("parse", sprintf('"%s" is not a file of experiment().', path),
      argument = "file", value = path, place = 1L
    )
  }
  if (is.null(header) || line == header) return(invisible())
  part <- function(k) sub(.log_pattern, paste0("\\", k), c(line, header))
  changed <- vapply(1:3, function(k) part(k)[1L] != part(k)[2L], NA)
  what <- c(
    "number of settings columns", "seed", "code of `run`, what it uses, or a column of `settings`"
  )
  abort("argument", sprintf(
    '"%s" holds another experiment: another %s. Delete it, or choose another file.',
    path, what[changed][1L]
  ), argument = "file", value = path)
}

#' The runs among a file's lines.
#' @noRd
log_parse <- function(log, lines) {
  ends <- which(lines == "#")
  if (length(ends) == 0L) return(invisible())
  starts <- c(3L, ends[-length(ends)] + 1L)
  keys <- csv_start(lines[starts], log$settings + 1L)
  if (any(bad <- is.na(keys) | starts >= ends)) {
    line <- starts[bad][1L]
    abort("parse", sprintf('"%s", line %d is not a run.', log$path, line),
      argument = "file", value = log$path, place = line
    )
  }
  log$columns <- lines[2L]
  log$done <- stats::setNames(Map(function(a, b) lines[a:(b - 1L)], starts, ends), keys)
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
      "`run` must always return the same columns: the first run had %s, this one has %s.",
      log$columns, columns
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
    abort("argument", sprintf('"%s" cannot be written.', log$path),
      argument = "file", value = log$path
    )
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
  damaged <- function(e) {
    abort("parse", sprintf('"%s" is damaged: its lines are no rows of one table.', log$path),
      argument = "file", value = log$path
    )
  }
  out <- tryCatch(utils::read.csv(
    text = c(log$columns, unlist(runs, use.names = FALSE)), colClasses = "character",
    check.names = FALSE, na.strings = character(), encoding = "UTF-8"
  ), error = damaged, warning = damaged)
  if (!all) out <- out[-seq_len(log$settings + 1L)]
  out[] <- lapply(out, utils::type.convert, as.is = TRUE)
  list(key = rep(keys, lengths(runs)), values = out)
}
