# How data become numbers: the columns, their bounds and levels, the classes. A blueprint is
# public; predict() and a plan's fit treat data by it. problem-scaling.R says by which numbers
# columns are scaled.

#' The blueprint of a matrix of p columns.
#' @param inputs their names, or NULL.
#' @param rows what becomes of rows longer than the bound: "error" or "shorten".
#' @noRd
matrix_blueprint <- function(p, inputs = NULL, classes = NULL, intercept = FALSE,
                             rows = "shorten", row_bound = 1) {
  blueprint <- list(
    kind = "matrix", inputs = inputs, p = as.integer(p), classes = classes,
    intercept = intercept, rows = rows, d = as.integer(p) + intercept
  )
  with_row_bound(blueprint, row_bound)
}

#' The blueprint of a formula whose variables are all described.
#' @param described list by variable of list(type = "bounds" or "levels", values).
#' @param response the response as the formula has it.
#' @param rows "scale" or "shorten".
#' @noRd
frame_blueprint <- function(terms, described, classes, response, rows, row_bound = 1) {
  described <- Map(function(v, name) {
    describe_basis(v[names(v) != "leak"], attr(terms, "bases")[[name]], name)
  }, described, names(described))
  blueprint <- list(
    kind = "frame", terms = terms, classes = classes,
    variables = with_scaling(described, centred_variables(terms)), response = response,
    intercept = attr(terms, "intercept") == 1L, rows = rows, factor = 1
  )
  columns <- if (has_entries(blueprint)) entry_columns(blueprint) else design_columns(blueprint)
  if (length(columns$names) == 0L) {
    abort("shape", "`formula` has no predictors and no intercept.", argument = "formula")
  }
  blueprint$columns <- columns$names
  blueprint$assign <- columns$assign
  blueprint$d <- length(columns$names)
  with_row_bound(blueprint, row_bound)
}

#' n rows of what is public of the variables: least values and first levels.
#' @noRd
public_rows <- function(variables, n) {
  list2DF(lapply(variables, function(v) rep(v$values[1L], n)), n)
}

#' The names of a model's coefficients.
#' @noRd
coefficient_names <- function(blueprint) {
  if (blueprint$kind == "frame") return(blueprint$columns)
  inputs <- blueprint$inputs
  if (is.null(inputs)) inputs <- paste0("x", seq_len(blueprint$p))
  c(if (blueprint$intercept) "(Intercept)", inputs)
}

#' The blueprint of a formula and a schema, without data.
#' @noRd
schema_blueprint <- function(formula, schema, loss, rows, options = record_options()) {
  check_class(schema, "dpadmm_schema", "schema", "dpadmm_schema()")
  split <- split_offset(formula)
  formula <- split$formula
  plain <- setdiff(Filter(is_column_name, names(schema)), own_columns(options))
  terms <- formula_terms(formula, list2DF(lapply(unclass(schema)[plain], `[`, 1L), 1L))
  if (attr(terms, "response") != 1L) {
    abort("argument", "The formula must have a response.", argument = "formula")
  }
  response <- variable_names(terms)[1L]
  terms <- stats::delete.response(terms)
  wide <- bases_of_records(terms, environment(formula), names(schema), Inf)
  if (length(wide)) abort_wide(wide)
  names <- schema_names(terms)
  check_spelling(schema, c(response, names))
  if (length(lost <- setdiff(names, names(schema)))) {
    abort("argument", sprintf(
      "`schema` must state the bounds or levels of every variable of a plan: `%s` is not there.",
      lost[1L]
    ), argument = "schema", place = lost)
  }
  described <- lapply(schema[names], described_by)
  names(described) <- variable_names(terms)
  described <- with_imputation(described, schema, names)
  classes <- schema_classes(schema[[response]], NULL, loss)
  blueprint <- frame_blueprint(terms, described, classes, formula[[2L]], rows)
  blueprint$range <- schema_range(schema[[response]], response, loss)
  c(blueprint, record_facts(options, schema, split$offset))
}

#' Whether a name in a schema is a column's, so that `.` stands for it, and not that of a term like
#' `log(age)`. One that is to R an operation of formulas (`IL-6`) cannot be a term's, nor one that
#' is not spelt as R spells calls (`age (years)`, `sex=male`).
#' @noRd
is_column_name <- function(name) {
  call <- tryCatch(str2lang(name), error = function(e) NULL)
  !is.call(call) || call_words(call) != name ||
    as.character(call[[1L]])[1L] %in% c("+", "-", "*", "/", "^", ":", "%in%")
}

#' Terms that keep no environment but the global one: a caller's may hold the data. Variables
#' that the formula takes out again (`. - day`) are not among them.
#' @noRd
formula_terms <- function(formula, data) {
  if (any(names(data) %in% c("", NA))) {
    abort("argument", "A column of `data` has no name.", argument = "data")
  }
  # R is startled by a variable that is taken out and is not in the data
  terms <- suppressWarnings(stats::terms(formula, data = data))
  if (length(attr(terms, "offset"))) {
    abort("argument", "`formula` may have offset() added to other terms only.",
      argument = "formula"
    )
  }
  used <- rowSums(as.matrix(attr(terms, "factors"))) > 0
  response <- attr(terms, "response")
  if (isTRUE(any(used[response]))) {
    abort("argument", sprintf("The response `%s` of the formula is among its predictors.",
      variable_names(terms)[response]), argument = "formula")
  }
  used[response] <- TRUE
  if (!all(used) || length(attr(terms, "term.labels")) == 0L) {
    labels <- attr(terms, "term.labels")
    terms <- stats::terms(stats::reformulate(
      if (length(labels)) labels else "1", if (attr(terms, "response")) formula[[2L]],
      attr(terms, "intercept") == 1L
    ))
  }
  terms <- with_bases(terms, environment(formula))
  attr(terms, ".Environment") <- globalenv()
  terms
}

