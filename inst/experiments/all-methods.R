# The experiments of vignette("all-methods"), a chunk each; results are stored beside this file,
# and rerun_experiment("all-methods", part) runs them again.

## ---- data ----
library(dpadmm)
record_sets <- list(
  adult = adult_matrix("onehot")[c("x", "y")], # 45,222 sparse rows of 105 columns
  dense = sim_logistic(30000, 50, seed = 1)[c("x", "y")]
)

# A repetition's records: four fifths are for training, dealt out evenly to the holders.
split_of <- function(setting) {
  set.seed(setting$repetition)
  all <- record_sets[[setting$data]]
  rows <- sample(length(all$y))
  used <- 20 * (length(all$y) %/% 25)
  list(
    x = all$x[rows[1:used], ], y = all$y[rows[1:used]],
    x_test = all$x[rows[-(1:used)], ], y_test = all$y[rows[-(1:used)]],
    holder = rep_len(seq_len(setting$holders), used)
  )
}

## ---- ours ----
our_methods <- list(
  "ADMM (DVP)" = admm(), "M-ADMM" = m_admm(), "R-ADMM" = r_admm(), "MR-ADMM" = mr_admm(),
  "PP-ADMM" = pp_admm(), "IPP-ADMM" = ipp_admm(),
  "fp_admm, own noise" = fp_admm(noise = "block"), "fp_admm, trusted server" = fp_admm(),
  "grad_admm" = grad_admm(), "acc_admm" = acc_admm(), "dp_sgd" = dp_sgd(), "dp_cd" = dp_cd(),
  "acc_admm, secure sums" = acc_admm()
)

# Package defaults, whatever the data.
fit_ours <- function(setting, records, seed) {
  if (setting$method == "no privacy") {
    fit <- dpadmm_fit(records$x, records$y, nodes = records$holder, epsilon = Inf)
  } else {
    fit <- dpadmm_fit(records$x, records$y,
      nodes = records$holder, method = our_methods[[setting$method]],
      epsilon = 1, delta = 1e-5, seed = seed,
      aggregation = if (grepl("secure", setting$method)) "secure" else "plain"
    )
  }
  measured <- evaluate(fit, records$x_test, records$y_test)
  sent <- if (setting$method == "no privacy") NA_real_ else max(summary(fit$plan)$traffic$bytes)
  list(error = measured$error, loss = measured$loss, bytes = sent)
}

## ---- instead ----
# Gradient descent with Nesterov's momentum, of one holder or several: each adds noise to the sum
# of its records' gradients. A record's gradient has norm 1 at most (rows have), so that replacing
# one moves all sums together by 2 sqrt(steps) at most.
descend <- function(parts, steps) {
  sigma <- gaussian_sigma(1, 1e-5, sensitivity = 2 * sqrt(steps))
  n <- sum(lengths(lapply(parts, `[[`, "y")))
  d <- ncol(parts[[1]]$x)
  model <- before <- numeric(d)
  for (k in seq_len(steps)) {
    ahead <- model + (k - 1) / (k + 2) * (model - before)
    noisy <- lapply(parts, function(part) {
      slope <- -part$y * plogis(-part$y * as.vector(part$x %*% ahead))
      as.vector(Matrix::crossprod(part$x, slope)) + rnorm(d, sd = sigma)
    })
    before <- model
    model <- ahead - 4 * Reduce(`+`, noisy) / n # 4: one over the largest curvature
  }
  model
}

# The minimiser of the mean loss and lambda/2 times the squared norm, by Newton's method, with
# noise: replacing a record moves it by 2 / (n lambda) at most.
perturbed <- function(part, lambda) {
  n <- length(part$y)
  model <- numeric(ncol(part$x))
  for (k in 1:30) {
    chance <- plogis(-part$y * as.vector(part$x %*% model))
    gradient <- as.vector(Matrix::crossprod(part$x, -part$y * chance)) / n + lambda * model
    if (sqrt(sum(gradient^2)) < 1e-10) break
    curvature <- Matrix::crossprod(part$x, part$x * (chance * (1 - chance))) / n
    model <- model - as.vector(solve(as.matrix(curvature) + diag(lambda, length(model)), gradient))
  }
  model + rnorm(length(model), sd = gaussian_sigma(1, 1e-5, sensitivity = 2 / (n * lambda)))
}

fit_instead <- function(setting, records) {
  with_constant <- function(x) cbind(1, x) / sqrt(2) # as the package does: norm 1 at most
  records$x <- with_constant(records$x)
  parts <- lapply(split(seq_along(records$y), records$holder), function(own) {
    list(x = records$x[own, ], y = records$y[own])
  })
  how <- setting$tuned
  models <- switch(setting$method,
    "each holder alone" = lapply(parts, function(part) descend(list(part), how)),
    "one-shot average" = list(Reduce(`+`, lapply(parts, perturbed, how)) / length(parts)),
    "federated descent" = list(descend(parts, how)),
    "trusted curator" = list(descend(list(records[c("x", "y")]), how))
  )
  margins <- lapply(models, function(model) {
    records$y_test * as.vector(with_constant(records$x_test) %*% model)
  })
  sent <- c(
    "each holder alone" = 0, "one-shot average" = 1, "federated descent" = how,
    "trusted curator" = NA # the records themselves
  )
  list(
    error = mean(vapply(margins, function(m) mean(m <= 0), 0)),
    loss = mean(vapply(margins, function(m) mean(log1p(exp(-abs(m))) + pmax(-m, 0)), 0)),
    bytes = 8 * ncol(records$x) * sent[[setting$method]]
  )
}

## ---- one-run ----
# Seconds are those of a processor, all holders together; bytes those that a holder sends.
one_run <- function(setting, seed) {
  records <- split_of(setting)
  instead <- !is.na(setting$tuned)
  set.seed(seed)
  seconds <- system.time(
    found <- if (instead) fit_instead(setting, records) else fit_ours(setting, records, seed)
  )
  data.frame(error = signif(found$error, 5), loss = signif(found$loss, 5), bytes = found$bytes,
    seconds = signif(sum(seconds[1:2]), 3))
}

## ---- settings ----
both_data <- c("adult", "dense")
row <- function(method, holders = c(5, 20), tuned = NA, data = both_data) {
  expand.grid(data = data, holders = holders, method = method, tuned = tuned,
    stringsAsFactors = FALSE)
}
all_ours <- row(c(names(our_methods), "no privacy"))
# What is tuned takes values around the best, which the figure of the page shows.
all_instead <- rbind(
  row("each holder alone", tuned = c(2, 5, 10, 20, 50, 100)),
  row("one-shot average", tuned = 10^seq(-4, -0.5, by = 0.5)),
  row("federated descent", tuned = c(2, 5, 10, 20, 50, 100, 200)),
  row("trusted curator", holders = 5, tuned = c(5, 10, 20, 50, 100, 200, 400))
)

## ---- stored ----
stored <- list(
  "ours" = list(settings = all_ours, run = one_run, repetitions = 10),
  "instead" = list(settings = all_instead, run = one_run, repetitions = 10)
)
