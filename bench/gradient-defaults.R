# How far acc_admm() and grad_admm() with their default settings are from the best of a grid of
# numbers and lengths of steps, and from the settings they had before (50 steps of length 1 / (L +
# 1), the last iterate): excess of the mean loss over that of the best model, on simulated records
# and a9a. The constants of R/plan-gradient-defaults.R were chosen on simulated records. Some
# minutes. Run: Rscript bench/gradient-defaults.R
library(dpadmm)
source("bench/helpers.R")

shorten <- function(x) x / pmax(1, sqrt(rowSums(x^2)))
# rows without a preferred direction; of falling variances; or of categories, collinear and rare
predictors <- list(
  alike = function(n, d) {
    x <- matrix(rnorm(n * d), n)
    x / sqrt(rowSums(x^2))
  },
  falling = function(n, d) {
    s <- 1 / seq_len(d)
    shorten(matrix(rnorm(n * d), n) * rep(s, each = n) / (1.2 * sqrt(sum(s^2))))
  },
  categories = function(n, d) {
    k <- max(1, d %/% 5)
    shown <- lapply(seq_len(k), function(j) outer(sample(5, n, TRUE, (1:5)^-1.5), 1:5, "==") + 0)
    cbind(1, do.call(cbind, shown)) / sqrt(k + 1)
  }
)
simulated <- function(kind, n, d, loss) {
  x <- predictors[[kind]](n, d)
  f <- rnorm(ncol(x))
  a <- as.vector(x %*% f)
  a <- (a - mean(a)) / sd(a)
  y <- if (loss == "logistic") {
    ifelse(runif(n) < plogis(2 * a - 0.5), 1, -1)
  } else {
    pmax(-1, pmin(1, 0.3 * a + 0.2 * rnorm(n)))
  }
  list(x = x, y = y)
}
census <- function(n) {
  a9a <- adult_matrix("a9a")
  rows <- sample(nrow(a9a$x), n)
  list(x = a9a$x[rows, ], y = a9a$y[rows])
}

settings <- rbind(
  data.frame(kind = "alike", n = 2000, d = 5, epsilon = c(0.25, 1, 8), N = c(1, 5, 1)),
  data.frame(kind = "alike", n = 10000, d = 30, epsilon = c(0.25, 1, 8), N = c(1, 50, 5)),
  data.frame(kind = "falling", n = 10000, d = c(5, 30), epsilon = c(8, 1), N = c(50, 5)),
  data.frame(kind = "falling", n = 2000, d = 100, epsilon = c(1, 8), N = 1),
  data.frame(kind = "categories", n = 10000, d = 30, epsilon = c(0.25, 1, 8), N = c(5, 1, 50)),
  data.frame(kind = "categories", n = 1e5, d = 5, epsilon = c(0.25, 8), N = c(50, 5)),
  data.frame(kind = "a9a", n = 20000, d = 123, epsilon = c(0.25, 1, 8), N = c(1, 5, 1))
)
settings$loss <- "logistic"
settings <- rbind(settings,
  data.frame(kind = c("alike", "falling", "categories"), n = c(2000, 10000, 10000),
    d = c(5, 30, 30), epsilon = c(1, 1, 8), N = c(1, 5, 1), loss = "huber"),
  data.frame(kind = c("falling", "categories"), n = 10000, d = 30, epsilon = 1, N = 1,
    loss = "squared")
)
grid <- expand.grid(steps = c(10, 30, 100, 300), share = c(0.1, 0.3, 1))

excess <- function(setting, repetitions = 2) {
  set.seed(1)
  data <- if (setting$kind == "a9a") census(setting$n) else {
    simulated(setting$kind, setting$n, setting$d, setting$loss)
  }
  clip <- if (setting$loss == "squared") 1
  nodes <- if (setting$N > 1) sample(setting$N, setting$n, TRUE, seq_len(setting$N))
  loss_of <- function(epsilon, iterations, method, ...) {
    fit <- suppressWarnings(dpadmm_fit(data$x, data$y,
      nodes = nodes, method = method(clip = if (is.finite(epsilon)) clip, ...),
      loss = setting$loss, epsilon = epsilon, delta = 1e-5, iterations = iterations,
      intercept = FALSE, rows = "shorten",
      control = dpadmm_control(progress = FALSE, keep_iterates = FALSE)
    ))
    evaluate(fit, data$x, data$y)$loss
  }
  best <- loss_of(Inf, NULL, grad_admm)
  over <- function(...) mean(replicate_of(repetitions, function() loss_of(...))) - best
  longest <- 1 / dpadmm_loss(setting$loss)$curvature
  tried <- mapply(function(steps, share) {
    # without a penalty rho does nothing but shorten steps
    over(setting$epsilon, steps, acc_admm, eta = share * longest, rho = 1e-6, average = "weighted")
  }, grid$steps, grid$share)
  nothing <- if (setting$loss == "logistic") log(2) else mean(data$y^2 / 2)
  data.frame(setting,
    acc = over(setting$epsilon, NULL, acc_admm), grad = over(setting$epsilon, NULL, grad_admm),
    grid = min(tried), steps = grid$steps[which.min(tried)], share = grid$share[which.min(tried)],
    before = over(setting$epsilon, 50, acc_admm, eta = longest, rho = 1, average = "last"),
    nothing = nothing - best
  )
}
replicate_of <- function(times, f) vapply(seq_len(times), function(k) f(), 0)

found <- NULL
for (k in seq_len(nrow(settings))) {
  found <- rbind(found, excess(settings[k, ]))
  print(format(found[k, ], digits = 3), row.names = FALSE)
}
cat(sprintf(
  "excess over the best of the grid's: median %.2f, largest %.2f; over the former default's %s\n",
  median(found$acc / found$grid), max(found$acc / found$grid), spread(found$acc / found$before)
))
keep_result("excess over the grid's best", median(found$acc / found$grid), 1.2)
