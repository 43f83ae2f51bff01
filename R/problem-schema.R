#' Public facts about the columns of a data frame
#'
#' Bounds of numeric columns and levels of categorical ones are part of the model;
#' read from the records, they leak. State them here instead. Numeric columns are
#' moved from their bounds to \[-1, 1\] (values outside are set to the nearer bound),
#' categorical ones become one indicator column per level; [coef()][coef.dpadmm_fit] gives
#' coefficients of the columns as they are.
#'
#' @param ... one argument per variable of the formula, by its name as it stands
#'   there (`log(age)` included; of a spline with public knots that of its variable): two
#'   increasing numbers for a numeric one, all
#'   levels as a character vector for a categorical one. A response with two
#'   classes has two levels, or is two numbers (`c(0, 1)`); the second is the positive class.
#'   The response of a regression loss has bounds, in its own units.
#' @return An object of class `dpadmm_schema`.
#' @examples
#' dpadmm_schema(age = c(17, 90), sex = c("Female", "Male"), income = c("<=50K", ">50K"))
#' @export
dpadmm_schema <- function(...) {
  columns <- list(...)
  if (length(columns) == 0L || is.null(names(columns)) || any(names(columns) == "")) {
    abort("argument", "Every column of a schema must be named.", argument = "...")
  }
  for (name in names(columns)) {
    column <- columns[[name]]
    if (is.factor(column)) columns[[name]] <- column <- levels(column)
    if (is.character(column)) {
      if (anyNA(column) || anyDuplicated(column) || length(column) < 2L) {
        abort("argument", sprintf("The levels of `%s` must be two or more different strings.",
          name),
          argument = name
        )
      }
    } else {
      check_bounds(column, name)
    }
  }
  structure(columns, class = "dpadmm_schema")
}

#' @export
print.dpadmm_schema <- function(x, ...) {
  cat("<dpadmm_schema>\n")
  for (name in names(x)) {
    cat(sprintf("  %s: %s\n", name, if (is.character(x[[name]])) {
      paste(x[[name]], collapse = ", ")
    } else {
      sprintf("%g to %g", x[[name]][1L], x[[name]][2L])
    }))
  }
  invisible(x)
}
