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
  check_policies(x)
  if (inherits(plan, "dpadmm_fit")) plan <- plan$plan
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
    sites = do.call(rbind, unname(rows)), charges = lapply(reports, charges_of_site),
    asked = !is.null(plan), time = ledger_now()
  ), class = "dpadmm_sites_report")
}

#' The charges of a site, with what was left after each (a share).
#' @noRd
charges_of_site <- function(report) {
  charges <- report$charges
  spent <- stats::ave(charges$cost, charges$period, FUN = cumsum)
  charges$time <- time_of(charges$time)
  charges$left <- 1 - pmin(spent / report$left$allowance, 1)
  charges
}

#' @rdname plot.dpadmm_ledger_report
#' @export
plot.dpadmm_sites_report <- function(x, ...) {
  check_plot_dots(...)
  draw_spent(spent_by_site(x), ...)
  invisible(x)
}

#' @rdname plot.dpadmm_ledger_report
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_sites_report <- function(object, ...) {
  check_no_dots(...)
  ggplot_spent(spent_by_site(object))
}

#' A row for each charge of each site, one before the first of a period, and one for now.
#' @noRd
spent_by_site <- function(report) {
  rows <- Map(function(charges, site, left) {
    first <- charges[!duplicated(charges$period), ]
    last <- max(charges$period, 0)
    data.frame(
      x = c(first$time, charges$time, report$time),
      y = c(0 * first$left, 1 - charges$left, 1 - left),
      part = c(first$period, charges$period, last),
      line = sprintf("%s: %s", site, share_words(left))
    )
  }, report$charges, report$sites$site, report$sites$left)
  do.call(rbind, unname(rows))
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

#' @exportS3Method generics::tidy
tidy.dpadmm_sites_report <- function(x, ...) as.data.frame(x, ...)
