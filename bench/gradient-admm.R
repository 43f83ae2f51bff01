# One iteration of gradient ADMM against one X v plus one X'w through Matrix, in the same
# process; and two threads against one. Targets: at most 1.3 times, at least 1.7 times
# faster. Run: Rscript bench/gradient-admm.R [rows of the large set, default 5e6]
library(dpadmm)
arguments <- commandArgs(TRUE)
large <- if (length(arguments)) as.numeric(arguments[1]) else 5e6

seconds <- function(expression) system.time(expression, gcFirst = FALSE)[["elapsed"]]

fit <- function(x, y, T, threads) {
  dpadmm_fit(x, y,
    method = acc_admm(), penalty = fused_lasso(ncol(x), 1e-5, 1e-5), iterations = T, epsilon = 1, delta = 1e-5,
    control = dpadmm_control(threads = threads, progress = FALSE, keep_iterates = FALSE)
  )
}

# Time an iteration by the difference of two runs: packing the rows is done once a fit.
compare <- function(name, x, y, T) {
  v <- cos(seq_len(ncol(x)))
  w <- sin(seq_len(nrow(x)))
  iteration <- function(threads) (seconds(fit(x, y, 2 * T, threads)) - seconds(fit(x, y, T, threads))) / T
  products <- function() seconds(for (k in seq_len(T)) {
    x %*% v
    Matrix::crossprod(x, w)
  }) / T
  times <- vapply(1:5, function(k) c(products(), iteration(1), iteration(2)), double(3))
  ms <- apply(times, 1L, stats::median) * 1e3
  cat(sprintf(
    "%-22s Matrix %8.2f ms, one thread %8.2f ms (ratio %.2f), two threads %8.2f ms (speed-up %.2f)\n",
    name, ms[1], ms[2], ms[2] / ms[1], ms[3], ms[2] / ms[3]
  ))
}

a9a <- adult_matrix("a9a")
compare("a9a, 48842 x 123", a9a$x, a9a$y, 200)

# 22 dense features stored sparsely, and many short rows
shape <- function(n, d, each) {
  i <- rep(seq_len(n), each = each)
  j <- as.integer((i * 31 + rep(seq_len(each), n) * (d %/% each)) %% d) + 1L
  Matrix::sparseMatrix(i = i, j = j, x = rep_len(c(0.3, -0.2, 0.5), length(i)), dims = c(n, d))
}
x <- shape(49990, 22, 13)
compare("as ijcnn1, 49990 x 22", x, rep_len(c(-1, 1, -1), nrow(x)), 200)
x <- shape(large, 100, 5)
compare(sprintf("%g x 100", large), x, rep_len(c(-1, 1, -1), nrow(x)), 3)
