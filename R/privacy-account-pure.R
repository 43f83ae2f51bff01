# The pure accountant: every mechanism by its worst-case log-ratio.

accountant_pure <- function() {
  list(
    fold = account_pure, handles = function(kinds) kinds$mechanism %in% names(.pure_losses),
    needs_delta = FALSE, serves_best = function(kinds) TRUE, exact = FALSE, speed = "usual",
    composes = paste(
      "the pure losses: their sum at `delta = 0`, their optimal composition",
      "([compose_pure()]) above"
    ),
    needs = "every mechanism has a pure loss"
  )
}

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

account_pure <- function(kinds, ledgers, delta) {
  loss <- as.numeric(by_mechanism(kinds, .pure_losses))
  list(epsilon = vapply(ledgers, function(ledger) {
    compose_groups(loss[ledger$kind], ledger$count, delta)
  }, 0))
}
