# Figures of what was spent: lines of steps, for ledgers, sites and plans.

#' @param data a data frame: `x`, `y`, `line`, and `part` of a line, each drawn for itself.
#' @noRd
draw_steps <- function(data, xlab, ylab, xlim = range(data$x), ylim = c(0, 1), ...) {
  dated <- inherits(data$x, "POSIXct")
  graphics::plot(xlim, ylim,
    type = "n", xlab = xlab, ylab = ylab, xaxt = if (dated) "n" else "s", ...
  )
  if (dated) graphics::axis.POSIXct(1, data$x)
  names <- unique(data$line)
  for (k in seq_along(names)) {
    for (part in split(data[data$line == names[k], ], ~part, drop = TRUE)) {
      graphics::lines(part$x, part$y, type = "s", lty = k)
    }
  }
  if (length(names) > 1L) graphics::legend("topleft", names, lty = seq_along(names), bty = "n")
}

#' The same with ggplot2.
#' @noRd
ggplot_steps <- function(data, xlab, ylab) {
  need_package("ggplot2", "autoplot()")
  data$line <- factor(data$line, unique(data$line))
  ggplot2::ggplot(data, ggplot2::aes(
    x = .data[["x"]], y = .data[["y"]], linetype = .data[["line"]],
    group = interaction(.data[["line"]], .data[["part"]])
  )) +
    ggplot2::geom_step(show.legend = nlevels(data$line) > 1L) +
    ggplot2::labs(x = xlab, y = ylab, linetype = NULL)
}
