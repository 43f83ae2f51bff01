# The Lasso experiment of Cyffers, Bellet and Basu (2023), appendix E, figure 1: private ADMM
# against proximal DP-SGD, federated, with guarantees against whoever sees the released
# models. n = 1000, p = 64, 80/20 split, 10% of the users a round, delta = 1e-6.

library(dpadmm)

# What the paper leaves open: the number of rounds (100) and the grids. Step sizes, gamma and
# clips are tuned once, on the training objective at one budget, and then kept. Tuning reads
# the records, and as in the paper no budget is charged for it.
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
  expand.grid(lambda = c(0.25, 0.5), gamma = 2^(-1:5), clip = clip)
}

# DP-SGD's noise for a budget at clip 1. It is proportional to the clip and takes a second to
# find, so each budget's is kept.
sgd_noises <- new.env()
sgd_noise <- function(problem, epsilon) {
  key <- format(epsilon)
  if (is.null(sgd_noises[[key]])) {
    sgd_noises[[key]] <- dpadmm_fit(problem$x, problem$y,
      method = dp_sgd(batch = 0.1, clip = 1), loss = "squared", iterations = lasso_rounds,
      epsilon = epsilon, delta = 1e-6, control = dpadmm_control(progress = FALSE)
    )$noise
  }
  sgd_noises[[key]]
}

# One private model: 64 coefficients.
lasso_fit <- function(problem, curve, setting, epsilon, seed) {
  fit <- function(method, ..., accountant = "sound") {
    coef(dpadmm_fit(problem$x, problem$y,
      method = method, loss = "squared", penalty = penalty_l1(problem$kappa),
      iterations = lasso_rounds, ..., delta = 1e-6, seed = seed,
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

# The setting with the least training objective at a budget, mean of three runs.
lasso_tune <- function(problem, curve, epsilon, seeds = 101:103) {
  grid <- lasso_grid(curve)
  value <- vapply(seq_len(nrow(grid)), function(i) {
    mean(vapply(seeds, function(seed) {
      lasso_objective(lasso_fit(problem, curve, grid[i, ], epsilon, seed), problem, "train")
    }, 0))
  }, 0)
  grid[which.min(value), ]
}

# ---- the runs whose results are stored ---------------------------------------------------

# Records are simulated from a seed, so a run makes its own.
run_tuning <- function(setting, seed) {
  best <- lasso_tune(lasso_problem(), setting$curve, setting$tuned_at)
  out <- data.frame(lambda = NA_real_, gamma = NA_real_, step = NA_real_, clip = NA_real_)
  out[names(best)] <- best
  out
}

run_lasso <- function(setting, seed) {
  problem <- lasso_problem()
  model <- lasso_fit(problem, setting$curve, setting, setting$epsilon, seed)
  data.frame(objective = lasso_objective(model, problem))
}

lasso_experiments <- function(folder, workers = 1) {
  tuned <- experiment(
    expand.grid(curve = lasso_curves$curve, tuned_at = c(0.01, 1), stringsAsFactors = FALSE),
    run_tuning,
    repetitions = 1, workers = workers,
    file = file.path(folder, "noisy-fixed-point-admm-tuning.csv")
  )
  settings <- merge(tuned[names(tuned) != "repetition"], data.frame(epsilon = lasso_budgets))
  experiment(settings, run_lasso,
    workers = workers, file = file.path(folder, "noisy-fixed-point-admm-lasso.csv")
  )
}
