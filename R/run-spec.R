# A plan as the core takes it: lists of public numbers and of records (see src/ffi_run.c).

#' @param count whether the answer has `work`, what was done with rows (see node_solver.h) and the
#'   bytes that were taken: for benchmarks and tests. It depends on the records.
#' @noRd
run_core <- function(plan, records, key, keep, threads, tick, engine = NULL, count = FALSE) {
  spec <- core_spec(plan, keep, threads)
  spec$engine <- engine
  spec$count <- count
  core_call(.Call(ffi_run, spec, records, key, tick))
}

#' What all methods have, and what the relay of this one needs.
#' @noRd
core_spec <- function(plan, keep, threads) {
  problem <- plan$problem
  rules <- all_rules(plan)
  spec <- list(
    parties = problem$N, d = problem$d, rounds = length(rules), keep = keep,
    threads = as.integer(threads), loss = problem$loss$name, width = problem$loss$width,
    rule = match(rules, .Call(ffi_rules)) - 1L,
    mechanism = if (plan$private) plan$budget$mechanism
  )
  c(spec, run_orders(plan))
}

run_orders <- function(plan) share_orders(core_orders(plan$method, plan), plan)

#' Orders, and the relay that turns messages into what everybody sees next.
#' @noRd
core_orders <- function(method, plan) UseMethod("core_orders")

#' @noRd
#' @export
core_orders.dpadmm_family_graph <- function(method, plan) {
  problem <- plan$problem
  with_moment_orders(list(
    relay = "graph", network = core_network(problem$network),
    weight = problem$C / problem$size, ridge = problem$rho / problem$N, clip = Inf,
    eta = plan$eta, theta = plan$theta, gamma = plan$gamma, tol = plan$tol,
    objective_scale = plan$scales$objective, output_scale = plan$scales$output,
    reach = plan$reach, test = plan$test, start = plan$start
  ), plan)
}

#' Who hears whom (no lists: all hear all), and where edges are unlike, what they weigh.
#' @noRd
core_network <- function(network) {
  weighted <- if (!is.null(network$factor)) c("factor", "self", "degree")
  network[intersect(c("start", "neighbour", weighted), names(network))]
}

#' @noRd
#' @export
core_orders.dpadmm_family_server <- function(method, plan) {
  penalty <- plan$problem$penalty
  N <- plan$problem$N
  every <- function(x, parties) if (!is.null(x)) matrix(as.double(x), parties, plan$rounds)
  list(
    relay = "server", weight = plan$weight, ridge = 0, clip = plan$grad_bound,
    tol = every(rep_len(if (is.null(plan$tol)) plan$solver_tol else plan$tol, N), N),
    exact = share_model(plan$problem), first_user = if (N > 1L) seq_len(N) - 1L,
    users = as.integer(plan$n), lambda = plan$lambda, prox_gamma = plan$prox_gamma,
    step_bound = plan$step_bound, penalty = penalty$name, parameter = penalty_numbers(penalty),
    output_scale = every(plan$scales$output, N),
    server_scale = as.vector(every(plan$scales$server, 1L)), reach = rep(plan$reach, N),
    sample = plan$sample, walk = plan$walk,
    public_key = plan$public_key, late = plan$late
  )
}

#' @noRd
#' @export
core_orders.dpadmm_family_split <- function(method, plan) {
  problem <- plan$problem
  constraint <- plan$constraint
  with_moment_orders(list(
    relay = "split", weight = rep(problem$C / problem$records, problem$N), ridge = 0,
    clip = plan$clip,
    objective_scale = plan$scales$gradient, start_scale = if (plan$private) plan$scales$start,
    A = packed(constraint$A, numeric(nrow(constraint$A))), b = constraint$b, c = constraint$c,
    weights = constraint$weights, penalty = problem$penalty$name,
    parameter = penalty_numbers(problem$penalty), split_eta = plan$eta, split_rho = plan$rho,
    split_gamma = plan$gamma, accelerated = plan$accelerated, restart = plan$restart,
    rising = plan$average == "weighted",
    inverse = if (plan$init != "zero") {
      pseudo_inverse(as.matrix(Matrix::crossprod(constraint$A)))
    },
    start = plan$start_from, at_mean = plan$average != "last"
  ), plan)
}

