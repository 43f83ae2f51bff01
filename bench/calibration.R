# What calibration takes of a fit, by the clock: of a thousand unlike holders (of 5 to 1,300 of
# 330,000 records; 50 columns), by one thread, whose noise is Gaussian or of the Gamma norm at
# delta > 0, for the iterations that are the default and for 10 and 30. And what one statement by
# account() takes of it, which proves all that a calibration does, and looks for orders anew.
# Run: Rscript bench/calibration.R [holders records columns [alike] [budgets] [penalties]];
# 1000 2150000 10 is a thousand holders of 100 to 10,000 records each, the unlike ones of
# bench/growth.R; 5 20000 100 alike is the shortest of the fits of bench/dense.R. budgets: each has
# one of its own, a half to twice the usual one; penalties: of M-ADMM, each its own; both are what
# takes longest.
library(dpadmm)
source("bench/helpers.R")

given <- commandArgs(TRUE)
how <- c("alike", "budgets", "penalties")
alike <- "alike" %in% given
budgets <- "budgets" %in% given
penalties <- "penalties" %in% given
given <- as.integer(setdiff(given, how))
if (length(given) == 0L) given <- c(1000L, 330000L, 50L)
N <- given[1L]
d <- given[3L]
share <- if (alike) rep(1, N) else exp(seq(log(30), log(3000), length.out = N))
sizes <- round(share * given[2L] / sum(share))
data <- sim_logistic(sum(sizes), d, seed = 1)
nodes <- rep(seq_len(N), sizes)
set.seed(2)
epsilon <- if (budgets) 2^runif(N, -1, 1) else 1
methods <- if (penalties) list(m_admm(eta = 10^runif(N, -2, 0))) else list(mr_admm(), pp_admm())

calibrated <- time_calibrations()

share_of <- function(method, noise, iterations) {
  fit <- function() {
    suppressWarnings(dpadmm_fit(data$x, data$y,
      nodes = nodes, method = method, epsilon = epsilon, delta = 1e-5, noise = noise, seed = 1,
      iterations = iterations, control = dpadmm_control(threads = 1, progress = FALSE)
    ))
  }
  one <- function(k) {
    calibrated()
    whole <- seconds(fit)
    c(calibrated(), whole)
  }
  events <- fit()$events
  stated <- median_seconds(function() account(events, 1e-5))
  times <- vapply(1:7, one, numeric(2))
  said <- if (is.null(iterations)) "default iterations" else paste(iterations, "iterations")
  whole <- stats::median(times[2L, ])
  report(sprintf("%s, %s noise, %s, calibration of %.2f s in percent", method$name, noise, said,
    whole), 100 * times[1L, ] / times[2L, ], 5,
  also = sprintf("one statement %.1f, ", 100 * stated / whole))
}

for (iterations in list(NULL, 10, 30)) for (noise in c("gaussian", "gamma")) {
  for (method in methods) share_of(method, noise, iterations)
}
