# Where records come from, chunk by chunk: list(next_chunk, close, done, total). next_chunk() is a
# data frame or NULL, done() how many bytes of `total` have been read (NULL: not known).

#' @param size rows to ask for at a time, of sources that can be asked.
#' @param label,features names of the columns of a source that has none.
#' @param needed names of the columns that are read of one that can leave out others.
#' @param levels names of columns that are no numbers.
#' @noRd
chunk_source <- function(source, query, size, label, features, needed, levels) {
  kind <- if (is.function(source)) "function"
    else if (is.data.frame(source)) "frame"
    else if (methods::is(source, "DBIConnection")) "database"
    else if (inherits(source, "RecordBatchReader")) "reader"
    else if (inherits(source, c("Dataset", "ArrowTabular"))) "arrow"
    else if (is.character(source)) file_kind(source)
    else "unknown"
  if ((kind == "database") == is.null(query)) {
    abort("argument", "`query` belongs to a connection of DBI, and is missing there only.",
      argument = "query"
    )
  }
  switch(kind,
    "function" = function_source(source), frame = frame_source(source, size),
    database = database_source(source, query, size, needed, levels), csv = csv_source(source, size),
    libsvm = libsvm_source(source, label, features),
    store = abort("argument", sprintf('`source`, "%s", is a kept file: open it alone.', source),
      argument = "source", value = source),
    reader = arrow_source(source, needed), arrow = arrow_source(source, needed),
    parquet = arrow_source(arrow_dataset(source), needed),
    abort("argument", paste(
      "`source` must be a function(reset), a DBI connection, a reader or data set of Arrow, a data",
      sprintf("frame, or the path of a .csv, .libsvm or .parquet file, not %s.", kind_of(source))
    ), argument = "source")
  )
}

file_kind <- function(path) {
  check_file_name(path, "source")
  if (is_store(path)) return("store")
  plain <- sub("[.](gz|bz2|xz)$", "", path, ignore.case = TRUE)
  kind <- tolower(tools::file_ext(plain))
  kind <- switch(kind,
    csv = , parquet = kind, feather = , arrow = "parquet", libsvm = , svmlight = , svm = "libsvm",
    "unknown"
  )
  # of Parquet files there may be a directory
  if (kind != "parquet" || !dir.exists(path)) check_is_file(path, "source")
  if (plain != path && !kind %in% c("csv", "unknown")) {
    abort("argument", sprintf('"%s" is compressed: of such files only CSV is read.', path),
      argument = "source", value = path
    )
  }
  kind
}

new_source <- function(next_chunk, close = function() NULL, done = NULL, total = NULL) {
  list(next_chunk = next_chunk, close = close, done = done, total = total)
}

#' What a source cannot read of the next chunk; next_chunk() says which that is.
#' @param row of this chunk, from 1; `NULL`: not known.
#' @param place,value what else is known, and what cannot be read.
#' @param kind a class for who must know more.
#' @noRd
stop_chunk <- function(words, row = NULL, place = NULL, value = NULL, kind = NULL) {
  stop(errorCondition(words, class = c(kind, "unreadable_chunk"), row = row, place = place,
    value = value))
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

#' A file that is there, opened.
#' @noRd
opened_file <- function(path, mode) {
  cannot <- function(e) {
    abort("argument", sprintf('`source`, "%s", cannot be read.', path), argument = "source",
      value = path)
  }
  tryCatch(file(path, mode), error = cannot, warning = cannot)
}
