#' How much each party counts
#'
#' Decentralised methods ([decentralised], [plausible]) minimise the sum over parties of
#' `C_i mean_i(L(y, f'x)) + (rho/N) ||f||^2 / 2`, the means over the `B_i` records of party i.
#' `weights` says how unlike parties share in `sum_i C_i = N C`:
#'
#' * `"records"`: `C_i` proportional to `B_i`. Every record counts the same: the pooled problem.
#'   Every party adds the same noise, however few records it brings.
#' * `"nodes"`: all `C_i` alike, as the papers print it. A record of a small party counts more than
#'   one of a large party, and a small party adds more noise.
#' * `"precision"`, the default: `C_i` proportional to `B_i / (1 + 1024 d z_i^2 / B_i)`, with d
#'   columns and `z_i` the noise multiplier of the party's budget (times `per_person`). Without
#'   noise that is `"records"`; with it, parties whose records are few beside their noise count
#'   less.
#' * a vector `C` of one weight for each party is used as it is.
#'
#' All of this is worked out from public numbers. What matters in the objective is `lambda =
#' rho / (N C)`, the weight of `||f||^2 / 2` against the (weighted) mean loss; `glmnet` with
#' `alpha = 0` calls it lambda, too. Give `lambda`, or `rho` and `C`; by default it is 1/n.
#'
#' @section Why:
#' A party that counts each record with w brings `w B_i J` of information, and variance
#' `w^2 (B_i v + s_i^2)` in each coordinate of the summed gradient: v from its records, `s_i^2` from
#' its noise over the whole run. The variance of the sum over its information is least for w
#' proportional to `1 / (1 + s_i^2 / (B_i v))`. With derivatives of about L / 2 and rows of norm r
#' without a preferred direction `v = (L r / 2)^2 / d`; a replaced record moves the summed gradient
#' by at most 2 L r, and the noise that hides this in K updates is worth `s_i = 2 L r z_i` in their
#' mean, where `z_i` does not depend on K for Gaussian noise (`gaussian_sigma(epsilon, delta)`) and
#' is `sqrt(K (d + 1)) / epsilon` for pure budgets. The ratio is `16 d z_i^2`. But the last model
#' does not hold the mean of all noise: steps are long, and what the last ones bring is still there.
#' Noise counts 64 times as much: over forecasts of some twenty patterns of sizes, 3 to 20 columns
#' and budgets of 0.5 to 8 the best factor was between 4 and 256, and 64 lost at most 3%.
#'
#' @section Edges:
#' On a graph of N nodes, one node with nearly all the weight would move the mean by 1/N of its own
#' step. So where the penalty parameter is left to the plan, edges are weighted (and nodes weigh
#' something themselves), so that what a node and its edges weigh, its degree V_i, is proportional
#' to `C_i`, or more where a record would show in a small degree. The model of a fit is the mean
#' over nodes with weights `C_i` then. Alike nodes have edges of weight 1, and their plain mean.
#'
#' A plan compares what it forecasts with its largest holder alone (two halves of its records), and
#' says so where that would do better (`print()`, and a warning of class
#' `dpadmm_warning_utility`): with other weights than the default it often would.
#'
#' @section One model:
#' [fp_admm()] over holders whose records are protected one by one has the weights of `"records"`.
#' Its noise is on the mean and hides the record that counts most, so it is proportional to the
#' largest w. The variance `sum_i w_i^2 B_i v + max(w)^2 s^2` over the square of the information
#' `sum_i w_i B_i J` falls as the smallest w_i grows: its derivative has the sign of
#' `w_i v sum(w B) - sum(w^2 B) v - max(w)^2 s^2`, and `w_i sum(w B) <= sum(w^2 B)` for the smallest
#' w_i. So it is least where all w are alike. With noise of each holder's own (`noise =
#' "block"`) the precise weights above would be less noisy in theory; in simulations they made no
#' difference to the loss that could be seen, and the weights stay those of the records.
#'
#' @name party-weights
#' @seealso [dpadmm_fit()].
#' @examples
#' plan <- dpadmm_plan(4, sizes = c(large = 9000, small = 250), epsilon = 1, delta = 1e-5)
#' plan$problem$C
#' dpadmm_plan(4,
#'   sizes = c(large = 9000, small = 250), epsilon = 1, delta = 1e-5, weights = "records"
#' )$problem$C
NULL

