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
  choice <- which(kinds$mechanism %in% "best_of")
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
#' losses, with which an answer is the worst with probability p. With many releases all are hardly
#' ever at once, but some of them are, see worst_sum(), and they add up to much more than they do on
#' average as rarely as delta allows, see rare_sum().
#' @param loss of each kind; `NA` of those of which more is known.
#' @noRd
pure_floor <- function(loss, ledgers, delta) {
  worst <- 1 / (1 + exp(-loss))
  vapply(ledgers, function(own) {
    known <- which(!is.na(loss[own$kind]))
    kind <- own$kind[known]
    count <- own$count[known]
    e <- loss[kind]
    p <- worst[kind]
    all <- sum(count * log(p))
    if (all > log(delta)) return(max(0, at_once(sum(count * e), all, delta)))
    # of infinite losses the second is no number
    max(0, worst_sum(e, p, count, delta), rare_sum(e, p, count, delta), na.rm = TRUE)
  }, 0)
}

#' What losses of that sum cost that are the worst all at once with a probability P: the sum and
#' log(1 - delta / P).
#' @noRd
at_once <- function(sum, log_p, delta) sum + log1p(-pmin.int(exp(log(delta) - log_p), 1))

#' What as many of the largest losses cost as are at once more often than delta.
#' @noRd
worst_sum <- function(e, p, count, delta) {
  order <- order(e, decreasing = TRUE)
  e <- e[order]
  rare <- -log(p[order])
  count <- count[order]
  before <- function(x) c(0, cumsum(x)[-length(x)])
  spent <- before(count * rare)
  left <- -log(delta) - spent
  some <- pmin.int(count, floor(pmax.int(left, 0) / rare)) # of each, after all that cost more
  some <- c(some, pmax.int(some - 1, 0))
  costs <- at_once(before(count * e) + some * e, -(spent + some * rare), delta)
  max(costs[c(left > 0, left > 0)], na.rm = TRUE) # none of an infinite one is no number
}

#' A sum of losses, +e with probability p and else -e, that is exceeded so often that it costs more
#' than delta. Were p tilted by t, logit p + t, the sum would be beyond its mean less
#' sqrt(2 log(10) sum e^2) with probability 0.9 (Hoeffding); so it really is with one of at least
#' exp(-(KL + h) / 0.9), h the entropy of 0.9, because telling both laws apart by that is not easier
#' than by all, and KL <= t^2 / 2 sum p (1 - p) as p > 1 / 2. Half of it is lost by log(2) less.
#' @noRd
rare_sum <- function(e, p, count, delta) {
  most <- -0.9 * log(2 * delta) - 0.326
  if (most <= 0) return(0)
  tilt <- sqrt(2 * most / sum(count * p * (1 - p)))
  tilted <- 1 / (1 + (1 - p) / p * exp(-tilt))
  sum(count * e * (2 * tilted - 1)) - sqrt(2 * log(10) * sum(count * e^2)) - log(2)
}

account_pure <- function(kinds, ledgers, delta, how = list()) {
  loss <- by_mechanism(kinds, .pure_losses)
  epsilons <- function(ledgers) {
    vapply(ledgers, function(own) compose_groups(loss[own$kind], own$count, delta), 0)
  }
  if (delta == 0) return(list(epsilon = epsilons(ledgers)))
  alike <- alike_ledgers(ledgers, loss, numeric(length(loss)), how)
  list(epsilon = epsilons(alike$most)[alike$group])
}
