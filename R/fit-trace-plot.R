# Loss traces as figures.

#' Plot a loss trace
#'
#' Loss and error over iterations, a line a node when the trace has them.
#'
#' @param x,object a trace of [loss_trace()].
#' @param what which columns to draw, a panel each.
#' @param ... passed to [plot.default()].
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' y <- rep(c(-1, 1), 100)
#' fit <- dpadmm_fit(x, y,
#'   nodes = 4, epsilon = 20, seed = 1, control = dpadmm_control(keep_iterates = TRUE)
#' )
#' plot(loss_trace(fit, x, y, node = "all"), what = "loss")
#' @export
plot.dpadmm_trace <- function(x, what = NULL, ...) {
  check_plot_dots(...)
  what <- traced_columns(x, what)
  node <- if (is.null(x$node)) rep("", nrow(x)) else x$node
  lines <- split(seq_len(nrow(x)), factor(node, unique(node)))
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(what)), mar = c(4, 4, 1, 1))
  on.exit(graphics::par(old))
  for (column in what) {
    plot(range(x$iteration), range(x[[column]]), type = "n", xlab = "iteration", ylab = column, ...)
    for (k in seq_along(lines)) {
      graphics::lines(x$iteration[lines[[k]]], x[[column]][lines[[k]]], lty = k)
    }
    if (length(lines) > 1L) {
      graphics::legend("topright", names(lines), title = "node", lty = seq_along(lines), bty = "n")
    }
  }
  invisible(x)
}

#' @rdname plot.dpadmm_trace
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_trace <- function(object, what = NULL, ...) {
  check_no_dots(...)
  need_package("ggplot2", "autoplot()")
  what <- traced_columns(object, what)
  node <- if (is.null(object$node)) "" else object$node
  data <- do.call(rbind, lapply(what, function(column) {
    data.frame(iteration = object$iteration, value = object[[column]], node = node, panel = column)
  }))
  data$panel <- factor(data$panel, what)
  data$node <- factor(data$node, unique(data$node))
  # more nodes than line types: what tells them apart is left out
  few <- nlevels(data$node) %in% 2:12
  by_node <- if (few) ggplot2::aes(linetype = .data[["node"]])
  ggplot2::ggplot(data, ggplot2::aes(
    x = .data[["iteration"]], y = .data[["value"]], group = .data[["node"]]
  )) +
    ggplot2::geom_line(by_node) +
    ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = "free_y") +
    ggplot2::labs(x = "iteration", y = NULL)
}

#' Which columns of a trace to draw.
#' @noRd
traced_columns <- function(trace, what) {
  columns <- setdiff(names(trace), c("iteration", "node"))
  if (is.null(what)) return(setdiff(columns, "objective"))
  vapply(what, check_choice, "", choices = columns, argument = "what", USE.NAMES = FALSE)
}
