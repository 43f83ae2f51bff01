# Are unlike holders better off together? Twenty patterns of sizes, 2 to 50 holders, five budgets:
# the private model of all with the default weights ("precision"), with those of the pooled
# problem ("records"), that of the largest holder alone (in two halves), and that of all but the
# smallest. Mean log loss on 20,000 fresh records over the runs, and how many standard errors the
# default is behind the best of the last two.
#   Rscript bench/party-weights.R [runs] [part of] [parts]
library(dpadmm)
arguments <- as.integer(commandArgs(TRUE))
runs <- if (length(arguments) > 0L) arguments[1L] else 10L
part <- if (length(arguments) > 2L) arguments[2:3] else c(1L, 1L)

patterns <- list(
  c(5000, 5000), c(9000, 1000), c(9900, 100), c(9999, 1), rep(2500, 4), c(9000, 700, 250, 50),
  c(3700, 200, 80, 20), c(8000, 1000, 800, 200), c(5000, 2500, 1500, 1000),
  c(3000, 3000, 2999, 1000, 1), rep(1000, 10), c(5500, rep(500, 9)), round(10000 * 2^-(1:8)),
  rep(400, 25), c(8000, rep(100, 20)), c(4000, rep(250, 24)), rep(200, 50),
  c(6000, rep(100, 40), rep(10, 9)), round(4000 / (1:30)), c(20000, rep(20, 9))
)
made_up <- function(n) {
  data <- data.frame(
    a = runif(n), b = rbeta(n, 2, 4), c = pmin(pmax(rnorm(n, 0.5, 0.15), 0), 1),
    g = sample(c("u", "v"), n, TRUE)
  )
  risk <- with(data, -3 + 4 * a + 4 * b - 2 * c + 0.5 * (g == "v"))
  data$y <- ifelse(runif(n) < plogis(risk), "yes", "no")
  data
}
public <- dpadmm_schema(
  a = c(0, 1), b = c(0, 1), c = c(0, 1), g = c("u", "v"), y = c("no", "yes")
)
formula <- y ~ a + b + c + g

#' Mean and standard error of the loss of private fits.
of_runs <- function(sizes, data, test, epsilon, ...) {
  names(sizes) <- paste0("h", seq_along(sizes))
  nodes <- factor(rep(names(sizes), sizes), names(sizes))
  plan <- dpadmm_plan(formula, public, sizes = sizes, epsilon = epsilon, delta = 1e-5, ...)
  loss <- replicate(runs, evaluate(suppressWarnings(dpadmm_fit(plan, data, nodes = nodes)),
    test)$loss)
  c(mean(loss), stats::sd(loss) / sqrt(runs))
}

set.seed(7)
test <- made_up(20000)
behind <- NULL
for (k in seq(part[1L], length(patterns), by = part[2L])) for (epsilon in c(0.5, 1, 2, 4, 8)) {
  sizes <- sort(patterns[[k]], decreasing = TRUE)
  data <- made_up(sum(sizes))
  first <- function(n) data[seq_len(n), ]
  without <- sizes[-length(sizes)]
  found <- list(
    precision = of_runs(sizes, data, test, epsilon),
    records = of_runs(sizes, data, test, epsilon, weights = "records"),
    alone = of_runs(c(ceiling(sizes[1L] / 2), sizes[1L] %/% 2), first(sizes[1L]), test, epsilon)
  )
  if (length(without) > 1L) found$dropped <- of_runs(without, first(sum(without)), test, epsilon)
  z <- vapply(found[-(1:2)], function(other) {
    (found$precision[1L] - other[1L]) / sqrt(found$precision[2L]^2 + other[2L]^2)
  }, 0)
  behind <- c(behind, z)
  cat(sprintf("%2d holders (%d to %d), epsilon %-3g  %s  behind by %s se\n", length(sizes),
    min(sizes), max(sizes), epsilon,
    paste(sprintf("%s %.4f", names(found), vapply(found, `[`, 0, 1L)), collapse = "  "),
    paste(sprintf("%.1f", z), collapse = ", ")
  ))
}
cat(sprintf("Behind by more than 1, 2 and 3 standard errors in %d, %d and %d of %d comparisons\n",
  sum(behind > 1), sum(behind > 2), sum(behind > 3), length(behind)))
