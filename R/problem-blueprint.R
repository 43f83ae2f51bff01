# How data become numbers: the columns, their bounds and levels, the classes. A blueprint is
# public; predict() and a plan's fit treat data by it.

#' The blueprint of a matrix of d columns.
#' @noRd
matrix_blueprint <- function(d, columns = NULL, classes = NULL) {
  list(kind = "matrix", columns = columns, classes = classes, d = as.integer(d))
}

#' The blueprint of a formula whose variables are all described.
#' @param described list by variable of list(type = "bounds" or "levels", values).
#' @noRd
frame_blueprint <- function(terms, described, classes, response) {
  blueprint <- list(
    kind = "frame", terms = terms, classes = classes,
    variables = lapply(described, function(v) v[names(v) != "leak"]), response = response
  )
  one_row <- lapply(described, function(v) v$values[1L])
  blueprint$columns <- colnames(encode_frame(blueprint, list2DF(one_row, 1L)))
  if (length(blueprint$columns) == 0L) {
    abort("shape", "`formula` has no predictors and no intercept.", argument = "formula")
  }
  blueprint$d <- length(blueprint$columns)
  blueprint
}

#' The blueprint of a formula and a schema, without data.
#' @noRd
schema_blueprint <- function(formula, schema, loss, options = record_options()) {
  check_class(schema, "dpadmm_schema", "schema", "dpadmm_schema()")
  split <- split_offset(formula)
  formula <- split$formula
  plain <- names(schema)[names(schema) == make.names(names(schema))]
  plain <- setdiff(plain, own_columns(options))
  terms <- formula_terms(formula, as.data.frame(lapply(unclass(schema)[plain], `[`, 1L)))
  if (attr(terms, "response") != 1L) {
    abort("argument", "The formula must have a response.", argument = "formula")
  }
  response <- variable_names(terms)[1L]
  terms <- stats::delete.response(terms)
  names <- variable_names(terms)
  if (length(lost <- setdiff(names, names(schema)))) {
    abort("argument", sprintf(
      "`schema` must state the bounds or levels of every variable of a plan: `%s` is not there.",
      lost[1L]
    ), argument = "schema", place = lost)
  }
  described <- lapply(stats::setNames(nm = names), function(name) described_by(schema[[name]]))
  described <- with_imputation(described, schema)
  classes <- schema_classes(schema[[response]], NULL, loss)
  c(
    frame_blueprint(terms, described, classes, formula[[2L]]),
    record_facts(options, schema, split$offset)
  )
}

#' Terms that keep no environment but the global one: a caller's may hold the data.
#' @noRd
formula_terms <- function(formula, data) {
  terms <- stats::terms(formula, data = data)
  if (length(attr(terms, "offset"))) {
    abort("argument", "`formula` may have offset() added to other terms only.",
      argument = "formula"
    )
  }
  attr(terms, ".Environment") <- globalenv()
  terms
}

#' The variables of terms as they stand in the formula.
#' @noRd
variable_names <- function(terms) {
  vapply(as.list(attr(terms, "variables"))[-1L], function(v) {
    paste(deparse(v, 500L), collapse = " ")
  }, "")
}

described_by <- function(declared) {
  list(type = if (is.character(declared)) "levels" else "bounds", values = declared)
}

#' Bounds to [0, 1], levels to one indicator each; a dgCMatrix when there are levels.
#' @noRd
encode_frame <- function(blueprint, variables) {
  filled <- impute_missing(blueprint, variables)
  variables <- filled$variables
  categorical <- character()
  for (name in names(variables)) {
    how <- blueprint$variables[[name]]
    if (how$type == "bounds") {
      variables[[name]] <- scale_column(variables[[name]], name, how$values)
    } else {
      variables[[name]] <- level_column(variables[[name]], name, how$values)
      categorical <- c(categorical, name)
    }
  }
  full <- lapply(variables[categorical], function(v) stats::contrasts(v, contrasts = FALSE))
  environment(blueprint$terms) <- globalenv()
  # with its terms it is a model frame: log(age) is a column by now, not to be computed again
  attr(variables, "terms") <- blueprint$terms
  if (length(categorical)) {
    x <- Matrix::sparse.model.matrix(blueprint$terms, variables, contrasts.arg = full)
    rownames(x) <- NULL
  } else {
    x <- stats::model.matrix(blueprint$terms, variables)
    x <- matrix(x, nrow(x), dimnames = list(NULL, colnames(x)))
  }
  with_indicators(x, filled$indicators)
}

scale_column <- function(column, name, bounds) {
  if (!is.numeric(column)) {
    abort("argument", sprintf("`%s` must be numeric, not %s.", name, kind_of(column)),
      argument = name
    )
  }
  clamped <- pmin(pmax(column, bounds[1L]), bounds[2L])
  (clamped - bounds[1L]) / (bounds[2L] - bounds[1L])
}

level_column <- function(column, name, levels) {
  column <- as.character(column)
  code <- match(column, levels)
  if (anyNA(code)) {
    k <- which(is.na(code))[1L]
    abort("level", sprintf(
      "`%s` has the level \"%s\" at row %d, which is not one of the declared or training levels.",
      name, column[k], k
    ), argument = name, value = column[k], place = k)
  }
  factor(code, seq_along(levels), levels)
}
