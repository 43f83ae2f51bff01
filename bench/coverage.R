# Coverage and width of intervals (inference = TRUE) over simulated data sets.
#
#   Rscript bench/coverage.R [runs] [settings] [file]
#
# For each setting: the share of fits that had intervals, the coverage of their 95% intervals over
# all coefficients with its Monte Carlo error (over data sets), the least coverage of a coefficient,
# and the median width over that of the Cramer-Rao bound with the noise of the released gradients
# added (in the first 50 data sets). The settings were fixed before anything was seen. `file` has a
# row for each data set that is through, and those are not done again.
suppressMessages(library(dpadmm))

given <- commandArgs(TRUE)
runs <- if (length(given) > 0L) as.integer(given[1L]) else 200L

setting <- function(kind, n, N, sizes, epsilon, p) {
  data.frame(kind = kind, n = n, N = N, sizes = sizes, epsilon = epsilon, p = p)
}
settings <- rbind(
  setting("logistic", 2e3, 2, "alike", 8, 3), setting("logistic", 2e3, 5, "unlike", 8, 3),
  setting("logistic", 2e3, 20, "alike", 8, 3), setting("logistic", 2e3, 2, "alike", 0.5, 3),
  setting("logistic", 2e4, 2, "alike", 0.5, 3), setting("logistic", 2e4, 5, "unlike", 2, 3),
  setting("logistic", 2e4, 5, "unlike", 2, 10), setting("logistic", 2e4, 20, "alike", 8, 10),
  setting("logistic", 2e5, 2, "alike", 0.5, 3), setting("logistic", 2e5, 5, "unlike", 0.5, 10),
  setting("logistic", 2e5, 20, "unlike", 2, 10), setting("logistic", 2e5, 5, "alike", 8, 30),
  setting("linear", 2e3, 2, "alike", 8, 3), setting("linear", 2e4, 2, "alike", 0.5, 3),
  setting("linear", 2e4, 5, "unlike", 2, 3), setting("linear", 2e4, 20, "alike", 8, 10),
  setting("linear", 2e5, 5, "unlike", 0.5, 10), setting("linear", 2e5, 20, "alike", 2, 30),
  setting("wrong", 2e3, 2, "alike", 8, 3), setting("wrong", 2e4, 5, "unlike", 2, 3),
  setting("wrong", 2e4, 20, "alike", 8, 10), setting("wrong", 2e5, 2, "alike", 0.5, 3),
  setting("wrong", 2e5, 5, "unlike", 0.5, 10), setting("wrong", 2e5, 20, "unlike", 2, 30)
)

# uniform, about normal, and two-valued columns in [-1, 1], in turns
columns <- function(n, p) {
  x <- vapply(seq_len(p), function(j) {
    switch(j %% 3 + 1, 2 * (runif(n) < 0.3) - 1, runif(n, -1, 1),
      pmax(-1, pmin(1, rnorm(n, sd = 0.5))))
  }, numeric(n))
  colnames(x) <- paste0("x", seq_len(p))
  x
}

slopes <- function(p) c(-0.5, rep_len(c(1, -0.7, 0.4, 0, 0.2), p) * sqrt(min(1, 5 / p)))

truth <- function(kind, x) {
  eta <- slopes(ncol(x))[1L] + as.vector(x %*% slopes(ncol(x))[-1L])
  if (kind == "wrong") eta <- eta + 1.5 * x[, 1L] * x[, 2L] - x[, 3L]^2
  if (kind == "linear") eta else if (kind == "wrong") pnorm(eta) else plogis(eta)
}

response <- function(kind, x) {
  mean <- truth(kind, x)
  # errors about 0 of any law have the same Huber regression; within bounds by far
  if (kind == "linear") return(mean + (0.5 + abs(x[, 1L])) * runif(nrow(x), -1, 1))
  runif(nrow(x)) < mean
}

# what is estimated: of a wrong model the best one, from two million records' probabilities
target <- function(kind, p) {
  if (kind != "wrong") return(slopes(p))
  set.seed(7)
  sums <- lapply(1:4, function(k) columns(5e5, p))
  f <- slopes(p)
  for (step in 1:12) {
    g <- 0
    H <- 0
    for (x in sums) {
      X <- cbind(1, x)
      fitted <- plogis(as.vector(X %*% f))
      g <- g + crossprod(X, fitted - truth(kind, x))
      H <- H + crossprod(X * sqrt(fitted * (1 - fitted)))
    }
    f <- f - as.vector(solve(H, g))
  }
  f
}

