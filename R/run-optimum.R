# Fits without noise whose number of iterations nobody asked for: nothing is hidden, so all records
# are taken together, and the answer is the minimiser of the objective that the method has.

# Norm of the gradient that is left, over the largest that the loss can have, or where that is
# more what keeps the answer of a strongly convex problem this close to the minimiser.
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
  plan$inference <- plan$test <- NULL
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
  # in the order of the holders, as they are in a file
  all <- core_records(pooled, records, held["index"])
  each <- plan$problem$C / plan$problem$size
  if (diff(range(each)) > 0) {
    own <- (each / max(each))[record_index(held)]
    all$weight <- if (is.null(all$weight)) own else own * all$weight
  }
  result <- run_core(pooled, all, key, FALSE, threads, NULL)
  check_finished(result$status, result$begun, NULL, 0)
  size <- c(plan$problem$d, plan$problem$N)
  result$f <- matrix(result$f, size[1L], size[2L])
  if (keep) result$iterates <- array(t(result$f), c(1L, rev(size)))
  result$arrived <- TRUE
  result
}

# ---- methods with one model ----------------------------------------------------------------

#' The model at the optimum: of mean losses as the method weighs them, and its penalty.
#' @noRd
run_model_optimum <- function(plan, records, held, keep) {
  task <- composite_task(plan, records, held)
  loss <- plan$problem$loss
  # in units of columns of curvature 1, in which no gradient of the sum is larger
  most <- gradient_scale(loss, 1) * sqrt(sum(task$p) / loss$curvature)
  found <- composite_optimum(task, .optimum_gradient * most)
  split <- !is.null(plan$constraint)
  apart <- as.vector(task$A %*% found$f) + task$b * found$y - task$c
  every <- function(x) rep_len(x, plan$iterations)
  result <- list(
    f = matrix(found$f), gap = if (split) every(norm2(apart)), step = every(norm2(found$f)),
    arrived = found$left <= found$enough, simulated = in_one_place(plan)
  )
  if (keep) result$iterates <- matrix(found$f, plan$iterations, length(found$f), byrow = TRUE)
  if (split) {
    result$extra <- list(y = found$y, u = found$dual / plan$rho, mean_x = found$f,
      mean_y = found$y)
  }
  result
}

#' Records and penalty for composite_optimum().
#' @noRd
composite_task <- function(plan, records, held) {
  problem <- plan$problem
  d <- problem$d
  part <- plan$constraint
  if (is.null(part)) {
    part <- list(A = Matrix::Diagonal(d), b = rep(-1, d), c = numeric(d), weights = rep(1, d),
      penalty = problem$penalty)
  }
  p <- record_shares(plan, held)
  if (!is.null(records$weight)) p <- p * records$weight
  if (is.unsorted(held$index)) { # as they are in a file
    order <- order(held$index)
    p <- p[order]
    records <- own_rows(records, order)
  }
  x <- model_matrix(records$x)
  shorten <- shortening(x, problem$row_bound)
  list(
    x = if (all(shorten == 1)) x else shorten * x, y = records$y,
    offset = if (is.null(records$offset)) 0 else records$offset, p = p, loss = problem$loss,
    A = part$A, b = part$b, c = part$c, w = part$weights, penalty = part$penalty
  )
}

#' What each record counts in the objective of one model: holders and users as `weight` says.
#' @noRd
record_shares <- function(plan, held) {
  problem <- plan$problem
  if (!is.null(plan$constraint)) return(rep(problem$C / problem$records, problem$records))
  size <- if (is_user(plan)) problem$size else problem$users$size
  if (is.null(size)) return(rep(1 / problem$records, problem$records))
  (rep_len(plan$weight, length(size)) / length(size) / size)[record_index(held)]
}
