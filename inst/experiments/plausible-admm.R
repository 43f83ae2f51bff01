# The experiments of vignette("plausible-admm"), a chunk each; results are stored beside this
# file, and rerun_experiment("plausible-admm", part) runs them again.

## ---- data ----
library(dpadmm)
synthetic <- function(country) { # of the shape of the paper's extracts, mostly indicators
  made <- sim_census(country, seed = 1)
  x <- made$x / pmax(1, sqrt(rowSums(made$x^2))) # records of norm at most 1, as in the paper
  list(x = Matrix::Matrix(x, sparse = TRUE), y = made$y)
}
census <- list(
  adult = adult_matrix("onehot"), # 45,222 complete records, 105 columns
  us = synthetic("us"), brazil = synthetic("brazil")
)

## ---- one-method ----
# A setting is in the paper's units, in which the loss has the weight 1 and ADMM the step size
# 0.5 / C. NA: what the method does by default.
plausible_method <- function(setting) {
  beta <- setting$beta
  if (is.na(beta) && setting$accountant == "paper") beta <- 10^-3.5 # the paper's choice
  beta <- if (!is.na(beta)) setting$C * beta
  split <- if (!is.na(setting$split)) setting$split
  switch(setting$method,
    "IPP-ADMM" = ipp_admm(
      eta = 0.5, beta = beta, split = split, max_sends = 15,
      loss_clip = setting$C_loss, threshold = setting$alpha
    ),
    "PP-ADMM" = pp_admm(eta = 0.5, beta = beta, split = split),
    "DVP" = , "non-private" = admm(eta = 0.5),
    "M-ADMM" = m_admm(eta = 0.5, growth = 1.01, theta = 0.5),
    "R-ADMM" = r_admm(eta = 0.5, gamma = 0.5)
  )
}

## ---- one-fit ----
# M-ADMM's thirty unlike penalties take seconds to calibrate. So it is done once, for a node with
# one neighbour: with V neighbours the noise, which is inside of the penalty, is V times smaller,
# and curvature costs less.
m_admm_rate <- local({
  known <- list()
  function(setting, d) {
    key <- paste(setting$epsilon, setting$C, d)
    if (is.null(known[[key]])) {
      plan <- dpadmm_plan(d, c(7000, 7000),
        method = plausible_method(setting), C = setting$C, rho = setting$C / 30000 * 2 / 5,
        iterations = 30, epsilon = setting$epsilon, delta = 1e-4, noise = "gamma",
        intercept = FALSE
      )
      known[[key]] <<- plan$noise[1]
    }
    known[[key]]
  }
})

# What a setting spends: PP- and IPP-ADMM have Gaussian noise, the others Gamma-norm noise.
plausible_budget <- function(setting, network, d) {
  if (setting$method == "non-private") return(list(epsilon = Inf))
  if (setting$method == "M-ADMM" && setting$accountant == "sound") {
    rate <- m_admm_rate(setting, d)
    return(list(noise = gamma_noise(rate * summary(network)$degree), delta = 1e-4))
  }
  list(epsilon = setting$epsilon, delta = 1e-4,
    noise = if (setting$method %in% c("DVP", "M-ADMM", "R-ADMM")) "gamma")
}

# A budget that no noise can meet gives NULL.
plausible_fit <- function(setting, seed, x, y, network = network_random(5, 0.5)) {
  settings <- list(x, y,
    nodes = rep_len(1:5, length(y)), network = network, method = plausible_method(setting),
    C = setting$C, rho = setting$C / 30000, iterations = 30, seed = seed, intercept = FALSE,
    control = dpadmm_control(
      keep_iterates = TRUE, accountant = setting$accountant, progress = FALSE
    )
  )
  tryCatch(do.call(dpadmm_fit, c(settings, plausible_budget(setting, network, ncol(x)))),
    dpadmm_error_budget = function(e) NULL
  )
}

