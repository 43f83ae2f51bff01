# What a private evaluation comes back as, and its methods.

#' @param values noisy sums of each query, a row a holder.
#' @noRd
new_evaluation <- function(fit, spec, held, releases, values, charged, seeded) {
  holders <- length(held$size)
  of <- function(rows, name) {
    noise <- lapply(seq_along(values), function(k) {
      pooled_noise(releases$kind, releases$scale[rows, k])
    })
    sums <- lapply(values, function(v) colSums(v[rows, , drop = FALSE]))
    names(noise) <- names(sums)
    found <- measures_from(spec, sums, noise, sum(held$size[rows]))
    lapply(found, function(table) if (!is.null(table)) data.frame(holder = name, table))
  }
  each <- if (holders > 1L) lapply(seq_len(holders), function(h) of(h, held$names[h]))
  all <- c(list(of(seq_len(holders), "all")), each)
  bind <- function(name) do.call(rbind, lapply(all, `[[`, name))
  structure(list(
    measures = bind("measures"), calibration = bind("calibration"), events = releases$events,
    delta = releases$delta, level = spec$level, records = stats::setNames(held$size, held$names),
    facts = evaluation_facts(held, spec, releases, charged, seeded), ledger = charged,
    seeded = seeded, title = fit$plan$method$title
  ), class = "dpadmm_evaluation")
}

#' Measures and the table of calibration, of one holder or of all.
#' @noRd
measures_from <- function(spec, sums, noise, n) {
  asked <- spec$measures
  level <- spec$level
  rows <- rbind(
    if ("error" %in% asked) error_row(sums$error, n, noise$error, level),
    if ("log_loss" %in% asked) log_loss_row(sums$loss, n, noise$loss, spec$clip, level),
    if ("mse" %in% asked) squared_rows(sums$loss, n, noise$loss, spec$clip, spec$unit, level),
    if ("r2" %in% asked) r2_row(sums, n, noise, spec$clip, level),
    if ("auc" %in% asked) auc_row(sums$scores, noise$scores, level)
  )
  list(measures = rows, calibration = if ("calibration" %in% asked) {
    calibration_rows(sums$scores, spec$edges, noise$scores, level)
  })
}

evaluation_facts <- function(held, spec, releases, charged, seeded) {
  noise <- if (releases$kind == "gaussian") "Gaussian" else "Laplace"
  count <- ncol(releases$scale)
  several <- length(held$size) > 1L
  bound <- if (any(c("mse", "r2") %in% spec$measures)) {
    sprintf("Residuals are cut at %.4g.", spec$unit * sqrt(spec$clip))
  } else if ("log_loss" %in% spec$measures) {
    sprintf("Log losses are cut at %.4g.", spec$clip)
  }
  statement_facts(held$names,
    per_person = if (any(held$per_person > 1)) range(held$per_person),
    seeded = seeded, simulated = several, audience = "Whoever sees these measures",
    released = sprintf("%d set%s of counts and sums%s with %s noise", count,
      if (count > 1L) "s" else "", if (several) " a holder" else "", noise),
    stated = c(bound, paste(
      "It is about the records of the evaluation and takes the model as given: the fit has its own",
      "statement, and where these are its records both add up, privacy(list(fit, evaluation))."
    )),
    counted = if (several) "node", smallest = min(held$size), charged = charged_words(charged)
  )
}

#' @rdname privacy
#' @export
privacy.dpadmm_evaluation <- function(fit, delta = fit$delta, ...) {
  check_no_dots(...)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  statement(fit$events, delta, fit$facts)
}

#' @export
print.dpadmm_evaluation <- function(x, ...) {
  check_no_dots(...)
  holders <- length(x$records)
  cat(sprintf("<private evaluation of %s: %s records%s>\n", x$title,
    format(sum(x$records), big.mark = ","),
    if (holders > 1L) sprintf(" of %d holders", holders) else ""))
  shown <- x$measures
  numeric <- vapply(shown, is.numeric, NA)
  shown[numeric] <- lapply(shown[numeric], signif, 4L)
  print(shown, row.names = FALSE)
  if (anyNA(x$measures$estimate)) {
    few <- if ("auc" %in% x$measures$measure) "few of a class" else "little variance"
    cat("  NA: too ", few, " for this noise.\n", sep = "")
  }
  cat(sprintf("  Intervals: %g%%, of noise and sample.", 100 * x$level),
    if (!is.null(x$calibration)) " `$calibration` has the bins.", "\n", sep = "")
  print(privacy(x))
  invisible(x)
}

