# Discrete Gaussian noise, drawn exactly, and the continuous draws beside it: numbers a second on
# one thread (target 5e6), and what fits cost: run under two libraries to compare versions.

library(dpadmm)
source("bench/helpers.R")

n <- 2e6
key <- dpadmm:::noise_key(1)
value <- numeric(n)
exact <- function() .Call(dpadmm:::ffi_release, "gaussian", 0.3, value, 1, key, 1)
continuous <- function() .Call(dpadmm:::ffi_noise, "gaussian", 0.3, n, 1, key, 0)
per_second <- n / vapply(1:7, function(k) seconds(exact), 0) / 1e6
report("millions of exact draws a second", per_second, 5, at_least = TRUE)
report("time of exact over continuous draws", time_ratios(exact, continuous), 4)
