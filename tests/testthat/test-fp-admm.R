# Private ADMM for consensus against a plain implementation of its algorithms, which
# solves every proximal step by brute force.

quiet <- dpadmm_control(progress = FALSE)

losses <- list(
  logistic = function(m, y) -y / (1 + exp(y * m)),
  squared = function(m, y) m - y,
  huber = function(m, y) pmin(pmax(m - y, -1), 1),
  hinge = function(m, y) -y * pmin(pmax((1.5 - y * m) / 1, 0), 1)
)
penalties <- list(
  none = list(penalty_none(), function(v, g) v),
  l2 = list(penalty_l2(0.3), function(v, g) v / (1 + 0.3 * g)),
  l1 = list(penalty_l1(0.02), function(v, g) sign(v) * pmax(abs(v) - 0.02 * g, 0)),
  enet = list(penalty_elastic_net(0.02, 0.3), function(v, g) sign(v) * pmax(abs(v) - 0.02 * g,
    0) / (1 + 0.3 * g)),
  box = list(penalty_box(-0.05, 0.05), function(v, g) pmin(pmax(v, -0.05), 0.05))
)

#' The margin at the proximal point, by bisection with uniroot.
prox_slope <- function(slope, target, weight, y) {
  f <- function(m) m + weight * slope(m, y) - target
  reach <- 1 + abs(target) + weight * (10 + abs(y))
  m <- uniroot(f, c(target - reach, target + reach), tol = 1e-15, extendInt = "upX")$root
  slope(m, y)
}

#' z before and after each round; `turn(k)` names the users of a round.
plain_admm <- function(x, y, slope, prox, gamma, lambda, rounds, turn, clip = Inf,
  step_clip = Inf) {
  u <- matrix(0, nrow(x), ncol(x))
  z <- prox(colMeans(u), gamma)
  path <- rbind(z)
  for (k in seq_len(rounds)) {
    for (i in turn(k)) {
      a <- x[i, ]
      v <- 2 * z - u[i, ]
      g <- prox_slope(slope, sum(a * v), gamma * sum(a^2), y[i]) * a
      g <- g * min(1, clip / sqrt(sum(g^2)))
      move <- v - gamma * g - z
      move <- move * min(1, step_clip / sqrt(sum(move^2)))
      u[i, ] <- u[i, ] + 2 * lambda * move
    }
    z <- prox(colMeans(u), gamma)
    path <- rbind(path, z)
  }
  unname(path)
}

labels_for <- function(data, loss) if (loss %in% c("squared", "huber")) 2 * data$y else data$sign

test_that("every loss and penalty follows the plain algorithm", {
  data <- unequal_records()
  for (loss in names(losses)) {
    for (penalty in names(penalties)) {
      y <- labels_for(data, loss)
      expected <- plain_admm(data$x, y, losses[[loss]], penalties[[penalty]][[2]], 3, 0.4, 7,
        function(k) 1:12)
      fit <- dpadmm_fit(data$x, y,
        method = fp_admm(lambda = 0.4, gamma = 3), loss = loss, penalty = penalties[[penalty]][[1]],
        iterations = 8, epsilon = Inf, control = quiet
      )
      expect_identical(fit$states, "shared")
      expect_lt(max(abs(unname(fit$iterates) - expected)), 1e-10)
      # one node a record: states of their own and the general solver
      nodes <- dpadmm_fit(data$x, y,
        nodes = 1:12, method = fp_admm(lambda = 0.4, gamma = 3), loss = loss,
        penalty = penalties[[penalty]][[1]], iterations = 8, epsilon = Inf, control = quiet
      )
      expect_identical(nodes$states, "dense")
      expect_lt(max(abs(unname(nodes$iterates) - expected)), 1e-8)
    }
  }
})

test_that("federated rounds, walks and their representations follow the plain algorithm", {
  data <- unequal_records(d = 90, n = 15)
  y <- data$sign
  key <- noise_key(7)
  round_of <- function(k) .Call(ffi_sample, key, k, 15, 4, FALSE)
  walk <- .Call(ffi_walk, key, 15, 40) + 1L
  for (lambda in c(0.5, 0.45, 0.3, 0.7)) {
    for (penalty in c("none", "l1")) {
      prox <- penalties[[penalty]][[2]]
      fit <- function(...) {
        dpadmm_fit(data$x, y,
          method = fp_admm(lambda = lambda, gamma = 2, ...), penalty = penalties[[penalty]][[1]],
          iterations = 40, epsilon = Inf, seed = 7, control = quiet
        )
      }
      expected <- plain_admm(data$x, y, losses$logistic, prox, 2, lambda, 40, round_of)[-1, ]
      traced <- fit(setting = "federated", sample = 4)
      expect_identical(traced$states, "traced")
      expect_lt(max(abs(unname(traced$iterates) - expected)), 1e-10)
      dense <- fit(setting = "federated", sample = 4, clip = 1e6, clip_on = "step")
      expect_identical(dense$states, "dense")
      expect_lt(max(abs(unname(dense$iterates) - expected)), 1e-10)
      expected <- plain_admm(data$x, y, losses$logistic, prox, 2, lambda, 40,
        function(k) walk[k])[-1, ]
      expect_lt(max(abs(unname(fit(setting = "decentralized")$iterates) - expected)), 1e-10)
    }
  }
})

