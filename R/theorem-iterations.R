#' The best number of steps for a budget
#'
#' More steps come closer to the optimum but share the budget, so each needs more noise. This
#' minimises the bound of Theorem 2's proof over the number T of iterations, from public
#' numbers alone: with x the mean iterate and R the paper's criterion (a Bregman distance to
#' the optimum in x and y), for a problem whose solution is `distance` away from the start,
#'
#' `E R <= [ ||G|| D^2/eta + rho ||A'A|| D^2 + rho ||u_0 - u_*||^2 ] / (2 T) + eta sigma^2 d`
#'
#' where `G = gamma I - eta rho A'A` and sigma grows with `sqrt(T)`. For the dual term
#' `u_* = -(1/rho) (A')^+ grad f(x_*)`; with `init = "zero"` it is at most
#' `||A^+||^2 c^2 / rho` (c the bound of the gradient), else `||A^+||^2 L_f^2 D^2 / rho` (the
#' paper prints `L_f` for `L_f^2`), plus the noise of a noisy start. The theorem is about
#' `grad_admm()`; for `acc_admm()` the figure is a guide.
#'
#' That is a bound, for the last step as much as for the first; the default of a private run, see
#' [gradient], is an estimate, and takes more steps.
#'
#' @param method [grad_admm()] or [acc_admm()]; its `eta`, `rho`, `gamma`, `A`, `init`, `clip`
#'   and `mu` count, `eta` and `rho` by default the paper's `1 / L_f` and 1.
#' @param n,d number of records and of features.
#' @param epsilon,delta the budget: `epsilon > 0`, `delta` in (0, 1).
#' @param distance D, a public guess of `||x_0 - x_*||` (> 0).
#' @param loss,penalty,C,row_bound as in [dpadmm_fit()] and [dpadmm_control()].
#' @param accountant `"sound"` for the analytic Gaussian, `"paper"` for the printed sigma.
#' @return A list: `iterations`, the best T; `bound`, what Theorem 2 promises there; `sigma`,
#'   the standard deviation of the noise on each gradient.
#' @source Xu, Shang, Liu, Liu, Shen and Gong (2020), Theorem 2 and Appendix B.
#' @examples
#' optimal_iterations(grad_admm(), n = 32561, d = 123, epsilon = 0.1, delta = 1e-3, distance = 5)
#' @export
optimal_iterations <- function(method, n, d, epsilon, delta, distance = 1, loss = "logistic",
                               penalty = NULL, C = 1, row_bound = 1,
                               accountant = c("sound", "paper")) {
  check_class(method, "dpadmm_family_split", "method", "grad_admm() or acc_admm()")
  check_number(n, "n", lower = 1, whole = TRUE)
  check_number(d, "d", lower = 1, upper = 1e5, whole = TRUE)
  check_number(epsilon, "epsilon", lower = 0, open_lower = TRUE)
  check_delta(delta)
  check_number(distance, "distance", lower = 0, open_lower = TRUE)
  check_number(C, "C", lower = 0, open_lower = TRUE)
  check_number(row_bound, "row_bound", lower = 0, open_lower = TRUE)
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  loss <- dpadmm_loss(loss)
  problem <- list(records = n, d = d, loss = loss, C = C, row_bound = row_bound)
  constraint <- split_constraint(method, penalty, d)
  smooth <- C * loss$curvature * row_bound^2
  p <- c(plain_steps(method$parameters, smooth), iterations = 1L)
  plan <- split_steps(method, p, constraint)
  sensitivity <- split_sensitivity(problem, method$parameters$clip)
  one_step <- if (accountant == "sound") {
    gaussian_sigma(epsilon, delta, sensitivity)^2
  } else {
    printed_variance(epsilon, delta, sensitivity / 2, plan$mu)
  }
  # fall / T + rise T + the same for every T
  square <- as.matrix(Matrix::crossprod(constraint$A))
  spectrum <- eigen(square, symmetric = TRUE, only.values = TRUE)$values
  positive <- spectrum[spectrum > max(spectrum) * d * .Machine$double.eps]
  inverse <- if (length(positive)) 1 / positive else 0
  gradient <- if (plan$init == "zero") sensitivity * n / 2 else smooth * distance
  weight <- max(abs(plan$gamma - plan$eta * plan$rho * spectrum)) / plan$eta
  fall <- (weight + plan$rho * max(spectrum)) * distance^2 / 2 +
    max(inverse) * gradient^2 / (2 * plan$rho)
  rise <- plan$eta * d * one_step
  same <- 0
  if (plan$init == "noisy-gradient") {
    start <- one_step * sum(inverse) / (2 * plan$rho)
    fall <- fall + start
    same <- start + rise
  }
  bound <- function(T) fall / T + rise * T + same
  best <- max(1, floor(sqrt(fall / rise)))
  if (bound(best + 1) < bound(best)) best <- best + 1
  list(
    iterations = best, bound = bound(best),
    sigma = sqrt(one_step * (best + (plan$init == "noisy-gradient")))
  )
}

#' sigma^2 / T of the printed rule (Theorem 1).
#' @noRd
printed_variance <- function(epsilon, delta, sensitivity, mu) {
  sensitivity^2 * (log(1 / delta) / ((1 - mu) * epsilon) + 1) / (2 * epsilon * mu)
}
