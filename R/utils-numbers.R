# Numbers: results in doubles that are rounded, recycled, reported and solved for.

#' Results of a few operations in doubles, moved outward by more than their rounding.
#' @noRd
round_up <- function(x, ulps = 4) x * (1 + ulps * .Machine$double.eps)

#' Numbers >= 0 with so many binary digits after the first, `rounded` by floor() or ceiling(), and
#' as they are where those would be beyond the range of numbers.
#' @noRd
to_digits <- function(x, digits, rounded) {
  unit <- 2^(floor(log2(x)) - digits)
  y <- rounded(x / unit) * unit
  far <- which(!(is.finite(y) & y > 0))
  replace(y, far, x[far])
}

#' Whole numbers from 1 to `most` as a factor of as many levels: factor() goes by words, slowly.
#' @noRd
numbers_factor <- function(x, most) {
  structure(as.integer(x), levels = as.character(seq_len(most)), class = "factor")
}

#' For optimize(), which warns of infinite values.
#' @noRd
finite_or_largest <- function(x) {
  x[!is.finite(x)] <- .Machine$double.xmax
  x
}

log1p_exp <- function(x) pmax(x, 0) + log1p(exp(-abs(x)))

#' Arguments of one length.
#' @noRd
recycle <- function(...) {
  given <- list(...)
  n <- max(lengths(given))
  bad <- n %% lengths(given) != 0
  if (any(bad)) {
    abort("shape", sprintf(
      "Lengths %s do not agree.", paste(lengths(given), collapse = ", ")
    ), argument = names(given)[bad][1L])
  }
  lapply(given, function(x) rep_len(as.double(x), n))
}

#' A result that may be reported: finite, never NaN, never negative.
#' @noRd
finite_result <- function(x, what) {
  if (!all(is.finite(x)) || any(x < 0)) {
    abort("finite", sprintf(
      "The %s is beyond the range of numbers at %s.", what, where_first(!is.finite(x) | x < 0)
    ), argument = what)
  }
  x
}

#' The root of a rising function of a real number.
#' @noRd
rising_root <- function(f) {
  lo <- -1
  while (f(lo) > 0 && lo > -700) lo <- 2 * lo
  hi <- 1
  while (f(hi) < 0 && hi < 700) hi <- 2 * hi
  lo <- max(lo, -700)
  hi <- min(hi, 700)
  if (f(lo) >= 0) return(lo)
  if (f(hi) <= 0) return(hi)
  capped <- function(y) max(-1e300, min(1e300, f(y)))
  stats::uniroot(capped, c(lo, hi), tol = 1e-13, maxiter = 1000L)$root
}
