# The experiment of Xu et al. (2020), figures 1 and 2, on the real ijcnn1, printed: objective
# gaps over iterations, gap and test accuracy against epsilon, the epsilon from which
# acceleration is ahead, and sigma as printed against sigma as needed. It is part of
# vignette("dp-admm-accadmm"), with fewer runs.
#
#   DPADMM_IJCNN1=<folder of ijcnn1.svm.xz and ijcnn1.t.svm.xz> Rscript bench/ijcnn1.R [runs, 3]
#
# Losses and accuracies are computed from the records: they are not private.
source("inst/experiments/dp-admm-accadmm.R")
arguments <- commandArgs(TRUE)
runs <- if (length(arguments)) as.integer(arguments[1]) else 3L

run <- function(part, ...) {
  part <- stored[[part]]
  part$settings <- part$settings[part$settings$data == "ijcnn1", , drop = FALSE]
  do.call(experiment, utils::modifyList(part, list(...)))
}
print(t(run("facts")))

gaps <- rbind(run("noise-free"), run("paths", repetitions = runs))
gaps <- gaps[gaps$iteration %in% c(1, 3, 10, 30, 100, 300), ]
cat("\nObjective gap by iteration\n")
print(tapply(gaps$gap, list(
  with(gaps, paste0(algorithm, ", epsilon ", epsilon)), gaps$iteration
), mean), digits = 3)

budgets <- run("budgets", repetitions = runs)
cat("\nAgainst epsilon\n")
print(stats::aggregate(cbind(gap, accuracy, sigma, sound) ~ epsilon + accountant + algorithm,
  budgets, mean
), digits = 3)
for (accountant in unique(budgets$accountant)) {
  mean_gap <- with(budgets[budgets$accountant == accountant, ],
    tapply(gap, list(epsilon, algorithm), mean))
  ahead <- rev(cumprod(rev(mean_gap[, "AccADMM"] < mean_gap[, "ADMM"]))) == 1
  cat(sprintf(
    "%s sigma: acceleration is ahead from epsilon = %s on\n", accountant,
    if (any(ahead)) rownames(mean_gap)[ahead][1] else "(none of these)"
  ))
}