## ---- one-run ----
# One run: 35,000 fresh records for training and a fresh random network of 5 nodes, the same
# in all settings of a repetition. `loss`: that of each node's model on its own records, their
# mean; errors are those of the mean model; `sound`: the epsilon that is proved (of M-ADMM, where it
# takes seconds, in the first repetition only).
plausible_run <- function(setting, seed, at = 30) {
  set.seed(setting$repetition)
  records <- census[[setting$data]]
  train <- sample(nrow(records$x), 35000)
  x <- records$x[train, ]
  y <- records$y[train]
  fit <- plausible_fit(setting, seed, x, y, network_random(5, 0.5))
  result <- function(loss, error, train, sound, saved) {
    data.frame(iteration = at, loss = signif(loss, 5), error = signif(error, 5),
      train = signif(train, 5), sound = signif(sound, 5), saved = signif(saved, 3))
  }
  if (is.null(fit)) return(result(NA_real_, NA_real_, NA_real_, NA_real_, NA_real_))
  own_loss <- function(node) {
    own <- seq(node, 35000, by = 5)
    loss_trace(fit, x[own, ], y[own], node = node)$loss[at]
  }
  result(
    rowMeans(matrix(vapply(1:5, own_loss, numeric(length(at))), length(at))),
    evaluate(fit, records$x[-train, ], records$y[-train])$error, evaluate(fit, x, y)$error,
    if (setting$method == "M-ADMM" && setting$repetition > 1) NA_real_ else {
      tryCatch(privacy(fit)$epsilon, dpadmm_error_accountant = function(e) NA_real_)
    },
    if (is.null(fit$messages)) 0 else fit$messages[["saved"]] / sum(fit$messages)
  )
}

## ---- settings ----
row <- function(method, accountant = "sound", epsilon = 1, C = 300, data = "adult", split = NA,
                beta = NA, C_loss = 2, alpha = 1e-3) {
  data.frame(method, accountant, epsilon, C, data, split, beta, C_loss, alpha)
}
# every combination of what is given
each <- function(...) do.call(row, expand.grid(..., stringsAsFactors = FALSE))
rules <- c("sound", "paper")
weights <- c(10, 300)
budgets <- c(0.5, 1, 1.5, 2, 10)
private <- c("IPP-ADMM", "PP-ADMM", "DVP", "M-ADMM", "R-ADMM")
free <- function(...) row("non-private", epsilon = Inf, ...)

# Figures 1 to 4: one parameter each, at epsilon = 10
of_one <- function(method, ...) {
  each(method = method, accountant = rules, epsilon = 10, C = weights, ...)
}
figure_1 <- of_one("PP-ADMM", split = c(1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.9), beta = 1e-6)
figure_2 <- of_one("PP-ADMM", beta = 10^-c(6, 5, 4, 3.5, 3, 2, 1))
figure_3 <- of_one("IPP-ADMM", C_loss = c(0.25, 1, 2, 4, 8))
figure_4 <- of_one("IPP-ADMM", alpha = 10^c(-3, -1, 0, 1))
# the weight of the loss, for a method of each kind
all_weights <- c(1, 10, 30, 100, 300, 1000, 3000)
by_weight <- rbind(
  each(method = c("PP-ADMM", "DVP", "R-ADMM"), accountant = rules, epsilon = c(1, 2),
    C = all_weights),
  free(C = all_weights)
)
figure_5 <- rbind(
  each(method = private, accountant = rules, epsilon = budgets, C = weights), free(C = weights)
)
countries <- c("us", "brazil")
figure_7 <- rbind(
  each(method = private, accountant = rules, epsilon = budgets, C = weights, data = countries),
  free(C = weights[2], data = countries)
)

## ---- stored ----
several <- function(settings, run = plausible_run, repetitions = 5) {
  list(settings = settings, run = run, repetitions = repetitions)
}
plausible_path <- function(setting, seed) { # Figure 6 has three of the budgets
  drawn <- setting$epsilon %in% c(1, 2, 10, Inf)
  plausible_run(setting, seed, at = if (drawn) c(1:5, 7, 10, 15, 20, 25, 30) else 30)
}
stored <- list(
  "weights" = several(by_weight), "figures-5-6" = several(figure_5, plausible_path, 10),
  "figure-7" = several(figure_7), "figure-1" = several(figure_1), "figure-2" = several(figure_2),
  "figure-3" = several(figure_3), "figure-4" = several(figure_4)
)
