#' Plot what was charged to a budget
#'
#' The share of the budget that was spent, over time; with a renewal it begins anew in each
#' period. Of sites there is a line for each, from its first charge to now, with what is left.
#'
#' @param x,object a report of [ledger_report()], of a ledger or of sites.
#' @param ... passed to [plot.default()].
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' wanted <- c("DBI", "RSQLite", "digest", "jsonlite")
#' if (all(vapply(wanted, requireNamespace, NA, quietly = TRUE))) {
#'   path <- tempfile(fileext = ".sqlite")
#'   icu <- dpadmm_ledger(path, "icu-2026", epsilon = 1, delta = 1e-5)
#'   x <- matrix(runif(600), 200) / 2
#'   for (k in 1:3) {
#'     dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 2, epsilon = 0.2, delta = 1e-5, ledger = icu)
#'   }
#'   plot(ledger_report(icu))
#'   unlink(path)
#' }
#' @export
plot.dpadmm_ledger_report <- function(x, ...) {
  check_plot_dots(...)
  draw_spent(spent_over_time(x), ...)
  invisible(x)
}

#' @rdname plot.dpadmm_ledger_report
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_ledger_report <- function(object, ...) {
  check_no_dots(...)
  ggplot_spent(spent_over_time(object))
}

draw_spent <- function(data, ...) {
  draw_steps(data, "time", "share of the budget spent", ...)
  graphics::abline(h = 1, lty = 3)
}

ggplot_spent <- function(data) {
  ggplot_steps(data, NULL, "share of the budget spent") +
    ggplot2::geom_hline(yintercept = 1, linetype = 3)
}

#' A row for each charge, and one for the beginning of each period.
#' @noRd
spent_over_time <- function(report) {
  charges <- report$charges
  begin <- time_of(report$budget$created)
  periods <- sort(unique(c(charges$period, report$period)))
  length <- if (is.null(report$budget$renewal)) 0 else 86400 * report$budget$renewal
  starts <- data.frame(x = begin + periods * length, y = 0, part = periods)
  spent <- data.frame(x = charges$time, y = 1 - charges$left, part = charges$period)
  out <- rbind(starts, spent)
  out$line <- rep(report$data_id, nrow(out))
  out[order(out$part, out$x), ]
}
