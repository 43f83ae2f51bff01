# One 50-iteration R-ADMM run on Adult against one glmnet fit of the pooled
# ridge-logistic problem, in the same process. Target: at most 0.15 of glmnet's time on
# one thread; of memory see bench/memory.R. Run: Rscript bench/node-solver.R
library(dpadmm)
source("bench/helpers.R")
adult <- adult_matrix("onehot")
order <- local({
  key <- seq_len(nrow(adult$x))
  (key * 7919L) %% nrow(adult$x) + 1L # a fixed shuffle: 7919 is prime to the number of rows
})
rows <- order[1:40000]
x <- adult$x[rows, ]
y <- adult$y[rows]
N <- 5
C <- 1750
rho <- 0.22
control <- dpadmm_control(tol = 1e-8, progress = FALSE)

ours <- function() {
  dpadmm_fit(x, y,
    nodes = N, method = r_admm(eta = 1, gamma = 0.5), C = C, rho = rho, iterations = 50,
    epsilon = Inf, seed = 1, control = control, intercept = FALSE, rows = "shorten"
  )
}
# The network's objective is sum_i C/B_i sum L + rho/2 ||f||^2; over N C it is the mean
# loss plus rho/(2 N C) ||f||^2, which is glmnet's problem at lambda = rho/(N C).
theirs <- function() {
  glmnet::glmnet(x, y, "binomial",
    alpha = 0, lambda = rho / (N * C), standardize = FALSE, intercept = FALSE, thresh = 1e-10
  )
}

invisible(ours())
report("time ratio ours/glmnet", time_ratios(ours, theirs), 0.15, digits = 3L)
