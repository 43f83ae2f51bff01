# What fits with inference = TRUE say of separated classes, which have no best model, and of others.
#
#   Rscript bench/separated.R [data sets] [records]
#
# For each kind of data and epsilon: the share of fits that have no intervals because the released
# curvature drowns, because what was released is what separated classes give, and that have some;
# and their coverage where there is something to cover. Two holders, three columns.
suppressMessages(library(dpadmm))

given <- as.integer(commandArgs(TRUE))
sets <- if (length(given) > 0L) given[1L] else 200L
n <- if (length(given) > 1L) given[2L] else 1000L
slopes <- c(-0.5, 1, -0.7, 0.4)

columns <- function() {
  cbind(runif(n, -1, 1), pmax(-1, pmin(1, rnorm(n, sd = 0.5))), 2 * (runif(n) < 0.3) - 1)
}
line <- function(x, f) f[1L] + as.vector(x %*% f[-1L])
model <- function(f) {
  list(truth = f, make = function(x) list(x = x, y = runif(n) < plogis(line(x, f))))
}
without <- function(make) list(truth = NULL, make = make)

kinds <- list(
  "the model" = model(slopes),
  "slopes x 3" = model(3 * slopes),
  "slopes x 8" = model(8 * slopes),
  "a plane separates" = without(function(x) list(x = x, y = line(x, c(-0.3, slopes[-1L])) > 0)),
  "so does a number" = without(function(x) list(x = x, y = x[, 1L] > 0)),
  "with a gap" = without(function(x) {
    x[, 1L] <- sample(c(-1, 1), n, TRUE) * runif(n, 0.3, 1)
    list(x = x, y = x[, 1L] > 0)
  }),
  "a level is the class" = without(function(x) list(x = x, y = x[, 3L] > 0)),
  "a level has one class" = without(function(x) {
    list(x = x, y = x[, 3L] > 0 | runif(n) < plogis(line(x, slopes)))
  })
)

planned <- function(epsilon) {
  schema <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), c = c(-1, 1), y = c("no", "yes"))
  suppressWarnings(dpadmm_plan(y ~ a + b + c, schema, c(n / 2, n / 2), epsilon = epsilon,
    delta = 1e-6, inference = TRUE))
}

one_fit <- function(plan, kind, run) {
  set.seed(run)
  it <- kind$make(columns())
  data <- data.frame(a = it$x[, 1L], b = it$x[, 2L], c = it$x[, 3L],
    y = ifelse(it$y, "yes", "no"))
  fit <- dpadmm_fit(plan, data, nodes = rep(1:2, each = n / 2))
  why <- tryCatch({
    ends <- confint(fit)
    "intervals"
  }, dpadmm_error_unavailable = conditionMessage)
  covered <- if (why == "intervals" && !is.null(kind$truth)) {
    mean(ends[, 1L] <= kind$truth & kind$truth <= ends[, 2L])
  } else {
    NA
  }
  data.frame(drowned = grepl("cannot carry", why), separated = grepl("separated", why),
    intervals = why == "intervals", covered = covered)
}

for (epsilon in c(1, 2, 4, 8)) {
  plan <- planned(epsilon)
  for (name in names(kinds)) {
    rows <- do.call(rbind, lapply(seq_len(sets), function(run) {
      one_fit(plan, kinds[[name]], run)
    }))
    share <- colMeans(rows, na.rm = TRUE)
    cat(sprintf("%g  %-22s drowned %.3f  separated %.3f  intervals %.3f  covered %.3f\n", epsilon,
      name, share[1L], share[2L], share[3L], share[4L]))
  }
}
