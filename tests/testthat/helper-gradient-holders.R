# Gradient methods over four holders of unlike sizes.

# Holders whose records are not alike, in no order.
shuffled_holders <- function(size, d, seed = 1) {
  n <- sum(size)
  holder <- rep(seq_along(size), size)[order(seeded_normals(n, seed + 7))]
  x <- (matrix(seeded_normals(n * d, seed), n) + holder / length(size)) / (1.2 * sqrt(d))
  y <- ifelse(x[, 1] - 0.3 * x[, 2] + 0.2 * seeded_normals(n, seed + 2) > 0, 1, -1)
  list(x = x, y = y, holder = holder, n = n)
}

hub_kinds <- list(
  grad_admm = grad_admm(), acc_admm = acc_admm(), restart = acc_admm(rho = 0.1, restart = TRUE),
  start = grad_admm(init = "noisy-gradient", average = "mean"), dp_sgd = dp_sgd(step = 2),
  clip = dp_sgd(step = 2, clip = 0.1), dp_cd = dp_cd(step = 2), blocks = dp_cd(2, blocks = 2)
)

hub_data <- shuffled_holders(c(150, 60, 1, 39), 5)
hub_sizes <- c(A = 150, B = 60, C = 1, D = 39)
hub_data$nodes <- names(hub_sizes)[hub_data$holder]

hub_fit <- function(method, ..., .x = hub_data$x, .y = hub_data$y, nodes = hub_data$nodes,
                    iterations = 8, seed = 1, control = dpadmm_control(progress = FALSE)) {
  dpadmm_fit(.x, .y, nodes = nodes, method = method, ..., iterations = iterations, seed = seed,
    control = control)
}

hub_plan <- function(method, ..., d = 5, .sizes = hub_sizes, delta = 1e-5, iterations = 8) {
  dpadmm_plan(d, .sizes, method = method, ..., delta = delta, iterations = iterations, seed = 1)
}

# The models of runs by their seeds, a column each.
hub_models <- function(plan, seeds, of = function(run) split_result(plan, run)$f,
                       data = hub_data) {
  vapply(seeds, function(seed) {
    as.vector(of(run_plan(plan, data[c("x", "y")], list(index = data$holder), noise_key(seed),
      control = dpadmm_control(progress = FALSE))))
  }, double(plan$problem$d))
}

# All messages of a run, a row each: by round, then by party.
hub_messages <- function(plan, x, y, holder, seed) {
  seen <- new.env()
  run_plan(plan, list(x = x, y = y), list(index = holder), noise_key(seed),
    engine_stepwise(sent = seen), control = dpadmm_control(progress = FALSE))
  do.call(rbind, seen$values)
}
