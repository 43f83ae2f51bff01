# Plans of decentralised methods over a graph: who minimises what in each round, and what
# the noise must hide.

#' @noRd
#' @export
draft_plan.dpadmm_family_graph <- function(method, problem, budget, settings) {
  if (!is.null(problem$penalty)) {
    abort("argument", "This method's penalty is (rho/N) ||f||^2 / 2; leave `penalty` at NULL.",
      argument = "penalty"
    )
  }
  if (problem$N < 2L) abort("nodes", "There must be at least two nodes.", argument = "nodes")
  if (!is.null(budget$epsilon)) {
    budget$epsilon <- per_party(budget$epsilon, problem$names, "epsilon")
  }
  optimum <- wants_optimum(method, budget, settings)
  iterations <- settings$iterations
  if (is.null(iterations)) iterations <- if (optimum) 1 else default_iterations(budget)
  iterations <- as.integer(iterations)
  K <- noisy_updates(method, iterations)
  problem <- couple_nodes(method, weigh_parties(problem, budget, K), budget, iterations, K)
  if (budget$private && is.infinite(problem$loss$lipschitz)) {
    abort("argument", sprintf(
      'A private fit needs a loss with bounded slope; "%s" has none (try "huber").',
      problem$loss$name
    ), argument = "loss", value = problem$loss$name)
  }
  orders <- schedule(method, problem, budget, iterations)
  tol <- matrix(graph_tolerance(problem, budget, settings$control), problem$N, iterations)
  plan <- c(list(
    problem = problem, budget = budget, iterations = iterations,
    tol = tol, slop = tol,
    updates = sum(orders$noisy), shapes = c("node", "matrix"),
    start = start_values(settings$control$start, problem$names, problem$d),
    optimum = optimum
  ), inference_parts(settings$inference, problem, budget, problem$C / problem$size), orders)
  plan
}

#' Whether the minimiser itself is asked for: no noise, no number of iterations, and dual steps
#' that do not weigh the nodes in a way of their own.
#' @noRd
wants_optimum <- function(method, budget, settings) {
  alike <- function(x) length(unique(x)) <= 1L
  steps <- method$parameters[c("eta", "growth", "theta")]
  !budget$private && is.null(settings$iterations) && all(vapply(steps, alike, NA))
}

#' Gradient norm to which a node's problem is solved. Unless the user says otherwise: without
#' noise 1e-10 of the scale of the problem; with noise a share of what a record moves that leaves
#' the noise which hides it without effect on the result.
#' @noRd
graph_tolerance <- function(problem, budget, control) {
  if (!is.null(control$tol)) return(rep(control$tol, problem$N))
  if (budget$private) {
    mechanism <- noise_mechanism(budget$mechanism)
    return(rep_len(mechanism$solver_share / 2 * gradient_sensitivity(problem), problem$N))
  }
  1e-10 * problem$C * gradient_scale(problem$loss, problem$row_bound)
}

#' The largest change of a node's mean gradient, weighted by C, when a person's records are
#' replaced.
#' @noRd
gradient_sensitivity <- function(problem) {
  2 * problem$C / problem$size * problem$loss$lipschitz * problem$row_bound * problem$per_person
}

#' Strong convexity of the nodes' problems, N x T.
#' @noRd
modulus_of <- function(plan) {
  plan$problem$rho / plan$problem$N + 2 * plan$eta * plan$problem$degree
}

#' What the program's minimiser is off by, twice: N x T.
#' @noRd
hidden_shift <- function(plan) 2 * (plan$tol + plan$slop) / modulus_of(plan)

#' A row for each node and noisy update, of what theorems are about.
#' @param updates which iterations are noisy.
#' @noRd
graph_releases <- function(plan, updates = which(plan$noisy)) {
  problem <- plan$problem
  nodes <- seq_len(problem$N)
  node <- rep(nodes, length(updates))
  modulus <- as.vector(modulus_of(plan)[, updates, drop = FALSE])
  sensitivity <- gradient_sensitivity(problem)[node]
  where <- plan$place
  if (where == "output") {
    # the noise hides the program itself
    sensitivity <- sensitivity / modulus + as.vector(hidden_shift(plan)[, updates, drop = FALSE])
  }
  new_releases(where, node, rep(updates, each = problem$N),
    sensitivity = sensitivity,
    weight = as.vector(plan$amplify[, updates, drop = FALSE]),
    curvature = person_curvature(
      problem$loss$curvature * problem$C / problem$size[node] * problem$row_bound^2, modulus,
      problem$per_person[node]
    ),
    modulus = modulus
  )
}

