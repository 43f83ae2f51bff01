# What a fixed-point iteration says of itself.

#' @export
privacy.dpadmm_fixed_point <- function(fit, accountant = c("sound", "paper"), delta = fit$delta,
                                       ...) {
  check_no_dots(...)
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  if (is.null(fit$events)) {
    abort("argument", "There is no guarantee without the operator's `sensitivity`.",
      argument = "sensitivity")
  }
  released <- fit$events
  if (accountant == "paper" && !is.null(fit$noise)) {
    if (is.null(fit$printed)) abort_unprinted(fit$events)
    released <- fit$printed
  }
  statement(released, delta, statement_facts("any",
    seeded = fit$seeded, audience = "Whoever sees every iterate",
    released = release_words(fit$events, released),
    stated = "The sensitivity of the operator is as stated or built in; it was not checked."
  ))
}

#' @export
print.dpadmm_fixed_point <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf("%s: %d numbers, %d iterations\n\n", x$title, ncol(x$iterates), x$iterations))
  if (is.null(x$events)) {
    cat("Privacy: unknown, no sensitivity was stated.\n")
  } else {
    print(privacy(x))
  }
  invisible(x)
}
