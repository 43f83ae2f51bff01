# Small linear algebra.

#' The largest eigenvalue of A'A by power iterations from a fixed start.
#' @noRd
largest_eigenvalue <- function(A, most = 500L, tolerance = 1e-9) {
  v <- cos(seq_len(ncol(A))) + 1.5 # no symmetry that an eigenvector is likely to share
  value <- 0
  for (k in seq_len(most)) {
    v <- v / sqrt(sum(v^2))
    w <- as.vector(Matrix::crossprod(A, A %*% v))
    last <- value
    value <- sum(v * w)
    if (value == 0 || abs(value - last) <= tolerance * value) break
    v <- w
  }
  value
}

#' The smallest eigenvalue of the symmetric part.
#' @noRd
least_eigen <- function(X) {
  values <- eigen((X + t(X)) / 2, symmetric = TRUE, only.values = TRUE)$values
  values[length(values)]
}

#' The Moore-Penrose inverse.
#' @noRd
pseudo_inverse <- function(X) {
  s <- svd(X)
  keep <- s$d > max(dim(X)) * .Machine$double.eps * s$d[1L]
  s$v[, keep, drop = FALSE] %*% (t(s$u[, keep, drop = FALSE]) / s$d[keep])
}

#' From here on R's BLAS, where it has threads of its own, takes so many at most (and one while the
#' core works, see ffi_blas.c), until the function that is answered is called.
#' @noRd
limit_blas <- function(threads) {
  set <- function(threads) .Call(ffi_blas_threads, threads) # it says what there were; 0: not known
  before <- set(threads)
  if (before < threads && before > 0L) set(before)
  function() if (before > 0L) set(before)
}
