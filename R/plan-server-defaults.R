# What fp_admm() does when it is not told: gamma and iterations from public numbers.
#
# A direction of curvature h is solved at the rate 1 / (1 + gamma h) a round, and what holders
# disagree about in it at the rate gamma h / (1 + gamma h): about 1 / h serves both. With d
# columns that share the curvature c R^2 of rows of norm R, h is about c R^2 / d, less where
# predictors are far from 0: without noise three times d / (c R^2) came out well in all of some
# twenty settings (holders alike and unlike, columns correlated or not). With noise
# the sum of gamma over the turns is a time: the noise of z grows with it as long as nothing holds
# it back, and error is flat around the time at which that noise is a quarter a coordinate. The
# more turns that time is cut into, the less the sensitivity is stretched; beyond 100 little is
# gained.

.server_reach <- 3     # gamma in units of d over the largest curvature
.server_noise <- 0.25  # noise gathered by z, sd of a coordinate for rows of norm 1
.server_turns <- c(noisy = 100, exact = 1000)

#' The parameters of the method with `gamma` and `iterations` settled. Where each record is a
#' user, or users are protected as a whole, they are 1 and 50.
#' @noRd
server_defaults <- function(p, problem, budget, iterations) {
  holders <- share_model(problem)
  if (is.null(iterations)) iterations <- if (holders) default_rounds(p, problem, budget) else 50
  p$iterations <- as.integer(iterations)
  if (is.null(p$gamma)) p$gamma <- if (holders) default_gamma(p, problem, budget) else 1
  p
}

#' So many rounds that every holder has its turns.
#' @noRd
default_rounds <- function(p, problem, budget) {
  turns <- .server_turns[[if (budget$private) "noisy" else "exact"]]
  active <- holders_active(p, problem$N)
  min(1e6, ceiling(turns * problem$N / active) + (p$setting == "centralized"))
}

#' How many holders take part in a round.
#' @noRd
holders_active <- function(p, N) {
  if (p$setting == "decentralized") return(1)
  if (is.null(p$sample)) return(N)
  if (p$sample < 1) max(1, round(p$sample * N)) else min(p$sample, N)
}

#' By the noise that a budget will ask for; 1 for noise of a given size, whose cost grows with
#' gamma.
#' @noRd
default_gamma <- function(p, problem, budget) {
  loss <- problem$loss
  square <- problem$row_bound^2
  most <- .server_reach * problem$d / (loss$curvature * square)
  if (!budget$private) return(most)
  if (is.null(budget$epsilon)) return(min(1, most))
  turns <- max(1, p$iterations * holders_active(p, problem$N) / problem$N)
  own <- if (p$noise == "block") sqrt(problem$N) else 1
  a_time <- 2 * loss$lipschitz * square * own * gaussian_sigma(budget$epsilon, budget$delta, 1) /
    problem$records * max(problem$per_person)
  min(most, .server_noise / a_time / turns)
}
