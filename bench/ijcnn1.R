# The experiment of Xu et al. (2020), Differentially private ADMM algorithms for machine
# learning, Figures 1 and 2, on the real ijcnn1: objective gaps over iterations, objective
# and test accuracy against epsilon, the epsilon at which acceleration overtakes, and sigma
# as printed against sigma as needed.
#
#   DPADMM_SHARED_DATA=<folder of ijcnn1.svm.xz and ijcnn1.t.svm.xz> Rscript bench/ijcnn1.R
#
# The optional arguments are the number of runs of each setting (10) and the folder for the
# figure (none). Losses and accuracies are computed from the records: they are not private.
library(dpadmm)
arguments <- commandArgs(TRUE)
runs <- if (length(arguments) >= 1L) as.integer(arguments[1]) else 10L
folder <- if (length(arguments) >= 2L) arguments[2]
shared <- Sys.getenv("DPADMM_SHARED_DATA")
if (shared == "") stop("Set DPADMM_SHARED_DATA to the folder that holds ijcnn1.svm.xz.")

train <- read_libsvm(file.path(shared, "ijcnn1.svm.xz"))
test <- read_libsvm(file.path(shared, "ijcnn1.t.svm.xz"))
cat(sprintf("ijcnn1: %d + %d records, %d features\n", nrow(train$x), nrow(test$x), ncol(train$x)))

# ---- the problem: lambda = 1e-5, rho = 1, gamma = 1, delta = 1e-3, mu = 0.5 ------------
lambda <- 1e-5
delta <- 1e-3
T <- 300L
graph <- feature_graph(train$x, lambda = 0.1, public = TRUE)
penalty <- graph_guided(graph, lambda)
A <- penalty$A
norm <- max(eigen(as.matrix(Matrix::crossprod(A)), symmetric = TRUE)$values)
eta <- 1 / norm # the largest for which gamma = 1 leaves G = I - eta A'A semidefinite
cat(sprintf("graph of %d edges, ||A'A|| = %.3g, eta = %.3g\n", nrow(penalty$edges), norm, eta))

methods <- list(
  ADMM = grad_admm(eta = eta, rho = 1, gamma = 1), AccADMM = acc_admm(eta = eta, rho = 1, gamma = 1)
)
shorten <- function(x) x * pmin(1, 1 / sqrt(Matrix::rowSums(x^2)))
scaled <- shorten(train$x)
objective <- function(f) {
  margin <- train$y * as.vector(scaled %*% f)
  mean(pmax(-margin, 0) + log1p(exp(-abs(margin)))) + lambda * sum(abs(as.vector(A %*% f)))
}
accuracy <- function(fit) mean(predict(fit, test$x) == test$y)
fit <- function(method, iterations = T, ..., accountant = "sound", threads = 1) {
  suppressWarnings(dpadmm_fit(train$x, train$y,
    method = method, penalty = penalty, iterations = iterations, delta = delta, ...,
    control = dpadmm_control(accountant = accountant, threads = threads, progress = FALSE)
  ), classes = "dpadmm_warning_theorem")
}

best <- fit(acc_admm(eta = 4, rho = 0.01, restart = TRUE), 4000L, epsilon = Inf)
least <- objective(coef(best))
cat(sprintf("minimum %.6f, test accuracy there %.4f (largest class %.4f)\n\n", least, accuracy(best), max(mean(test$y > 0), mean(test$y < 0))))

# ---- Figure 1: gaps over iterations ----------------------------------------------------
at <- c(1L, 3L, 10L, 30L, 100L, 300L)
gaps <- function(fit) apply(fit$iterates[at, , drop = FALSE], 1L, objective) - least
show <- function(name, rows) {
  cat(sprintf("  %-26s", name), sprintf("%10.3g", rows), "\n")
}
cat("Objective gap at iteration, mean of", runs, "runs where private (epsilon = 0.1, T = 300)\n")
cat(sprintf("  %-26s", ""), sprintf("%10d", at), "\n")
figure <- list()
for (name in names(methods)) {
  figure[[name]] <- gaps(fit(methods[[name]], epsilon = Inf))
  show(name, figure[[name]])
  for (accountant in c("sound", "paper")) {
    all <- vapply(seq_len(runs), function(k) {
      gaps(fit(methods[[name]], epsilon = 0.1, accountant = accountant, seed = k))
    }, double(length(at)))
    label <- sprintf("DP-%s, %s sigma", name, accountant)
    figure[[label]] <- rowMeans(all)
    show(label, figure[[label]])
  }
}

