# Files of comma separated text, some lines at a time. Cells are strings: a column may look like
# numbers in one chunk and not in the next. What R would lose in silence is an error.

#' A .csv file as a source of chunks.
#' @noRd
csv_source <- function(path, size) {
  con <- opened_csv(path)
  names <- tryCatch(strictly(csv_names(con)), error = function(e) {
    close(con)
    if (inherits(e, "packed_file")) stop(e)
    abort("parse", sprintf('"%s" has no line of column names: %s.', path, conditionMessage(e)),
      argument = "source", parent = e
    )
  })
  total <- unpacked_size(con, path)
  packed <- summary(con)$class != "file"
  # memory is taken for so many lines
  size <- min(size, if (packed) 1e6 else file.size(path) / length(names) + 1)
  new_source(function() {
    chunk <- tryCatch(strictly(csv_part(con, size, names)), error = function(e) {
      if (inherits(e, "unreadable_chunk")) stop(e)
      stop_chunk(conditionMessage(e))
    })
    if (!is.null(chunk)) structure(chunk, strings = TRUE)
  }, function() close(con), function() read_so_far(con), total)
}

# the least that R looks at to tell what packs a file
.packed_begin <- 5

#' A file as text, whatever packs it. Of bzip2 R says nothing where it is damaged or ends early, so
#' that is unpacked as a whole.
#' @noRd
opened_csv <- function(path) {
  con <- opened_file(path, "rt")
  if (summary(con)$class == "file" && grepl("[.](gz|bz2|xz)$", path, ignore.case = TRUE) &&
    file.size(path) < .packed_begin) {
    close(con)
    stop_packed(path)
  }
  if (summary(con)$class != "bzfile") return(con)
  close(con)
  bytes <- tryCatch(read_bytes(path), dpadmm_error_parse = function(e) stop_packed(path))
  rawConnection(bytes, "r")
}

#' Whether all that a gzip file says to hold has been read.
#' @noRd
check_unpacked <- function(con) {
  it <- summary(con)
  if (it$class != "gzfile") return(invisible())
  if (read_so_far(con) %% 2^32 != unpacked_size(con, it$description)) stop_packed(it$description)
}

stop_packed <- function(path) {
  stop_chunk(sprintf(
    '"%s" is cut short or damaged, or is several compressed streams: unpack it first', path
  ), value = path, kind = "packed_file")
}

#' How many bytes an open file has unpacked, of a gzip file modulo 2^32: its last four bytes are
#' that (RFC 1952), and R says nothing of one that ends early. `NULL`: not known.
#' @noRd
unpacked_size <- function(con, path) {
  size <- file.size(path)
  kind <- summary(con)$class
  if (kind != "gzfile") return(if (kind == "file") size)
  packed <- file(path, "rb")
  on.exit(close(packed))
  seek(packed, size - 4)
  sum(readBin(packed, "integer", 4L, 1L, signed = FALSE) * 256^(0:3))
}

#' The next records, one a line that is not empty, or on more where a quoted cell goes on; `NULL`:
#' there is none. Not read.table(), which loses lines where a quote in one of the first is never
#' closed; scan() alone takes a line of twice the cells for two records.
#' @param rows so many lines at most (-1: all).
#' @noRd
csv_part <- function(con, rows, names) {
  repeat {
    lines <- record_lines(con, rows, names)
    if (length(lines) == 0L) return(NULL)
    if (any(nzchar(lines))) break
  }
  text <- textConnection(lines, encoding = "UTF-8") # as scan(text =) has it
  on.exit(close(text))
  cells <- utils::count.fields(text, sep = ",", quote = "\"", comment.char = "")
  if (anyNA(cells)) { # a record goes on
    check_quotes(lines, names)
    cells <- cells[!is.na(cells)]
  }
  k <- length(names)
  odd <- which(cells != k)
  ragged <- function(e) {
    if (length(odd) == 0L) stop(e)
    stop_chunk(sprintf("it does not have %d cells, as the first line has", k), odd[1L])
  }
  if (any(cells[odd] != k + 1L)) ragged()
  found <- tryCatch(scan(
    text = lines, what = rep(list(""), k), sep = ",", quote = "\"", multi.line = FALSE,
    quiet = TRUE
  ), error = ragged)
  # one more that is empty, a comma at the end, does not matter
  if (length(found[[1L]]) != length(cells)) ragged()
  list2DF(stats::setNames(found, names))
}

# lines that one quoted cell may go on for: a quote that nobody closes is not looked for any longer
.longest_cell <- 10000L

#' Lines, and those behind them that belong to the last record.
#' @param names of the columns, for errors.
#' @noRd
record_lines <- function(con, rows, names = NULL) {
  lines <- plain_lines(con, rows, names)
  open <- has_open_quote(lines)
  more <- list()
  while (open && length(more) < .longest_cell &&
    length(line <- plain_lines(con, 1L, names, c(lines, unlist(more))))) {
    more[[length(more) + 1L]] <- line
    if (has_open_quote(line)) open <- FALSE
  }
  if (open) stop_record("it has a quote that nobody closes", lines, names)
  c(lines, unlist(more))
}

