# The experiments of vignette("recycled-admm"), a chunk each; results are stored beside this
# file, and rerun_experiment("recycled-admm", part) runs them again.

## ---- data ----
library(dpadmm)
records <- adult_matrix("onehot")

## ---- one-run ----
# Epsilon up to each iteration; NA where nothing is printed.
spent_at <- function(fit, accountant, at) {
  path <- tryCatch(privacy(fit, accountant = accountant, iterations = TRUE),
    dpadmm_error_accountant = function(e) data.frame(iteration = 1, epsilon = NA)
  )
  path$epsilon[findInterval(at, path$iteration)]
}

# Random networks are drawn until no node has a single neighbour, as in the paper, whose axes of
# privacy exclude one, and until five nodes have six edges at most: a ring has five.
network_of <- function(name, N) {
  if (name != "random") return(if (name == "ring") network_ring(N) else network_complete(N))
  set.seed(N)
  repeat {
    network <- network_random(N, 0.5)
    facts <- summary(network)
    if (min(facts$degree) >= 2 && (N > 5 || facts$edges <= 6)) return(network)
  }
}

# One run: a fresh split of Adult, 40,000 records for training, spread evenly over the nodes of
# a network. The split is the same in all settings of a repetition.
recycled_run <- function(setting, seed, at = 1:50) {
  set.seed(setting$repetition)
  split <- sample(nrow(records$x))
  train <- split[1:40000]
  test <- split[-(1:40000)]
  nodes <- rep_len(seq_len(setting$N), 40000)
  network <- network_of(setting$network, setting$N)
  control <- dpadmm_control(
    keep_iterates = TRUE, progress = FALSE,
    accountant = if (setting$match == "printed") "paper" else "sound"
  )
  fit <- function(method, ...) {
    dpadmm_fit(records$x[train, ], records$y[train],
      nodes = nodes, network = network, method = method, C = 1750, rho = setting$rho,
      iterations = 50, seed = seed, intercept = FALSE, control = control, ...
    )
  }
  recycled <- function(growth) mr_admm(eta = setting$eta, growth = growth, gamma = setting$gamma)
  method <- switch(setting$method,
    "ADMM" = , "non-private" = , "ADMM-DVP" = admm(eta = setting$eta),
    "M-ADMM" = m_admm(eta = setting$eta, growth = sqrt(setting$growth)),
    "R-ADMM" = recycled(1),
    "MR-ADMM" = , "MR-ADMM, Gaussian" = recycled(setting$growth),
    "MR-ADMM, by node" = mr_admm( # Figure 1(b)
      eta = c(1, 1.03, 1.02, 0.8, 1.01), gamma = setting$gamma,
      growth = 1 + setting$k * c(0.01, 0.005, 0.003, 0.015, 0.01)
    )
  )
  # R-ADMM's privacy is what the others get, by the bound they are matched by
  budget <- function(accountant) {
    plan <- dpadmm_plan(ncol(records$x), tabulate(nodes), network = network, method = recycled(1),
      C = 1750, rho = setting$rho, iterations = 50, noise = gamma_noise(setting$alpha),
      intercept = FALSE, control = control
    )
    privacy(plan, accountant = accountant)$epsilon
  }
  as_given <- setting$method == "R-ADMM" ||
    (setting$match == "printed" && startsWith(setting$method, "MR-ADMM"))
  found <- if (is.infinite(setting$alpha)) {
    fit(method, epsilon = Inf)
  } else if (as_given) {
    fit(method, noise = gamma_noise(setting$alpha))
  } else if (setting$match == "printed") {
    fit(method, epsilon = budget("paper"), noise = "gamma")
  } else if (setting$method == "MR-ADMM, Gaussian") {
    fit(method, epsilon = budget("sound"), delta = 1e-6)
  } else {
    fit(method, epsilon = budget("sound"), noise = "gamma")
  }
  own_loss <- function(node) { # of a node's model on its own records
    own <- train[nodes == node]
    loss_trace(found, records$x[own, ], records$y[own], node = node)$loss
  }
  data.frame(
    iteration = at, printed = signif(spent_at(found, "paper", at), 5),
    loss = signif(rowMeans(vapply(seq_len(setting$N), own_loss, numeric(50)))[at], 5),
    error = signif(loss_trace(found, records$x[test, ], records$y[test])$error[at], 5),
    sound = signif(spent_at(found, "sound", at), 5)
  )
}

