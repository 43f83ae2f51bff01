# Calibration of a plan's noise to a budget.

#' The noise that spends a budget.
#'
#' @param released a function of the noise: events to meet the budget as it is proved, or the
#'   printed table, to meet it as it is printed.
#' @param near where the answer is expected, from a problem like it; it may be wrong. For
#'   noise of which more is more private.
#' @noRd
calibrate_noise <- function(released, epsilon, delta, accountant, near = NULL) {
  accountant <- if (accountant == "paper") "paper" else "best"
  if (!is.null(near)) {
    found <- tryCatch(calibrate_near(released, epsilon, delta, accountant, near),
      dpadmm_error = function(e) NULL
    )
    if (!is.null(found)) return(found)
  }
  tryCatch(calibrate(released, epsilon, delta, accountant), dpadmm_error_argument = function(e) {
    if (!identical(e$argument, "interval")) stop(e)
    abort("argument", sprintf(
      "`epsilon` = %g asks for next to no noise; for none, use Inf.", epsilon
    ), argument = "epsilon", value = epsilon)
  })
}
