# Rows with missing values that are to be left out. They stay where they are, with the values of
# a complete row and weight 0: the number of records stays public, and what such a row does is
# nothing.

omits <- function(blueprint) identical(blueprint$na_action, "omit")

#' Which rows have a missing value in one of these calls, or in one of these vectors.
#' @param calls to evaluate in data.
#' @noRd
missing_rows <- function(calls, data, env, vectors = NULL) {
  n <- NROW(data)
  missing <- logical(n)
  for (v in c(values_or_null(calls, data, env), vectors)) {
    if (is.atomic(v) && length(v) == n && any_missing(v)) missing[which(is.na(v))] <- TRUE
  }
  missing
}

#' The calls of a frame's blueprint in which a row may not have a missing value.
#' @param terms with or without the response.
#' @param imputed variables that may have missing values.
#' @noRd
needed_calls <- function(blueprint, terms, imputed, response = NULL) {
  calls <- as.list(attr(terms, "predvars"))[-1L] # of a spline its variable
  spared <- variable_names(terms) %in% imputed
  c(calls[!spared], unname(record_calls(blueprint)), if (!is.null(response)) list(response))
}

#' Which rows have a weight, an offset or a sum of offsets that is no finite number.
#' @param given list(case_weights, offset) as the user gives them.
#' @noRd
rows_without_numbers <- function(blueprint, data, env, given) {
  n <- NROW(data)
  value <- function(call) if (is.list(data)) values_or_null(list(call), data, env)[[1L]]
  known <- function(v) is.numeric(v) && length(v) == n # what is not is an error later on
  weights <- Filter(known, list(value(blueprint$weights$call), given$case_weights))
  offsets <- Filter(known, list(value(blueprint$offset$call), given$offset))
  if (length(weights) + length(offsets) == 0L) return(FALSE)
  finite <- lapply(c(weights, list(Reduce(`+`, offsets, double(n)))), is.finite)
  !Reduce(`&`, finite)
}

none_left <- function(dropped) length(dropped) > 0L && all(dropped)

#' Labels to go with weight 0, where no row is whole that they could be taken from.
#' @param declared classes, or NULL.
#' @noRd
labels_left <- function(y, dropped, loss, declared) {
  if (!none_left(dropped) || length(y) != length(dropped)) return(y)
  if (!loss$classification) return(double(length(y)))
  if (is.null(declared) && (is.factor(y) || is.character(y))) { # they say what classes there are
    y[is.na(y)] <- if (is.factor(y)) levels(y)[1L] else sort(y)[1L]
    return(y)
  }
  if (is.null(declared)) declared <- if (is.logical(y)) FALSE else .numeric_classes
  rep(declared[1L], length(y))
}

#' A data frame and vectors whose rows with missing values are those of the first complete one.
#' @param vectors named list, some of them NULL.
#' @return list(data, vectors, dropped, `held` = the data as they were, where some are not now).
#' @noRd
stand_in <- function(blueprint, calls, data, env, vectors = list()) {
  dropped <- missing_rows(calls, data, env, vectors) |
    rows_without_numbers(blueprint, data, env, vectors)
  held <- NULL
  # of no whole row public values take the place, once their columns are described
  if (any(dropped) && !all(dropped)) {
    held <- data
    whole <- which(!dropped)[1L]
    rows <- which(dropped)
    for (name in intersect(unique(unlist(lapply(calls, all.vars))), names(data))) {
      data[[name]][rows] <- data[[name]][whole]
    }
    vectors <- lapply(vectors, stood_in, dropped, whole)
  }
  list(data = data, vectors = vectors, dropped = dropped, held = held)
}

#' The same of a matrix, whose rows become 0.
#' @param as_held whether they may stay what they are in a dense one: it is the caller's to take
#'   them for 0 then, which `left` tells.
#' @noRd
stand_in_matrix <- function(blueprint, x, vectors = list(), as_held = FALSE) {
  if (NCOL(x) == 0L || length(dim(x)) != 2L) { # check_matrix()
    return(list(data = x, vectors = vectors, dropped = NULL))
  }
  dropped <- missing_rows(NULL, x, NULL, vectors) | rows_with_holes(x) |
    rows_without_numbers(blueprint, x, NULL, vectors)
  left <- if (as_held && any(dropped) && is_plain_matrix(x)) dropped
  if (is.null(left) && any(dropped)) x[dropped, ] <- 0
  if (any(dropped) && !all(dropped)) {
    vectors <- lapply(vectors, stood_in, dropped, which(!dropped)[1L])
  }
  list(data = x, vectors = vectors, dropped = dropped, left = left)
}

rows_with_holes <- function(x) {
  if (!is_plain_matrix(x)) return(Matrix::rowSums(is.na(x)) > 0)
  out <- logical(nrow(x))
  # flags of all entries would be half of the matrix
  for (j in seq_len(ncol(x))) if (anyNA(column <- x[, j])) out <- out | is.na(column)
  unname(out)
}

#' Data of a plan, or new data, by its blueprint: as they are, or with rows stood in for.
#' @param vectors that a row may not miss either.
#' @param as_held see stand_in_matrix().
#' @noRd
whole_rows <- function(blueprint, data, vectors = list(), response = blueprint$response,
                       as_held = FALSE) {
  as_is <- list(data = data, vectors = vectors, dropped = NULL)
  if (!omits(blueprint)) return(as_is)
  if (blueprint$kind == "matrix") return(stand_in_matrix(blueprint, data, vectors, as_held))
  if (!is.data.frame(data)) return(as_is) # encode_new() complains
  calls <- needed_calls(blueprint, blueprint$terms, imputed_names(blueprint$variables), response)
  stand_in(blueprint, calls, data, globalenv(), vectors)
}

#' A column with missing values as what its bounds or levels are read from.
#' @noRd
known_part <- function(column, name, declared) {
  if (!is.na(column[1L]) || !all(is.na(column))) {
    read <- is.null(declared) && !is.factor(column)
    return(if (read) column[!is.na(column)] else column)
  }
  if (is.character(declared)) return(declared)
  if (is.numeric(declared)) return(as.double(declared))
  abort("missing", sprintf("`%s` has missing values only.", name), argument = name)
}

stood_in <- function(v, dropped, whole) {
  if (is.atomic(v) && length(v) == length(dropped)) v[dropped] <- v[whole]
  v
}
