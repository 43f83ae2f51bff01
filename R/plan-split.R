# Plans of gradient ADMM (DP-ADMM and DP-AccADMM): a constraint, one noisy gradient a step, or one
# of each of several holders (plan-gradient-holders.R).

#' @noRd
#' @export
draft_plan.dpadmm_family_split <- function(method, problem, budget, settings) {
  if (is.null(problem$C)) problem$C <- 1
  budget <- own_budgets(budget, problem)
  optimum <- wants_model_optimum(method, problem, budget, settings)
  constraint <- split_constraint(method, problem$penalty, problem$d)
  p <- split_defaults(method, problem, budget, constraint, settings, optimum)
  iterations <- p$iterations
  problem$penalty <- constraint$penalty
  problem$rho <- p$rho
  plan <- c(
    list(problem = problem, budget = budget, iterations = iterations, constraint = constraint,
      optimum = optimum),
    split_steps(method, p, constraint),
    inference_parts(settings$inference, problem, budget,
      rep(problem$C / problem$records, problem$N))
  )
  plan$start_from <- start_values(settings$control$start, model_names(problem), problem$d)
  plan$rule <- rep("gradient", iterations)
  plan$diverged <-
    "The iterates left the range of numbers: use a smaller `eta` or a larger `gamma`."
  plan$clip <- if (is.null(p$clip)) Inf else p$clip
  plan$updates <- length(plan$noisy)
  plan$sends <- length(all_rules(plan)) + (p$init != "zero")
  plan$shapes <- c(if (share_model(problem)) "node", "matrix")
  plan$words <- list(
    sees = who_sees_gradients(problem),
    bound = if (!is.null(p$clip)) {
      sprintf("Each record's gradient was clipped to norm %g.", p$clip)
    }
  )
  if (!budget$private) return(plan)
  plan$leaks <- c(constraint$leak, if (plan$init == "paper") "the start u_0")
  if (plan$init == "paper") {
    warn("privacy_leak", paste(
      'The start of init = "paper" is computed from the records without noise.',
      'Use "zero" or "noisy-gradient".'
    ), argument = "init")
  }
  plan$sensitivity <- split_sensitivity(problem, p$clip)
  plan$slop <- split_rounding(plan)
  plan
}

#' The noise hides the rounding of the gradient's sum, too.
#' @noRd
#' @export
with_releases.dpadmm_family_split <- function(method, plan) {
  node <- gradient_nodes(plan$problem, 1L)
  persons <- plan$problem$per_person
  moved <- round_up(plan$sensitivity * persons, 4 * (persons > 1))
  gradients <- new_releases("output", node, rep(plan$noisy, each = length(node)),
    moved + 2 * plan$slop
  )
  plan$releases <- with_attempts(plan, with_moments(plan, gradients))
  plan
}

#' Of each party's sum of gradients.
#' @noRd
split_rounding <- function(plan) {
  n <- plan$problem$size
  sum_rounding(n, plan$sensitivity * n / 2)
}

#' @noRd
#' @export
rounding_of.dpadmm_family_split <- function(method, plan) {
  grid <- grid_slop(plan$noise, plan$problem$d, noise_mechanism(plan$budget$mechanism))
  most <- apply(matrix(grid, plan$problem$N), 1L, max)
  list(slop = split_rounding(plan) + most, reach = NULL, moment = moment_slop(plan))
}

