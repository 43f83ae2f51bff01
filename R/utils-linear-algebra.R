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
