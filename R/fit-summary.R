# Fits in print.

#' @export
print.dpadmm_fit <- function(x, ...) {
  cat(sprintf("%s: %s, %d coefficients, %d iterations\n\n", x$plan$method$title,
    parties_words(x$plan$problem), x$plan$problem$d, x$plan$iterations
  ))
  print(shown_privacy(x))
  cat(forecast_text(x$plan), sep = "\n")
  print_messages(x)
  invisible(x)
}

#' Summary of a fit
#'
#' @param object a fit of [dpadmm_fit()].
#' @param ... not used.
#' @return An object of class `summary.dpadmm_fit` with the method and its settings,
#'   the nodes, the largest coefficients (in the user's units), the consensus reached, the
#'   privacy statement, and what the plan expected.
#' @export
summary.dpadmm_fit <- function(object, ...) {
  last <- object$trace[nrow(object$trace), ]
  structure(list(
    settings = plan_lines(object$plan), title = object$plan$method$title,
    coefficients = coef(object), gap = last$gap, step = last$step, messages = object$messages,
    constrained = !is.null(object$plan$constraint), privacy = shown_privacy(object),
    forecast = forecast_text(object$plan)
  ), class = "summary.dpadmm_fit")
}

#' @export
print.summary.dpadmm_fit <- function(x, ...) {
  cat(x$title, "\n", sep = "")
  print_lines(x$settings)
  gap <- if (x$constrained) "constraint residual" else "consensus gap"
  print_lines(c("at the end" = paste0(
    if (!is.null(x$gap)) sprintf("%s %.3g, ", gap, x$gap), sprintf("step %.3g", x$step)
  )))
  largest <- utils::head(x$coefficients[order(-abs(x$coefficients))], 6L)
  cat("\nLargest coefficients, in the units of the data\n")
  print(largest, digits = 3L)
  cat("\n")
  print(x$privacy)
  cat(x$forecast, sep = "\n")
  print_messages(x)
  invisible(x)
}

#' Messages sent and saved, for methods whose nodes may keep silent.
#' @noRd
print_messages <- function(x) {
  count <- x$messages
  if (is.null(count)) return(invisible())
  cat(sprintf("Messages between neighbours: %g sent, %g saved.\n",
    count[["sent"]], count[["saved"]]
  ))
}