#' @noRd
#' @export
core_orders.dpadmm_family_descent <- function(method, plan) {
  penalty <- plan$problem$penalty
  rounds <- plan$iterations
  N <- plan$problem$N
  scale <- plan$scales$gradient
  with_moment_orders(list(
    relay = "descent", weight = rep(1 / plan$size, N), ridge = 0, clip = plan$grad_bound,
    objective_scale = if (!is.null(scale)) matrix(scale, N, rounds),
    step = rep(as.double(plan$step), length(all_rules(plan))), penalty = penalty$name,
    parameter = penalty_numbers(penalty), block = plan$block, turn = plan$turn,
    batch = plan$batch, start = plan$start
  ), plan)
}

# ---- records -----------------------------------------------------------------------------

#' Rows for the core: in their order, all with one party.
#' @noRd
packed <- function(x, y) {
  list(x = matrix_slots(x), y = y, size = length(y))
}

# Records for which a collection of garbage pays.
.many_records <- 2^18

#' All records, where they are read in place or packed party by party.
#' @noRd
core_records <- function(plan, records, held) {
  problem <- plan$problem
  # what was needed so far would lie beside the copy; of a matrix that is young
  if (prod(dim(records$x)) > 2^23) gc(full = problem$blueprint$kind == "frame")
  if (reads_in_place(plan)) return(in_place(records, problem$row_bound))
  user_size <- if (is_user(plan)) problem$size else problem$users$size
  drawn <- !is.null(held$key)
  mixed <- drawn || is.unsorted(held$index)
  rows <- core_rows(records$x, if (mixed) order(record_index(held)))
  if (length(records$y) >= .many_records) gc() # the order and what the rows were made from
  c(rows, core_numbers(records), list(
    holder = if (mixed) held$index,
    split = if (drawn) list(key = held$key, size = as.integer(held$size)),
    size = problem$size, row_bound = problem$row_bound
  ), if (!is.null(user_size)) list(user_size = user_size))
}

#' What records have besides their rows.
#' @noRd
core_numbers <- function(records) {
  list(y = records$y, weight = records$weight, offset = records$offset)
}

#' Whether each party is one user of a server, with a proximal step for all of its records.
#' @noRd
is_user <- function(plan) share_model(plan$problem) && !by_gradients(plan$method)

#' Records of one holder, where they lie if they can be read there.
#' @noRd
in_place <- function(records, row_bound) {
  c(core_rows(records$x, in_place = TRUE), core_numbers(records), list(
    size = length(records$y), row_bound = row_bound
  ))
}

#' Methods of one holder whose passes are over rows as they lie.
#' @noRd
reads_in_place <- function(plan) {
  problem <- plan$problem
  problem$N == 1L && is.null(problem$network) && is.null(plan$constraint) && is.null(problem$users)
}

#' The records of each party apart.
#' @noRd
party_records <- function(plan, records, held) {
  if (plan$problem$N == 1L) return(list(core_records(plan, records, held)))
  index <- record_index(held)
  lapply(seq_len(plan$problem$N), function(i) {
    own_records(plan, own_rows(records, which(index == i)))
  })
}

#' Some of the records, in this order.
#' @noRd
own_rows <- function(records, rows) {
  list(x = take_model_rows(records$x, rows), y = records$y[rows], weight = records$weight[rows],
    offset = records$offset[rows])
}

#' The records of one party of several, all that are there.
#' @noRd
own_records <- function(plan, records) {
  c(core_rows(records$x), core_numbers(records), list(
    size = length(records$y), row_bound = plan$problem$row_bound
  ), if (is_user(plan)) list(user_size = length(records$y)))
}
