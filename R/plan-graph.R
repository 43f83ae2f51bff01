# Family 1 behind dpadmm_fit(): the public plan of a run, its events, and the run itself.
# The plan is fixed before a record is read, so the guarantee is too.

#' Everything about the problem that is public under replace-one neighbours.
#' @noRd
public_numbers <- function(records, nodes, network, loss, C, rho, iterations, control, budget) {
  list(
    N = length(nodes$names), size = nodes$size, names = nodes$names, degree = network$degree,
    d = ncol(records$x), loss = loss, C = C, rho = rho, iterations = iterations,
    row_bound = control$row_bound, delta = budget$delta,
    epsilon = if (!is.null(budget$epsilon)) per_node(budget$epsilon, length(nodes$names), "epsilon"),
    noise = budget$noise, private = budget$private, mechanism = budget$mechanism
  )
}

#' Events of a plan under noise of a mechanism with the given scales (one a node and noisy
#' update).
#' @noRd
decentralised_events <- function(plan, public, mechanism, scale, nodes = seq_len(public$N),
                                 updates = which(plan$noisy)) {
  if (length(updates) == 0L) return(NULL)
  loss <- public$loss
  pick <- function(m) as.vector(m[nodes, updates, drop = FALSE])
  node <- rep(nodes, length(updates))
  iteration <- rep(updates, each = length(nodes))
  scale <- as.vector(scale)
  share <- public$C / public$size[node]
  sensitivity <- 2 * share * loss$lipschitz * public$row_bound
  modulus <- public$rho / public$N + 2 * pick(plan$eta) * public$degree[node]
  if (plan$place == "output") {
    moved <- sensitivity / modulus
    return(switch(mechanism,
      gamma = dp_event_gamma(scale, moved, dim = public$d, node = node, iteration = iteration),
      gaussian = dp_event_gaussian(scale, moved, node = node, iteration = iteration)
    ))
  }
  curvature <- loss$curvature * share * public$row_bound^2
  switch(mechanism,
    gamma = dp_event_objective_gamma(scale / pick(plan$amplify), sensitivity, curvature, modulus,
      dim = public$d, tied = loss$tied, node = node,
      iteration = iteration, printed = plan$printed,
      printed_modulus = modulus - if (identical(plan$printed, "m-admm, Theorem 4.1")) public$rho / public$N else 0
    ),
    gaussian = dp_event_objective_gaussian(scale * pick(plan$amplify), sensitivity, curvature, modulus,
      tied = loss$tied, node = node, iteration = iteration
    )
  )
}

#' Noise scales, one a node and noisy update, as the user gave them.
#' @noRd
given_scales <- function(noise, plan, public) {
  K <- sum(plan$noisy)
  scale <- noise$scale
  if (is.matrix(scale)) {
    if (!identical(dim(scale), c(public$N, K))) {
      abort("shape", sprintf(
        "The noise must be one number, %d (one a node) or a %d x %d matrix (nodes x noisy updates), not %d x %d.",
        public$N, public$N, K, nrow(scale), ncol(scale)
      ), argument = "noise", value = dim(scale))
    }
    return(scale)
  }
  matrix(per_node(scale, public$N, "noise"), public$N, K)
}

#' Groups of nodes with the same public numbers, neighbours in these next to each other.
#' @noRd
alike_nodes <- function(plan, public, ...) {
  numbers <- cbind(size = public$size, degree = public$degree, epsilon = public$epsilon, plan$eta, ...)
  key <- apply(numbers, 1L, function(row) paste(sprintf("%a", row), collapse = " "))
  groups <- unname(split(seq_len(public$N), match(key, key)))
  first <- vapply(groups, `[`, 1L, 1L)
  groups[order(numbers[first, "epsilon"], numbers[first, "degree"], numbers[first, "size"])]
}

#' Noise scales that spend the budget at every node: alike nodes share one calibration.
#' @noRd
calibrated_scales <- function(plan, public, control) {
  K <- sum(plan$noisy)
  scale <- matrix(0, public$N, K)
  # larger noise is more private: a Gamma-norm rate is the inverse of a scale
  as_scale <- function(noise) if (public$mechanism == "gamma") 1 / noise else noise
  last <- NULL
  for (group in alike_nodes(plan, public)) {
    i <- group[1L]
    events <- function(noise) {
      decentralised_events(plan, public, public$mechanism, rep(as_scale(noise), K), nodes = i)
    }
    # what a record moves, in the place where the noise is, carries the last answer over
    moved <- public$C / public$size[i] / if (plan$place == "output") modulus_of(plan, public)[i] else plan$amplify[i, 1L]
    near <- if (identical(last$epsilon, public$epsilon[i])) {
      last$noise / last$moved * moved
    } else {
      likely_noise(public, i, 2 * moved * public$loss$lipschitz * public$row_bound, K)
    }
    noise <- calibrate_noise(events, public$epsilon[i], public, control, near)
    last <- list(noise = noise, moved = moved, epsilon = public$epsilon[i])
    scale[group, ] <- as_scale(noise)
  }
  scale
}

#' Noise near what `count` releases at node i need, as if curvature cost nothing; NULL for pure
#' budgets. Gamma-norm noise of scale s in d dimensions costs about as much as Gaussian noise
#' of standard deviation s sqrt(d).
#' @noRd
likely_noise <- function(public, i, sensitivity, count) {
  if (public$delta == 0) return(NULL)
  sigma <- gaussian_sigma(public$epsilon[i], public$delta, sensitivity * sqrt(count))
  if (public$mechanism == "gamma") sigma / sqrt(public$d) else sigma
}

