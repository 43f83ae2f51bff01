# A fit again, on records that are given again.

#' @rdname update
#' @export
update.dpadmm_fit <- function(object, formula. = NULL, data, y = NULL, ...) {
  if (missing(data)) {
    abort("argument", "`data` is needed: a fit does not keep its records.", argument = "data")
  }
  if (is.null(object$asked)) return(update_planned(object, formula., data, y, ...))
  if (isTRUE(object$blueprint$offset$given) && !"offset" %in% names(list(...))) {
    abort("argument", paste(
      "`offset` is needed again: a fit does not keep its numbers. `offset = NULL` makes a fit",
      "without them."
    ), argument = "offset")
  }
  if ("ledger" %in% names(list(...))) object$asked$data_id <- NULL
  asked <- changed(object$asked, formula., ...)
  records <- if (inherits(asked$x, "formula")) list(data = data) else list(x = data)
  do.call(dpadmm_fit, c(asked, records, if (!is.null(y)) list(y = y)))
}

#' A fit of a plan: what is not of the run changes the plan. What was charged to a budget is
#' charged to it again.
#' @noRd
update_planned <- function(fit, formula., data, y, ...) {
  plan <- fit$plan
  change <- list(...)
  if (!"ledger" %in% names(change) && !is.null(fit$ledger)) {
    change <- c(change, list(ledger = fit$ledger$path, data_id = fit$ledger$data_id))
  }
  numbers <- names(change) %in% c("case_weights", "offset") & vapply(change, is.numeric, NA)
  of_run <- names(change) %in% c("nodes", "seed", "ledger", "data_id") | numbers
  if (!is.null(formula.) || any(!of_run)) {
    plan <- do.call(stats::update, c(list(plan, formula.), change[!of_run]))
  }
  do.call(dpadmm_fit, c(list(plan, data = data, y = y), change[of_run]))
}

#' What a fit of records was asked for, without them. Nodes are kept where they do not say whose
#' each record is.
#' @noRd
asked_of_fit <- function(call, frame) {
  asked <- given_arguments(call, frame, c("x", "y", "seed"))
  if (length(asked$nodes) > 1L) asked$nodes <- NULL
  # numbers of records are data
  asked[!(names(asked) %in% c("case_weights", "offset") & vapply(asked, is.numeric, NA))]
}

#' `~column`, if that is what says whose each record is.
#' @noRd
node_column <- function(nodes) if (!missing(nodes) && inherits(nodes, "formula")) nodes
