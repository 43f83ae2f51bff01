# What is public of the weights and offsets of records: where they come from and how large a
# weight may be. Part of a blueprint (`weights`, `offset`, `na_action`); no record.
#
# `weights` and `offset` hold a `call` to evaluate in the data, or NULL for numbers that are
# given by themselves; `weights` its `bound` too.

#' @section Weights, offsets and missing values:
#' With `case_weights` the mean loss of a node becomes `sum_k (w_k / weight_bound) L_k / n`: a
#' weight of half the bound counts a record half. Weights above the bound are set to it, 0 is a
#' record that is not there, and negative ones are an error. The bound is public and the weights
#' are as private as the rest of a record, so the guarantee is that of a fit without weights; the
#' price is that light records bring less, against the same noise. Weights of one and the same
#' size, the bound, change nothing.
#'
#' An offset is a number that is added to the linear predictor of a record, as in glm:
#' `offset(log(t))` in the formula, or `offset`. It costs no privacy and needs no bound, because
#' the slope of a loss is bounded wherever it is. For a regression loss it is the same as taking it
#' from the response.
#'
#' Both belong to the record: they must be computed from its own row (see below). Missing values
#' are an error unless you say otherwise, see [missing-values].
#'
#' @param case_weights weights of the records: `~column` of the data frame (which `.` in the
#'   formula then leaves out), or n numbers `>= 0`; `NULL`: all count alike.
#' @param weight_bound the largest weight, stated in public (> 0): larger ones are set to it.
#'   `NULL`: the upper bound of the column in `schema`; there is no other default.
#' @param offset `~column`, or n numbers, in addition to `offset()` terms of the formula. For a
#'   plan only numbers, where it was made with `offset = TRUE`, and alike for `case_weights`.
#' @param na.action what to do with records that have missing values: `"fail"` (an error), or
#'   `"omit"`: they count with weight 0. See [missing-values].
#' @rdname dpadmm_fit
#' @name dpadmm_fit
NULL

#' What a user says about records besides their columns and labels.
#' @return list(case_weights, weight_bound, offset, na_action), the first and the third as given.
#' @noRd
record_options <- function(case_weights = NULL, weight_bound = NULL, offset = NULL,
                           na_action = "fail") {
  if (!is.null(weight_bound)) {
    check_number(weight_bound, "weight_bound", lower = 0, open_lower = TRUE)
    if (is.null(case_weights)) {
      abort("argument", "`weight_bound` is the bound of `case_weights`, which are missing.",
        argument = "weight_bound"
      )
    }
  }
  list(
    case_weights = check_of_records(case_weights, "case_weights"), weight_bound = weight_bound,
    offset = check_of_records(offset, "offset"), na_action = check_na_action(na_action)
  )
}

#' The same for a plan, which no record may enter.
#' @noRd
public_options <- function(case_weights, weight_bound, offset, na_action) {
  for (name in c("case_weights", "offset")) {
    if (is.numeric(get(name))) {
      abort("argument", sprintf(
        "`%s` of a plan must be ~column, or TRUE: the numbers belong to the records.", name
      ), argument = name)
    }
  }
  record_options(case_weights, weight_bound, offset, na_action)
}

check_of_records <- function(x, argument) {
  one_sided <- inherits(x, "formula") && length(x) == 2L
  if (is.null(x) || one_sided || isTRUE(x) || is.numeric(x)) return(x)
  abort("argument", sprintf(
    "`%s` must be ~column, or a number for each record, not %s.", argument, kind_of(x)
  ), argument = argument)
}

