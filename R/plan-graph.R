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

#' The public numbers of the releases of a plan under noise of a mechanism with the given
#' scales (one a node and noisy update).
#' @noRd
graph_releases <- function(plan, public, mechanism, scale, nodes = seq_len(public$N),
                           updates = which(plan$noisy)) {
  pick <- function(m) as.vector(m[nodes, updates, drop = FALSE])
  node <- rep(nodes, length(updates))
  share <- public$C / public$size[node]
  mechanism <- noise_mechanism(mechanism)
  list(
    mechanism = mechanism, node = node, iteration = rep(updates, each = length(nodes)),
    scale = as.vector(scale),
    objective_scale = mechanism$scale(pick(plan$amplify) * mechanism$size(as.vector(scale))),
    sensitivity = 2 * share * public$loss$lipschitz * public$row_bound,
    curvature = public$loss$curvature * share * public$row_bound^2,
    coupling = 2 * pick(plan$eta) * public$degree[node], ridge = public$rho / public$N
  )
}

#' Events of a plan, see graph_releases().
#' @noRd
decentralised_events <- function(plan, public, mechanism, scale, ...) {
  r <- graph_releases(plan, public, mechanism, scale, ...)
  if (length(r$node) == 0L) return(NULL)
  modulus <- r$ridge + r$coupling
  if (plan$place == "output") {
    return(r$mechanism$output_event(r$scale, r$sensitivity / modulus,
      dim = public$d, node = r$node, iteration = r$iteration
    ))
  }
  r$mechanism$objective_event(r$objective_scale, r$sensitivity, r$curvature, modulus,
    dim = public$d, logistic_curvature = public$loss$logistic_curvature, node = r$node,
    iteration = r$iteration
  )
}

#' What is printed of them; NULL where the papers print nothing.
#' @noRd
decentralised_printed <- function(plan, public, mechanism, scale, ...) {
  r <- graph_releases(plan, public, mechanism, scale, ...)
  if (is.null(plan$printed) || !r$mechanism$pure || length(r$node) == 0L) return(NULL)
  .printed_graph[[plan$printed]](r$objective_scale, r$sensitivity, r$curvature, r$coupling,
    r$ridge, r$node, r$iteration
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
  as_scale <- noise_mechanism(public$mechanism)$scale
  last <- NULL
  for (group in alike_nodes(plan, public)) {
    i <- group[1L]
    released <- function(noise) {
      of <- function(make) make(plan, public, public$mechanism, rep(as_scale(noise), K), nodes = i)
      printed <- if (control$accountant == "paper") of(decentralised_printed)
      if (is.null(printed)) of(decentralised_events) else printed
    }
    # what a record moves, in the place where the noise is, carries the last answer over
    moved <- public$C / public$size[i] / if (plan$place == "output") modulus_of(plan, public)[i] else plan$amplify[i, 1L]
    near <- if (identical(last$epsilon, public$epsilon[i])) {
      last$noise / last$moved * moved
    } else {
      likely_noise(public, i, 2 * moved * public$loss$lipschitz * public$row_bound, K)
    }
    noise <- calibrate_noise(released, public$epsilon[i], public$delta, control$accountant, near)
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
  if (noise_mechanism(public$mechanism)$pure) sigma / sqrt(public$d) else sigma
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
  out$printed <- decentralised_printed(plan, public, budget$mechanism, scale)
  if (!is.null(out$events)) out$events$tolerance <- tol
  spread <- matrix(0, public$N, public$iterations)
  spread[, plan$noisy] <- scale
  if (plan$place == "objective") {
    noise <- noise_mechanism(public$mechanism)
    out$objective <- noise$scale(plan$amplify * noise$size(spread))
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
  check_finished(result$status, result$begun, made$events, budget$delta, printed = made$printed)
  c(list(
    coefficients = t(result$f), iterates = result$iterates, events = made$events,
    printed = made$printed, nodes = nodes[c("names", "size")],
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
  public <- made$public
  plan <- made$plan
  N <- public$N
  T <- public$iterations
  none <- matrix(0, N, T)
  objective <- if (is.null(made$objective)) none else made$objective
  output <- if (is.null(made$output)) none else made$output
  x <- records$x
  if (methods::is(x, "dgCMatrix")) x <- list(p = x@p, i = x@i, x = x@x, Dim = x@Dim)
  bar <- progress_bar(control$progress, T, "ADMM iterations")
  on.exit(bar$done())
  result <- core_call(.Call(ffi_decentralised, list(
    start = network$start, neighbour = network$neighbour, iterations = T,
    update = match(plan$update, .Call(ffi_updates)) - 1L,
    eta = plan$eta, theta = plan$theta, gamma = plan$gamma, tol = made$tol,
    mechanism = if (public$private) match(public$mechanism, .Call(ffi_mechanisms)) - 1L,
    objective_scale = objective, output_scale = output, test = made$test, key = key,
    progress = bar$tick, x = x, y = records$y, place = order(order(nodes$index)),
    size = as.integer(nodes$size), row_bound = control$row_bound,
    loss = public$loss$name, width = public$loss$width, weight = public$C / nodes$size,
    ridge = public$rho / N, threads = control$threads, keep = isTRUE(control$keep_iterates),
    f = start_values(control$start, N, public$d)
  )))
  result
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
