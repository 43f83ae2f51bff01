# Matrices that users hand over, dense or sparse.

#' A numeric matrix or dgCMatrix without missing or infinite entries.
#' @noRd
check_matrix <- function(x, argument, threads = 1L) {
  x <- plain_numbers(x, argument)
  if (methods::is(x, "Matrix")) {
    if (!methods::is(x, "dgCMatrix")) {
      x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    }
    values <- x@x
    cell <- function(k) {
      c(x@i[k] + 1L, findInterval(k - 1L, x@p))
    }
  } else if (is.matrix(x) && (is.numeric(x) || is.logical(x))) {
    if (!is.double(x)) storage.mode(x) <- "double"
    values <- x
    cell <- function(k) c((k - 1L) %% nrow(x) + 1L, (k - 1L) %/% nrow(x) + 1L)
  } else {
    abort("argument", sprintf(
      "`%s` must be a numeric matrix, dense or of package Matrix, not %s.", argument, kind_of(x)
    ), argument = argument)
  }
  if (nrow(x) == 0L || ncol(x) == 0L) {
    abort("shape", sprintf(
      "`%s` must have rows and columns; it is %d x %d.", argument, nrow(x), ncol(x)
    ), argument = argument)
  }
  if (!is.finite(largest_size(values, threads)) && any(bad <- !is.finite(values))) {
    k <- which(bad)[1L]
    at <- cell(k)
    missing <- is.na(values[k]) && !is.nan(values[k])
    abort(if (missing) "missing" else "finite", sprintf(
      "`%s` %s at row %d, column %d.", argument,
      if (missing) "has a missing value" else paste("is", format(values[k])), at[1L], at[2L]
    ), argument = argument, place = at)
  }
  x
}

#' The largest size of doubles in one pass, without a copy; not finite where one of them is not.
#' @noRd
largest_size <- function(x, threads = 1L) core_call(.Call(ffi_largest, x, as.double(threads)))

#' A matrix as C takes it: itself, or the slots of a dgCMatrix.
#' @noRd
matrix_slots <- function(x) {
  if (!methods::is(x, "dgCMatrix")) return(x)
  list(p = x@p, i = x@i, x = x@x, Dim = x@Dim)
}

# Numbers that two bytes tell apart.
.narrow <- 65536
