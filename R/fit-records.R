# Fits of records in a file.

#' @rdname dpadmm_fit
#' @export
dpadmm_fit.dpadmm_records <- function(x, nodes, rows = c("scale", "shorten"), ...) {
  rows <- check_choice(rows, c("scale", "shorten"), "rows")
  if (!missing(nodes)) nodes <- given_nodes(nodes)
  if (!missing(nodes)) nodes <- own_nodes(x, nodes)
  build <- function(loss, classes, range, bound, options) {
    refuse_numbers(options)
    records_file(x, loss, classes, range, rows, bound)
  }
  builder <- structure(list(build = build), class = "dpadmm_builder")
  if (missing(nodes) && is.null(x$nodes)) return(dpadmm_fit.default(builder, ...))
  dpadmm_fit.default(builder, nodes = if (missing(nodes)) stored_nodes(x) else nodes, ...)
}

#' @rdname dpadmm_plan
#' @export
dpadmm_plan.dpadmm_records <- function(x, ..., loss = "logistic", rows = c("scale", "shorten")) {
  loss <- dpadmm_loss(loss)
  blueprint <- x$blueprint
  blueprint$rows <- check_choice(rows, c("scale", "shorten"), "rows")
  declared <- x$schema[[call_words(blueprint$response)]]
  blueprint["classes"] <- list(if (x$kind != "logical") schema_classes(declared, NULL, loss))
  blueprint["range"] <- list(schema_range(declared, call_words(blueprint$response), loss))
  dpadmm_plan.default(structure(blueprint, class = "dpadmm_blueprint"), x$sizes, ..., loss = loss)
}

#' Whose the records are: where a column said it they are in its order, and nothing else can be said
#' of them but that all are one holder's.
#' @noRd
own_nodes <- function(records, nodes) {
  column <- holder_column(nodes)
  if (is.null(nodes) || is.null(column) && !is.character(records$nodes)) return(nodes)
  if (!identical(column, records$nodes)) {
    abort("argument", sprintf("`nodes` of these records is said when they are read, not %s.",
      if (is.null(column)) "in a fit" else call_words(nodes)), argument = "nodes")
  }
  stored_nodes(records)
}

refuse_numbers <- function(options) {
  given <- c(names(Filter(Negate(is.null), options[c("case_weights", "weight_bound", "offset")])),
    if (options$na_action == "omit") "na.action")
  if (length(given)) {
    abort("argument", sprintf("`%s` of records in a file is said when they are read.", given[1L]),
      argument = given[1L]
    )
  }
}

#' The records of a plan that are in a file.
#' @noRd
planned_file <- function(plan, records, y, nodes, given) {
  if (!is.null(y)) abort("argument", "`y` is in the records.", argument = "y")
  refuse_numbers(c(given, list(na_action = "fail")))
  nodes <- own_nodes(records, nodes)
  several <- length(plan$problem$size) > 1L
  list(
    records = records_file_planned(records, plan$problem$blueprint, plan$problem$loss),
    nodes = if (is.null(nodes) && several && is.character(records$nodes)) stored_nodes(records)
      else nodes
  )
}
