# The printed theorems, formula by formula, as functions of rows of a printed table (see
# privacy-printed.R). A theorem has one of
#   loss    the printed epsilon of a release; they add up
#   rho     its printed zCDP parameter, at a delta; they add up
#   rate    its printed Renyi divergence over the order a; `orders` says which orders a (given
#           less one) the theorem's condition allows
#   fold    of a theorem about a whole run, the epsilon of its rows and their counts at a delta
# `condition` is what a theorem asks for, in `words`; `caveat` is the line a statement carries.

gaussian_rate <- function(r) (r$sensitivity / r$scale)^2 / 2

#' Gamma-norm noise in the objective, of rate `scale`.
#' @noRd
printed_gamma <- list(
  loss = function(r) r$sensitivity * r$scale + 2.8 * r$curvature / r$modulus,
  condition = function(r) 2 * r$curvature < r$modulus + r$ridge,
  words = "2 c1 < (B/C) (rho/N + 2 eta V)",
  caveat = "The printed formula is valid here; its curvature term is looser than the sound one."
)

.printed_theorems <- list(
  "recycled-admm, Theorem V.1" = printed_gamma,
  "m-admm, Theorem 4.1" = printed_gamma,
  "noisy-fixed-point-admm, Theorem 2" = list(
    rate = gaussian_rate,
    caveat = paste(
      "The printed formula promises too much: it counts the mean of n noises as one whole",
      "noise."
    )
  ),
  "noisy-fixed-point-admm, Theorem 3 (central)" = list(
    rate = gaussian_rate,
    # Lemma C.1 with q = m / n, its sigma in units of the sensitivity of the sum
    orders = function(r, s) {
      sigma <- r$ratio
      M <- log1p(1 / (r$q * s))
      denominator <- M + log(r$q * (1 + s)) + 1 / (2 * sigma^2)
      r$q < 0.2 & sigma >= 4 & denominator > 0 &
        (1 + s) * denominator <= M^2 * sigma^2 / 2 - log(5 * sigma^2)
    },
    caveat = "The printed formula promises too much: it counts the sum of m noises as one noise."
  ),
  "noisy-fixed-point-admm, Theorem 3 (local)" = list(
    rate = gaussian_rate,
    caveat = "The printed formula is valid here."
  ),
  "noisy-fixed-point-admm, Theorem 4" = list(
    rate = gaussian_rate,
    orders = function(r, s) r$ratio > sqrt(s * (1 + s)),
    caveat = paste(
      "The printed formula is not proved: a step of one block moves the model by a map that",
      "can expand."
    )
  ),
  "noisy-fixed-point-admm, Theorem 7" = list(
    rate = gaussian_rate,
    caveat = "The printed formula is ||A||^2 times the sound one: too small when ||A|| < 1."
  ),
  "plausible-admm, Theorem 2" = list(
    # the noise is scaled to eps3, and eps1 - eps3 is what lambda-hat is made for
    rho = function(r, delta) printed_rho(r, delta, 2.8 * r$curvature / r$modulus),
    caveat = paste(
      "The printed formula promises too much: (epsilon, delta)-privacy of one update does not",
      "imply the zCDP that is composed, and the inexact solution moves by twice the printed",
      "bound."
    )
  ),
  "plausible-admm, Theorem 5" = list(
    # Algorithm 2 prints the noise scaled to eps1
    rho = function(r, delta) printed_rho(r, delta, 0),
    caveat = paste(
      "The printed formula promises too much: the test pays for negative answers too, what",
      "passed it is no fresh sample, and (epsilon, delta)-privacy of one update does not imply",
      "the zCDP that is composed."
    )
  ),
  "dp-admm-accadmm, Theorem 1" = list(
    # sigma^2 = c^2 a T / (2 n^2 epsilon mu), a = log(1/delta) / ((1 - mu) epsilon) + 1,
    # solved for epsilon, c / n the printed sensitivity
    fold = function(r, count, delta) {
      k <- sum(count * (r$sensitivity / r$scale)^2) / (2 * r$mu[1L])
      (k + sqrt(k) * sqrt(k - 4 * log(delta) / (1 - r$mu[1L]))) / 2
    },
    caveat = paste(
      "The printed rule takes c/n for what replacing a record changes, which is 2c/n,",
      "and loses some of that by the conversion it uses."
    )
  )
)

#' Theorem 1 and Lemma 7 of plausible-admm: rho of noise in the objective, of noise on the
#' inexact solution and of the test.
#' @noRd
printed_rho <- function(r, delta, regularised) {
  eps1 <- r$sensitivity * sqrt(2 * log(1.25 / delta)) / r$scale + regularised
  switch(r$part[1L],
    objective = -eps1^2 / (4 * log(delta)),
    output = (r$sensitivity / r$scale)^2 / 2,
    test = r$epsilon^2 / 2
  )
}
