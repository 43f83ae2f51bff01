# Rows with missing values that are to be left out. They stay where they are, with the values of
# a complete row and weight 0: the number of records stays public, and what such a row does is
# nothing.

omits <- function(blueprint) identical(blueprint$na_action, "omit")

#' Which rows have a missing value in one of these calls, or in one of these vectors.
#' @param calls to evaluate in data; those that fail are left to who needs them.
#' @noRd
missing_rows <- function(calls, data, env, vectors = NULL) {
  n <- NROW(data)
  values <- lapply(calls, function(call) tryCatch(eval(call, data, env), error = function(e) NULL))
  missing <- logical(n)
  for (v in c(values, vectors)) {
    if (is.atomic(v) && length(v) == n) missing <- missing | as.vector(is.na(v))
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

#' A data frame and vectors whose rows with missing values are those of the first complete one.
#' @param vectors named list, some of them NULL.
#' @return list(data, vectors, dropped).
#' @noRd
stand_in <- function(calls, data, env, vectors = list()) {
  dropped <- missing_rows(calls, data, env, vectors)
  if (any(dropped)) {
    whole <- first_whole(dropped)
    for (name in intersect(unique(unlist(lapply(calls, all.vars))), names(data))) {
      data[[name]][dropped] <- data[[name]][whole]
    }
    vectors <- lapply(vectors, stood_in, dropped, whole)
  }
  list(data = data, vectors = vectors, dropped = dropped)
}

#' The same of a matrix.
#' @noRd
stand_in_matrix <- function(x, vectors = list()) {
  holes <- if (NCOL(x) > 0L && length(dim(x)) == 2L) is.na(x)
  if (is.null(holes)) return(list(data = x, vectors = vectors, dropped = NULL)) # check_matrix()
  dropped <- missing_rows(NULL, x, NULL, vectors) | Matrix::rowSums(holes) > 0
  if (any(dropped)) {
    x[dropped, ] <- 0
    vectors <- lapply(vectors, stood_in, dropped, first_whole(dropped))
  }
  list(data = x, vectors = vectors, dropped = dropped)
}

#' Data of a plan, or new data, by its blueprint: as they are, or with rows stood in for.
#' @param vectors that a row may not miss either.
#' @noRd
whole_rows <- function(blueprint, data, vectors = list(), response = blueprint$response) {
  as_is <- list(data = data, vectors = vectors, dropped = NULL)
  if (!omits(blueprint)) return(as_is)
  if (blueprint$kind == "matrix") return(stand_in_matrix(data, vectors))
  if (!is.data.frame(data)) return(as_is) # encode_new() complains
  calls <- needed_calls(blueprint, blueprint$terms, imputed_names(blueprint$variables), response)
  stand_in(calls, data, globalenv(), vectors)
}

#' What is there of a column, from which its bounds or levels are read.
#' @noRd
known_part <- function(column, name, declared) {
  if (!all(is.na(column))) return(column[!is.na(column)])
  if (is.character(declared)) return(declared)
  if (is.numeric(declared)) return(as.double(declared))
  abort("missing", sprintf("`%s` has missing values only.", name), argument = name)
}

stood_in <- function(v, dropped, whole) {
  if (is.atomic(v) && length(v) == length(dropped)) v[dropped] <- v[whole]
  v
}

first_whole <- function(dropped) {
  if (all(dropped)) {
    abort("missing", "Every row has a missing value: none would be left.", argument = "na.action")
  }
  which(!dropped)[1L]
}
