# One 50-iteration R-ADMM run on Adult against one glmnet fit of the pooled
# ridge-logistic problem, in the same process. Target: at most 0.15 of glmnet's time on
# one thread, extra memory at most twice the data. Run: Rscript bench/node-solver.R
library(dpadmm)
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
    epsilon = Inf, seed = 1, control = control
  )
}
# The network's objective is sum_i C/B_i sum L + rho/2 ||f||^2; over N C it is the mean
# loss plus rho/(2 N C) ||f||^2, which is glmnet's problem at lambda = rho/(N C).
theirs <- function() {
  glmnet::glmnet(x, y, "binomial",
    alpha = 0, lambda = rho / (N * C), standardize = FALSE, intercept = FALSE, thresh = 1e-10
  )
}

seconds <- function(f) system.time(f(), gcFirst = TRUE)[["elapsed"]]
invisible(ours())
ratios <- vapply(1:5, function(k) seconds(ours) / seconds(theirs), 0)
cat(sprintf("time ratio ours/glmnet: median %.3f (%.3f to %.3f), target 0.15\n", median(ratios), min(ratios), max(ratios)))

# Peak of R's heap during the call, over the data; a collection first, so that only what
# the call itself allocates counts. What it drops along the way counts too.
data_size <- as.numeric(utils::object.size(x))
invisible(gc())
before <- gc(reset = TRUE)
invisible(ours())
after <- gc()
extra <- 8 * (after["Vcells", "max used"] - before["Vcells", "used"])
cat(sprintf("extra memory/data: %.2f, target 2\n", extra / data_size))
