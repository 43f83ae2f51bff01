#' Decentralised ADMM methods
#'
#' Each of N nodes on a connected graph holds its records and broadcasts its
#' coefficients to its neighbours. Node i's objective is
#' `O_i(f) = (C/B_i) sum L(y, f'x) + (rho/N) ||f||^2 / 2`.
#'
#' A (noisy) exact update minimises
#' `O_i(f) + (2 lambda_i + b_i)'f + eta_i sum_j ||(f_i + f_j)/2 - f||^2` over the
#' neighbours j, then moves the dual variable,
#' `lambda_i <- lambda_i + (theta_i/2) sum_j (f_i - f_j)`.
#'
#' * `admm()`: constant penalty, dual step `theta = eta`. Private by dual variable
#'   perturbation (ADMM-DVP: noise `b` in the objective) or primal variable
#'   perturbation (ADMM-PVP: noise on the minimiser before it is sent).
#' * `m_admm()`: private penalties that grow, `eta_i(t) = eta growth^t`, with a fixed
#'   dual step. Its penalty perturbation (M-ADMM-PP) puts noise `eps` inside the
#'   penalty, so that `b = 2 eta_i(t) V_i eps`; the noise scale is that of `eps`.
#' * `r_admm()`: recycled ADMM. Odd iterations are exact and noisy; even ones are
#'   `f <- f - [grad O + b + 2 lambda + eta sum_j (f - f_j)] / (2 eta V + gamma)`
#'   with `grad O + b` taken from the optimality condition of the odd one: they read
#'   no record and cost no privacy. The dual variable moves after odd iterations.
#' * `mr_admm()`: as `r_admm()` with the penalty of the k-th noisy (odd) update
#'   `eta growth^k`, k = 1, 2, ..., also used as dual step.
#'
#' An iteration is one exchange of messages. Where a parameter is `NULL` it is
#' chosen from public numbers (nodes, records, features, degrees, budget), see the
#' Defaults of [dpadmm_fit()]; never from the records.
#'
#' Where `eta` is left to a private fit of unlike nodes, edges are weighted: the sums over
#' neighbours above are weighted ones, V_i is what a node's edges weigh, and itself; see
#' [party-weights].
#'
#' Where the dual steps of the nodes differ (a vector of `theta`, or of `eta` and
#' `growth` in the methods whose dual step is the penalty), the sum over nodes of
#' `lambda_i / theta_i` stays zero: the run then converges to the minimiser of `sum_i
#' O_i / theta_i`, which weighs the nodes, and not of `sum_i O_i`.
#'
#' @param eta penalty parameter (> 0), one number or one a node: with names by name, else in
#'   the order of the nodes. So for the others.
#' @param growth factor by which the penalty grows (>= 1, as the convergence
#'   theorems need), one number or one a node.
#' @param theta dual step size (> 0), one number or one a node; by default the
#'   smallest penalty of the first iteration (M-ADMM's Theorem 3.1 needs `theta <=
#'   eta_i(t)`).
#' @param gamma proximal weight of the recycled update (>= 0), one number or one a
#'   node.
#' @param perturb `"dual"` or `"primal"`: where a private fit puts the noise.
#' @param ... not used: an unknown argument is an error.
#' @return An object of class `dpadmm_method` for [dpadmm_fit()].
#' @source Zhang and Zhu (2017) for ADMM-DVP and ADMM-PVP; Zhang, Khalili and Liu
#'   (2018), Improving the privacy and accuracy of ADMM-based distributed
#'   algorithms, equations 10, 11 and 24 for M-ADMM; Zhang, Khalili and Liu (2019),
#'   Recycled ADMM, Algorithms 1 to 3 for R-ADMM and MR-ADMM.
#' @examples
#' mr_admm(eta = 1, growth = 1.04, gamma = 0.5)
#' @name decentralised
NULL

#' @rdname decentralised
#' @export
admm <- function(eta = NULL, perturb = c("dual", "primal"), ...) {
  check_no_dots(...)
  perturb <- check_choice(perturb, c("dual", "primal"), "perturb")
  new_graph_method("admm",
    if (perturb == "dual") "ADMM (ADMM-DVP when private)" else "ADMM (ADMM-PVP when private)",
    "Zhang and Zhu (2017)", "exact",
    eta = check_parameter(eta, "eta"), perturb = perturb
  )
}

#' @rdname decentralised
#' @export
m_admm <- function(eta = NULL, growth = NULL, theta = NULL, ...) {
  check_no_dots(...)
  new_graph_method("m_admm", "M-ADMM (penalty perturbation when private)",
    "Zhang, Khalili and Liu (2018)", "exact",
    eta = check_parameter(eta, "eta"), growth = check_parameter(growth, "growth", 1, FALSE),
    theta = check_parameter(theta, "theta")
  )
}

#' @rdname decentralised
#' @export
r_admm <- function(eta = NULL, gamma = NULL, ...) {
  check_no_dots(...)
  new_graph_method("r_admm", "R-ADMM", "Zhang, Khalili and Liu (2019), Algorithm 1",
    c("exact", "recycled"),
    eta = check_parameter(eta, "eta"), gamma = check_parameter(gamma, "gamma", open_lower = FALSE)
  )
}

#' @rdname decentralised
#' @export
mr_admm <- function(eta = NULL, growth = NULL, gamma = NULL, ...) {
  check_no_dots(...)
  new_graph_method("mr_admm", "MR-ADMM", "Zhang, Khalili and Liu (2019), Algorithms 2 and 3",
    c("exact", "recycled"),
    eta = check_parameter(eta, "eta"), growth = check_parameter(growth, "growth", 1, FALSE),
    gamma = check_parameter(gamma, "gamma", open_lower = FALSE)
  )
}
