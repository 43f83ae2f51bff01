# Terms of a formula that read more rows than their own: I(age > mean(age)). Their values move
# with every record, which no sensitivity covers. They are found by computing the terms of a
# part of the rows and comparing with the whole.

#' Terms that are not computed row by row, in words, for the leaks; or an error.
#' @param terms of a formula whose variables are in `frame`, computed from `data` and `env`.
#' @noRd
wide_terms <- function(terms, data, frame, env, row_wise = TRUE) {
  calls <- computed_variables(terms)
  wide <- names(calls)[!are_row_wise(calls, data, frame[names(calls)], env)]
  refuse_or_tell(unique(c(wide, bases_of_records(terms, env, names(data), nrow(data)))), row_wise)
}

refuse_or_tell <- function(wide, row_wise) {
  if (length(wide) == 0L) return(NULL)
  if (row_wise) abort_wide(wide, " instead, or accept the leak with row_wise = FALSE")
  sprintf("all rows, by the term `%s`", wide)
}

#' Those of some calls, by their names, that are not computed row by row.
#' @noRd
wide_calls <- function(calls, data, env) {
  values <- values_or_null(calls, data, env)
  found <- lengths(values) == NROW(data) # what is not is an error later on
  names(calls)[found][!are_row_wise(calls[found], data, values[found], env)]
}

#' The values of calls; `NULL` where one fails, which is left to who needs it.
#' @noRd
values_or_null <- function(calls, data, env) {
  lapply(calls, function(call) tryCatch(eval(call, data, env), error = function(e) NULL))
}

#' The variables of terms that are calls, by their names in the model frame: columns of the data
#' as they are need no check.
#' @noRd
computed_variables <- function(terms) {
  calls <- as.list(attr(terms, "predvars"))[-1L]
  names(calls) <- variable_names(terms)
  Filter(is.call, calls)
}

#' Whether each call has the same values for parts of the rows as for all of them: for every
#' other row, for the rest, and for a few rows one by one, where means, ranks and largest values
#' have the least to read.
#' @param values of the calls for all rows, in the same order.
#' @noRd
are_row_wise <- function(calls, data, values, env) {
  n <- NROW(data)
  if (length(calls) == 0L || n < 2L) return(rep(TRUE, length(calls)))
  columns <- as.list(data)[intersect(unlist(lapply(calls, all.vars)), names(data))]
  parts <- c(list(seq.int(1L, n, 2L), seq.int(2L, n, 2L)), as.list(single_rows(values)))
  if (is.null(env)) env <- globalenv()
  vapply(seq_along(calls), function(k) {
    own <- columns[intersect(all.vars(calls[[k]]), names(columns))]
    all(vapply(parts, function(rows) {
      same_values(part_value(calls[[k]], own, rows, env), take_rows(values[[k]], rows))
    }, NA))
  }, NA)
}

#' First and last, and of each variable a row where it is least and one where it is largest (at
#' most 50 variables).
#' @noRd
single_rows <- function(values) {
  n <- NROW(values[[1L]])
  ends <- lapply(utils::head(values, 50L), function(v) {
    if (is.numeric(v) || is.logical(v)) return(c(which.min(v), which.max(v)))
    which(plain(v) != plain(v)[1L])[1L]
  })
  rows <- unique(c(1L, n, unlist(ends, use.names = FALSE)))
  rows[!is.na(rows)]
}

part_value <- function(call, columns, rows, env) {
  # a call that fails for a part alone reads more than a row
  tryCatch(eval(call, lapply(columns, take_rows, rows), env), error = function(e) NULL)
}

#' The same values to the last bit. ifelse() has the type of what it meets in the part.
#' @noRd
same_values <- function(part, whole) {
  part <- plain(part)
  whole <- plain(whole)
  identical(if (is.character(whole)) as.character(part) else part, whole)
}

take_rows <- function(x, rows) if (is.null(dim(x))) x[rows] else x[rows, , drop = FALSE]

#' The terms and the response of a plan, on the data of its fit.
#' @noRd
check_planned_terms <- function(blueprint, data) {
  if (!is.data.frame(data)) return(invisible()) # encode_new() complains
  env <- globalenv()
  calls <- computed_variables(blueprint$terms)
  if (is.call(blueprint$response)) {
    calls <- c(calls, stats::setNames(list(blueprint$response), response_name(blueprint)))
  }
  if (length(lost_columns(calls, names(data)))) return(invisible())
  wide <- wide_calls(calls, data, env)
  if (length(wide)) abort_wide(wide)
  wide_numbers(blueprint, data, env)
}

#' Values without names, classes and levels, which parts may have fewer of.
#' @noRd
plain <- function(x) {
  if (is.factor(x)) return(as.character(x))
  if (is.numeric(x) || is.logical(x)) return(as.double(unclass(x)))
  attributes(x) <- NULL
  x
}
