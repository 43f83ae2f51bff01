# What a fit may spend, or the noise it is given instead.

#' Exactly one of epsilon and noise; what mechanism and whether private at all.
#' @param per_node whether each party may have an epsilon of its own.
#' @noRd
check_budget <- function(epsilon, delta, noise, per_node = FALSE) {
  mechanism <- NULL
  if (is.character(noise)) {
    mechanism <- check_mechanism(noise)
    noise <- NULL
  }
  if (is.null(epsilon) == is.null(noise)) {
    abort("argument",
      "Give exactly one of `epsilon` (a total budget, Inf for none) and `noise`.",
      argument = "epsilon"
    )
  }
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  if (!is.null(noise)) {
    check_class(noise, "dpadmm_noise", "noise", "gamma_noise() or gaussian_noise()")
    mechanism <- noise$mechanism
  } else {
    check_numbers(epsilon, "epsilon",
      lower = 0, open_lower = TRUE, infinite = TRUE, length = if (!per_node) 1L
    )
    if (any(is.infinite(epsilon)) && any(is.finite(epsilon))) {
      abort("argument", "`epsilon` must be finite at every node, or at none.",
        argument = "epsilon", value = Inf
      )
    }
    if (is.null(mechanism)) mechanism <- default_mechanism(delta)
  }
  if (delta == 0 && !noise_mechanism(mechanism)$pure) {
    abort("accountant", "Gaussian noise gives no pure guarantee: it needs `delta` > 0.",
      argument = "delta", value = 0
    )
  }
  list(
    epsilon = epsilon, delta = delta, noise = noise, mechanism = mechanism,
    private = !is.null(noise) || all(is.finite(epsilon))
  )
}

#' For methods whose noise is Gaussian by construction.
#' @noRd
check_gaussian <- function(budget) {
  if (budget$private && noise_mechanism(budget$mechanism)$pure) {
    abort("accountant",
      "This method adds Gaussian noise, which gives no pure guarantee: it needs `delta` > 0.",
      argument = "delta", value = budget$delta
    )
  }
}
