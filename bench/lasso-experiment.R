# The Lasso experiment of the noisy fixed-point paper (appendix E, figure 1): private ADMM
# against proximal DP-SGD in the federated setting with central guarantees. n = 1000, p =
# 64, 80/20 split, kappa by cross-validation of the non-private lasso, 10% of the users (or
# records) a round, delta = 1e-6. Step sizes, gamma and clips are tuned once, on the
# training objective at one budget, and then kept.
#
# Three curves for ADMM: noise as printed (Theorem 3, central), sound with block noise, and
# sound with aggregate noise.
#
# Run: Rscript bench/lasso-experiment.R [file for the results, csv]
library(dpadmm)

data <- sim_lasso(seed = 1)
train <- 1:800
x <- data$x[train, ]
y <- data$y[train]
x_test <- data$x[-train, ]
y_test <- data$y[-train]
n <- length(train)
rounds <- 100
delta <- 1e-6
budgets <- c(0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 20)
runs <- 10

path <- glmnet::cv.glmnet(x, y, foldid = rep_len(1:10, n), intercept = FALSE, standardize = FALSE)
kappa <- path$lambda.min
objective <- function(z, x, y) mean((x %*% z - y)^2) / 2 + kappa * sum(abs(z))
best <- as.vector(stats::coef(path, s = "lambda.min"))[-1]
cat(sprintf(
  "kappa = %.3g; test objective of the non-private lasso %.5f, of the zero model %.5f\n", kappa,
  objective(best, x_test, y_test), objective(numeric(64), x_test, y_test)
))

fit <- function(method, noise, seed) {
  coef(dpadmm_fit(x, y,
    method = method, loss = "squared", penalty = penalty_l1(kappa), iterations = rounds,
    noise = noise, delta = delta, seed = seed, control = dpadmm_control(progress = FALSE)
  ))
}
federated <- function(setting, noise) {
  fp_admm(
    lambda = setting$lambda, gamma = setting$gamma, setting = "federated", sample = 0.1,
    clip = setting$clip, noise = noise
  )
}
# The noise a budget needs is proportional to gamma and clip: calibrate once at 1 and 1.
# It depends on the seed by how often the busiest user takes part.
units <- new.env()
unit_noise <- function(lambda, epsilon, seed, noise, accountant) {
  key <- paste(lambda, epsilon, seed, noise, accountant)
  if (is.null(units[[key]])) {
    units[[key]] <- dpadmm_fit(x, y,
      method = federated(list(lambda = lambda, gamma = 1, clip = 1), noise), loss = "squared",
      iterations = rounds, epsilon = epsilon, delta = delta, seed = seed,
      control = dpadmm_control(progress = FALSE, accountant = accountant)
    )$noise
  }
  units[[key]]
}
admm <- function(noise, accountant) {
  function(setting, epsilon, seed) {
    unit <- unit_noise(setting$lambda, epsilon, seed, noise, accountant)
    fit(federated(setting, noise), gaussian_noise(unit * setting$gamma * setting$clip), seed)
  }
}
# DP-SGD's noise in units of its sensitivity depends on the budget alone
multipliers <- new.env()
multiplier <- function(epsilon) {
  key <- format(epsilon)
  if (is.null(multipliers[[key]])) {
    start <- gaussian_sigma(epsilon, delta, sqrt(rounds))
    spend <- function(s) dp_event_subsampled_gaussian(s, 1, q = 0.1, sampling = "poisson",
      count = rounds)
    low <- start
    while (account(spend(low), delta)$epsilon <= epsilon) low <- low / 1.5
    multipliers[[key]] <- calibrate(spend, epsilon, delta, interval = c(low, 2 * start))
  }
  multipliers[[key]]
}
sgd <- function(setting, epsilon, seed) {
  noise <- gaussian_noise(multiplier(epsilon) * 2 * setting$clip / (0.1 * n))
  fit(dp_sgd(step = setting$step, batch = 0.1, clip = setting$clip), noise, seed)
}

admm_grid <- expand.grid(
  lambda = c(0.1, 0.25, 0.5), gamma = c(0.5, 2, 8, 32, 128), clip = c(0.01, 0.05, 0.2, 1)
)
sgd_grid <- expand.grid(step = c(0.05, 0.2, 1, 4, 16), clip = c(0.01, 0.05, 0.2, 1))
methods <- list(
  "ADMM, as printed" = list(admm("block", "paper"), admm_grid),
  "ADMM, sound, block" = list(admm("block", "sound"), admm_grid),
  "ADMM, sound, aggregate" = list(admm("aggregate", "sound"), admm_grid),
  "DP-SGD, sound" = list(sgd, sgd_grid)
)

tune <- function(method, epsilon) {
  score <- vapply(seq_len(nrow(method[[2]])), function(i) {
    mean(vapply(101:103, function(seed) objective(method[[1]](method[[2]][i, ], epsilon, seed), x,
      y), 0))
  }, 0)
  method[[2]][which.min(score), ]
}

results <- NULL
for (tuned_at in c(0.01, 1)) {
  for (name in names(methods)) {
    method <- methods[[name]]
    setting <- tune(method, tuned_at)
    cat(sprintf(
      "\n%s, tuned at epsilon = %g: %s\n", name, tuned_at,
      paste(names(setting), unlist(setting), sep = " = ", collapse = ", ")
    ))
    for (epsilon in budgets) {
      value <- vapply(seq_len(runs), function(seed) objective(method[[1]](setting, epsilon, seed),
        x_test, y_test), 0)
      cat(sprintf("  epsilon %5g: test objective %.5f (%.5f to %.5f)\n", epsilon, mean(value),
        min(value), max(value)))
      results <- rbind(results, data.frame(
        method = name, tuned_at = tuned_at, epsilon = epsilon, mean = mean(value),
          min = min(value), max = max(value)
      ))
    }
  }
}
file <- commandArgs(TRUE)
if (length(file)) utils::write.csv(results, file[1L], row.names = FALSE)
