# Noise of PP-ADMM and IPP-ADMM: calibrated under an accountant, or by the printed rules.

#' @export
protect.dpadmm_method_pp_admm <- function(method, plan, public, budget, control) {
  protect_plausible(method$parameters, plan, public, budget, control)
}

#' @export
protect.dpadmm_method_ipp_admm <- function(method, plan, public, budget, control) {
  p <- method$parameters
  if (is.null(p$max_sends)) p$max_sends <- (2L * public$iterations + 2L) %/% 3L
  if (p$max_sends > public$iterations) {
    abort("argument", sprintf(
      "`max_sends` must be at most the number of iterations: %d > %d.", p$max_sends, public$iterations
    ), argument = "max_sends", value = p$max_sends)
  }
  if (is.null(p$eps_ratio)) p$eps_ratio <- (2 * p$max_sends)^(2 / 3)
  protect_plausible(p, plan, public, budget, control)
}

protect_plausible <- function(p, plan, public, budget, control) {
  N <- public$N
  T <- public$iterations
  printed <- control$accountant == "paper"
  sends <- if (is.null(p$max_sends)) T else p$max_sends
  beta <- if (!is.null(p$beta)) p$beta else if (printed) 10^-3.5 else default_beta(public)
  plan$beta <- per_node(beta, N, "beta")
  if (!printed && !(is.null(p$eps1) && is.null(p$eps3))) {
    abort("argument", '`eps1` and `eps3` are parameters of accountant = "paper".', argument = "eps1")
  }
  if (!is.null(p$split)) p$split <- per_node(p$split, N, "split")
  out <- list(public = public, plan = plan, tol = plan$beta)
  if (budget$private) {
    noise <- if (!is.null(budget$noise)) {
      given_plausible(p, plan, public, budget$noise, sends)
    } else if (printed) {
      out$public <- public <- raise_lambda(p, public, sends)
      printed_plausible(p, plan, public, sends)
    } else {
      calibrated_plausible(p, plan, public, control, sends)
    }
    out$noise <- noise[c("objective", "output")]
    out$plan$split <- noise$split
    out$objective <- matrix(noise$objective, N, T)
    out$output <- matrix(noise$output, N, T)
    out$events <- plausible_events(plan, public, noise, seq_len(N), seq_len(sends), printed)
    out$printed <- plausible_printed(plan, public, noise, seq_len(N), seq_len(sends))
  }
  if (!is.null(p$max_sends)) {
    sensitivity <- if (printed) {
      rep(2 * p$loss_clip, N)
    } else {
      query_sensitivity(public, p$loss_clip, plan$beta, modulus_of(plan, public))
    }
    out$test <- out$plan$test <- sparse_vector_test(
      p, N, sensitivity, if (budget$private) noise$test, p$max_sends, printed
    )
  }
  out
}

default_beta <- function(public) {
  if (is.infinite(public$loss$lipschitz)) public$loss$lipschitz <- 1 # without noise
  gradient_sensitivity(public) / 100
}

gradient_sensitivity <- function(public) {
  2 * public$C / public$size * public$loss$lipschitz * public$row_bound
}

modulus_of <- function(plan, public) public$rho / public$N + 2 * plan$eta[, 1L] * public$degree

#' Where the two noises enter: what a neighbour moves, over what it is then divided by. The
#' minimiser moves by `shift[, 1]`, the distance to it by `shift[, 2]`.
#' @noRd
shifts <- function(plan, public) {
  modulus <- modulus_of(plan, public)
  cbind(gradient_sensitivity(public), 2 * plan$beta) / modulus
}

#' The split of least variance when the variances of both noises add, and a release costs
#' `(shift / noise)^2` (Gaussian noise; Gamma-norm noise at delta > 0, nearly) or `shift /
#' noise` (Gamma-norm noise, pure): then the variances are in the ratio of the shifts, or of
#' their powers 2/3. What it is a share of, see `linked_noise()`.
#' @noRd
variance_split <- function(shift, public) {
  pure <- noise_mechanism(public$mechanism)$pure
  power <- if (!pure) 1 else if (public$delta > 0) 1 / 2 else 2 / 3
  weight <- shift^power
  weight[, 2L] / rowSums(weight)
}

