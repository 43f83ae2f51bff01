# From what the user gives (a matrix, a data frame, a formula) to records: a numeric
# matrix x, labels y, and the blueprint by which predict() treats new data the same way.
# `leaks` collects, in words, what was read from the data to do so.

#' Records from a matrix and labels.
#' @noRd
records_matrix <- function(x, y, loss) {
  x <- check_predictors(x, "x")
  label <- encode_labels(y, loss, nrow(x), NULL)
  list(
    x = x, y = label$y, leaks = label$leaks,
    blueprint = list(
      kind = "matrix", columns = colnames(x), terms = NULL, variables = NULL, classes = label$classes
    )
  )
}

#' Records from a model frame's worth of data.
#' @noRd
records_frame <- function(formula, data, y, schema, loss) {
  if (!is.null(schema)) check_class(schema, "dpadmm_schema", "schema", "dpadmm_schema()")
  terms <- stats::terms(formula, data = data)
  if (length(attr(terms, "offset"))) {
    abort("argument", "`formula` must not have an offset.", argument = "formula")
  }
  response <- attr(terms, "response") == 1L
  # A caller's environment may hold the data: only the global one is kept.
  attr(terms, ".Environment") <- globalenv()
  frame <- model_frame(terms, data, environment(formula))
  if (!response) {
    label <- encode_labels(y, loss, nrow(frame), schema[["y"]])
  } else {
    name <- names(frame)[1L]
    label <- encode_labels(frame[[1L]], loss, nrow(frame), schema[[name]], name)
  }
  terms <- stats::delete.response(terms)
  variables <- frame_variables(terms, frame)
  described <- lapply(names(variables), function(name) describe(variables[[name]], name, schema[[name]]))
  names(described) <- names(variables)
  leaks <- c(unlist(lapply(described, `[[`, "leak"), use.names = FALSE), label$leaks)
  blueprint <- list(
    kind = "frame", terms = terms, classes = label$classes,
    variables = lapply(described, function(v) v[c("type", "values")]),
    response = if (response) formula[[2L]]
  )
  x <- encode_frame(blueprint, variables)
  if (ncol(x) == 0L) abort("shape", "`formula` has no predictors and no intercept.", argument = "formula")
  blueprint$columns <- colnames(x)
  list(x = x, y = label$y, leaks = leaks, blueprint = blueprint)
}

#' New data as the predictors of a blueprint.
#' @noRd
encode_new <- function(blueprint, newdata, argument = "newdata") {
  if (blueprint$kind == "frame") {
    if (!is.data.frame(newdata)) {
      abort("argument", sprintf("`%s` must be a data frame, not %s.", argument, kind_of(newdata)), argument = argument)
    }
    needed <- all.vars(blueprint$terms)
    if (length(lost <- setdiff(needed, names(newdata)))) {
      abort("shape", sprintf("`%s` has no column `%s`.", argument, lost[1L]), argument = argument, place = lost)
    }
    frame <- model_frame(blueprint$terms, newdata, globalenv())
    return(encode_frame(blueprint, frame_variables(blueprint$terms, frame)))
  }
  x <- check_predictors(newdata, argument)
  if (!is.null(blueprint$columns) && !is.null(colnames(x)) && !anyDuplicated(blueprint$columns)) {
    if (length(lost <- setdiff(blueprint$columns, colnames(x)))) {
      abort("shape", sprintf("`%s` has no column `%s`.", argument, lost[1L]), argument = argument, place = lost)
    }
    x <- x[, blueprint$columns, drop = FALSE]
  } else if (!is.null(blueprint$d) && ncol(x) != blueprint$d) {
    abort("shape", sprintf("`%s` must have %d columns, not %d.", argument, blueprint$d, ncol(x)), argument = argument)
  }
  x
}

