#' The privacy statement of a fit
#'
#' What anyone who sees every message between the nodes, the model included, can
#' learn about one record.
#'
#' `"sound"` is proved for the algorithm as it ran (see
#' `vignette("privacy-accounting")`); `"paper"` is the formula printed in the
#' method's paper, for redrawing its figures, and says so wherever it is printed.
#' Both come from the fit's events alone, see [dp_event] and [account()].
#'
#' Neighbours differ in one record, replaced by another. One record sits at one
#' node, so the network's epsilon is the largest of the nodes'.
#'
#' @param fit a fit of [dpadmm_fit()].
#' @param accountant `"sound"` or `"paper"`.
#' @param delta probability with which the guarantee may fail, in `[0, 1)`; by default
#'   the fit's. A finished fit can be re-reported at any other: nothing is released by
#'   that. `delta = 0` needs Gamma-norm or Laplace noise.
#' @param view for fits of [fp_admm()], who looks: `"central"`, `"local"` or `"network"`,
#'   as far as the setting has them; `NULL`: the method's own.
#' @param iterations `TRUE`: what had been spent after each iteration, instead of a statement.
#' @param ... not used.
#' @return An object of class `dpadmm_privacy`: a list with `epsilon`, `delta`,
#'   `accountant`, `neighbours` and `per_node` (a data frame of `node` and
#'   `epsilon`), and what its printed form says in words. Without noise `epsilon`
#'   is `Inf` and the statement says that nothing is protected.
#'
#'   With `iterations = TRUE` a data frame of `iteration` and `epsilon`, the guarantee at
#'   `delta` of all that was released up to there: a row for each iteration that read records
#'   (of more than 200, for 200 of them, the first and the last included; of [ipp_admm()] for
#'   each send). In between nothing is spent.
#'
#'   Errors: `dpadmm_error_accountant` when no theorem covers the releases,
#'   `dpadmm_error_theorem` when a printed theorem's condition fails.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' fit <- dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 4, epsilon = 20, seed = 1)
#' privacy(fit)
#' privacy(fit, accountant = "paper")$epsilon
#' privacy(fit, iterations = TRUE)
#' privacy(fit, delta = 1e-6)$epsilon
#' @export
privacy <- function(fit, ...) UseMethod("privacy")

#' @rdname privacy
#' @export
privacy.dpadmm_fit <- function(fit, accountant = c("sound", "paper"), delta = fit$budget$delta,
                               view = NULL, iterations = FALSE, ...) {
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  check_flag(iterations, "iterations")
  view <- check_view(fit, view)
  if (iterations) return(privacy_path(fit, accountant, delta, view))
  released <- fit_released(fit, accountant, view)
  out <- statement(released, delta, fit_facts(fit, released, view))
  out$view <- view
  out
}

#' The view to state, of those the fit has; NULL for fits with one view.
#' @noRd
check_view <- function(fit, view) {
  if (is.null(view)) return(fit$plan$view)
  if (is.null(fit$plan$views)) {
    abort("argument", "This fit has one view only: leave `view` at NULL.", argument = "view")
  }
  if (!(length(view) == 1L && view %in% fit$plan$views)) check_choice(view, fit$plan$views, "view")
  view
}

#' What was released, as it is proved or printed. Sound bounds hold for every view.
#' @noRd
fit_released <- function(fit, accountant, view = fit$plan$view) {
  if (accountant == "sound" || is.null(fit$events)) return(fit$events)
  printed <- if (is.null(view)) fit$printed else fit$printed[[view]]
  if (is.null(printed)) abort_unprinted(fit$events)
  printed
}

abort_unprinted <- function(events) {
  abort("accountant", sprintf(
    "The papers print no guarantee for %s here.", .mechanisms[[events$mechanism[1L]]]$words
  ), argument = "accountant")
}

#' The public facts of a fit that its statement mentions.
#' @noRd
fit_facts <- function(fit, released, view) {
  words <- fit$words
  statement_facts(fit$nodes$names,
    user_level = !is.null(fit$users), tolerance = fit$tol, inexact = !is.null(fit$plan$beta),
    row_bound = fit$row_bound, seeded = fit$seeded, leaks = fit$leaks,
    audience = if (is.null(view)) words$sees else .view_words[[view]],
    released = if (is.null(words)) release_words(fit$events, released) else words$released,
    stated = words$bound
  )
}

#' The statement a fit is printed with: what is proved, or for a run of which nothing is
#' proved, the printed claim with its caveat.
#' @noRd
shown_privacy <- function(fit) {
  tryCatch(privacy(fit), dpadmm_error_accountant = function(e) privacy(fit, "paper"))
}

#' Privacy spent up to each iteration.
#' @noRd
privacy_path <- function(fit, accountant, delta = fit$budget$delta, view = fit$plan$view) {
  released <- fit_released(fit, accountant, view)
  if (is.null(released)) {
    return(data.frame(iteration = seq_len(fit$public$iterations), epsilon = Inf))
  }
  at <- sort(unique(released$iteration))
  # a picture needs no more points than this
  if (length(at) > 200L) at <- at[unique(round(seq(1, length(at), length.out = 200L)))]
  spent <- vapply(at, function(t) {
    before <- released[released$iteration <= t, , drop = FALSE]
    account(before, delta, view_accountant(before))$epsilon
  }, 0)
  data.frame(iteration = at, epsilon = spent)
}

#' Epsilon of a finished fit at many deltas.
#' @noRd
privacy_curve <- function(fit, accountant = "sound", delta = 10^seq(-10, -2, length.out = 9L)) {
  released <- fit_released(fit, accountant)
  epsilon <- vapply(delta, function(d) account(released, d, view_accountant(released))$epsilon, 0)
  data.frame(delta = delta, epsilon = epsilon, accountant = accountant)
}