#' Both noises and the test's epsilon for noise of size `unit` (a standard deviation, or the
#' inverse of a rate) in the objective of nodes i.
#' @noRd
linked_noise <- function(unit, split, i, p, plan, public, sends) {
  shift <- shifts(plan, public)[i, , drop = FALSE]
  modulus <- modulus_of(plan, public)[i]
  mechanism <- noise_mechanism(public$mechanism)
  gaussian <- !mechanism$pure
  odds <- (1 - split) / split
  second <- unit / modulus * shift[, 2L] / shift[, 1L] * if (gaussian) sqrt(odds) else odds
  # what one release costs in the currency of `split`
  first_cost <- if (gaussian) (shift[, 1L] * modulus / unit)^2 / 2 else shift[, 1L] * modulus / unit
  cost <- sends * first_cost / (1 - split)
  test <- if (!is.null(p$test_share)) cost * p$test_share / (1 - p$test_share)
  list(
    objective = mechanism$scale(unit), output = mechanism$scale(second),
    split = split, test = if (gaussian && !is.null(test)) sqrt(2 * test) else test,
    variance = (unit / modulus)^2 + second^2
  )
}

#' Events of nodes i: `at` numbers the releases of a node, each by its earliest possible
#' iteration.
#' @noRd
plausible_events <- function(plan, public, noise, i, at, printed = FALSE) {
  n <- length(i) * length(at)
  objective <- decentralised_events(plan, public, public$mechanism,
    rep_len(noise$objective, n),
    nodes = i, updates = at
  )
  output <- noise_mechanism(public$mechanism)$output_event(
    rep_len(noise$output, n), rep(shifts(plan, public)[i, 2L], length(at)),
    dim = public$d, node = objective$node, iteration = objective$iteration
  )
  test <- if (!is.null(noise$test)) {
    event <- if (printed) event_printed_test else dp_event_pure
    event(round_up(rep_len(noise$test, length(i))), node = i, iteration = 1)
  }
  c(objective, output, test)
}

#' What is printed of them: for Gaussian noise only.
#' @noRd
plausible_printed <- function(plan, public, noise, i, at) {
  if (noise_mechanism(public$mechanism)$pure) return(NULL)
  n <- length(i) * length(at)
  r <- graph_releases(plan, public, public$mechanism, rep_len(noise$objective, n),
    nodes = i, updates = at
  )
  printed_plausible_admm(r$objective_scale, rep_len(noise$output, n), r$sensitivity,
    rep(shifts(plan, public)[i, 2L], length(at)) / 2, r$curvature, r$ridge, r$node, r$iteration,
    test = if (!is.null(noise$test)) {
      list(epsilon = round_up(rep_len(noise$test, length(i))), node = i)
    }
  )
}

#' The noise that meets the budget, with the split of least total variance.
#'
#' `variance_split()` is exact when pure losses add, and for Gaussian noise but for what
#' curvature costs. Under another accountant the odds of the best split are searched for,
#' and as a multiple of the formula's carried over to the next node. For Gaussian noise one
#' node's search is enough: nodes differ in sizes, degrees and budgets, and the variance is
#' flat around its minimum. The cost of Gamma-norm noise has kinks where another bound takes
#' over, so there the first nodes are searched one by one.
#' @noRd
calibrated_plausible <- function(p, plan, public, control, sends) {
  first <- variance_split(shifts(plan, public), public)
  calibrated <- function(i, split, near) {
    link <- function(unit) linked_noise(unit, split, i, p, plan, public, sends)
    unit <- calibrate_noise(function(unit) {
      events <- plausible_events(plan, public, link(unit), i, 1L)
      events$count[events$mechanism != "pure"] <- sends
      events
    }, public$epsilon[i], public$delta, control$accountant, near)
    c(link(unit), unit = unit)
  }
  multiplied <- function(i, step) stats::plogis(stats::qlogis(first[i]) + step)
  best_step <- function(i, from, near) {
    start <- calibrated(i, multiplied(i, from), near)
    log_variance <- function(step) {
      split <- multiplied(i, step)
      near <- start$unit * sqrt((1 - start$split) / (1 - split))
      tryCatch(log(calibrated(i, split, near)$variance), dpadmm_error = function(e) 1e300)
    }
    found <- stats::optimize(log_variance, from + c(-0.6, 0.6), tol = 0.05)
    if (found$objective < log(start$variance)) found$minimum else from
  }
  mechanism <- noise_mechanism(public$mechanism)
  add_up <- mechanism$pure && public$delta == 0
  to_search <- if (add_up || !is.null(p$split)) 0L else if (mechanism$pure) 5L else 1L
  step <- 0
  out <- last <- NULL
  for (group in alike_nodes(plan, public, plan$beta, p$split)) {
    i <- group[1L]
    near <- if (identical(last$epsilon, public$epsilon[i])) {
      last$unit * last$size / public$size[i]
    } else {
      share <- (if (is.null(p$split)) 1 - first[i] else 1 - p$split[i]) * (1 - if (is.null(p$test_share)) 0 else p$test_share)
      likely_noise(public, i, gradient_sensitivity(public)[i], sends / share)
    }
    if (to_search > 0L) step <- best_step(i, step, near)
    to_search <- to_search - 1L
    found <- calibrated(i, if (is.null(p$split)) multiplied(i, step) else p$split[i], near)
    last <- list(unit = found$unit, size = public$size[i], epsilon = public$epsilon[i])
    for (name in names(Filter(Negate(is.null), found))) {
      if (is.null(out[[name]])) out[[name]] <- numeric(public$N)
      out[[name]][group] <- found[[name]]
    }
  }
  out
}

