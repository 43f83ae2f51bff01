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
  predictors <- as.list(attr(blueprint$terms, "predvars"))[-1L]
  numbers <- record_calls(blueprint)
  names_in <- function(calls) unlist(lapply(calls, all.vars))
  asked <- c(predictors, blueprint$response, numbers, lapply(nodes, as.name))
  it <- list2env(list(
    blueprint = blueprint, schema = schema, nodes = nodes, asked = asked,
    needed = unique(names_in(asked)), kinds = list(), typed = list(),
    called = names_in(c(Filter(is.call, c(predictors, blueprint$response)), numbers)),
    plain = names_in(Filter(is.name, predictors)), numbers = names_in(Filter(is.name, numbers)),
    label = names_in(Filter(is.name, list(blueprint$response))),
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
  n <- nrow(data)
  if (n == 0L && !any(vapply(data, NROW, 0L))) return(invisible())
  if (rows_so_far(it) == 0) { # what is no column of the first one is public, or missing
    it$needed <- intersect(it$needed, c(names(data), lost_columns(it$asked, names(data))))
  }
  if (length(lost <- setdiff(it$needed, names(data)))) {
    abort_chunk(it, "shape", sprintf("it has no column `%s`", lost[1L]), column = lost[1L])
  }
  if (length(twice <- intersect(it$needed, names(data)[duplicated(names(data))]))) {
    abort_chunk(it, "shape", sprintf("it has `%s` more than once", twice[1L]), column = twice[1L])
  }
  strings <- isTRUE(attr(data, "strings"))
  data <- lapply(stats::setNames(nm = it$needed), function(name) {
    tryCatch(chunk_column(it, data[[name]], name, n, strings), error = function(e) {
      if (is.list(e$place)) stop(e)
      words <- sub("[.]$", "", conditionMessage(e))
      if (!inherits(e, "dpadmm_error")) words <- sprintf("`%s` cannot be read: %s", name, words)
      abort_chunk(it, "argument", words, column = name, parent = e)
    })
  })
  it$waiting <- c(it$waiting, list(list2DF(data, n)))
  it$from <- c(it$from, rep(it$chunks, n))
}

#' @param row of all records; by default it is the whole chunk, from its first row on.
#' @noRd
abort_chunk <- function(it, kind, words, column = NULL, row = NULL, ...) {
  at <- if (is.null(row)) rows_so_far(it) + 1 else row
  chunk <- chunk_words(it$chunks, at, if (is.null(row)) "from")
  abort(kind, sprintf("%s: %s.", chunk, words), argument = column,
    place = list(chunk = it$chunks, row = at, column = column), ...)
}

#' @param chunk one, or the first and the last of several.
#' @param which of the rows, where it is not that one alone: "from" or "after".
#' @noRd
chunk_words <- function(chunk, row, which = NULL) {
  sprintf("Chunk%s %s, %s %.0f", if (length(chunk) > 1L) "s" else "",
    paste(sprintf("%.0f", chunk), collapse = " to "), paste(c(which, "row"), collapse = " "), row)
}

#' How many rows have come so far.
#' @noRd
rows_so_far <- function(it) it$rows + length(it$from)

#' The next chunk of a source; what it cannot read is an error that says where.
#' @noRd
next_chunk <- function(it, chunks) {
  tryCatch(chunks$next_chunk(), error = function(e) {
    if (inherits(e, "unreadable_chunk")) abort_unreadable(it, e)
    abort("argument", sprintf("%s: %s", unread_words(it), conditionMessage(e)), argument = "source",
      place = list(chunk = it$chunks + 1, row = rows_so_far(it) + 1), parent = e)
  })
}

abort_unreadable <- function(it, e) {
  chunk <- it$chunks + 1
  row <- rows_so_far(it) + if (is.null(e$row)) 1 else e$row
  words <- if (is.null(e$row)) unread_words(it) else chunk_words(chunk, row)
  abort("parse", sprintf("%s: %s.", words, conditionMessage(e)),
    argument = "source", place = c(list(chunk = chunk, row = row), e$place), value = e$value)
}

#' Where a source fails that does not say of which row: it is none of those that came.
#' @noRd
unread_words <- function(it) chunk_words(it$chunks + 1, rows_so_far(it), "after")

# ---- encoding ----------------------------------------------------------------------------

#' What waits, encoded, where there is enough of it.
#' @param all whether it is enough however little there is.
#' @return list(blocks, y, weight, offset, node, chunk), or NULL.
#' @noRd
encode_waiting <- function(it, all = FALSE) {
  n <- length(it$from)
  if (n == 0L || (n < .rows_together && !all)) return(NULL)
  join <- function(name) join_columns(lapply(it$waiting, `[[`, name), it$typed[[name]], name)
  records <- tryCatch(
    chunk_records(it, list2DF(lapply(stats::setNames(nm = it$needed), join), n)),
    error = function(e) stop(placed_error(classed_error(e), it))
  )
  records$chunk <- it$from
  it$rows <- it$rows + n
  it$waiting <- list()
  it$from <- NULL
  records
}

#' What a function of the formula makes of odd values may be an error of R.
#' @noRd
classed_error <- function(e) {
  if (inherits(e, "dpadmm_error")) return(e)
  words <- sprintf("The records cannot be encoded: %s.", conditionMessage(e))
  tryCatch(abort("argument", words, argument = "formula", parent = e), error = identity)
}

#' An error of rows that were encoded together, as one of their chunk.
#' @noRd
placed_error <- function(e, it) {
  k <- e$place
  one <- is.numeric(k) && length(k) == 1L && k >= 1 && k <= length(it$from)
  row <- it$rows + if (one) k else 1
  chunk <- unique(it$from[if (one) k else c(1L, length(it$from))])
  words <- conditionMessage(e)
  if (one) {
    words <- sub(sprintf("(row|position) %.0f\\b", k), sprintf("\\1 %.0f", row), words)
  }
  e$message <- sprintf("%s: %s", chunk_words(chunk, row, if (!one) "from"), words)
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
  if (anyNA(known)) {
    row <- match(which(is.na(known))[1L], code)
    abort("missing", sprintf("Row %d: `%s` is no number.", row, it$nodes), argument = it$nodes,
      place = list(row = row, column = it$nodes))
  }
  sorted <- if (identical(it$kinds[[it$nodes]], "factor")) known else sort(known)
  names <- unique(as.character(sorted))
  list(names = names, index = match(as.character(known), names)[code])
}
