# From noisy sums to measures with intervals: the noise, whose law is public, and what another
# sample would have given.

#' How many standard deviations to each side hold `level`, of a sum of a normal variable and
#' Laplace ones, which have `share` of its variance.
#' @param alike how many Laplace variables of one scale; they are taken as one and a normal one of
#'   the same variance and kurtosis together.
#' @noRd
interval_reach <- function(level, share = 0, alike = 1) {
  share <- share / sqrt(alike)
  normal <- stats::qnorm((1 + level) / 2)
  if (share < 0.01) return(normal)
  b <- sqrt(share / 2)
  sigma <- sqrt(max(1 - share, 1e-10))
  tail <- function(x) {
    log_of <- function(sign) {
      sigma^2 / (2 * b^2) + sign * x / b +
        stats::pnorm(-sign * x / sigma - sigma / b, log.p = TRUE)
    }
    2 * stats::pnorm(-x / sigma) + exp(log_of(-1)) - exp(log_of(1))
  }
  stats::uniroot(function(x) tail(x) - (1 - level), c(0, 40), tol = 1e-8)$root
}

#' What a sum over holders has of noise: variance, and as how many alike Laplace variables.
#' @noRd
pooled_noise <- function(kind, scale) {
  if (kind == "gaussian") return(list(variance = sum(scale^2), laplace = FALSE, alike = 1))
  list(variance = 2 * sum(scale^2), laplace = TRUE, alike = sum(scale^2)^2 / sum(scale^4))
}

reach_of <- function(noise, sampling, level) {
  share <- if (noise$laplace) noise$variance / (noise$variance + sampling) else 0
  interval_reach(level, share, noise$alike)
}

measure_row <- function(measure, estimate, error, low, high, noise) {
  data.frame(measure = measure, estimate = estimate, std.error = error, conf.low = low,
    conf.high = high, noise = noise)
}

#' A share of n records from a count with noise: all p for which the count is no surprise.
#' @noRd
error_row <- function(count, n, noise, level) {
  p <- count / n
  near <- min(max(p, 0), 1)
  sampling <- near * (1 - near) / n
  v <- noise$variance / n^2
  z2 <- reach_of(noise, n^2 * sampling, level)^2
  middle <- (p + z2 / (2 * n)) / (1 + z2 / n)
  half <- sqrt(max(0, middle^2 - (p^2 - z2 * v) / (1 + z2 / n)))
  measure_row("error", near, sqrt(sampling + v), max(0, min(1, middle - half)),
    min(1, max(0, middle + half)), sqrt(v))
}

#' A mean of losses in [0, clip], from sums of losses and of their squares with noise. The variance
#' of a loss is taken a noise's standard deviation above what is seen.
#' @noRd
mean_loss <- function(sums, n, noise, clip, level) {
  mean <- clip * sums[1L] / (.loss_steps * n)
  near <- min(max(mean, 0), clip)
  square <- clip^2 * sums[2L] / (.square_steps * n)
  off <- clip^2 * sqrt(noise$variance) / (.square_steps * n)
  spread <- max(min(square + off - near^2, near * (clip - near)), 0)
  v <- noise$variance * (clip / (.loss_steps * n))^2
  half <- reach_of(noise, spread / n * (.loss_steps * n / clip)^2, level) * sqrt(spread / n + v)
  list(estimate = near, error = sqrt(spread / n + v), low = max(0, mean - half),
    high = min(clip, mean + half), noise = sqrt(v))
}

log_loss_row <- function(sums, n, noise, clip, level) {
  it <- mean_loss(sums, n, noise, clip, level)
  measure_row("log_loss", it$estimate, it$error, min(it$low, clip), max(it$high, 0), it$noise)
}

#' Mean square of residuals and its root, in units of the response.
#' @noRd
squared_rows <- function(sums, n, noise, clip, unit, level) {
  it <- lapply(mean_loss(sums, n, noise, clip, level), `*`, unit^2)
  low <- min(it$low, clip * unit^2)
  high <- max(it$high, 0)
  root <- sqrt(it$estimate)
  # to first order, and no more than a root can move
  of_root <- function(error) pmin(error / (2 * root), sqrt(error), na.rm = TRUE)
  rbind(
    measure_row("mse", it$estimate, it$error, low, high, it$noise),
    measure_row("rmse", root, of_root(it$error), sqrt(low), sqrt(high), of_root(it$noise))
  )
}

#' The area under the curve of binned scores; ties count half. A cell's count has the variance of
#' itself and of its noise.
#' @param cells counts of the negative class in rising bins, then those of the positive.
#' @noRd
auc_row <- function(cells, noise, level) {
  bins <- length(cells) / 2
  negative <- cells[seq_len(bins)]
  positive <- cells[bins + seq_len(bins)]
  sums <- c(sum(negative), sum(positive))
  # too few of a class for this noise
  if (min(sums) < 4 * sqrt(noise$variance * bins)) {
    return(measure_row("auc", NA_real_, NA_real_, 0, 1, NA_real_))
  }
  below <- (cumsum(negative) - negative / 2) / sums[1L]
  above <- (sum(positive) - cumsum(positive) + positive / 2) / sums[2L]
  auc <- sum(positive * below) / sums[2L]
  slope <- c(above - auc, below - auc)^2 / rep(sums^2, each = bins)
  v <- noise$variance * sum(slope)
  variance <- v + max(0, sum(cells * slope))
  near <- min(max(auc, 0), 1)
  error <- sqrt(variance)
  # many cells: their noise together is about normal
  half <- stats::qnorm((1 + level) / 2) * error
  ends <- if (auc - error > 0 && auc + error < 1) {
    stats::plogis(stats::qlogis(auc) + c(-1, 1) * half / (auc * (1 - auc)))
  } else {
    c(max(0, auc - half), min(1, auc + half))
  }
  measure_row("auc", near, error, ends[1L], ends[2L], sqrt(v))
}

#' Shares of the positive class in the bins: all p for which the counts of both are no surprise.
#' @noRd
calibration_rows <- function(cells, edges, noise, level) {
  bins <- length(edges) - 1L
  negative <- cells[seq_len(bins)]
  positive <- cells[bins + seq_len(bins)]
  n <- negative + positive
  s2 <- noise$variance
  z2 <- vapply(pmax(n, 0), function(n) reach_of(noise, n / 4, level)^2, 0)
  least <- pmax(n, 0) * z2
  # (positive - n p)^2 <= z2 {n p (1 - p) + s2 (1 - 2 p + 2 p^2)}
  a <- n^2 + least - 2 * z2 * s2
  b <- positive * n + least / 2 - z2 * s2
  c <- positive^2 - z2 * s2
  root <- b^2 - a * c
  known <- a > 0 & root >= 0 & n > 0
  half <- sqrt(pmax(root, 0))
  limit <- function(x, other) ifelse(known, pmin(pmax(x, 0), 1), other)
  data.frame(
    from = edges[-length(edges)], to = edges[-1L], records = n,
    rate = ifelse(known, pmin(pmax(positive / n, 0), 1), NA_real_),
    conf.low = limit((b - half) / a, 0), conf.high = limit((b + half) / a, 1)
  )
}