#' A method's plan with its noise: what runs (`public`, `plan`, the tolerance of every node,
#' noise scales of the objective and the output, nodes x iterations, and a sparse vector
#' test), what is reported of the noise, and the events.
#' @noRd
protect <- function(method, plan, public, budget, control) UseMethod("protect")

#' @export
protect.default <- function(method, plan, public, budget, control) {
  tol <- control$tol
  if (is.null(tol)) {
    slope <- public$loss$lipschitz
    tol <- 1e-10 * public$C * control$row_bound * if (is.finite(slope)) slope else 1
  }
  out <- list(public = public, plan = plan, tol = rep(tol, public$N))
  if (!budget$private) return(out)
  scale <- if (is.null(budget$noise)) calibrated_scales(plan, public, control) else given_scales(budget$noise, plan, public)
  out$noise <- scale
  out$events <- decentralised_events(plan, public, budget$mechanism, scale)
  if (!is.null(out$events)) out$events$tolerance <- tol
  spread <- matrix(0, public$N, public$iterations)
  spread[, plan$noisy] <- scale
  if (plan$place == "objective") {
    out$objective <- spread * if (public$mechanism == "gamma") 1 / plan$amplify else plan$amplify
  } else {
    out$output <- spread
  }
  out
}

#' @noRd
run_method.dpadmm_family_decentralised <- function(method, records, nodes, network, loss, penalty,
                                                   C, rho, iterations, budget, control, key) {
  if (!is.null(penalty)) {
    abort("argument", "This method's penalty is (rho/N) ||f||^2 / 2; leave `penalty` at NULL.", argument = "penalty")
  }
  nodes <- resolve_nodes(nodes, nrow(records$x), key)
  nodes <- align_nodes(nodes, network)
  network <- resolve_network(network, length(nodes$names))
  chosen <- default_problem(C, iterations, nodes$size, rho, control$row_bound, budget)
  C <- chosen$C
  iterations <- chosen$iterations
  if (any(bad <- C > nodes$size)) {
    abort("argument", sprintf(
      "`C` must be at most the number of records of every node: C = %g, but node \"%s\" has %d.",
      C, nodes$names[bad][1L], nodes$size[bad][1L]
    ), argument = "C", value = C, place = nodes$names[bad][1L])
  }
  public <- public_numbers(records, nodes, network, loss, C, rho, iterations, control, budget)
  if (budget$private && is.infinite(loss$lipschitz)) {
    abort("argument", sprintf('A private fit needs a loss with bounded slope; "%s" has none (try "huber").', loss$name),
      argument = "loss", value = loss$name
    )
  }
  made <- protect(method, schedule(method, public), public, budget, control)
  result <- run_decentralised(made, records, nodes, network, control, key)
  check_finished(result$status, result$begun, made$events, budget$delta)
  c(list(
    coefficients = t(result$f), iterates = result$iterates, events = made$events, nodes = nodes[c("names", "size")],
    network = network, public = made$public, plan = made$plan, noise = made$noise, tol = max(made$tol),
    trace = data.frame(iteration = seq_len(iterations), gap = result$gap, step = result$step)
  ), if (!is.null(result$sent)) sending(result$sent, nodes$names, network$degree))
}

#' Who sent when, and the messages this saved.
#' @noRd
sending <- function(sent, names, degree) {
  dimnames(sent) <- list(names, NULL)
  count <- sum(rowSums(sent) * degree)
  list(sends = sent, messages = c(sent = count, saved = sum(degree) * ncol(sent) - count))
}

#' Hand what was made of the plan, and the records, to C.
#' @noRd
run_decentralised <- function(made, records, nodes, network, control, key) {
  bar <- progress_bar(control$progress, made$public$iterations, "ADMM iterations")
  on.exit(bar$done())
  core_call(.Call(
    ffi_run, graph_spec(made, network, control),
    packed_records(records, control$row_bound, place = order(order(nodes$index)), size = nodes$size),
    key, bar$tick
  ))
}

#' The public numbers of a run over a network, as the core takes them.
#' @noRd
graph_spec <- function(made, network, control) {
  public <- made$public
  plan <- made$plan
  N <- public$N
  T <- public$iterations
  list(
    parties = N, d = public$d, rounds = as.integer(T), keep = isTRUE(control$keep_iterates),
    threads = control$threads, loss = public$loss$name, width = public$loss$width,
    weight = public$C / public$size, ridge = public$rho / N, clip = Inf,
    rule = match(plan$update, .Call(ffi_rules)) - 1L, eta = plan$eta, theta = plan$theta,
    gamma = plan$gamma, tol = made$tol, mechanism = if (public$private) public$mechanism,
    objective_scale = made$objective, output_scale = made$output, test = made$test,
    relay = "graph", start = start_values(control$start, N, public$d),
    network = network[c("start", "neighbour")]
  )
}

#' Records for the compiled core, which copies them: `place` says where each goes.
#' @noRd
packed_records <- function(records, row_bound, ...) {
  x <- records$x
  if (methods::is(x, "dgCMatrix")) x <- list(p = x@p, i = x@i, x = x@x, Dim = x@Dim)
  list(x = x, y = records$y, row_bound = row_bound, layout = "packed", ...)
}

#' d x N, one column a node.
#' @noRd
start_values <- function(start, N, d) {
  if (is.null(start)) return(matrix(0, d, N))
  if (is.matrix(start)) {
    if (!identical(dim(start), c(N, d))) {
      abort("shape", sprintf("`start` must be %d x %d (nodes x coefficients), not %d x %d.", N, d, nrow(start), ncol(start)),
        argument = "start"
      )
    }
    return(t(start))
  }
  if (length(start) != d) {
    abort("shape", sprintf("`start` must have length %d, not %d.", d, length(start)), argument = "start")
  }
  matrix(as.double(start), d, N)
}
