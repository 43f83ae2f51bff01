# Matrices as records. A dense one whose numbers are whole, or some rows of which are left out for
# missing values, is not copied to be one of doubles without these: the core packs it as it is.

#' Whether a matrix is one that passes may go over as it lies.
#' @param left flags of rows that are left out, or `NULL`.
#' @noRd
is_passable <- function(x, left = NULL) {
  is.null(left) && if (is.matrix(x)) is.double(x) else !is_as_held(x)
}

#' Some rows of a matrix as the core packs them; those that are left out are 0.
#' @noRd
packed_rows <- function(x, rows, left = NULL) {
  if (is_as_held(x)) return(methods::as(sparse_rows(x, rows), "CsparseMatrix"))
  x <- x[rows, , drop = FALSE]
  if (!is.double(x)) storage.mode(x) <- "double"
  if (!is.null(left)) x[left[rows], ] <- 0
  x
}

#' What becomes of rows that are longer than the bound: an error, or they are shortened later on.
#' @param rows "error" or "shorten".
#' @noRd
bounded_rows <- function(x, rows, bound, argument, left = NULL, threads = 1L) {
  if (rows == "shorten") return(tame_rows(x, bound, left, threads))
  check_row_lengths(x, bound, argument, left, threads)
  x
}

#' New data as the matrix of a blueprint: its columns, by their names where there are any.
#' @param as_held see check_matrix().
#' @noRd
new_matrix <- function(blueprint, newdata, argument, left = NULL, threads = 1L, as_held = FALSE) {
  if (is.data.frame(newdata)) newdata <- plain_columns(newdata)
  inputs <- blueprint$inputs
  if (is.data.frame(newdata) && !is.null(inputs) && !anyDuplicated(inputs)) {
    abort_lost(setdiff(inputs, names(newdata)), argument)
    newdata <- as.matrix(newdata[inputs])
  }
  x <- check_matrix(newdata, argument, left, threads, as_held)
  if (!is.null(inputs) && !is.null(colnames(x)) && !anyDuplicated(inputs)) {
    abort_lost(setdiff(inputs, colnames(x)), argument)
    if (!identical(colnames(x), inputs)) x <- x[, inputs, drop = FALSE] # a copy of all
  }
  if (ncol(x) != blueprint$p) {
    abort("shape", sprintf("`%s` must have %d columns, not %d.", argument, blueprint$p, ncol(x)),
      argument = argument
    )
  }
  x
}

#' Rows of a matrix as the model has them: with an intercept (x, bound) / sqrt(2), which is no
#' longer than the bound if x is not.
#' @noRd
encode_matrix <- function(blueprint, x) {
  if (!blueprint$intercept) return(x)
  if (blueprint$rows == "shorten") x <- x * shortening(x, blueprint$row_bound)
  x <- cbind(blueprint$row_bound, x) * blueprint$factor
  dimnames(x) <- list(NULL, coefficient_names(blueprint))
  x
}

#' Rows longer than the bound, but for rounding, are an error.
#' @noRd
check_row_lengths <- function(x, bound, argument, left = NULL, threads = 1L) {
  kept <- if (is_passable(x, left) || is_by_row(x)) {
    shortening(x, bound, threads)
  } else {
    sparse <- is_triplets(x) # all of them are looked through for each block
    blocks <- if (sparse) row_blocks(nrow(x), 8, nrow(x)) else row_blocks(nrow(x), ncol(x))
    unlist(lapply(blocks, function(rows) {
      shortening(packed_rows(x, rows, left), bound, threads)
    }))
  }
  if (!any(long <- kept < 1 - 1e-9)) return(invisible())
  row <- which(long)[1L]
  abort("row_bound", sprintf(paste(
    "Row %d of `%s` has norm %.4g, above `row_bound` = %g%s. Divide the columns by public numbers,",
    "raise `row_bound` of dpadmm_control() (noise grows with it), or accept with rows =",
    '"shorten" that long rows are shortened, for a model to predict with.'
  ), row, argument, bound / kept[row], bound,
  if (sum(long) > 1L) sprintf(", as have %d more", sum(long) - 1L) else ""
  ), argument = argument, place = row)
}

#' By how much each row is shortened to meet the bound.
#' @noRd
shortening <- function(x, bound, threads = 1L) {
  if (methods::is(x, "dgCMatrix")) {
    return(core_call(.Call(ffi_shortening, matrix_slots(x), as.double(bound))))
  }
  x <- if (is_by_row(x)) transpose_slots(x) else x
  core_call(.Call(ffi_row_measure, x, as.double(bound), as.double(threads)))$scale
}

#' Rows that will be shortened to a bound, without entries so large that a product with a model
#' could leave the range of doubles: whether it does, and an error of it, would tell of a record.
#' Each row is a function of itself alone, points where it did, and is no shorter than the bound
#' if it was longer.
#' @noRd
tame_rows <- function(x, bound, left = NULL, threads = 1L) {
  sparse <- methods::is(x, "dgCMatrix")
  if (!has_far_entries(x, left, threads)) return(x)
  values <- if (sparse) x@x else x
  row <- if (sparse) x@i + 1L else as.vector(row(x))
  at <- which(abs(values) > .far_entry)
  largest <- numeric(nrow(x))
  # the largest of a row comes last
  order <- at[order(abs(values[at]))]
  largest[row[order]] <- abs(values[order])
  of_far <- which(largest[row] > max(.far_entry, bound))
  tamed <- values[of_far] / largest[row[of_far]] * bound
  if (sparse) x@x[of_far] <- tamed else x[of_far] <- tamed
  x
}

has_far_entries <- function(x, left = NULL, threads = 1L) {
  if (methods::is(x, "dgCMatrix")) return(largest_size(x@x, threads) > .far_entry)
  if (is_as_held(x)) return(FALSE) # see plain_or_sparse()
  if (!is.double(x)) return(FALSE) # whole numbers are of four bytes
  if (is.null(left)) return(largest_size(x, threads) > .far_entry)
  any(vapply(seq_len(ncol(x)), function(j) any(abs(x[!left, j]) > .far_entry), NA))
}
