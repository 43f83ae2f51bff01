# Means and ranges over repetitions, as a table and as a figure.

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
#' plot(found, "n", "mean", log = "xy")
#' @export
plot.dpadmm_experiment <- function(x, at, y, group = NULL, facet = NULL, log = "", ...) {
  data <- drawn_data(x, at, y, group, facet, log)
  panels <- split(data, data$panel, drop = TRUE)
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(panels)), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  place <- data$place
  named <- !is.numeric(place)
  if (named) log <- gsub("x", "", log)
  across <- range(as.numeric(place))
  for (p in seq_along(panels)) {
    panel <- panels[[p]]
    plot(across, range(panel$lowest, panel$highest),
      type = "n", log = log, xlab = at, ylab = y, main = if (length(panels) > 1L) names(panels)[p],
      xaxt = if (named) "n" else "s", ...
    )
    if (named) graphics::axis(1, seq_along(levels(place)), levels(place))
    for (k in seq_along(levels(panel$group))) {
      line <- panel[as.integer(panel$group) == k, ]
      line <- line[order(line$place), ]
      at_x <- as.numeric(line$place)
      graphics::segments(at_x, line$lowest, at_x, line$highest, col = "grey60")
      graphics::lines(at_x, line$mean, lty = .line_types[(k - 1L) %% length(.line_types) + 1L])
      marked <- thinned(line$place)
      graphics::points(at_x[marked], line$mean[marked], pch = .shapes[(k - 1L) %% length(.shapes) + 1L])
    }
    if (!is.null(group)) {
      ids <- seq_along(levels(data$group)) - 1L
      graphics::legend("topright", levels(data$group),
        title = paste(group, collapse = ", "), bty = "n",
        lty = .line_types[ids %% length(.line_types) + 1L], pch = .shapes[ids %% length(.shapes) + 1L]
      )
    }
  }
  invisible(x)
}

.line_types <- c("solid", "22", "42", "12", "1242", "62", "124282", "44")
.shapes <- c(16, 1, 17, 2, 15, 0, 18, 5, 4, 3, 8, 6)

#' @rdname plot.dpadmm_experiment
#' @export
summary.dpadmm_experiment <- function(object, y, by = NULL, ...) {
  check_no_dots(...)
  if (is.null(by)) by <- names(object)[seq_len(match("repetition", names(object)) - 1L)]
  lapply(by, check_column, object, "by")
  check_column(y, object, "y", numeric = TRUE)
  range_table(object, y, by)
}

#' @rdname plot.dpadmm_experiment
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_experiment <- function(object, x, y, group = NULL, facet = NULL, log = "", ...) {
  need_package("ggplot2", "autoplot()")
  data <- drawn_data(object, x, y, group, facet, log)
  lines <- nlevels(data$group)
  numeric <- is.numeric(data$place)
  here <- if (lines > 1L) {
    ggplot2::aes(
      x = .data[["place"]], y = .data[["mean"]], ymin = .data[["lowest"]], ymax = .data[["highest"]],
      linetype = .data[["group"]], shape = .data[["group"]], colour = .data[["group"]], group = .data[["group"]]
    )
  } else {
    ggplot2::aes(x = .data[["place"]], y = .data[["mean"]], ymin = .data[["lowest"]], ymax = .data[["highest"]], group = 1)
  }
  dense <- numeric && length(unique(data$place)) > 15L
  spread <- data[data$runs > 1L, ]
  parts <- split(seq_len(nrow(data)), list(data$group, data$panel), drop = TRUE)
  marked <- sort(unlist(lapply(parts, function(rows) {
    rows <- rows[order(data$place[rows])]
    rows[thinned(data$place[rows])]
  }), use.names = FALSE))
  figure <- ggplot2::ggplot(data, here)
  if (nrow(spread)) {
    figure <- figure + if (dense) {
      ggplot2::geom_ribbon(ggplot2::aes(colour = NULL, shape = NULL, linetype = NULL), spread, fill = "grey50", alpha = 0.2, show.legend = FALSE)
    } else {
      ggplot2::geom_linerange(ggplot2::aes(linetype = NULL, shape = NULL), spread, alpha = 0.5, show.legend = FALSE)
    }
  }
  figure <- figure + ggplot2::geom_line() + ggplot2::geom_point(data = data[marked, ], size = 1.8)
  if (lines > 1L) {
    title <- paste(group, collapse = ", ")
    # the same limits: a layer of some groups only must not change their order
    limits <- levels(data$group)
    figure <- figure +
      ggplot2::scale_linetype_manual(title, values = rep_len(.line_types, lines), limits = limits) +
      ggplot2::scale_shape_manual(title, values = rep_len(.shapes, lines), limits = limits) +
      ggplot2::scale_colour_viridis_d(title, end = 0.75, limits = limits)
  }
  if (grepl("x", log) && numeric) figure <- figure + ggplot2::scale_x_log10()
  if (grepl("y", log)) figure <- figure + ggplot2::scale_y_log10()
  if (length(facet) == 2L) {
    figure <- figure + ggplot2::facet_grid(ggplot2::vars(.data[["facet1"]]), ggplot2::vars(.data[["facet2"]]))
  } else if (length(facet) == 1L) {
    figure <- figure + ggplot2::facet_wrap(ggplot2::vars(.data[["facet1"]]))
  }
  figure + ggplot2::labs(x = x, y = y)
}

