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
#'   Or a codebook: a data frame with a row for each column, see below. For `c()` schemas.
#'   A column of `case_weights` has the bounds 0 and the largest weight.
#' @param impute `NULL`, or a named list (or vector) of what to put in the place of missing
#'   values, by column: a number within the bounds, and a column `<name>_missing` then says where;
#'   or one of the levels. See [missing-values].
#' @return An object of class `dpadmm_schema`, with methods `print()`, `format()`, `c()` (a column
#'   in two of them is an error), `[` and `as.data.frame()`, which gives a codebook.
#'
#' A schema may describe more columns than a formula has. A name that no column has and that is a
#' slip away from a variable which the schema lacks is an error; other names that neither the
#' formula nor the data have are a warning of class `dpadmm_warning_schema` in a fit. (A plan has
#' no data to compare them with.)
#'
#' @section Codebooks:
#' A codebook has the columns `name` (or `variable`), `type`, `min`, `max` and `levels`, their names
#' in any case; what else it has is ignored. Types are `numeric`, `integer`, `double`,
#' `continuous`, `count` and the like, which need `min` and `max`; `categorical`, `factor`,
#' `character`, `string`, `nominal`, `ordinal` and the like, which need `levels`; and `logical` or
#' `boolean`. Without a type a row with levels is categorical. Levels are separated by `|`, or
#' `levels` is a list of character vectors.
#' @examples
#' dpadmm_schema(age = c(17, 90), sex = c("Female", "Male"), income = c("<=50K", ">50K"))
#' codebook <- data.frame(
#'   name = c("age", "sex"), type = c("integer", "factor"), min = c(17, NA), max = c(90, NA),
#'   levels = c(NA, "Female|Male")
#' )
#' people <- dpadmm_schema(codebook)
#' c(people, dpadmm_schema(income = c("<=50K", ">50K")))
#' as.data.frame(people["sex"])
#' @export
dpadmm_schema <- function(..., impute = NULL) {
  columns <- list(...)
  if (length(columns) == 1L && is.data.frame(columns[[1L]])) return(codebook_schema(columns[[1L]]))
  if (length(columns) == 0L || is.null(names(columns)) || any(names(columns) == "")) {
    abort("argument", "Every column of a schema must be named.", argument = "...")
  }
  if (anyDuplicated(names(columns))) {
    twice <- names(columns)[duplicated(names(columns))][1L]
    abort("argument", sprintf("Two columns of the schema are named `%s`.", twice), argument = twice)
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
      columns[[name]] <- check_bounds(column, name)
    }
  }
  structure(columns, impute = check_impute(impute, columns), class = "dpadmm_schema")
}