has_open_quote <- function(lines) {
  quotes <- grepl("\"", lines, fixed = TRUE, useBytes = TRUE)
  any(quotes) && sum(quotes_in(lines[quotes])) %% 2 == 1
}

quotes_in <- function(lines) {
  nchar(lines, "bytes") - nchar(gsub("\"", "", lines, fixed = TRUE, useBytes = TRUE), "bytes")
}

#' A quote in the middle of a cell that makes it go on in other lines would swallow records.
#' @noRd
check_quotes <- function(lines, names) {
  quotes <- quotes_in(lines)
  goes_on <- cumsum(quotes) %% 2 == 1
  first <- which(goes_on & quotes > 0)
  # a cell may have gone on before
  text <- paste0(ifelse(c(FALSE, goes_on)[first], "\"", ""), lines[first])
  begins <- "(^|,)[ \t]*\"[^\"]*$"
  odd <- !grepl(begins, text, perl = TRUE, useBytes = TRUE)
  rest <- gsub("\"[^\"]*\"", "", text[odd], useBytes = TRUE) # as of doubled quotes
  odd <- first[odd][!grepl(begins, rest, useBytes = TRUE)]
  if (length(odd)) stop_record("it has a quote within a cell", lines[seq_len(odd[1L])], names)
}

#' An error of the record and the cell that the last of these lines breaks off in.
#' @noRd
stop_record <- function(words, lines, names) {
  n <- length(lines)
  goes_on <- c(FALSE, cumsum(quotes_in(lines))[-n] %% 2 == 1)
  begins <- which(!goes_on & (nzchar(lines) | seq_len(n) == n))
  record <- paste(lines[max(begins):n], collapse = "")
  commas <- gsub("\"[^\"]*(\"|$)|[^,\"]", "", record, useBytes = TRUE)
  column <- if (nchar(commas, "bytes") < length(names)) names[nchar(commas, "bytes") + 1]
  if (!is.null(column)) words <- sprintf("%s (column `%s`)", words, encodeString(column))
  stop_chunk(words, length(begins), list(column = column))
}

#' Lines of text; the last one may lack its end. Of a zero byte R warns, and drops what follows in
#' its line.
#' @param before lines of the record that these go on with.
#' @noRd
plain_lines <- function(con, rows, names = NULL, before = NULL) {
  zero <- NULL
  longest <- options(warning.length = 8170L) # words are compared, and no path is so long
  on.exit(options(longest))
  lines <- withCallingHandlers(readLines(con, rows), warning = function(w) {
    words <- conditionMessage(w)
    it <- summary(con)
    # in the user's language
    no_end <- gettext("incomplete final line found on '%s'", domain = "R")
    if (words == sprintf(no_end, it$description)) invokeRestart("muffleWarning")
    if (it$class %in% c("gzfile", "xzfile") && !grepl("nul", words, ignore.case = TRUE)) {
      stop_packed(it$description)
    }
    if (!grepl("nul.*[0-9]|[0-9].*nul", words, ignore.case = TRUE)) stop_chunk(words)
    if (is.null(zero)) zero <<- as.integer(gsub("^[^0-9]*([0-9]+).*", "\\1", words))
    invokeRestart("muffleWarning")
  })
  if (!is.null(zero)) stop_record("it has a zero byte", c(before, lines[seq_len(zero)]), names)
  if (length(lines) < rows || rows < 0) check_unpacked(con)
  lines
}

#' What R only warns of (quotes that nobody closes, foreign bytes) is an error: cells are lost.
#' @noRd
strictly <- function(read) tryCatch(read, warning = function(w) stop(conditionMessage(w)))

#' All of a .csv file, as text; `NULL`: it has no records.
#' @noRd
csv_table <- function(path) {
  con <- opened_csv(path)
  on.exit(close(con))
  names <- strictly(csv_names(con))
  tryCatch(strictly(csv_part(con, -1L, names)), unreadable_chunk = function(e) {
    if (is.null(e$row)) stop(e)
    stop(sprintf("row %.0f: %s", e$row, conditionMessage(e)))
  })
}

csv_names <- function(con) {
  lines <- record_lines(con, 1L)
  lines[1L] <- rawToChar(without_mark(charToRaw(c(lines, "")[1L])))
  # empty lines are none, here as below
  while (identical(lines, "") && length(more <- record_lines(con, 1L))) lines <- more
  names <- scan(text = lines, what = "", sep = ",", quote = "\"", quiet = TRUE)
  if (length(names)) names else stop("it is empty")
}

read_so_far <- function(con) tryCatch(seek(con), error = function(e) 0)
