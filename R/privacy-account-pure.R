# The pure accountant: every mechanism by its worst-case log-ratio.

accountant_pure <- function() {
  list(
    fold = account_pure, handles = pure_handles,
    needs_delta = FALSE, serves_best = function(kinds) TRUE, exact = FALSE, speed = "slow",
    least = function(kinds, ledgers, delta) {
      pure_floor(as.numeric(by_mechanism(kinds, .pure_losses)), ledgers, delta)
    },
    composes = paste(
      "the pure losses: their sum at `delta = 0`, their optimal composition",
      "([compose_pure()]) above"
    ),
    needs = "every mechanism has a pure loss"
  )
}

#' A choice has a pure loss where all its candidates have one.
#' @noRd
pure_handles <- function(kinds) {
  handled <- kinds$mechanism %in% names(.pure_losses)
  choice <- kinds$mechanism %in% "best_of"
  handled[choice] <- is.finite(best_of_losses(pick_releases(kinds, which(choice))))
  handled
}

.pure_losses <- list(
  best_of = function(e) best_of_losses(e),
  pure = function(e) e$epsilon,
  laplace = function(e) round_up(e$sensitivity / e$b),
  gamma = function(e) round_up(e$alpha * e$sensitivity),
  objective_gamma = function(e) {
    shift <- round_up(e$alpha * e$sensitivity)
    objective_pure_loss(shift, round_up(e$curvature / e$modulus), e$logistic_curvature)
  }
)

#' Pure loss of Gamma-norm noise in objectives: the noise densities differ by `shift`, alpha
#' times the sensitivity, the Jacobians by the factor 1 + kappa, kappa = curvature / modulus
#' (Theorem 1 of the vignette "Privacy accounting"). With logistic curvature not both at once
#' (its Corollary): the Jacobians cost nothing where shift >= 8 kappa.
#' @noRd
objective_pure_loss <- function(shift, kappa, logistic_curvature) {
  round_up(core_call(.Call(
    ffi_objective_pure, as.double(shift), as.double(kappa), logistic_curvature
  )), 16)
}

#' No less than this is proved of ledgers by whoever knows no more of some kinds than their pure
#' losses, with which all their answers are the worst with a probability p: that alone costs the sum
#' of the losses, and log(1 - delta / p).
#' @param loss of each kind; `NA` of those of which more is known.
#' @noRd
pure_floor <- function(loss, ledgers, delta) {
  vapply(ledgers, function(own) {
    known <- which(!is.na(loss[own$kind]))
    e <- loss[own$kind[known]]
    count <- own$count[known]
    p <- exp(-sum(count * log1p(exp(-e))))
    if (p > delta) max(0, sum(count * e) + log1p(-delta / p)) else 0
  }, 0)
}

account_pure <- function(kinds, ledgers, delta, how = list()) {
  loss <- as.numeric(by_mechanism(kinds, .pure_losses))
  epsilons <- function(ledgers) {
    vapply(ledgers, function(own) compose_groups(loss[own$kind], own$count, delta), 0)
  }
  if (delta == 0) return(list(epsilon = epsilons(ledgers)))
  alike <- alike_ledgers(ledgers, loss, numeric(length(loss)), how)
  list(epsilon = epsilons(alike$most)[alike$group])
}
