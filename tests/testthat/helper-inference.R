# Fits with standard errors, many times.

#' How many of the intervals of `runs` fits cover the truth is what it should be, within four
#' standard errors: as if a fit's intervals were one, from below, and as if they had nothing to do
#' with each other, from above.
expect_covers <- function(runs, truth, fit) {
  covered <- vapply(seq_len(runs), function(run) {
    ends <- confint(fit(run))
    ends[, 1] <= truth & truth <= ends[, 2]
  }, logical(length(truth)))
  expect_gt(mean(covered), 0.95 - 4 * sqrt(0.95 * 0.05 / runs))
  expect_lt(mean(covered), 0.95 + 4 * sqrt(0.95 * 0.05 / length(covered)))
}

#' Estimates from the same records vary as their noise is said to move them: in units of that, a
#' sum of squares of (runs - 1) numbers a coefficient.
expect_varies_as_said <- function(runs, inference) {
  all <- lapply(seq_len(runs), inference)
  said <- Reduce(`+`, lapply(all, function(it) it$bread %*% it$noise %*% it$bread)) / runs
  estimates <- do.call(rbind, lapply(all, `[[`, "estimate"))
  free <- (runs - 1) * ncol(estimates)
  squares <- sum(diag(solve(said, cov(estimates)))) * (runs - 1)
  expect_lt(abs(squares - free), 4 * sqrt(2 * free))
}
