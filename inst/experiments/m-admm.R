# The experiments of vignette("m-admm"), a chunk each; results are stored beside this file,
# and rerun_experiment("m-admm", part) runs them again.

## ---- data ----
library(dpadmm)
records <- adult_matrix("onehot")

## ---- problem ----
# A fresh split of Adult and a random network, of mean degree 2 (five nodes: it comes out as a
# tree, the sparsest there is) or 4. With an uneven split the largest node has five times the
# records of the smallest. The weight of the mean loss is that of five nodes, shared out: 1750
# for each of five.
m_problem <- function(N, repetition, even = TRUE, graph = "random") {
  set.seed(repetition)
  split <- sample(nrow(records$x))
  train <- split[1:40000]
  test <- split[-(1:40000)]
  weight <- if (even) rep(1, N) else seq(1, 5, length.out = N)
  last <- round(40000 * cumsum(weight) / sum(weight))
  set.seed(N)
  network <- switch(graph,
    random = network_random(N, if (N == 5) 0.5 else 4 / (N - 1)),
    ring = network_ring(N), complete = network_complete(N)
  )
  list(
    x = records$x[train, ], y = records$y[train], x_test = records$x[test, ],
    y_test = records$y[test], nodes = rep(seq_len(N), diff(c(0, last))), network = network,
    N = N, C = 8750 / N
  )
}

m_fit <- function(problem, method, ..., accountant = "paper", iterations = 50) {
  dpadmm_fit(problem$x, problem$y,
    nodes = problem$nodes, network = problem$network, method = method, C = problem$C,
    rho = 0.22, iterations = iterations, intercept = FALSE, weights = "nodes",
    control = dpadmm_control(keep_iterates = TRUE, accountant = accountant, progress = FALSE), ...
  )
}

# Its plan alone, which needs no records: the noise for a budget.
m_plan <- function(problem, method, ..., accountant, iterations = 50) {
  dpadmm_plan(ncol(problem$x), table(problem$nodes),
    network = problem$network, method = method, C = problem$C, rho = 0.22,
    iterations = iterations, intercept = FALSE, weights = "nodes",
    control = dpadmm_control(accountant = accountant), ...
  )
}

# Mean over nodes of the loss of a node's model on its own records, at some iterations.
own_loss <- function(fit, problem, at) {
  loss <- vapply(seq_len(problem$N), function(node) {
    own <- problem$nodes == node
    models <- matrix(fit$iterates[at, node, ], length(at))
    margin <- problem$y[own] * as.matrix(problem$x[own, ] %*% t(models))
    colMeans(pmax(-margin, 0) + log1p(exp(-abs(margin))))
  }, numeric(length(at)))
  rowMeans(matrix(loss, length(at)))
}

## ---- convergence ----
# Figure 1: no noise. Curves with words are the paper's 1(a), those with a growth 1(b). Dual
# steps that change over iterations are no argument of m_admm(): they are put into the plan.
run_convergence <- function(setting, seed) {
  problem <- m_problem(setting$N, 1, graph = setting$graph)
  each <- function(five) rep_len(five, problem$N) # nodes take turns
  private <- function(theta) {
    m_admm(
      eta = each(c(0.55, 0.65, 0.6, 0.55, 0.6)), growth = each(c(1.01, 1.03, 1.05, 1.04, 1.02)),
      theta
    )
  }
  unlike <- each(c(0.3, 0.35, 0.4, 0.45, 0.5))
  method <- switch(setting$curve,
    "one theta" = private(0.5),
    "theta over time" = private(0.5),
    "theta by node" = private(unlike),
    "theta by node, fixed penalty" = m_admm(0.55, growth = 1, theta = unlike),
    m_admm(eta = 0.5, growth = as.numeric(setting$curve), theta = 0.5)
  )
  # with fixed penalties twenty nodes need more iterations
  long <- problem$N == 20 && setting$curve %in% c("1", "theta by node, fixed penalty")
  fit <- m_fit(problem, method, epsilon = Inf, iterations = if (long) 2000 else 500)
  if (setting$curve == "theta over time") fit <- with_theta(fit, 0.5 * 1.01^(1:500), problem)
  at <- c(1:4, 6, 8, 10, 14, 20, 30, 40, 60, 80, 100, 140, 200, 300, 400, 500)
  if (long) at <- c(at, 1000, 2000)
  key <- format(problem$N)
  if (is.null(m_kept[[key]])) assign(key, m_optimum(problem), envir = m_kept)
  trace <- loss_trace(fit, problem$x, problem$y)
  data.frame(
    iteration = at, loss = signif(own_loss(fit, problem, at), 6),
    gap = signif(trace$objective[at] - m_kept[[key]], 4)
  )
}

# A fit of the same plan with dual steps that change over iterations, the same at all nodes.
with_theta <- function(fit, theta, problem) {
  plan <- fit$plan
  plan$theta[] <- rep(theta, each = problem$N)
  dpadmm_fit(plan, problem$x, problem$y, nodes = problem$nodes)
}

