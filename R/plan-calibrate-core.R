# The units of a few parties, found in the core.

#' Units of parties about which the RDP accountant alone is asked, and whose kinds are plain
#' (dpa_renyi_is_plain()): list(unit, order = what proves it), one a party; `NULL` where there are
#' others, or many, or where it does not find all.
#' @param epsilon of each party, less what the grid of its noise costs.
#' @noRd
units_in_core <- function(releases, epsilon, plan) {
  delta <- plan$budget$delta
  if (delta == 0 || are_many(releases, epsilon)) return(NULL)
  by_mechanism <- sorted_events(releases, plan$budget$mechanism, plan$problem)
  mechanisms <- vapply(by_mechanism, `[[`, "", "name")
  # only it can do something with all of them
  if (!any(.only_by[mechanisms] == "rdp", na.rm = TRUE)) return(NULL)
  meet_in_core(by_mechanism, releases, epsilon, delta * (1 - .gaussian_grid_share))
}

#' @param by_mechanism events with noise of unit 1, of sorted_events() or each_mechanism().
#' @param releases whose they are: `node` (1, 2, ...) and `count` of each.
#' @noRd
meet_in_core <- function(by_mechanism, releases, epsilon, delta) {
  columns <- renyi_of_each(by_mechanism, length(releases$node))
  budget <- list(epsilon = epsilon, log_delta = log(delta), width = .close_excess)
  found <- core_call(.Call(
    ffi_renyi_units, columns, releases, order_search(.ways$some$search), budget
  ))
  if (!anyNA(found[[1L]])) stats::setNames(found, c("unit", "order"))
}
