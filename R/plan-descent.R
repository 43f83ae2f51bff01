# Plans of DP-SGD and DP-CD: batches or blocks, a step, and noise on each mean gradient, or on
# each part of it that one of several holders sends (plan-gradient-holders.R).

#' @noRd
#' @export
draft_plan.dpadmm_family_descent <- function(method, problem, budget, settings) {
  check_gaussian(budget)
  problem$penalty <- check_penalty(problem$penalty)
  budget <- own_budgets(budget, problem)
  optimum <- wants_model_optimum(method, problem, budget, settings)
  p <- descent_defaults(method, problem, budget, settings, optimum)
  iterations <- p$iterations
  bound <- min(p$clip, problem$loss$lipschitz * problem$row_bound)
  if (budget$private && is.infinite(bound)) {
    abort("argument", sprintf(
      'The "%s" loss has no Lipschitz constant: a private fit needs `clip`.', problem$loss$name
    ), argument = "clip")
  }
  plan <- list(
    problem = problem, budget = budget, iterations = iterations, optimum = optimum, step = p$step,
    grad_bound = bound, updates = 1L, shapes = if (share_model(problem)) "node" else character(),
    neighbours = p$neighbours,
    start = start_values(settings$control$start, model_names(problem), problem$d)
  )
  plan <- c(plan, inference_parts(settings$inference, problem, budget,
    rep(1 / problem$records, problem$N)
  ), if (method$name == "dp_cd") {
    descent_blocks(p, problem$d, iterations, settings$key)
  } else {
    descent_batches(p, problem)
  })
  plan$rule <- rep(if (is.null(plan$turn)) "gradient" else "block", iterations)
  # what a record adds is there or not, or one part goes and another comes
  moved <- bound * if (p$neighbours == "replace-one") 2 else 1
  if (is.null(plan$size)) plan$size <- problem$records
  plan$q <- plan$size / problem$records
  plan$sensitivity <- moved / plan$size
  plan$words <- list(sees = who_sees_gradients(problem))
  plan$slop <- descent_rounding(plan)
  plan
}

#' @noRd
#' @export
with_releases.dpadmm_family_descent <- function(method, plan) {
  p <- method$parameters
  # of a random sample, half of the sensitivity is what one record adds (Theorem 8)
  halves <- if (plan$q < 1 && p$sampling == "poisson" && p$neighbours == "replace-one") 4 else 2
  node <- gradient_nodes(plan$problem, NA)
  persons <- plan$problem$per_person
  # a sample of m records is at most m samples of one, each with a share of the noise (Theorem 17)
  parts <- if (plan$q < 1) persons else 1
  # of samples alike for all: their divergences take long
  slop <- if (plan$q < 1) max(plan$slop) else plan$slop
  moved <- if (plan$q < 1) plan$sensitivity else plan$sensitivity * persons
  releases <- new_releases("output", node, rep(seq_len(plan$iterations), each = length(node)),
    (round_up(moved) + halves * slop) * round_up(sqrt(parts), 4 * (parts > 1)),
    count = parts, q = plan$q, sampling = if (plan$q < 1) p$sampling else NA_character_,
    neighbours = p$neighbours
  )
  plan$releases <- with_attempts(plan, with_moments(plan, releases))
  if (any(parts > 1)) {
    plan$words$released <- sprintf("%d releases%s with %s", plan$iterations,
      if (anyNA(node)) "" else " a node", .mechanisms$subsampled_gaussian$words
    )
  }
  plan
}

#' Of each party's sum. A batch may hold all records, whatever its expected size.
#' @noRd
descent_rounding <- function(plan) {
  n <- plan$problem$size
  sum_rounding(n, n * plan$grad_bound / plan$size)
}

#' @noRd
#' @export
rounding_of.dpadmm_family_descent <- function(method, plan) {
  list(slop = descent_rounding(plan) + grid_slop(plan$noise, plan$problem$d), reach = NULL,
    moment = moment_slop(plan))
}

#' @noRd
descent_batches <- function(p, problem) {
  n <- problem$records
  size <- if (is.null(p$batch)) n else p$batch
  if (size < 1) size <- if (p$sampling == "fixed") max(1, round(size * n)) else size * n
  if (size > n) {
    abort("argument", sprintf(
      "`batch` must be at most the number of records, %d, not %g.", n, size
    ), argument = "batch", value = size)
  }
  if (p$sampling == "fixed") check_number(size, "batch", whole = TRUE)
  if (size < n && p$sampling == "fixed" && share_model(problem)) {
    abort("argument", paste(
      "A batch of a fixed size is drawn from all records together, which nobody holds: over",
      'several holders use sampling = "poisson", or all records (batch = NULL).'
    ), argument = "sampling")
  }
  list(size = size, batch = if (size < n) {
    list(kind = p$sampling, size = if (p$sampling == "poisson") size / n else as.integer(size))
  })
}

#' Which block moves when is public, drawn with the plan's key.
#' @noRd
descent_blocks <- function(p, d, iterations, key) {
  blocks <- if (is.null(p$blocks)) seq_len(d) else p$blocks
  if (length(blocks) == 1L && d > 1L) {
    check_number(blocks, "blocks", lower = 1, upper = d, whole = TRUE)
    blocks <- ceiling(seq_len(d) * blocks / d)
  }
  blocks <- check_blocks(blocks, d, NULL)
  count <- max(blocks)
  turn <- if (count == 1L) {
    rep(1L, iterations)
  } else {
    active_one(if (p$order == "random") "one" else "permutation", iterations, count, key)
  }
  list(block = blocks, turn = turn)
}

#' @noRd
#' @export
apply_unit.dpadmm_family_descent <- function(method, plan, unit) {
  if (is_secure(plan)) return(share_unit(plan, unit))
  plan$unit <- unit
  plan$noise <- as.vector(unit)
  plan$scales <- list(gradient = plan$noise)
  plan$moment_scales <- moment_scales(plan, plan$noise)
  plan
}