#' The variables of terms as they stand in the formula.
#' @noRd
variable_names <- function(terms) {
  vapply(as.list(attr(terms, "variables"))[-1L], call_words, "")
}

described_by <- function(declared) {
  list(type = if (is.character(declared)) "levels" else "bounds", values = declared)
}

#' Scaled numbers, one indicator for each level; a dgCMatrix where there are levels and no splines.
#' @noRd
encode_frame <- function(blueprint, variables) {
  n <- nrow(variables)
  x <- if (!has_entries(blueprint)) {
    design_matrix(blueprint, variables)
  } else if (has_levels(blueprint)) {
    bind_entries(row_entries(blueprint, variables), n, blueprint$d)
  } else {
    dense_entries(row_entries(blueprint, variables), n)
  }
  colnames(x) <- blueprint$columns
  if (blueprint$factor == 1) x else x * blueprint$factor
}

#' Variables as the terms take them, indicators of what is missing, and the codes of whole numbers.
#' @noRd
scaled_variables <- function(blueprint, variables) {
  filled <- impute_missing(blueprint, variables)
  for (name in names(variables)) {
    how <- blueprint$variables[[name]]
    column <- filled$variables[[name]]
    if (are_whole(column, how)) filled$codes[[name]] <- whole_codes(column, how)
    filled$variables[[name]] <- switch(how$type,
      bounds = scale_column(column, name, how), basis = basis_columns(column, name, how),
      levels = level_column(column, name, how$values)
    )
  }
  filled
}

#' Rows with splines.
#' @noRd
design_matrix <- function(blueprint, variables) {
  scaled <- scaled_variables(blueprint, variables)
  variables <- scaled$variables
  categorical <- Filter(is.factor, variables)
  full <- lapply(categorical, stats::contrasts, contrasts = FALSE)
  environment(blueprint$terms) <- globalenv()
  # with its terms it is a model frame: log(age) is a column by now, not to be computed again
  attr(variables, "terms") <- blueprint$terms
  x <- stats::model.matrix(blueprint$terms, variables, contrasts.arg = if (length(full)) full)
  x <- structure(x, dimnames = list(NULL, colnames(x)), contrasts = NULL)
  with_indicators(x, scaled$indicators)
}

#' Its columns' names, and the term of each.
#' @noRd
design_columns <- function(blueprint) {
  x <- design_matrix(blueprint, public_rows(blueprint$variables, 2L))
  list(names = colnames(x), assign = attr(x, "assign"))
}

#' Whether each variable is what the blueprint says; else an error.
#' @noRd
check_variables <- function(blueprint, variables) {
  for (name in names(variables)) {
    how <- blueprint$variables[[name]]
    imputed <- !is.null(how$impute)
    if (how$type == "levels" && all_levels(variables[[name]], how$values, imputed)) next
    column <- if (imputed) typed_column(variables[[name]], how) else variables[[name]]
    if (how$type == "levels") {
      level_codes(column, name, how$values, imputed)
    } else {
      check_numeric(column, name)
    }
  }
}

#' Whether a factor, or a logical, is of such levels alone, found without memory for every row.
#' @noRd
all_levels <- function(column, levels, imputed) {
  own <- if (is.factor(column)) levels(column) else if (is.logical(column)) c("FALSE", "TRUE")
  !is.null(own) && all(own %in% levels) && (imputed || !any_missing(column))
}

check_numeric <- function(column, name) {
  if (!is.numeric(column)) {
    abort("argument", sprintf("`%s` must be numeric, not %s.", name, kind_of(column)),
      argument = name
    )
  }
}

#' A number as its scaling says; outside of its bounds it is set to the nearer one.
#' @param how list(values, centre, half).
#' @noRd
scale_column <- function(column, name, how) {
  check_numeric(column, name)
  (pmin(pmax(column, how$values[1L]), how$values[2L]) - how$centre) / how$half
}

level_column <- function(column, name, levels) {
  structure(level_codes(column, name, levels), levels = levels, class = "factor")
}

#' @param imputed whether values may be missing.
#' @noRd
level_codes <- function(column, name, levels, imputed = FALSE) {
  code <- if (is.factor(column)) {
    match(levels(column), levels)[column]
  } else {
    match(as.character(column), levels)
  }
  if (anyNA(code) && any(bad <- is.na(code) & !(imputed & is.na(column)))) {
    column <- as.character(column)
    k <- which(bad)[1L]
    abort("level", sprintf(
      "`%s` has the level \"%s\" at row %d, which is not one of the declared or training levels.",
      name, column[k], k
    ), argument = name, value = column[k], place = k)
  }
  code
}

#' The formula of a frame's blueprint, in the global environment.
#' @noRd
blueprint_formula <- function(blueprint) {
  if (blueprint$kind != "frame") {
    abort("unavailable", "Columns that came as a matrix have no formula.", argument = "x")
  }
  parts <- list(quote(`~`), blueprint$response, stats::formula(blueprint$terms)[[2L]])
  stats::as.formula(as.call(Filter(Negate(is.null), parts)), globalenv())
}
