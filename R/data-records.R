# From what the user gives (a matrix, a data frame) to records: a numeric matrix x, labels y,
# and the blueprint by which predict() treats new data the same way. `leaks` collects, in
# words, what was read from the data to do so.

#' Records from a matrix and labels.
#' @param range bounds of the response of a regression loss, or NULL.
#' @param options of record_options().
#' @param as_held whether rows may be made of `x` where they are needed; else they are a matrix.
#' @noRd
records_matrix <- function(x, y, loss, classes = NULL, range = NULL, intercept = FALSE,
                           rows = "shorten", row_bound = 1, options = record_options(),
                           threads = 1L, as_held = FALSE) {
  facts <- record_facts(options)
  given <- list(y = y, case_weights = options$case_weights, offset = options$offset)
  dropped <- left <- NULL
  if (omits(facts)) {
    whole <- stand_in_matrix(facts, x, given, as_held)
    x <- whole$data
    given <- whole$vectors
    dropped <- whole$dropped
    left <- whole$left
  }
  x <- check_matrix(x, "x", left, threads, as_held)
  label <- encode_labels(labels_left(given$y, dropped, loss, classes), loss, nrow(x), classes)
  blueprint <- matrix_blueprint(ncol(x), colnames(x), label$classes, intercept, rows, row_bound)
  blueprint <- c(with_range(blueprint, range), facts)
  x <- bounded_rows(x, rows, row_bound, "x", left, threads)
  records <- list(
    x = matrix_rows(blueprint, x, left), y = scale_response(label$y, blueprint$range),
    leaks = label$leaks, blueprint = blueprint
  )
  with_numbers(records, given, NULL, NULL, loss, dropped)
}

#' Records from a model frame's worth of data.
#' @param row_wise whether a term that reads other rows than its own is an error, else a leak.
#' @param options of record_options().
#' @noRd
records_frame <- function(formula, data, y, schema, loss, classes = NULL, range = NULL,
                          rows = "scale", row_bound = 1, row_wise = TRUE,
                          options = record_options()) {
  if (!is.null(schema)) check_class(schema, "dpadmm_schema", "schema", "dpadmm_schema()")
  data <- plain_columns(data)
  split <- split_offset(formula)
  formula <- split$formula
  env <- environment(formula)
  facts <- record_facts(options, schema, split$offset)
  terms <- formula_terms(formula, data[!names(data) %in% own_columns(options)])
  given <- list(y = y, case_weights = options$case_weights, offset = options$offset)
  predictors <- variable_names(stats::delete.response(terms))
  imputed <- predictors[
    schema_names(stats::delete.response(terms)) %in% names(attr(schema, "impute"))
  ]
  whole <- if (!omits(facts)) list(data = data, vectors = given) else {
    stand_in(facts, needed_calls(facts, terms, imputed), data, env, given)
  }
  data <- whole$data
  given <- whole$vectors
  dropped <- whole$dropped
  response <- attr(terms, "response") == 1L
  frame <- model_frame(terms, data, env, imputed, none_left(dropped))
  name <- if (response) names(frame)[1L] else "y"
  check_spelling(schema, c(name, variable_names(terms)), names(data))
  wide <- c(wide_terms(terms, data, frame, env, row_wise),
    wide_numbers(facts, data, env, row_wise))
  y <- if (response) frame[[1L]] else given$y
  declared <- declared_classes(classes, schema_classes(schema[[name]], y, loss))
  label <- encode_labels(labels_left(y, dropped, loss, declared), loss, nrow(frame), declared, name)
  terms <- stats::delete.response(terms)
  variables <- frame[variable_names(terms)]
  in_schema <- schema_names(terms)
  described <- with_imputation(Map(function(column, name) {
    describe(column, name, schema[[name]])
  }, variables, in_schema), schema, in_schema)
  stated <- declared_range(range, schema_range(schema[[name]], name, loss))
  range <- describe_response(label$y, name, stated, loss)
  leaks <- c(
    unlist(lapply(described, `[[`, "leak"), use.names = FALSE), label$leaks, range$leak, wide
  )
  blueprint <- frame_blueprint(terms, described, label$classes, if (response) formula[[2L]], rows,
    row_bound
  )
  blueprint <- c(with_range(blueprint, range$values), facts)
  if (none_left(dropped)) variables <- public_rows(blueprint$variables, nrow(frame))
  records <- list(
    x = stood_rows(frame_rows(blueprint, variables), whole),
    y = scale_response(label$y, blueprint$range),
    leaks = leaks, blueprint = blueprint
  )
  with_numbers(records, given, data, env, loss, dropped)
}

#' Records of a plan: as its blueprint says.
#' @param given list(case_weights, offset) where the plan does not say how to compute them.
#' @noRd
records_planned <- function(blueprint, data, y, loss, given = NULL, threads = 1L) {
  if (is.data.frame(data)) data <- plain_columns(data)
  whole <- whole_rows(blueprint, data, c(list(y = y), given), as_held = TRUE)
  data <- whole$data
  y <- whole$vectors$y
  if (blueprint$kind == "frame") check_planned_terms(blueprint, data)
  x <- stood_rows(planned_rows(blueprint, data, whole, threads), whole)
  name <- "y"
  if (is.null(y)) {
    if (is.null(blueprint$response)) {
      abort("argument", "`y` is missing: one label a record.", argument = "y")
    }
    name <- response_name(blueprint)
    y <- response_of(blueprint, data, "data")
  }
  y <- labels_left(y, whole$dropped, loss, blueprint$classes)
  label <- encode_labels(y, loss, nrow(x), blueprint$classes, name)
  blueprint$classes <- label$classes
  records <- list(
    x = x, y = scale_response(label$y, blueprint$range), leaks = label$leaks,
    blueprint = blueprint
  )
  with_numbers(records, whole$vectors, data, globalenv(), loss, whole$dropped)
}

