# Records of a data base, through package DBI.

#' @param needed names of the columns that are read.
#' @param levels names of those that are no numbers.
#' @noRd
database_source <- function(connection, query, size, needed, levels) {
  need_package("DBI", "records in a data base")
  check_string(query, "query", 1e6, lines = TRUE)
  result <- tryCatch(DBI::dbSendQuery(connection, query), error = function(e) {
    abort("argument", sprintf("`query` is refused by the data base: %s.", conditionMessage(e)),
      argument = "query", parent = e)
  })
  close <- function() {
    if (!is.null(result)) DBI::dbClearResult(result)
    result <<- NULL
  }
  before <- 0
  new_source(function() {
    mixed <- NULL
    chunk <- with_mixed(DBI::dbFetch(result, n = size), needed, function(words) {
      if (is.null(mixed)) mixed <<- words
    })
    if (!is.null(mixed)) {
      close() # a connection has one result at a time
      stop_mixed(connection, query, before, size, levels, mixed)
    }
    before <<- before + nrow(chunk)
    if (nrow(chunk) > 0L) chunk
  }, close)
}

#' SQLite keeps in a column whatever it is given, and its package makes a string among numbers 0,
#' with a warning: what it says of a needed column is told, of others nothing.
#' @noRd
with_mixed <- function(code, needed, tell) {
  withCallingHandlers(code, warning = function(w) {
    words <- conditionMessage(w)
    if (!grepl("coerc", words, fixed = TRUE)) return(NULL)
    column <- mixed_words(words)$column
    if (is.na(column) || column %in% needed) tell(words)
    invokeRestart("muffleWarning")
  })
}

#' The column, the type that it had and the one that it has, as package RSQLite says them; else NA.
#' @noRd
mixed_words <- function(words) {
  pattern <- "^Column `(.*)`: mixed type, first seen values of type (.*), coercing .* type (.*)$"
  found <- regmatches(words, regexec(pattern, words))[[1L]]
  stats::setNames(as.list(found[2:4]), c("column", "first", "other"))
}

#' A value of another type than those before it, by its row: the query is asked once more for it.
#' @param before,size how many rows came before the chunk, and how many it may have.
#' @noRd
stop_mixed <- function(connection, query, before, size, levels, words) {
  it <- mixed_words(words)
  if (is.na(it$column)) stop_chunk(words)
  text <- c("string", "blob")
  at_first <- it$first %in% text && !it$other %in% text && !it$column %in% levels
  if (at_first) it[c("first", "other")] <- it[c("other", "first")]
  row <- tryCatch(mixed_row(connection, query, before, size, it$column, at_first),
    error = function(e) NULL)
  stop_chunk(sprintf("`%s` is of type %s among values of type %s: cast it in `query`", it$column,
    it$other, it$first), row, list(column = it$column))
}

#' @param at_first whether it is the first of all values that is odd.
#' @return the row in the chunk; `NULL`: it is not found.
#' @noRd
mixed_row <- function(connection, query, before, size, column, at_first) {
  # what changes the data base is not done twice
  if (!grepl("^\\s*(select|with|values)\\b", query, ignore.case = TRUE) ||
    grepl("\\b(insert|update|delete|replace)\\b", query, ignore.case = TRUE)) return(NULL)
  result <- DBI::dbSendQuery(connection, query)
  on.exit(DBI::dbClearResult(result))
  odd <- FALSE
  found_odd <- function(words) odd <<- TRUE
  next_rows <- function(n) with_mixed(DBI::dbFetch(result, n = n), column, found_odd)
  while (before > 0) {
    next_rows(min(before, size))
    before <- before - size
  }
  for (row in seq_len(size)) {
    found <- next_rows(1)
    if (nrow(found) == 0L) return(NULL)
    if (odd || at_first && !is.na(found[[column]])) return(row)
  }
}
