# How much the records of each party count, from public numbers alone.
#
# A party with B records whose mean loss has weight C brings C = w B of information, w by record,
# and of variance w^2 (B v + s^2): its records vary, v a coordinate of a record's gradient, and
# its noise over the whole run hides what one record moves, s = z times the sensitivity of the
# sum of its gradients. The best linear combination has w proportional to 1 / (B v + s^2) times
# B, so to 1 / (1 + s^2 / (B v)). With derivatives of about half the Lipschitz constant L, v is
# (L r / 2)^2 / d for rows of norm r without a preferred direction, and s is 2 L r z, so that
# s^2 / v = 16 d z^2: L, r and the weights themselves cancel.

.party_weights <- c("precision", "records", "nodes")

#' Shares of the parties in the objective, of mean 1.
#' @param K noisy updates of the run.
#' @noRd
party_shares <- function(weights, problem, budget, K) {
  size <- as.double(problem$size)
  counts <- switch(weights,
    nodes = 1 + 0 * size,
    records = size,
    precision = size / (1 + 16 * problem$d * noise_multiplier(budget, problem$d, K)^2 / size)
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
  z <- vapply(each, gaussian_sigma, 0, delta = budget$delta, sensitivity = 1)
  z[match(budget$epsilon, each)]
}

#' The problem with the weights C_i of the parties' mean losses, and that of the penalty. What
#' matters is their ratio lambda = rho / (N C); where the user says nothing it is 1/n a record.
#' @noRd
weigh_parties <- function(problem, budget, K) {
  C <- problem$C
  lambda <- problem$lambda
  # without noise to outweigh, precise is what has most records
  if (!budget$private && problem$weights == "precision") problem$weights <- "records"
  share <- party_shares(problem$weights, problem, budget, K)
  if (length(C) > 1L) {
    C <- per_node(C, problem$N, "C")
    share <- C / mean(C)
    problem$weights <- "as given"
  }
  if (is.null(C)) {
    C <- if (is.null(lambda)) problem$rho * mean(problem$size) / problem$row_bound^2 else 1
    C <- min(C, problem$size / share)
  }
  problem$C <- mean(C) * share
  if (!is.null(lambda)) problem$rho <- lambda * problem$N * mean(C)
  check_weight_of_loss(problem)
  problem
}

check_weight_of_loss <- function(problem) {
  if (!any(bad <- problem$C > problem$size)) return(invisible())
  name <- problem$names[bad][1L]
  abort("argument", sprintf(paste(
    "`C` must be at most the number of records of every node: it is %g for node \"%s\", which",
    "has %d."
  ), problem$C[bad][1L], name, problem$size[bad][1L]),
  argument = "C", value = problem$C[bad][1L], place = name)
}