response_name <- function(blueprint) call_words(blueprint$response)

#' The response of a formula, evaluated in data.
#' @noRd
response_of <- function(blueprint, data, argument) {
  if (length(lost <- lost_columns(list(blueprint$response), names(data)))) {
    abort("argument", sprintf(
      "`y` is missing, and `%s` has no column `%s` of labels.", argument, lost[1L]
    ), argument = "y", place = lost)
  }
  if (is.data.frame(data)) data <- plain_columns(data)
  tryCatch(eval(blueprint$response, data, globalenv()), error = function(e) {
    abort("argument", sprintf(
      "`%s` cannot be evaluated: %s.", response_name(blueprint), conditionMessage(e)
    ), argument = argument)
  })
}

#' The rows of a plan's records; those longer than the bound are refused, if the user said so.
#' @param whole of whole_rows(), of these data.
#' @noRd
planned_rows <- function(blueprint, data, whole, threads = 1L) {
  if (blueprint$kind == "frame") {
    none <- none_left(whole$dropped)
    return(frame_rows(blueprint, new_variables(blueprint, data, "data", none)))
  }
  left <- whole$left
  x <- new_matrix(blueprint, data, "data", left, threads, as_held = TRUE)
  x <- bounded_rows(x, blueprint$rows, blueprint$row_bound, "data", left, threads)
  matrix_rows(blueprint, x, left)
}

#' New data as the predictors of a blueprint; long rows are taken as they are.
#' @noRd
encode_new <- function(blueprint, newdata, argument = "newdata", none = FALSE) {
  if (blueprint$kind == "frame") {
    return(encode_frame(blueprint, new_variables(blueprint, newdata, argument, none)))
  }
  x <- new_matrix(blueprint, newdata, argument)
  if (blueprint$rows == "shorten") x <- tame_rows(x, blueprint$row_bound)
  encode_matrix(blueprint, x)
}

#' The variables of a frame's blueprint in new data.
#' @noRd
new_variables <- function(blueprint, newdata, argument, none = FALSE) {
  if (!is.data.frame(newdata)) {
    abort("argument", sprintf("`%s` must be a data frame, not %s.", argument, kind_of(newdata)),
      argument = argument
    )
  }
  newdata <- plain_columns(newdata)
  abort_lost(lost_columns(as.list(attr(blueprint$terms, "predvars"))[-1L], names(newdata)),
    argument)
  if (none) return(public_rows(blueprint$variables, nrow(newdata)))
  frame <- model_frame(blueprint$terms, newdata, globalenv(), imputed_names(blueprint$variables))
  frame[variable_names(blueprint$terms)]
}

#' Variables of calls that are no columns, but for the numbers (or other single values) that a call
#' takes from elsewhere, as `pi` or `I(age / unit)` does: they are taken to be public.
#' @noRd
lost_columns <- function(calls, columns) {
  lost <- setdiff(unlist(lapply(calls, all.vars)), columns)
  alone <- vapply(Filter(is.name, calls), as.character, "")
  Filter(function(name) name %in% alone || !is_public_value(name), lost)
}

is_public_value <- function(name) {
  value <- get0(name, globalenv())
  is.atomic(value) && length(value) == 1L
}

abort_lost <- function(lost, argument) {
  if (length(lost) == 0L) return(invisible())
  abort("shape", sprintf("`%s` has no column `%s`.", argument, lost[1L]),
    argument = argument, place = lost
  )
}

#' A predictor's type and its bounds or levels: declared, or read with a leak noted.
#' @noRd
describe <- function(column, name, declared) {
  found <- function(type, values, leak = NULL) list(type = type, values = values, leak = leak)
  if (any_missing(column)) column <- known_part(column, name, declared)
  if (is.logical(column)) return(found("levels", c("FALSE", "TRUE")))
  if (is.numeric(column)) {
    if (is.character(declared)) {
      abort("argument", sprintf("`schema` gives levels for `%s`, which is numeric.", name),
        argument = "schema"
      )
    }
    if (!is.null(declared)) return(found("bounds", declared))
    values <- as.double(range(column))
    if (!increases(values)) values[2L] <- values[1L] + 1
    return(found("bounds", values, sprintf("the range of `%s`", name)))
  }
  if (!is.factor(column) && !is.character(column)) {
    abort("argument", sprintf(
      "`%s` must be numeric, logical or categorical, not %s.", name, kind_of(column)
    ), argument = name)
  }
  if (is.numeric(declared)) {
    abort("argument", sprintf("`schema` gives bounds for `%s`, which is categorical.", name),
      argument = "schema"
    )
  }
  if (!is.null(declared)) return(found("levels", declared))
  values <- if (is.factor(column)) levels(column) else sort(unique(column), method = "radix")
  if (length(values) < 2L) {
    abort("level", sprintf(
      "`%s` has one level only: leave it out, or state by `schema` which others there are.", name
    ), argument = name, value = values)
  }
  found("levels", values, sprintf("the levels of `%s`", name))
}
