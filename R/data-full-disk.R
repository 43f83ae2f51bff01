# What cannot be written, in the user's words: files are written under names that nobody gave, and
# have their own once they are finished.

#' @param code what writes records.
#' @param target the file that they shall be in.
#' @param named whether the user named it.
#' @param place a function: list(chunk, row), which the source had come to, or NULL: to its end.
#' @param copied a function: how many bytes of rows are copied in their order, or NULL: none.
#' @noRd
told_of_records <- function(code, target, named, place = function() NULL,
                            copied = function() NULL) {
  tryCatch(code, dpadmm_error_file = function(e) {
    at <- place()
    twice <- copied()
    where <- if (named) sprintf('the file of records, "%s",', target)
      else sprintf('the file of records (in "%s": `file` would name another)', dirname(target))
    words <- sprintf("%s cannot be written: %s.%s", where, e$reason,
      needs_words(max(0, e$needs, twice), !is.null(twice)))
    words <- if (is.null(at)) sub("^t", "T", words)
      else sprintf("%s: %s", chunk_words(at$chunk, at$row), words)
    abort("file", words, argument = "file", value = if (named) target else dirname(target),
      place = at, parent = e)
  })
}

#' The same of the copy that a fit makes of a file, for its holders' order.
#' @noRd
told_of_copy <- function(store, code) {
  tryCatch(code, dpadmm_error_file = function(e) {
    abort("file", sprintf(paste(
      'The records of "%s" cannot be copied in the order of the nodes, to a file in the same',
      "directory: %s.%s"
    ), store$path, e$reason, needs_words(store$size)), argument = "file", value = store$path,
    parent = e)
  })
}

needs_words <- function(bytes, twice = FALSE) {
  if (!isTRUE(bytes > 0)) return("") # it is not known
  sprintf(" It needs more than %s%s.", file_words(bytes),
    if (twice) ", and as much again while rows are put in their order" else "")
}