# ---- Figure 2: objective and accuracy against epsilon ------------------------------------
# The paper's range, 0.01 to 0.1, and below it, where acceleration stops paying.
budgets <- c(0.001, 0.002, 0.005, 0.01, 0.03, 0.1)
one <- function(name, epsilon, iterations) {
  vapply(seq_len(runs), function(k) {
    model <- fit(methods[[name]], iterations, epsilon = epsilon, seed = 100 + k)
    c(objective(coef(model)) - least, accuracy(model))
  }, double(2))
}
for (steps in c(100L, 300L)) {
  cat(sprintf("\nEpsilon against gap and test accuracy, sound sigma, T = %d: mean [range] of %d runs\n", steps, runs))
  cat("  epsilon  DP-ADMM gap                   DP-AccADMM gap                accuracy ADMM AccADMM\n")
  ahead <- logical()
  for (epsilon in budgets) {
    plain <- one("ADMM", epsilon, steps)
    fast <- one("AccADMM", epsilon, steps)
    word <- function(r) sprintf("%8.4f [%8.4f, %8.4f]", mean(r), min(r), max(r))
    cat(sprintf("  %7.3f  %s %s  %12.4f %.4f\n", epsilon, word(plain[1, ]), word(fast[1, ]), mean(plain[2, ]), mean(fast[2, ])))
    ahead <- c(ahead, mean(fast[1, ]) < mean(plain[1, ]))
  }
  from <- which(rev(cumprod(rev(ahead))) == 1)
  cat(if (length(from)) {
    sprintf("  acceleration is ahead from epsilon = %g on\n", budgets[from[1]])
  } else {
    "  acceleration is not ahead at any of these budgets\n"
  })
}

# ---- sigma as printed and as needed ----------------------------------------------------
cat("\nsigma on each gradient at T = 100 and the sound epsilon of the printed one\n")
cat("  epsilon     printed      needed   ratio   sound epsilon of the printed\n")
for (epsilon in budgets) {
  printed <- fit(methods$ADMM, 100L, epsilon = epsilon, accountant = "paper", seed = 1)
  needed <- fit(methods$ADMM, 100L, epsilon = epsilon, seed = 1)
  cat(sprintf(
    "  %7.3f  %10.5f  %10.5f  %6.3f   %.4f\n", epsilon, printed$noise[1], needed$noise[1],
    printed$noise[1] / needed$noise[1], privacy(printed)$epsilon
  ))
}
steps <- vapply(budgets, function(epsilon) {
  optimal_iterations(grad_admm(eta = eta, rho = 1), nrow(train$x), ncol(train$x), epsilon, delta,
    distance = 5, penalty = penalty
  )$iterations
}, 0)
cat("\nTheorem 2's best number of steps for a distance of 5:", paste(sprintf("%g at %g", steps, budgets), collapse = ", "), "\n")

if (!is.null(folder)) {
  grDevices::png(file.path(folder, "ijcnn1.png"), 800, 500)
  graphics::plot(range(at), pmax(range(unlist(figure)), 1e-6),
    type = "n", log = "xy", xlab = "iteration", ylab = "objective gap", main = "ijcnn1, epsilon = 0.1"
  )
  for (k in seq_along(figure)) graphics::lines(at, pmax(figure[[k]], 1e-6), lty = k, col = k)
  graphics::legend("bottomleft", names(figure), lty = seq_along(figure), col = seq_along(figure), bty = "n")
  invisible(grDevices::dev.off())
}
