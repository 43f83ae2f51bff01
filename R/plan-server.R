# Plans of fp_admm(): users' proximal steps and a server's mean, or a walk over the users. Where
# records of several holders are protected one by one, see also plan-server-holders.R.

#' @noRd
#' @export
draft_plan.dpadmm_family_server <- function(method, problem, budget, settings) {
  check_gaussian(budget)
  if (!is.null(settings$control$start)) {
    abort("argument", "This method starts at u = 0; leave `start` at NULL.", argument = "start")
  }
  problem$penalty <- check_penalty(problem$penalty)
  optimum <- wants_model_optimum(method, problem, budget, settings)
  late <- method$parameters$setting == "centralized" # z_1 reads no record
  if (optimum) settings$iterations <- 1L + late
  p <- server_defaults(method$parameters, problem, budget, settings$iterations)
  iterations <- p$iterations
  lipschitz <- problem$loss$lipschitz * problem$row_bound
  clipped <- function(on) if (p$clip_on == on && !is.null(p$clip)) p$clip else Inf
  holders <- share_model(problem)
  n <- if (holders) {
    problem$N
  } else if (is.null(problem$users)) {
    problem$records
  } else {
    length(problem$users$size)
  }
  plan <- c(list(problem = problem, budget = budget), p[c("lambda", "setting", "view")], list(
    iterations = if (optimum) 1L else iterations, rounds = iterations - late, late = late, n = n,
    optimum = optimum,
    prox_gamma = p$gamma, noise_on = p$noise, views = fp_views(p$setting, p$noise),
    grad_bound = min(lipschitz, clipped("gradient")), step_bound = clipped("step"),
    weight = if (holders) holder_weights(problem) else 1,
    rule = rep("prox", iterations - late), updates = 1L,
    shapes = if (holders && p$noise == "block") "node" else character()
  ))
  plan <- c(plan, participation(p, n, plan$rounds, settings$key))
  tol <- settings$control$tol
  plan$solver_tol <- if (is.null(tol)) {
    1e-10 * min(plan$grad_bound, max(1, problem$row_bound))
  } else {
    tol
  }
  plan$slop <- 0
  if (holders) plan <- with_holders(plan, tol)
  if (budget$private) check_server_noise(plan)
  plan
}

#' Who takes part when: public, drawn with the plan's key. `count`: how often each user does;
#' `most`: the largest of these counts after each round.
#' @noRd
participation <- function(p, n, rounds, key) {
  if (p$setting == "decentralized") {
    walk <- core_call(.Call(ffi_walk, key, n, rounds))
    most <- cummax(stats::ave(seq_len(rounds), walk, FUN = seq_along))
    return(list(walk = walk, sample = 0L, count = tabulate(walk + 1L, n), most = most))
  }
  everybody <- list(sample = 0L, most = seq_len(rounds))
  sample <- p$sample
  if (is.null(sample)) return(everybody)
  if (sample < 1) sample <- max(1, round(sample * n))
  if (sample > n) {
    abort("argument", sprintf(
      "`sample` must be at most the number of users, %d, not %g.", n, sample
    ), argument = "sample", value = sample)
  }
  if (sample == n) return(everybody)
  drawn <- core_call(.Call(ffi_participation, key, n, as.integer(sample), rounds))
  c(list(sample = as.integer(sample), public_key = key), drawn[c("count", "most")])
}

#' What a private run needs.
#' @noRd
check_server_noise <- function(plan) {
  if (plan$rounds < 1L) {
    abort("argument",
      "z_1 reads no record: a private centralized fit needs `iterations` >= 2.",
      argument = "iterations"
    )
  }
  if (is.infinite(plan$grad_bound) && is.infinite(plan$step_bound)) {
    abort("argument", sprintf(
      'The "%s" loss has no Lipschitz constant: a private fit needs `clip`.',
      plan$problem$loss$name
    ), argument = "clip")
  }
  if (plan$noise_on == "block") return(invisible())
  if (is.finite(plan$step_bound)) {
    abort("argument",
      "Aggregate noise has no guarantee with clip_on = \"step\": use \"gradient\".",
      argument = "clip_on"
    )
  }
  if (plan$lambda > 0.5) {
    abort("argument", sprintf(
      "Aggregate noise needs lambda <= 1/2 for its guarantee, not %g.", plan$lambda
    ), argument = "lambda", value = plan$lambda)
  }
}

#' By round, for the user who has taken part most so far.
#' @noRd
#' @export
with_releases.dpadmm_family_server <- function(method, plan) {
  holders <- share_model(plan$problem)
  releases <- if (holders) holder_releases(plan) else server_releases(plan)
  node <- if (length(plan$slop) > 1L) releases$node else 1L
  releases$sensitivity <- releases$sensitivity + 2 * plan$slop[node]
  plan$releases <- with_attempts(plan, releases)
  plan
}

