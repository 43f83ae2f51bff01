# The zCDP accountant: losses that are linear in the order.

accountant_zcdp <- function() {
  list(
    fold = account_zcdp, handles = function(kinds) kinds$mechanism %in% names(.zcdp_losses),
    needs_delta = TRUE, serves_best = function(kinds) TRUE, exact = FALSE, speed = "usual",
    composes = "zero-concentrated losses, [zcdp_to_epsilon()]",
    needs = "Gaussian noise without sampling, or a pure loss"
  )
}

# A pure loss e is e tanh(e / 2)-zCDP, never more than the e^2 / 2 of Bun and Steinke
# (2016, Proposition 3.3): the moment of the worst mechanism, randomised response, has
# logarithm F(a) = log cosh((a - 1/2) e) - log cosh(e / 2), with F(1) = 0 and
# F'(a) = e tanh((2a - 1) e / 2) <= (2a - 1) e tanh(e / 2) because tanh is concave; so
# F(a) <= a (a - 1) e tanh(e / 2).
zcdp_of_pure <- function(epsilon) round_up(epsilon * tanh(epsilon / 2))

.zcdp_losses <- list(
  gaussian = function(e) round_up((e$sensitivity / e$sigma)^2 / 2),
  pure = function(e) zcdp_of_pure(e$epsilon),
  laplace = function(e) zcdp_of_pure(.pure_losses$laplace(e)),
  gamma = function(e) zcdp_of_pure(.pure_losses$gamma(e)),
  objective_gamma = function(e) zcdp_of_pure(.pure_losses$objective_gamma(e))
)

account_zcdp <- function(kinds, ledgers, delta, how) {
  rho <- by_mechanism(kinds, .zcdp_losses)
  total <- vapply(ledgers, function(own) sum(rho[own$kind] * own$count), 0)
  list(epsilon = zcdp_epsilon(round_up(total), log(delta)))
}
