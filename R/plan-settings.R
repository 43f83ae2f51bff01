# What the user asks of a fit or a plan, checked once for both.

#' @param given names of arguments that the user gave although they have defaults.
#' @noRd
plan_settings <- function(network, method, loss, penalty, C, rho, iterations, epsilon, delta,
                          noise, seed, control, given, weights = .party_weights,
                          lambda = NULL, per_person = 1, inference = FALSE,
                          aggregation = "plain") {
  loss <- dpadmm_loss(loss)
  method <- as_method(method)
  refuse_unused(method, given)
  check_class(control, "dpadmm_control", "control", "dpadmm_control()")
  network <- check_network(network)
  weights <- check_choice(weights, .party_weights, "weights")
  check_weight_given(C, lambda, given, one = !on_graph(method))
  check_number(rho, "rho", lower = 0, open_lower = TRUE)
  check_numbers(per_person, "per_person", lower = 1, whole = TRUE)
  if (!is.null(iterations)) {
    check_number(iterations, "iterations", lower = 1, upper = 1e6, whole = TRUE)
  }
  budget <- check_budget(epsilon, delta, noise, per_node = on_graph(method) || by_gradients(method))
  list(
    network = network, method = method, loss = loss, penalty = penalty, C = C, rho = rho,
    iterations = iterations, budget = budget, control = control, seed = check_seed(seed),
    weights = weights, lambda = lambda, per_person = per_person,
    inference = check_inference(inference, loss), aggregation = check_aggregation(aggregation)
  )
}

#' The weight of the loss against the penalty, which `C` and `lambda` say in two ways.
#' @param one whether `C` is one number, or else perhaps one for each party.
#' @noRd
check_weight_given <- function(C, lambda, given, one) {
  if (!is.null(C)) {
    check_numbers(C, "C", lower = 0, open_lower = TRUE, length = if (one) 1L)
  }
  if (!is.null(lambda)) {
    check_number(lambda, "lambda", lower = 0, open_lower = TRUE)
    if ("rho" %in% given) {
      abort("argument", "Give `lambda` or `rho`: lambda = rho / (N C).", argument = "lambda")
    }
  }
  if (length(C) > 1L && "weights" %in% given) {
    abort("argument", "`C` for each party says how much it counts: leave out `weights`.",
      argument = "weights"
    )
  }
}

on_graph <- function(method) inherits(method, "dpadmm_family_graph")

#' Whether a hub sums gradients.
#' @noRd
by_gradients <- function(method) {
  inherits(method, c("dpadmm_family_split", "dpadmm_family_descent"))
}

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
    by_record <- identical(method$parameters$unit, "record") && any(held$size > 1)
    apart <- several && (by_gradients(method) || by_record)
    if (several && !apart) users <- parties
    if (!apart) parties <- list(names = "holder", size = sum(held$size), named = FALSE)
  }
  problem <- new_problem(settings$loss, settings$penalty, parties, blueprint,
    network = network, users = users, C = settings$C, rho = settings$rho,
    lambda = settings$lambda, weights = settings$weights, row_bound = settings$control$row_bound,
    per_person = settings$per_person
  )
  check_persons(method, problem, settings$control)
  make_plan(problem, method, settings$budget, settings$iterations, settings$control,
    key = noise_key(settings$seed), inference = settings$inference,
    aggregation = settings$aggregation
  )
}

abort_intercept <- function() {
  abort("argument", "`intercept` is for matrices: a formula says it itself (`y ~ x - 1`).",
    argument = "intercept"
  )
}
