# The Lasso experiment of Cyffers, Bellet and Basu (2023), appendix E, figure 1: private ADMM
# against proximal DP-SGD, federated, with guarantees against whoever sees the released
# models. n = 1000, p = 64, 80/20 split, 10% of the users a round, delta = 1e-6.
# vignette("noisy-fixed-point-admm") shows these chunks; its results are stored beside this
# file, and rerun_experiment("noisy-fixed-point-admm", part) makes them again.

library(dpadmm)

## ---- lasso-problem ----
# What the paper leaves open: the number of rounds (100) and the grids. Step sizes, gamma and
# clips are tuned once, on the training objective at epsilon = 1, and then kept. (The paper tunes
# at its smallest budget; there the best of every grid is the corner that moves least.) Tuning
# reads the records, and as in the paper no budget is charged for it.
lasso_rounds <- 100
lasso_budgets <- c(0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 20)

lasso_problem <- function(seed = 1) {
  data <- sim_lasso(n = 1000, p = 64, seed = seed)
  train <- 1:800
  x <- data$x[train, ]
  y <- data$y[train]
  path <- glmnet::cv.glmnet(x, y,
    foldid = rep_len(1:10, length(y)), intercept = FALSE, standardize = FALSE
  )
  list(
    x = x, y = y, x_test = data$x[-train, ], y_test = data$y[-train], kappa = path$lambda.min,
    best = as.vector(coef(path, s = "lambda.min"))[-1]
  )
}

# The value of (34) in the paper at a model, on training or on test records.
lasso_objective <- function(model, problem, on = c("test", "train")) {
  train <- match.arg(on) == "train"
  x <- if (train) problem$x else problem$x_test
  y <- if (train) problem$y else problem$y_test
  mean((x %*% model - y)^2) / 2 + problem$kappa * sum(abs(model))
}

