# The experiments of Xu, Shang, Liu, Liu, Shen and Gong (2020), section V: the graph-guided
# fused lasso with logistic loss on a9a, a8a, ijcnn1 and bio_train.
# vignette("dp-admm-accadmm") shows these chunks; its results are stored beside this file, and
# rerun_experiment("dp-admm-accadmm", part) makes them again.

library(dpadmm)

## ---- fused-settings ----
# As in the paper: lambda = 1e-5, rho = 1, gamma = 1, delta = 1e-3, mu = 1/2. It leaves open
# the number of steps (300 in the figures; then tuned for each algorithm), eta (the largest for
# which gamma = 1 leaves the proximal weight G = gamma I - eta rho A'A positive semidefinite), the
# budget of figure 1 (0.1) and how the graph is chosen (graphical lasso at 0.3, from the training
# records, taken as public).
fused_lambda <- 1e-5
fused_delta <- 1e-3
fused_steps <- 300L
fused_budgets <- c(0.001, 0.01, 0.03, 0.06, 0.1)

## ---- fused-data ----
# Training and test records. a9a and a8a come with the package. ijcnn1 and bio_train may not be
# passed on: the folders that DPADMM_IJCNN1 and DPADMM_BIO_TRAIN name have your copies,
#   https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html (training and testing)
#   https://www.kdd.org/kdd-cup/view/kdd-cup-2004/Data
# under their own names, compressed or not. Where none is named, stand-ins are simulated.
fused_data <- function(name, seed = 1) {
  split <- function(x, y, train, synthetic = FALSE) {
    list(
      x = x[train, ], y = y[train], x_test = x[!train, ], y_test = y[!train],
      name = name, synthetic = synthetic
    )
  }
  if (name %in% c("a9a", "a8a")) {
    a9a <- adult_matrix("a9a")
    if (name == "a9a") return(split(a9a$x, a9a$y, a9a$train))
    rows <- which(a9a$train)
    return(split(a9a$x[rows, ], a9a$y[rows], some_of(length(rows), 22696, seed)))
  }
  folder <- Sys.getenv(if (name == "ijcnn1") "DPADMM_IJCNN1" else "DPADMM_BIO_TRAIN")
  if (name == "ijcnn1") {
    if (folder == "") {
      data <- sim_ijcnn1(49990 + 91701, seed = seed)
      return(split(data$x, data$y, seq_along(data$y) <= 49990, synthetic = TRUE))
    }
    train <- read_libsvm(your_copy(folder, "ijcnn1"), 22)
    test <- read_libsvm(your_copy(folder, "ijcnn1.t"), 22)
    return(list(
      x = train$x, y = train$y, x_test = test$x, y_test = test$y, name = name, synthetic = FALSE
    ))
  }
  data <- if (folder == "") {
    sim_bio_train(seed = seed)
  } else {
    read_bio_train(your_copy(folder, "bio_train"))
  }
  # unlike scales: each feature by its standard deviation, which reads the records (in a fit
  # of your own, state public bounds), and a constant
  x <- cbind(1, data$x / rep(apply(data$x, 2, sd), each = nrow(data$x)))
  split(x, data$y, some_of(nrow(x), 72876, seed), synthetic = folder == "")
}

# A set's file in a folder (or the file itself), under any of its usual names.
your_copy <- function(folder, name) {
  if (!dir.exists(folder) && file.exists(folder)) return(folder)
  names <- outer(paste0(name, c("", ".svm", ".libsvm", ".txt", ".dat")),
    c("", ".bz2", ".xz", ".gz"), paste0)
  found <- names[file.exists(file.path(folder, names))]
  if (length(found) == 0) {
    stop("In ", folder, " there is none of ", paste(names, collapse = ", "))
  }
  file.path(folder, found[1])
}

some_of <- function(n, size, seed) {
  set.seed(seed)
  seq_len(n) %in% sample(n, size)
}

