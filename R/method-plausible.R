#' ADMM with inexact node solutions
#'
#' `pp_admm()` is plausible private ADMM: at every iteration a node puts noise into its
#' objective, solves it only until the gradient norm is at most `beta`, and adds noise to
#' the result, which hides how far that is from the minimiser. `ipp_admm()` sends it only
#' if a sparse vector test finds that it lowers the node's loss by more than `threshold`,
#' and at most `max_sends` times; then the node is silent and the others go on with its
#' last message. Everything else is as in [admm()].
#'
#' With Delta = 2 C L / B (how far one record moves the gradient) and M = rho/N + 2 eta V
#' the minimiser moves by Delta / M between neighbours and the inexact one's distance to
#' it by 2 beta / M. Both noises are calibrated together to the budget. Where `split` is not
#' given it is the one with the least total variance in the solution, sigma1^2 / M^2 +
#' sigma2^2, and a function of public numbers only. A Gaussian release of which a record
#' moves the mean by s costs `s^2 / (2 sigma^2)`: the variances are best in the ratio of the
#' two shifts, Delta / M and 2 beta / M, so `split = 2 beta / (Delta + 2 beta)`. So are they
#' for Gamma-norm noise at `delta > 0`, nearly; for pure losses `s / sigma`, which add, in
#' the ratio of the powers 2/3. What this leaves out (curvature, the exact cost of Gamma-norm
#' noise) the accountant knows: the split of least variance is searched for around these, at
#' one node for Gaussian noise and at up to five unlike ones for Gamma-norm noise; the
#' others take over what is found. Total noise grows like 1 + 2 beta / Delta,
#' work falls as `beta` grows: for self-concordant losses (logistic, squared) the solver
#' keeps a quadratic model of the node's loss with a proved bound on its error, and where
#' that is below `beta` no record is read.
#'
#' The test asks for the difference of two mean losses, each record's clipped to
#' `[0, loss_clip]`. One record moves it by at most
#' `2 loss_clip / B + L (Delta + 2 beta) / M` (or `2 loss_clip`, if that is less). It
#' draws one threshold noise for the whole run and fresh noise for every query (Lyu, Su
#' and Li 2017), and a node whose candidate passes solves again with fresh noise, because
#' the test has tilted the candidate's distribution.
#'
#' Look at `fit$plan$test$query_scale`: where it is far above the improvement of the loss that
#' is to be seen (small nodes, small budgets, many sends), who sends is a coin flip, and
#' `ipp_admm()` is `pp_admm()` with half of the messages, of nodes at random times: no better
#' at the same budget, because fewer releases with less noise each gather as much noise for
#' the same way. In the experiments of `vignette("plausible-admm")` it never was.
#'
#' @section As printed:
#' With `dpadmm_control(accountant = "paper")` parameters follow the paper to the letter:
#' the budget is `rho = epsilon^2 / (4 log(1/delta))`, shared evenly by the iterations (or
#' the sends); `1 - split` of a share goes to the objective, `eps1 = rho1 + 2 sqrt(rho1
#' log(1/delta))`, `eps3 = 0.99 eps1`; the fit's `rho` is raised to lambda-hat `= max_i 2.8
#' N c1 C / ((eps1 - eps3) B_i)`; noises are as in lines 6 and 9 of Algorithm 1 (6 and 11
#' of Algorithm 2, whose line 6 prints `eps1` where Algorithm 1 has `eps3`). `ipp_admm()`
#' then runs as printed: fresh threshold noise at every query, the penalty inside the
#' query, and the tested candidate itself is sent. The paper does not say how the budget is
#' shared with the test: `test_share` of `rho` is. None of this is covered by the guarantee
#' it states: (epsilon, delta)-privacy of one update does not imply the zero-concentrated
#' privacy that is composed; the inexact solution moves by twice the printed beta / M; and
#' the printed test pays for negative answers too. [privacy()] gives what can be proved of
#' the same run of `pp_admm()`; for the printed `ipp_admm()` nothing is known.
#'
#' @param eta penalty parameter and dual step (> 0), one number or one a node. `NULL`: chosen
#'   from public numbers.
#' @param beta gradient norm at which the node's solver stops (> 0), one number or one a
#'   node. `NULL`: a hundredth of Delta, so that the noise grows by 2 percent; as printed,
#'   `10^-3.5`. Less than rounding makes of the gradient, as public numbers tell
#'   beforehand, is an error of class `dpadmm_error_argument`: the noise on the result hides
#'   beta and not more.
#' @param split share of the noise budget that goes to the noise on the result, in (0, 1),
#'   one number or one a node: of `1/(2 sigma^2)` in units of the sensitivities for Gaussian
#'   noise, of epsilon for Gamma-norm noise. `NULL`: least total variance; as printed,
#'   0.001.
#' @param eps1,eps3 as printed only: privacy parameters of one noise in the objective,
#'   `eps1 > eps3 > 0`. With `eps1` the noise on the result gets what `epsilon` leaves.
#' @param threshold by how much the clipped loss must fall for a message to be sent.
#' @param max_sends the most messages a node sends, at most the number of iterations.
#'   `NULL`: two thirds of them, rounded up. The noise is that of `max_sends` releases; what
#'   a node does not use is lost.
#' @param loss_clip where a record's loss is clipped (> 0).
#' @param eps_ratio epsilon of the query noise over that of the threshold noise (> 0).
#'   `NULL`: `(2 max_sends)^(2/3)`, with the least error (Lyu, Su and Li 2017).
#' @param test_share share of the budget that the test gets, in (0, 1).
#' @param ... not used: an unknown argument is an error.
#' @return An object of class `dpadmm_method` for [dpadmm_fit()]. Fits of `ipp_admm()` have
#'   two more fields: `sends`, an N x T logical matrix of who sent when, and `messages`,
#'   how many messages between neighbours were `sent` and `saved`. Who sends when is
#'   public; the guarantee covers it.
#' @source Ding, Wang, Liang, Bi and Pan (2020), Towards plausible differentially private
#'   ADMM based distributed machine learning, Algorithms 1 and 2.
#'   \doi{10.1145/3340531.3411860}
#' @references Lyu, M., Su, D. and Li, N. (2017). Understanding the sparse vector technique
#'   for differential privacy. *PVLDB* 10(6), 637-648. Algorithm 1 and section 4.2.
#' @seealso [decentralised] for exact methods, [kkt_attack()].
#' @examples
#' x <- matrix(runif(4000), 1000) / 2 # four columns, so rows of norm 1 at most
#' y <- ifelse(x[, 1] > x[, 2], 1, -1)
#' fit <- dpadmm_fit(x, y,
#'   nodes = 4, method = ipp_admm(eta = 0.5, max_sends = 5), iterations = 10,
#'   epsilon = 2, delta = 1e-4, seed = 1
#' )
#' fit$sends
#' fit$messages
#' @name plausible
NULL