#' A numeric matrix or dgCMatrix without missing or infinite entries.
#' @noRd
check_predictors <- function(x, argument) {
  if (methods::is(x, "Matrix")) {
    if (!methods::is(x, "dgCMatrix")) {
      x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    }
    values <- x@x
    cell <- function(k) {
      c(x@i[k] + 1L, findInterval(k - 1L, x@p))
    }
  } else if (is.matrix(x) && (is.numeric(x) || is.logical(x))) {
    if (!is.double(x)) storage.mode(x) <- "double"
    values <- x
    cell <- function(k) c((k - 1L) %% nrow(x) + 1L, (k - 1L) %/% nrow(x) + 1L)
  } else {
    abort("argument", sprintf("`%s` must be a numeric matrix or a dgCMatrix, not %s.", argument, kind_of(x)),
      argument = argument
    )
  }
  if (nrow(x) == 0L || ncol(x) == 0L) {
    abort("shape", sprintf("`%s` must have rows and columns; it is %d x %d.", argument, nrow(x), ncol(x)),
      argument = argument
    )
  }
  # the sum is finite when all is well, and needs no memory
  if (!is.finite(sum(values)) && any(bad <- !is.finite(values))) {
    k <- which(bad)[1L]
    at <- cell(k)
    missing <- is.na(values[k]) && !is.nan(values[k])
    abort(if (missing) "missing" else "finite", sprintf(
      "`%s` %s at row %d, column %d.", argument,
      if (missing) "has a missing value" else paste("is", format(values[k])), at[1L], at[2L]
    ), argument = argument, place = at)
  }
  x
}

#' The model frame with every row kept: an error, not a dropped row, for missing values.
#' @noRd
model_frame <- function(terms, data, env) {
  env <- if (is.null(env)) globalenv() else env
  environment(terms) <- env
  frame <- tryCatch(
    stats::model.frame(terms, data, na.action = stats::na.pass, drop.unused.levels = FALSE),
    error = function(e) {
      abort("argument", sprintf("The formula cannot be evaluated: %s.", conditionMessage(e)), argument = "formula")
    }
  )
  if (nrow(frame) == 0L) abort("shape", "`data` has no rows.", argument = "data")
  for (name in names(frame)) {
    column <- frame[[name]]
    if (!is.null(dim(column))) {
      abort("argument", sprintf(
        "`%s` has %d columns; terms like poly() and scale() read the data: compute them from public numbers first.",
        name, ncol(column)
      ), argument = "formula", place = name)
    }
    if (any(bad <- is.na(column) & !is.nan(unclass(column)))) {
      abort("missing", sprintf("`%s` has a missing value at row %s.", name, sub("position ", "", where_first(bad))),
        argument = name, place = which(bad)[1L]
      )
    }
    if (is.numeric(column) && any(bad <- !is.finite(column))) {
      abort("finite", sprintf("`%s` is %s at row %s.", name, format(column[bad][1L]), sub("position ", "", where_first(bad))),
        argument = name, place = which(bad)[1L]
      )
    }
  }
  frame
}

frame_variables <- function(terms, frame) {
  names <- vapply(as.list(attr(terms, "variables"))[-1L], function(v) paste(deparse(v, 500L), collapse = " "), "")
  frame[names]
}

#' A predictor's type and its bounds or levels: declared, or read with a leak noted.
#' @noRd
describe <- function(column, name, declared) {
  if (is.logical(column)) return(list(type = "levels", values = c("FALSE", "TRUE"), leak = NULL))
  if (is.numeric(column)) {
    if (is.character(declared)) {
      abort("argument", sprintf("`schema` gives levels for `%s`, which is numeric.", name), argument = "schema")
    }
    if (!is.null(declared)) return(list(type = "bounds", values = declared, leak = NULL))
    values <- range(column)
    if (values[1L] == values[2L]) values[2L] <- values[1L] + 1
    return(list(type = "bounds", values = values, leak = sprintf("the range of `%s`", name)))
  }
  if (!is.factor(column) && !is.character(column)) {
    abort("argument", sprintf("`%s` must be numeric, logical or categorical, not %s.", name, kind_of(column)),
      argument = name
    )
  }
  if (is.numeric(declared)) {
    abort("argument", sprintf("`schema` gives bounds for `%s`, which is categorical.", name), argument = "schema")
  }
  if (!is.null(declared)) return(list(type = "levels", values = declared, leak = NULL))
  values <- if (is.factor(column)) levels(column) else sort(unique(column), method = "radix")
  list(type = "levels", values = values, leak = sprintf("the levels of `%s`", name))
}

