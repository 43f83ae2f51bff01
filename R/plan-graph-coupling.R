# Weights of a network's edges where nodes are unlike.
#
# Along a graph a node's step is its pull over its share of the network: (its model and its
# neighbours' mean) / 2, moved by C_i g_i / (2 eta V_i), where V_i is its degree. The mean of models
# weighted by V is what messages alone leave as it is, so it is moved by sum_i C_i g_i over 2 eta
# sum_i V_i. Where one node has nearly all the weight C and 1 / N of the degrees, it must make steps
# N times those of the mean, and these are what a record of it shows: curvature of its problem costs
# privacy as C_i / (B_i eta V_i). So V_i shall be proportional to C_i where that can be: edges weigh
# g_i g_j, and nodes themselves what lacks. A step of a node with few records and a small C_i must
# not show more either, which asks for a least V_i.

#' The problem with weights of edges (`factor`) and nodes (`self`) in its network, and what they
#' come to, in `degree`. Edges stay alike where nodes are, and where the steps or the noise are the
#' user's.
#' @param K noisy updates of the run.
#' @noRd
couple_nodes <- function(method, problem, budget, iterations, K) {
  if (!budget$private || !is.null(budget$noise) || !is.null(method$parameters$eta) ||
        diff(range(problem$C)) < 1e-9 * mean(problem$C)) return(problem)
  network <- problem$network
  count <- network$degree
  most <- curvature_times(problem, budget, iterations, K)
  time <- min(steady_time(problem, budget, iterations, K), noise_time(problem, budget, K))
  mass <- shared_mass(count * problem$C, mean(count) * time / most, sum(count))
  near <- neighbour_sums(network, 1L)
  each <- matrix(mass / count)
  factor <- each / sqrt((each + near(each)) / (count + 1)) # of edges as alike ones would have it
  edges <- factor * near(factor)
  network$factor <- as.vector(factor)
  network$self <- pmax(0, mass - as.vector(edges))
  network$degree <- problem$degree <- as.vector(edges) + network$self
  problem$network <- network
  problem
}

#' Proportional to `share` but at least `least`, or where these are more than there is, to them.
#' @noRd
shared_mass <- function(share, least, total) {
  if (sum(least) >= total) return(least * (total / sum(least)))
  order <- order(least / share)
  rest <- sum(least) - cumsum(least[order])
  pmax(share * min((total - rest) / cumsum(share[order])), least)
}

#' What each node counts for in the model of all: as in the objective, where that decides what its
#' edges weigh.
#' @noRd
model_shares <- function(problem) {
  if (is.null(problem$network$factor)) rep(1 / problem$N, problem$N) else objective_shares(problem)
}

#' What the parties' data terms count in their sum.
#' @noRd
objective_shares <- function(problem) problem$C / sum(problem$C)
