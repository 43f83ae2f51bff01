# From what the user gives (a matrix, a data frame) to records: a numeric matrix x, labels y,
# and the blueprint by which predict() treats new data the same way. `leaks` collects, in
# words, what was read from the data to do so.

#' Records from a matrix and labels.
#' @param range bounds of the response of a regression loss, or NULL.
#' @param options of record_options().
#' @noRd
records_matrix <- function(x, y, loss, classes = NULL, range = NULL, intercept = FALSE,
                           rows = "shorten", row_bound = 1, options = record_options(),
                           threads = 1L) {
  facts <- record_facts(options)
  given <- list(y = y, case_weights = options$case_weights, offset = options$offset)
  dropped <- NULL
  if (omits(facts)) {
    whole <- stand_in_matrix(facts, x, given)
    x <- whole$data
    given <- whole$vectors
    dropped <- whole$dropped
  }
  x <- check_matrix(x, "x", threads)
  label <- encode_labels(labels_left(given$y, dropped, loss, classes), loss, nrow(x), classes)
  blueprint <- matrix_blueprint(ncol(x), colnames(x), label$classes, intercept, rows, row_bound)
  blueprint <- c(with_range(blueprint, range), facts)
  if (rows == "error") {
    check_row_lengths(x, row_bound, "x", threads)
  } else {
    x <- tame_rows(x, row_bound, threads)
  }
  records <- list(
    x = matrix_rows(blueprint, x), y = scale_response(label$y, blueprint$range),
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
  whole <- whole_rows(blueprint, data, c(list(y = y), given))
  data <- whole$data
  y <- whole$vectors$y
  if (blueprint$kind == "frame") check_planned_terms(blueprint, data)
  x <- stood_rows(planned_rows(blueprint, data, none_left(whole$dropped), threads), whole)
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
  if (length(lost <- setdiff(all.vars(blueprint$response), names(data)))) {
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
#' @param none whether no row is whole.
#' @noRd
planned_rows <- function(blueprint, data, none = FALSE, threads = 1L) {
  if (blueprint$kind == "frame") {
    return(frame_rows(blueprint, new_variables(blueprint, data, "data", none)))
  }
  x <- new_matrix(blueprint, data, "data", threads)
  if (blueprint$rows == "error") check_row_lengths(x, blueprint$row_bound, "data", threads)
  matrix_rows(blueprint, x)
}

#' New data as the predictors of a blueprint; long rows are taken as they are.
#' @noRd
encode_new <- function(blueprint, newdata, argument = "newdata", none = FALSE) {
  if (blueprint$kind == "frame") {
    return(encode_frame(blueprint, new_variables(blueprint, newdata, argument, none)))
  }
  encode_matrix(blueprint, new_matrix(blueprint, newdata, argument))
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
  abort_lost(setdiff(all.vars(attr(blueprint$terms, "predvars")), names(newdata)), argument)
  if (none) return(public_rows(blueprint$variables, nrow(newdata)))
  frame <- model_frame(blueprint$terms, newdata, globalenv(), imputed_names(blueprint$variables))
  frame[variable_names(blueprint$terms)]
}

#' The columns of a matrix fit, by their names where there are any.
#' @noRd
new_matrix <- function(blueprint, newdata, argument, threads = 1L) {
  if (is.data.frame(newdata)) newdata <- plain_columns(newdata)
  inputs <- blueprint$inputs
  if (is.data.frame(newdata) && !is.null(inputs) && !anyDuplicated(inputs)) {
    abort_lost(setdiff(inputs, names(newdata)), argument)
    newdata <- as.matrix(newdata[inputs])
  }
  x <- check_matrix(newdata, argument, threads)
  if (!is.null(inputs) && !is.null(colnames(x)) && !anyDuplicated(inputs)) {
    abort_lost(setdiff(inputs, colnames(x)), argument)
    if (!identical(colnames(x), inputs)) x <- x[, inputs, drop = FALSE] # a copy of all
  }
  if (ncol(x) != blueprint$p) {
    abort("shape", sprintf("`%s` must have %d columns, not %d.", argument, blueprint$p, ncol(x)),
      argument = argument
    )
  }
  if (blueprint$rows == "shorten") tame_rows(x, blueprint$row_bound, threads) else x
}

#' Rows of a matrix as the model has them: with an intercept (x, bound) / sqrt(2), which is no
#' longer than the bound if x is not.
#' @noRd
encode_matrix <- function(blueprint, x) {
  if (!blueprint$intercept) return(x)
  if (blueprint$rows == "shorten") x <- x * shortening(x, blueprint$row_bound)
  x <- cbind(blueprint$row_bound, x) * blueprint$factor
  dimnames(x) <- list(NULL, coefficient_names(blueprint))
  x
}

#' Rows longer than the bound, but for rounding, are an error.
#' @noRd
check_row_lengths <- function(x, bound, argument, threads = 1L) {
  kept <- shortening(x, bound, threads)
  if (!any(long <- kept < 1 - 1e-9)) return(invisible())
  row <- which(long)[1L]
  abort("row_bound", sprintf(paste(
    "Row %d of `%s` has norm %.4g, above `row_bound` = %g%s. Divide the columns by public numbers,",
    "raise `row_bound` of dpadmm_control() (noise grows with it), or accept with rows =",
    '"shorten" that long rows are shortened, for a model to predict with.'
  ), row, argument, bound / kept[row], bound,
  if (sum(long) > 1L) sprintf(", as have %d more", sum(long) - 1L) else ""
  ), argument = argument, place = row)
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

#' By how much each row is shortened to meet the bound.
#' @noRd
shortening <- function(x, bound, threads = 1L) {
  if (methods::is(x, "dgCMatrix")) {
    return(core_call(.Call(ffi_shortening, matrix_slots(x), as.double(bound))))
  }
  core_call(.Call(ffi_row_measure, matrix_slots(x), as.double(bound), as.double(threads)))$scale
}

# A row with larger entries is put in other units before it is shortened.
.far_entry <- 1e100

#' Rows that will be shortened to a bound, without entries so large that a product with a model
#' could leave the range of doubles: whether it does, and an error of it, would tell of a record.
#' Each row is a function of itself alone, points where it did, and is no shorter than the bound
#' if it was longer.
#' @noRd
tame_rows <- function(x, bound, threads = 1L) {
  sparse <- methods::is(x, "dgCMatrix")
  values <- if (sparse) x@x else x
  if (largest_size(values, threads) <= .far_entry) return(x)
  row <- if (sparse) x@i + 1L else as.vector(row(x))
  at <- which(abs(values) > .far_entry)
  largest <- numeric(nrow(x))
  # the largest of a row comes last
  order <- at[order(abs(values[at]))]
  largest[row[order]] <- abs(values[order])
  of_far <- which(largest[row] > max(.far_entry, bound))
  tamed <- values[of_far] / largest[row[of_far]] * bound
  if (sparse) x@x[of_far] <- tamed else x[of_far] <- tamed
  x
}
