# What a fixed-point iteration says of itself.

#' @export
privacy.dpadmm_fixed_point <- function(fit, accountant = c("sound", "paper"), ...) {
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  if (!is.null(fit$noise) && is.null(fit$events)) {
    abort("argument", "There is no guarantee without the operator's `sensitivity`.",
      argument = "sensitivity")
  }
  released <- fit$events
  if (accountant == "paper" && !is.null(released)) {
    if (is.null(fit$printed)) abort_unprinted(fit$events)
    released <- fit$printed
  }
  statement(released, fit$delta, statement_facts("any",
    seeded = fit$seeded, audience = "Whoever sees every iterate",
    released = release_words(fit$events, released),
    stated = "The sensitivity of the operator is as stated or built in; it was not checked."
  ))
}

#' @export
print.dpadmm_fixed_point <- function(x, ...) {
  cat(sprintf("%s: %d numbers, %d iterations\n\n", x$title, ncol(x$iterates), x$iterations))
  if (is.null(x$noise) ||
    !is.null(x$events)) print(privacy(x)) else cat("Privacy: unknown, no sensitivity was stated.\n")
  invisible(x)
}
