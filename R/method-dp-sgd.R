#' Private gradient methods: DP-SGD and DP-CD
#'
#' The baselines of [fp_admm()], and instances of [fixed_point()]. They minimise
#' `(1/n) sum_i L(y_i, x_i'u) + r(u)` with r the `penalty` of [dpadmm_fit()].
#'
#' * `dp_sgd()`: `u <- prox_{step r}(u - step (g + eta))`, where g is the sum of a random
#'   batch's gradients, each shortened to norm `clip`, over the (expected) batch size, and
#'   eta ~ N(0, sigma^2 I). Without a penalty this is Proposition 1, with it the proximal
#'   DP-SGD of the paper's experiment.
#' * `dp_cd()`: the same for one block of coordinates a step, `u_b <- prox_{step r}(u_b -
#'   step (g_b + eta_b))`, with g_b the block of the mean gradient over all records, each
#'   record's part shortened to norm `clip`: Proposition 2.
#'
#' In terms of [fixed_point()], `R(u) = u - (2 / beta) grad f(u)` and `lambda = step beta /
#' 2`. Any beta gives the same iteration; only `step <= 2 / beta`, with beta the smoothness
#' of the mean loss, makes R non-expansive, which the utility theory needs and privacy
#' does not.
#'
#' @param step step size (> 0).
#' @param batch expected (`"poisson"`) or exact (`"fixed"`) number of records a batch (>=
#'   1), or their share in (0, 1); `NULL`: all.
#' @param sampling `"poisson"`: each record on its own; `"fixed"`: a random subset of that
#'   size.
#' @param clip bound on the norm of a record's gradient (> 0); `NULL`: the loss's Lipschitz
#'   constant times `control$row_bound`.
#' @param neighbours the neighbouring relation of the guarantee. `"add-remove"`: a record's
#'   gradient is there or not, and the number of records n, by which sums are divided and
#'   from which the sampling rate and the noise follow, is a public constant. Runs on n and
#'   on n - 1 records divide by unlike numbers, tell more, and are not covered; protect n
#'   too, or use `"replace-one"`.
#' @param blocks number of equal blocks, or a vector that names each coordinate's block;
#'   `NULL`: each coordinate.
#' @param order which block moves: `"random"` or `"permutation"` (each once, in an order
#'   that is drawn again when it is through).
#' @return An object of class `dpadmm_method` for [dpadmm_fit()]. Its `iterations` are
#'   batches, or blocks; `noise` is `gaussian_noise(sigma)`.
#'
#'   Errors of class `dpadmm_error_argument` for settings outside their ranges.
#' @source Cyffers, Bellet and Basu (2023), Propositions 1 and 2; Abadi et al. (2016);
#'   Mangold et al. (2022).
#' @examples
#' lasso <- sim_lasso(n = 300, seed = 1)
#' dpadmm_fit(lasso$x, lasso$y,
#'   method = dp_sgd(step = 2, batch = 30, clip = 0.5), loss = "squared",
#'   penalty = penalty_l1(0.002), iterations = 50, noise = gaussian_noise(0.05), delta = 1e-6,
#'   seed = 1
#' )
#' @export
dp_sgd <- function(step = 1, batch = NULL, sampling = c("poisson", "fixed"), clip = NULL,
                   neighbours = c("replace-one", "add-remove")) {
  check_number(step, "step", lower = 0, open_lower = TRUE)
  sampling <- check_choice(sampling, c("poisson", "fixed"), "sampling")
  neighbours <- check_choice(neighbours, c("replace-one", "add-remove"), "neighbours")
  if (!is.null(clip)) check_number(clip, "clip", lower = 0, open_lower = TRUE)
  if (!is.null(batch)) {
    check_number(batch, "batch", lower = 0, open_lower = TRUE)
    if (sampling == "fixed" && neighbours == "add-remove") {
      abort("argument", "Fixed-size batches have no guarantee for add-remove neighbours.",
        argument = "neighbours")
    }
  }
  new_method("dp_sgd", "gradient_steps", "DP-SGD", "Cyffers, Bellet and Basu (2023), Proposition 1",
    step = step, batch = batch, sampling = sampling, clip = clip, neighbours = neighbours
  )
}

#' @rdname dp_sgd
#' @export
dp_cd <- function(step = 1, blocks = NULL, order = c("random", "permutation"), clip = NULL,
                  neighbours = c("replace-one", "add-remove")) {
  check_number(step, "step", lower = 0, open_lower = TRUE)
  order <- check_choice(order, c("random", "permutation"), "order")
  neighbours <- check_choice(neighbours, c("replace-one", "add-remove"), "neighbours")
  if (!is.null(clip)) check_number(clip, "clip", lower = 0, open_lower = TRUE)
  new_method("dp_cd", "gradient_steps", "DP-CD", "Cyffers, Bellet and Basu (2023), Proposition 2",
    step = step, blocks = blocks, order = order, clip = clip, neighbours = neighbours
  )
}

#' @export
unused_arguments.dpadmm_family_gradient_steps <- function(method) c("C", "rho", "network", "nodes")

