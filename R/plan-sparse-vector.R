# The sparse vector test of IPP-ADMM: noise and sensitivity of its queries.

#' How far one record can move a query: the mean clipped loss at the last message less that
#' at the candidate. Never more than its range, 2 loss_clip (the printed figure). But with
#' the candidate's noise held fixed (it does not depend on the records), the replaced
#' record's own two terms move by loss_clip / B each, and the others' by the move of the
#' candidate: sensitivity / modulus for the minimiser, and twice its largest distance to
#' the inexact solution.
#' @noRd
query_sensitivity <- function(plan, loss_clip) {
  problem <- plan$problem
  slope <- problem$loss$lipschitz * problem$row_bound
  moved <- (gradient_sensitivity(problem) + 2 * plan$beta) / modulus_of(plan)[, 1L]
  round_up(pmin(2 * loss_clip, 2 * loss_clip / problem$size + slope * moved), 64)
}

#' A plan with the test as the core takes it, every number one a node; without noise yet. As
#' printed the threshold's noise is fresh for every query, with a scale that grows with the
#' number of sends.
#' @noRd
with_test <- function(plan, p, printed) {
  N <- plan$problem$N
  plan$test <- list(
    threshold = rep(p$threshold, N), threshold_scale = numeric(N), query_scale = numeric(N),
    max_sends = plan$sends, loss_clip = p$loss_clip, printed = printed,
    eps_ratio = plan$eps_ratio,
    sensitivity = if (printed) rep(2 * p$loss_clip, N) else query_sensitivity(plan, p$loss_clip)
  )
  plan
}

#' The test with noise that is worth `epsilon`, one a node.
#' @noRd
noisy_test <- function(test, epsilon, sends) {
  first <- epsilon / (1 + test$eps_ratio)
  test$threshold_scale <- test$sensitivity / first * if (test$printed) sends else 1
  test$query_scale <- 2 * sends * test$sensitivity / (epsilon - first)
  test
}
