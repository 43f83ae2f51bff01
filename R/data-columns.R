# Columns of chunks: of the type that the schema declares, or that they had in the first chunk.

#' @param n how many rows the chunk has.
#' @param strings whether it was read as text.
#' @noRd
chunk_column <- function(it, column, name, n, strings) {
  declared <- it$schema[[name]]
  of_nodes <- identical(name, it$nodes)
  called <- name %in% it$called
  column <- whole_column(it, column, name, n)
  if (is.list(column)) column <- as.POSIXct(column)
  # what a call reads is as it came
  if (is.factor(column) && !of_nodes && !called) column <- as.character(column)
  if (strings && (of_nodes || !is.character(declared))) {
    column <- without_blanks(column)
    column[column %in% "NA"] <- NA
  }
  if (strings && of_nodes && is.null(declared)) { # their type is known when all are
    it$kinds[[name]] <- "text"
    return(column)
  }
  none <- all(is.na(column)) && !is.factor(column) && !(is.double(column) && any(is.nan(column)))
  if (none) return(untyped(it, name, length(column)))
  if (strings) {
    column <- from_text(it, column, name, declared)
  } else if (is.numeric(declared) && is.character(column)) {
    from_text(it, without_blanks(column), name, declared) # what is no number is said first
    abort_chunk(it, "argument", sprintf("`%s` is character, and its bounds are numbers", name),
      column = name)
  }
  check_kind(it, column, name)
  column
}

#' A column as a vector of a value each row.
#' @noRd
whole_column <- function(it, column, name, n) {
  column <- plain_numbers(column, name)
  if (is.matrix(column) && ncol(column) == 1L) column <- column[, 1L]
  if (length(dim(column)) == 1L) dim(column) <- NULL
  values <- is.atomic(column) || inherits(column, "POSIXlt")
  if (!values || !is.null(dim(column))) {
    abort_chunk(it, "argument", sprintf("`%s` must be one column of values, not %s", name,
      kind_of(column)), column = name)
  }
  if (length(column) != n) {
    abort_chunk(it, "shape", sprintf("`%s` has %.0f values, and the chunk %.0f rows", name,
      length(column), n), column = name)
  }
  if (is.factor(column) && !is_sound_factor(column)) {
    abort_chunk(it, "argument", sprintf("`%s` is no sound factor", name), column = name)
  }
  column
}

#' Whether the codes of a factor are places of its levels, as those of one made by hand may not be.
#' @noRd
is_sound_factor <- function(x) {
  code <- unclass(x)
  typeof(x) == "integer" && is.character(levels(x)) &&
    !any(code < 1L | code > length(levels(x)), na.rm = TRUE)
}

#' A column of missing values alone: of its type where that is known, else of none, see
#' join_columns().
#' @noRd
untyped <- function(it, name, n) {
  declared <- it$schema[[name]]
  first <- it$typed[[name]]
  none <- if (!is.null(first)) first else if (is.character(declared)) character()
    else if (is.numeric(declared) || name %in% it$numbers) numeric()
    else logical()
  none[rep(NA_integer_, n)]
}

#' Chunks' columns of one name as one, those without a type as the first that has one.
#' @noRd
join_columns <- function(columns, first, name) {
  none <- vapply(columns, function(x) is.logical(x) && all(is.na(x)), NA)
  if (any(none) && !is.null(first)) {
    columns[none] <- lapply(columns[none], function(x) first[rep(NA_integer_, length(x))])
  }
  # of a class of which a package may know that it cannot
  tryCatch(do.call(c, columns), error = function(e) {
    abort("argument", sprintf("The values of `%s` cannot be put together: %s", name,
      conditionMessage(e)), argument = name, parent = e)
  })
}

#' The first chunk tells of which kind a column is, and which levels a factor has.
#' @noRd
check_kind <- function(it, column, name) {
  kind <- if (is.numeric(column)) "numeric" else if (is.factor(column)) "factor"
    else if (is.object(column)) class(column)[1L] else typeof(column)
  if (is.null(it$kinds[[name]])) {
    if (kind != "numeric" && name %in% it$plain && is.numeric(it$schema[[name]])) {
      abort_chunk(it, "argument", sprintf("`%s` is %s, and its bounds are numbers", name, kind),
        column = name)
    }
    it$kinds[[name]] <- kind
    it$typed[[name]] <- column[0L]
  }
  if (kind != it$kinds[[name]]) {
    abort_chunk(it, "argument", sprintf("`%s` is %s, and was %s before", name, kind,
      it$kinds[[name]]), column = name)
  }
  if (kind == "factor" && !identical(name, it$nodes) &&
    !identical(attributes(column[0L]), attributes(it$typed[[name]]))) {
    abort_chunk(it, "argument", sprintf("the levels of `%s` are not the first chunk's", name),
      column = name)
  }
}

#' What a column of text is that can only be numbers, or labels of which the first is a number or a
#' truth value: others are errors of their row, not of the whole chunk. `NULL`: all of it tells.
#' @noRd
first_kind <- function(it, column, name) {
  if (name %in% it$numbers) return("numeric")
  if (!(name %in% it$label) || name %in% it$called) return(NULL)
  first <- utils::type.convert(column[!is.na(column)][1L], as.is = TRUE)
  if (is.numeric(first)) "numeric" else if (is.logical(first)) "logical"
}

without_blanks <- function(column) {
  column[!nzchar(trim_blanks(column))] <- NA
  column
}

#' Strings, blank ones missing, as numbers where the schema or the first chunk says so.
#' @noRd
from_text <- function(it, column, name, declared) {
  if (is.character(declared)) return(column)
  kind <- it$kinds[[name]]
  if (is.null(declared) && is.null(kind)) kind <- first_kind(it, column, name)
  if (is.null(declared) && is.null(kind)) {
    found <- utils::type.convert(column, as.is = TRUE)
    return(if (is.integer(found)) as.double(found) else found)
  }
  if (is.null(declared) && kind == "character") return(column)
  as_kind <- if (identical(kind, "logical")) as.logical else as.double
  text <- iconv(column, "UTF-8", "UTF-8", sub = "byte") # foreign bytes are no number
  value <- suppressWarnings(as_kind(text))
  if (any(bad <- is.na(value) & !is.na(column) & !column %in% "NaN")) {
    k <- which(bad)[1L]
    abort_chunk(it, "parse", sprintf("`%s` is no %s but %s", name,
      if (identical(kind, "logical")) "truth value" else "number", shown_text(text[k])
    ), column = name, row = rows_so_far(it) + k, value = column[k])
  }
  value
}
