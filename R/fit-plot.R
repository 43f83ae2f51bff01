#' Plot a fit
#'
#' Panels of released values and public numbers only: the consensus gap (root mean
#' square distance of the nodes' coefficients to their mean) and the step size (root
#' mean square change of the messages) over iterations (fits with one model have no gap, those
#' of [gradient] methods the residual of the constraint instead); and for a private fit the
#' privacy spent over iterations and epsilon against delta, sound and, side by side, as
#' printed where a printed theorem applies. `plot(fit, "coefficients")` shows the model: a dot chart
#' of [coef()][coef.dpadmm_fit] but for the intercept, the `largest` (30) of them.
#' `autoplot(fit, "coefficients")` is a forest plot of a fit with `inference = TRUE` (see
#' [intervals]), those with the largest z first; of others it has points only.
#'
#' @param x a fit of [dpadmm_fit()].
#' @param what `"run"` or `"coefficients"`.
#' @param ... passed to [plot.default()], or [graphics::dotchart()].
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' fit <- dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 4, epsilon = 20, seed = 1)
#' plot(fit)
#' plot(fit, "coefficients")
#' @export
plot.dpadmm_fit <- function(x, what = c("run", "coefficients"), ...) {
  what <- check_choice(what, c("run", "coefficients"), "what")
  if (what == "coefficients") {
    plot_coefficients(x, ...)
    return(invisible(x))
  }
  check_plot_dots(...)
  panels <- split(plot_data(x), ~panel, drop = TRUE)
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(panels)), mar = c(4, 4, 2, 1))
  on.exit(graphics::par(old))
  for (name in names(panels)) {
    panel <- panels[[name]]
    axis <- panel$axis[1L]
    logs <- paste(c(
      if (axis == "delta") "x", if (!grepl("epsilon", name) && all(panel$value > 0)) "y"
    ), collapse = "")
    lines <- split(panel, ~line, drop = TRUE)
    plot(range(panel$x), range(panel$value), type = "n", log = logs, xlab = axis, ylab = name, ...)
    for (k in seq_along(lines)) {
      graphics::lines(lines[[k]]$x, lines[[k]]$value,
        lty = k, type = if (axis == "iteration" && grepl("epsilon", name)) "s" else "l"
      )
    }
    if (length(lines) > 1L) {
      graphics::legend("topleft", names(lines), lty = seq_along(lines), bty = "n")
    }
  }
  invisible(x)
}

#' @rdname plot.dpadmm_fit
#' @param object a fit of [dpadmm_fit()].
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_fit <- function(object, what = c("run", "coefficients"), ...) {
  what <- check_choice(what, c("run", "coefficients"), "what")
  if (what == "run") check_no_dots(...)
  need_package("ggplot2", "autoplot()")
  if (what == "coefficients") return(forest_plot(object, ...))
  data <- plot_data(object)
  # delta is drawn by its logarithm, so that one linear scale serves every panel
  at_delta <- data$axis == "delta"
  data$x[at_delta] <- log10(data$x[at_delta])
  data$panel <- factor(
    ifelse(at_delta, "epsilon against log10(delta)", as.character(data$panel)),
    c(setdiff(levels(data$panel), "epsilon against delta"), "epsilon against log10(delta)")
  )
  ggplot2::ggplot(data, ggplot2::aes(
    x = .data[["x"]], y = .data[["value"]], linetype = .data[["line"]]
  )) +
    ggplot2::geom_line() +
    ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = "free") +
    ggplot2::labs(x = NULL, y = NULL, linetype = NULL)
}

#' Long data of the panels.
#' @noRd
plot_data <- function(fit) {
  trace <- fit$trace
  long <- function(panel, axis, x, value, line) {
    data.frame(panel = panel, axis = axis, x = x, value = value, line = line)
  }
  out <- rbind(
    if (!is.null(trace$gap)) {
      gap <- if (is.null(fit$plan$constraint)) "consensus gap" else "constraint residual"
      long(gap, "iteration", trace$iteration, trace$gap, "fit")
    },
    long("step size", "iteration", trace$iteration, trace$step, "fit")
  )
  # what was spent on a choice was spent at once
  staged <- fit$plan$private && !inherits(fit, "dpadmm_tuned")
  for (accountant in if (staged) c("sound", "paper")) {
    spent <- if_accounted(privacy_path(fit$plan, accountant))
    if (!is.null(spent)) {
      out <- rbind(
        out, long("epsilon spent", "iteration", spent$iteration, spent$epsilon, accountant)
      )
    }
    curve <- if_accounted(privacy_curve(fit$plan, accountant))
    if (!is.null(curve)) {
      out <- rbind(
        out, long("epsilon against delta", "delta", curve$delta, curve$epsilon, accountant)
      )
    }
  }
  out$panel <- factor(out$panel, unique(out$panel))
  out
}
