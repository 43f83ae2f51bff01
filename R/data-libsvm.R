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
  parse_libsvm(file_tokens(bytes), features)
}

parse_libsvm <- function(tokens, features) {
  text <- tokens$text
  first <- tokens$first
  if (length(text) == 0L) abort("parse", "`file` holds no records.", argument = "file")
  limit <- if (is.null(features)) .Machine$integer.max else features
  ok <- logical(length(text))
  ok[first] <- is_decimal(text[first])
  ok[!first] <- is_decimal(text[!first], before = "[0-9]+:")
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

# ---- chunk by chunk ----------------------------------------------------------------------

# Bytes that are read at a time.
.libsvm_bytes <- 2^21

#' Lines of a file as data frames of the label and the features.
#' @noRd
libsvm_source <- function(path, label, features, at_once = .libsvm_bytes) {
  if (length(label) != 1L) {
    abort("argument", "The response of `formula` must be the one label of a LIBSVM file.",
      argument = "formula"
    )
  }
  names <- c(label, features)
  con <- opened_file(path, "rb")
  bytes <- raw()
  read <- lines <- 0
  ready <- list()
  more <- function() {
    new <- readBin(con, "raw", at_once)
    read <<- read + length(new)
    bytes <<- c(bytes, new)
    ends <- which(bytes == as.raw(10))
    whole <- if (length(new) == 0L) length(bytes) else if (length(ends)) ends[length(ends)] else 0L
    if (whole > 0L) ready <<- libsvm_chunks(bytes[seq_len(whole)], lines, names, path)
    bytes <<- bytes[whole + seq_len(length(bytes) - whole)]
    lines <<- lines + length(ends)
    length(new) > 0L
  }
  next_chunk <- function() {
    while (length(ready) == 0L) if (!more()) break
    if (length(ready) == 0L) return(NULL)
    chunk <- ready[[1L]]()
    ready <<- ready[-1L]
    chunk
  }
  new_source(next_chunk, function() close(con), function() read, file.size(path))
}

#' The records of whole lines: functions that answer some of them as a data frame.
#' @param before how many lines came before.
#' @noRd
libsvm_chunks <- function(bytes, before, names, path) {
  tokens <- NULL
  parsed <- tryCatch(
    {
      tokens <- file_tokens(bytes, before)
      if (length(tokens$text)) parse_libsvm(tokens, length(names) - 1L)
    },
    dpadmm_error_parse = function(e) {
      label <- grepl("the label is", conditionMessage(e), fixed = TRUE)
      if (is.null(tokens)) { # a zero byte
        tokens <- file_tokens(bytes[seq_len(which(bytes == as.raw(0))[1L] - 1L)], before)
        there <- tokens$text[tokens$line == e$place]
        label <- length(there) < 2L
        e$value <- there[length(there)]
      }
      row <- sum(tokens$first & tokens$line < e$place) + 1
      stop_libsvm_line(e, names, path, row, label)
    }
  )
  if (is.null(parsed)) return(list())
  lapply(row_blocks(nrow(parsed$x), length(names)), function(rows) {
    function() {
      x <- cbind(parsed$y[rows], as.matrix(parsed$x[rows, , drop = FALSE]))
      colnames(x) <- names
      as.data.frame(x)
    }
  })
}

#' An error of a line with the name of the file, its row, and the column where there is one.
#' @noRd
stop_libsvm_line <- function(e, names, path, row, label) {
  words <- sub("`file`", encodeString(path, quote = '"'), conditionMessage(e), fixed = TRUE)
  index <- suppressWarnings(as.double(sub(":.*", "", e$value)))
  column <- if (label) names[1L] else if (isTRUE(index %in% seq_along(names[-1L]))) names[index + 1]
  words <- sub("[.]$", if (is.null(column)) "" else sprintf(" (column `%s`)", column), words)
  stop_chunk(words, row, list(line = e$place, column = column), e$value)
}
