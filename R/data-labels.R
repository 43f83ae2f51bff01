# Labels as losses take them: -1 and 1, or numbers; and back.

#' Labels -1 and 1 (or numbers, for a regression loss) and how to turn them back. That all are
#' the same is no error: whether there is one would tell of the record that makes the
#' difference.
#' @param declared the classes, stated in public; `NULL`: read from y.
#' @noRd
encode_labels <- function(y, loss, n, declared, name = "y") {
  check_labels(y, n, name)
  if (!loss$classification) {
    check_numbers(y, name)
    return(list(y = as.double(y), classes = NULL, leaks = NULL))
  }
  found <- label_classes(y, declared, name)
  classes <- found$classes
  if (length(classes) != 2L) {
    abort("labels", sprintf("`%s` must have two classes, not %d.", name, length(classes)),
      argument = name, value = length(classes)
    )
  }
  code <- match(found$values, classes)
  if (anyNA(code)) {
    k <- which(is.na(code))[1L]
    abort("labels", sprintf(
      "`%s` must have two classes, %s and %s; it is %s at position %d.", name,
      format(classes[1L]), format(classes[2L]), format(found$values[k]), k
    ), argument = name, value = found$values[k], place = k)
  }
  list(y = c(-1, 1)[code], classes = classes, leaks = found$leaks)
}

#' A vector of n labels without missing values.
#' @noRd
check_labels <- function(y, n, name) {
  if (length(y) != n || !is.null(dim(y))) {
    abort("shape", sprintf(
      "`%s` must be a vector with one label for each of the %d rows, not %d.", name, n, length(y)
    ), argument = name, value = length(y))
  }
  if (any(bad <- is.na(y))) {
    nan <- is.numeric(y) && is.nan(y[bad][1L])
    abort(if (nan) "finite" else "missing", sprintf(
      "`%s` %s at %s.", name, if (nan) "is NaN" else "has a missing value", where_first(bad)
    ), argument = name, place = which(bad)[1L])
  }
}

#' The two classes, the labels in their coding, and what was read to know them.
#' @noRd
label_classes <- function(y, declared, name) {
  if (is.character(declared)) return(list(classes = declared, values = as.character(y)))
  if (is.factor(y) || is.character(y)) {
    classes <- if (is.factor(y)) levels(y) else sort(unique(y), method = "radix")
    return(list(
      classes = classes, values = as.character(y), leaks = sprintf("the levels of `%s`", name)
    ))
  }
  if (is.logical(y)) return(list(classes = c(FALSE, TRUE), values = y))
  check_numbers(y, name)
  list(classes = if (any(y == 0)) c(0, 1) else c(-1, 1), values = y)
}

#' Labels -1 and 1 by the classes of the training labels (one class alone is fine), or numbers.
#' @noRd
known_labels <- function(y, loss, classes, n, name) {
  if (!loss$classification) return(encode_labels(y, loss, n, NULL, name)$y)
  check_labels(y, n, name)
  if (is.character(classes) && is.factor(y)) y <- as.character(y)
  # match() alone would take TRUE for 1, and 1 for "1"
  same <- !is.factor(y) && (is.character(classes) == is.character(y)) &&
    (is.logical(classes) == is.logical(y))
  code <- if (same) match(y, classes) else rep(NA_integer_, n)
  if (anyNA(code)) {
    k <- which(is.na(code))[1L]
    abort("labels", sprintf(
      "`%s` must be coded as the training labels were, %s and %s; it is %s at position %d.", name,
      format(classes[1L]), format(classes[2L]), format(y[k]), k
    ), argument = name, value = y[k], place = k)
  }
  c(-1, 1)[code]
}