#' Of aggregate noise, what rounding does to a user's state in every round, and to the sum. Own
#' noise hides what is computed from one user's records alone, whose norm is bounded as computed.
#' @noRd
#' @export
rounding_of.dpadmm_family_server <- function(method, plan) {
  if (share_model(plan$problem)) return(holder_rounding(plan))
  d <- plan$problem$d
  grid <- grid_slop(plan$noise, d)
  if (plan$noise_on == "block") return(list(slop = grid, reach = NULL))
  step <- min(plan$prox_gamma * plan$grad_bound, plan$step_bound)
  T <- plan$rounds
  u <- .unit_roundoff
  reach <- 1000 * (step + plan$noise * sqrt(d * T))
  size <- reach + step
  # of the one user whose records differ: the states of the others are the same to the last bit
  own <- 16 * (d + 16) * u * size * # the state, and its prox by the slope of the loss
    (1 + plan$prox_gamma * plan$problem$loss$curvature * plan$problem$row_bound^2) +
    32 * u * plan$prox_gamma * plan$problem$row_bound * # an offset
      (2 + plan$problem$loss$curvature) +
    2^-58 * size + # what a compressed state forgets
    if (is.null(plan$problem$users)) 0 else 2 * plan$prox_gamma * plan$solver_tol
  # everybody's states are added up: of compressed ones the parts that differ, in chunks
  everybody <- is.null(plan$problem$users) && is.null(plan$walk) && plan$sample == 0L
  sum <- if (everybody) {
    sum_rounding(plan$n / min(64, ceiling(plan$n / 1024)) + 64, step) + 4 * u * size
  } else {
    # and of each round what its users add up to, from the models they remember
    some <- max(plan$sample, 1)
    sum_rounding(plan$n, size) + 8 * T * u * size / plan$n +
      T * some / plan$n * 1.01 * u * ((some + 16) * 2 * step + (min(T, some) + 3) * size)
  }
  list(slop = grid + T * own / plan$n + sum, reach = reach)
}

server_releases <- function(plan) {
  step <- min(plan$prox_gamma * plan$grad_bound, plan$step_bound)
  released <- seq_len(plan$rounds) + plan$late
  # rounding of these few products; what the program rounds in every turn is in rounding_of()
  if (plan$noise_on == "aggregate") {
    moved <- 2 * step * moved_share(plan$lambda, plan$most) / plan$n
    return(new_releases("output", NA, released, round_up(moved, 32)))
  }
  new_releases("output", NA, released[turns_grow(plan)], round_up(4 * step, 32))
}

#' 1 - (1 - 2 lambda)^turns, for lambda <= 1/2 of any size.
#' @noRd
moved_share <- function(lambda, turns) {
  if (lambda == 0.5) return(as.double(turns > 0))
  -expm1(turns * log1p(-2 * lambda))
}

#' The rounds in which the largest number of turns grows: a further release.
#' @noRd
turns_grow <- function(plan) c(plan$most[1L] > 0L, diff(plan$most) > 0L)

#' @noRd
#' @export
apply_unit.dpadmm_family_server <- function(method, plan, unit) {
  if (is_secure(plan)) return(share_unit(plan, unit, over = plan$n))
  plan$unit <- unit
  on_block <- plan$noise_on == "block"
  plan$noise <- if (on_block) as.vector(unit) else unit[1L]
  plan$scales <- if (on_block) list(output = unit) else list(server = unit[1L])
  plan
}

#' Theorems 2, 3 and 4 of noisy-fixed-point-admm.
#' @noRd
#' @export
plan_printed.dpadmm_family_server <- function(method, plan, unit, releases, view) {
  if (plan$noise_on == "aggregate" || share_model(plan$problem)) return(NULL)
  sigma <- unit[1L]
  step <- min(plan$prox_gamma * plan$grad_bound, plan$step_bound)
  every <- seq_len(plan$rounds + plan$late)
  turns <- (seq_len(plan$rounds) + plan$late)[turns_grow(plan)]
  m <- if (plan$sample > 0L) plan$sample else plan$n
  switch(view,
    local = printed_consensus_local(sigma, step, turns),
    network = printed_consensus_walk(sigma, step, plan$n, turns),
    central = if (plan$setting == "centralized") {
      printed_consensus_centralized(sigma, step, plan$n, every)
    } else {
      printed_consensus_federated(sigma, step, plan$n, m, every)
    }
  )
}
