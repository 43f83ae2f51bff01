#' The privacy statement of a fit or a plan
#'
#' What anyone who sees every message between the nodes, the model included, can
#' learn about one record.
#'
#' `"sound"` is proved for the algorithm as it ran (see
#' `vignette("privacy-accounting")`); `"paper"` is the formula printed in the
#' method's paper, for redrawing its figures, and says so wherever it is printed.
#' Both come from the fit's events alone, see [dp_event] and [account()].
#'
#' Neighbours differ in one record, replaced by another of the same node; with
#' `fp_admm(unit = "holder")` in all records of one holder, replaced by as many. So the numbers of
#' records of nodes and of holders are public. One record sits at one node, so the network's
#' epsilon is the largest of the nodes'.
#'
#' What (epsilon, delta) says: the probability of any event is at most exp(epsilon) times what
#' it would have been with the neighbour's records, plus delta.
#'
#' @section Several fits:
#' Whoever is in several fits is protected by what they cost together: `privacy(list(first,
#' second))` is the joint statement, by the rules of [account()] (see its section Several fits).
#' What any of the fits read from the records without noise is in it, and so is that one of them
#' was seeded. It is about users' data only where all fits are, of users with the same names, and
#' else about single records: what is promised to a user holds for each of the records.
#'
#' @section What it does not say:
#' A delta above one over the number of records of the smallest party, or an epsilon above 20,
#' protects next to nobody, and the statement says so. "Simulated in one process" means that the
#' parties of this run were not apart: whoever ran it could see all records.
#'
#' @details
#' Noise is drawn from the stream of a cipher, ChaCha20 with a key of 256 bits, so every
#' guarantee, also one called pure, is computational: it holds against whoever cannot break
#' the cipher or guess the key.
#'
#' @param fit a fit of [dpadmm_fit()], a plan of [dpadmm_plan()], or a run of [fixed_point()] or
#'   [general_admm()]; or a list of these.
#' @param accountant `"sound"` or `"paper"`.
#' @param delta probability with which the guarantee may fail, in `[0, 1)`; by default
#'   the fit's, of several the largest. A finished fit can be re-reported at any other: nothing is
#'   released by that. `delta = 0` needs Gamma-norm or Laplace noise.
#' @param view for fits of [fp_admm()], who looks: `"central"`, `"local"` or `"network"`,
#'   as far as the setting has them; `NULL`: the method's own.
#' @param iterations `TRUE`: what had been spent after each iteration, instead of a statement.
#' @param ... not used: an unknown argument is an error.
#' @return An object of class `dpadmm_privacy`: a list with `epsilon`, `delta`,
#'   `accountant`, `neighbours` and `per_node` (a data frame of `node` and
#'   `epsilon`), and what its printed form says in words. Without noise `epsilon`
#'   is `Inf` and the statement says that nothing is protected. For a list it has `runs`, how
#'   many, and `records` too.
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
#' second <- dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 4, epsilon = 5, seed = 1)
#' privacy(list(fit, second))
#' @export
privacy <- function(fit, ...) UseMethod("privacy")

#' @export
privacy.default <- function(fit, ...) {
  not_made_by(fit, "fit", "dpadmm_fit(), dpadmm_plan() or another run, or a list of these")
}
