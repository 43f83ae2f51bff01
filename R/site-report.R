# What sites tell of their ledgers.

#' @return list(site, left, charges): what is left of the budget, and a data frame of what was
#'   charged to it (number, time, analyst, what, cost).
#' @noRd
site_report <- function(site) {
  with_store(site, function(con) {
    list(
      site = site$policy$site, left = ledger_left(con, site$policy$data),
      charges = ledger_query(con, "SELECT number, time, analyst, what, cost FROM charge
        WHERE data_id = ? ORDER BY number", list(site$policy$data))
    )
  })
}
