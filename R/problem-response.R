# The bounds of a regression's response: public, by the argument `response` or the schema. The
# response is scaled by them as columns are.

#' Bounds as the user declares them: two increasing numbers.
#' @noRd
check_range <- function(response, loss) {
  if (is.null(response)) return(NULL)
  if (loss$classification) {
    abort("argument", sprintf(
      "The %s loss has classes and no bounds: leave `response` at NULL.", loss$name
    ), argument = "response")
  }
  check_bounds(response, "response")
}

#' Two increasing numbers, a finite step apart.
#' @noRd
check_bounds <- function(bounds, name) {
  check_numbers(bounds, name, length = 2L)
  bounds <- as.double(bounds)
  if (!increases(bounds) || !is.finite(bounds[2L] - bounds[1L])) {
    abort("argument", sprintf(
      "The bounds of `%s` must increase, by a finite step whose inverse is finite, too.", name
    ), argument = name, value = bounds)
  }
  bounds
}

#' By a half that coefficients can be divided by.
#' @noRd
increases <- function(bounds) {
  half <- bounds[2L] / 2 - bounds[1L] / 2
  half > 0 && is.finite(1 / half)
}

#' The bounds that a schema declares for the response of a regression loss.
#' @noRd
schema_range <- function(declared, name, loss) {
  if (loss$classification || is.null(declared)) return(NULL)
  if (is.character(declared)) {
    abort("argument", sprintf(
      "`schema` gives levels for `%s`, but the %s loss is for numbers.", name, loss$name
    ), argument = "schema")
  }
  declared
}

#' The bounds of a response: of the argument, or of the schema.
#' @noRd
declared_range <- function(range, in_schema) {
  if (!is.null(range) && !is.null(in_schema) && any(range != in_schema)) {
    abort("argument", "`response` and `schema` declare unlike bounds.", argument = "response")
  }
  if (is.null(range)) in_schema else range
}

#' A blueprint with the scaling of its response: centred where an intercept can take it up.
#' @noRd
with_range <- function(blueprint, values) {
  if (!is.null(values)) {
    blueprint$range <- c(list(values = values), scaling_of(values, blueprint$intercept))
  }
  blueprint
}

#' What a step of the scaled response is in its own units.
#' @noRd
response_unit <- function(blueprint) {
  if (is.null(blueprint$range)) 1 else blueprint$range$half
}

abort_no_range <- function(response) {
  abort("argument", sprintf(
    "`schema` must state the bounds of the response `%s`.", call_words(response)
  ), argument = "schema")
}
