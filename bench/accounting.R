# The accountants against R's own kernels in the same process. Targets: the epsilon of
# 10,000 subsampled Gaussian steps by PLD, bracket width at most 0.01, in under 50 times
# fft() of 2^20 points; RDP over 150 orders in under 20 times exp() of a million numbers.
# Run: Rscript bench/accounting.R
library(dpadmm)
source("bench/helpers.R")

steps <- dp_event_subsampled_gaussian(
  sigma = 1, sensitivity = 1, q = 0.01, neighbours = "add-remove", count = 1e4
)
bracket <- account(steps, 1e-5, "pld")$bracket
points <- complex(real = cos(seq_len(2^20)))
report("bracket width", bracket[["upper"]] - bracket[["lower"]], 0.01)
pld <- median_seconds(function() account(steps, 1e-5, "pld"))
report("PLD time / fft(2^20)", pld / median_seconds(function() fft(points)), 50)

orders <- 1 + 10^seq(-1, 2.5, length.out = 150)
numbers <- seq(-1, 1, length.out = 1e6)
exponentials <- median_seconds(function() for (k in 1:10) exp(numbers)) / 10
for (kernel in list(
  list("subsampled Gaussian", function() rdp_subsampled_gaussian(orders, q = 0.01, sigma = 1)),
  list("objective Gaussian", function() rdp_objective_gaussian(orders, 1, 0.1, 0.01, 1)),
  list("objective Gamma", function() rdp_objective_gamma(orders, 1, 0.1, 0.01, 1, dim = 105))
)) {
  report(paste0("RDP over 150 orders / exp(1e6), ", kernel[[1L]]),
    median_seconds(function() for (k in 1:10) kernel[[2L]]()) / 10 / exponentials, 20
  )
}
