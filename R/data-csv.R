# Files of comma separated text, some lines at a time. Cells are strings: a column may look like
# numbers in one chunk and not in the next. What R would lose in silence is an error.

#' A .csv file as a source of chunks.
#' @noRd
csv_source <- function(path, size) {
  con <- opened_csv(path)
  names <- tryCatch(strictly(csv_names(con)), error = function(e) {
    close(con)
    abort("parse", sprintf('"%s" has no line of column names.', path), argument = "source",
      parent = e
    )
  })
  total <- unpacked_size(con, path)
  packed <- summary(con)$class != "file"
  # memory is taken for so many lines
  size <- min(size, if (packed) 1e6 else file.size(path) / length(names) + 1)
  new_source(function() {
    chunk <- tryCatch(strictly(csv_part(con, size, names)), error = function(e) {
      stop_chunk(conditionMessage(e), e$row)
    })
    if (is.null(chunk)) {
      check_unpacked(con, path)
      return(NULL)
    }
    structure(chunk, strings = TRUE)
  }, function() close(con), function() read_so_far(con), total)
}

#' A file as text, whatever packs it. Of bzip2 R says nothing where it is damaged or ends early, so
#' that is unpacked as a whole.
#' @noRd
opened_csv <- function(path) {
  con <- opened_file(path, "rt")
  if (summary(con)$class != "bzfile") return(con)
  close(con)
  bytes <- tryCatch(read_bytes(path), dpadmm_error_parse = function(e) abort_packed(path))
  rawConnection(bytes, "r")
}

#' Whether all that a gzip file says to hold has been read.
#' @noRd
check_unpacked <- function(con, path) {
  if (summary(con)$class != "gzfile") return(invisible())
  if (read_so_far(con) %% 2^32 != unpacked_size(con, path)) abort_packed(path)
}

abort_packed <- function(path) {
  abort("parse", sprintf(
    '"%s" is cut short or damaged, or is several compressed streams: unpack it first.', path
  ), argument = "source", value = path)
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
    lines <- record_lines(con, rows)
    if (length(lines) == 0L) return(NULL)
    if (any(nzchar(lines))) break
  }
  text <- textConnection(lines, encoding = "UTF-8") # as scan(text =) has it
  on.exit(close(text))
  cells <- utils::count.fields(text, sep = ",", quote = "\"", comment.char = "")
  cells <- cells[!is.na(cells)] # NA: a record goes on
  k <- length(names)
  odd <- which(cells != k)
  ragged <- function(e) {
    if (length(odd) == 0L) stop(e)
    words <- sprintf("it does not have %d cells, as the first line has", k)
    stop(errorCondition(words, row = odd[1L]))
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
#' @noRd
record_lines <- function(con, rows) {
  lines <- plain_lines(con, rows)
  open <- has_open_quote(lines)
  more <- list()
  while (open && length(more) < .longest_cell && length(line <- plain_lines(con, 1L))) {
    more[[length(more) + 1L]] <- line
    if (has_open_quote(line)) open <- FALSE
  }
  c(lines, unlist(more))
}

has_open_quote <- function(lines) {
  quotes <- grepl("\"", lines, fixed = TRUE, useBytes = TRUE)
  if (!any(quotes)) return(FALSE)
  bytes <- function(text) sum(nchar(text, "bytes"))
  with <- lines[quotes]
  (bytes(with) - bytes(gsub("\"", "", with, fixed = TRUE, useBytes = TRUE))) %% 2 == 1
}

#' Lines of text; the last one may lack its end. Zero bytes are warned of.
#' @noRd
plain_lines <- function(con, rows) {
  withCallingHandlers(readLines(con, rows), warning = function(w) {
    if (grepl("incomplete final line", conditionMessage(w), fixed = TRUE)) {
      invokeRestart("muffleWarning")
    }
  })
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
  table <- strictly(csv_part(con, -1L, names))
  check_unpacked(con, path)
  table
}

#' Lines without the mark that some editors begin a file of UTF-8 with.
#' @noRd
without_mark <- function(lines) {
  first <- charToRaw(c(lines, "")[1L])
  if (identical(first[1:3], as.raw(c(0xef, 0xbb, 0xbf)))) lines[1L] <- rawToChar(first[-(1:3)])
  lines
}

csv_names <- function(con) {
  lines <- without_mark(record_lines(con, 1L))
  names <- scan(text = lines, what = "", sep = ",", quote = "\"", quiet = TRUE)
  if (length(names)) names else stop("it is empty")
}

read_so_far <- function(con) tryCatch(seek(con), error = function(e) 0)
