# The sparse vector test of IPP-ADMM: noise and sensitivity of its queries.

#' How far one record can move a query: the mean clipped loss at the last message less that
#' at the candidate. Never more than its range, 2 loss_clip (the printed figure). But with
#' the candidate's noise held fixed (it does not depend on the records), the replaced
#' record's own two terms move by loss_clip / B each, and the others' by the move of the
#' candidate: sensitivity / modulus for the minimiser, and twice its largest distance to
#' the inexact solution.
#' @noRd
query_sensitivity <- function(problem, loss_clip, beta, modulus) {
  slope <- problem$loss$lipschitz * problem$row_bound
  moved <- (gradient_sensitivity(problem) + 2 * beta) / modulus
  own <- 2 * loss_clip / problem$size * problem$per_person
  round_up(pmin(2 * loss_clip, own + slope * moved), 64)
}

#' What a query is off by: the margins of both losses, their sums, and half a step of the grid on
#' which it is compared, whose noise the core draws in whole steps.
#' @noRd
query_rounding <- function(plan, reach) {
  problem <- plan$problem
  test <- plan$test
  u <- .unit_roundoff
  slope <- problem$loss$lipschitz * problem$row_bound
  scales <- cbind(test$threshold_scale, test$query_scale)
  grid <- pmax(2^-40 * apply(scales, 1L, min), 2^-50 * apply(scales, 1L, max),
    2^-58 * abs(test$threshold)
  )
  2 * slope * 8 * (problem$d + 6) * u * reach +
    2 * sum_rounding(problem$size, test$loss_clip) +
    32 * u * (test$loss_clip + 1 + problem$loss$width + problem$loss$width^2) + 2 * grid
}

#' The test as the core takes it, every number one a node. As printed the threshold's noise
#' is fresh for every query, with a scale that grows with the number of sends.
#' @param epsilon what its noise is worth, one a node; `NULL`: no noise.
#' @noRd
sparse_vector_test <- function(p, N, sensitivity, epsilon, max_sends, printed) {
  first <- epsilon / (1 + p$eps_ratio)
  second <- epsilon - first
  scale <- function(x) rep_len(if (is.null(epsilon)) 0 else x, N)
  list(
    threshold = rep(p$threshold, N),
    threshold_scale = scale(sensitivity / first * if (printed) max_sends else 1),
    query_scale = scale(2 * max_sends * sensitivity / second),
    max_sends = max_sends, loss_clip = p$loss_clip, printed = printed
  )
}

#' A plan with its test.
#' @noRd
with_test <- function(plan, epsilon = NULL) {
  p <- plan$test_settings
  N <- plan$problem$N
  sensitivity <- if (plan$as_printed) {
    rep(2 * p$loss_clip, N)
  } else {
    distance <- plan$beta + plan$slop[, 1L]
    query_sensitivity(plan$problem, p$loss_clip, distance, modulus_of(plan)[, 1L]) +
      2 * plan$query_slop
  }
  plan$test <- sparse_vector_test(p, N, sensitivity, epsilon, plan$sends, plan$as_printed)
  plan
}