m_kept <- new.env() # the same for all curves of a number of nodes
# The least value of the objective: without a number of iterations a fit is the optimum itself.
m_optimum <- function(problem) {
  fit <- dpadmm_fit(problem$x, problem$y,
    nodes = problem$nodes, C = problem$C, rho = 0.22, weights = "nodes", epsilon = Inf,
    intercept = FALSE
  )
  evaluate(fit, problem$x, problem$y)$objective
}

## ---- private-run ----
# One private run. Its noise spends `epsilon`, by the printed or the sound accountant; with one
# noise for all nodes the worst node does, and the others spend less. `error` is that of the mean
# of the nodes' models on the test records, `own` the mean of the errors of the nodes' own models
# (of the last iteration only).
run_private <- function(setting, seed, at = c(1:4, 6, 8, 10, 14, 20, 26, 32, 38, 44, 50)) {
  problem <- m_problem(setting$N, setting$repetition, setting$even, setting$graph)
  method <- m_admm(eta = 0.5, growth = setting$growth, theta = 0.5) # growth 1: ADMM-DVP
  accountant <- if (setting$match == "printed") "paper" else "sound"
  budgeted <- function(make, ...) {
    make(problem, method, epsilon = setting$epsilon, noise = "gamma", accountant = accountant, ...)
  }
  fit <- tryCatch(
    if (setting$noise == "one") {
      m_fit(problem, method, noise = gamma_noise(min(budgeted(m_plan)$noise)), seed = seed)
    } else {
      budgeted(m_fit, seed = seed)
    },
    dpadmm_error_budget = function(e) NULL # the curvature term alone costs more
  )
  if (is.null(fit)) {
    return(data.frame(
      iteration = at, loss = NA, error = NA, own = NA, printed = NA, sound = NA, least = NA
    ))
  }
  spent <- function(accountant) privacy(fit,
    accountant = accountant, iterations = TRUE
  )$epsilon[at]
  own <- evaluate(fit, problem$x_test, problem$y_test, node = "average")$error
  data.frame(
    iteration = at, loss = signif(own_loss(fit, problem, at), 5),
    error = signif(loss_trace(fit, problem$x_test, problem$y_test)$error[at], 5),
    own = ifelse(at == 50, signif(own, 5), NA),
    printed = signif(spent("paper"), 5), sound = signif(spent("sound"), 5),
    least = signif(min(privacy(fit)$per_node$epsilon), 4) # of the nodes'
  )
}
last_iteration <- function(setting, seed) run_private(setting, seed, at = 50)

## ---- settings ----
private <- function(growth, epsilon, N = 5, even = TRUE, noise = "by node", match = "printed",
                    graph = "random") {
  merge(data.frame(growth = growth), data.frame(epsilon, N, even, noise, match, graph), by = NULL)
}
curves <- c(
  "one theta", "theta over time", "theta by node", "theta by node, fixed penalty",
  "1", "1.01", "1.02", "1.05", "1.1"
)
figure_1 <- data.frame(curve = curves, graph = "random", N = 5)
networks_1 <- merge(data.frame(curve = setdiff(curves, "theta by node")),
  data.frame(graph = c("ring", "complete", "random"), N = c(5, 5, 20)), by = NULL)
figure_2 <- rbind(private(1, c(15, 30)), private(1.05, c(12, 24))) # DVP, and PP with 80% of it
budgets <- rbind(
  private(c(1, 1.02, 1.05, 1.1), c(5, 10, 15, 20, 30, 50)),
  private(c(1, 1.05), c(5, 10, 15, 20, 30, 50), match = "sound")
)
networks_2 <- rbind( # the strips' other settings
  private(1.05, c(12, 24), graph = "ring"), private(1.05, c(12, 24), graph = "complete")
)
networks <- rbind(
  private(c(1, 1.05), c(15, 20, 30, 50), graph = "ring"),
  private(c(1, 1.05), c(15, 20, 30, 50), graph = "complete")
)
figures_3_4 <- rbind(
  private(c(1, 1.05), 50, N = c(20, 200), noise = "one"),
  private(c(1, 1.05), 50, N = c(20, 200), noise = "by node"),
  private(c(1, 1.05), 50, N = c(20, 200), even = FALSE, noise = "one"),
  private(c(1, 1.05), 50, N = c(20, 200), even = FALSE, noise = "by node")
)

## ---- stored ----
stored <- list(
  "figure-1" = list(settings = figure_1, run = run_convergence, repetitions = 1),
  "figure-2" = list(settings = figure_2, run = run_private),
  "budgets" = list(settings = budgets, run = last_iteration),
  "networks" = list(settings = networks, run = last_iteration, repetitions = 5),
  "networks-1" = list(settings = networks_1, run = run_convergence, repetitions = 1),
  "networks-2" = list(settings = networks_2, run = last_iteration, repetitions = 5),
  "figures-3-4" = list(settings = figures_3_4, run = run_private, repetitions = 5)
)
