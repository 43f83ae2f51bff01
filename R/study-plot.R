# Figures of experiments: a line a group, told apart by line type and shape.

#' Means and ranges of an experiment
#'
#' `summary()` gives the mean and the range of a result over repetitions, `plot()` and
#' `autoplot()` draw them: a line a group (told apart by line type and shape, so in grey too),
#' with a band or bars from the lowest to the highest.
#'
#' Missing values, of runs that had none to give, are left out. All that varies besides the
#' repetitions must be named in `x`, `group` or `facet` (or cut away by [subset()]): means over
#' different settings are an error.
#'
#' @param object,x a result of [experiment()], or some of its rows. In `plot()`, `x` is that
#'   and `at` stands for `x` of `autoplot()`.
#' @param y name of the column to summarise or draw, a number.
#' @param by names of columns; a mean is taken over the rows that agree in them. By default
#'   those of the settings.
#' @param at name of the column on the horizontal axis.
#' @param group names of columns whose values have a line each, or `NULL`.
#' @param facet one or two names of columns whose values have a panel each, or `NULL`.
#' @param log `""`, `"x"`, `"y"` or `"xy"`: which axes are logarithmic.
#' @param xlab,ylab titles of the axes.
#' @param ... not used; in `plot()` passed to [plot.default()].
#' @return `summary()`: a data frame with `by`, `mean`, `lowest`, `highest` and `runs`, the
#'   number of values. `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#'
#'   Errors: `dpadmm_error_argument` for columns that are not there, are not numbers, or when
#'   something else varies.
#' @examples
#' run <- function(setting, seed) data.frame(mean = abs(mean(rnorm(setting$n))))
#' found <- experiment(data.frame(n = c(10, 100, 1000)), run, repetitions = 5)
#' summary(found, "mean")
#' plot(found, "n", "mean", log = "xy", xlab = "records", ylab = "distance from 0")
#' @export
plot.dpadmm_experiment <- function(x, at, y, group = NULL, facet = NULL, log = "",
                                   xlab = at, ylab = y, ...) {
  check_plot_dots(..., own = c("x", "y", "type", "log", "main", "xaxt"))
  data <- drawn_data(x, at, y, group, facet, log)
  panels <- split(data, data$panel, drop = TRUE)
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(panels)), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  named <- !is.numeric(data$place)
  if (named) log <- gsub("x", "", log)
  across <- range(as.numeric(data$place))
  for (p in seq_along(panels)) {
    panel <- panels[[p]]
    plot(across, range(panel$lowest, panel$highest),
      type = "n", log = log, xlab = xlab, ylab = ylab,
      main = if (length(panels) > 1L) names(panels)[p], xaxt = if (named) "n" else "s", ...
    )
    if (named) graphics::axis(1, seq_along(levels(data$place)), levels(data$place))
    draw_lines(panel)
    if (!is.null(group)) {
      looks <- line_looks(nlevels(data$group))
      graphics::legend("topright", levels(data$group),
        title = paste(group, collapse = ", "), bty = "n", lty = looks$type, pch = looks$shape
      )
    }
  }
  invisible(x)
}

#' The lines of a panel, one a group, with their ranges.
#' @noRd
draw_lines <- function(panel) {
  looks <- line_looks(nlevels(panel$group))
  for (k in seq_along(levels(panel$group))) {
    line <- panel[as.integer(panel$group) == k, ]
    line <- line[order(line$place), ]
    x <- as.numeric(line$place)
    graphics::segments(x, line$lowest, x, line$highest, col = "grey60")
    graphics::lines(x, line$mean, lty = looks$type[k])
    marked <- thinned(line$place)
    graphics::points(x[marked], line$mean[marked], pch = looks$shape[k])
  }
}

#' Line types and shapes of n groups.
#' @noRd
line_looks <- function(n) {
  list(
    type = rep_len(c("solid", "22", "42", "12", "1242", "62", "124282", "44"), n),
    shape = rep_len(c(16, 1, 17, 2, 15, 0, 18, 5, 4, 3, 8, 6), n)
  )
}

#' @rdname plot.dpadmm_experiment
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_experiment <- function(object, x, y, group = NULL, facet = NULL, log = "", ...) {
  check_no_dots(...)
  need_package("ggplot2", "autoplot()")
  data <- drawn_data(object, x, y, group, facet, log)
  several <- nlevels(data$group) > 1L
  here <- ggplot2::aes(
    x = .data[["place"]], y = .data[["mean"]], ymin = .data[["lowest"]],
    ymax = .data[["highest"]], group = .data[["group"]]
  )
  looks <- ggplot2::aes(
    linetype = .data[["group"]], shape = .data[["group"]], colour = .data[["group"]]
  )
  if (several) here <- utils::modifyList(here, looks)
  figure <- ggplot2::ggplot(data, here) + range_layer(data) + ggplot2::geom_line() +
    ggplot2::geom_point(data = data[marked_rows(data), ], size = 1.8)
  if (several) figure <- figure + group_scales(group, levels(data$group))
  if (grepl("x", log) && is.numeric(data$place)) figure <- figure + ggplot2::scale_x_log10()
  if (grepl("y", log)) figure <- figure + ggplot2::scale_y_log10()
  if (length(facet) == 2L) {
    figure <- figure +
      ggplot2::facet_grid(ggplot2::vars(.data[["facet1"]]), ggplot2::vars(.data[["facet2"]]))
  } else if (length(facet) == 1L) {
    figure <- figure + ggplot2::facet_wrap(ggplot2::vars(.data[["facet1"]]))
  }
  figure + ggplot2::labs(x = x, y = y)
}

#' Bands over many numbers, bars over few values; a single run has no range.
#' @noRd
range_layer <- function(data) {
  spread <- data[data$runs > 1L, ]
  if (nrow(spread) == 0L) return(NULL)
  if (is.numeric(data$place) && length(unique(data$place)) > 15L) {
    return(ggplot2::geom_ribbon(ggplot2::aes(colour = NULL, shape = NULL, linetype = NULL),
      spread, fill = "grey50", alpha = 0.2, show.legend = FALSE
    ))
  }
  ggplot2::geom_linerange(ggplot2::aes(linetype = NULL, shape = NULL), spread,
    alpha = 0.5, show.legend = FALSE
  )
}

#' The same limits in all scales: a layer of some groups only must not change their order.
#' @noRd
group_scales <- function(group, levels) {
  title <- paste(group, collapse = ", ")
  looks <- line_looks(length(levels))
  list(
    ggplot2::scale_linetype_manual(title, values = looks$type, limits = levels),
    ggplot2::scale_shape_manual(title, values = looks$shape, limits = levels),
    ggplot2::scale_colour_viridis_d(title, end = 0.75, limits = levels)
  )
}

#' Rows that get a shape, of all lines.
#' @noRd
marked_rows <- function(data) {
  parts <- split(seq_len(nrow(data)), list(data$group, data$panel), drop = TRUE)
  marked <- lapply(parts, function(rows) {
    rows <- rows[order(data$place[rows])]
    rows[thinned(data$place[rows])]
  })
  sort(unlist(marked, use.names = FALSE))
}

#' About ten of many points, so that shapes can be seen; all of few.
#' @noRd
thinned <- function(place) {
  n <- length(place)
  if (!is.numeric(place) || n <= 15L) return(seq_len(n))
  unique(round(seq(1, n, length.out = 10L)))
}
