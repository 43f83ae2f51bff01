#' Read a LIBSVM file
#'
#' Reads labels and sparse features in the format of LIBSVM and SVMlight: a record
#' a line, `label index:value index:value ...`, indices from 1 and increasing,
#' separated by blanks. Features that are not named are zero. What follows a `#`
#' is a comment; empty lines are skipped, and so is SVMlight's `qid:number` after
#' the label. Numbers are decimal (`-1`, `.5`, `2e-3`), whatever the locale.
#'
#' @param file Path of a file: plain, or compressed by gzip, bzip2 or xz (told by
#'   its contents, not its name).
#' @param features How many columns `x` has. By default the largest index in the
#'   file; give it for a test file whose records may lack the last features.
#' @return A list of `x`, a `dgCMatrix` with a row per record and no column names,
#'   and `y`, the labels as numbers, just as the file has them.
#' @section Errors: `dpadmm_error_parse` for a malformed file: the message names
#'   the first bad line and what is wrong there (the label or a value is not a
#'   finite number, a feature is not `index:value`, an index is not a whole number,
#'   is 0, is above `features` or does not come after the one before), and its field
#'   `place` is the number of the line. The same class, with no `place`, for
#'   compressed data that are damaged or cut short and for a file without records.
#'   `dpadmm_error_argument` if there is no such file or an argument is wrong.
#' @source Chang, C.-C. and Lin, C.-J. (2011). LIBSVM: a library for support vector
#'   machines. *ACM Transactions on Intelligent Systems and Technology* 2(3).
#'   \doi{10.1145/1961189.1961199}
#' @examples
#' file <- tempfile()
#' writeLines(c("+1 1:0.5 3:2  # a comment", "-1 2:1"), file)
#' read_libsvm(file)
#' dim(read_libsvm(file, features = 4)$x)
#' @export
read_libsvm <- function(file, features = NULL) {
  check_file_name(file)
  if (!is.null(features)) {
    features <- check_number(features, "features",
      lower = 1, upper = .Machine$integer.max, whole = TRUE
    )
  }
  bytes <- read_bytes(file)
  if (length(bytes) > .Machine$integer.max) {
    abort("size", "`file` holds more than 2^31 - 1 bytes: split it.", argument = "file")
  }
  parse_libsvm(libsvm_tokens(bytes), features)
}

#' The bytes of a file, decompressed.
#'
#' R's own connections say nothing of a gzip or bzip2 file that ends early, nor of
#' damage in a bzip2 file: records would be missing unseen.
#' @noRd
read_bytes <- function(file) {
  if (!file.exists(file) || dir.exists(file)) {
    abort("argument", sprintf('There is no file "%s".', file), argument = "file", value = file)
  }
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
  chunks <- list()
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
#' @noRd
libsvm_tokens <- function(bytes) {
  if (any(nul <- bytes == as.raw(0))) {
    abort_line(sum(bytes[seq_len(which(nul)[1L])] == as.raw(10)) + 1L, "it has a zero byte")
  }
  # Tabs, carriage returns and the like are blanks.
  bytes[bytes >= as.raw(9) & bytes <= as.raw(13) & bytes != as.raw(10)] <- as.raw(32)
  lines <- strsplit(rawToChar(bytes), "\n", fixed = TRUE, useBytes = TRUE)[[1L]]
  lines <- sub("#.*", "", lines, perl = TRUE, useBytes = TRUE)
  cut <- strsplit(lines, " ", fixed = TRUE, useBytes = TRUE)
  text <- unlist(cut)
  line <- rep(seq_along(cut), lengths(cut))
  keep <- nzchar(text)
  text <- text[keep]
  line <- line[keep]
  first <- !duplicated(line)
  second <- c(FALSE, first[-length(first)]) & !first
  qid <- second & grepl("^qid:[0-9]+$", text, useBytes = TRUE)
  list(text = text[!qid], line = line[!qid], first = first[!qid])
}

# A decimal number; R itself would also read hexadecimals, "NA" and "1e".
.number_pattern <- "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"

parse_libsvm <- function(tokens, features) {
  text <- tokens$text
  first <- tokens$first
  if (length(text) == 0L) abort("parse", "`file` holds no records.", argument = "file")
  limit <- if (is.null(features)) .Machine$integer.max else features
  ok <- logical(length(text))
  ok[first] <- grepl(paste0("^", .number_pattern, "$"), text[first], perl = TRUE, useBytes = TRUE)
  ok[!first] <- grepl(paste0("^[0-9]+:", .number_pattern, "$"), text[!first],
    perl = TRUE, useBytes = TRUE
  )
  # A label counts as index 0, so that the first index of a line must be above 0.
  index <- ifelse(first, 0, NA)
  number <- rep(NA_real_, length(text))
  number[first & ok] <- as.double(text[first & ok])
  pairs <- strsplit(text[!first & ok], ":", fixed = TRUE, useBytes = TRUE)
  pairs <- as.double(unlist(pairs))
  index[!first & ok] <- pairs[c(TRUE, FALSE)]
  number[!first & ok] <- pairs[c(FALSE, TRUE)]

  before <- c(0, index[-length(index)])
  bad <- which(!ok | !is.finite(number) | index > limit | (!first & index <= before))
  if (length(bad) > 0L) {
    at <- bad[1L]
    abort_line(tokens$line[at], describe_token(text[at], first[at], before[at], limit), text[at])
  }
  keep <- !first & number != 0
  list(
    x = Matrix::sparseMatrix(
      i = cumsum(first)[keep], j = index[keep], x = number[keep],
      dims = c(sum(first), if (is.null(features)) max(index) else features)
    ),
    y = number[first]
  )
}

#' What is wrong with a token that cannot stand where it stands: after the index
#' `before`, in a file whose indices go up to `limit`.
#' @noRd
describe_token <- function(text, first, before, limit) {
  if (first) return("the label is not a finite number")
  if (!grepl("^[^:]+:[^:]+$", text, useBytes = TRUE)) return("a feature must be index:value")
  part <- strsplit(text, ":", fixed = TRUE, useBytes = TRUE)[[1L]]
  if (!grepl("^[0-9]+$", part[1L], useBytes = TRUE)) return("the index is not a whole number")
  index <- as.double(part[1L])
  if (index == 0) return("the index is 0, but they start at 1")
  if (index > limit) return(sprintf("the index is above %.0f, the largest there can be", limit))
  if (index <= before) {
    return(sprintf("the index does not exceed the one before, %.0f", before))
  }
  "the value is not a finite number"
}

abort_line <- function(line, what, token = NULL) {
  if (!is.null(token)) {
    # Foreign bytes and long tokens must not spoil the message.
    token <- iconv(token, "UTF-8", "UTF-8", sub = "byte")
    if (nchar(token) > 40L) token <- paste0(substr(token, 1L, 40L), "...")
    what <- paste0(what, ": ", encodeString(token, quote = '"'))
  }
  abort("parse", sprintf("Line %d of `file`: %s.", line, what),
    argument = "file", value = token, place = line
  )
}
