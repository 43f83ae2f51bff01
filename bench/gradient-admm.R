# One iteration of gradient ADMM against one X v plus one X'w through Matrix, in the same
# process; and two threads against one. Targets: at most 1.3 times, at least 1.7 times
# faster. Run: Rscript bench/gradient-admm.R [rows of the large set, default 5e6]
library(dpadmm)
source("bench/helpers.R")
arguments <- commandArgs(TRUE)
large <- if (length(arguments)) as.numeric(arguments[1]) else 5e6

fit <- function(x, y, T, threads) {
  dpadmm_fit(x, y,
    method = acc_admm(), penalty = fused_lasso(ncol(x), 1e-5, 1e-5), iterations = T,
    epsilon = 1, delta = 1e-5, intercept = FALSE, rows = "shorten",
    control = dpadmm_control(threads = threads, progress = FALSE, keep_iterates = FALSE)
  )
}

# An iteration is timed by the difference of a run of T + 1 and a run of 1, because rows are
# packed once a fit: that takes as long as dozens of iterations, so T must not be small.
compare <- function(name, x, y, T) {
  v <- cos(seq_len(ncol(x)))
  w <- sin(seq_len(nrow(x)))
  few <- max(3L, T %/% 10L)
  products <- function() {
    for (k in seq_len(few)) {
      x %*% v
      Matrix::crossprod(x, w)
    }
  }
  iteration <- function(threads, packing) {
    (seconds(function() fit(x, y, T + 1, threads)) - packing) / T
  }
  times <- vapply(1:5, function(k) {
    packing <- seconds(function() fit(x, y, 1, 1))
    c(seconds(products) / few, iteration(1, packing), iteration(2, packing))
  }, double(3)) * 1e3
  ratio <- times[2, ] / times[1, ]
  threads <- times[2, ] / times[3, ]
  cat(sprintf(
    "%-22s Matrix %.2f ms, an iteration %.2f ms; ratio %s, target 1.3; threads %s, target 1.7\n",
    name, median(times[1, ]), median(times[2, ]), spread(ratio), spread(threads)
  ))
  keep_result(paste(name, "iteration / Matrix"), ratio, 1.3)
  keep_result(paste(name, "one thread / two"), threads, 1.7)
}

a9a <- adult_matrix("a9a")
compare("a9a, 48842 x 123", a9a$x, a9a$y, 500)

# 22 dense features stored sparsely, and many short rows
shape <- function(n, d, each) {
  i <- rep(seq_len(n), each = each)
  j <- as.integer((i * 31 + rep(seq_len(each), n) * (d %/% each)) %% d) + 1L
  Matrix::sparseMatrix(i = i, j = j, x = rep_len(c(0.3, -0.2, 0.5), length(i)), dims = c(n, d))
}
x <- shape(49990, 22, 13)
compare("as ijcnn1, 49990 x 22", x, rep_len(c(-1, 1, -1), nrow(x)), 500)
x <- shape(large, 100, 5)
compare(sprintf("%g x 100", large), x, rep_len(c(-1, 1, -1), nrow(x)), 40)
