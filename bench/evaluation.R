# Coverage of the 95% intervals of private evaluations, and their width over that of the intervals
# without noise. Truth is of a large sample (of a share of bins, of the bin).
#
#   Rscript bench/evaluation.R [repetitions]
library(dpadmm)

repetitions <- as.integer(c(commandArgs(TRUE), "400")[1L])
settings <- list(
  list(n = 1000, epsilon = 1, delta = 1e-5), list(n = 1000, epsilon = 8, delta = 1e-5),
  list(n = 1000, epsilon = 1, delta = 0), list(n = 20000, epsilon = 0.5, delta = 1e-6)
)
draw <- function(n, rare = 0) {
  x <- matrix(runif(3 * n, -1, 1), n) / 2
  list(x = x, y = ifelse(runif(n) < plogis(-rare + 4 * x[, 1] - 3 * x[, 2]), 1, -1),
    z = x[, 1] - x[, 2] / 2 + rnorm(n) / 5)
}
set.seed(4)
train <- draw(5000)
fit <- dpadmm_fit(train$x, train$y, nodes = 2, epsilon = 4, delta = 1e-6, seed = 4)
line <- dpadmm_fit(train$x, train$z, nodes = 2, epsilon = 4, delta = 1e-6, loss = "huber",
  response = c(-1.5, 1.5), seed = 4)
half <- function(n) rep(c("A", "B"), c(n %/% 4, n - n %/% 4))

large <- draw(1e6)
cells <- evaluate(fit, large$x, large$y, epsilon = 1e6, seed = 1)
truth <- with(cells$measures, setNames(estimate, measure))
truth["rmse"] <- evaluate(line, large$x, large$z)$rmse
shares <- cells$calibration$rate

for (s in settings) {
  seen <- do.call(rbind, lapply(seq_len(repetitions), function(i) {
    new <- draw(s$n)
    of <- function(fit, y, ...) {
      evaluate(fit, new$x, y,
        nodes = half(s$n), epsilon = s$epsilon, delta = s$delta, seed = i, ...
      )
    }
    got <- of(fit, new$y)
    bins <- transform(got$calibration, truth = rep(shares, 3))
    bins <- bins[!is.na(bins$rate) & !is.na(bins$truth), ]
    rows <- rbind(got$measures, subset(of(line, new$z)$measures, measure == "rmse"))
    rbind(
      with(rows, data.frame(holder, measure, covered = conf.low <= truth[measure] &
        truth[measure] <= conf.high, width = std.error / sqrt(std.error^2 - noise^2))),
      with(bins, data.frame(holder, measure = "bins", covered = conf.low <= truth &
        truth <= conf.high, width = NA))
    )
  }))
  cat(sprintf("\nn = %d (A: a quarter), epsilon = %g, delta = %g, %d repetitions\n", s$n, s$epsilon,
    s$delta, repetitions))
  print(with(seen, round(100 * tapply(covered, list(holder, measure), mean), 1)))
  print(with(seen, round(tapply(width, list(holder, measure), median), 2)))
}
