# Family 3 behind dpadmm_fit(): the constraint and the public plan of a run, its events, and
# the run itself. The plan is fixed before a record is read, so the guarantee is too.

#' @export
unused_arguments.dpadmm_family_gradient <- function(method) c("rho", "network")

#' A, b (diagonal of B), c, g and its weights by row of A, for d features.
#' @noRd
gradient_constraint <- function(method, penalty, d) {
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
  A <- check_predictors(A, "A")
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

#' The largest eigenvalue of A'A by power iterations from a fixed start.
#' @noRd
largest_eigenvalue <- function(A, most = 500L, tolerance = 1e-9) {
  v <- cos(seq_len(ncol(A))) + 1.5 # no symmetry that an eigenvector is likely to share
  value <- 0
  for (k in seq_len(most)) {
    v <- v / sqrt(sum(v^2))
    w <- as.vector(Matrix::crossprod(A, A %*% v))
    last <- value
    value <- sum(v * w)
    if (value == 0 || abs(value - last) <= tolerance * value) break
    v <- w
  }
  value
}

#' Steps, start and noise of a run, from public numbers only.
#' @noRd
grad_admm_plan <- function(method, constraint, public) {
  p <- method$parameters
  smooth <- public$C * public$loss$curvature * public$row_bound^2
  eta <- if (is.null(p$eta)) 1 / smooth else p$eta
  norm <- largest_eigenvalue(constraint$A)
  bound <- eta * p$rho * norm + 1
  gamma <- if (is.null(p$gamma)) bound else p$gamma
  if (gamma < bound * (1 - 1e-6)) {
    warn("theorem", sprintf(
      "`gamma` = %g is below the bound eta rho ||A'A|| + 1 = %g of the convergence theorem.",
      gamma, bound
    ), argument = "gamma", bound = bound)
  }
  start <- p$init != "zero"
  list(
    eta = eta, rho = p$rho, gamma = gamma, norm = norm, bound = bound,
    init = p$init, average = p$average,
    accelerated = method$name == "acc_admm", start = start, mu = p$mu,
    # x_0 enters as iteration 0
    noisy = if (p$init == "noisy-gradient") 0:public$iterations else seq_len(public$iterations)
  )
}

#' The largest change of the mean gradient when one record is replaced.
#' @noRd
grad_admm_sensitivity <- function(public, clip) {
  slope <- public$loss$lipschitz * public$row_bound
  if (!is.null(clip)) slope <- min(slope, clip)
  if (is.infinite(slope)) {
    abort("argument", sprintf(
      'A private fit with the %s loss, whose slope is unbounded, needs `clip` (or try "huber").',
      public$loss$name
    ), argument = "loss", value = public$loss$name)
  }
  round_up(2 * public$C * slope / public$size)
}

#' Events of a plan under noise with the given scales, one for each noisy gradient.
#' @noRd
grad_admm_events <- function(plan, public, mechanism, scale) {
  switch(mechanism,
    gamma = dp_event_gamma(scale, public$sensitivity,
      dim = public$d, node = 1L, iteration = plan$noisy
    ),
    gaussian = dp_event_gaussian(scale, public$sensitivity,
      node = 1L, iteration = plan$noisy, printed = "dp-admm-accadmm, Theorem 1", mu = plan$mu
    )
  )
}

#' One scale for each noisy gradient, as the user gave them.
#' @noRd
gradient_given <- function(noise, count) {
  scale <- noise$scale
  if (length(scale) != 1L && !identical(dim(scale), c(1L, count))) {
    abort("shape", sprintf(
      "The noise must be one number or a 1 x %d matrix (a column for each noisy gradient).", count
    ), argument = "noise", value = length(scale))
  }
  rep_len(as.vector(scale), count)
}

gradient_calibrated <- function(plan, public, control) {
  count <- length(plan$noisy)
  invert <- if (public$mechanism == "gamma") function(x) 1 / x else identity
  # all gradients get the same noise, so one event stands for them
  one <- plan
  one$noisy <- plan$noisy[1L]
  rep(invert(calibrate_noise(function(noise) {
    rep(grad_admm_events(one, public, public$mechanism, invert(noise)), count)
  }, public$epsilon, public, control)), count)
}

#' @noRd
run_method.dpadmm_family_gradient <- function(method, records, nodes, network, loss, penalty,
                                              C, rho, iterations, budget, control, key) {
  iterations <- if (is.null(iterations)) 50L else as.integer(iterations)
  check_one_holder(nodes, nrow(records$x))
  if (is.null(C)) C <- 1
  constraint <- gradient_constraint(method, penalty, ncol(records$x))
  public <- list(
    N = 1L, size = nrow(records$x), records = nrow(records$x), d = ncol(records$x),
    m = nrow(constraint$A), loss = loss, C = C, penalty = constraint$penalty,
    rho = method$parameters$rho, iterations = iterations, row_bound = control$row_bound,
    epsilon = budget$epsilon, delta = budget$delta, private = budget$private,
    mechanism = budget$mechanism
  )
  plan <- grad_admm_plan(method, constraint, public)
  events <- NULL
  scale <- NULL
  leaks <- NULL
  if (budget$private) {
    public$sensitivity <- grad_admm_sensitivity(public, method$parameters$clip)
    scale <- if (is.null(budget$noise)) {
      gradient_calibrated(plan, public, control)
    } else {
      gradient_given(budget$noise, length(plan$noisy))
    }
    events <- grad_admm_events(plan, public, budget$mechanism, scale)
    leaks <- c(constraint$leak, if (plan$init == "paper") "the start u_0")
    if (plan$init == "paper") {
      warn("privacy_leak", paste(
        'The start of init = "paper" is computed from the records without noise.',
        'Use "zero" or "noisy-gradient".'
      ), argument = "init")
    }
  }
  result <- run_gradient(plan, public, constraint, method, records, scale, control, key)
  check_finished(result$status, result$begun, events, budget$delta,
    finite = "The iterates left the range of numbers: use a smaller `eta` or a larger `gamma`."
  )
  mean <- plan$average == "mean"
  list(
    coefficients = matrix(if (mean) result$mean_x else result$x, 1L), iterates = result$iterates,
    y = if (mean) result$mean_y else result$y, u = result$u, events = events,
    nodes = list(names = "all", size = public$size), network = NULL, public = public, plan = plan,
    constraint = constraint[c("A", "b", "c", "penalty", "weights")], noise = scale,
    trace = data.frame(iteration = seq_len(iterations), gap = result$gap, step = result$step),
    leaks = leaks, words = gradient_words(events, method)
  )
}

check_one_holder <- function(nodes, n) {
  one <- length(nodes) %in% c(1L, n) && length(unique(nodes)) == 1L && nodes[1L] %in% 1
  if (!is.null(nodes) && !one) {
    abort("nodes", "This method has one data holder: leave `nodes` at NULL.", argument = "nodes")
  }
}

#' What the privacy statement says of this family.
#' @noRd
gradient_words <- function(events, method) {
  if (is.null(events)) {
    return(list(released = "nothing was released with noise"))
  }
  list(
    sees = "Whoever sees every iterate, and the model,",
    released = sprintf(
      "%d gradients, each released with %s noise", nrow(events),
      if (events$mechanism[1L] == "gamma") "Gamma-norm" else "Gaussian"
    ),
    bound = if (!is.null(method$parameters$clip)) {
      sprintf("Each record's gradient was clipped to norm %g.", method$parameters$clip)
    }
  )
}

#' Hand the plan and the records to C.
#' @noRd
run_gradient <- function(plan, public, constraint, method, records, scale, control, key) {
  bar <- progress_bar(control$progress, public$iterations, "ADMM iterations")
  on.exit(bar$done())
  result <- core_call(.Call(
    ffi_run, split_spec(plan, public, constraint, method, scale, control),
    packed_records(records, control$row_bound), key, bar$tick
  ))
  c(result[c("status", "begun", "iterates", "gap", "step")], list(x = result$f), result$extra)
}

#' The public numbers of gradient ADMM, as the core takes them.
#' @noRd
split_spec <- function(plan, public, constraint, method, scale, control) {
  T <- public$iterations
  at_start <- plan$init == "noisy-gradient"
  list(
    parties = 1L, d = public$d, rounds = as.integer(T),
    keep = !identical(control$keep_iterates, FALSE), threads = control$threads,
    loss = public$loss$name, width = public$loss$width, weight = public$C / public$size, ridge = 0,
    clip = if (is.null(method$parameters$clip)) Inf else method$parameters$clip,
    rule = rep(match("gradient", .Call(ffi_rules)) - 1L, T),
    mechanism = if (!is.null(scale)) public$mechanism,
    objective_scale = if (at_start) scale[-1L] else scale, relay = "split",
    start = start_values(control$start, 1L, public$d),
    A = packed_records(list(x = constraint$A), Inf), b = constraint$b, c = constraint$c,
    weights = constraint$weights, penalty = constraint$penalty$name,
    parameter = penalty_numbers(constraint$penalty), split_eta = plan$eta, split_rho = plan$rho,
    split_gamma = plan$gamma, accelerated = plan$accelerated,
    restart = isTRUE(method$parameters$restart),
    inverse = if (plan$start) pseudo_inverse(as.matrix(Matrix::crossprod(constraint$A))),
    start_scale = if (at_start) scale[1L]
  )
}
