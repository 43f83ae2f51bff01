# The setting of plausible-admm's experiments (Figures 5 and 6) on Adult: N = 5, T = 30,
# c = 15, delta = 1e-4, eta = .5, epsilon in .5, 1, 1.5, 2, 10; 35,000 training records, the
# rest for testing. Classification error and mean training loss of every method, mean and
# range over runs (new split of the records and new noise each), under the sound accountant
# and, for the paper's own two, by the printed rules. C = 1 is the paper's objective; it is
# repeated at a larger weight of the loss, where 30 iterations are enough to fit.
#
# Run: Rscript bench/plausible-admm.R [runs] (default 10). Prints a CSV.
library(dpadmm)
arguments <- commandArgs(TRUE)
runs <- if (length(arguments)) as.integer(arguments[1]) else 10L
adult <- adult_matrix("a9a") # all 48,842 records, as in the paper; rows are shortened to norm 1
adult$x <- adult$x / sqrt(Matrix::rowSums(adult$x^2))
budgets <- c(0.5, 1, 1.5, 2, 10)
delta <- 1e-4
iterations <- 30

methods <- list(
  "IPP-ADMM" = list(ipp_admm(eta = 0.5, max_sends = 15)),
  "PP-ADMM" = list(pp_admm(eta = 0.5)),
  "PP-ADMM, beta = 10^-3.5" = list(pp_admm(eta = 0.5, beta = 10^-3.5)),
  "IPP-ADMM as printed" = list(ipp_admm(eta = 0.5, max_sends = 15), paper = TRUE),
  "PP-ADMM as printed" = list(pp_admm(eta = 0.5), paper = TRUE),
  "DVP" = list(admm(eta = 0.5), noise = "gamma"),
  "M-ADMM" = list(m_admm(eta = 0.5, growth = 1.01, theta = 0.5), noise = "gamma"),
  "R-ADMM" = list(r_admm(eta = 0.5, gamma = 0.5), noise = "gamma"),
  "non-private" = list(admm(eta = 0.5), free = TRUE)
)

one <- function(setting, epsilon, C, run) {
  set.seed(run)
  network <- network_random(5, 0.5)
  train <- sample(nrow(adult$x), 35000)
  call <- list(
    x = adult$x[train, ], y = adult$y[train], nodes = 5, network = network, method = setting[[1L]], C = C,
    rho = 0.01, iterations = iterations, seed = run, epsilon = if (isTRUE(setting$free)) Inf else epsilon,
    delta = if (isTRUE(setting$free)) 0 else delta, noise = setting$noise,
    control = dpadmm_control(progress = FALSE, accountant = if (isTRUE(setting$paper)) "paper" else "sound")
  )
  fit <- do.call(dpadmm_fit, call)
  score <- adult$x %*% coef(fit)
  wrong <- ifelse(score > 0, 1, -1) != adult$y
  all <- coef(fit, node = "all")
  loss <- mean(log1p(exp(-adult$y[train] * as.matrix(adult$x[train, ] %*% t(all)))))
  proved <- tryCatch(privacy(fit)$epsilon, dpadmm_error = function(e) NA)
  saved <- if (is.null(fit$messages)) 0 else fit$messages[["saved"]] / sum(fit$messages)
  c(error = mean(wrong[-train]), loss = loss, proved = proved, saved = saved)
}

cat("C,method,epsilon,error,error_low,error_high,loss,proved_epsilon,saved,failed\n")
for (C in c(1, 100)) for (name in names(methods)) for (epsilon in budgets) {
  if (isTRUE(methods[[name]]$free) && epsilon != budgets[1L]) next
  found <- vapply(seq_len(runs), function(run) {
    tryCatch(one(methods[[name]], epsilon, C, run), dpadmm_error_budget = function(e) rep(NA_real_, 4))
  }, c(error = 0, loss = 0, proved = 0, saved = 0))
  ok <- !is.na(found["error", ])
  average <- function(what) mean(found[what, ok])
  ends <- if (any(ok)) range(found["error", ok]) else c(NA, NA)
  cat(sprintf(
    "%g,\"%s\",%g,%.4f,%.4f,%.4f,%.4f,%.3f,%.2f,%d\n", C, name, if (isTRUE(methods[[name]]$free)) Inf else epsilon,
    average("error"), ends[1L], ends[2L], average("loss"), average("proved"), average("saved"), sum(!ok)
  ))
}
