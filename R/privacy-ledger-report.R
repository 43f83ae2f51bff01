# What a ledger says.

#' What was charged to a budget, and what is left
#'
#' Who charged what and when, how much of the budget that took, what is left, and whether the ledger
#' is as it was written. With a plan also how many more fits like it the budget admits.
#'
#' @param x a budget of [dpadmm_ledger()], a [dpadmm_site()], or [sites], which tell it of theirs (a
#'   list of `sites`, a data frame with a row for each, and `charges`, one by site).
#' @param plan `NULL`, or what to ask about: a plan of [dpadmm_plan()], a fit, or (not of sites) a
#'   table of events ([dp_event]).
#' @param ... not used.
#' @return An object of class `dpadmm_ledger_report`, a list of
#'   * `data_id`, `path`, `budget`;
#'   * `charges`, a data frame with a row for each charge, also those of earlier periods (it is
#'     what `as.data.frame()` and `tidy()` give): `number` in the ledger, which other data sets may
#'     share, `time`, `analyst`, `what`, `plan` (a digest), `run`, `period`, `cost` in the
#'     filter's numbers, `share` of the budget, `left` after it (a share), `hash`;
#'   * `period`, and of that `spent` and `left`, shares of the budget;
#'   * `statement`, what [account()] says of this period's fits together; `NULL` without any. It
#'     holds where all of them were fixed beforehand, and is then often less than the budget's
#'     promise, which holds where each was chosen by what the earlier ones showed;
#'   * `chain`: `ok`, whether each row is what was written; if not, the number of the first charge
#'     that is not in `row` (0: a budget) and `why` in words, with a warning of class
#'     `dpadmm_warning_ledger`; else `last`, the hash of the last charge;
#'   * `more`, how many more fits like `plan` are admitted (in this period), or `NULL`.
#' @seealso [plot.dpadmm_ledger_report()].
#' @examples
#' wanted <- c("DBI", "RSQLite", "digest", "jsonlite")
#' if (all(vapply(wanted, requireNamespace, NA, quietly = TRUE))) {
#'   path <- tempfile(fileext = ".sqlite")
#'   icu <- dpadmm_ledger(path, "icu-2026", epsilon = 1, delta = 1e-5)
#'   plan <- dpadmm_plan(5, sizes = c(A = 900, B = 700), epsilon = 0.1, delta = 1e-5)
#'   ledger_report(icu, plan = plan)$more
#'   unlink(path)
#' }
#' @export
ledger_report <- function(x, plan = NULL, ...) UseMethod("ledger_report")

#' @export
ledger_report.default <- function(x, plan = NULL, ...) {
  not_made_by(x, "x", "dpadmm_ledger(), dpadmm_site() or a function for sites")
}

#' @rdname ledger_report
#' @export
ledger_report.dpadmm_ledger <- function(x, plan = NULL, ...) {
  check_no_dots(...)
  asked <- if (!is.null(plan)) do.call(c, events_of(plan))
  # all that is read is of one moment
  found <- with_ledger(x, function(con) {
    ledger_transaction(con, function(con) read_ledger(con, x$data_id))
  })
  new_report(found, x$path, asked)
}

#' @noRd
read_ledger <- function(con, data_id) {
  chain <- ledger_verify(con)
  list(
    chain = chain, budget = read_budget(con, data_id), left = ledger_left(con, data_id),
    # of events that somebody changed nothing is said
    spent = if (chain$ok) ledger_spent(con, data_id),
    rows = ledger_query(con, "SELECT * FROM charge WHERE data_id = ? ORDER BY number",
      list(data_id)
    )
  )
}

