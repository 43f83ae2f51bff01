# Where records come from, chunk by chunk: list(next_chunk, close, done, total). next_chunk() is a
# data frame or NULL, done() how many bytes of `total` have been read (NULL: not known).

#' @param size rows to ask for at a time, of sources that can be asked.
#' @param label,features names of the columns of a source that has none.
#' @noRd
chunk_source <- function(source, query, size, label, features) {
  kind <- if (is.function(source)) "function"
    else if (is.data.frame(source)) "frame"
    else if (methods::is(source, "DBIConnection")) "database"
    else if (inherits(source, "RecordBatchReader")) "reader"
    else if (inherits(source, c("Dataset", "ArrowTabular", "arrow_dplyr_query"))) "arrow"
    else if (is.character(source)) file_kind(source)
    else "unknown"
  if ((kind == "database") == is.null(query)) {
    abort("argument", "`query` belongs to a connection of DBI, and is missing there only.",
      argument = "query"
    )
  }
  switch(kind,
    "function" = function_source(source), frame = frame_source(source, size),
    database = database_source(source, query, size), csv = csv_source(source, size),
    libsvm = libsvm_source(source, label, features),
    reader = reader_source(source), arrow = reader_source(batches_of(source)),
    parquet = reader_source(batches_of(opened_dataset(source))),
    abort("argument", paste(
      "`source` must be a function(reset), a DBI connection, a reader or data set of Arrow, a data",
      sprintf("frame, or the path of a .csv, .libsvm or .parquet file, not %s.", kind_of(source))
    ), argument = "source")
  )
}

file_kind <- function(path) {
  check_file_name(path)
  if (!file.exists(path)) {
    abort("argument", sprintf('There is no file "%s".', path), argument = "source", value = path)
  }
  if (is_store(path)) return("store")
  kind <- tolower(tools::file_ext(sub("[.](gz|bz2|xz)$", "", path)))
  switch(kind,
    csv = , parquet = kind, feather = , arrow = "parquet", libsvm = , svmlight = , svm = "libsvm",
    "unknown"
  )
}

new_source <- function(next_chunk, close = function() NULL, done = NULL, total = NULL) {
  list(next_chunk = next_chunk, close = close, done = done, total = total)
}

#' As biglm's: source(reset = TRUE) begins anew, source(reset = FALSE) is the next chunk or NULL.
#' @noRd
function_source <- function(source) {
  if (!any(c("reset", "...") %in% names(formals(args(source))))) {
    abort("argument", "`source` must be a function with the argument `reset`.", argument = "source")
  }
  tryCatch(source(reset = TRUE), error = function(e) {
    abort("argument", sprintf("`source(reset = TRUE)` fails: %s", conditionMessage(e)),
      argument = "source", parent = e)
  })
  new_source(function() source(reset = FALSE))
}

frame_source <- function(source, size) {
  first <- 1
  new_source(function() {
    if (first > nrow(source)) return(NULL)
    rows <- first:min(nrow(source), first + size - 1)
    first <<- first + size
    source[rows, , drop = FALSE]
  })
}

database_source <- function(connection, query, size) {
  need_package("DBI", "records in a data base")
  check_string(query, "query", 1e6)
  result <- tryCatch(DBI::dbSendQuery(connection, query), error = function(e) {
    abort("argument", sprintf("`query` is refused by the data base: %s.", conditionMessage(e)),
      argument = "query", parent = e)
  })
  new_source(function() {
    # SQLite makes a string among numbers 0
    chunk <- withCallingHandlers(DBI::dbFetch(result, n = size), warning = function(w) {
      if (grepl("coerc", conditionMessage(w), fixed = TRUE)) stop(conditionMessage(w))
    })
    if (nrow(chunk) > 0L) chunk
  }, function() DBI::dbClearResult(result))
}

#' Record batches of Arrow.
#' @noRd
reader_source <- function(reader) {
  need_package("arrow", "record batches")
  new_source(function() {
    batch <- tryCatch(reader$read_next_batch(), error = abort_arrow)
    if (!is.null(batch)) as.data.frame(batch)
  })
}

abort_arrow <- function(e) {
  abort("parse", sprintf("Arrow cannot read `source`: %s", conditionMessage(e)),
    argument = "source", parent = e)
}

