# What sums with shared noise reach on Adult, next to a trusted curator: test error at a sound
# (1, 1e-5) of 40,000 records over 50 and 200 holders, five splits of ten runs each. "curator" is
# the same method with all records in one place (fp_admm: with a server that may see every state),
# "secure" with aggregation = "secure", "plain" with noise of each holder's own. Run:
#   Rscript bench/secure-sums.R [runs a split] [one method, or all] [a file]
# Errors are appended to the file, a line a split; what it has already is not run again.
library(dpadmm)
source("bench/helpers.R")

arguments <- c(commandArgs(TRUE), character(3))
runs <- if (nzchar(arguments[1L])) as.integer(arguments[1L]) else 10L
methods <- list(acc_admm = acc_admm(), grad_admm = grad_admm(), dp_sgd = dp_sgd(),
  fp_admm = fp_admm())
if (arguments[2L] %in% names(methods)) methods <- methods[arguments[2L]]
census <- adult_matrix("onehot")
d <- ncol(census$x)
splits <- lapply(1:5, function(seed) {
  set.seed(seed)
  list(test = sample(nrow(census$x), 5222), order = sample(40000))
})

plan_of <- function(method, holders, aggregation) {
  dpadmm_plan(d, rep(40000 / holders, holders), method = method, epsilon = 1, delta = 1e-5,
    aggregation = aggregation, intercept = FALSE, control = dpadmm_control(progress = FALSE)
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

# ---- what is known already ---------------------------------------------------------------------
known <- new.env()
if (file.exists(arguments[3L])) {
  lines <- strsplit(readLines(arguments[3L]), " ")
  for (line in lines) known[[line[1L]]] <- as.double(line[-1L])
}
#' Errors of the runs of one split.
split_errors <- function(name, plan, split) {
  key <- sprintf("%s:%d:%d", name, split, runs)
  if (is.null(known[[key]])) {
    known[[key]] <- vapply(seq_len(runs), function(k) test_error(plan, splits[[split]]), 0)
    line <- paste(c(key, format(known[[key]], digits = 15, trim = TRUE)), collapse = " ")
    if (nzchar(arguments[3L])) cat(line, "\n", sep = "", file = arguments[3L], append = TRUE)
  }
  known[[key]]
}

#' The mean over runs and splits.
show <- function(name, holders, kind, method) {
  plan <- plan_of(method, holders, if (kind == "secure") "secure" else "plain")
  label <- paste(name, holders, kind, sep = ":")
  by_split <- vapply(seq_along(splits), function(k) mean(split_errors(label, plan, k)), 0)
  cat(sprintf(
    "%-10s %3d holders  %-8s error %.4f (splits %.4f to %.4f, %d iterations, %s)\n",
    name, holders, kind, mean(by_split), min(by_split), max(by_split), plan$iterations,
    sprintf("sd of noise in the model %.3f", plan$expected$noise)
  ))
  mean(by_split)
}
compare <- function(name) {
  one <- name != "fp_admm"
  if (one) curator <- show(name, 1L, "curator", methods[[name]])
  for (holders in c(50L, 200L)) {
    if (!one) curator <- show(name, holders, "curator", methods[[name]])
    secure <- show(name, holders, "secure", methods[[name]])
    report(sprintf("%s, %d holders: secure sums", name, holders), secure, 0.174, 4L)
    report(sprintf("%s, %d holders: secure over curator", name, holders), secure - curator, 0.003,
      4L)
  }
}
for (name in names(methods)) compare(name)
for (name in setdiff(names(methods), "fp_admm")) {
  for (holders in c(50L, 200L)) show(name, holders, "plain", methods[[name]])
}
