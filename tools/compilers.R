# Fits of every method to a file of doubles: what tools/compilers compares between builds of the
# package. Seeds make them repeatable.
#   Rscript tools/compilers.R <file>
suppressMessages(library(dpadmm))

n <- 60
x <- cbind(sin(seq_len(n)), cos(3 * seq_len(n)), sin(seq_len(n)^2)) / 2
y <- rep_len(c(-1, 1, 1), n)
holders <- rep_len(1:3, n)
methods <- c("admm", "m_admm", "r_admm", "mr_admm", "pp_admm", "ipp_admm", "fp_admm", "dp_sgd",
  "dp_cd", "grad_admm", "acc_admm")
on_a_graph <- c("admm", "m_admm", "r_admm", "mr_admm", "pp_admm", "ipp_admm")

fits <- lapply(methods, function(method) {
  fit <- suppressMessages(suppressWarnings(do.call(dpadmm_fit, c(
    list(x, y, method = method, epsilon = 2, delta = 1e-5, seed = 1, intercept = FALSE,
      iterations = 5, control = dpadmm_control(threads = 2)),
    if (method %in% on_a_graph) list(nodes = holders)
  ))))
  as.double(unlist(stats::coef(fit)))
})
writeBin(c(unlist(fits), account(dp_event_laplace(10, 1, count = 50), 1e-5)$epsilon),
  commandArgs(TRUE)[1L])
cat(sprintf("%d numbers of %d fits, BLAS %s\n", length(unlist(fits)), length(fits),
  extSoftVersion()[["BLAS"]]))