test_that("few remembered rounds are too many for few features", {
  data <- unequal_records()
  fit <- dpadmm_fit(data$x, data$sign,
    method = fp_admm(lambda = 0.05, setting = "federated", sample = 4), iterations = 60,
    epsilon = Inf, seed = 1, control = quiet
  )
  expect_identical(fit$states, "dense")
})

test_that("sparse and dense records agree", {
  data <- unequal_records(n = 30, d = 12)
  data$x[abs(data$x) < 0.2] <- 0
  fit <- function(x, ...) {
    dpadmm_fit(x, data$sign, method = fp_admm(gamma = 2, ...), iterations = 15, epsilon = Inf,
      seed = 1, control = quiet)
  }
  sparse <- Matrix::Matrix(data$x, sparse = TRUE)
  expect_equal(fit(sparse)$iterates, fit(data$x)$iterates, tolerance = 1e-12)
  expect_equal(fit(sparse, setting = "federated", sample = 5)$iterates,
    fit(data$x, setting = "federated", sample = 5)$iterates, tolerance = 1e-12)
})

test_that("rounds of many users follow the plain algorithm, whatever the number of threads", {
  data <- unequal_records(n = 3000, d = 3)
  data$x[abs(data$x) < 0.1] <- 0
  fit <- function(x, threads) {
    unname(dpadmm_fit(x, data$sign,
      method = fp_admm(lambda = 0.3, gamma = 2), iterations = 4, epsilon = Inf,
      control = dpadmm_control(progress = FALSE, threads = threads)
    )$iterates)
  }
  expected <- plain_admm(data$x, data$sign, losses$logistic, penalties$none[[2]], 2, 0.3, 3,
    function(k) 1:3000)
  for (x in list(data$x, Matrix::Matrix(data$x, sparse = TRUE))) {
    one <- fit(x, 1)
    expect_lt(max(abs(one - expected)), 1e-10)
    expect_identical(fit(x, 2), one)
    expect_identical(fit(x, 7), one)
  }
})

test_that("the limit minimises the mean loss plus the penalty", {
  data <- unequal_records(n = 60, d = 4)
  fit <- dpadmm_fit(data$x, data$y,
    method = fp_admm(gamma = 5), loss = "squared", penalty = penalty_l1(0.01), iterations = 3000,
    epsilon = Inf, control = quiet
  )
  z <- coef(fit)
  slack <- as.vector(crossprod(data$x, data$x %*% z - data$y)) / 60
  expect_lt(max(abs(slack[z != 0] + 0.01 * sign(z[z != 0]))), 1e-8)
  expect_lt(max(abs(slack[z == 0])), 0.01 + 1e-8)
})

test_that("users with several records take the proximal step of their mean loss", {
  data <- unequal_records(n = 20, d = 3)
  users <- rep(c("a", "b", "c"), c(3, 7, 10))
  gamma <- 2
  # the mean over users, or over their records
  for (unit in c("holder", "record")) {
    u <- matrix(0, 3, 3)
    path <- NULL
    for (k in 1:6) {
      z <- colMeans(u)
      path <- rbind(path, z)
      for (i in 1:3) {
        mine <- users == c("a", "b", "c")[i]
        share <- if (unit == "holder") 1 / sum(mine) else 3 / 20
        xm <- data$x[mine, ]
        v <- 2 * z - u[i, ]
        x <- solve(share * crossprod(xm) + diag(3) / gamma,
          share * crossprod(xm, data$y[mine]) + v / gamma)
        u[i, ] <- u[i, ] + 2 * 0.5 * (x - z)
      }
    }
    fit <- dpadmm_fit(data$x, data$y,
      nodes = users, method = fp_admm(gamma = gamma, unit = unit), loss = "squared",
        iterations = 6, epsilon = Inf, control = quiet
    )
    expect_lt(max(abs(unname(fit$iterates) - unname(path))), 1e-8)
  }
})

test_that("clipping the implicit gradient of squared loss is Huber's proximal step", {
  data <- unequal_records(n = 25, d = 4)
  data$x <- data$x / sqrt(rowSums(data$x^2)) # norm 1: one width for all
  fit <- function(loss, clip) {
    dpadmm_fit(data$x, 3 * data$y,
      method = fp_admm(gamma = 2, clip = clip), loss = loss, iterations = 12, epsilon = Inf,
        control = quiet
    )$iterates
  }
  expect_equal(fit("squared", 0.4), fit(dpadmm_loss("huber", 0.4), NULL), tolerance = 1e-10)
  expect_gt(max(abs(fit("squared", 0.4) - fit("squared", NULL))), 1e-3)
})

