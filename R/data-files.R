# What readers share: the bytes of a file, its tokens, and errors that name a line.

check_file_name <- function(file, name = "file") {
  if (!is.character(file) || length(file) != 1L || is.na(file)) {
    abort("argument", sprintf("`%s` must be one path, not %s.", name, kind_of(file)),
      argument = name)
  }
  file
}

check_is_file <- function(path, argument) {
  if (file.exists(path) && !dir.exists(path)) return(invisible())
  abort("argument", if (dir.exists(path)) {
    sprintf('`%s` must be a file: "%s" is a directory.', argument, path)
  } else {
    sprintf('There is no file "%s".', path)
  }, argument = argument, value = path)
}

#' The bytes of a file, decompressed.
#'
#' R's own connections say nothing of a gzip or bzip2 file that ends early, nor of
#' damage in a bzip2 file: records would be missing unseen.
#' @noRd
read_bytes <- function(file) {
  check_is_file(file, "file")
  unreadable <- function(e) {
    abort("argument", sprintf('The file "%s" cannot be read.', file),
      argument = "file", value = file
    )
  }
  damaged <- function(e) {
    abort("parse", "The compressed data in `file` are damaged or cut short.", argument = "file")
  }
  packed <- tryCatch(readBin(file, "raw", file.size(file)),
    error = unreadable, warning = unreadable
  )
  if (length(grepRaw("^BZh", packed)) > 0L) {
    return(tryCatch(unpack_bzip2(packed), error = damaged, warning = damaged))
  }
  bytes <- tryCatch(read_connection(gzfile(file, "rb")), error = damaged, warning = damaged)
  gzip <- identical(packed[1:2], as.raw(c(0x1f, 0x8b)))
  if (gzip && !has_gzip_size(packed, length(bytes))) damaged()
  bytes
}

read_connection <- function(con) {
  on.exit(close(con))
  chunks <- list(raw()) # an empty file has none
  repeat {
    chunk <- readBin(con, "raw", 2^24)
    if (length(chunk) == 0L) return(do.call(c, chunks))
    chunks[[length(chunks) + 1L]] <- chunk
  }
}

#' Unpack one bzip2 stream after the other; an error if any is not whole.
#' @noRd
unpack_bzip2 <- function(packed) {
  start <- grepRaw("BZh[1-9]1AY&SY", packed, all = TRUE)
  ended <- as.raw(c(0x17, 0x72, 0x45, 0x38, 0x50, 0x90)) # where a stream of nothing has its block
  if (identical(packed[5:10], ended)) return(raw())
  if (!identical(start[1L], 1L)) stop("no stream begins the file")
  end <- c(start[-1L] - 1L, length(packed))
  do.call(c, Map(function(from, to) memDecompress(packed[from:to], "bzip2"), start, end))
}

#' Whether gzip data that unpack to `size` bytes are whole: the last four bytes are
#' the size, modulo 2^32 (RFC 1952). With several members it is only the last one's,
#' so nothing can be said.
#' @noRd
has_gzip_size <- function(packed, size) {
  n <- length(packed)
  if (n < 18L) return(FALSE) # shorter than the header and the trailer
  stored <- sum(as.integer(packed[n - 3:0]) * 256^(0:3))
  several <- length(grepRaw(as.raw(c(0x1f, 0x8b, 8)), packed, offset = 2L, fixed = TRUE)) > 0L
  several || stored == size %% 2^32
}

#' Cut a file's bytes into tokens: their `text`, the `line` each stands on, and
#' whether it is the `first` there. Comments and "qid:" are left out.
#' @param before how many lines of the file come before these bytes.
#' @noRd
file_tokens <- function(bytes, before = 0L) {
  if (any(nul <- bytes == as.raw(0))) {
    abort_line(before + sum(bytes[seq_len(which(nul)[1L])] == as.raw(10)) + 1L,
      "it has a zero byte")
  }
  if (before == 0L) bytes <- without_mark(bytes)
  # Tabs, carriage returns and the like are blanks.
  bytes[bytes >= as.raw(9) & bytes <= as.raw(13) & bytes != as.raw(10)] <- as.raw(32)
  lines <- strsplit(rawToChar(bytes), "\n", fixed = TRUE, useBytes = TRUE)[[1L]]
  lines <- sub("#.*", "", lines, perl = TRUE, useBytes = TRUE)
  cut <- strsplit(lines, " ", fixed = TRUE, useBytes = TRUE)
  text <- unlist(cut)
  line <- before + rep(seq_along(cut), lengths(cut))
  keep <- nzchar(text)
  text <- text[keep]
  line <- line[keep]
  first <- !duplicated(line)
  second <- c(FALSE, first[-length(first)]) & !first
  qid <- second & grepl("^qid:[0-9]+$", text, useBytes = TRUE)
  list(text = text[!qid], line = line[!qid], first = first[!qid])
}

#' Bytes without the mark that some editors begin a file of UTF-8 with.
#' @noRd
without_mark <- function(bytes) {
  mark <- as.raw(c(0xef, 0xbb, 0xbf))
  if (identical(bytes[1:3], mark)) bytes[-(1:3)] else bytes
}

#' What a cell holds, for an error: foreign bytes and long texts must not spoil it.
#' @noRd
shown_text <- function(text) {
  text <- iconv(text, "UTF-8", "UTF-8", sub = "byte")
  if (nchar(text) > 40L) text <- paste0(substr(text, 1L, 40L), "...")
  encodeString(text, quote = '"')
}

#' Texts without the blanks around them, whatever bytes they are of.
#' @noRd
trim_blanks <- function(text) {
  gsub("^[ \t\r\n]+|[ \t\r\n]+$", "", text, useBytes = TRUE)
}

# A decimal number; R itself would also read hexadecimals, "NA" and "1e".
.number_pattern <- "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"

is_decimal <- function(text, before = "") {
  grepl(paste0("^", before, .number_pattern, "$"), text, perl = TRUE, useBytes = TRUE)
}

abort_line <- function(line, what, token = NULL) {
  if (!is.null(token)) what <- paste0(what, ": ", shown_text(token))
  abort("parse", sprintf("Line %.0f of `file`: %s.", line, what),
    argument = "file", value = token, place = line
  )
}
