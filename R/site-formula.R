# Formulas that a site computes. A formula comes from the analyst, so it is read and never run as
# it stands: names, numbers and the functions below, which are computed row by row, and looked up
# here and nowhere else.

.site_operators <- c("+", "-", "*", "/", "^", "(", ":", "%in%", "~")
.site_functions <- c(
  "I", "log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs", "pmin", "pmax", "offset",
  "<", ">", "<=", ">=", "==", "!=", "!", "&", "|", "ifelse"
)
.site_bases <- c("bs", "ns", "poly", "c")

#' @param text what somebody says is a formula.
#' @noRd
read_formula <- function(text) {
  refuse <- function(...) abort("formula", "The plan has no formula.", argument = "formula")
  if (!is.character(text) || length(text) != 1L || is.na(text) || nchar(text) > 1e5) refuse()
  parsed <- tryCatch(parse(text = text, keep.source = FALSE), error = refuse)
  is_formula <- length(parsed) == 1L && is.call(parsed[[1L]]) &&
    identical(parsed[[1L]][[1L]], quote(`~`))
  if (!is_formula) refuse()
  check_site_call(parsed[[1L]])
  stats::as.formula(parsed[[1L]], env = baseenv())
}

#' Every part of an expression is one that sites compute.
#' @noRd
check_site_call <- function(e) {
  repeat {
    if (is.name(e) || is.numeric(e) || is.logical(e) || is.character(e)) return(invisible())
    name <- if (is.call(e) && is.name(e[[1L]])) as.character(e[[1L]]) else ""
    if (!name %in% c(.site_operators, .site_functions, .site_bases)) {
      abort("formula", sprintf(
        "The formula has `%s`, which sites do not compute.", paste(deparse(e, 500L)[1L])
      ), argument = "formula")
    }
    for (part in as.list(e)[-(1:2)]) check_site_call(part)
    if (length(e) < 2L) return(invisible())
    e <- e[[2L]] # sums of many terms are deep here
  }
}

#' A plan's terms, response, weights and offset must have no more than that, on columns that the
#' policy knows. Splines and polynomials are there with public knots only.
#' @noRd
check_site_terms <- function(blueprint, columns) {
  calls <- c(
    as.list(attr(blueprint$terms, "predvars"))[-1L], list(blueprint$response),
    unname(record_calls(blueprint))
  )
  for (call in calls) {
    check_site_call(call)
    if (any(all.names(call) %in% setdiff(.site_bases, "c"))) {
      abort("formula", sprintf(
        "`%s` would read all records: state its knots.", call_words(call)
      ), argument = "formula")
    }
    if (length(lost <- setdiff(all.vars(call), columns))) {
      abort("plan", sprintf("`%s` is no column of the policy.", lost[1L]),
        argument = "formula", place = lost[1L]
      )
    }
  }
}

#' Where a site computes: the functions above as R has them, and no other object.
#' @noRd
site_functions <- function() {
  names <- setdiff(c(.site_operators, .site_functions), c("~", ":", "offset"))
  list2env(mget(names, baseenv(), inherits = TRUE), parent = emptyenv())
}