# standard errors of the best estimate from the noisy gradients of all rounds, curvature known
best_errors <- function(plan, x, y, node, f, kind) {
  problem <- plan$problem
  X <- cbind(1, x)
  eta <- as.vector(X %*% f)
  unit <- plan$problem$blueprint$factor
  if (kind == "linear") {
    half <- plan$problem$blueprint$range$half
    width <- problem$loss$width
    left <- (y - eta) / half
    curve <- (abs(left) < width) * problem$loss$curvature
    slope2 <- pmin(abs(left) * problem$loss$curvature, problem$loss$lipschitz)^2
    unit <- c(unit, unit) * 1
  } else {
    p <- plogis(eta)
    curve <- p * (1 - p)
    slope2 <- if (kind == "wrong") (p - y)^2 else curve
  }
  noisy <- plan$rule != "recycled"
  through <- plan$problem$rho / problem$N + 2 * plan$eta * problem$degree
  information <- 0
  for (i in seq_len(problem$N)) {
    rows <- node == i
    a <- problem$C[i] / problem$size[i]
    Z <- X[rows, , drop = FALSE] * unit[1L]
    H <- a * crossprod(Z, curve[rows] * Z)
    M <- a^2 * crossprod(Z, slope2[rows] * Z)
    typical <- sum(diag(H)) / problem$d
    sent <- plan$scales$output
    each <- plan$scales$objective[i, noisy]^2 +
      if (is.null(sent)) 0 else ((through[i, noisy] + typical) * sent[i, noisy])^2
    information <- information + H %*% solve(M + diag(problem$d) / sum(1 / each), H)
  }
  error <- sqrt(diag(solve(information))) * unit[1L]
  if (kind == "linear") error * half else error
}

planned <- function(s) {
  sizes <- if (s$sizes == "alike") rep(1, s$N) else if (s$N == 5) 2^(0:4) else seq_len(s$N)
  sizes <- round(s$n * sizes / sum(sizes))
  names <- paste0("x", seq_len(s$p))
  schema <- c(stats::setNames(rep(list(c(-1, 1)), s$p), names),
    list(y = if (s$kind == "linear") c(-5, 5) else c("no", "yes")))
  suppressWarnings(dpadmm_plan(stats::reformulate(names, "y"), do.call(dpadmm_schema, schema),
    sizes = sizes, loss = if (s$kind == "linear") "huber" else "logistic", epsilon = s$epsilon,
    delta = 1e-6, inference = if (s$kind == "wrong") "sandwich" else TRUE
  ))
}

# one data set: whether there are intervals, which of them cover, their width over the best
one_run <- function(s, plan, f, run) {
  set.seed(1e5 + run)
  sizes <- plan$problem$size
  node <- rep(seq_along(sizes), sizes)
  x <- columns(sum(sizes), s$p)
  y <- response(s$kind, x)
  data <- data.frame(x, y = if (s$kind == "linear") y else ifelse(y, "yes", "no"))
  fit <- suppressWarnings(dpadmm_fit(plan, data, nodes = node))
  ends <- tryCatch(confint(fit), dpadmm_error_unavailable = function(e) NULL)
  if (is.null(ends)) return(data.frame(run = run, had = FALSE, covered = "", ratio = NA))
  ratio <- if (run <= 50) {
    width <- (ends[, 2L] - ends[, 1L]) / (2 * stats::qnorm(0.975))
    stats::median(width / best_errors(plan, x, y, node, f, s$kind))
  } else {
    NA
  }
  covered <- paste(+(ends[, 1L] <= f & f <= ends[, 2L]), collapse = "")
  data.frame(run = run, had = TRUE, covered = covered, ratio = ratio)
}

through <- function(file, k) {
  if (is.null(file) || !file.exists(file)) return(NULL)
  rows <- utils::read.csv(file, colClasses = c(covered = "character"))
  rows[rows$setting == k, ]
}

all_runs <- function(s, k, file) {
  before <- through(file, k)
  missing <- setdiff(seq_len(runs), before$run)
  if (length(missing) == 0L) return(before)
  plan <- planned(s)
  f <- target(s$kind, s$p)
  fresh <- lapply(missing, function(run) {
    row <- cbind(setting = k, one_run(s, plan, f, run))
    if (!is.null(file)) {
      utils::write.table(row, file, append = TRUE, sep = ",", row.names = FALSE,
        col.names = !file.exists(file))
    }
    row
  })
  rbind(before, do.call(rbind, fresh))
}

one_setting <- function(s, k, file) {
  rows <- all_runs(s, k, file)
  out <- data.frame(setting = k, s, runs = nrow(rows), had = mean(rows$had))
  had <- rows$covered[rows$had]
  if (length(had) == 0L) return(cbind(out, coverage = NA, error = NA, least = NA, width = NA))
  covered <- do.call(rbind, lapply(strsplit(had, ""), `==`, "1"))
  each <- rowMeans(covered)
  cbind(out, coverage = mean(each),
    error = if (length(each) > 1L) stats::sd(each) / sqrt(length(each)) else NA,
    least = min(colMeans(covered)), width = stats::median(rows$ratio, na.rm = TRUE))
}

asked <- if (length(given) > 1L) eval(parse(text = given[2L])) else seq_len(nrow(settings))
file <- if (length(given) > 2L) given[3L]
for (k in asked) {
  row <- one_setting(settings[k, ], k, file)
  shown <- c("had", "coverage", "error", "least", "width")
  row[shown] <- round(row[shown], 4L)
  print(row, row.names = FALSE)
}
