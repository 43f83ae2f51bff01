# The sparse vector test of IPP-ADMM: noise and sensitivity of its queries.

#' How far one record can move a query: the mean clipped loss at the last message less that
#' at the candidate. Never more than its range, 2 loss_clip (the printed figure). But with
#' the candidate's noise held fixed (it does not depend on the records), the replaced
#' record's own two terms move by loss_clip / B each, and the others' by the move of the
#' candidate: sensitivity / modulus for the minimiser, and twice its largest distance to
#' the inexact solution.
#' @noRd
query_sensitivity <- function(public, loss_clip, beta, modulus) {
  slope <- public$loss$lipschitz * public$row_bound
  moved <- (gradient_sensitivity(public) + 2 * beta) / modulus
  round_up(pmin(2 * loss_clip, 2 * loss_clip / public$size + slope * moved), 64)
}

#' The test as the core takes it, every number one a node. As printed the threshold's noise
#' is fresh for every query, with a scale that grows with the number of sends.
#' @noRd
sparse_vector_test <- function(p, N, sensitivity, epsilon, max_sends, printed) {
  first <- epsilon / (1 + p$eps_ratio)
  second <- epsilon - first
  list(
    threshold = rep(p$threshold, N),
    threshold_scale = rep_len(if (is.null(epsilon)) 0 else sensitivity / first * if (printed) max_sends else 1, N),
    query_scale = rep_len(if (is.null(epsilon)) 0 else 2 * max_sends * sensitivity / second, N),
    max_sends = max_sends, loss_clip = p$loss_clip, printed = printed
  )
}
