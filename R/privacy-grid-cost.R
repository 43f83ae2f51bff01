# What noise on a grid costs beyond the ideal noise of the theorems: section 7 of the vignette
# "Privacy accounting". Little, and the same whatever the accountant.

#' What discrete Gaussian noise costs beyond ideal noise, whatever the accountant: the
#' likelihood ratio of the discrete and the rounded law ("The program, to the last bit" in the
#' vignette), with D coordinates in all and at least 2^40 steps of the grid a sigma.
#' @return list(epsilon = to be added, delta = share of delta that pays for it).
#' @noRd
grid_cost <- function(events) {
  gaussian <- events$mechanism %in% c("gaussian", "subsampled_gaussian", "best_of")
  coordinates <- sum((events$dim * events$count)[gaussian], na.rm = TRUE)
  if (coordinates == 0) return(list(epsilon = 0, delta = 0))
  grid_cost_of(coordinates)
}

.gaussian_grid_share <- 1e-9

grid_cost_of <- function(coordinates) {
  list(
    epsilon = (1.001 * sqrt(coordinates) + 60)^2 / (6 * 2^80), delta = .gaussian_grid_share
  )
}

#' What Gamma-norm noise on a grid costs beyond ideal noise, d entries once: to be added to epsilon
#' and to be taken from log(delta) (Theorem 18 of the vignette "Privacy accounting"). 0 for more
#' entries than the core draws.
#' @param steps of the grid in 1 / alpha, at least.
#' @noRd
gamma_grid_cost <- function(d, steps = 2^40 / gamma_stretch(d)) {
  apart <- 2 + sqrt(d + 1) / 2^13 # the scale that is drawn from an ideal one
  share <- d * apart / steps
  lost <- 0.8 * share * (1 + log1p(2 / share^2) / 2)
  near <- (1.02 * apart * sqrt(321 + 1.5 * d) + 1.01 * sqrt(d)) / steps
  cost <- near - log1p(-pmin.int(lost, 1))
  cost[!is.finite(near)] <- 0
  cost
}

#' How much longer than its scale the grid of Gamma-norm noise takes it to be (draw.h).
#' @noRd
gamma_stretch <- function(d) {
  stretch <- pmax.int(1, sqrt((d + 1) / 2^13))
  stretch[!(d < 2^26)] <- Inf
  stretch
}

#' The same of all that each ledger has.
#' @noRd
gamma_grid_costs <- function(books) {
  gamma <- books$kinds$mechanism == "gamma"
  if (!any(gamma)) return(numeric(length(books$ledgers)))
  once <- numeric(length(gamma))
  d <- unique(books$kinds$dim[gamma])
  once[gamma] <- gamma_grid_cost(d)[match(books$kinds$dim[gamma], d)]
  ledgers <- books$ledgers
  entries <- unique(lengths(lapply(ledgers, `[[`, "kind")))
  if (length(entries) != 1L) {
    return(vapply(ledgers, function(own) sum(once[own$kind] * own$count), 0))
  }
  each <- function(name) matrix(unlist(lapply(ledgers, `[[`, name)), entries)
  colSums(once[each("kind")] * each("count"))
}
