# A picture of the model itself.

#' Coefficients as a dot chart.
#' @noRd
plot_coefficients <- function(fit, ..., largest = 30) {
  check_number(largest, "largest", lower = 1, whole = TRUE)
  graphics::dotchart(rev(largest_slopes(coef(fit), largest)), xlab = "coefficient", pch = 19, ...)
  graphics::abline(v = 0, lty = 3)
}

#' The largest first; the intercept is of another kind, and shown only where it is alone.
#' @noRd
largest_slopes <- function(coefficients, count) {
  slopes <- coefficients[names(coefficients) != "(Intercept)"]
  if (length(slopes) == 0L) slopes <- coefficients
  utils::head(slopes[order(-abs(slopes))], count)
}
