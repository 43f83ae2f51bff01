# A picture of the model itself.

#' Coefficients as a dot chart.
#' @noRd
plot_coefficients <- function(fit, ..., largest = 30) {
  check_number(largest, "largest", lower = 1, whole = TRUE)
  graphics::dotchart(rev(largest_slopes(coef(fit), largest)), xlab = "coefficient", pch = 19, ...)
  graphics::abline(v = 0, lty = 3)
}

#' Coefficients with their intervals, or as points where a fit has none.
#' @noRd
forest_plot <- function(fit, largest = 30) {
  check_number(largest, "largest", lower = 1, whole = TRUE)
  known <- !is.null(fit$inference) && is.null(fit$inference$why)
  data <- if (known) {
    table <- coefficient_table(fit)
    slopes <- largest_slopes(stats::setNames(table$statistic, table$term), largest)
    table[match(names(slopes), table$term), ]
  } else {
    slopes <- largest_slopes(coef(fit), largest)
    data.frame(term = names(slopes), estimate = slopes, conf.low = slopes, conf.high = slopes)
  }
  data$term <- factor(data$term, rev(data$term))
  ggplot2::ggplot(data, ggplot2::aes(
    x = .data[["estimate"]], y = .data[["term"]],
    xmin = .data[["conf.low"]], xmax = .data[["conf.high"]]
  )) +
    ggplot2::geom_vline(xintercept = 0, linetype = 3) +
    ggplot2::geom_pointrange() +
    ggplot2::labs(x = if (known) "coefficient, 95% interval" else "coefficient", y = NULL)
}

#' The largest first; the intercept is of another kind, and shown only where it is alone.
#' @noRd
largest_slopes <- function(coefficients, count) {
  slopes <- coefficients[names(coefficients) != "(Intercept)"]
  if (length(slopes) == 0L) slopes <- coefficients
  utils::head(slopes[order(-abs(slopes))], count)
}
