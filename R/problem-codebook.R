# Schemas from a codebook, a data frame with a row for each column, and back.

# What codebooks call the two kinds of columns, and TRUE and FALSE.
.codebook_types <- list(
  bounds = c("numeric", "number", "num", "double", "dbl", "float", "real", "decimal", "continuous",
    "integer", "int", "count"),
  levels = c("categorical", "category", "factor", "fct", "character", "chr", "string", "text",
    "nominal", "ordinal", "ordered", "enum"),
  logical = c("logical", "lgl", "boolean", "bool")
)

#' The schema of a codebook.
#' @noRd
codebook_schema <- function(book) {
  names(book) <- tolower(names(book))
  names(book)[names(book) == "variable"] <- "name"
  if (!("name" %in% names(book)) || nrow(book) == 0L) {
    abort("argument", paste(
      "A codebook must have a column `name`, and rows; further `type`, `min`, `max`, `levels`."
    ), argument = "...")
  }
  rows <- lapply(seq_len(nrow(book)), function(k) codebook_row(book, k))
  do.call(dpadmm_schema, stats::setNames(rows, as.character(book$name)))
}

#' Bounds or levels of a row, as its type says, or what is there.
#' @noRd
codebook_row <- function(book, k) {
  levels <- codebook_levels(book$levels, k)
  bounds <- c(codebook_number(book$min, k), codebook_number(book$max, k))
  type <- codebook_type(book$type, k)
  if (is.na(type)) type <- if (is.null(levels)) "bounds" else "levels"
  if (type == "logical") return(c("FALSE", "TRUE"))
  if (type == "levels" && is.null(levels) || type == "bounds" && anyNA(bounds)) {
    abort("argument", sprintf(
      "Row %d of the codebook, `%s`, has no `%s`.", k, book$name[k],
      if (type == "levels") "levels" else if (is.na(bounds[1L])) "min" else "max"
    ), argument = "...", place = k)
  }
  if (type == "levels") levels else bounds
}

codebook_type <- function(column, k) {
  if (is.null(column) || is.na(column[k]) || !nzchar(trimws(column[k]))) return(NA_character_)
  type <- tolower(trimws(column[k]))
  found <- vapply(.codebook_types, function(words) type %in% words, NA)
  if (!any(found)) {
    abort("argument", sprintf(
      'Row %d of the codebook has the type "%s", which is none of %s.', k, column[k],
      paste(unlist(.codebook_types), collapse = ", ")
    ), argument = "...", place = k)
  }
  names(found)[found]
}

#' Levels as an element of a list, or separated by "|".
#' @noRd
codebook_levels <- function(column, k) {
  levels <- if (is.list(column)) column[[k]] else as.character(column)[k]
  if (is.list(column) && length(levels) != 1L) return(as.character(levels[!is.na(levels)]))
  levels <- as.character(levels)
  if (length(levels) == 0L || is.na(levels) || !nzchar(trimws(levels))) return(NULL)
  trimws(strsplit(levels, "|", fixed = TRUE)[[1L]])
}

codebook_number <- function(column, k) {
  text <- if (is.null(column)) NA else as.character(column[k]) # a factor's level, not its code
  number <- suppressWarnings(as.numeric(text))
  if (is.na(number) && !is.na(text) && nzchar(trimws(text))) {
    abort("argument", sprintf('Row %d of the codebook has the bound "%s".', k, text),
      argument = "...", place = k
    )
  }
  number
}

#' @rdname dpadmm_schema
#' @param x a schema.
#' @param row.names,optional not used.
#' @export
as.data.frame.dpadmm_schema <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_dots(...)
  numeric <- vapply(x, is.numeric, NA)
  end <- function(k) {
    vapply(unclass(x), function(v) if (is.numeric(v)) as.double(v[k]) else NA_real_, 0)
  }
  out <- data.frame(
    name = names(x), type = ifelse(numeric, "numeric", "categorical"), min = end(1L), max = end(2L),
    row.names = NULL
  )
  out$levels <- I(lapply(unname(unclass(x)), function(v) if (is.character(v)) v else character()))
  out
}
