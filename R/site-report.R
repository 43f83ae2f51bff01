# What sites tell of their ledgers.

#' For a hub.
#' @return list(site, left, charges): what is left of the budget, and a data frame of what was
#'   charged to it (number, time, analyst, what, period, cost).
#' @noRd
site_report <- function(site) {
  with_store(site, function(con) {
    list(
      site = site$policy$site, left = ledger_left(con, site$policy$data),
      charges = ledger_query(con, "SELECT number, time, analyst, what, period, cost FROM charge
        WHERE data_id = ? ORDER BY number", list(site$policy$data))
    )
  })
}

#' @rdname ledger_report
#' @export
ledger_report.dpadmm_site <- function(x, plan = NULL, ...) {
  policy <- x$it$policy
  ledger_report(dpadmm_ledger(policy$ledger, policy$data), plan, ...)
}

#' @rdname ledger_report
#' @export
ledger_report.dpadmm_sites <- function(x, plan = NULL, ...) {
  check_no_dots(...)
  if (!is.null(plan)) check_class(plan, "dpadmm_plan", "plan", "dpadmm_plan()")
  said <- ask_all(x, "report", list())
  reports <- Map(check_report, names(said), said)
  rows <- Map(function(report, public) {
    left <- report$left
    more <- if (!is.null(plan)) more_of_site(plan, public, report)
    data.frame(
      site = public$site, data = public$data, epsilon = left$epsilon, delta = left$delta,
      charges = left$charges, left = left$share, more = if (is.null(more)) NA else more
    )
  }, reports, x$public)
  structure(list(
    sites = do.call(rbind, unname(rows)), charges = lapply(reports, `[[`, "charges"),
    asked = !is.null(plan)
  ), class = "dpadmm_sites_report")
}

#' How many more fits like a plan the budget of a site admits.
#' @noRd
more_of_site <- function(plan, public, report) {
  party <- match(public$site, plan$problem$names)
  if (is.na(party)) return(NA)
  costs <- report$charges$cost[report$charges$period == report$left$period]
  filter_more(new_budget(public$epsilon, public$delta),
    own_events(list(plan = plan, party = party)), costs)
}

#' @export
print.dpadmm_sites_report <- function(x, ...) {
  check_no_dots(...)
  for (k in seq_len(nrow(x$sites))) {
    s <- x$sites[k, ]
    cat(sprintf("%s: %s of %s; %s, %s.\n", s$site, budget_words(s$epsilon, s$delta), s$data,
      count_words(s$charges, "charge"), share_words(s$left)
    ))
    if (x$asked) cat(sprintf("  %s like the one asked about.\n", more_words(s$more)))
  }
  invisible(x)
}

#' @export
as.data.frame.dpadmm_sites_report <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_dots(...)
  x$sites
}
