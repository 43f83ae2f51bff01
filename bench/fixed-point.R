# Speed of private consensus ADMM. Run: Rscript bench/fixed-point.R
#
# 1. Federated Lasso, n = 1000, p = 64, 1000 rounds, 10% sampled, noise of its own for each
#    step: at most 8 times as long as rnorm() takes for the same number of normals.
# 2. 1e6 records x 50 features, centralized, aggregate noise, logistic: a round at most 6
#    passes over the data (the mean of X v and X'w by R). Of memory see bench/memory.R.
library(dpadmm)
source("bench/helpers.R")
control <- dpadmm_control(progress = FALSE)

lasso <- sim_lasso(seed = 1)
federated <- function() {
  dpadmm_fit(lasso$x, lasso$y,
    method = fp_admm(gamma = 5, setting = "federated", sample = 0.1, clip = 0.5, noise = "block"),
    loss = "squared", penalty = penalty_l1(0.002), iterations = 1000, noise = gaussian_noise(1),
    delta = 1e-6, seed = 1, control = control, intercept = FALSE, rows = "shorten"
  )
}
invisible(federated())
report("federated Lasso / rnorm", time_ratios(federated, function() rnorm(1000 * 100 * 64)), 8)

n <- 1e6
d <- 50
x <- matrix(rnorm(n * d), n) / 10
y <- ifelse(runif(n) < 0.5, 1, -1)
v <- rnorm(d)
w <- rnorm(n)
central <- function(K) {
  dpadmm_fit(x, y,
    method = fp_admm(gamma = 2), iterations = K, noise = gaussian_noise(1e-3), delta = 1e-6,
    seed = 1, control = control, intercept = FALSE, rows = "shorten"
  )
}
passes <- vapply(1:5, function(k) {
  pass <- (seconds(function() x %*% v) + seconds(function() crossprod(x, w))) / 2
  (seconds(function() central(12)) - seconds(function() central(2))) / 10 / pass
}, 0)
report("one round / one pass", passes, 6)
