# What to expect of the largest node alone: where the model of all is forecast to be worse, the plan
# says so before anything is spent.

# How much worse, in signal over error: forecasts are not better than that.
.forecast_alone <- 1.2

#' The plan's largest node as two halves, with the steps that the method would choose for them and
#' noise as hard to see through as the plan's.
#' @return `NULL`, or list(name, ratio = of the model of all, and of that node's alone).
#' @noRd
better_alone <- function(plan, expected) {
  problem <- plan$problem
  i <- which.max(problem$size)
  half <- problem$size[i] %/% 2L
  given <- vapply(plan$method$parameters, length, 0L)
  if (!on_graph(plan$method) || plan$place != "objective" || any(plan$amplify != 1) ||
        !is.null(plan$budget$noise) || any(given > 1L) || half < 1L) return(NULL)
  alone <- halved(problem, i, half)
  budget <- plan$budget
  budget$epsilon <- rep(budget$epsilon[i], 2L)
  orders <- schedule(plan$method, alone, budget, plan$iterations)
  sd <- scale_sd(plan, plan$scales$objective[i, ]) *
    gradient_sensitivity(alone)[1L] / gradient_sensitivity(problem)[i]
  own <- forecast_graph(orders$rule, orders$eta, orders$theta, orders$gamma,
    rbind(sd, sd, deparse.level = 0L), matrix(0, 2L, plan$iterations),
    pull = alone$C, ridge = alone$rho / 2, network = alone$network, loss = alone$loss,
    row_bound = alone$row_bound, d = alone$d
  )
  ratio <- c(signal_over_error(expected, problem), signal_over_error(own, alone))
  if (ratio[2L] > .forecast_alone * ratio[1L]) list(name = problem$names[i], ratio = ratio)
}

halved <- function(problem, i, half) {
  problem$C <- rep(problem$C[i] / problem$size[i] * half, 2L)
  problem$N <- 2L
  problem$names <- as.character(1:2)
  problem$size <- rep(half, 2L)
  problem$per_person <- rep(problem$per_person[i], 2L)
  problem$records <- 2 * half
  problem$network <- resolve_network(network_complete(), 2L)
  problem$degree <- problem$network$degree
  problem
}

#' The signal over all that a coefficient is off by: noise, and what other records would have
#' given, whose variance is that of a gradient over the square of the curvature.
#' @noRd
signal_over_error <- function(expected, problem) {
  loss <- problem$loss
  sampled <- problem$d * (loss$lipschitz / (2 * loss$curvature * problem$row_bound))^2 *
    sum(problem$C^2 / problem$size) / sum(problem$C)^2
  max(0, expected$signal) / sqrt(expected$noise^2 + sampled)
}

alone_sentence <- function(alone) {
  if (is.null(alone)) return(NULL)
  sprintf(
    "The records of \"%s\" alone are forecast to do better: signal over error %s instead of %s.",
    alone$name, forecast_number(alone$ratio[2L]), forecast_number(alone$ratio[1L])
  )
}