#' @noRd
run_method.dpadmm_family_gradient_steps <- function(method, records, nodes, network, loss, penalty,
                                                    C, rho, iterations, budget, control, key) {
  penalty <- check_penalty(penalty)
  check_gaussian(budget)
  iterations <- if (is.null(iterations)) 50L else as.integer(iterations)
  set <- method$parameters
  n <- nrow(records$x)
  d <- ncol(records$x)
  public <- list(
    N = 1L, records = n, d = d, loss = loss, penalty = penalty, iterations = iterations,
    row_bound = control$row_bound, epsilon = budget$epsilon, delta = budget$delta,
    private = budget$private, mechanism = budget$mechanism
  )
  bound <- gradient_bound(loss, set$clip, control$row_bound)
  plan <- gradient_plan(method, n, d, iterations, bound, key)
  scale <- events <- NULL
  if (budget$private) {
    if (is.infinite(bound)) {
      abort("argument",
        sprintf('The "%s" loss has no Lipschitz constant: a private fit needs `clip`.', loss$name),
        argument = "clip"
      )
    }
    at <- function(scale) gradient_events(plan, scale, iterations)
    scale <- if (is.null(budget$noise)) calibrate_steps(at, plan, public,
      control) else one_scale(budget$noise)
    events <- at(scale)
  }
  # R's step is 2 / beta; lambda = step beta / 2 is at most 1 for the beta chosen
  beta <- min(2 / set$step, loss$curvature * control$row_bound^2)
  result <- run_descent(plan, public, set$step, bound, records, scale, control, key)
  check_finished(result$status, result$begun, events, budget$delta)
  list(
    coefficients = result$iterates[iterations, , drop = FALSE], iterates = result$iterates,
    events = events, nodes = list(names = "model", size = n), public = public,
    plan = list(
      size = plan$size, q = plan$q, grad_bound = bound, beta = beta, lambda = set$step * beta / 2
    ),
    noise = scale, trace = data.frame(iteration = seq_len(iterations), step = result$step)
  )
}

#' Hand the plan and the records to C.
#' @noRd
run_descent <- function(plan, public, step, bound, records, scale, control, key) {
  bar <- progress_bar(control$progress, public$iterations, "Gradient steps")
  on.exit(bar$done())
  core_call(.Call(
    ffi_run, descent_spec(plan, public, step, bound, scale, control),
    row_view(records, public$row_bound), key, bar$tick
  ))
}

#' The public numbers of a descent, as the core takes them.
#' @noRd
descent_spec <- function(plan, public, step, bound, scale, control) {
  T <- public$iterations
  rule <- if (is.null(plan$block)) "gradient" else "block"
  list(
    parties = 1L, d = public$d, rounds = as.integer(T), keep = TRUE, threads = control$threads,
    loss = public$loss$name, width = public$loss$width, weight = 1 / plan$size, ridge = 0,
    clip = bound, rule = rep(match(rule, .Call(ffi_rules)) - 1L, T),
    mechanism = if (!is.null(scale)) "gaussian",
    objective_scale = if (!is.null(scale)) rep(as.double(scale), T), relay = "descent",
    start = start_values(control$start, 1L, public$d), step = rep(as.double(step), T),
    penalty = public$penalty$name, parameter = penalty_numbers(public$penalty),
    block = plan$block, turn = plan$turn, batch = plan$batch
  )
}

#' Batches and blocks, drawn without a look at the records.
#' @noRd
gradient_plan <- function(method, n, d, iterations, bound, key) {
  set <- method$parameters
  both <- if (set$neighbours == "replace-one") 2 else 1
  if (method$name == "dp_cd") {
    blocks <- set$blocks
    if (is.null(blocks)) blocks <- seq_len(d)
    if (length(blocks) == 1L && d > 1L) {
      check_number(blocks, "blocks", lower = 1, upper = d, whole = TRUE)
      blocks <- ceiling(seq_len(d) * blocks / d)
    }
    blocks <- check_blocks(blocks, d, list())
    turn <- if (max(blocks) == 1L) rep(1L, iterations) else {
      max.col(activations(if (set$order == "random") "one" else "permutation", iterations,
        max(blocks), key) * 1)
    }
    return(list(
      size = n, q = 1, block = as.integer(blocks), turn = as.integer(turn),
      sensitivity = both * bound / n, sampling = "poisson", neighbours = set$neighbours
    ))
  }
  size <- if (is.null(set$batch)) n else set$batch
  if (size < 1) size <- if (set$sampling == "fixed") max(1, round(size * n)) else size * n
  if (size > n) {
    abort("argument", sprintf("`batch` must be at most the number of records, %d, not %g.", n,
      size),
      argument = "batch", value = size
    )
  }
  if (set$sampling == "fixed") check_number(size, "batch", whole = TRUE)
  poisson <- set$sampling == "poisson"
  q <- size / n
  list(
    size = size, q = q, sensitivity = both * bound / size,
    batch = if (size < n) list(kind = set$sampling, size = if (poisson) q else as.integer(size)),
    sampling = set$sampling, neighbours = set$neighbours
  )
}

#' The noise that spends the budget. Sampling only lowers the cost, so the noise without it
#' is where to start from, downwards: sampled divergences at very small noise are slow.
#' @noRd
calibrate_steps <- function(events, plan, public, control) {
  if (plan$q == 1) return(calibrate_noise(events, public$epsilon, public, control))
  accountant <- if (control$accountant == "paper") "paper" else "best"
  start <- gaussian_sigma(public$epsilon, public$delta, plan$sensitivity * sqrt(public$iterations))
  low <- start
  repeat {
    low <- low / 1.5
    if (fold_events(events(low), public$delta, accountant)$epsilon > public$epsilon) break
  }
  calibrate(events, public$epsilon, public$delta, accountant, interval = c(low, 2 * start))
}

#' @noRd
gradient_events <- function(plan, scale, iterations) {
  iteration <- seq_len(iterations)
  if (plan$q == 1) {
    return(dp_event_gaussian(scale, plan$sensitivity, neighbours = plan$neighbours,
      iteration = iteration))
  }
  dp_event_subsampled_gaussian(scale, plan$sensitivity,
    q = plan$q, sampling = plan$sampling, neighbours = plan$neighbours, iteration = iteration
  )
}
