# What the user asks of a fit or a plan, checked once for both.

#' @param given names of arguments that the user gave although they have defaults.
#' @noRd
plan_settings <- function(network, method, loss, penalty, C, rho, iterations, epsilon, delta,
                          noise, seed, control, given) {
  loss <- dpadmm_loss(loss)
  method <- as_method(method)
  refuse_unused(method, given)
  check_class(control, "dpadmm_control", "control", "dpadmm_control()")
  check_class(network, "dpadmm_network", "network", "network_complete() and the like")
  if (!is.null(C)) check_number(C, "C", lower = 0, open_lower = TRUE)
  check_number(rho, "rho", lower = 0, open_lower = TRUE)
  if (!is.null(iterations)) {
    check_number(iterations, "iterations", lower = 1, upper = 1e6, whole = TRUE)
  }
  budget <- check_budget(epsilon, delta, noise, per_node = on_graph(method))
  list(
    network = network, method = method, loss = loss, penalty = penalty, C = C, rho = rho,
    iterations = iterations, budget = budget, control = control, seed = check_seed(seed)
  )
}

on_graph <- function(method) inherits(method, "dpadmm_family_graph")

#' Whether records may belong to several parties, or users.
#' @noRd
many_holders <- function(method) on_graph(method) || inherits(method, "dpadmm_family_server")

#' The plan of these settings.
#' @param held list(names, size) of the parties, or of the users of fp_admm(); and `named`,
#'   whether the names are more than numbers of ours.
#' @noRd
plan_for <- function(settings, blueprint, held) {
  method <- settings$method
  users <- network <- NULL
  parties <- held[c("names", "size", "named")]
  if (on_graph(method)) {
    network <- resolve_network(settings$network, length(held$names))
  } else {
    several <- length(held$size) > 1L
    by_record <- several && identical(method$parameters$unit, "record") && any(held$size > 1)
    if (several && !by_record) users <- parties
    if (!by_record) parties <- list(names = "holder", size = sum(held$size), named = FALSE)
  }
  problem <- new_problem(settings$loss, settings$penalty, parties, blueprint,
    network = network, users = users, C = settings$C, rho = settings$rho,
    row_bound = settings$control$row_bound
  )
  make_plan(problem, method, settings$budget, settings$iterations, settings$control,
    key = noise_key(settings$seed)
  )
}

check_no_dots <- function(...) {
  if (...length() == 0L) return(invisible())
  name <- names(list(...))[1L]
  named <- length(name) && nzchar(name)
  abort("argument", sprintf("Unknown argument%s.", if (named) sprintf(" `%s`", name) else ""),
    argument = if (length(name)) name
  )
}
