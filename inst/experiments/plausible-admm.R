# The experiments of vignette("plausible-admm"), a chunk each; results are stored beside this
# file, and rerun_experiment("plausible-admm", part) runs them again.

## ---- data ----
library(dpadmm)
synthetic <- function(country) { # of the shape of the paper's extracts, mostly indicators
  made <- sim_census(country, seed = 1)
  list(x = Matrix::Matrix(made$x, sparse = TRUE), y = made$y)
}
census <- list(
  adult = adult_matrix("onehot"), # 45,222 complete records, 105 columns
  us = synthetic("us"), brazil = synthetic("brazil")
)

## ---- one-method ----
# NA in a setting: what the method does by default.
default <- function(value) if (is.na(value)) NULL else value
plausible_method <- function(setting) {
  split <- default(setting$split)
  beta <- default(setting$beta)
  switch(setting$method,
    "IPP-ADMM" = ipp_admm(
      eta = 0.5, beta = beta, split = split, max_sends = 15,
      loss_clip = setting$C_loss, threshold = setting$alpha
    ),
    "PP-ADMM" = pp_admm(eta = 0.5, beta = beta, split = split),
    "DVP" = , "non-private" = admm(eta = 0.5),
    "M-ADMM" = m_admm(eta = 0.5, growth = 1.01, theta = 0.5),
    "R-ADMM" = r_admm(eta = 0.5, gamma = 0.5)
  )
}

## ---- one-fit ----
# PP- and IPP-ADMM have Gaussian noise, the others Gamma-norm noise. A budget that no noise can
# meet gives NULL.
plausible_fit <- function(setting, seed, x, y, keep = FALSE) {
  free <- setting$method == "non-private"
  tryCatch(dpadmm_fit(x, y,
    nodes = 5, network = network_random(5, 0.5), method = plausible_method(setting),
    C = setting$C, rho = 0.01, iterations = 30,
    epsilon = if (free) Inf else setting$epsilon, delta = if (free) 0 else 1e-4,
    noise = if (setting$method %in% c("DVP", "M-ADMM", "R-ADMM")) "gamma", seed = seed,
    intercept = FALSE,
    control = dpadmm_control(
      keep_iterates = keep, accountant = setting$accountant, progress = FALSE
    )
  ), dpadmm_error_budget = function(e) NULL)
}

## ---- one-run ----
# One run: 35,000 fresh records for training and a fresh random network of 5 nodes, the same
# in all settings of a repetition.
plausible_run <- function(setting, seed) {
  set.seed(setting$repetition)
  records <- census[[setting$data]]
  train <- sample(nrow(records$x), 35000)
  fit <- plausible_fit(setting, seed, records$x[train, ], records$y[train])
  result <- function(error, loss, sound, saved) {
    data.frame(
      error = signif(error, 5), loss = signif(loss, 5), sound = signif(sound, 5),
      saved = signif(saved, 3)
    )
  }
  if (is.null(fit)) return(result(NA_real_, NA_real_, NA_real_, NA_real_))
  proved <- tryCatch(privacy(fit)$epsilon, dpadmm_error_accountant = function(e) NA_real_)
  result(
    evaluate(fit, records$x[-train, ], records$y[-train])$error,
    evaluate(fit, records$x[train, ], records$y[train], node = "average")$loss, proved,
    if (is.null(fit$messages)) 0 else fit$messages[["saved"]] / sum(fit$messages)
  )
}

# The mean training loss of the nodes over iterations (Figure 6).
plausible_path <- function(setting, seed) {
  set.seed(setting$repetition)
  records <- census[[setting$data]]
  train <- sample(nrow(records$x), 35000)
  fit <- plausible_fit(setting, seed, records$x[train, ], records$y[train], keep = TRUE)
  at <- c(1:5, 7L, 10L, 15L, 20L, 25L, 30L)
  if (is.null(fit)) return(data.frame(iteration = at, loss = NA_real_))
  path <- loss_trace(fit, records$x[train, ], records$y[train], node = "average")
  data.frame(iteration = at, loss = signif(path$loss[at], 5))
}

## ---- settings ----
row <- function(method, accountant = "sound", epsilon = 1, C = 300, data = "adult", split = NA,
                beta = NA, C_loss = 2, alpha = 1e-3) {
  data.frame(method, accountant, epsilon, C, data, split, beta, C_loss, alpha)
}
both <- function(...) rbind(row(..., accountant = "sound"), row(..., accountant = "paper"))
over <- function(f, epsilon) do.call(rbind, lapply(epsilon, f)) # one table for each budget
private <- c("IPP-ADMM", "PP-ADMM", "DVP", "M-ADMM", "R-ADMM")
budgets <- c(0.5, 1, 1.5, 2, 10)
quick <- setdiff(private, "M-ADMM") # whose thirty different penalties take long to calibrate

splits <- c(0.001, 0.01, 0.1, 0.5, 0.9)
figure_1 <- over(function(e) both("PP-ADMM", epsilon = e, split = splits, beta = 1e-6), c(1, 10))
betas <- 10^-c(6, 5, 4, 3.5, 3, 2, 1)
figure_2 <- over(function(e) both("PP-ADMM", epsilon = e, beta = betas), c(1, 10))
clips <- c(0.25, 0.5, 1, 2, 4, 8)
figure_3 <- over(function(e) both("IPP-ADMM", epsilon = e, C_loss = clips), c(1, 10))
figure_4 <- over(function(e) both("IPP-ADMM", epsilon = e, alpha = 10^(-3:1)), c(1, 10))
free <- function(...) row("non-private", epsilon = Inf, ...)
figure_5 <- rbind(
  over(function(e) both(private, epsilon = e), budgets), free(),
  over(function(e) row(quick, epsilon = e, C = 1), budgets), free(C = 1)
)
figure_6 <- rbind(over(function(e) both(quick, epsilon = e), c(1, 2, 10)), free())
of_country <- function(data) {
  rbind(over(function(e) row(quick, epsilon = e, data = data), budgets), free(data = data))
}
figure_7 <- rbind(of_country("us"), of_country("brazil"))

## ---- stored ----
several <- function(settings, run = plausible_run) {
  list(settings = settings, run = run, repetitions = 10)
}
stored <- list(
  "figure-1" = several(figure_1), "figure-2" = several(figure_2), "figure-3" = several(figure_3),
  "figure-4" = several(figure_4), "figure-5" = several(figure_5),
  "figure-6" = several(figure_6, plausible_path), "figure-7" = several(figure_7)
)
