# The pure accountant: every mechanism by its worst-case log-ratio.

accountant_pure <- function() {
  list(
    fold = account_pure, handles = pure_handles,
    needs_delta = FALSE, serves_best = function(kinds) TRUE, exact = FALSE, speed = "slow",
    tells = Inf,
    least = function(kinds, ledgers, delta) {
      pure_floor(by_mechanism(kinds, .pure_losses), ledgers, delta)
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
  choice <- which(kinds$mechanism == "best_of")
  if (length(choice)) {
    handled[choice] <- is.finite(best_of_losses(pick_releases(kinds, choice)))
  }
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
#' losses, with which an answer is the worst with a known probability. With many releases all are
#' hardly ever at once, but some of them are, and they add up to much more than on average as rarely
#' as delta allows.
#' @param loss of each kind; `NA` of those of which more is known.
#' @noRd
pure_floor <- function(loss, ledgers, delta) {
  floors <- pure_floors(loss, ledgers, delta)
  pmax.int(0, floors["all", ], floors["some", ], floors["sum", ], na.rm = TRUE)
}

#' Its parts, see dpa_pure_floors(): a column a ledger.
#' @noRd
pure_floors <- function(loss, ledgers, delta) {
  floors <- core_call(.Call(ffi_pure_floors, as.double(loss), ledgers, as.double(delta)))
  rownames(floors) <- c("all", "some", "sum")
  floors
}

account_pure <- function(kinds, ledgers, delta, how = list()) {
  loss <- by_mechanism(kinds, .pure_losses)
  if (delta == 0) return(list(epsilon = compose_ledgers(loss, ledgers, delta)))
  alike <- alike_ledgers(ledgers, loss, numeric(length(loss)), how)
  list(epsilon = compose_ledgers(loss, alike$most, delta)[alike$group])
}
