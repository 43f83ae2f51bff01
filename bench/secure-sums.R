# What sums with shared noise reach on Adult, next to a trusted curator: test error at a sound
# (1, 1e-5) of 40,000 records over 50 and 200 holders, five splits of ten runs each. "curator" is
# the same method with all records in one place (fp_admm: with a server that may see every state),
# "secure" with aggregation = "secure", "plain" with noise of each holder's own. Run:
#   Rscript bench/secure-sums.R [runs a split] [iterations of gradient methods] [one method]
library(dpadmm)
source("bench/helpers.R")

arguments <- commandArgs(TRUE)
runs <- if (length(arguments) > 0L) as.integer(arguments[1L]) else 10L
iterations <- if (length(arguments) > 1L) as.integer(arguments[2L])
census <- adult_matrix("onehot")
d <- ncol(census$x)
splits <- lapply(1:5, function(seed) {
  set.seed(seed)
  list(test = sample(nrow(census$x), 5222), order = sample(40000))
})

plan_of <- function(method, holders, aggregation) {
  rounds <- if (method$name != "fp_admm") iterations
  dpadmm_plan(d, rep(40000 / holders, holders), method = method, epsilon = 1, delta = 1e-5,
    iterations = rounds, aggregation = aggregation, intercept = FALSE,
    control = dpadmm_control(progress = FALSE)
  )
}
test_error <- function(plan, split) {
  x <- census$x[-split$test, ]
  holders <- plan$problem$N
  nodes <- if (holders > 1L) rep(seq_len(holders), each = 40000 / holders)[split$order]
  fit <- suppressWarnings(dpadmm_fit(plan, x, census$y[-split$test], nodes = nodes),
    classes = "dpadmm_warning_utility")
  mean(predict(fit, census$x[split$test, ]) != census$y[split$test])
}
#' Mean over the splits, a row of errors by run.
errors <- function(plan) {
  made <- vapply(splits, function(split) replicate(runs, test_error(plan, split)), numeric(runs))
  c(mean = mean(made), se = stats::sd(colMeans(matrix(made, runs))) / sqrt(length(splits)))
}

show <- function(name, holders, kind, plan) {
  found <- errors(plan)
  cat(sprintf("%-10s %3s holders  %-8s error %.4f  (%s sums; sd of noise in the model %.3f)\n",
    name, holders, kind, found[["mean"]], format(max(tidy(plan)$messages)), plan$expected$noise))
  found[["mean"]]
}
tidy <- generics::tidy
methods <- list(acc_admm = acc_admm(), grad_admm = grad_admm(), dp_sgd = dp_sgd(step = 4),
  fp_admm = fp_admm())
if (length(arguments) > 2L) methods <- methods[arguments[3L]]
for (name in names(methods)) {
  method <- methods[[name]]
  one <- method$name != "fp_admm"
  if (one) curator <- show(name, 1, "curator", plan_of(method, 1, "plain"))
  for (holders in c(50, 200)) {
    if (!one) curator <- show(name, holders, "curator", plan_of(method, holders, "plain"))
    secure <- show(name, holders, "secure", plan_of(method, holders, "secure"))
    if (one) show(name, holders, "plain", plan_of(method, holders, "plain"))
    keep_result(sprintf("%s, %d holders: secure over curator", name, holders), secure - curator,
      0.003)
  }
}