#' A report of what read_ledger() found.
#' @param asked events of a plan, or NULL.
#' @noRd
new_report <- function(found, path, asked = NULL) {
  budget <- found$budget
  left <- found$left
  costs <- found$rows$cost[found$rows$period == left$period]
  if (!found$chain$ok) {
    warn("ledger", sprintf('The ledger "%s" is not what was written: %s.', path, found$chain$why),
      argument = "x", place = found$chain$row
    )
  }
  structure(list(
    data_id = budget$data_id, path = path,
    budget = budget[c("epsilon", "delta", "renewal", "order", "allowance", "created")],
    charges = charge_table(found$rows, budget), period = left$period,
    spent = 1 - left$share, left = left$share, now = left$charges,
    statement = joint_statement(found$spent$events, budget$delta), chain = found$chain,
    more = if (!is.null(asked)) filter_more(budget, asked, costs)
  ), class = "dpadmm_ledger_report")
}

charge_table <- function(rows, budget) {
  after <- stats::ave(rows$cost, rows$period, FUN = cumsum)
  share <- function(cost) pmin(cost / budget$allowance, 1)
  data.frame(
    number = rows$number, time = time_of(rows$time),
    rows[c("analyst", "what", "plan", "run", "period", "cost")],
    share = share(rows$cost), left = 1 - share(after), hash = rows$hash
  )
}

joint_statement <- function(events, delta) {
  if (is.null(events)) return(NULL)
  tryCatch(account(events, delta), dpadmm_error_accountant = function(e) NULL)
}

#' @export
print.dpadmm_ledger_report <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf('Budget of "%s": %s\n', x$data_id,
    budget_words(x$budget$epsilon, x$budget$delta, x$budget$renewal)
  ))
  if (!x$chain$ok) {
    cat(strwrap(sprintf(
      "THE LEDGER IS NOT WHAT WAS WRITTEN: %s. What follows cannot be relied on.", x$chain$why
    ), 88, indent = 2, exdent = 2), sep = "\n")
  }
  of_period <- if (is.null(x$budget$renewal)) "" else sprintf(" in period %d", x$period + 1L)
  cat(sprintf("  %s%s; %s.\n", count_words(x$now, "charge"), of_period, share_words(x$left)))
  if (!is.null(x$more)) cat(sprintf("  %s like the one asked about.\n", more_words(x$more)))
  cat(strwrap(report_words(x), 88, indent = 2, exdent = 2), sep = "\n")
  print_charges(x)
  invisible(x)
}

more_words <- function(more) {
  if (more == 0) "No more fit" else count_words(more, "more fit")
}

#' What is promised, and what account() says.
#' @noRd
report_words <- function(x) {
  c(
    paste0(
      "However each fit is chosen by what the earlier ones showed, all of ",
      if (is.null(x$budget$renewal)) "them" else "a period", " are together within the budget."
    ),
    if (!is.null(x$statement)) {
      sprintf(
        "Had the fits so far been fixed beforehand, they would cost epsilon = %s%s together.",
        format(x$statement$epsilon, digits = 4L),
        if (x$budget$delta > 0) sprintf(" at delta = %g", x$budget$delta) else ""
      )
    },
    if (x$chain$ok && nrow(x$charges)) {
      sprintf("Every row is as it was written; the last has hash %s...",
        substr(x$chain$last, 1L, 12L)
      )
    }
  )
}

print_charges <- function(x) {
  n <- nrow(x$charges)
  if (n == 0L) return(invisible())
  cat("\n")
  last <- utils::tail(x$charges, 10L)
  what <- ifelse(nchar(last$what) > 34L, paste0(substr(last$what, 1L, 31L), "..."), last$what)
  print.data.frame(data.frame(
    no = last$number, time = format(last$time, "%Y-%m-%d %H:%M", tz = "UTC"),
    analyst = last$analyst, what = what,
    spent = sprintf("%.2g%%", 100 * last$share), left = sprintf("%.3g%%", 100 * last$left)
  ), row.names = FALSE, right = FALSE)
  if (n > 10L) cat(sprintf("(and %s before)\n", count_words(n - 10L, "charge")))
}

#' @export
as.data.frame.dpadmm_ledger_report <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_dots(...)
  x$charges
}

#' @exportS3Method generics::tidy
tidy.dpadmm_ledger_report <- function(x, ...) {
  check_no_dots(...)
  x$charges
}
