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
  plan <- c(list(
    problem = problem, budget = budget, iterations = chosen$iterations,
    tol = rep(graph_tolerance(problem, settings$control), problem$N),
    updates = sum(orders$noisy), shapes = c("node", "matrix"),
    start = start_values(settings$control$start, problem$N, problem$d)
  ), orders)
  plan$releases <- graph_releases(plan)
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

#' 1e-10 of the scale of the problem, unless the user says otherwise.
#' @noRd
graph_tolerance <- function(problem, control) {
  if (!is.null(control$tol)) return(control$tol)
  gradient <- problem$loss$lipschitz
  1e-10 * problem$C * problem$row_bound * if (is.finite(gradient)) gradient else 1
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

#' A row for each node and noisy update.
#' @param updates which iterations are noisy.
#' @noRd
graph_releases <- function(plan, updates = which(plan$noisy)) {
  problem <- plan$problem
  nodes <- seq_len(problem$N)
  node <- rep(nodes, length(updates))
  modulus <- as.vector(modulus_of(plan)[, updates, drop = FALSE])
  sensitivity <- gradient_sensitivity(problem)[node]
  where <- plan$place
  new_releases(where, node, rep(updates, each = problem$N),
    sensitivity = if (where == "output") sensitivity / modulus else sensitivity,
    weight = as.vector(plan$amplify[, updates, drop = FALSE]),
    curvature = problem$loss$curvature * problem$C / problem$size[node] * problem$row_bound^2,
    modulus = modulus
  )
}

#' @noRd
#' @export
apply_unit.dpadmm_family_graph <- function(method, plan, unit) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  N <- plan$problem$N
  unit <- matrix(unit, N, plan$updates) # one number a node serves all its updates
  spread <- matrix(0, N, plan$iterations)
  spread[, plan$noisy] <- mechanism$scale(unit * plan$amplify[, plan$noisy])
  plan$unit <- unit
  plan$noise <- matrix(mechanism$scale(unit), N, plan$updates)
  plan$scales <- stats::setNames(list(spread), plan$place)
  plan
}

#' Gamma-norm noise in the objective: Theorem 4.1 of m-admm, Theorem V.1 of recycled-admm.
#' @noRd
#' @export
plan_printed.dpadmm_family_graph <- function(method, plan, unit, releases, view) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  if (!mechanism$pure || is.null(plan$printed)) return(NULL)
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
