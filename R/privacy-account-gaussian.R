# The Gaussian accountant: releases with Gaussian noise on the output are one of them.

accountant_gaussian <- function() {
  list(
    fold = account_gaussian, handles = is_gaussian, needs_delta = TRUE,
    serves_best = function(kinds) TRUE, exact = TRUE, speed = "usual",
    composes = "Gaussian releases to one, whose epsilon is exact: [gaussian_epsilon()]",
    needs = "Gaussian noise on the output, without sampling"
  )
}

is_gaussian <- function(kinds) kinds$mechanism == "gaussian"

account_gaussian <- function(kinds, ledgers, delta, how) {
  squares <- (kinds$sensitivity / kinds$sigma)^2
  mu <- vapply(ledgers, function(ledger) sqrt(sum(squares[ledger$kind] * ledger$count)), 0)
  list(epsilon = gaussian_epsilon_mu(round_up(mu), rep(log(delta), length(mu))))
}
