# Attributes as columns of a sparse matrix.
#
# A block is the columns of one attribute: `names`, and for each record the one
# column `at` (NA: none) that holds its `value`.

category_block <- function(x, attribute) {
  list(at = as.integer(x), value = 1, names = paste0(attribute, "=", levels(x)))
}

#' Put blocks side by side in a dgCMatrix without stored zeros.
#' @noRd
bind_blocks <- function(blocks, n) {
  widths <- lengths(lapply(blocks, `[[`, "names"))
  before <- cumsum(widths) - widths
  at <- lapply(blocks, function(block) rep_len(block$at, n))
  value <- unlist(lapply(blocks, function(block) rep_len(block$value, n)), use.names = FALSE)
  row <- rep(seq_len(n), length(blocks))
  column <- unlist(Map(`+`, at, before), use.names = FALSE)
  keep <- !is.na(column) & value != 0
  Matrix::sparseMatrix(
    i = row[keep], j = column[keep], x = value[keep], dims = c(n, sum(widths)),
    dimnames = list(NULL, unlist(lapply(blocks, `[[`, "names"), use.names = FALSE))
  )
}
