# A budget in a ledger, as users hold it: where it is and what it is, without a connection.

#' A privacy budget that outlives a session
#'
#' A ledger is a file with a budget for each data set and every fit that was charged to it. A fit
#' with `ledger =` is charged before it draws any noise, and one that the budget has too little left
#' for does not run: an error of class `dpadmm_error_budget`, with nothing released and nothing
#' written. A charge is never taken back. [ledger_report()] says what was spent on what, and for how
#' many more fits the rest will do.
#'
#' What is charged is what a fit releases (its events), not its epsilon: a budget of `epsilon = 1`
#' can be enough for dozens of fits of `epsilon = 0.1`, see Examples.
#'
#' @section What the budget promises:
#' All fits that are charged in a period are together (`epsilon`, `delta`)-differentially private
#' for each record (for each person, where its charges are about [persons]), even where an analyst
#' chooses each fit by what the earlier ones showed. This is more than [account()] says of several
#' fits, whose settings must not depend on each other's releases. The rule is a privacy filter,
#' Theorem 16 of `vignette("privacy-accounting")`: the Renyi divergences of the charges, at one
#' order that depends on `epsilon` and `delta` alone, add up to no more than what that order
#' allows. A single fit that has the whole budget by the best
#' accountant is admitted, too, as the first of its period; then nothing is left. With `delta = 0`
#' epsilons add.
#'
#' A record is at one party, so a fit costs what its dearest party costs.
#'
#' With `renewal` the promise is for each period of so many days from the day the budget was made;
#' over k periods a record has k times `epsilon` and `delta`.
#'
#' A budget covers noise only. A fit with a `seed`, one without noise, and one that reads bounds,
#' levels or the number of rows from the records are errors with a ledger.
#'
#' @section The file:
#' An SQLite database (packages DBI, RSQLite, digest and jsonlite), readable by its owner only, on
#' a local disk: SQLite's locks are not reliable on network drives. Several processes may charge
#' at once, and one that is killed leaves either the whole charge or nothing. Each charge holds a
#' hash of itself and of the one before, and [ledger_report()] says if one was changed or taken
#' out. This finds accidents and careless hands; whoever may write the file can replace all of it.
#' Write the report's `last` hash down elsewhere, and it will be in every later report too. The
#' clock is the computer's.
#'
#' @param path of the file, which is made if it is not there.
#' @param data_id name of the data set, which the budget belongs to.
#' @param epsilon,delta the budget (`epsilon > 0`, `delta` in `[0, 1)`). A budget that is there
#'   cannot be changed: other numbers are an error of class `dpadmm_error_ledger`. `epsilon` may
#'   be left out then, and the others are not looked at.
#' @param renewal `NULL`, or the number of days after which the budget begins anew.
#' @return An object of class `dpadmm_ledger`: a list of `path`, `data_id` and `budget` (`epsilon`,
#'   `delta`, `renewal`, and the filter's `order` and `allowance`). It holds no open file.
#'   Errors have class `dpadmm_error_ledger` and name the file.
#' @seealso `dpadmm_fit(ledger = )`, [ledger_report()].
#' @references Feldman, V. and Zrnic, T. (2021). Individual privacy accounting via a Renyi filter.
#'   *NeurIPS*.
#' @examples
#' wanted <- c("DBI", "RSQLite", "digest", "jsonlite")
#' if (all(vapply(wanted, requireNamespace, NA, quietly = TRUE))) {
#'   path <- tempfile(fileext = ".sqlite")
#'   icu <- dpadmm_ledger(path, "icu-2026", epsilon = 1, delta = 1e-5)
#'   icu
#'
#'   x <- matrix(runif(600), 200) / 2
#'   y <- rep(c(-1, 1), 100)
#'   fit <- dpadmm_fit(x, y, nodes = 2, epsilon = 0.1, delta = 1e-5, ledger = icu)
#'   ledger_report(icu, plan = fit)
#'   unlink(path)
#' }
#' @export
dpadmm_ledger <- function(path, data_id, epsilon, delta = 0, renewal = NULL) {
  if (missing(epsilon)) return(stored_ledger(path, data_id))
  data_id <- check_string(data_id, "data_id", 200L)
  check_number(epsilon, "epsilon", lower = 0, open_lower = TRUE)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  check_renewal(renewal)
  con <- ledger_connect(path)
  on.exit(ledger_disconnect(con))
  new_ledger(path, ledger_budget(con, data_id, epsilon, delta, renewal))
}

#' A budget that is there.
#' @noRd
stored_ledger <- function(path, data_id) {
  data_id <- check_string(data_id, "data_id", 200L)
  con <- ledger_connect(path, create = FALSE)
  on.exit(ledger_disconnect(con))
  new_ledger(path, read_budget(con, data_id))
}

new_ledger <- function(path, budget) {
  structure(list(
    path = normalizePath(path), data_id = budget$data_id,
    budget = budget[c("epsilon", "delta", "renewal", "order", "allowance")]
  ), class = "dpadmm_ledger")
}

#' f(con) with a connection to the ledger's file.
#' @noRd
with_ledger <- function(ledger, f) {
  con <- ledger_connect(ledger$path, create = FALSE)
  on.exit(ledger_disconnect(con))
  f(con)
}

#' One charge by this user in this process.
#' @noRd
charge_ledger <- function(ledger, events, plan, what) {
  with_ledger(ledger, function(con) {
    ledger_transaction(con, function(con) {
      ledger_charge(con, ledger$data_id, events,
        analyst = this_user(), plan = plan, run = new_run(), what = what
      )
    })
  })
}

this_user <- function() {
  info <- Sys.info()
  gsub("[[:cntrl:]]", " ", paste0(info[["effective_user"]], "@", info[["nodename"]]))
}

#' @export
print.dpadmm_ledger <- function(x, ...) {
  check_no_dots(...)
  left <- with_ledger(x, function(con) ledger_left(con, x$data_id))
  cat(sprintf('Budget of "%s": %s\n', x$data_id, budget_words(
    x$budget$epsilon, x$budget$delta, x$budget$renewal
  )))
  cat(sprintf("  %s%s; %s.\n", count_words(left$charges, "charge"),
    if (is.null(x$budget$renewal)) "" else " in this period", share_words(left$share)
  ))
  cat(sprintf("  Ledger: %s\n", x$path))
  invisible(x)
}

#' A budget in words.
#' @noRd
budget_words <- function(epsilon, delta, renewal = NULL) {
  paste0(
    sprintf("epsilon = %s", format(epsilon, digits = 6L)),
    if (delta > 0) sprintf(", delta = %s", format(delta, digits = 6L)),
    if (!is.null(renewal)) sprintf(" in every period of %s days", format(renewal, digits = 6L))
  )
}

count_words <- function(n, what) sprintf("%s %s%s", format(n), what, if (n == 1) "" else "s")