#' About ten of many points, so that shapes can be seen; all of few.
#' @noRd
thinned <- function(place) {
  n <- length(place)
  if (!is.numeric(place) || n <= 15L) return(seq_len(n))
  unique(round(seq(1, n, length.out = 10L)))
}

check_column <- function(name, data, argument, numeric = FALSE) {
  check_choice(name, names(data), argument)
  if (numeric && !is.numeric(data[[name]])) {
    abort("argument", sprintf("`%s` must be a column of numbers; \"%s\" is not.", argument, name), argument = argument, value = name)
  }
}

#' Mean and range of y over the rows that agree in `by`, in the order of the rows.
#' @noRd
range_table <- function(data, y, by) {
  class(data) <- "data.frame"
  key <- do.call(paste, c(list(rep("", nrow(data))), unname(lapply(data[by], format, digits = 17L)), sep = "\r"))
  first <- which(!duplicated(key))
  values <- split(data[[y]], factor(key, key[first]))
  values <- lapply(values, function(v) v[!is.na(v)])
  of <- function(f) vapply(values, function(v) if (length(v)) as.double(f(v)) else NA_real_, 0, USE.NAMES = FALSE)
  data.frame(data[first, by, drop = FALSE],
    mean = of(mean), lowest = of(min), highest = of(max), runs = lengths(values, use.names = FALSE),
    check.names = FALSE, row.names = NULL
  )
}

#' What a figure shows: place (x), mean, lowest, highest, runs, group, facet1, facet2, panel.
#' Strings are in the order in which they come.
#' @noRd
drawn_data <- function(data, x, y, group, facet, log) {
  check_column(x, data, "x")
  check_column(y, data, "y", numeric = TRUE)
  lapply(group, check_column, data, "group")
  lapply(facet, check_column, data, "facet")
  if (length(facet) > 2L) abort("shape", "`facet` must have at most two names.", argument = "facet", value = length(facet))
  check_choice(log, c("", "x", "y", "xy", "yx"), "log")
  by <- unique(c(x, group, facet))
  class(data) <- "data.frame"
  if ("repetition" %in% names(data) && any(twice <- duplicated(data[c(by, setdiff("repetition", by))]))) {
    k <- which(twice)[1L]
    here <- Reduce(`&`, lapply(data[c(by, "repetition")], function(v) v %in% v[k]))
    differ <- Filter(function(v) length(unique(v[here])) > 1L, data[setdiff(names(data), y)])
    settings <- names(data)[seq_len(match("repetition", names(data)) - 1L)]
    if (any(names(differ) %in% settings)) differ <- differ[names(differ) %in% settings]
    abort("argument", sprintf(
      "Something varies besides the repetitions%s: name it in `group` or `facet`, or take a subset.",
      if (length(differ)) sprintf(" (%s)", paste0("`", names(differ), "`", collapse = ", ")) else ""
    ), argument = "group", place = names(differ))
  }
  table <- range_table(data, y, by)
  table <- table[!is.na(table$mean), ]
  if (nrow(table) == 0L) abort("missing", sprintf("All values of `%s` are missing.", y), argument = "y", value = y)
  ordered <- function(v) if (is.factor(v)) droplevels(v) else factor(v, unique(v))
  joined <- function(names) {
    if (length(names) == 0L) return(factor(rep("", nrow(table))))
    if (length(names) == 1L && !is.numeric(table[[names]])) return(ordered(table[[names]]))
    # numbers in their own order
    order <- do.call(base::order, unname(lapply(table[names], function(v) if (is.numeric(v)) v else as.integer(ordered(v)))))
    text <- do.call(paste, c(unname(lapply(table[names], as.character)), sep = ", "))
    factor(text, unique(text[order]))
  }
  place <- table[[x]]
  out <- data.frame(
    place = if (is.numeric(place)) place else ordered(place),
    table[c("mean", "lowest", "highest", "runs")], group = joined(group), panel = joined(facet)
  )
  for (k in seq_along(facet)) out[[paste0("facet", k)]] <- joined(facet[k])
  if (grepl("y", log) && any(out$lowest <= 0)) {
    abort("argument", sprintf("A logarithmic axis needs positive values of `%s`.", y), argument = "log", value = log)
  }
  if (grepl("x", log) && is.numeric(place) && any(place <= 0)) {
    abort("argument", sprintf("A logarithmic axis needs positive values of `%s`.", x), argument = "log", value = log)
  }
  out
}