#' Bounds to [0, 1], levels to one indicator each; a dgCMatrix when there are levels.
#' @noRd
encode_frame <- function(blueprint, variables) {
  categorical <- character()
  for (name in names(variables)) {
    how <- blueprint$variables[[name]]
    column <- variables[[name]]
    if (how$type == "bounds") {
      if (!is.numeric(column)) {
        abort("argument", sprintf("`%s` must be numeric, not %s.", name, kind_of(column)), argument = name)
      }
      clamped <- pmin(pmax(column, how$values[1L]), how$values[2L])
      variables[[name]] <- (clamped - how$values[1L]) / (how$values[2L] - how$values[1L])
    } else {
      column <- as.character(column)
      code <- match(column, how$values)
      if (anyNA(code)) {
        k <- which(is.na(code))[1L]
        abort("level", sprintf(
          "`%s` has the level \"%s\" at row %d, which is not one of the declared or training levels.",
          name, column[k], k
        ), argument = name, value = column[k], place = k)
      }
      variables[[name]] <- factor(code, seq_along(how$values), how$values)
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
    x
  } else {
    x <- stats::model.matrix(blueprint$terms, variables)
    matrix(x, nrow(x), dimnames = list(NULL, colnames(x)))
  }
}

#' Labels -1 and 1 (or numbers, for a regression loss) and how to turn them back. That all are
#' the same is no error: whether there is one would tell of the record that makes the difference.
#' @noRd
encode_labels <- function(y, loss, n, declared, name = "y") {
  if (length(y) != n || !is.null(dim(y))) {
    abort("shape", sprintf("`%s` must be a vector with one label for each of the %d rows, not %d.", name, n, length(y)),
      argument = name, value = length(y)
    )
  }
  if (any(bad <- is.na(y))) {
    nan <- is.numeric(y) && is.nan(y[bad][1L])
    abort(if (nan) "finite" else "missing", sprintf(
      "`%s` %s at %s.", name, if (nan) "is NaN" else "has a missing value", where_first(bad)
    ), argument = name, place = which(bad)[1L])
  }
  if (!loss$classification) {
    check_numbers(y, name)
    return(list(y = as.double(y), classes = NULL, leaks = NULL))
  }
  leaks <- NULL
  if (is.character(declared)) {
    classes <- declared
    values <- as.character(y)
  } else if (is.factor(y) || is.character(y)) {
    classes <- if (is.factor(y)) levels(y) else sort(unique(y), method = "radix")
    values <- as.character(y)
    leaks <- sprintf("the levels of `%s`", name)
  } else if (is.logical(y)) {
    classes <- c(FALSE, TRUE)
    values <- y
  } else {
    check_numbers(y, name)
    classes <- if (any(y == 0)) c(0, 1) else c(-1, 1)
    values <- y
  }
  if (length(classes) != 2L) {
    abort("labels", sprintf("`%s` must have two classes, not %d.", name, length(classes)),
      argument = name, value = length(classes)
    )
  }
  code <- match(values, classes)
  if (anyNA(code)) {
    k <- which(is.na(code))[1L]
    abort("labels", sprintf(
      "`%s` must have two classes, %s and %s; it is %s at position %d.", name, format(classes[1L]),
      format(classes[2L]), format(values[k]), k
    ), argument = name, value = values[k], place = k)
  }
  list(y = c(-1, 1)[code], classes = classes, leaks = leaks)
}
