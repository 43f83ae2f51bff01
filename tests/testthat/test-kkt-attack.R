# The attack of m-admm's threat model: it recovers the record of a noiseless run, and knows no
# better than chance under every private method.

skip_on_cran()

adult_part <- local({
  adult <- adult_matrix("onehot")
  list(x = adult$x[1:1000, ], y = adult$y[1:1000])
})
holders <- rep(1:5, 200)

attacked <- function(method, missing, ..., loss = "logistic", data = adult_part, nodes = holders,
                     C = 100) {
  fit <- dpadmm_fit(data$x, data$y,
    nodes = nodes, network = network_ring(), method = method, loss = loss, iterations = 20, C = C,
    rho = 0.1,
    control = dpadmm_control(keep_iterates = TRUE), ...
  )
  own <- which(nodes == 3)
  known <- own[-missing]
  found <- kkt_attack(fit, data$x[known, ], data$y[known], node = 3)
  truth <- data$x[own[missing], ]
  list(
    error = sqrt(sum((found$x - truth)^2) / sum(truth^2)),
    right = found$y == data$y[own[missing]], found = found,
    fit = fit, known = known
  )
}

methods <- list(
  "ADMM" = admm(eta = 1), "M-ADMM" = m_admm(eta = 1, growth = 1.02),
  "R-ADMM" = r_admm(eta = 1, gamma = 0.5),
  "MR-ADMM" = mr_admm(eta = 1, growth = 1.02, gamma = 0.5)
)

test_that("a noiseless run gives its records away, features and label", {
  for (name in names(methods)) for (missing in c(3, 17, 60)) {
    result <- attacked(methods[[name]], missing, epsilon = Inf)
    expect_lt(result$error, 1e-6, label = paste(name, "record", missing, "error"))
    expect_true(result$right)
    expect_gt(result$found$parallel, 1 - 1e-9)
  }
  # inexact solutions are a blurred picture, sharper with a smaller beta
  expect_lt(attacked(pp_admm(eta = 1, beta = 1e-6), 3, epsilon = Inf)$error, 1e-3)
  expect_gt(attacked(pp_admm(eta = 1, beta = 1), 3, epsilon = Inf)$error, 0.01)
  # a dense matrix and the smoothed hinge
  dense <- list(x = as.matrix(adult_part$x), y = adult_part$y)
  expect_lt(attacked(admm(eta = 1), 3, epsilon = Inf, loss = "hinge", data = dense)$error, 1e-6)
})

test_that("a wrong guess of the penalties finds nothing", {
  result <- attacked(methods[["M-ADMM"]], 3, epsilon = Inf)
  fit <- result$fit
  guess <- kkt_attack(fit, adult_part$x[result$known, ], adult_part$y[result$known],
    node = 3, eta = fit$plan$eta * 1.1
  )
  truth <- adult_part$x[which(holders == 3)[3], ]
  expect_gt(sqrt(sum((guess$x - truth)^2) / sum(truth^2)), 0.1)
})

test_that("private penalties follow from the messages of a noiseless run", {
  fit <- attacked(methods[["M-ADMM"]], 3, epsilon = Inf)
  attack <- function(eta) {
    kkt_attack(fit$fit, adult_part$x[fit$known, ], adult_part$y[fit$known], node = 3, eta = eta)
  }
  eta <- fit$fit$plan$eta
  # gradients are a + eta b, all along the record: it lies in the plane of a and b, each time
  a <- attack(0 * eta)$gradients
  b <- attack(0 * eta + 1)$gradients - a
  planes <- lapply(seq_len(nrow(a)), function(t) tcrossprod(qr.Q(qr(cbind(a[t, ], b[t, ])))))
  line <- eigen(Reduce(`+`, planes), symmetric = TRUE)$vectors[, 1]
  across <- function(v) v - outer(as.vector(v %*% line), line)
  found <- eta
  found[3, ] <- -rowSums(across(a) * across(b)) / rowSums(across(b)^2)
  expect_equal(found[3, ], eta[3, ], tolerance = 1e-4)
  truth <- adult_part$x[which(holders == 3)[3], ]
  expect_lt(sqrt(sum((attack(found)$x - truth)^2) / sum(truth^2)), 1e-3)
})

