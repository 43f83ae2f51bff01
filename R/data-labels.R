# Labels as losses take them: -1 and 1, or numbers; and back.

#' What numeric labels are when nobody declares classes: a convention, so that the coding says
#' nothing about which of them occur.
#' @noRd
.numeric_classes <- c(-1, 1)

#' Labels -1 and 1 (or numbers, for a regression loss) and how to turn them back. That all are
#' the same is no error: whether there is one would tell of the record that makes the
#' difference.
#' @param declared the classes, stated in public; `NULL`: by convention for numeric and logical
#'   labels, else read from y.
#' @noRd
encode_labels <- function(y, loss, n, declared, name = "y") {
  y <- check_labels(y, n, name)
  if (!loss$classification) {
    check_numbers(y, name)
    return(list(y = as.double(y), classes = NULL, leaks = NULL))
  }
  found <- label_classes(y, declared, name)
  classes <- found$classes
  if (length(classes) != 2L) {
    abort("labels", sprintf("`%s` must have two classes, not %d%s.", name, length(classes),
      if (is.factor(y) && length(classes) > 2L) {
        "; droplevels() takes away levels that do not occur"
      } else ""
    ), argument = name, value = length(classes))
  }
  code <- label_codes(y, classes)
  if (anyNA(code)) {
    k <- which(is.na(code))[1L]
    abort("labels", sprintf(
      "`%s` must have two classes, %s; it is %s at position %d.%s", name,
      classes_words(classes), format(y[k]), k,
      if (is.double(y) && y[k] != round(y[k])) " A loss of numbers is \"huber\"." else ""
    ), argument = name, value = if (is.factor(y)) as.character(y[k]) else y[k], place = k)
  }
  list(y = code, classes = classes, leaks = found$leaks)
}

#' -1 and 1, or NA for what is neither class. By the numeric convention 0 is -1, whether or not
#' there is a -1.
#' @noRd
label_codes <- function(y, classes) {
  if (is.character(classes)) {
    if (is.factor(y)) return(c(-1, 1)[match(levels(y), classes)][y])
    y <- as.character(y)
  } else if (is.factor(y) || is.character(y) || is.logical(classes) != is.logical(y)) {
    # match() alone would take TRUE for 1, and "1" for 1
    return(rep(NA_real_, length(y)))
  } else if (is.numeric(y)) { # match() is slow on doubles
    if (by_convention(classes) && .Call(ffi_are_signs, y)) return(as.double(y)) # no copy
    high <- y == classes[2L]
    low <- y == classes[1L]
    if (by_convention(classes)) low <- low | y == 0
    code <- 2 * high - 1
    if (!all(high | low)) code[!(high | low)] <- NA
    return(code)
  }
  c(-1, 1)[match(y, classes)]
}

by_convention <- function(classes) is.numeric(classes) && all(classes == .numeric_classes)

classes_words <- function(classes) {
  if (by_convention(classes)) return("-1 (or 0) and 1")
  paste(format(classes[1L]), "and", format(classes[2L]))
}

#' A vector of n labels without missing values, which may come as one column.
#' @noRd
check_labels <- function(y, n, name) {
  if (is.data.frame(y) && length(y) == 1L) y <- y[[1L]]
  y <- plain_numbers(y, name)
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (length(y) != n || !is.null(dim(y))) {
    abort("shape", sprintf(
      "`%s` must be a vector with one label for each of the %d rows, not %d.", name, n, length(y)
    ), argument = name, value = length(y))
  }
  if (any_missing(y)) {
    bad <- is.na(y)
    nan <- is.numeric(y) && is.nan(y[bad][1L])
    abort(if (nan) "finite" else "missing", sprintf(
      "`%s` %s at %s.%s", name, if (nan) "is NaN" else "has a missing value", where_first(bad),
      if (nan) "" else ' With na.action = "omit" its record counts nothing.'
    ), argument = name, place = which(bad)[1L])
  }
  y
}

#' The two classes, and what was read to know them.
#' @noRd
label_classes <- function(y, declared, name) {
  numeric <- !(is.factor(y) || is.character(y) || is.logical(y))
  if (numeric && !is.character(declared) && !.Call(ffi_are_signs, y)) check_numbers(y, name)
  if (!is.null(declared)) return(list(classes = declared))
  if (is.factor(y) || is.character(y)) {
    classes <- if (is.factor(y)) levels(y) else sort(unique(y), method = "radix")
    return(list(classes = classes, leaks = sprintf("the levels of `%s`", name)))
  }
  list(classes = if (is.logical(y)) c(FALSE, TRUE) else .numeric_classes)
}

#' Labels -1 and 1 by the classes of the training labels (one class alone is fine), or numbers.
#' @noRd
known_labels <- function(y, loss, classes, n, name) {
  if (!loss$classification) return(encode_labels(y, loss, n, NULL, name)$y)
  y <- check_labels(y, n, name)
  # strings of numbers were numbers once, as the training labels were not
  same <- is.factor(y) || is.character(y) == is.character(classes)
  code <- if (same) label_codes(y, classes) else rep(NA_real_, n)
  if (anyNA(code)) {
    k <- which(is.na(code))[1L]
    abort("labels", sprintf(
      "`%s` must be coded as the training labels were, %s; it is %s at position %d.", name,
      classes_words(classes), if (is.numeric(y)) format(y[k]) else sprintf('"%s"', y[k]), k
    ), argument = name, value = y[k], place = k)
  }
  code
}

#' The bounds of a regression's response: declared, or read with a leak noted.
#' @noRd
describe_response <- function(y, name, declared, loss) {
  if (loss$classification) return(NULL)
  describe(y, name, declared)
}

#' A response as the model has it, or as it is where nobody stated bounds.
#' @noRd
scale_response <- function(y, range) {
  if (is.null(range)) y else scale_column(y, "y", range)
}
