# The two classes of a classification problem: public, by the argument or the schema.

#' Classes as the user declares them: two, the second of them positive.
#' @noRd
check_classes <- function(classes, loss) {
  if (is.null(classes)) return(NULL)
  if (!loss$classification) {
    abort("argument", sprintf(
      "The %s loss has no classes: leave `classes` at NULL.", loss$name
    ), argument = "classes")
  }
  if (is.factor(classes)) classes <- as.character(classes)
  ok <- is.character(classes) || is.logical(classes) || is.numeric(classes)
  if (!ok || length(classes) != 2L || anyNA(classes) || anyDuplicated(classes)) {
    abort("argument", paste(
      "`classes` must be two different labels, the negative class first:",
      "strings, numbers, or FALSE and TRUE."
    ), argument = "classes")
  }
  as.vector(classes)
}

#' The classes of a response: of the argument, or of the schema.
#' @noRd
declared_classes <- function(classes, in_schema) {
  if (is.null(in_schema)) return(classes)
  if (!is.null(classes) && !identical(as.character(classes), as.character(in_schema))) {
    abort("argument", "`classes` and `schema` declare unlike classes.", argument = "classes")
  }
  if (is.null(classes)) in_schema else classes
}

#' The classes that a schema declares for a response: levels, or for numeric labels two numbers.
#' @param y the labels; `NULL`: not there yet.
#' @noRd
schema_classes <- function(declared, y, loss) {
  if (!loss$classification || is.null(declared)) return(NULL)
  if (is.character(declared) || is.null(y) || is.numeric(y)) declared
}
