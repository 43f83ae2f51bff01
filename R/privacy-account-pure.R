# The pure accountant: every mechanism by its worst-case log-ratio.

# Results of a few operations in doubles, moved outward by more than their rounding.
round_up <- function(x, ulps = 4) x * (1 + ulps * .Machine$double.eps)

.pure_losses <- list(
  pure = function(e) e$epsilon,
  laplace = function(e) round_up(e$sensitivity / e$b),
  gamma = function(e) round_up(e$alpha * e$sensitivity),
  # The noise densities differ by alpha * sensitivity, the Jacobians by the factor
  # 1 + curvature / modulus (matrix determinant lemma).
  objective_gamma = function(e) {
    round_up(e$alpha * e$sensitivity + log1p(e$curvature / e$modulus))
  }
)

pure_handles <- function(kinds) kinds$mechanism %in% names(.pure_losses)

account_pure <- function(kinds, ledgers, delta) {
  loss <- as.numeric(by_mechanism(kinds, .pure_losses, "pure"))
  list(epsilon = vapply(ledgers, function(ledger) {
    compose_groups(loss[ledger$kind], ledger$count, delta)
  }, 0))
}
