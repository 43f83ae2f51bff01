# The units of a few parties, found in the core.

# by Gamma-norm noise the core finds units to 1e-4: what rounding to a grid costs is nothing beside
.grid_excess <- 1e-6

#' Units of parties that the RDP accountant serves best, and whose kinds are plain
#' (dpa_renyi_is_plain()): list(unit, order = what proves it), one a party; `NULL` where another
#' accountant may say less, or parties are many, or it does not find all.
#' @param epsilon of each party, less what the grid of its noise costs.
#' @noRd
units_in_core <- function(releases, epsilon, plan) {
  delta <- plan$budget$delta
  if (delta == 0 || are_many(releases, epsilon)) return(NULL)
  by_mechanism <- sorted_events(releases, plan$budget$mechanism, plan$problem)
  mechanisms <- list(mechanism = vapply(by_mechanism, `[[`, "", "name"))
  asked <- able_accountants(mechanisms, delta, slow = TRUE)
  if (is.null(asked$rdp) || changes_with_grid(releases, epsilon, plan)) return(NULL)
  found <- meet_in_core(by_mechanism, releases, epsilon, delta * (1 - .gaussian_grid_share))
  others <- setdiff(names(asked), "rdp")
  if (length(others) && !is.null(found)) {
    events <- events_of_unit(releases, plan$budget$mechanism, plan$problem)
    now <- events(found$unit[releases$node], seq_along(releases$node))
    if (may_say_less(others, open_statement(now, delta, counted_books(now)), epsilon)) return(NULL)
  }
  found
}

#' Whether accountants may say less than that of some ledgers.
#' @noRd
may_say_less <- function(accountants, statement, epsilon) {
  books <- statement$books
  for (name in accountants) {
    least <- .accountants[[name]]$least
    said <- if (is.null(least)) {
      spend(statement, name, list(upper = TRUE))$epsilon
    } else {
      least(books$kinds, books$ledgers, statement$delta)
    }
    if (any(said < epsilon)) return(TRUE)
  }
  FALSE
}

#' Whether what hides roundings is not only as large as noise is: the core takes it to be.
#' @noRd
changes_with_grid <- function(releases, epsilon, plan) {
  if (!noise_mechanism(plan$budget$mechanism)$pure) return(FALSE)
  cost <- gamma_grid_cost(plan$problem$d) * sum(releases$count[releases$part == "hidden"])
  !(cost <= .grid_excess * min(epsilon))
}

#' @param by_mechanism events with noise of unit 1, of sorted_events() or each_mechanism().
#' @param releases whose they are: `node` (1, 2, ...) and `count` of each.
#' @noRd
meet_in_core <- function(by_mechanism, releases, epsilon, delta) {
  columns <- renyi_of_each(by_mechanism, length(releases$node))
  budget <- list(epsilon = epsilon, cost = numeric(length(epsilon)), log_delta = log(delta),
    width = .close_excess)
  crossing <- may_cross(columns)
  search <- order_search(.ways$some$search, walks = crossing, valleys = crossing)
  found <- core_call(.Call(ffi_renyi_units, columns, releases, search, budget))
  if (!anyNA(found[[1L]])) stats::setNames(found, c("unit", "order"))
}