batches_of <- function(data) {
  need_package("arrow", "data sets of Arrow")
  arrow::as_record_batch_reader(data)
}

opened_dataset <- function(path) {
  need_package("arrow", "Parquet and Arrow files")
  format <- if (tolower(tools::file_ext(path)) == "parquet") "parquet" else "arrow"
  tryCatch(arrow::open_dataset(path, format = format), error = abort_arrow)
}

#' A file that is there, opened.
#' @noRd
opened_file <- function(path, mode) {
  cannot <- function(e) {
    abort("argument", sprintf('`source`, "%s", cannot be read.', path), argument = "source",
      value = path)
  }
  if (dir.exists(path)) cannot()
  tryCatch(file(path, mode), error = cannot, warning = cannot)
}

#' Cells are strings here: a column may look like numbers in one chunk and not in the next.
#' @noRd
csv_source <- function(path, size) {
  con <- opened_file(path, "rt")
  names <- tryCatch(csv_names(con), error = function(e) {
    close(con)
    abort("parse", sprintf('"%s" has no line of column names.', path), argument = "source",
      parent = e
    )
  })
  size <- min(size, 1000 * file.size(path)) # scan() takes memory for so many
  total <- unpacked_size(con, path)
  chunks <- rows <- 0
  new_source(function() {
    chunks <<- chunks + 1
    chunk <- tryCatch(strictly(csv_part(con, size, names)), error = function(e) {
      abort_csv(chunks, rows, length(names), conditionMessage(e))
    })
    if (is.null(chunk)) {
      packed <- summary(con)$class == "gzfile"
      if (packed && read_so_far(con) %% 2^32 != total) abort_packed(path)
      return(NULL)
    }
    rows <<- rows + nrow(chunk)
    structure(chunk, strings = TRUE)
  }, function() close(con), function() read_so_far(con), total)
}

#' @param words scan()'s, which counts lines from where it began; those of one record each.
#' @noRd
abort_csv <- function(chunk, before, cells, words) {
  line <- sub("^line ([0-9]+) did not have [0-9]+ elements$", "\\1", words)
  row <- if (line != words) before + as.double(line)
  where <- if (is.null(row)) sprintf(", after row %.0f", before) else sprintf(", row %.0f", row)
  if (!is.null(row)) words <- sprintf("it does not have %d cells, as the first line has", cells)
  abort("parse", sprintf("Chunk %.0f%s: %s.", chunk, where, words), argument = "source",
    place = list(chunk = chunk, row = row))
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

#' Not read.table(), which loses lines where a quote in one of the first is never closed.
#' @noRd
csv_part <- function(con, rows, names) {
  cells <- scan(con,
    what = rep(list(""), length(names)), nmax = rows, sep = ",", quote = "\"", multi.line = FALSE,
    quiet = TRUE
  )
  if (length(cells[[1L]])) list2DF(stats::setNames(cells, names))
}

#' What R only warns of (quotes that nobody closes, foreign bytes) is an error: cells are lost.
#' @noRd
strictly <- function(read) tryCatch(read, warning = function(w) stop(conditionMessage(w)))

#' All of a .csv file, as text.
#' @noRd
csv_table <- function(path) {
  con <- file(path, "rt")
  on.exit(close(con))
  names <- csv_names(con)
  strictly(csv_part(con, -1L, names))
}

#' Lines without the mark that some editors begin a file of UTF-8 with.
#' @noRd
without_mark <- function(lines) {
  first <- charToRaw(c(lines, "")[1L])
  if (identical(first[1:3], as.raw(c(0xef, 0xbb, 0xbf)))) lines[1L] <- rawToChar(first[-(1:3)])
  lines
}

csv_names <- function(con) {
  line <- withCallingHandlers(readLines(con, 1L), warning = function(w) {
    # what has no end of line has no records either; zero bytes would be lost
    if (!grepl("incomplete final line", conditionMessage(w), fixed = TRUE)) {
      stop(conditionMessage(w))
    }
    invokeRestart("muffleWarning")
  })
  line <- without_mark(line)
  names <- scan(text = line, what = "", sep = ",", quote = "\"", quiet = TRUE)
  if (length(names)) names else stop("it is empty")
}

read_so_far <- function(con) tryCatch(seek(con), error = function(e) 0)
