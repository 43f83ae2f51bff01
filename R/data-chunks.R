# Chunks of records, as they come, checked and encoded: each is a data frame with the columns of the
# first, of the same kinds. What is wrong is an error that names chunk, row and column.

#' Chunks are encoded together until there are so many rows: a term that reads other rows than its
#' own shows among many only, and few are slow.
#' @noRd
.rows_together <- 1000

#' What is to be read: a state that chunks go through.
#' @param blueprint as a plan has it.
#' @param nodes name of the column that says whose a record is, or NULL.
#' @noRd
chunk_reader <- function(blueprint, schema, nodes) {
  needed <- unique(c(all.vars(attr(blueprint$terms, "predvars")), all.vars(blueprint$response),
    unlist(lapply(record_calls(blueprint), all.vars)), nodes))
  it <- list2env(list(
    blueprint = blueprint, schema = schema, nodes = nodes, needed = needed, kinds = list(),
    chunks = 0, rows = 0, waiting = list(), from = NULL, known = NULL, kind = NULL
  ), parent = emptyenv())
  it$blueprint$factor <- 1
  it
}

#' A chunk, checked, joins those that wait.
#' @noRd
add_chunk <- function(it, data) {
  it$chunks <- it$chunks + 1
  if (!is.data.frame(data)) {
    abort_chunk(it, "argument", sprintf("it must be a data frame, not %s", kind_of(data)))
  }
  if (length(lost <- setdiff(it$needed, names(data)))) {
    abort_chunk(it, "shape", sprintf("it has no column `%s`", lost[1L]), column = lost[1L])
  }
  strings <- isTRUE(attr(data, "strings"))
  n <- nrow(data)
  if (n == 0L) return(invisible())
  data <- lapply(stats::setNames(nm = it$needed), function(name) {
    column <- plain_numbers(data[[name]])
    if (!is.null(dim(column)) || is.list(column) && !inherits(column, "POSIXlt")) {
      abort_chunk(it, "argument", sprintf("`%s` must be one column of values, not %s", name,
        kind_of(column)), column = name)
    }
    chunk_column(it, if (is.list(column)) as.POSIXct(column) else column, name, strings)
  })
  it$waiting <- c(it$waiting, list(list2DF(data, n)))
  it$from <- c(it$from, rep(it$chunks, n))
}

#' A column as the schema declares it, or of the kind that it had in the first chunk.
#' @param strings whether it was read as text.
#' @noRd
chunk_column <- function(it, column, name, strings) {
  declared <- it$schema[[name]]
  of_nodes <- identical(name, it$nodes)
  if (is.factor(column) && !of_nodes) column <- as.character(column)
  if (strings && (of_nodes || !is.character(declared))) {
    column[!nzchar(trim_blanks(column)) | column %in% "NA"] <- NA
  }
  if (strings && of_nodes && is.null(declared)) { # their type is known when all are
    it$kinds[[name]] <- "text"
    return(column)
  }
  if (all(is.na(column))) { # it has no type of its own
    none <- if (is.character(declared)) NA_character_
      else if (of_nodes || name %in% all.vars(it$blueprint$response)) NA
      else NA_real_
    return(rep(none, length(column)))
  }
  if (strings || (is.numeric(declared) && is.character(column))) {
    number <- from_text(it, column, name, declared)
    if (!strings) { # which all are numbers, in quotes
      abort_chunk(it, "argument", sprintf("`%s` is character, and its bounds are numbers", name),
        column = name)
    }
    column <- number
  }
  kind <- if (is.numeric(column)) "numeric" else if (is.factor(column)) "factor" else typeof(column)
  if (is.null(it$kinds[[name]])) it$kinds[[name]] <- kind
  if (kind != it$kinds[[name]]) {
    abort_chunk(it, "argument", sprintf("`%s` is %s, and was %s before", name, kind,
      it$kinds[[name]]), column = name)
  }
  column
}

#' Strings as numbers where the schema or the first chunk says so.
#' @noRd
from_text <- function(it, column, name, declared) {
  if (is.character(declared)) return(column)
  kind <- it$kinds[[name]]
  if (is.null(declared) && is.null(kind)) {
    found <- utils::type.convert(column, as.is = TRUE)
    return(if (is.integer(found)) as.double(found) else found)
  }
  if (is.null(declared) && kind == "character") return(column)
  blank <- is.na(column) | !nzchar(trim_blanks(column))
  column[blank] <- NA
  as_kind <- if (identical(kind, "logical")) as.logical else as.double
  text <- iconv(column, "UTF-8", "UTF-8", sub = "byte") # foreign bytes are no number
  value <- suppressWarnings(as_kind(text))
  if (any(bad <- is.na(value) & !blank & !column %in% "NaN")) {
    k <- which(bad)[1L]
    abort_chunk(it, "parse", sprintf("`%s` is no %s but \"%s\"", name,
      if (identical(kind, "logical")) "truth value" else "number", text[k]
    ), column = name, row = it$rows + length(it$from) + k, value = column[k])
  }
  value
}

