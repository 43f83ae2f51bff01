#' Plot a fit
#'
#' Three panels, all of released values: the consensus gap (root mean square
#' distance of the nodes' coefficients to their mean) and the step size (root mean
#' square change of the messages) over iterations, and the privacy spent, sound and
#' as printed where a printed theorem applies.
#'
#' @param x a fit of [dpadmm_fit()].
#' @param ... passed to [plot.default()].
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' plot(dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 4, epsilon = 20, seed = 1))
#' @export
plot.dpadmm_fit <- function(x, ...) {
  data <- plot_data(x)
  panels <- split(data, data$panel)
  old <- graphics::par(mfrow = c(1L, length(panels)), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  for (name in names(panels)) {
    panel <- panels[[name]]
    log <- if (grepl("privacy", name) || any(panel$value <= 0)) "" else "y"
    lines <- split(panel, panel$line, drop = TRUE)
    plot(range(panel$iteration), range(panel$value),
      type = "n", log = log, xlab = "iteration", ylab = name, ...
    )
    for (k in seq_along(lines)) {
      type <- if (log == "") "s" else "l"
      graphics::lines(lines[[k]]$iteration, lines[[k]]$value, lty = k, type = type)
    }
    if (length(lines) > 1L) graphics::legend("topleft", names(lines), lty = seq_along(lines), bty = "n")
  }
  invisible(x)
}

#' @rdname plot.dpadmm_fit
#' @param object a fit of [dpadmm_fit()].
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_fit <- function(object, ...) {
  need_package("ggplot2", "autoplot()")
  data <- plot_data(object)
  ggplot2::ggplot(data, ggplot2::aes(
    x = .data[["iteration"]], y = .data[["value"]], linetype = .data[["line"]]
  )) +
    ggplot2::geom_line() +
    ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = "free_y") +
    ggplot2::labs(x = "iteration", y = NULL, linetype = NULL)
}

#' Long data of the three panels.
#' @noRd
plot_data <- function(fit) {
  trace <- fit$trace
  long <- function(panel, iteration, value, line) {
    data.frame(panel = panel, iteration = iteration, value = value, line = line)
  }
  out <- rbind(
    long("consensus gap", trace$iteration, trace$gap, "fit"),
    long("step size", trace$iteration, trace$step, "fit")
  )
  for (accountant in if (is.null(fit$events)) NULL else c("sound", "paper")) {
    path <- tryCatch(privacy_path(fit, accountant),
      dpadmm_error_accountant = function(e) NULL, dpadmm_error_theorem = function(e) NULL
    )
    if (!is.null(path)) {
      out <- rbind(out, long("privacy spent (epsilon)", path$iteration, path$epsilon, accountant))
    }
  }
  out$panel <- factor(out$panel, unique(out$panel))
  out
}