test_that("both clips follow the plain algorithm", {
  data <- unequal_records()
  y <- 3 * data$y
  prox <- penalties$l1[[2]]
  fit <- function(clip_on) {
    unname(dpadmm_fit(data$x, y,
      method = fp_admm(gamma = 3, clip = 0.2, clip_on = clip_on), loss = "squared",
        penalty = penalty_l1(0.02),
      iterations = 9, epsilon = Inf, control = quiet
    )$iterates)
  }
  all <- function(k) 1:12
  expect_lt(max(abs(fit("gradient") - plain_admm(data$x, y, losses$squared, prox, 3, 0.5, 8, all,
    clip = 0.2))), 1e-10)
  expect_lt(max(abs(fit("step") - plain_admm(data$x, y, losses$squared, prox, 3, 0.5, 8, all,
    step_clip = 0.2))), 1e-10)
})

test_that("rows longer than the bound are shortened, not trusted", {
  data <- unequal_records(n = 20)
  long <- data$x * 5
  short <- long / pmax(1, sqrt(rowSums(long^2)))
  fit <- function(x) dpadmm_fit(x, data$sign, method = fp_admm(), iterations = 6, epsilon = Inf,
    control = quiet)$iterates
  expect_equal(fit(long), fit(short), tolerance = 1e-12)
})

test_that("no record moves a user's noise-free state by more than the bound", {
  # linear regime of Huber with opposite labels, the worst case; z is the same by design
  data <- unequal_records(n = 6, d = 2)
  run <- function(y1) {
    y <- c(y1, rep(0, 5))
    dpadmm_fit(data$x, y,
      method = fp_admm(lambda = 0.3, gamma = 4), loss = "huber", iterations = 2, epsilon = Inf,
        control = quiet
    )$iterates
  }
  moved <- sqrt(sum((run(1e6) - run(-1e6))[2, ]^2))
  bound <- 2 * 4 * (1 - 0.4) / 6
  expect_lte(moved, bound)
  expect_gt(moved, bound * sqrt(sum(data$x[1, ]^2)) * (1 - 1e-9))
})

test_that("fits answer to the usual methods and hold no records", {
  skip_if_not_installed("generics")
  data <- unequal_records(n = 50, d = 4)
  fit <- dpadmm_fit(data$x, data$sign,
    method = fp_admm(gamma = 0.1), iterations = 10, epsilon = 1, delta = 1e-6, seed = 1,
      control = quiet
  )
  expect_identical(unname(coef(fit)), unname(fit$iterates[10, ]))
  expect_length(predict(fit, data$x), 50)
  expect_identical(nrow(generics::glance(fit)), 1L)
  expect_output(print(summary(fit)), "centralized")
  expect_output(print(fit), "50 records")
  expect_lt(length(serialize(fit, NULL)), 30000)
  same <- dpadmm_fit(data$x, data$sign,
    method = fp_admm(gamma = 0.1), iterations = 10, epsilon = 1, delta = 1e-6, seed = 1,
      control = quiet
  )
  expect_identical(same$iterates, fit$iterates)
})

test_that("bad input is a classed error", {
  data <- unequal_records()
  fit <- function(method, ..., loss = "logistic") {
    dpadmm_fit(data$x, data$sign, method = method, loss = loss, iterations = 5, epsilon = 1,
      delta = 1e-6,
      seed = 1, control = quiet, ...
    )
  }
  expect_error(fp_admm(lambda = 0), class = "dpadmm_error_argument")
  expect_error(fp_admm(lambda = 1.1), class = "dpadmm_error_argument")
  expect_error(fp_admm(gamma = 0), class = "dpadmm_error_argument")
  expect_error(fp_admm(sample = 3), class = "dpadmm_error_argument")
  expect_error(fp_admm(setting = "decentralized", noise = "aggregate"),
    class = "dpadmm_error_argument")
  expect_error(fit(fp_admm(lambda = 0.6)), "1/2", class = "dpadmm_error_argument")
  expect_no_error(fit(fp_admm(lambda = 0.6, noise = "block")))
  expect_error(fit(fp_admm(setting = "federated", sample = 13)), "at most",
    class = "dpadmm_error_argument")
  expect_error(fit(fp_admm(), loss = "squared"), "clip", class = "dpadmm_error_argument")
  expect_error(fit(fp_admm(clip = 1, clip_on = "step", noise = "aggregate")),
    class = "dpadmm_error_argument")
  expect_error(fit(fp_admm(), C = 2), class = "dpadmm_error_argument")
  expect_error(fit(fp_admm(), penalty = "l1"), class = "dpadmm_error_argument")
  expect_error(
    dpadmm_fit(data$x, data$sign, method = fp_admm(), epsilon = 1, control = quiet), "delta",
    class = "dpadmm_error_accountant"
  )
  expect_error(
    dpadmm_fit(data$x, data$sign, method = fp_admm(), epsilon = 1, delta = 1e-6, iterations = 1,
      control = quiet),
    class = "dpadmm_error_argument"
  )
})
