# What users see of an audit.

.bound_words <- c(
  "clopper-pearson" = "Clopper-Pearson bounds of one event",
  gaussian = "of a Gaussian mechanism as easy to tell apart"
)

#' @export
print.dpadmm_audit <- function(x, ...) {
  check_no_dots(...)
  percent <- format(100 * x$confidence, digits = 4L)
  cat(sprintf("<dpadmm_audit: %g runs on each data set, half of them held out>\n", x$runs))
  cat(sprintf(
    "  measured: epsilon >= %s at delta = %g, with %s%% confidence\n",
    format(x$epsilon, digits = 4L), x$delta, percent
  ))
  cat(sprintf("    (%s)\n", .bound_words[[x$bound]]))
  if (!is.null(x$mu)) cat(sprintf("    mu >= %s\n", format(x$mu, digits = 4L)))
  if (!is.null(x$claimed)) {
    verdict <- if (!x$exceeds) {
      "not contradicted by these data"
    } else if (x$bound == "gaussian") {
      "CONTRADICTED, if the claim is one of Gaussian noise (see ?audit)"
    } else {
      "CONTRADICTED"
    }
    cat(sprintf("  claimed:  epsilon = %s: %s\n", format(x$claimed, digits = 4L), verdict))
  }
  invisible(x)
}

#' @export
summary.dpadmm_audit <- function(object, ...) {
  check_no_dots(...)
  structure(list(audit = object), class = "summary.dpadmm_audit")
}

#' @export
print.summary.dpadmm_audit <- function(x, ...) {
  check_no_dots(...)
  audit <- x$audit
  test <- audit$test
  print(audit)
  beyond <- if (test$side == "above") ">" else "<="
  cat(sprintf("  test: score %s %s\n", beyond, format(test$threshold, digits = 4L)))
  for (k in 1:2) {
    cat(sprintf("    on data%d %g of %g held-out runs\n", k, test$counts[k], test$n))
  }
  rates <- vapply(test$rates, format, "", digits = 3L)
  cat(sprintf(
    "    so at least %s on data%d and at most %s on data%d\n",
    rates[["p"]], test$from, rates[["q"]], 3L - test$from
  ))
  curve <- measured_curve(audit, 10^-(1:6))
  claimed <- claimed_curve(audit$claim, 10^-(1:6))
  if (!is.null(claimed) && nrow(claimed) > 1L) {
    curve$claimed <- claimed$epsilon[match(curve$delta, claimed$delta)]
  }
  names(curve)[2L] <- "measured"
  print.data.frame(curve, row.names = FALSE, digits = 4L)
  invisible(x)
}

#' Lower bounds on epsilon at several deltas. All hold together: they come from the same
#' two bounds on rates.
#' @noRd
measured_curve <- function(audit, delta) {
  epsilon <- vapply(delta, function(d) rates_epsilon(audit$test$rates, d, audit$bound), 0)
  data.frame(delta = delta, epsilon = epsilon)
}

#' Plot an audit
#'
#' `type = "epsilon"`: the measured lower bound and the claim against delta. A measured
#' curve above the claimed one refutes the claim. All of the measured curve holds at once
#' with the confidence of the audit.
#'
#' `type = "tradeoff"`: how well the data sets can be told apart, the share of missed
#' detections against that of false alarms among the held-out runs, over all thresholds of
#' the score, and the curve below which the claim allows nothing. That part is a picture,
#' not a test: single points wander below by chance.
#'
#' @param x,object an object of [audit()].
#' @param type see above.
#' @param ... passed to [plot.default()].
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' noisy <- function(data) sum(data) + rnorm(1)
#' seen <- audit(noisy, c(1, 0), c(-1, 0), runs = 500, seed = 1,
#'   claim = function(delta) gaussian_epsilon(1, delta, sensitivity = 2))
#' plot(seen)
#' plot(seen, type = "tradeoff")
#' @export
plot.dpadmm_audit <- function(x, type = c("epsilon", "tradeoff"), ...) {
  check_plot_dots(...)
  type <- check_choice(type, c("epsilon", "tradeoff"), "type")
  data <- audit_plot_data(x, type)
  lines <- split(data, data$line)
  labels <- .audit_axes[[type]]
  plot(range(data$x), range(0, data$y), type = "n", log = if (type == "epsilon") "x" else "",
    xlab = labels[1L], ylab = labels[2L], ...
  )
  for (k in seq_along(lines)) {
    graphics::lines(lines[[k]]$x, lines[[k]]$y, lty = k, lwd = 3 - k,
      type = if (nrow(lines[[k]]) == 1L) "p" else "l"
    )
  }
  graphics::legend("topright", names(lines), lty = seq_along(lines), lwd = 3 - seq_along(lines),
    bty = "n")
  invisible(x)
}

.audit_axes <- list(
  epsilon = c("delta", "epsilon"),
  tradeoff = c("share of false alarms", "share of missed detections")
)

#' @rdname plot.dpadmm_audit
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_audit <- function(object, type = c("epsilon", "tradeoff"), ...) {
  check_no_dots(...)
  need_package("ggplot2", "autoplot()")
  type <- check_choice(type, c("epsilon", "tradeoff"), "type")
  data <- audit_plot_data(object, type)
  labels <- .audit_axes[[type]]
  single <- names(which(table(data$line) == 1L))
  figure <- ggplot2::ggplot(data, ggplot2::aes(
    x = .data[["x"]], y = .data[["y"]], linetype = .data[["line"]]
  )) +
    ggplot2::geom_line(data = data[!(data$line %in% single), ]) +
    ggplot2::labs(x = labels[1L], y = labels[2L], linetype = NULL) +
    ggplot2::expand_limits(y = 0)
  if (length(single)) {
    here <- ggplot2::aes(shape = .data[["line"]])
    figure <- figure + ggplot2::geom_point(here, data[data$line %in% single, ]) +
      ggplot2::labs(shape = NULL)
  }
  if (type == "epsilon") figure + ggplot2::scale_x_log10() else figure
}

#' Lines of a picture: x, y and which line.
#' @noRd
audit_plot_data <- function(audit, type) {
  delta <- sort(unique(c(audit$delta[audit$delta > 0], 10^seq(-9, -1, by = 0.5))))
  claimed <- claimed_curve(audit$claim, delta)
  line <- function(x, y, name) data.frame(x = x, y = y, line = name)
  if (type == "epsilon") {
    measured <- measured_curve(audit, delta)
    shown <- claimed[claimed$delta > 0, ]
    out <- rbind(
      line(measured$delta, measured$epsilon, "measured, at least"),
      if (!is.null(claimed)) line(shown$delta, shown$epsilon, "claimed, at most")
    )
  } else {
    fpr <- seq(0, 1, length.out = 201L)
    out <- rbind(
      line(audit$roc$fpr, audit$roc$fnr, "measured"),
      if (!is.null(claimed)) line(fpr, allowed_misses(claimed, fpr), "claimed, at least")
    )
    out <- out[order(out$line, out$x, -out$y), ]
  }
  out$line <- factor(out$line, unique(c(grep("measured", out$line, value = TRUE), out$line)))
  out
}

#' The least share of missed detections that pairs of (epsilon, delta) allow.
#' @noRd
allowed_misses <- function(claimed, fpr) {
  least <- rep(0, length(fpr))
  for (k in seq_len(nrow(claimed))) {
    odds <- exp(claimed$epsilon[k])
    room <- 1 - claimed$delta[k]
    least <- pmax(least, room - odds * fpr, (room - fpr) / odds)
  }
  least
}
