# Schemas joined, taken apart and printed; and names in them that look like slips.

#' @rdname dpadmm_schema
#' @export
c.dpadmm_schema <- function(...) {
  parts <- Filter(Negate(is.null), list(...))
  for (part in parts) check_class(part, "dpadmm_schema", "...", "dpadmm_schema()")
  all <- unlist(lapply(parts, names))
  if (anyDuplicated(all)) {
    twice <- unique(all[duplicated(all)])
    abort("argument", sprintf(
      "More than one schema has a column %s.", paste0("`", twice, "`", collapse = ", ")
    ), argument = "...", place = twice)
  }
  impute <- do.call(c, lapply(parts, attr, "impute"))
  columns <- do.call(c, lapply(parts, function(part) unclass(part)[names(part)]))
  structure(columns, impute = impute, class = "dpadmm_schema")
}

#' @rdname dpadmm_schema
#' @param i names or numbers of columns.
#' @export
`[.dpadmm_schema` <- function(x, i) {
  if (is.character(i) && length(lost <- setdiff(i, names(x)))) {
    near <- near_name(lost[1L], names(x))
    abort("argument", sprintf("The schema has no column `%s`%s.", lost[1L],
      if (length(near)) sprintf("; did you mean `%s`?", near) else ""
    ), argument = "i", place = lost)
  }
  columns <- unclass(x)[i]
  impute <- attr(x, "impute")
  impute <- impute[names(impute) %in% names(columns)]
  structure(columns, impute = if (length(impute)) impute, class = "dpadmm_schema")
}

#' @export
format.dpadmm_schema <- function(x, ...) {
  check_no_dots(...)
  impute <- attr(x, "impute")
  vapply(stats::setNames(nm = names(x)), function(name) {
    v <- x[[name]]
    paste0(
      if (is.character(v)) paste(v, collapse = ", ") else sprintf("%g to %g", v[1L], v[2L]),
      if (!is.null(impute[[name]])) sprintf(" (missing: %s)", format(impute[[name]]))
    )
  }, "")
}

#' @export
print.dpadmm_schema <- function(x, ...) {
  check_no_dots(...)
  cat("<dpadmm_schema>\n")
  cat(sprintf("  %s: %s\n", names(x), format(x)), sep = "")
  invisible(x)
}

#' Names of a schema that nothing is called, next to variables that it does not state: slips,
#' that would let a variable's bounds be read from the records. A schema may know more columns
#' than a formula has.
#' @param variables of the formula; `columns` of the data, if there are data: then other names
#'   that nothing is called are a warning.
#' @noRd
check_spelling <- function(schema, variables, columns = NULL) {
  spare <- setdiff(names(schema), c(variables, columns))
  for (variable in setdiff(variables, names(schema))) {
    near <- near_name(variable, spare)
    if (length(near)) {
      abort("argument", sprintf(
        "`schema` states nothing for `%s`, but has a column `%s`: are they the same?", variable,
        near
      ), argument = "schema", place = near)
    }
  }
  if (is.null(columns)) return(invisible())
  of_columns <- function(name) {
    used <- tryCatch(all.vars(str2lang(name)), error = function(e) name)
    length(used) > 0L && all(used %in% columns) # log(age) of another formula
  }
  unknown <- spare[!vapply(spare, of_columns, NA)]
  if (length(unknown)) {
    warn("schema", sprintf(
      "`schema` has names that neither the formula nor the data have: %s.",
      paste0("`", unknown, "`", collapse = ", ")
    ), argument = "schema", place = unknown)
  }
}

#' The name that is nearest, a slip away: one letter, or two of long names. Another first letter,
#' or another number in it, is another name.
#' @noRd
near_name <- function(name, names) {
  alike <- tolower(substr(names, 1L, 1L)) == tolower(substr(name, 1L, 1L)) &
    gsub("[^0-9]", "", names) == gsub("[^0-9]", "", name)
  distance <- as.vector(utils::adist(name, names, ignore.case = TRUE))
  slips <- ifelse(pmin(nchar(names), nchar(name)) >= 7L, 2, 1)
  near <- alike & distance <= slips
  names[near][order(distance[near])][seq_len(any(near))]
}
