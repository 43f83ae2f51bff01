# Weights and offsets of records as numbers, from the data or as they are given.

#' Records with `weight`, in [0, 1], and `offset`, where they have them. For a regression loss,
#' a function of the prediction less the label, the offset is taken from the label.
#' @param given list(case_weights, offset) as the user gives them.
#' @param data where calls are evaluated; NULL for a matrix.
#' @param dropped rows that count nothing, or NULL.
#' @noRd
with_numbers <- function(records, given, data, env, loss, dropped = NULL) {
  n <- nrow(records$x)
  weight <- weights_of(records$blueprint, given$case_weights, data, n, env, dropped)
  offset <- offsets_of(records$blueprint, given$offset, data, n, env, dropped)
  records$weight <- weight
  with_offset(records, offset, loss)
}

with_offset <- function(records, offset, loss) {
  if (loss$classification) {
    records$offset <- offset
  } else if (!is.null(offset)) {
    records$y <- check_numbers(records$y - offset / response_unit(records$blueprint), "offset")
  }
  records
}

#' Weights over their public bound; NULL: all 1.
#' @param dropped rows that count nothing, whatever their weight, or NULL.
#' @noRd
weights_of <- function(blueprint, given, data, n, env, dropped = NULL) {
  how <- blueprint$weights
  if (is.null(how)) {
    refuse_given(given, "case_weights", "weights")
    return(if (any(dropped)) as.double(!dropped))
  }
  if (is.null(how$call)) {
    w <- given_numbers(given, n, "case_weights")
  } else {
    refuse_given(given, "case_weights", "weights of their own")
    w <- called_numbers(how$call, data, n, env)
  }
  w[dropped] <- 0
  check_numbers(w, numbers_name(how$call, "case_weights"), lower = 0)
  pmin(w, how$bound) / how$bound
}

#' NULL: 0.
#' @noRd
offsets_of <- function(blueprint, given, data, n, env, dropped = NULL) {
  how <- blueprint$offset
  if (is.null(how) || !how$given) refuse_given(given, "offset", "an offset")
  if (is.null(how)) return(NULL)
  offset <- 0
  if (!is.null(how$call)) {
    offset <- called_numbers(how$call, data, n, env)
    offset[dropped] <- 0
    check_numbers(offset, call_words(how$call))
  }
  if (how$given) {
    more <- given_numbers(given, n, "offset")
    more[dropped] <- 0
    offset <- offset + check_numbers(more, "offset")
  }
  check_numbers(offset, "offset") # a sum of large ones need not be finite
}

numbers_name <- function(call, argument) if (is.null(call)) argument else call_words(call)

#' What a plan or a fit does not know of is an error; a formula has been settled before.
#' @noRd
refuse_given <- function(given, argument, what) {
  if (is.null(given) || inherits(given, "formula") || isTRUE(given)) return(invisible())
  abort("argument", sprintf("`%s`: the records were not said to have %s.", argument, what),
    argument = argument
  )
}

given_numbers <- function(given, n, argument) {
  if (!is.numeric(given)) {
    abort("argument", sprintf("`%s` is missing: a number for each record.", argument),
      argument = argument
    )
  }
  check_one_each(given, n, argument)
}

called_numbers <- function(call, data, n, env) {
  name <- call_words(call)
  if (!is.list(data)) {
    abort("argument", sprintf("`~%s` needs a data frame; a matrix has no columns for it.", name),
      argument = name
    )
  }
  value <- tryCatch(eval(call, data, env), error = function(e) {
    abort("argument", sprintf("`%s` cannot be evaluated: %s.", name, conditionMessage(e)),
      argument = name
    )
  })
  if (!is.numeric(value) && !all(is.na(value))) { # nothing but NA has no type of its own
    abort("argument", sprintf("`%s` must be numeric, not %s.", name, kind_of(value)),
      argument = name
    )
  }
  check_one_each(value, n, name)
}

#' @noRd
check_one_each <- function(x, n, name) {
  if (length(x) != n) {
    abort("shape", sprintf(
      "`%s` must have one number for each of the %d records, not %d.", name, n, length(x)
    ), argument = name, value = length(x))
  }
  as.double(x)
}

#' Calls for weights and offsets that read other rows than their own, in words, for the leaks; or
#' an error. As of the terms of a formula.
#' @noRd
wide_numbers <- function(blueprint, data, env, row_wise = TRUE) {
  calls <- Filter(is.call, record_calls(blueprint))
  refuse_or_tell(wide_calls(calls, data, env), row_wise)
}