.party_weights <- c("precision", "records", "nodes")

# Variance of the noise in the last model over that of the mean of all noise.
.last_noise <- 64

#' Shares of the parties in the objective, of mean 1.
#' @param K noisy updates of the run.
#' @noRd
party_shares <- function(weights, problem, budget, K) {
  size <- as.double(problem$size)
  counts <- switch(weights,
    nodes = 1 + 0 * size,
    records = size,
    precision = {
      z <- pmin(noise_multiplier(budget, problem$d, K) * problem$per_person, 1e300)
      unit <- max(1, z) # squares of z itself may overflow
      1 / (1 / unit^2 / size + .last_noise * 16 * problem$d * (z / unit / size)^2)
    }
  )
  counts / mean(counts)
}

#' Standard deviation of a coordinate of the noise on the mean of K noisy sums, over their
#' sensitivity: one number, or one a party. 0 where the noise is not calibrated, so that its size
#' does not depend on the weights.
#' @noRd
noise_multiplier <- function(budget, d, K) {
  if (!budget$private || !is.null(budget$noise)) return(0)
  pure <- noise_mechanism(budget$mechanism)$pure && budget$delta == 0
  if (pure) return(sqrt(K * (d + 1)) / budget$epsilon)
  each <- unique(budget$epsilon)
  z <- likely_sigmas(each, budget$delta)
  kept <- if (is.null(budget$kept)) 0 else budget$kept # for moments
  z[match(budget$epsilon, each)] / sqrt(1 - kept)
}

#' The problem with the weights C_i of the parties' mean losses, and that of the penalty. What
#' matters is their ratio lambda = rho / (N C); where the user says nothing it is 1/n, or with
#' noise of a given size C is 1.
#' @noRd
weigh_parties <- function(problem, budget, K) {
  C <- problem$C
  lambda <- problem$lambda
  # without noise to outweigh, precise is what has most records
  if (!budget$private && problem$weights == "precision") problem$weights <- "records"
  share <- party_shares(problem$weights, problem, budget, K)
  if (length(C) > 1L) {
    C <- per_party(C, problem$names, "C")
    share <- C / mean(C)
    problem$weights <- "as given"
  }
  if (is.null(C)) {
    # noise of a given size is in the units of the objective
    scale_free <- !is.null(lambda) || !is.null(budget$noise)
    C <- if (scale_free) 1 else problem$rho * mean(problem$size) / problem$row_bound^2
    C <- min(C, problem$size / share)
    problem$C <- pmin(C * share, problem$size) # the product may round above it
  } else {
    problem$C <- mean(C) * share
  }
  if (!is.null(lambda)) problem$rho <- lambda * problem$N * mean(C)
  check_weight_of_loss(problem)
  problem
}

check_weight_of_loss <- function(problem) {
  if (!all(is.finite(problem$C) & problem$C > 0)) {
    far <- vapply(problem[c("rho", "row_bound")], function(x) abs(log10(x)), 0)
    abort("argument", sprintf(paste(
      "The weight of the loss, about rho n / N over the square of the row bound, is beyond the",
      "range of numbers: `%s` = %g."
    ), names(which.max(far)), problem[[names(which.max(far))]]),
    argument = names(which.max(far)), value = problem[[names(which.max(far))]])
  }
  if (!any(bad <- problem$C > problem$size)) return(invisible())
  name <- problem$names[bad][1L]
  abort("argument", sprintf(paste(
    "`C` must be at most the number of records of every node: it is %g for node \"%s\", which",
    "has %d."
  ), problem$C[bad][1L], name, problem$size[bad][1L]),
  argument = "C", value = problem$C[bad][1L], place = name)
}
