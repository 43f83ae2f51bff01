# The variables of a formula, all rows of them, and checks of their values.

#' The model frame with every row kept: an error, not a dropped row, for missing values, but of
#' variables where they are imputed. Where no row is whole, what is not finite is missing.
#' @noRd
model_frame <- function(terms, data, env, imputed = NULL, none = FALSE) {
  environment(terms) <- if (is.null(env)) globalenv() else env
  frame <- tryCatch(
    stats::model.frame(terms, data, na.action = stats::na.pass, drop.unused.levels = FALSE),
    error = function(e) {
      abort("argument", sprintf("The formula cannot be evaluated: %s.", conditionMessage(e)),
        argument = "formula"
      )
    }
  )
  if (nrow(frame) == 0L) abort("shape", "`data` has no rows.", argument = "data")
  if (is.data.frame(data) && nrow(frame) != nrow(data)) {
    abort("formula", sprintf("`%s` has %d values, not one for each of the %d rows.",
      names(frame)[1L], nrow(frame), nrow(data)), argument = "formula", place = names(frame)[1L])
  }
  if (attr(terms, "response") == 1L && !is.null(dim(frame[[1L]]))) {
    if (ncol(frame[[1L]]) != 1L) {
      abort("labels", sprintf(
        "The response `%s` has %d columns: it must be one, of classes or numbers.",
        names(frame)[1L], ncol(frame[[1L]])
      ), argument = "formula", place = names(frame)[1L])
    }
    frame[[1L]] <- as.vector(frame[[1L]])
  }
  for (name in names(frame)) {
    if (none && is.numeric(frame[[name]])) is.na(frame[[name]]) <- !is.finite(frame[[name]])
    check_variable(frame[[name]], name, none || name %in% imputed)
  }
  frame
}

#' Whether nothing is missing or not finite, found without memory for every row.
#' @noRd
has_all <- function(column) {
  if (is.double(column)) is.finite(largest_size(column)) else !any_missing(column)
}

check_variable <- function(column, name, imputed = FALSE) {
  if (!is.null(dim(column))) {
    abort("argument", sprintf(paste(
      "`%s` has %d columns; terms like poly() and scale() read the data: compute them from",
      "public numbers first, or state knots and Boundary.knots of bs() and ns()."
    ), name, ncol(column)), argument = "formula", place = name)
  }
  if (has_all(column) || (imputed && !is.double(column))) return(invisible())
  row <- function(bad) sub("position ", "", where_first(bad))
  missing <- is.na(column) & (imputed | !is.nan(unclass(column)))
  if (any(missing) && !imputed) {
    abort("missing", sprintf(
      "`%s` has a missing value at row %s.%s", name, row(missing), .missing_advice
    ), argument = name, place = which(missing)[1L])
  }
  if (is.numeric(column) && any(bad <- !is.finite(column) & !missing)) {
    abort("finite", sprintf("`%s` is %s at row %s.", name, format(column[bad][1L]), row(bad)),
      argument = name, place = which(bad)[1L]
    )
  }
}
