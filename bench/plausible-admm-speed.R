# An inexact PP-ADMM run at beta = 10^-3.5 against the exact one, in the same process on
# Adult. Target: at most half of the time, whose common part (reading and packing the
# records) is timed too. And the work against beta. Run:
# Rscript bench/plausible-admm-speed.R
library(dpadmm)
source("bench/helpers.R")
adult <- adult_matrix("onehot")
rows <- (seq_len(nrow(adult$x)) * 7919L) %% nrow(adult$x) + 1L # a fixed shuffle
x <- adult$x[rows[1:40000], ]
y <- adult$y[rows[1:40000]]
N <- 5
sigma <- 0.005 # that of epsilon = 1, delta = 1e-4 at 30 iterations

run <- function(method) {
  fit <- function() {
    dpadmm_fit(x, y,
      nodes = N, method = method, C = 1, rho = 0.01, iterations = 30,
      noise = gaussian_noise(sigma), delta = 1e-4, seed = 1,
      control = dpadmm_control(progress = FALSE), intercept = FALSE, rows = "shorten"
    )
  }
  suppressWarnings(fit(), classes = "dpadmm_warning_utility") # it is about time here
}
invisible(run(admm(eta = 0.5)))
inexact <- function(beta) seconds(function() run(pp_admm(eta = 0.5, beta = beta)))
times <- vapply(1:9, function(k) {
  c(inexact = inexact(10^-3.5), exact = seconds(function() run(admm(eta = 0.5))))
}, c(inexact = 0, exact = 0))
ratios <- times["inexact", ] / times["exact", ]
best <- apply(times, 1L, min) # what other programs on the machine disturb least
report("time ratio PP-ADMM (beta = 10^-3.5) / exact", ratios, 0.5,
  digits = 3L, also = sprintf("best of each %.3f, ", best["inexact"] / best["exact"])
)
for (beta in 10^-c(10, 8, 6, 5, 4, 3.5, 3, 2)) {
  cat(sprintf("beta = %7.1e: %.3f s\n", beta, min(replicate(5L, inexact(beta)))))
}
