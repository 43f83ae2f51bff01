# Five data holders train one income classifier on the Adult census data and nobody sees
# anybody's records. Prints the summary and the test errors, and saves a figure of error
# against privacy to figures/error-against-privacy.png (or to the file given as argument;
# a second argument is the number of runs per point).
library(dpadmm)
options(cli.progress_show_after = 0)
arguments <- commandArgs(TRUE)
file <- if (length(arguments) >= 1L) {
  arguments[1L]
} else {
  file.path("figures", "error-against-privacy.png")
}
runs <- if (length(arguments) >= 2L) as.integer(arguments[2L]) else 5L

census <- adult_matrix("onehot")
x <- census$x[census$train, ]
y <- census$y[census$train]
test_x <- census$x[!census$train, ]
test_y <- census$y[!census$train]
test_error <- function(fit) mean(predict(fit, test_x) != test_y)

delta <- 1e-5
fit <- dpadmm_fit(x, y,
  nodes = 5, method = mr_admm(), epsilon = 1, delta = delta, intercept = FALSE,
  control = dpadmm_control(progress = TRUE)
)
print(summary(fit))
plain <- dpadmm_fit(x, y,
  nodes = 5, method = mr_admm(), epsilon = Inf, intercept = FALSE
)
cat(sprintf(
  "\nTest error: %.1f%% private at epsilon = 1, %.1f%% without privacy, ",
  100 * test_error(fit), 100 * test_error(plain)
))
cat(sprintf("%.1f%% for always saying \"<=50K\"\n", 100 * mean(test_y == 1)))

# Error against privacy: Gaussian noise at delta = 1e-5 and Gamma-norm noise (pure).
budgets <- c(0.25, 0.5, 1, 2, 4, 8)
errors <- array(NA, c(length(budgets), 2L, runs))
cli::cli_progress_bar("Error against privacy", total = length(errors))
for (k in seq_along(budgets)) {
  for (kind in 1:2) {
    for (run in seq_len(runs)) {
      one <- suppressWarnings(dpadmm_fit(x, y,
        nodes = 5, method = mr_admm(), epsilon = budgets[k], delta = c(delta, 0)[kind],
        intercept = FALSE, control = dpadmm_control(progress = FALSE)
      ), classes = "dpadmm_warning_utility") # the figure will tell
      errors[k, kind, run] <- test_error(one)
      cli::cli_progress_update()
    }
  }
}
cli::cli_progress_done()
average <- apply(errors, 1:2, mean)
colnames(average) <- c("delta = 1e-5", "delta = 0")
cat("\nMean test error of", runs, "runs\n")
print(cbind(epsilon = budgets, round(average, 4)))

dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
grDevices::png(file, width = 1400, height = 1000, res = 200)
matplot(budgets, 100 * average,
  type = "b", log = "x", pch = c(16, 1), lty = 1:2, col = c("black", "grey40"),
  xlab = "epsilon (sound, replace-one neighbours)", ylab = "test error, %",
  main = "MR-ADMM over 5 data holders, Adult", ylim = 100 * range(errors, test_error(plain))
)
for (kind in 1:2) {
  spread <- apply(errors[, kind, , drop = FALSE], 1L, range)
  segments(budgets, 100 * spread[1L, ], budgets, 100 * spread[2L, ],
    col = c("black", "grey40")[kind]
  )
}
abline(h = 100 * test_error(plain), lty = 3)
legend("topright", c("Gaussian noise, delta = 1e-5", "Gamma-norm noise, delta = 0", "no privacy"),
  pch = c(16, 1, NA), lty = c(1, 2, 3), col = c("black", "grey40", "black"), bty = "n"
)
invisible(grDevices::dev.off())
cat("Figure:", file, "\n")