#' The releases that hide the distance between the program and the theorem, a row for each
#' of `releases`: a share of what those cost together, in equal parts. A release that costs
#' next to nothing, as late ones of a growing penalty do, must not ask for noise as large.
#' @noRd
hidden_releases <- function(plan, releases) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  moved <- hidden_shift(plan)[cbind(releases$node, releases$iteration)]
  cost <- mean_cost(releases, if (mechanism$pure) 1 else 2)
  share <- hidden_share(plan, releases, moved / cost, mechanism)
  new_releases("hidden", releases$node, releases$iteration,
    sensitivity = moved, weight = moved / (share * cost)
  )
}

#' The share of the cost of the noise in the objective that the noise beside it has. Let A be the
#' ratio of that noise to the main one, in what they move a message by, were the share s = 1. For
#' the same budget the two together have (1 + A^2 / s^2) (1 + s)^2 times the variance of the main
#' one alone if noise is pure, (1 + A^2 / s^2) (1 + s^2) times if it is Gaussian: least for s^3 =
#' A^2, and for s^2 = A. An eighth of the main noise, s = 8 A, is little enough. With intervals,
#' messages tell gradients, and there that noise enters times the curvature, which may be many
#' times the modulus.
#' @param size of that noise at share 1, in units of the releases' noise of weight 1.
#' @noRd
hidden_share <- function(plan, releases, size, mechanism) {
  problem <- plan$problem
  factor <- releases$modulus
  if (!is.null(plan$inference)) {
    curvature <- problem$C * problem$loss$curvature * problem$row_bound^2 / problem$d
    factor <- factor + curvature[releases$node]
  }
  ratio <- sqrt(mean((size * factor / releases$weight)^2))
  best <- ratio^if (mechanism$pure) 2 / 3 else 1 / 2
  if (is.null(plan$inference)) best <- min(best, 8 * ratio)
  min(max(mechanism$hidden_share, best), 0.5)
}

#' What a node's release moves over its noise of unit 1, on average: the mean of this power.
#' @noRd
mean_cost <- function(releases, power) {
  ratio <- releases$sensitivity / releases$weight
  most <- max(ratio)
  most * stats::ave((ratio / most)^power, releases$node)^(1 / power)
}

#' @noRd
#' @export
with_releases.dpadmm_family_graph <- function(method, plan) {
  releases <- graph_releases(plan)
  if (plan$place != "output") {
    releases <- join_releases(list(releases, hidden_releases(plan, releases)))
  }
  plan$releases <- with_moments(plan, releases)
  plan
}

#' @noRd
#' @export
apply_unit.dpadmm_family_graph <- function(method, plan, unit) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  N <- plan$problem$N
  unit <- matrix(unit, N, plan$updates) # one number a node serves all its updates
  spread <- function(x) {
    out <- matrix(0, N, plan$iterations)
    out[, plan$noisy] <- x
    out
  }
  plan$unit <- unit
  plan$noise <- matrix(mechanism$scale(unit), N, plan$updates)
  plan$scales <- list(spread(mechanism$scale(unit * plan$amplify[, plan$noisy])))
  names(plan$scales) <- plan$place
  hidden <- plan$releases$weight[plan$releases$part == "hidden"]
  if (length(hidden) > 0L) {
    plan$scales$output <- spread(mechanism$scale(as.vector(unit) * hidden))
  }
  plan$moment_scales <- moment_scales(plan, unit[, 1L])
  plan
}

#' Gamma-norm noise in the objective: Theorem 4.1 of m-admm, Theorem V.1 of recycled-admm.
#' @noRd
#' @export
plan_printed.dpadmm_family_graph <- function(method, plan, unit, releases, view) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  if (!mechanism$pure || is.null(plan$printed)) return(NULL)
  stated <- releases$part %in% c("objective", "output")
  unit <- rep_len(unit, nrow(releases))[stated]
  releases <- releases[stated, , drop = FALSE]
  ridge <- plan$problem$rho / plan$problem$N
  printed <- .printed_graph[[plan$printed]](mechanism$scale(unit * releases$weight),
    sensitivity = releases$sensitivity, curvature = releases$curvature,
    coupling = releases$modulus - ridge, ridge = ridge, node = releases$node,
    iteration = releases$iteration
  )
  printed$count <- releases$count
  printed
}

#' d x N, one column for each of the parties `names`.
#' @noRd
start_values <- function(start, names, d) {
  N <- length(names)
  if (is.null(start)) return(matrix(0, d, N))
  if (is.matrix(start)) {
    if (!identical(dim(start), c(N, d))) {
      abort("shape", sprintf(
        "`start` must be %d x %d (nodes x coefficients), not %d x %d.", N, d, nrow(start),
        ncol(start)
      ), argument = "start")
    }
    if (!is.null(rownames(start))) {
      start <- start[party_order(rownames(start), names, "start"), , drop = FALSE]
    }
    return(unname(t(start)))
  }
  if (length(start) != d) {
    abort("shape", sprintf("`start` must have length %d, not %d.", d, length(start)),
      argument = "start"
    )
  }
  matrix(as.double(start), d, N)
}
