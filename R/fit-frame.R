# From the arguments of dpadmm_fit() to records: data frames and their rows, who holds which.

#' Records are built by the default method, once it knows the loss.
#' @param leaks in words, of what has been read already.
#' @noRd
fit_frame <- function(formula, data, y, nodes, schema, rows, row_wise, leaks = NULL, ...) {
  if (!missing(nodes)) nodes <- given_nodes(nodes)
  rows <- check_choice(rows, c("scale", "shorten"), "rows")
  if (!missing(nodes) && inherits(nodes, "formula")) {
    column <- nodes
    nodes <- node_values(nodes, data)
    data <- data[!names(data) %in% setdiff(all.vars(column), all.vars(formula))] # not in `.`
  }
  if (ncol(data) == 0L) {
    abort("shape", "The data frame has no columns to predict from.", argument = "x")
  }
  build <- function(loss, classes, range, bound, options) {
    records <- records_frame(formula, data, y, schema, loss, classes, range, rows, bound,
      row_wise, options)
    records$leaks <- c(records$leaks, leaks)
    records
  }
  records <- structure(list(build = build), class = "dpadmm_builder")
  if (missing(nodes)) {
    dpadmm_fit.default(records, ...)
  } else {
    dpadmm_fit.default(records, nodes = nodes, ...)
  }
}

#' The rows that `subset` keeps, evaluated as lm() does: in the data, then where the formula
#' was written. `NULL`: all.
#' @noRd
subset_rows <- function(expression, data, env) {
  kept <- tryCatch(eval(expression, data, if (is.null(env)) globalenv() else env),
    error = function(e) {
      abort("argument", sprintf("`subset` cannot be evaluated: %s.", conditionMessage(e)),
        argument = "subset"
      )
    }
  )
  if (is.null(kept)) return(NULL)
  if (is.logical(kept) && length(kept) == nrow(data)) {
    if (anyNA(kept)) {
      abort("missing", sprintf("`subset` has a missing value at %s.", where_first(is.na(kept))),
        argument = "subset", place = which(is.na(kept))[1L]
      )
    }
    return(which(kept))
  }
  if (!is.numeric(kept) || anyNA(kept) || anyDuplicated(kept)) {
    abort("argument", sprintf(
      "`subset` must be TRUE or FALSE for each of the %d rows, or numbers of different rows.",
      nrow(data)
    ), argument = "subset")
  }
  check_numbers(kept, "subset", lower = -nrow(data), upper = nrow(data), whole = TRUE)
  if (any(kept < 0) && any(kept > 0)) {
    abort("argument", "`subset` mixes rows to keep and rows to leave out.", argument = "subset")
  }
  seq_len(nrow(data))[kept]
}

#' What a choice of rows reads from the records, in words: their number is public from then on.
#' @noRd
subset_leak <- function(expression, data) {
  if (any(all.vars(expression) %in% names(data))) .subset_leak
}
.subset_leak <- "how many rows `subset` keeps"

#' The column of the data that says whose each record is.
#' @noRd
node_values <- function(nodes, data) {
  column <- holder_column(nodes)
  if (is.null(column) || !(column %in% names(data))) {
    abort("argument", sprintf(
      "`nodes` must be ~column with a column of the data, not %s.", call_words(nodes)
    ), argument = "nodes")
  }
  data[[column]]
}

#' Whose each record is, for a plan that is yet to be made.
#' @noRd
fit_holders <- function(settings, nodes, n, key) {
  alone <- is.null(nodes) || (by_gradients(settings$method) && is_one_node(nodes, n))
  if (alone && !on_graph(settings$method)) return(one_holder(nodes, n))
  held <- align_nodes(resolve_nodes(nodes, n, key), settings$network)
  held$named <- is.null(held$key)
  held
}

#' @param framed whether a formula, or what records were read by, says what labels are.
#' @param given whether `y` is.
#' @noRd
check_labels_given <- function(framed, given) {
  if (framed != given) return(invisible())
  abort("argument", if (given) "`y` is the response of the formula." else {
    "`y` is missing: one label a record."
  }, argument = "y")
}

warn_of_leaks <- function(leaks, private, framed) {
  if (is.null(leaks) || !private) return(invisible())
  of_rows <- leaks == .subset_leak
  advice <- c(
    if (!all(of_rows)) {
      if (framed) "State bounds and levels with `schema`" else "Declare them with `classes`"
    },
    if (any(of_rows)) "Choose rows by public numbers"
  )
  warn("privacy_leak", paste0(
    "Read from the records without noise: ", leaks_words(leaks), ". ",
    paste0(advice, " to avoid this.", collapse = " ")
  ), argument = if (all(of_rows)) "subset" else if (framed) "schema" else "y")
}

abort_no_nodes <- function() {
  abort("argument", "`nodes` is missing: a number of nodes, a vector, ~column, or NULL.",
    argument = "nodes"
  )
}