## ---- lasso-curves ----
# The curves, and the settings each is tuned over. In the last ADMM all users step: with
# aggregate noise that costs no more than sampling them.
lasso_curves <- data.frame(
  curve = c(
    "ADMM, as printed", "ADMM, sound, block noise", "ADMM, sound, aggregate noise",
    "ADMM, sound, aggregate noise, all users", "DP-SGD"
  ),
  setting = c("federated", "federated", "federated", "centralized", NA),
  noise = c("block", "block", "aggregate", "aggregate", NA),
  accountant = c("paper", "sound", "sound", "sound", "sound")
)
lasso_grid <- function(curve) {
  clip <- c(0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
  if (curve == "DP-SGD") return(expand.grid(step = 2^(-2:4), clip = clip))
  lambda <- c(0.25, 0.5, if (!grepl("aggregate", curve)) 0.75) # 1/2: the guarantee's largest
  expand.grid(lambda = lambda, gamma = 2^(-1:6), clip = clip)
}

## ---- lasso-fit ----
# DP-SGD's noise for a budget at clip 1. It is proportional to the clip and takes a second to
# find, so each budget's is kept.
sgd_noises <- new.env()
sgd_noise <- function(problem, epsilon) {
  key <- format(epsilon)
  if (is.null(sgd_noises[[key]])) {
    fit <- dpadmm_fit(problem$x, problem$y,
      method = dp_sgd(step = 1, batch = 0.1, clip = 1), loss = "squared",
      iterations = lasso_rounds,
      epsilon = epsilon, delta = 1e-6, intercept = FALSE, rows = "shorten",
      control = dpadmm_control(progress = FALSE)
    )
    assign(key, fit$noise, envir = sgd_noises)
  }
  sgd_noises[[key]]
}

# One private model: 64 coefficients.
lasso_fit <- function(problem, curve, setting, epsilon, seed) {
  fit <- function(method, ..., accountant = "sound") {
    coef(dpadmm_fit(problem$x, problem$y,
      method = method, loss = "squared", penalty = penalty_l1(problem$kappa),
      iterations = lasso_rounds, ..., delta = 1e-6, seed = seed, intercept = FALSE,
      rows = "shorten",
      control = dpadmm_control(progress = FALSE, accountant = accountant)
    ))
  }
  if (curve == "DP-SGD") {
    noise <- gaussian_noise(sgd_noise(problem, epsilon) * setting$clip)
    return(fit(dp_sgd(step = setting$step, batch = 0.1, clip = setting$clip), noise = noise))
  }
  how <- lasso_curves[lasso_curves$curve == curve, ]
  method <- fp_admm(
    lambda = setting$lambda, gamma = setting$gamma, setting = how$setting,
    sample = if (how$setting == "federated") 0.1, clip = setting$clip, noise = how$noise
  )
  fit(method, epsilon = epsilon, accountant = how$accountant)
}

## ---- lasso-run ----
# The setting with the least training objective at a budget, mean of three runs. It takes
# most of a minute, so it is kept.
lasso_tuned <- new.env()
lasso_tune <- function(problem, curve, epsilon, seeds = 101:103) {
  key <- paste(curve, epsilon)
  if (is.null(lasso_tuned[[key]])) {
    grid <- lasso_grid(curve)
    value <- vapply(seq_len(nrow(grid)), function(i) {
      mean(vapply(seeds, function(seed) {
        lasso_objective(lasso_fit(problem, curve, grid[i, ], epsilon, seed), problem, "train")
      }, 0))
    }, 0)
    assign(key, grid[which.min(value), ], envir = lasso_tuned)
  }
  lasso_tuned[[key]]
}

# One point of a curve: tuned at one budget, run at another.
lasso_run <- function(setting, seed) {
  problem <- lasso_problem()
  best <- lasso_tune(problem, setting$curve, setting$tuned_at)
  model <- lasso_fit(problem, setting$curve, best, setting$epsilon, seed)
  out <- data.frame(
    lambda = NA_real_, gamma = NA_real_, step = NA_real_, clip = NA_real_,
    objective = lasso_objective(model, problem)
  )
  out[names(best)] <- best
  out
}

## ---- published-protocol ----
# What was run for the printed figure is not all in the paper: https://github.com/totilas/padadmm
# says more. Written anew from what it does: features that are standardised (rows of norm about
# 8), a start at 10 kappa, 1,000 rounds of 100 of the 800 users, steps and clips found without
# noise, and the least test objective of all rounds as the score. A budget is turned into zCDP's
# rho, and 2 L^2 K / (rho n^2), a variance, is what normal numbers are multiplied by; with
# `root = TRUE` its square root is. L is the clip: 1.6 on a user's step in ADMM, 13 on the sum of
# a batch in SGD.
published_budgets <- 10^seq(-2, log10(5), length.out = 7)

published_problem <- function(seed = 1) {
  set.seed(seed)
  x <- scale(matrix(rnorm(1000 * 64), 1000))
  truth <- sample(c(runif(8), rep(0, 56)))
  y <- as.vector(x %*% truth) + 0.1 * rnorm(1000)
  train <- sample(1000, 800)
  path <- glmnet::cv.glmnet(x[train, ], y[train], foldid = rep_len(1:10, 800))
  list(x = x[train, ], y = y[train], x_test = x[-train, ], y_test = y[-train],
    kappa = path$lambda.min
  )
}

published_kept <- new.env() # its problem takes a second to make
published_run <- function(setting, seed, rounds = 1000, n = 1000) {
  if (is.null(published_kept$problem)) published_kept$problem <- published_problem()
  problem <- published_kept$problem
  set.seed(seed)
  kappa <- problem$kappa
  clip <- if (setting$method == "ADMM") 1.6 else 13
  rho <- (sqrt(setting$epsilon - log(1e-6)) - sqrt(-log(1e-6)))^2
  noise <- 2 * clip^2 * rounds / (rho * n^2)
  if (setting$root) noise <- sqrt(noise)
  soft <- function(v, by) sign(v) * pmax(abs(v) - by, 0)
  clipped <- function(v) v * pmin(1, clip / sqrt(rowSums(v^2))) # each row
  z <- rep(10 * kappa, 64)
  u <- matrix(0, 800, 64)
  score <- numeric(rounds)
  for (k in seq_len(rounds)) {
    of <- sample.int(800, 100)
    x <- problem$x[of, ]
    if (setting$method == "ADMM") { # lambda 0.464, gamma 1.585
      at <- rep(2 * z, each = 100) - u[of, ]
      slope <- 1.585 * (rowSums(x * at) - problem$y[of]) / (1 + 1.585 * rowSums(x^2))
      move <- 2 * 0.464 * clipped(at - slope * x - rep(z, each = 100)) +
        0.464 * noise * rnorm(6400)
      u[of, ] <- u[of, ] + move
      z <- soft(z + colSums(move) / 800, 2 * kappa * 1.585 / n)
    } else { # step 0.31
      sum <- clipped(crossprod(as.vector(x %*% z) - problem$y[of], x)) + noise * rnorm(64)
      z <- soft(z - 0.31 * as.vector(sum) / n, kappa * 0.31 / n)
    }
    score[k] <- mean((problem$x_test %*% z - problem$y_test)^2) + kappa * sum(abs(z))
  }
  data.frame(least = min(score), last = score[rounds])
}

## ---- stored ----
# What is stored: arguments of experiment() by the name of the file's last part.
stored <- list(
  lasso = list(
    settings = expand.grid(
      epsilon = lasso_budgets, curve = lasso_curves$curve, tuned_at = 1, stringsAsFactors = FALSE
    ),
    run = lasso_run
  ),
  published = list(
    settings = expand.grid(
      epsilon = published_budgets, method = c("ADMM", "SGD"), root = c(FALSE, TRUE),
      stringsAsFactors = FALSE
    ),
    run = published_run, repetitions = 3
  )
)
