# Default private fits of dense records against one pass over them (X v and X'w by R's `%*%` and
# crossprod(), which first look for numbers that are not finite: BLAS alone takes about half) and
# against one ridge fit of glmnet, in the same process; in processor time, which other programs
# on the machine disturb less than the clock. The time of a fit is all of it, from the matrix to
# the coefficients. What the solvers did is counted apart: their passes over the rows, and the
# rows in d x d curvatures. Run: Rscript bench/dense.R [rows columns ...]
library(dpadmm)
source("bench/helpers.R")

cpu <- function(f) sum(system.time(f(), gcFirst = TRUE)[1:2])

# The lowest of some times; each f() takes at least about a tenth of a second.
lowest <- function(f, times) min(vapply(seq_len(times), function(k) cpu(f), 0))

fit_of <- function(data, method, threads = 1L) {
  suppressWarnings( # of what noise leaves to expect
    dpadmm_fit(data$x, data$y,
      nodes = 5, method = method, epsilon = 1, delta = 1e-5, seed = 1,
      control = dpadmm_control(threads = threads, progress = FALSE)
    ),
    classes = "dpadmm_warning_utility"
  )
}

one_pass <- function(x) {
  v <- rep(1, ncol(x))
  w <- rep(1, nrow(x))
  times <- max(1, ceiling(2e7 / length(x)))
  pass <- function() for (k in seq_len(times)) {
    x %*% v
    crossprod(x, w)
  }
  lowest(pass, 5L) / times
}

ridge_seconds <- function(data) {
  lowest(function() {
    glmnet::glmnet(data$x, data$y, "binomial", alpha = 0, lambda = 1e-4, thresh = 1e-7)
  }, 3L)
}

measure <- function(n, d, method, most, ridge = FALSE) {
  data <- sim_logistic(n, d, seed = 1)
  pass <- one_pass(data$x)
  fit <- fit_of(data, method)
  time <- lowest(function() fit_of(data, method), if (n * d > 2e7) 2L else 3L)
  work <- work_of(fit$plan, data)
  name <- sprintf("%s, %g x %d", fit$plan$method$name, n, d)
  cat(sprintf("%s: %.2f s; in its solvers %.1f passes, %.2f curvatures, %g factors\n", name, time,
    (work$times + work$back) / (2 * n), work$squares / n, work$factors))
  report(paste0(name, ", passes"), time / pass, most, digits = 1L)
  if (ridge) report(paste0(name, ", over glmnet"), time / ridge_seconds(data), 4)
}

# By the clock: two threads want two idle cores. In turns, pair by pair, because on a shared machine
# what memory gives changes within a minute; the first pair warms up. The data are read before: on a
# virtual machine the first look at memory that nobody touched for half a second can take longer
# than a pass.
# Beside it what two threads gain in passes alone: the machine's own limit in the same minutes.
two_threads <- function(n, d) {
  data <- sim_logistic(n, d, seed = 1)
  clock <- function(threads) {
    sum(data$x)
    system.time(fit_of(data, mr_admm(), threads))[["elapsed"]]
  }
  times <- vapply(1:12, function(k) c(clock(1L), clock(2L)), numeric(2))[, -1L]
  name <- sprintf("mr_admm, %g x %d, two threads", n, d)
  cat(sprintf("%s: best times %.2f and %.2f s\n", name, min(times[1L, ]), min(times[2L, ])))
  bare <- bare_passes(n, d)
  if (length(bare)) cat(sprintf("  passes alone, two threads: median %s\n", spread(bare)))
  report(name, times[1L, ] / times[2L, ], 1.7, at_least = TRUE)
}

# How much faster two threads are, of bench/bare-passes.c; nothing where there is no compiler.
bare_passes <- function(n, d) {
  program <- tempfile()
  compiler <- strsplit(system2(file.path(R.home("bin"), "R"), c("CMD", "config", "CC"),
    stdout = TRUE), " ")[[1L]]
  built <- suppressWarnings(system2(compiler[1L], c(compiler[-1L], "-O2", "-fopenmp",
    "-D_GNU_SOURCE", "-Isrc/core", "bench/bare-passes.c", "src/core/data/kernels.c", "-o", program
  )))
  if (built != 0L) return(numeric())
  said <- system2(program, c(format(n, scientific = FALSE), d, 9), stdout = TRUE)
  times <- matrix(scan(text = said, quiet = TRUE), nrow = 2L)
  times[1L, ] / times[2L, ]
}

given <- as.numeric(commandArgs(TRUE))
if (length(given) > 0L) {
  for (k in seq(1, length(given), 2)) measure(given[k], given[k + 1], mr_admm(), 80)
} else {
  measure(2e4, 100, mr_admm(), 113)
  measure(2e4, 500, mr_admm(), 80, ridge = TRUE)
  measure(2e4, 1000, mr_admm(), 80, ridge = TRUE)
  measure(2e4, 2000, mr_admm(), 80)
  measure(1e6, 50, mr_admm(), 60)
  for (d in c(500, 1000, 2000)) measure(2e4, d, pp_admm(), 40)
  two_threads(1e6, 50)
  two_threads(2e4, 1000)
}
