# A privacy filter: which charges a budget admits, when each may be chosen after seeing what the
# earlier ones released. What it rests on is Theorem 16 of the vignette "Privacy accounting".
#
# A budget (epsilon, delta > 0) has one Renyi order and an allowance at it, fixed from epsilon and
# delta alone. A charge costs its divergence at this order; charges are admitted while costs add
# up to no more than the allowance. At delta = 0 epsilons add.

# As many coordinates of discrete noise may be drawn under a budget, each of which pays its share
# (see grid_cost()).
.most_coordinates <- 2^40

#' A budget with its filter: list(epsilon, delta, order, allowance).
#' @noRd
new_budget <- function(epsilon, delta = 0) {
  check_number(epsilon, "epsilon", lower = 0, open_lower = TRUE)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  if (delta == 0) {
    return(list(epsilon = epsilon, delta = 0, order = NA_real_, allowance = epsilon))
  }
  # the order at which Gaussian noise could spend most: its divergence at order a is a mu^2 / 2
  orders <- 1 + 10^seq(-3, 5, length.out = 8001L)
  allowance <- filter_allowance(orders, epsilon, delta)
  best <- which.max(allowance / orders)
  list(
    epsilon = epsilon, delta = delta, order = orders[best], allowance = max(0, allowance[best])
  )
}

#' The divergences at `orders` that are (epsilon, delta), when something is kept for noise on a
#' grid.
#' @noRd
filter_allowance <- function(orders, epsilon, delta) {
  grid <- grid_cost_of(.most_coordinates)
  conversion_inverse(orders - 1, epsilon - grid$epsilon, log(delta) + log1p(-grid$delta))
}

#' What a charge costs, in the numbers that its budget's filter adds: for the record that loses
#' most. Infinite where nothing finite is proved.
#' @noRd
charge_cost <- function(events, budget) {
  one_relation(events)
  if (budget$delta == 0) return(proved_epsilon(events, 0))
  books <- open_books(events)
  if (!all(accountant_rdp()$handles(books$kinds))) return(Inf)
  curve <- as.vector(rdp_curves(books$kinds)(budget$order - 1))
  cost <- vapply(books$ledgers, function(own) {
    round_up(sum(curve[own$kind] * own$count), length(own$kind) + 4L)
  }, 0) + gamma_grid_costs(books) * budget$order / (budget$order - 1)
  sampled <- events$mechanism %in% c("subsampled_gaussian", "best_of")
  coordinates <- sum((events$dim * events$count)[sampled], na.rm = TRUE)
  round_up(max(cost) + budget$allowance * coordinates / .most_coordinates)
}

#' The epsilon of the best accountant; infinite where there is none.
#' @noRd
proved_epsilon <- function(events, delta) {
  tryCatch(fold_events(events, delta, "best")$epsilon, dpadmm_error_accountant = function(e) Inf)
}

#' Costs together, with `more` times another, rounded up.
#' @noRd
total_cost <- function(costs, cost = 0, more = 0) {
  round_up(sum(costs) + if (more > 0) more * cost else 0, length(costs) + more + 4)
}

#' Whether a charge may follow the others of its period. The first is chosen before anything was
#' released: whatever is proved of it alone will do, and then nothing is left for others.
#' @param costs of the charges before it.
#' @noRd
filter_admits <- function(budget, events, costs, cost = charge_cost(events, budget)) {
  if (total_cost(costs, cost, 1) <= budget$allowance) return(TRUE)
  length(costs) == 0L && budget$delta > 0 &&
    proved_epsilon(events, budget$delta) <= budget$epsilon
}

#' How many more charges like this one a budget admits after `costs`.
#' @noRd
filter_more <- function(budget, events, costs) {
  cost <- charge_cost(events, budget)
  if (!filter_admits(budget, events, costs, cost)) return(0)
  if (cost == 0) return(Inf)
  fits <- function(n) total_cost(costs, cost, n) <= budget$allowance
  n <- min(floor((budget$allowance - sum(costs)) / cost), 1e9)
  while (n > 0 && !fits(n)) n <- n - 1
  while (n < 1e9 && fits(n + 1)) n <- n + 1
  max(n, 1) # the first may cost more
}
