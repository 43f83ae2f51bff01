# R^2 from noisy sums: 1 minus the mean square of residuals over the variance of the response,
# and what its interval needs. Of a response scaled into [-1, 1], and e = min(residual^2 / clip, 1).

#' Whole numbers a record: y / 2 and y^2, and in coarser steps y^3 / 2, y^4, e y / 2 and e y^2.
#' Each of them moves by its steps at most.
#' @noRd
response_query <- function(y, e) {
  y <- pmin(pmax(y, -1), 1)
  list(
    value = cbind(round(.loss_steps * cbind(y / 2, y^2)),
      round(.square_steps * cbind(y^3 / 2, y^4, e * y / 2, e * y^2))), dim = 6,
    l1 = 2 * .loss_steps + 4 * .square_steps,
    l2 = sqrt(2 * .loss_steps^2 + 4 * .square_steps^2), share = 1
  )
}

#' With q = A / B, A the mean square of residuals and B the variance of the response, a record moves
#' q by {a - q (y - m)^2} / B, a its squared residual and m the mean response.
#' @param sums,noise lists with `loss` and `response`.
#' @noRd
r2_row <- function(sums, n, noise, clip, level) {
  fine <- n * .loss_steps
  coarse <- n * .square_steps
  A <- clip * sums$loss[1L] / fine
  m <- 2 * sums$response[1L] / fine
  B <- sums$response[2L] / fine - m^2
  v_loss <- noise$loss$variance
  v <- noise$response$variance
  v_B <- v * (1 + 16 * m^2) / fine^2
  # too little variance, or too few records, for this noise
  if (B < 4 * sqrt(v_B)) return(measure_row("r2", NA_real_, NA_real_, -Inf, 1, NA_real_))
  q <- A / B
  # a^2 - 2 q a (y - m)^2 + q^2 (y - m)^4 from the sums of y^3 / 2, ..., e y^2
  each <- c(-8 * q^2 * m, q^2, 8 * q * m * clip, -2 * q * clip)
  square <- (clip^2 * sums$loss[2L] + sum(each * sums$response[3:6])) / coarse -
    2 * q * m^2 * A + q^2 * (6 * m^2 * (B + m^2) - 3 * m^4)
  off <- sqrt(clip^4 * v_loss + sum(each^2) * v) / coarse
  sampled <- max(square + off, 0) / n / B^2
  added <- (v_loss * (clip / fine)^2 + q^2 * v_B) / B^2
  error <- sqrt(sampled + added)
  share <- if (noise$loss$laplace) added / (sampled + added) else 0
  half <- interval_reach(level, share) * error
  measure_row("r2", min(1 - q, 1), error, 1 - q - half, min(1 - q + half, 1), sqrt(added))
}
