# Does a private choice pay? Test error of the default plan with all of the budget, of the choice
# among four plans, and of each plan with all of the budget, over simulated data sets.
#
#   Rscript bench/tuning.R [repetitions]
suppressMessages(library(dpadmm))

repetitions <- as.integer(c(commandArgs(TRUE), "20")[1L])
p <- 12
public <- do.call(dpadmm_schema, c(setNames(rep(list(c(-1, 1)), p), paste0("x", 1:p)),
  list(y = c("no", "yes"))))
# two columns matter ("few"), or all ("many")
draw <- function(n, world) {
  x <- matrix(runif(n * p, -1, 1), n, dimnames = list(NULL, paste0("x", 1:p)))
  beta <- if (world == "few") c(3, -2, rep(0, p - 2)) else rep(c(1, -1), p / 2)
  data.frame(x, y = ifelse(runif(n) < plogis(x %*% beta), "yes", "no"))
}
wrong <- function(fit, test) evaluate(fit, test)$error
set.seed(12)
settings <- rbind(
  data.frame(world = "few", n = c(2000, 10000, 10000), epsilon = c(0.5, 0.5, 3)),
  data.frame(world = "many", n = c(10000, 10000), epsilon = c(0.5, 3))
)
# a trial's budget is calibrated from public numbers: once for all data sets of a setting
space <- asNamespace("dpadmm")
calibrate <- space$calibrate_trials
unlockBinding("calibrate_trials", space)
for (k in seq_len(nrow(settings))) {
  s <- settings[k, ]
  test <- draw(20000, s$world)
  default <- dpadmm_plan(y ~ ., public, rep(s$n / 2, 2), epsilon = s$epsilon, delta = 1e-6)
  plans <- list(default = default, two = update(default, y ~ x1 + x2),
    six = update(default, y ~ x1 + x2 + x3 + x4 + x5 + x6), strong = update(default, lambda = 0.1))
  trial <- NULL
  assign("calibrate_trials", function(...) {
    if (is.null(trial)) trial <<- calibrate(...)
    trial
  }, space)
  runs <- suppressWarnings(vapply(seq_len(repetitions), function(i) {
    train <- draw(s$n, s$world)
    c(vapply(plans, function(plan) wrong(dpadmm_fit(plan, train), test), 0),
      tuned = wrong(dpadmm_tune(plans, train, s$epsilon, 1e-6), test))
  }, numeric(5)))
  cat(sprintf("%-5s n = %5d epsilon = %3g: %s\n", s$world, s$n, s$epsilon,
    paste(sprintf("%s %.3f (%.3f)", rownames(runs), rowMeans(runs),
      apply(runs, 1, sd) / sqrt(repetitions)), collapse = ", ")))
}
