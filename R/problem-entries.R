# What each term of a formula puts into the rows of a model: a number, a level's indicator (every
# level has one), or a number at a level. That is one number a row at most, so it is said by the
# places of the features and the values, without a matrix.

#' Whether rows are made of entries: where there are no splines, which put several numbers into a
#' row.
#' @noRd
has_entries <- function(blueprint) !any(variable_types(blueprint) == "basis")

#' Whether there are factors, so that rows are sparse.
#' @noRd
has_levels <- function(blueprint) any(variable_types(blueprint) == "levels")

variable_types <- function(blueprint) vapply(blueprint$variables, `[[`, "", "type")

#' Entries of rows: for each term list(first, features, place, value), of which `first` is its first
#' feature and `features` how many it has, both public; `place` says for each row which of them,
#' from 0 (`NULL`: there is one), and `value` the number (`NULL`: 1). A whole number has a `code`,
#' too: its place, from 0, among all that are within the bounds, which whole_values() gives.
#' @noRd
row_entries <- function(blueprint, variables) {
  scaled <- scaled_variables(blueprint, as.list(variables)) # data frames are slow, column by column
  entry_of <- function(v) {
    name <- names(blueprint$variables)[v]
    entry <- term_entry(scaled$variables[name])
    if (length(v) != 1L || is.null(scaled$codes[[name]])) return(entry)
    c(entry, list(code = scaled$codes[[name]], how = blueprint$variables[[name]]))
  }
  entries <- c(
    lapply(term_variables(blueprint$terms), entry_of),
    lapply(unname(scaled$indicators), function(x) list(features = 1L, value = x))
  )
  first <- 0L
  for (k in seq_along(entries)) {
    entries[[k]]$first <- first
    first <- first + entries[[k]]$features
  }
  entries
}

#' Whether a column is of whole numbers of which there are, by their bounds, so few that two bytes
#' tell them apart.
#' @noRd
are_whole <- function(column, how) {
  is.integer(column) && how$type == "bounds" && all(how$values == round(how$values)) &&
    diff(how$values) < .narrow
}

whole_codes <- function(column, how) {
  pmin(pmax(column, how$values[1L]), how$values[2L]) - how$values[1L]
}

whole_values <- function(how) scale_column(seq(how$values[1L], how$values[2L]), "", how)

#' The product of variables; of none, 1. The levels of the first one change fastest, as in
#' model.matrix().
#' @noRd
term_entry <- function(variables) {
  entry <- list(features = 1L)
  for (x in variables) {
    if (is.factor(x)) {
      place <- as.integer(x) - 1L
      entry$place <- if (is.null(entry$place)) place else entry$place + entry$features * place
      entry$features <- entry$features * nlevels(x)
    } else {
      entry$value <- if (is.null(entry$value)) x else entry$value * x
    }
  }
  entry
}

#' Entries of n rows as a dgCMatrix, without zeros.
#' @noRd
bind_entries <- function(entries, n, d) {
  row <- lapply(entries, function(entry) {
    if (is.null(entry$value)) seq_len(n) else which(entry$value != 0)
  })
  value <- Map(function(entry, row) {
    if (is.null(entry$value)) rep(1, length(row)) else entry$value[row]
  }, entries, row)
  column <- Map(function(entry, row) {
    entry$first + if (is.null(entry$place)) rep(1L, length(row)) else entry$place[row] + 1L
  }, entries, row)
  Matrix::sparseMatrix(i = unlist(row), j = unlist(column), x = unlist(value),
    dims = c(n, d))
}

#' Entries of n rows as a matrix, where there are no levels.
#' @noRd
dense_entries <- function(entries, n) {
  matrix(unlist(lapply(entries, function(entry) {
    if (is.null(entry$value)) rep(1, n) else entry$value
  })), n, length(entries))
}

#' The columns' names, as model.matrix() gives them, and the term of each, from 0 for the intercept.
#' @noRd
entry_columns <- function(blueprint) {
  names <- Map(function(how, name) paste0(name, if (how$type == "levels") how$values),
    blueprint$variables, rownames(attr(blueprint$terms, "factors")))
  of_terms <- lapply(term_variables(blueprint$terms), function(v) {
    if (length(v) == 0L) return("(Intercept)")
    Reduce(function(before, own) as.vector(outer(before, own, paste, sep = ":")), names[v])
  })
  columns <- c(of_terms, missing_names(blueprint$variables))
  list(names = unlist(columns),
    assign = rep(seq_along(columns) - as.integer(blueprint$intercept), lengths(columns)))
}