#' @rdname evaluate
#' @exportS3Method generics::tidy
tidy.dpadmm_evaluation <- function(x, ...) {
  check_no_dots(...)
  x$measures
}

#' @export
as.data.frame.dpadmm_evaluation <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_no_dots(...)
  x$measures
}

#' Plot a private evaluation
#'
#' `"calibration"`: the share of the positive class in each public bin of predicted probability, of
#' all holders together, with its interval; a calibrated model has it within the bin's own ends,
#' which the diagonal goes through. `"measures"`: the measures of each holder and of all.
#'
#' @param x,object a private evaluation, see [evaluate()].
#' @param what `"calibration"` or `"measures"`; by default the first where there is one.
#' @param ... passed to [plot.default()].
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' x <- matrix(runif(4000), 2000) / 2
#' y <- x[, 1] + rnorm(2000) / 4 > x[, 2]
#' fit <- dpadmm_fit(x, y, nodes = 2, epsilon = 5, delta = 1e-6)
#' plot(evaluate(fit, x, y, epsilon = 5, delta = 1e-6))
#' @export
plot.dpadmm_evaluation <- function(x, what = NULL, ...) {
  check_plot_dots(..., own = c("x", "y", "type", "xlab", "ylab", "xlim", "ylim", "yaxt"))
  data <- evaluation_data(x, evaluation_what(x, what))
  calibration <- !is.null(data$to)
  ends <- range(data$conf.low, data$conf.high, data$x, na.rm = TRUE)
  if (calibration) {
    plot(data$x, data$estimate, xlim = ends, ylim = ends, xlab = "predicted probability",
      ylab = "share of the positive class", ...)
    graphics::segments(data$x, data$conf.low, data$x, data$conf.high)
    graphics::abline(0, 1, lty = 3)
  } else {
    row <- rev(seq_len(nrow(data)))
    plot(data$estimate, row, xlim = ends, xlab = "measure", ylab = "", yaxt = "n", ...)
    graphics::segments(data$conf.low, row, data$conf.high, row)
    graphics::axis(2, row, paste(data$measure, data$holder), las = 1, cex.axis = 0.7)
  }
  invisible(x)
}

#' @rdname plot.dpadmm_evaluation
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_evaluation <- function(object, what = NULL, ...) {
  check_no_dots(...)
  need_package("ggplot2", "autoplot()")
  data <- evaluation_data(object, evaluation_what(object, what))
  if (!is.null(data$to)) {
    return(ggplot2::ggplot(data, ggplot2::aes(
      x = .data[["x"]], y = .data[["estimate"]],
      ymin = .data[["conf.low"]], ymax = .data[["conf.high"]]
    )) +
      ggplot2::geom_abline(linetype = 3) +
      ggplot2::geom_pointrange(na.rm = TRUE) +
      ggplot2::labs(x = "predicted probability", y = "share of the positive class"))
  }
  data$holder <- factor(data$holder, rev(unique(data$holder)))
  ggplot2::ggplot(data, ggplot2::aes(
    x = .data[["estimate"]], y = .data[["holder"]],
    xmin = .data[["conf.low"]], xmax = .data[["conf.high"]]
  )) +
    ggplot2::geom_pointrange(na.rm = TRUE) +
    ggplot2::facet_wrap(ggplot2::vars(.data[["measure"]]), scales = "free_x") +
    ggplot2::labs(x = NULL, y = NULL)
}

evaluation_what <- function(x, what) {
  known <- c(if (!is.null(x$calibration)) "calibration", "measures")
  if (is.null(what)) known[1L] else check_choice(what, known, "what")
}

#' What is drawn: bins that are known to be more than anything, or measures.
#' @noRd
evaluation_data <- function(x, what) {
  if (what == "measures") return(x$measures)
  data <- x$calibration[x$calibration$holder == "all" & !is.na(x$calibration$rate), ]
  data$x <- (data$from + data$to) / 2
  data$estimate <- data$rate
  data
}