# Small nodes, where a record weighs most: which of two records did node 3 hold?
small <- local({
  n <- 60
  x <- outer(seq_len(n), sqrt(c(2, 3, 5)), function(n, step) (n * step) %% 1)
  list(x = x / sqrt(max(rowSums(x^2))), y = rep(c(-1, 1, 1), n / 3))
})
small_holders <- rep(1:3, 20)
candidates <- rbind(c(0.9, 0.05, 0.05), c(0.05, 0.05, 0.9))

guessed_right <- function(method, seed, ...) {
  own <- which(small_holders == 3)
  held <- 1L + seed %% 2L
  data <- small
  data$x[own[1], ] <- candidates[held, ]
  data$y[own[1]] <- 1
  found <- tryCatch(
    attacked(method, 1, seed = seed, data = data, nodes = small_holders, C = 1, ...)$found,
    dpadmm_error_argument = function(e) { # a node that sent nothing: any guess will do
      expect_match(conditionMessage(e), "sent nothing")
      NULL
    }
  )
  if (is.null(found)) return(held == 1L)
  # the direction, in case of a wrong length
  closeness <- candidates %*% (found$x * found$y) / sqrt(rowSums(candidates^2))
  which.max(closeness) == held
}

test_that("success falls to chance under each private method", {
  trials <- 60
  guesses <- vapply(1:4, function(seed) guessed_right(admm(eta = 1), seed, epsilon = Inf), NA)
  expect_true(all(guesses))
  private <- c(methods, list(
    "ADMM-PVP" = admm(eta = 1, perturb = "primal"), "PP-ADMM" = pp_admm(eta = 1, split = 0.02),
    "IPP-ADMM" = ipp_admm(eta = 1, split = 0.02)
  ))
  for (name in names(private)) for (delta in c(0, 1e-4)) {
    # calibrated once: the noise does not depend on the records
    fit <- dpadmm_plan(3, rep(20, 3),
      network = network_ring(), method = private[[name]], iterations = 20, C = 1, rho = 0.1,
      epsilon = 0.5, delta = delta
    )
    expect_equal(privacy(fit)$epsilon, 0.5, tolerance = 1e-6)
    scale <- if (is.list(fit$noise)) fit$noise$objective else fit$noise
    noise <- if (delta > 0) gaussian_noise(scale) else gamma_noise(scale)
    right <- sum(vapply(seq_len(trials), function(seed) {
      guessed_right(private[[name]], seed, noise = noise, delta = delta)
    }, NA))
    expect_gt(stats::binom.test(right, trials)$p.value, 1e-3,
      label = sprintf("%s, delta = %g: p", name, delta)
    )
  }
})

test_that("what the attack cannot use is a classed error", {
  refuse <- function(code, class = "argument") {
    expect_error(code, class = paste0("dpadmm_error_", class))
  }
  result <- attacked(admm(eta = 1), 3, epsilon = Inf)
  fit <- result$fit
  x <- adult_part$x[result$known, ]
  y <- adult_part$y[result$known]
  refuse(kkt_attack(fit, x[-1, ], y[-1], node = 3), "shape")
  refuse(kkt_attack(fit, x, y[-1], node = 3), "shape")
  refuse(kkt_attack(fit, x, y, node = 6))
  refuse(kkt_attack(fit, x, y, node = "none"))
  refuse(kkt_attack(fit, x, y, node = 3, eta = 1), "shape")
  refuse(kkt_attack(fit, x, y, node = 3, network = network_ring(4)), "nodes")
  refuse(kkt_attack(list(), x, y, node = 3))
  fit$iterates <- NULL
  refuse(kkt_attack(fit, x, y, node = 3))
})