#' A, b (diagonal of B), c, g and its weights by row of A, for d features.
#' @noRd
split_constraint <- function(method, penalty, d) {
  p <- method$parameters
  sources <- Filter(Negate(is.null), list(
    if (inherits(p$A, "dpadmm_regulariser")) p$A, p$penalty,
    if (!is.null(penalty)) check_regulariser(penalty)
  ))
  if (length(sources) > 1L) {
    abort("argument", "The penalty is given twice: by the method, its `A` or the fit.",
      argument = "penalty"
    )
  }
  regulariser <- if (length(sources)) sources[[1L]] else penalty_none()
  A <- p$A
  weights <- 1
  leak <- NULL
  if (inherits(regulariser, "dpadmm_regulariser")) {
    if (!is.null(A) && !inherits(A, "dpadmm_regulariser")) {
      abort("argument", "`A` is given twice: by the method and by its penalty.", argument = "A")
    }
    A <- regulariser$A
    weights <- regulariser$weights
    leak <- regulariser$leak
    regulariser <- regulariser$penalty
  }
  if (is.null(A)) A <- Matrix::sparseMatrix(i = seq_len(d), j = seq_len(d), x = 1)
  A <- check_matrix(A, "A")
  if (ncol(A) != d) {
    abort("shape", sprintf(
      "`A` must have %d columns, one for each column of the records, not %d.", d, ncol(A)
    ), argument = "A", value = ncol(A))
  }
  m <- nrow(A)
  check_constraint(p, m)
  list(
    A = A, b = rep_len(if (is.null(p$B)) -1 else p$B, m),
    c = rep_len(if (is.null(p$c)) 0 else p$c, m),
    penalty = regulariser, weights = rep_len(weights, m), leak = leak
  )
}

#' Steps and start of a run.
#' @param p the method's parameters, settled.
#' @noRd
split_steps <- function(method, p, constraint) {
  norm <- largest_eigenvalue(constraint$A)
  bound <- p$eta * p$rho * norm + 1
  gamma <- if (is.null(p$gamma)) bound else p$gamma
  if (gamma < bound * (1 - 1e-6)) {
    warn("theorem", sprintf(
      "`gamma` = %g is below the bound eta rho ||A'A|| + 1 = %g of the convergence theorem.",
      gamma, bound
    ), argument = "gamma", bound = bound)
  }
  list(
    eta = p$eta, rho = p$rho, gamma = gamma, norm = norm, bound = bound, init = p$init,
    average = p$average, accelerated = method$name == "acc_admm",
    restart = isTRUE(p$restart), mu = p$mu,
    # x_0 enters as iteration 0
    noisy = if (p$init == "noisy-gradient") 0:p$iterations else seq_len(p$iterations)
  )
}

#' The largest change of the mean gradient when one record is replaced.
#' @noRd
split_sensitivity <- function(problem, clip) {
  bound <- min(problem$loss$lipschitz * problem$row_bound, clip)
  if (is.infinite(bound)) {
    abort("argument", sprintf(
      'A private fit with the %s loss, whose slope is unbounded, needs `clip` (or try "huber").',
      problem$loss$name
    ), argument = "loss", value = problem$loss$name)
  }
  round_up(2 * problem$C * bound / problem$records)
}

#' @noRd
#' @export
apply_unit.dpadmm_family_split <- function(method, plan, unit) {
  if (is_secure(plan)) return(share_unit(plan, unit))
  N <- plan$problem$N
  mechanism <- noise_mechanism(plan$budget$mechanism)
  plan$unit <- matrix(unit, N, plan$updates)
  noise <- matrix(mechanism$scale(as.vector(plan$unit)), N)
  plan$noise <- if (N == 1L) as.vector(noise) else noise
  noise <- apart_from_start(noise, plan)
  plan$scales <- list(gradient = noise$steps, start = noise$start)
  plan$moment_scales <- moment_scales(plan, plan$unit[, 1L])
  plan$words$released <- sprintf(
    "%d gradients%s%s, each released with %s noise", plan$updates, moments_words(plan),
    if (N > 1L) " of each holder" else "", mechanism$words
  )
  plan
}

#' Scales by party and noisy update: those of the steps, and of a start (0: there is none).
#' @noRd
apart_from_start <- function(scale, plan) {
  if (plan$init != "noisy-gradient") return(list(steps = scale, start = numeric(nrow(scale))))
  list(steps = scale[, -1L, drop = FALSE], start = scale[, 1L])
}

#' Theorem 1 of dp-admm-accadmm.
#' @noRd
#' @export
plan_printed.dpadmm_family_split <- function(method, plan, unit, releases, view) {
  if (noise_mechanism(plan$budget$mechanism)$pure || share_model(plan$problem) ||
        !is.null(plan$inference)) return(NULL)
  printed <- printed_gradient_admm(unit, plan$sensitivity / 2, plan$mu, releases$iteration)
  printed$count <- releases$count
  printed
}
