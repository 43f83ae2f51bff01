# Fits without noise whose number of iterations nobody asked for: nothing is hidden, so all records
# are taken together, and the answer is the minimiser of the objective that the method has.

# Norm of the gradient that is left, over the largest that the loss can have, or where that is
# more what keeps the answer this close to the minimiser.
.optimum_gradient <- 1e-12
.optimum_distance <- 1e-9

#' The problem of all parties as that of one: the same sum of objectives.
#' @noRd
pooled_plan <- function(plan) {
  problem <- plan$problem
  weight <- max(problem$C / problem$size)
  problem$C <- weight * problem$records
  problem$N <- 1L
  problem$names <- "all"
  problem$size <- problem$records
  problem$degree <- 0
  problem$network <- list(start = c(0L, 0L), neighbour = integer())
  none <- matrix(0, 1L, 1L)
  plan$problem <- problem
  plan[c("rule", "eta", "theta", "gamma")] <- list("exact", none, none, 0)
  plan$start <- plan$start[, 1L, drop = FALSE]
  plan$tol <- max(
    .optimum_distance * problem$rho,
    .optimum_gradient * problem$C * gradient_scale(problem$loss, problem$row_bound)
  )
  plan
}

#' All nodes at the optimum.
#' @noRd
run_optimum <- function(plan, records, held, key, keep, threads) {
  pooled <- pooled_plan(plan)
  all <- core_records(pooled, records, list(index = rep(1L, pooled$problem$size)))
  each <- plan$problem$C / plan$problem$size
  if (diff(range(each)) > 0) {
    own <- (each / max(each))[held$index]
    all$weight <- if (is.null(all$weight)) own else own * all$weight
  }
  result <- run_core(pooled, all, key, FALSE, threads, NULL)
  check_finished(result$status, result$begun, NULL, 0)
  size <- c(plan$problem$d, plan$problem$N)
  result$f <- matrix(result$f, size[1L], size[2L])
  if (keep) result$iterates <- array(t(result$f), c(1L, rev(size)))
  result
}
