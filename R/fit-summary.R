# Fits in print.

#' @export
print.dpadmm_fit <- function(x, ...) {
  check_no_dots(...)
  cat(head_words(x$plan), "\n\n", sep = "")
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
#'   privacy statement, and what the plan expected; of a fit with `inference = TRUE` also
#'   `inference`, a table of estimates, standard errors, intervals and z (see [intervals]), or why
#'   there is none.
#' @examples
#' people <- data.frame(age = sample(18:90, 2000, TRUE), sex = sample(c("f", "m"), 2000, TRUE))
#' people$ill <- ifelse(runif(2000) < plogis(people$age / 10 - 5), "yes", "no")
#' public <- dpadmm_schema(age = c(18, 90), sex = c("f", "m"), ill = c("no", "yes"))
#' fit <- dpadmm_fit(ill ~ age + sex, people,
#'   nodes = 2, schema = public, epsilon = 2, delta = 1e-6
#' )
#' summary(fit)
#' @export
summary.dpadmm_fit <- function(object, ...) {
  check_no_dots(...)
  last <- object$trace[nrow(object$trace), ]
  structure(list(
    settings = plan_lines(object$plan), title = object$plan$method$title,
    coefficients = coef(object), gap = last$gap, step = last$step, messages = object$messages,
    constrained = !is.null(object$plan$constraint), privacy = shown_privacy(object),
    forecast = forecast_text(object$plan), inference = inference_table(object),
    covariance = object$inference$covariance
  ), class = "summary.dpadmm_fit")
}

#' @export
print.summary.dpadmm_fit <- function(x, ...) {
  check_no_dots(...)
  cat(x$title, "\n", sep = "")
  print_lines(x$settings)
  gap <- if (x$constrained) "constraint residual" else "consensus gap"
  print_lines(c("at the end" = paste0(
    if (!is.null(x$gap)) sprintf("%s %.3g, ", gap, x$gap), sprintf("step %.3g", x$step)
  )))
  largest <- utils::head(x$coefficients[order(-abs(x$coefficients))], 6L)
  cat("\nLargest coefficients, in the units of the data\n")
  print(largest, digits = 3L)
  print_inference(x$inference, x$covariance)
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
