# Fits with one model instead of one a node.

#' @export
print.dpadmm_model_fit <- function(x, ...) {
  cat(sprintf("%s: %s, %d coefficients, %d iterations\n\n", x$method$title, data_words(x),
    x$public$d,
    x$public$iterations))
  print(privacy(x))
  invisible(x)
}

data_words <- function(fit) {
  if (is.null(fit$users)) return(sprintf("%d records", fit$public$records))
  sprintf("%d users with %d records", fit$public$N, fit$public$records)
}

#' @export
summary.dpadmm_model_fit <- function(object, ...) {
  parameters <- Filter(Negate(is.null), object$method$parameters)
  structure(list(
    title = object$method$title, source = object$method$source, loss = object$loss$name,
    penalty = object$public$penalty, data = data_words(object), parameters = parameters,
    iterations = object$public$iterations, noise = object$noise, coefficients = coef(object),
    mechanism = object$budget$mechanism, gap = object$trace$gap[nrow(object$trace)],
    step = object$trace$step[nrow(object$trace)], privacy = privacy(object)
  ), class = "summary.dpadmm_model_fit")
}

#' @export
print.summary.dpadmm_model_fit <- function(x, ...) {
  line <- function(name, text) cat(sprintf("  %-12s%s\n", name, text))
  cat(x$title, "\n", sep = "")
  line("source", x$source)
  line("data", x$data)
  line("problem", sprintf("%s loss, %s penalty, %d coefficients", x$loss, x$penalty$name,
    length(x$coefficients)))
  line("iterations", format(x$iterations))
  line("settings", paste(names(x$parameters), vapply(x$parameters, describe_parameter, ""),
    sep = " = ", collapse = ", "))
  if (!is.null(x$noise)) {
    scale <- paste(unique(format(range(x$noise), digits = 4L, trim = TRUE)), collapse = " to ")
    mechanism <- noise_mechanism(x$mechanism)
    kind <- if (mechanism$pure) mechanism$scale_name else "standard deviation"
    line("noise", sprintf("%s, %s %s", x$mechanism, kind, scale))
  }
  if (!is.null(x$gap)) line("residual", sprintf("%.3g of the constraint", x$gap))
  line("at the end", sprintf("step %.3g", x$step))
  print_outcome(x)
  invisible(x)
}