#' @rdname plausible
#' @export
pp_admm <- function(eta = NULL, beta = NULL, split = NULL, eps1 = NULL, eps3 = NULL, ...) {
  check_no_dots(...)
  new_graph_method("pp_admm", "PP-ADMM", "Ding, Wang, Liang, Bi and Pan (2020), Algorithm 1",
    "plausible",
    family = c("plausible", "graph"),
    eta = check_parameter(eta, "eta"), beta = check_parameter(beta, "beta"),
    split = check_split(split, "split"),
    eps1 = check_parameter(eps1, "eps1"), eps3 = check_eps3(eps3, eps1)
  )
}

#' @rdname plausible
#' @export
ipp_admm <- function(eta = NULL, beta = NULL, split = NULL, threshold = 1e-3, max_sends = NULL,
                     loss_clip = 2, eps_ratio = NULL, test_share = 0.1, eps1 = NULL, eps3 = NULL,
                     ...) {
  check_no_dots(...)
  if (!is.null(max_sends)) {
    check_number(max_sends, "max_sends", lower = 1, upper = 1e6, whole = TRUE)
    max_sends <- as.integer(max_sends)
  }
  if (!is.null(eps_ratio)) check_number(eps_ratio, "eps_ratio", lower = 0, open_lower = TRUE)
  new_graph_method("ipp_admm", "IPP-ADMM", "Ding, Wang, Liang, Bi and Pan (2020), Algorithm 2",
    "sparse_vector",
    family = c("plausible", "graph"),
    eta = check_parameter(eta, "eta"), beta = check_parameter(beta, "beta"),
    split = check_split(split, "split"),
    threshold = check_number(threshold, "threshold"), max_sends = max_sends,
    loss_clip = check_number(loss_clip, "loss_clip", lower = 0, open_lower = TRUE),
    eps_ratio = eps_ratio,
    test_share = check_number(check_split(test_share, "test_share"), "test_share"),
    eps1 = check_parameter(eps1, "eps1"), eps3 = check_eps3(eps3, eps1)
  )
}

check_split <- function(x, argument) {
  if (is.null(x)) return(NULL)
  check_numbers(x, argument, lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
}

check_eps3 <- function(eps3, eps1) {
  check_parameter(eps3, "eps3")
  # by name they are compared once the parties are known
  named <- !is.null(names(eps1)) || !is.null(names(eps3))
  if (!is.null(eps1) && !is.null(eps3) && !named && any(eps1 <= eps3)) {
    abort("argument", "`eps1` must be larger than `eps3`.", argument = "eps1", value = eps1)
  }
  eps3
}
