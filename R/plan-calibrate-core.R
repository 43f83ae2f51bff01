# The units of parties, found in the core.

# Whom the core asks, or knows when they might say less.
.core_accountants <- c("pure", "zcdp", "rdp", "pld")
# It takes noise that hides roundings to change with the size of all, and what of it is for the grid
# to be at most this share of a budget.
.grid_excess <- 1e-4
# Many get noise up to this above the least, a tenth of what R gives them.
.many_in_core_excess <- 1e-4

#' Units of parties whose kinds are plain (dpa_renyi_is_plain()): list(unit, order = what proves it,
#' see proving_order() and tells_of()), one a party; `NULL` where others are asked than the core
#' knows, or it does not find all: of many, none. Of these units are `NA` where it finds none, and
#' orders where others may say less.
#' @param epsilon of each party, less what the grid of its noise costs.
#' @noRd
units_in_core <- function(releases, epsilon, plan) {
  delta <- plan$budget$delta
  if (delta == 0) return(NULL)
  by_mechanism <- sorted_events(releases, plan$budget$mechanism, plan$problem)
  mechanisms <- list(mechanism = vapply(by_mechanism, `[[`, "", "name"))
  asked <- names(able_accountants(mechanisms, delta, slow = TRUE))
  if (!("rdp" %in% asked) || !all(asked %in% .core_accountants)) return(NULL)
  grid <- grid_costs_of(by_mechanism, releases, plan, numeric(length(epsilon)))
  if (!all(grid$hidden <= .grid_excess * epsilon)) return(NULL)
  # a loss that is more by so little costs hardly more by as much
  longer <- grid$longer + 2 * grid$hidden
  delta <- delta * (1 - .gaussian_grid_share) * exp(-max(longer))
  meet_in_core(grid$by_mechanism, releases, epsilon, delta, longer, length(asked) > 1L)
}

#' What the grid of Gamma-norm noise costs each party: list(`longer`, as gamma_grid_costs();
#' `hidden`, what is for the grid in losses of noise that hides roundings; `by_mechanism` without).
#' @param by_mechanism of sorted_events().
#' @noRd
grid_costs_of <- function(by_mechanism, releases, plan, none) {
  out <- list(longer = none, hidden = none, by_mechanism = by_mechanism)
  if (!noise_mechanism(plan$budget$mechanism)$pure) return(out)
  add <- function(to, rows, once) {
    to + group_sums(once * releases$count[rows], releases$node[rows], length(none))
  }
  for (k in seq_along(by_mechanism)) {
    of <- by_mechanism[[k]]
    if (of$name == "gamma") out$longer <- add(out$longer, of$rows, gamma_grid_cost(of$columns$dim))
    own <- which(releases$part[of$rows] == "hidden")
    if (of$name != "pure" || length(own) == 0L) next
    once <- gamma_grid_cost(plan$problem$d)
    out$hidden <- add(out$hidden, of$rows[own], once)
    bare <- pmax.int(0, of$columns$epsilon[own] - once)
    out$by_mechanism[[k]]$columns$epsilon[own] <- bare
  }
  out
}

#' @param by_mechanism events with noise of unit 1, of sorted_events() or each_mechanism().
#' @param releases whose they are: `node` (1, 2, ...) and `count` of each.
#' @param cost what of each budget goes to what no accountant knows of.
#' @param others whether other accountants are asked than the RDP accountant.
#' @noRd
meet_in_core <- function(by_mechanism, releases, epsilon, delta, cost = numeric(length(epsilon)),
                         others = FALSE) {
  columns <- renyi_of_each(by_mechanism, length(releases$node))
  width <- if (are_many(releases, epsilon)) .many_in_core_excess else .close_excess
  budget <- list(epsilon = epsilon, cost = cost, log_delta = log(delta), width = width,
    others = others)
  crossing <- may_cross(columns)
  search <- order_search(.ways$some$search, walks = crossing, valleys = crossing)
  found <- core_call(.Call(ffi_renyi_units, columns, releases, search, budget))
  lost <- is.na(found[[1L]] + found[[2L]])
  few <- width < .many_in_core_excess # they get no more than they need
  if (!(if (few) any(lost) else all(is.na(found[[1L]])))) stats::setNames(found, c("unit", "order"))
}
