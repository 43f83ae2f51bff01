# Matrices that users hand over, dense or sparse.

#' A matrix of numbers or flags that is nothing else.
#' @noRd
is_plain_matrix <- function(x) {
  !is.object(x) && is.matrix(x) && (is.numeric(x) || is.logical(x))
}

#' Whether a sparse matrix is held in one of the other ways that the core packs.
#' @noRd
is_by_row <- function(x) methods::is(x, "dgRMatrix")
is_triplets <- function(x) methods::is(x, "dgTMatrix")
is_as_held <- function(x) is_by_row(x) || is_triplets(x)

# A row with larger entries is put in other units before it is shortened.
.far_entry <- 1e100

#' A matrix of package Matrix as a plain one, if it is dense, else as a dgCMatrix.
#' @param as_held see check_matrix(). Numbers that are not finite, or far out, are looked for in a
#'   dgCMatrix.
#' @noRd
plain_or_sparse <- function(x, as_held, threads) {
  if (methods::is(x, "dgCMatrix")) return(x)
  if (as_held && is_as_held(x) && isTRUE(largest_size(x@x, threads) <= .far_entry)) return(x)
  if (methods::is(x, "dgeMatrix")) {
    values <- x@x
    dim(values) <- x@Dim # as(x, "matrix") copies them
    dimnames(values) <- dimnames(x)
    return(values)
  }
  if (methods::is(x, "denseMatrix")) return(methods::as(x, "matrix"))
  methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
}

#' A numeric matrix or dgCMatrix without missing or infinite entries.
#' @param left flags of rows of a dense one that may have any; or `NULL`.
#' @param as_held whether a dense one of whole numbers or flags may stay that, and a sparse one a
#'   dgRMatrix or dgTMatrix.
#' @noRd
check_matrix <- function(x, argument, left = NULL, threads = 1L, as_held = FALSE) {
  x <- plain_numbers(x, argument)
  if (methods::is(x, "Matrix")) x <- plain_or_sparse(x, as_held, threads)
  if (is.matrix(x) && (is.numeric(x) || is.logical(x))) {
    if (!is.double(x) && !(as_held && is_plain_matrix(x))) storage.mode(x) <- "double"
  } else if (!methods::is(x, "sparseMatrix")) {
    abort("argument", sprintf(
      "`%s` must be a numeric matrix, dense or of package Matrix, not %s.", argument, kind_of(x)
    ), argument = argument)
  }
  if (nrow(x) == 0L || ncol(x) == 0L) {
    abort("shape", sprintf(
      "`%s` must have rows and columns; it is %d x %d.", argument, nrow(x), ncol(x)
    ), argument = argument)
  }
  if (!is.null(bad <- first_not_finite(x, left, threads))) {
    missing <- is.na(bad$value) && !is.nan(bad$value)
    abort(if (missing) "missing" else "finite", sprintf(
      "`%s` %s at row %d, column %d.", argument,
      if (missing) "has a missing value" else paste("is", format(bad$value)), bad$at[1L], bad$at[2L]
    ), argument = argument, place = bad$at)
  }
  x
}

#' The first entry, column by column, that is not a finite number, list(at, value), or `NULL`.
#' @noRd
first_not_finite <- function(x, left, threads) {
  if (is_as_held(x)) return(NULL) # see plain_or_sparse()
  if (methods::is(x, "Matrix")) {
    k <- if (!is.finite(largest_size(x@x, threads))) which(!is.finite(x@x))
    if (length(k) == 0L) return(NULL)
    return(list(at = c(x@i[k[1L]] + 1L, findInterval(k[1L] - 1L, x@p)), value = x@x[k[1L]]))
  }
  if (if (is.double(x)) is.finite(largest_size(x, threads)) else !anyNA(x)) return(NULL)
  for (j in seq_len(ncol(x))) {
    bad <- !is.finite(x[, j])
    if (!is.null(left)) bad <- bad & !left
    if (any(bad)) {
      k <- unname(which.max(bad)) # of row names nobody asks
      return(list(at = c(k, j), value = as.double(x[k, j])))
    }
  }
}

#' The largest size of doubles in one pass, without a copy; not finite where one of them is not.
#' @noRd
largest_size <- function(x, threads = 1L) core_call(.Call(ffi_largest, x, as.double(threads)))

#' A matrix as C takes it: itself, or the slots of a dgCMatrix, dgRMatrix or dgTMatrix.
#' @noRd
matrix_slots <- function(x) {
  if (is_by_row(x)) return(list(p = x@p, j = x@j, x = x@x, Dim = x@Dim))
  if (is_triplets(x)) return(list(i = x@i, j = x@j, x = x@x, Dim = x@Dim))
  if (!methods::is(x, "dgCMatrix")) return(x)
  list(p = x@p, i = x@i, x = x@x, Dim = x@Dim)
}

#' The slots of the dgCMatrix that is the transpose of a dgRMatrix.
#' @noRd
transpose_slots <- function(x) list(p = x@p, i = x@j, x = x@x, Dim = rev(x@Dim))

#' Some rows of a sparse matrix. Of triplets Matrix makes several copies.
#' @noRd
sparse_rows <- function(x, rows) {
  if (!is_triplets(x) || is.unsorted(rows, strictly = TRUE) ||
    rows[length(rows)] - rows[1L] >= length(rows)) {
    return(x[rows, , drop = FALSE])
  }
  first <- rows[1L] - 1L
  at <- which(x@i >= first & x@i < rows[length(rows)])
  methods::new("dgTMatrix", i = x@i[at] - first, j = x@j[at], x = x@x[at],
    Dim = c(length(rows), ncol(x)), Dimnames = list(NULL, colnames(x))
  )
}

# Numbers that two bytes tell apart.
.narrow <- 65536
