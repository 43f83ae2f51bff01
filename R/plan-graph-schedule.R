# The public schedule of a decentralised method.

#' N x T matrices of penalties (`eta`) and dual steps (`theta`), `gamma` by node, the `rule` of
#' each iteration, which of them are `noisy`, and the `place` of the noise: "objective" or
#' "output". `amplify` (N x T) turns the user's noise into that of the objective; `printed`
#' says whose printed theorem is about Gamma-norm noise in it; `chosen` holds what a user who
#' gives no parameters gets.
#' @noRd
schedule <- function(method, problem, budget, iterations) UseMethod("schedule")

noisy_updates <- function(method, iterations) {
  sum(rep_len(method$update, iterations) != "recycled")
}

#' @param grows whether the penalty of the k-th cycle is eta growth^k.
#' @noRd
new_schedule <- function(method, problem, budget, iterations, grows = FALSE,
                         place = "objective", printed = NULL) {
  N <- problem$N
  parameters <- method$parameters
  update <- method$update
  cycle <- rep_len(update, iterations)
  noisy <- cycle != "recycled"
  k <- ceiling(seq_len(iterations) / length(update))
  chosen <- NULL
  pick <- function(name) {
    value <- parameters[[name]]
    if (is.null(value)) {
      if (is.null(chosen)) {
        chosen <<- default_parameters(problem, budget, iterations, grows, length(update))
      }
      value <- chosen[[name]]
    }
    per_party(value, problem$names, name)
  }
  eta <- pick("eta") * if (grows) outer(pick("growth"), k, `^`) else matrix(1, N, iterations)
  if (any(bad <- !is.finite(eta))) {
    at <- arrayInd(which(bad)[1L], dim(eta))
    if (!is.finite(max(pick("eta")))) {
      abort("budget",
        "`epsilon` is too small: the penalty chosen for its noise is beyond the range of numbers.",
        argument = "epsilon"
      )
    }
    abort("finite", sprintf(
      "`growth` makes the penalty of node %d infinite at iteration %d.", at[1L], at[2L]
    ), argument = "growth", place = c(at))
  }
  list(
    rule = cycle, noisy = noisy, eta = eta, theta = eta * rep(as.double(noisy), each = N),
    gamma = if ("recycled" %in% update) pick("gamma") else numeric(N),
    amplify = matrix(1, N, iterations), place = place, printed = printed, chosen = chosen
  )
}

#' @noRd
#' @export
schedule.dpadmm_family_graph <- function(method, problem, budget, iterations) {
  new_schedule(method, problem, budget, iterations)
}

#' @noRd
#' @export
schedule.dpadmm_method_admm <- function(method, problem, budget, iterations) {
  dual <- method$parameters$perturb == "dual"
  new_schedule(method, problem, budget, iterations,
    place = if (dual) "objective" else "output", printed = if (dual) "m_admm"
  )
}

#' @noRd
#' @export
schedule.dpadmm_method_m_admm <- function(method, problem, budget, iterations) {
  out <- new_schedule(method, problem, budget, iterations, grows = TRUE, printed = "m_admm")
  theta <- method$parameters$theta
  if (is.null(theta)) theta <- min(out$eta[, 1L])
  out$theta[] <- per_party(theta, problem$names, "theta")
  out$amplify <- 2 * out$eta * problem$degree
  out
}

#' @noRd
#' @export
schedule.dpadmm_method_r_admm <- function(method, problem, budget, iterations) {
  new_schedule(method, problem, budget, iterations, printed = "recycled_admm")
}

#' @noRd
#' @export
schedule.dpadmm_method_mr_admm <- function(method, problem, budget, iterations) {
  new_schedule(method, problem, budget, iterations, grows = TRUE, printed = "recycled_admm")
}