#' Noise of the user's scale in the objective; the rest follows from the split.
#' @noRd
given_plausible <- function(p, plan, public, noise, sends) {
  scale <- noise$scale
  if (is.matrix(scale)) {
    abort("shape", "The noise of this method must be one number, or one a node.", argument = "noise", value = dim(scale))
  }
  scale <- per_node(scale, public$N, "noise")
  unit <- noise_mechanism(public$mechanism)$size(scale)
  split <- if (is.null(p$split)) variance_split(shifts(plan, public), public) else p$split
  linked_noise(unit, split, seq_len(public$N), p, plan, public, sends)
}

# ---- as printed -----------------------------------------------------------------------

#' The printed privacy parameters of every node: rho1, eps1 and eps3 of one noise in the
#' objective, rho2 of one noise on the result, and the test's epsilon.
#' @noRd
printed_parameters <- function(p, public, sends) {
  if (noise_mechanism(public$mechanism)$pure) {
    abort("accountant", "The printed rules are for Gaussian noise: they need `delta` > 0.", argument = "delta")
  }
  N <- public$N
  log_odds <- -log(public$delta)
  total <- public$epsilon^2 / (4 * log_odds)
  test <- if (!is.null(p$test_share)) total * p$test_share
  share <- (total - if (is.null(test)) 0 else test) / sends
  split <- if (is.null(p$split)) rep(0.001, N) else p$split
  rho1 <- share * (1 - split)
  eps1 <- rho1 + 2 * sqrt(rho1 * log_odds)
  if (!is.null(p$eps1)) {
    if (!is.null(p$split)) abort("argument", "Give `split` or `eps1`, not both.", argument = "eps1")
    eps1 <- per_node(p$eps1, N, "eps1")
    rho1 <- eps1^2 / (4 * log_odds)
    split <- 1 - rho1 / share
    if (any(split <= 0)) {
      abort("budget", sprintf(
        "`eps1` = %g spends more than `epsilon` allows one release: at most %g.", max(eps1), min(2 * sqrt(share * log_odds))
      ), argument = "eps1", value = p$eps1)
    }
  }
  eps3 <- if (is.null(p$eps3)) 0.99 * eps1 else per_node(p$eps3, N, "eps3")
  if (any(eps1 <= eps3)) {
    abort("argument", sprintf("`eps1` must be larger than `eps3`: %g <= %g.", min(eps1), max(eps3)),
      argument = "eps3", value = p$eps3
    )
  }
  list(eps1 = eps1, eps3 = eps3, rho2 = share * split, split = split, test = if (!is.null(test)) sqrt(2 * test))
}

#' lambda-hat of line 3 of both algorithms.
#' @noRd
raise_lambda <- function(p, public, sends) {
  q <- printed_parameters(p, public, sends)
  added <- public$loss$curvature * public$C * public$row_bound^2 / public$size
  public$rho <- max(public$rho, 2.8 * public$N * added / (q$eps1 - q$eps3))
  public
}

printed_plausible <- function(p, plan, public, sends) {
  q <- printed_parameters(p, public, sends)
  scaled_to <- if (is.null(p$max_sends)) q$eps3 else q$eps1
  list(
    objective = gradient_sensitivity(public) * sqrt(2 * log(1.25 / public$delta)) / scaled_to,
    output = plan$beta / (sqrt(2 * q$rho2) * modulus_of(plan, public)), split = q$split, test = q$test
  )
}
