#' Plot what was charged to a budget
#'
#' The share of the budget that was spent, over time; with a renewal it begins anew in each
#' period.
#'
#' @param x,object a report of [ledger_report()].
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
  spent <- spent_over_time(x)
  plot(range(spent$time), c(0, 1),
    type = "n", xlab = "time", ylab = "share of the budget spent", xaxt = "n", ...
  )
  graphics::axis.POSIXct(1, spent$time)
  for (period in split(spent, spent$period)) {
    graphics::lines(period$time, period$spent, type = "s")
  }
  graphics::abline(h = 1, lty = 2)
  invisible(x)
}

#' @rdname plot.dpadmm_ledger_report
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_ledger_report <- function(object, ...) {
  check_no_dots(...)
  need_package("ggplot2", "autoplot()")
  ggplot2::ggplot(spent_over_time(object), ggplot2::aes(
    x = .data[["time"]], y = .data[["spent"]], group = .data[["period"]]
  )) +
    ggplot2::geom_step() +
    ggplot2::geom_hline(yintercept = 1, linetype = 2) +
    ggplot2::labs(x = NULL, y = "share of the budget spent")
}

#' A row for each charge, and one for the beginning of each period.
#' @noRd
spent_over_time <- function(report) {
  charges <- report$charges
  begin <- time_of(report$budget$created)
  periods <- sort(unique(c(charges$period, report$period)))
  length <- if (is.null(report$budget$renewal)) 0 else 86400 * report$budget$renewal
  starts <- data.frame(time = begin + periods * length, spent = 0, period = periods)
  spent <- data.frame(time = charges$time, spent = 1 - charges$left, period = charges$period)
  out <- rbind(starts, spent)
  out[order(out$period, out$time), ]
}
