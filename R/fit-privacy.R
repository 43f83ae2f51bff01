# The privacy statement of a fit: its plan's, with what the run adds.

#' @rdname privacy
#' @export
privacy.dpadmm_fit <- function(fit, accountant = c("sound", "paper"),
                               delta = fit$plan$budget$delta, view = NULL, iterations = FALSE,
                               ...) {
  check_no_dots(...)
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  check_flag(iterations, "iterations")
  plan_privacy(fit$plan, accountant, delta, view, iterations,
    run = c(fit[c("seeded", "simulated", "leaks")], list(charged = charged_words(fit$ledger))))
}