## ---- fused-problem ----
# The problem: records, the graph's matrix A = [W; I], eta and the minimum. It takes seconds,
# so it is kept.
fused_problems <- new.env()
fused_problem <- function(name) {
  if (is.null(fused_problems[[name]])) assign(name, make_problem(name), envir = fused_problems)
  fused_problems[[name]]
}

make_problem <- function(name) {
  data <- fused_data(name)
  penalty <- graph_guided(feature_graph(data$x, lambda = 0.3, public = TRUE), fused_lambda)
  norm <- max(eigen(as.matrix(Matrix::crossprod(penalty$A)), symmetric = TRUE)$values)
  # rows longer than 1 are shortened in every fit, and so are they in the objective
  scaled <- data$x * pmin(1, 1 / sqrt(Matrix::rowSums(data$x^2)))
  problem <- c(data, list(penalty = penalty, eta = 1 / norm, scaled = scaled, least = 0))
  # the best of late iterates: they swing, by little when rho is large, and go far when small
  late <- do.call(rbind, lapply(c(0.01, 0.1), function(rho) {
    fit <- fused_fit(problem, "AccADMM", Inf, 4000, eta = 4, rho = rho, gamma = NULL)
    fit$iterates[seq(3000, 4000, by = 20), ]
  }))
  value <- fused_gap(problem, late)
  problem$least <- min(value)
  problem$best <- late[which.min(value), ]
  problem
}

fused_gap <- function(problem, models) {
  value <- apply(rbind(models), 1, function(model) {
    margin <- problem$y * as.vector(problem$scaled %*% model)
    mean(pmax(-margin, 0) + log1p(exp(-abs(margin)))) +
      fused_lambda * sum(abs(as.vector(problem$penalty$A %*% model)))
  })
  unname(value) - problem$least
}

fused_accuracy <- function(problem, model) {
  mean(ifelse(as.vector(problem$x_test %*% as.vector(model)) > 0, 1, -1) == problem$y_test)
}

## ---- fused-fit ----
# A fit by "ADMM" or "AccADMM"; epsilon = Inf: without noise.
fused_fit <- function(problem, algorithm, epsilon, steps = fused_steps, accountant = "sound",
                      seed = NULL, eta = problem$eta, rho = 1, gamma = 1, average = "last", ...) {
  method <- switch(algorithm, ADMM = grad_admm, AccADMM = acc_admm)
  suppressWarnings(
    dpadmm_fit(problem$x, problem$y,
      method = method(eta = eta, rho = rho, gamma = gamma, average = average, ...),
      penalty = problem$penalty,
      iterations = steps, epsilon = epsilon, delta = fused_delta, seed = seed,
      intercept = FALSE, rows = "shorten",
      control = dpadmm_control(accountant = accountant, progress = FALSE)
    ),
    classes = "dpadmm_warning_theorem" # gamma = 1 is below the theorem's bound, as in the paper
  )
}

## ---- fused-runs ----
run_facts <- function(setting, seed) {
  problem <- fused_problem(setting$data)
  counts <- mean(problem$y_test > 0)
  data.frame(
    synthetic = problem$synthetic, training = nrow(problem$x), test = nrow(problem$x_test),
    features = ncol(problem$x), edges = nrow(problem$penalty$edges), eta = problem$eta,
    least = problem$least, distance = sqrt(sum(problem$best^2)),
    accuracy = fused_accuracy(problem, problem$best), majority = max(counts, 1 - counts)
  )
}

# Figure 1: gaps over iterations and time. The time of k steps is the processor's for a fit of k
# steps, one fit for each k.
run_path <- function(setting, seed) {
  problem <- fused_problem(setting$data)
  fit_of <- function(steps) {
    fused_fit(problem, setting$algorithm, setting$epsilon, steps, seed = seed)
  }
  fit <- fit_of(fused_steps)
  at <- c(1, 3, 10, 30, 100, 300)
  data.frame(
    iteration = at, gap = fused_gap(problem, fit$iterates[at, ]),
    accuracy = apply(fit$iterates[at, ], 1, function(model) fused_accuracy(problem, model)),
    seconds = vapply(at, function(steps) sum(system.time(fit_of(steps))[1:2]), 0)
  )
}

