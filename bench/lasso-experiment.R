# The curves of the Lasso experiment (Cyffers, Bellet and Basu 2023, figure 1), printed: test
# objective against epsilon, mean (range) of some runs. It is the experiment of
# vignette("noisy-fixed-point-admm") with fewer runs; tuning takes minutes.
#
# Run: Rscript bench/lasso-experiment.R [runs, default 3]
source("inst/experiments/noisy-fixed-point-admm.R")
arguments <- commandArgs(TRUE)
runs <- if (length(arguments)) as.integer(arguments[1]) else 3L

problem <- lasso_problem()
cat(sprintf(
  "kappa = %.3g; test objective without privacy %.5f, of learning nothing %.5f\n", problem$kappa,
  lasso_objective(problem$best, problem), lasso_objective(numeric(64), problem)
))
found <- do.call(experiment, c(stored$lasso, list(repetitions = runs)))
for (part in split(found, found[c("curve", "tuned_at")], drop = TRUE)) {
  setting <- unlist(part[1, c("lambda", "gamma", "step", "clip")])
  setting <- setting[!is.na(setting)]
  cat(sprintf(
    "\n%s, tuned at epsilon = %g: %s\n", part$curve[1], part$tuned_at[1],
    paste(names(setting), setting, sep = " = ", collapse = ", ")
  ))
  for (one in split(part, part$epsilon)) {
    value <- one$objective
    cat(sprintf(
      "  epsilon %5g: %.5f (%.5f to %.5f)\n", one$epsilon[1], mean(value), min(value), max(value)
    ))
  }
}
