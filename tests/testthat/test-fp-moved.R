# What one record can move at a holder of fp_admm(): the bound (Theorem 14 of
# vignette("privacy-accounting")), and runs that try to go beyond it.

test_that("what a record may move is charged as Theorem 14 says", {
  sizes <- c(900, 100)
  of <- function(...) {
    dpadmm_plan(3,
      sizes = sizes, method = fp_admm(...), iterations = 12, noise = gaussian_noise(2),
      delta = 1e-6, loss = "huber"
    )
  }
  step <- 2 * 0.5 * 2 / 1000 # 2 gamma L N / n, alike for both
  block <- of(gamma = 0.5, noise = "block")
  expect_identical(block$releases$node, rep(1:2, 11))
  expect_charged(block$releases$sensitivity, rep(2 * step, 22))
  kappa <- 0.5 * sizes / 500 * (1 - 1 / sizes)
  b <- 1 + kappa / 2
  for (lambda in c(0.5, 0.2)) {
    m <- 1:11
    of_holder <- function(kappa, b) {
      crossing <- (b - 2 * lambda) / (1 + kappa - 2 * lambda * b)
      pmin((1 + kappa) * (1 - (1 - 2 * lambda / (1 + kappa))^m),
        sqrt(crossing * b * (1 - (1 - 2 * lambda / b)^m)))
    }
    grown <- pmax(of_holder(kappa[1], b[1]), of_holder(kappa[2], b[2]))
    expect_charged(of(gamma = 0.5, lambda = lambda)$releases$sensitivity, step * grown / 2)
  }
  # weights that are not those of the records
  problem <- block$problem
  problem$weights <- "nodes"
  expect_identical(holder_weights(problem), c(1, 1))
  expect_equal(holder_weights(block$problem), c(1.8, 0.2))
})

test_that("no replaced record moves a holder by more than the bound", {
  kinds <- list(
    list(loss = "logistic", gamma = 30), list(loss = dpadmm_loss("huber", 0.3), gamma = 20),
    list(loss = dpadmm_loss("hinge", 0.2), gamma = 5)
  )
  largest <- 0
  for (seed in 1:240) {
    kind <- kinds[[1 + seed %% 3]]
    B <- 2 + seed %% 4
    lambda <- c(0.5, 0.3)[1 + seed %% 2]
    draw <- matrix(seeded_normals(40 * B, seed), 20)
    x <- draw[1:B, 1:2, drop = FALSE]
    # every other time along a few axes, where pulls add up
    if (seed %% 4 < 2) x <- round(x / max(abs(x)))
    x <- x / pmax(sqrt(rowSums(x^2)), 0.1)
    y <- sign(draw[20, 1:B])
    other <- if (seed %% 5 == 0) x[1, ] else draw[19, 1:2] / sqrt(sum(draw[19, 1:2]^2))
    data <- list(list(x = x, y = y), list(x = rbind(other, x[-1, ], deparse.level = 0),
      y = c(-y[1], y[-1])))
    if (seed %% 10 == 0) { # numbers out of reach: all of both slopes
      kind <- kinds[[2]]
      data[[1]]$y[1] <- 1e4
      data[[2]]$y[1] <- -1e4
      data[[2]]$x[1, ] <- data[[1]]$x[1, ] <- c(1, 0)
      data[[2]]$x[-1, ] <- data[[1]]$x[-1, ] <- 0
    }
    run <- holder_states(data, function(t, u) kind$gamma * draw[t, 3:4] / 3, 8, kind$gamma,
      lambda, kind$loss)
    share <- states_moved(run) / holder_moved(run$plan, 1:8)
    expect_lt(max(share), 1 + 1e-7)
    largest <- max(largest, share)
  }
  expect_gt(largest, 0.99) # it is met
})

test_that("the bound covers the worst that steps of their kind can do, and not much more", {
  skip_on_cran()
  # the next difference is delta - 2 lambda M (delta + q), |q| <= 1, 1 / (1 + kappa) <= M <= 1: the
  # worst M for every angle of q
  cosine <- sin(seq(-pi / 2, pi / 2, length.out = 4001))
  worst_next <- function(delta, lambda, kappa) {
    turned <- lambda * (1 + 1 / (1 + kappa))
    centre <- (1 - turned)^2 * delta^2 + turned^2 - 2 * (1 - turned) * turned * delta * cosine
    radius <- lambda * (1 - 1 / (1 + kappa)) * sqrt(delta^2 + 1 + 2 * delta * cosine)
    max(sqrt(pmax(centre, 0)) + radius)
  }
  for (lambda in c(1e-3, 0.05, 0.2, 0.4, 0.5)) for (kappa in c(0, 1e-9, 0.1, 1, 10, 1e3)) {
    plan <- list(
      problem = list(size = 1e9, loss = list(curvature = 1), row_bound = 1, per_person = 1),
      prox_gamma = kappa / (1 - 1e-9), weight = 1, grad_bound = 1, lambda = lambda
    )
    moved <- holder_moved(plan, 1:60) / record_step(plan)
    if (kappa == 0) { # no step at all: the same numbers by the formula
      plan$prox_gamma <- 1
      plan$problem$loss$curvature <- 0
      moved <- holder_moved(plan, 1:60) / record_step(plan)
    }
    worst <- Reduce(function(delta, m) worst_next(delta, lambda, kappa), 1:60, 0,
      accumulate = TRUE)[-1]
    expect_true(all(worst <= moved * (1 + 1e-12)), info = paste(lambda, kappa))
    expect_true(all(moved <= 1.25 * worst), info = paste(lambda, kappa))
  }
  # and no M and q do more, here of three dimensions
  for (seed in 1:2000) {
    z <- seeded_normals(30, seed)
    basis <- qr.Q(qr(matrix(z[1:9], 3)))
    kappa <- exp(3 * z[10])
    lambda <- pnorm(z[11]) / 2
    M <- basis %*% diag(ifelse(z[12:14] > 0, 1, 1 / (1 + kappa))) %*% t(basis)
    delta <- exp(z[15]) * c(1, 0, 0)
    q <- z[16:18] / sqrt(sum(z[16:18]^2))
    moved <- sqrt(sum((delta - 2 * lambda * M %*% (delta + q))^2))
    expect_lt(moved, worst_next(delta[1], lambda, kappa) * (1 + 1e-6))
  }
})

test_that("a record can move a holder farther than one step does", {
  # it pulls along one axis, its replacement along the other; others hold the holder where z is
  gamma <- 400
  unit <- gamma / 4
  far <- 10 * unit
  others <- rbind(c(1, 1) / sqrt(2), c(1, 0), c(0, 0))
  data <- list(
    list(x = rbind(c(1, 0), others), y = c(-3 * far, 2 * far, 0, 0)),
    list(x = rbind(c(0, 1), others), y = c(0, 2 * far, 0, 0))
  )
  aim <- rbind(c(far, -far), sqrt(2) * c(far, far), c(0, far))
  z <- function(t, u) {
    pulls <- vapply(data, function(one) {
      slope <- round(as.vector(one$x %*% aim[t, ]) - one$y, 6)
      as.vector(crossprod(one$x, pmax(-1, pmin(1, slope))))
    }, double(2))
    (aim[t, ] + unit * rowMeans(pulls) + (u[[1]] + u[[2]]) / 2) / 2
  }
  run <- holder_states(data, z, 3, gamma, loss = dpadmm_loss("huber", 1))
  moved <- states_moved(run)
  expect_equal(moved[3] / record_step(run$plan)[1], 1.109, tolerance = 1e-3)
  expect_true(all(moved <= holder_moved(run$plan, 1:3)))
})
