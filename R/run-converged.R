# Whether a run without noise has arrived, from its trace: a bound on the gradient that is left of
# the objective, over the largest that its loss can have.

# The largest share at which a run counts as converged.
.converged_share <- 1e-5

#' `NA` for runs with noise, which end when their budget is spent.
#' @param arrived what the search for an optimum says itself.
#' @noRd
has_converged <- function(plan, trace, arrived = TRUE) {
  if (plan$private) return(NA)
  if (isTRUE(plan$optimum)) return(arrived)
  left <- gradient_left(plan$method, plan, utils::tail(trace, 1L))
  isTRUE(left <= .converged_share * gradient_scale(plan$problem$loss, plan$problem$row_bound))
}

#' A fit without noise that has not arrived says so, as glm() does.
#' @noRd
warn_unless_converged <- function(fit) {
  if (!isFALSE(fit$converged)) return(invisible())
  plan <- fit$plan
  if (plan$optimum) {
    warn("convergence", paste(
      "Newton's method has not found the minimiser: there may be none, or the records are too",
      "close to collinear. A penalty helps."
    ))
    return(invisible())
  }
  better <- on_graph(plan$method) ||
    wants_model_optimum(plan$method, plan$problem, plan$budget, settings = NULL)
  warn("convergence", paste0(
    sprintf("The fit has not converged in %d iterations:", plan$iterations),
    " ask for more, or for other steps",
    if (better) " (or leave out `iterations` for the optimum itself)", "."
  ), argument = "iterations", value = plan$iterations)
}

#' Bound on the gradient of the objective at the model, its mean loss of weight 1.
#' @param last row of the trace: how far it moved, and how far its parts are apart.
#' @noRd
gradient_left <- function(method, plan, last) UseMethod("gradient_left")

#' Of the sum of the nodes' objectives at their mean: each node is at the minimum of its own
#' problem, whose other terms pull by its last step.
#' @noRd
#' @export
gradient_left.dpadmm_family_graph <- function(method, plan, last) {
  problem <- plan$problem
  C <- mean(problem$C)
  curved <- C * problem$loss$curvature * problem$row_bound^2
  pulled <- 2 * max(plan$eta[, plan$iterations]) * max(problem$degree)
  ((pulled + curved) * last$step + (curved + problem$rho / problem$N) * last$gap) / C
}

#' @noRd
#' @export
gradient_left.dpadmm_family_server <- function(method, plan, last) {
  share <- if (!is.null(plan$walk)) 1 else if (plan$sample > 0L) plan$sample else plan$n
  last$step / (2 * plan$lambda * plan$prox_gamma * share / plan$n)
}

#' @noRd
#' @export
gradient_left.dpadmm_family_descent <- function(method, plan, last) last$step / plan$step

#' @noRd
#' @export
gradient_left.dpadmm_family_split <- function(method, plan, last) {
  norm <- sqrt(plan$norm)
  (last$step * plan$gamma / plan$eta + last$gap * plan$rho * norm) / plan$problem$C
}