#' @param row of all records, or NULL.
#' @noRd
abort_chunk <- function(it, kind, words, column = NULL, row = NULL, ...) {
  abort(kind, sprintf("Chunk %.0f%s: %s.", it$chunks,
    if (is.null(row)) "" else sprintf(", row %.0f", row), words
  ), argument = column, place = list(chunk = it$chunks, row = row, column = column), ...)
}

# ---- encoding ----------------------------------------------------------------------------

#' What waits, encoded, where there is enough of it.
#' @param all whether it is enough however little there is.
#' @return list(blocks, y, weight, offset, node), or NULL.
#' @noRd
encode_waiting <- function(it, all = FALSE) {
  n <- length(it$from)
  if (n == 0L || (n < .rows_together && !all)) return(NULL)
  data <- do.call(rbind, it$waiting)
  records <- tryCatch(
    chunk_records(it, data),
    dpadmm_error = function(e) stop(placed_error(e, it))
  )
  it$rows <- it$rows + n
  it$waiting <- list()
  it$from <- NULL
  records
}

#' An error of rows that were encoded together, as one of their chunk.
#' @noRd
placed_error <- function(e, it) {
  k <- e$place
  one <- is.numeric(k) && length(k) == 1L && k >= 1 && k <= length(it$from)
  row <- if (one) it$rows + k
  chunk <- unique(it$from[if (one) k else c(1L, length(it$from))])
  words <- conditionMessage(e)
  if (one) {
    words <- sub(sprintf("(row|position) %.0f\\b", k), sprintf("\\1 %.0f", row), words)
  }
  where <- if (one) sprintf(", row %.0f", row) else ""
  e$message <- sprintf("Chunk%s %s%s: %s", if (length(chunk) > 1L) "s" else "",
    paste(sprintf("%.0f", chunk), collapse = " to "), where, words)
  e$place <- list(chunk = chunk, row = row, column = if (is.character(k)) k else e$argument)
  e
}

chunk_records <- function(it, data) {
  blueprint <- it$blueprint
  n <- nrow(data)
  whole <- whole_rows(blueprint, data)
  data <- whole$data
  check_planned_terms(blueprint, data)
  variables <- new_variables(blueprint, data, "source", none_left(whole$dropped))
  check_variables(blueprint, variables)
  list(
    blocks = function(put) {
      for (rows in row_blocks(n, blueprint$d)) {
        put(encode_frame(blueprint, take_source(variables, rows)))
      }
    },
    y = chunk_labels(it, response_of(blueprint, data, "source"), n, whole$dropped),
    weight = weights_of(blueprint, NULL, data, n, globalenv(), whole$dropped),
    offset = offsets_of(blueprint, NULL, data, n, globalenv(), whole$dropped),
    node = if (!is.null(it$nodes)) chunk_nodes(it, data[[it$nodes]])
  )
}

#' Labels as numbers: places of levels, 0 and 1 of truth values, or as they are.
#' @noRd
chunk_labels <- function(it, y, n, dropped) {
  name <- response_name(it$blueprint)
  declared <- it$schema[[name]]
  if (none_left(dropped)) { # of a kind that others tell
    return(rep(if (is.numeric(declared)) declared[1L] else as.double(is.character(declared)), n))
  }
  y <- check_labels(y, n, name)
  kind <- if (is.character(declared)) "levels" else if (is.logical(y)) "logical" else "numeric"
  if (kind == "levels") {
    code <- match(as.character(y), declared)
    if (anyNA(code)) {
      k <- which(is.na(code))[1L]
      abort("labels", sprintf("`%s` is %s at row %d, which is none of its levels.", name,
        format(y[k]), k), argument = name, place = k, value = y[k])
    }
    y <- code
  } else if (!is.logical(y) && !is.numeric(y)) {
    abort("argument", sprintf("`schema` must state the two levels of `%s`.", name),
      argument = "schema", place = name
    )
  }
  if (is.null(it$kind)) it$kind <- kind
  if (kind != it$kind) {
    abort("argument", sprintf("`%s` is %s, and was %s before.", name, kind, it$kind),
      argument = name
    )
  }
  as.double(check_numbers(as.double(y), name))
}

#' Nodes by their places among those that are known so far.
#' @noRd
chunk_nodes <- function(it, nodes) {
  if (anyNA(nodes)) {
    k <- which(is.na(nodes))[1L]
    abort("missing", sprintf("`%s` has a missing value at row %d.", it$nodes, k),
      argument = it$nodes, place = k
    )
  }
  found <- if (is.factor(nodes)) levels(nodes) else unique(nodes)
  it$known <- if (is.null(it$known)) found else unique(c(it$known, found)) # dates stay dates
  match(if (is.factor(nodes)) as.character(nodes) else nodes, it$known)
}

#' The nodes' names in their order, as resolve_nodes() has it, and each record's.
#' @noRd
nodes_in_order <- function(it, code) {
  known <- it$known
  if (identical(it$kinds[[it$nodes]], "text")) known <- utils::type.convert(known, as.is = TRUE)
  sorted <- if (identical(it$kinds[[it$nodes]], "factor")) known else sort(known)
  names <- unique(as.character(sorted))
  list(names = names, index = match(as.character(known), names)[code])
}