## ---- settings ----
row <- function(method, alpha = Inf, N = 5, eta = 1, growth = 1, gamma = 0.5, k = 0, rho = 0.22,
                match = "printed", network = "random") {
  data.frame(method, alpha, N, eta, growth, gamma, k, rho, match, network)
}
figure_1 <- rbind(
  row("R-ADMM", N = rep(c(5, 20), each = 4), eta = 0.5, gamma = c(0, 0.5, 1, 3)),
  row("ADMM", N = c(5, 20), eta = 0.5), row("R-ADMM"),
  row("MR-ADMM, by node", k = 1:5), row("MR-ADMM", growth = 1 + (1:5) / 100)
)
figure_2 <- row("ADMM", eta = 0.5, rho = c(0.001, 0.01, 0.05, 0.1, 0.22, 0.5, 1, 2, 5))
figure_3 <- row("MR-ADMM", alpha = rep(c(2, 1), each = 4), growth = 1.01, gamma = c(0.1, 0.5, 1, 3))
figure_4 <- row("MR-ADMM", alpha = rep(c(2, 1), each = 5), growth = 1 + (1:5) / 100)
figure_5 <- rbind(
  row("non-private"),
  row(rep(c("ADMM-DVP", "M-ADMM", "R-ADMM", "MR-ADMM"), each = 3),
    alpha = c(2, 1, 0.5), growth = 1.04
  )
)
# the ends of Figures 2 to 5 on other networks
elsewhere <- function(settings) {
  rbind(
    transform(settings, network = "ring"), transform(settings, network = "complete"),
    transform(settings, N = 20)
  )
}
networks <- elsewhere(subset(figure_5, is.finite(alpha)))
networks_2_4 <- elsewhere(unique(rbind(
  figure_2, figure_3, subset(figure_4, growth %in% c(1.01, 1.05))
)))
# Figure 1 there, but for what twenty nodes have in it already
networks_1 <- rbind(
  elsewhere(subset(figure_1, N == 5 & method != "MR-ADMM, by node")),
  subset(elsewhere(subset(figure_1, method == "MR-ADMM, by node")), N == 5)
)
networks_1 <- subset(networks_1, !(N == 20 & eta == 0.5))
# Figure 5 again, with all methods at the epsilon that is proved for R-ADMM, and with Gaussian
# noise at delta = 1e-6
same_epsilon <- row(
  rep(c("ADMM-DVP", "M-ADMM", "R-ADMM", "MR-ADMM", "MR-ADMM, Gaussian"), each = 3),
  alpha = c(2, 1, 0.5), growth = 1.04, match = "sound"
)
same_epsilon_networks <- elsewhere(same_epsilon)

## ---- stored ----
# Of private runs some pairs of an odd and an even iteration are stored.
some_iterations <- function(setting, seed) {
  recycled_run(setting, seed, at = c(1:4, 9:10, 19:20, 29:30, 39:40, 49:50))
}
last_iteration <- function(setting, seed) recycled_run(setting, seed, at = 50)
loss_alone <- function(setting, seed) recycled_run(setting, seed)[c("iteration", "loss")]
stored <- list(
  "figure-1" = list(settings = figure_1, run = recycled_run, repetitions = 1),
  "figure-2" = list(settings = figure_2, run = last_iteration),
  "figure-3" = list(settings = figure_3, run = some_iterations),
  "figure-4" = list(settings = figure_4, run = some_iterations),
  "figure-5" = list(settings = figure_5, run = some_iterations),
  "networks" = list(settings = networks, run = last_iteration),
  "networks-1" = list(settings = networks_1, run = loss_alone, repetitions = 1),
  "networks-2-4" = list(settings = networks_2_4, run = last_iteration, repetitions = 5),
  "same-epsilon" = list(settings = same_epsilon, run = last_iteration),
  "same-epsilon-networks" = list(
    settings = same_epsilon_networks, run = last_iteration, repetitions = 5
  )
)