# Figure 2: what a budget buys.
run_budget <- function(setting, seed) {
  problem <- fused_problem(setting$data)
  fit <- fused_fit(problem, setting$algorithm, setting$epsilon,
    accountant = setting$accountant, seed = seed
  )
  data.frame(
    gap = fused_gap(problem, coef(fit)), accuracy = fused_accuracy(problem, coef(fit)),
    sigma = fit$noise[1], sound = privacy(fit)$epsilon
  )
}

# The same with a number of steps of its own.
run_tuned <- function(setting, seed) {
  problem <- fused_problem(setting$data)
  fit <- fused_fit(problem, setting$algorithm, setting$epsilon, setting$steps, seed = seed)
  data.frame(gap = fused_gap(problem, coef(fit)), accuracy = fused_accuracy(problem, coef(fit)))
}

# Theorem 2: the number of steps, with the mean iterate and gamma at its bound; `advised` is the
# number that minimises its bound, from public numbers and the true distance to the solution.
run_steps <- function(setting, seed) {
  problem <- fused_problem(setting$data)
  fit <- fused_fit(problem, "ADMM", setting$epsilon, setting$steps,
    seed = seed, eta = 4, gamma = NULL, average = "mean"
  )
  advice <- optimal_iterations(grad_admm(eta = 4, rho = 1, penalty = problem$penalty),
    nrow(problem$x), ncol(problem$x), setting$epsilon, fused_delta,
    distance = sqrt(sum(problem$best^2))
  )
  data.frame(
    gap = fused_gap(problem, coef(fit)), advised = advice$iterations, bound = advice$bound
  )
}

## ---- stored ----
# What is stored: arguments of experiment() by the name of the file's last part.
fused_settings <- function(...) {
  expand.grid(
    algorithm = c("ADMM", "AccADMM"), ...,
    data = c("a9a", "a8a", "ijcnn1", "bio_train"), stringsAsFactors = FALSE
  )
}
# Numbers of steps that are tried, more where the budget is larger. 300 and 1000 are there for
# both algorithms.
tuned_settings <- function(data, epsilon, plain, fast = c(20, 50, 80, 110, 150, 220, 300, 1000)) {
  rbind(
    expand.grid(steps = plain, algorithm = "ADMM", epsilon = epsilon, data = data,
      stringsAsFactors = FALSE),
    expand.grid(steps = fast, algorithm = "AccADMM", epsilon = epsilon, data = data,
      stringsAsFactors = FALSE)
  )
}
stored <- list(
  facts = list(
    settings = data.frame(data = unique(fused_settings()$data)), run = run_facts, repetitions = 1
  ),
  "noise-free" = list(settings = fused_settings(epsilon = Inf), run = run_path, repetitions = 1),
  paths = list(settings = fused_settings(epsilon = 0.1), run = run_path, repetitions = 3),
  budgets = list(
    settings = fused_settings(accountant = c("sound", "paper"), epsilon = fused_budgets),
    run = run_budget, repetitions = 3
  ),
  tuned = list(
    settings = rbind(
      tuned_settings("a9a", 0.01, c(300, 500, 1000, 2000, 4000)),
      tuned_settings("a9a", 0.03, c(300, 1000, 2000, 4000, 8000)),
      tuned_settings("a9a", 0.1, c(300, 1000, 4000, 8000, 16000)),
      tuned_settings("ijcnn1", 0.1, c(300, 1000, 4000, 8000, 16000, 32000))
    ),
    run = run_tuned, repetitions = 5
  ),
  steps = list(
    settings = merge(data.frame(
      steps = c(10, 30, 100, 300, 1000, 3000, 10, 100, 1000, 3000, 10000, 20000),
      epsilon = rep(c(0.001, 0.01), each = 6)
    ), data.frame(data = c("a9a", "a8a", "ijcnn1")), by = NULL),
    run = run_steps, repetitions = 3
  )
)
