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
    budget$epsilon <- per_node(budget$epsilon, problem$N, "epsilon")
  }
  chosen <- default_problem(problem, budget, settings$iterations)
  problem$C <- chosen$C
  check_weight_of_loss(problem)
  if (budget$private && is.infinite(problem$loss$lipschitz)) {
    abort("argument", sprintf(
      'A private fit needs a loss with bounded slope; "%s" has none (try "huber").',
      problem$loss$name
    ), argument = "loss", value = problem$loss$name)
  }
  orders <- schedule(method, problem, budget, chosen$iterations)
  tol <- graph_tolerance(problem, budget, settings$control)
  plan <- c(list(
    problem = problem, budget = budget, iterations = chosen$iterations,
    tol = tol, slop = tol,
    updates = sum(orders$noisy), shapes = c("node", "matrix"),
    start = start_values(settings$control$start, problem$N, problem$d)
  ), orders)
  plan
}

check_weight_of_loss <- function(problem) {
  if (!any(bad <- problem$C > problem$size)) return(invisible())
  name <- problem$names[bad][1L]
  abort("argument", sprintf(
    "`C` must be at most the number of records of every node: C = %g, but node \"%s\" has %d.",
    problem$C, name, problem$size[bad][1L]
  ), argument = "C", value = problem$C, place = name)
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
  gradient <- problem$loss$lipschitz
  rep(1e-10 * problem$C * problem$row_bound * if (is.finite(gradient)) gradient else 1, problem$N)
}

#' The largest change of a node's mean gradient, weighted by C, when a record is replaced.
#' @noRd
gradient_sensitivity <- function(problem) {
  2 * problem$C / problem$size * problem$loss$lipschitz * problem$row_bound
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
    sensitivity <- sensitivity / modulus
    # exact noise hides the program itself
    if (!noise_mechanism(plan$budget$mechanism)$pure) {
      sensitivity <- sensitivity + as.vector(hidden_shift(plan)[, updates, drop = FALSE])
    }
  }
  new_releases(where, node, rep(updates, each = problem$N),
    sensitivity = sensitivity,
    weight = as.vector(plan$amplify[, updates, drop = FALSE]),
    curvature = problem$loss$curvature * problem$C / problem$size[node] * problem$row_bound^2,
    modulus = modulus
  )
}

#' The releases that hide the distance between the program and the theorem, a row for each
#' of `releases`, at a fixed share of its cost.
#' @noRd
hidden_releases <- function(plan, releases, shift = hidden_shift(plan)) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  at <- cbind(releases$node, releases$iteration)
  moved <- mechanism$hidden_metric(plan$problem$d) * shift[at]
  new_releases("hidden", releases$node, releases$iteration,
    sensitivity = moved,
    weight = releases$weight * moved / (mechanism$hidden_share * releases$sensitivity)
  )
}

#' @noRd
#' @export
with_releases.dpadmm_family_graph <- function(method, plan) {
  releases <- graph_releases(plan)
  exact <- plan$place == "output" && !noise_mechanism(plan$budget$mechanism)$pure
  plan$releases <- if (exact) releases else rbind(releases, hidden_releases(plan, releases))
  plan
}

#' Rounding in a node's solver and draws, within `reach`: see the vignette for each line.
#' @noRd
#' @export
rounding_of.dpadmm_family_graph <- function(method, plan) {
  problem <- plan$problem
  mechanism <- noise_mechanism(plan$budget$mechanism)
  u <- .unit_roundoff
  n <- problem$size
  d <- problem$d
  modulus <- modulus_of(plan)[, plan$noisy, drop = FALSE]
  own <- function(scale) if (!is.null(scale)) scale[, plan$noisy, drop = FALSE]
  objective <- draw_bounds(mechanism, own(plan$scales$objective), d)
  gradient <- problem$C * problem$loss$lipschitz * problem$row_bound
  reach <- apply((100 * gradient + 2 * objective$most + 0 * modulus) / modulus, 1L, max) +
    10 * sqrt(colSums(plan$start^2))
  curvature <- problem$C * problem$loss$curvature * problem$row_bound^2
  shifted <- !is.null(problem$blueprint$offset)
  slopes <- 4 * max(1, problem$loss$lipschitz) + (1 + shifted) * problem$loss$curvature
  solver <- curvature * 5 * (d + 6) * u * reach + # margins, and those a model is not asked at
    problem$C * problem$row_bound * slopes * u + # derivatives
    sum_rounding(pmin(n, 16384) + n / 16384, gradient) +
    2 * sum_rounding(n, curvature / problem$row_bound) # the model's curvature
  added <- 16 * u * (gradient + 2.2 * modulus * reach + objective$most) + (d + 4) * u * plan$tol
  sent <- grid_slop(own(if (mechanism$pure) plan$scales$hidden else plan$scales$output), d)
  if (mechanism$pure) sent <- sent + draw_bounds(mechanism, own(plan$scales$output), d)$error
  solved <- solver + added + objective$error
  most <- apply(solved, 1L, max)
  # what a solver is asked for must be above what it can see
  list(
    slop = apply(solved + modulus * sent, 1L, max), reach = reach, solved = most, tol = 4 * most
  )
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
    plan$scales[[mechanism$hidden_place]] <- spread(as.vector(unit) * hidden)
  }
  plan
}

#' Gamma-norm noise in the objective: Theorem 4.1 of m-admm, Theorem V.1 of recycled-admm.
#' @noRd
#' @export
plan_printed.dpadmm_family_graph <- function(method, plan, unit, releases, view) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  if (!mechanism$pure || is.null(plan$printed)) return(NULL)
  stated <- releases$part != "hidden"
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

#' d x N, one column a node.
#' @noRd
start_values <- function(start, N, d) {
  if (is.null(start)) return(matrix(0, d, N))
  if (is.matrix(start)) {
    if (!identical(dim(start), c(N, d))) {
      abort("shape", sprintf(
        "`start` must be %d x %d (nodes x coefficients), not %d x %d.", N, d, nrow(start),
        ncol(start)
      ), argument = "start")
    }
    return(t(start))
  }
  if (length(start) != d) {
    abort("shape", sprintf("`start` must have length %d, not %d.", d, length(start)),
      argument = "start"
    )
  }
  matrix(as.double(start), d, N)
}
