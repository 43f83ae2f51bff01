# What is known of some of many parties, as of the others: a guess of where they are solved.

#' In between those that are known, in the order of all, or by a surface over what parties are
#' like, whichever tells better what each of them is from the others.
#' @param y of the parties `some`; what is not finite is not known.
#' @param like a matrix, a row a party; `shape`: of surface_of().
#' @return list(y = of all, or `NA`, off = by how much those on both sides are apart, or several
#'   times what the surface was off by; one a party).
#' @noRd
between_some <- function(y, some, like, shape = surface_of(like)) {
  all <- seq_len(nrow(like))
  known <- is.finite(y)
  if (sum(known) < 2L) return(list(y = rep(NA_real_, length(all)), off = rep(NA, length(all))))
  gap <- findInterval(all, some, all.inside = TRUE)
  line <- list(
    y = stats::approx(some[known], y[known], all, rule = 2)$y, off = abs(diff(y))[gap]
  )
  # the order of all tells what hangs on one of them
  if (count_unlike(like) < 2L) return(line)
  some <- some[known]
  y <- y[known]
  fit <- qr(shape[some, , drop = FALSE])
  if (length(y) < 3L * fit$rank) return(line)
  leverage <- rowSums(qr.Q(fit)[, seq_len(fit$rank), drop = FALSE]^2)
  off <- abs(qr.resid(fit, y)) / (1 - leverage)
  if (!isTRUE(mean(off^2) < mean(apart_between(some, y)^2))) return(line)
  slopes <- qr.coef(fit, y)
  slopes[is.na(slopes)] <- 0
  list(y = as.vector(shape %*% slopes), off = rep(5 * max(off), length(all)))
}

#' How far each but the first and the last is from the line through those on both sides.
#' @noRd
apart_between <- function(at, y) {
  inner <- seq_along(y)[-c(1L, length(y))]
  share <- (at[inner] - at[inner - 1L]) / (at[inner + 1L] - at[inner - 1L])
  y[inner] - y[inner - 1L] - share * (y[inner + 1L] - y[inner - 1L])
}

#' In how many columns parties are unlike.
#' @noRd
count_unlike <- function(like) sum(apply(like, 2L, function(x) max(x) > min(x)))

#' The columns of a quadratic surface.
#' @noRd
surface_of <- function(like) {
  like <- scale(like)
  like[!is.finite(like)] <- 0 # one for all
  pairs <- which(upper.tri(diag(ncol(like)), diag = TRUE), arr.ind = TRUE)
  cbind(1, like, like[, pairs[, 1L]] * like[, pairs[, 2L]])
}
