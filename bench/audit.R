# What an audit adds to the time of the releases it audits: its own time against that of a
# bare loop over the same releases, in the same process. Target: at most 20 percent more.
# Run: Rscript bench/audit.R
library(dpadmm)
source("bench/helpers.R")
runs <- 500
ratio <- function(method, nodes) {
  pair <- worst_case_neighbours("labels", n = 200, d = 10, nodes = nodes)
  release <- fit_release(method, iterations = 10, epsilon = 1, delta = 1e-5)
  release(pair$data1, seed = 1) # settled once
  one <- function() {
    # as an audit prepares them: once for each data set
    first <- attr(release, "prepare")(pair$data1)
    second <- attr(release, "prepare")(pair$data2)
    loop <- seconds(function() {
      for (k in seq_len(runs)) {
        first(k)
        second(k)
      }
    })
    whole <- seconds(function() {
      audit(release, pair$data1, pair$data2, runs = runs, seed = 1, claim = 1)
    })
    c(loop, whole / loop)
  }
  found <- replicate(5, one())
  each <- 1000 * median(found[1, ]) / (2 * runs)
  report(
    sprintf("%-10s %.2f ms a release, time of the audit over it", method$name, each),
    found[2, ], 1.2, digits = 3L
  )
}
ratio(mr_admm(), 4)
ratio(pp_admm(), 4)
ratio(fp_admm(), 1)
ratio(dp_sgd(batch = 20), 1)
ratio(acc_admm(), 1)