#' @param options of record_options().
#' @param own the call of offset() terms of a formula, or NULL.
#' @return list(weights, offset, na_action), without those that records do not have.
#' @noRd
record_facts <- function(options, schema = NULL, own = NULL) {
  called <- function(x) if (inherits(x, "formula")) x[[2L]]
  weights <- options$case_weights
  offset <- options$offset
  shift <- if (is.null(own)) called(offset) else own
  if (!is.null(own) && !is.null(called(offset))) shift <- call("+", own, called(offset))
  Filter(Negate(is.null), list(
    weights = if (!is.null(weights)) {
      list(call = called(weights), bound = largest_weight(options, schema))
    },
    offset = if (!is.null(offset) || !is.null(own)) {
      list(call = shift, given = !is.null(offset) && is.null(called(offset)))
    },
    na_action = if (options$na_action == "omit") "omit"
  ))
}

#' The stated bound of the weights. There is no default: what is larger is set to it.
#' @noRd
largest_weight <- function(options, schema) {
  if (!is.null(options$weight_bound)) return(options$weight_bound)
  column <- options$case_weights
  declared <- if (inherits(column, "formula")) schema[[call_words(column[[2L]])]]
  if (is.null(declared)) {
    abort("argument", paste(
      "`weight_bound` is missing: the largest weight a record may have, stated in public",
      "(1, or with a schema the upper bound of the column of weights)."
    ), argument = "weight_bound")
  }
  if (!is.numeric(declared) || declared[2L] <= 0) {
    abort("argument", "The upper bound of the weights in `schema` must be positive.",
      argument = "schema"
    )
  }
  declared[2L]
}

call_words <- function(call) paste(deparse(call, 500L), collapse = " ")

#' The calls of a blueprint that make weights and offsets from data, by their words.
#' @noRd
record_calls <- function(blueprint) {
  calls <- Filter(Negate(is.null), list(blueprint$weights$call, blueprint$offset$call))
  stats::setNames(calls, vapply(calls, call_words, ""))
}

#' Columns that `.` does not stand for: those named as weights or as the argument `offset`.
#' @noRd
own_columns <- function(options) {
  unlist(lapply(options[c("case_weights", "offset")], function(x) {
    if (inherits(x, "formula")) all.vars(x)
  }), use.names = FALSE)
}

#' A formula without its offset() terms, and these as one call.
#' @noRd
split_offset <- function(formula) {
  found <- NULL
  is_offset <- function(e) is.call(e) && identical(e[[1L]], quote(offset))
  is_sum <- function(e) {
    is.call(e) && length(e) == 3L && as.character(e[[1L]])[1L] %in% c("+", "-")
  }
  one_without <- function(e) {
    if (is_offset(e)) {
      found <<- if (is.null(found)) e[[2L]] else call("+", found, e[[2L]])
      return(NULL)
    }
    if (!is.call(e) || !identical(e[[1L]], quote(`(`))) return(e)
    inner <- without(e[[2L]])
    if (!is.null(inner)) call("(", inner)
  }
  without <- function(e) {
    sums <- list() # a sum of 1,000 terms is 1,000 deep: from the inside, in a loop
    while (is_sum(e)) {
      sums <- c(list(e), sums)
      e <- e[[2L]]
    }
    left <- one_without(e)
    for (e in sums) {
      plus <- identical(e[[1L]], quote(`+`))
      right <- if (plus) without(e[[3L]]) else e[[3L]]
      if (is.null(right)) next
      left <- if (!is.null(left)) {
        as.call(list(e[[1L]], left, right))
      } else {
        if (plus) right else call("-", right)
      }
    }
    left
  }
  side <- length(formula)
  rest <- without(formula[[side]])
  formula[[side]] <- if (is.null(rest)) 1 else rest
  list(formula = formula, offset = found)
}

#' Weights and missing values as a line of the statement; NULL for records that all count alike.
#' @noRd
record_words <- function(blueprint) {
  c(
    if (!is.null(blueprint$weights)) {
      sprintf("Records have weights: larger ones are set to %g.", blueprint$weights$bound)
    },
    if (!is.null(blueprint$na_action)) {
      "Records with missing values count with weight 0; how many there are is not told."
    }
  )
}
