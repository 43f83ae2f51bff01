# The one-dimensional linear run as matrices: the covariance of (f, lambda, kkt) of all nodes,
# forwards, as the update rules are written in the papers.

skip_on_cran()

forward_run <- function(update, eta, theta, gamma, objective_sd, output_sd, pull, curvature, A) {
  N <- nrow(A)
  V <- rowSums(A)
  I <- diag(N)
  Z <- 0 * I
  S <- matrix(0, 3 * N, 3 * N)
  m <- numeric(3 * N)
  for (t in seq_along(update)) {
    e <- eta[, t]
    sums <- e * (diag(V) + A)
    if (update[t] == "recycled") {
      g <- 1 / (2 * e * V + gamma)
      f <- cbind(I - g * e * (diag(V) - A), -2 * diag(g), -diag(g))
      k <- cbind(Z, Z, I)
      b <- o <- Z
    } else {
      D <- curvature + 2 * e * V
      solved <- cbind(sums, -2 * I, Z) / D
      k <- cbind(sums, -2 * I, Z) - 2 * e * V * solved
      f <- solved
      b <- -diag(objective_sd[, t] / D)
      o <- diag(output_sd[, t])
    }
    dual <- theta[, t] / 2 * (diag(V) - A)
    M <- rbind(f, cbind(Z, I, Z) + dual %*% f, k)
    noisy <- update[t] != "recycled"
    kept <- if (noisy) diag(2 * e * V) %*% b else Z
    B <- cbind(rbind(b, dual %*% b, -kept), rbind(o, dual %*% o, Z))
    S <- M %*% S %*% t(M) + B %*% t(B)
    push <- if (noisy) pull / D else numeric(N)
    m <- M %*% m + c(push, dual %*% push, if (noisy) -2 * e * V * push else push)
  }
  first <- seq_len(N)
  list(variance = mean(S[first, first]), reach = mean(m[first]))
}

ring_and_chord <- function(N) {
  A <- matrix(0, N, N)
  A[cbind(seq_len(N), c(2:N, 1))] <- 1
  A[1, 4] <- 1
  pmin(A + t(A), 1)
}

test_that("the pass back in time has the covariance of the run forwards", {
  N <- 6
  T <- 9
  networks <- list(ring_and_chord(N), 1 - diag(N))
  cycles <- list("exact", c("exact", "recycled"), "plausible")
  for (A in networks) {
    for (cycle in cycles) {
      update <- rep_len(cycle, T)
      noisy <- rep(update != "recycled", each = N)
      eta <- outer(seq(0.3, 0.8, length.out = N), 1.1^seq_len(T))
      theta <- eta * 0.9 * noisy
      gamma <- seq_len(N) / 10
      objective <- outer(1:N, 1:T, `+`) / 10 * noisy
      output <- if (identical(cycle, "plausible")) objective / 3 else 0 * objective
      pull <- 1 + 1:N / 5
      curvature <- cbind(0.2 * pull, 0.05 * pull)
      place <- which(A > 0, arr.ind = TRUE)
      network <- list(
        degree = rowSums(A), start = c(0, cumsum(rowSums(A))), neighbour = unname(place[, 1]) - 1
      )
      got <- graph_response(update, eta, theta, gamma, objective, output, pull, curvature,
        network$degree, neighbour_sums(network, 2L)
      )
      for (k in 1:2) {
        truth <- forward_run(update, eta, theta, gamma, objective, output, pull, curvature[, k], A)
        expect_equal(got$variance[k], truth$variance, tolerance = 1e-10)
        expect_equal(got$reach[k], truth$reach, tolerance = 1e-10)
      }
    }
  }
})

test_that("small linear systems have the variance and reach of their sums", {
  a <- 0.9
  s <- 2
  got <- small_response(7, matrix(a), matrix(s), 1, 1)
  expect_equal(got[["variance"]], s^2 * sum(a^(2 * 0:6)))
  expect_equal(got[["reach"]], sum(a^(0:6)))
  # three coordinates, step by step
  step <- matrix(c(0.5, 0.2, -0.1, 0.3, 0.7, 0, 0.1, -0.4, 0.6), 3)
  noise <- cbind(c(1, 0.5, 0), c(0, 2, 1))
  read <- c(1, -1, 2)
  for (T in c(1, 2, 6, 13)) {
    got <- small_response(T, step, noise, 1:3, read)
    power <- diag(3)
    variance <- reach <- 0
    for (t in 1:T) {
      variance <- variance + sum((read %*% power %*% noise)^2)
      reach <- reach + sum(read %*% power %*% 1:3)
      power <- power %*% step
    }
    expect_equal(got, c(variance = variance, reach = reach))
  }
})

test_that("the response of gradient ADMM is that of its steps, each noise by itself", {
  x <- list(c(0.8, 0.5), -0.2)
  u <- list(c(0.3, 0.1), 0.6)
  a <- 1.3
  sd <- c(2, 1, 0.5, 3, 1.5)
  momentum <- c(0, 0.2, 0.4, 0.5, 0.6)
  # what is left of one unit of noise in x, or of a start, by the steps as they are written
  run <- function(k, t0, average) {
    before <- now <- c(0, if (t0 == 0) 1 else 0)
    seen <- numeric(5)
    ahead <- now
    for (t in 1:5) {
      kick <- if (t == t0) 1 else 0
      before <- now
      now <- c(x[[1]][k] * ahead[1] + x[[2]] * ahead[2] + kick,
        u[[1]][k] * ahead[1] + u[[2]] * ahead[2] + a * kick)
      ahead <- now + momentum[t] * (now - before)
      seen[t] <- now[1]
    }
    sum(iterate_weights(average, 5) * seen)
  }
  for (average in c("last", "mean", "weighted")) {
    got <- split_response(x, u, momentum, sd, 0.7, a, iterate_weights(average, 5), start = 0.4)
    for (k in 1:2) {
      left <- vapply(1:5, run, 0, k = k, average = average)
      start <- run(k, 0, average)
      expect_equal(got$variance[k], sum((sd * left)^2) + (0.4 * start)^2)
      expect_equal(got$reach[k], 0.7 * sum(left))
    }
  }
})

test_that("the strongest gradient is the mean over the sphere", {
  d <- 5
  x <- matrix(seeded_normals(2e5 * d, 3), ncol = d)
  u <- abs(x[, 1]) / sqrt(rowSums(x^2))
  expect_equal(strongest_gradient(dpadmm_loss("logistic"), 2, d), mean(u), tolerance = 0.005)
  expect_equal(strongest_gradient(dpadmm_loss("hinge"), 1, d), mean(u), tolerance = 0.005)
})

test_that("mean curvatures are the means that they claim to be", {
  for (case in list(c(0.5, 1), c(3, 0.2), c(1, 6))) {
    z <- seeded_normals(4e5, 1)
    margin <- case[1] * seeded_normals(4e5, 2) + case[2] * z
    second <- stats::dlogis(margin)
    got <- mean_curvature(dpadmm_loss("logistic"), case[1], case[2])
    expect_equal(got[1], mean(second), tolerance = 0.05)
    expect_equal(got[2], mean(second * z^2), tolerance = 0.12)
    hinge <- mean_curvature(dpadmm_loss("hinge"), case[1], case[2])
    expect_equal(hinge[1], mean(abs(1 - margin) < 0.5), tolerance = 0.03)
  }
})

# Made-up records whose labels have about the signal of a good data set.
made_up_fit <- function(seed, sizes, d, epsilon, ..., strength = 10, data_seed = 1) {
  n <- sum(sizes)
  x <- matrix(seeded_normals(n * d, data_seed), n)
  x <- x / sqrt(rowSums(x^2))
  coin <- stats::pnorm(seeded_normals(n, data_seed + 100))
  y <- ifelse(coin < stats::plogis(strength * x[, 1]), 1, -1)
  dpadmm_fit(x, y, epsilon = epsilon, seed = seed, control = dpadmm_control(progress = FALSE), ...)
}

noise_ratio <- function(...) {
  fits <- lapply(1:8, made_up_fit, ...)
  coefficients <- vapply(fits, coef, double(fits[[1]]$plan$problem$d))
  fits[[1]]$plan$expected$noise / sqrt(mean(apply(coefficients, 1L, stats::var)))
}

test_that("the forecast is the standard deviation of the coefficients", {
  unlike <- c(900, 300, 600, 200)
  nodes <- rep(1:4, unlike)
  ratios <- c(
    noise_ratio(unlike, 12, 1, nodes = nodes, delta = 1e-6),
    noise_ratio(unlike, 12, 3, nodes = nodes, network = network_star()),
    noise_ratio(unlike, 12, 2, nodes = nodes, delta = 1e-6, method = admm(perturb = "primal")),
    noise_ratio(unlike, 12, 2, nodes = nodes, delta = 1e-6, method = m_admm()),
    noise_ratio(unlike, 12, 2, nodes = nodes, delta = 1e-6, method = pp_admm()),
    noise_ratio(2000, 10, 1, delta = 1e-6, method = fp_admm(gamma = 5)),
    noise_ratio(2000, 10, 1, delta = 1e-6, method = dp_sgd(step = 2)),
    noise_ratio(2000, 10, 1, delta = 1e-6, method = acc_admm(rho = 0.1), iterations = 15)
  )
  # 8 fits leave 7% or so of their own
  expect_true(all(abs(log(ratios)) < 0.3), info = paste(round(ratios, 2), collapse = " "))
})

test_that("columns that are nearly alike have noise between the forecast and its flat end", {
  n <- 1500
  numbers <- matrix(stats::pnorm(seeded_normals(n * 5, 4)), n)
  x <- cbind(1, numbers) / sqrt(6)
  y <- ifelse(stats::pnorm(seeded_normals(n, 5)) < stats::plogis(6 * (numbers[, 1] - 0.5)), 1, -1)
  fits <- lapply(1:12, function(seed) {
    dpadmm_fit(x, y, nodes = 3, epsilon = 2, delta = 1e-6, seed = seed,
      control = dpadmm_control(progress = FALSE))
  })
  sd <- sqrt(mean(apply(vapply(fits, coef, double(6)), 1L, stats::var)))
  expected <- fits[[1]]$plan$expected
  expect_gt(sd, 0.85 * expected$noise)
  expect_lt(sd, 1.15 * expected$most)
})

test_that("a fit without learning is called mostly noise, and a good one useful", {
  called <- function(sizes, d, epsilon, ...) {
    nodes <- rep(seq_along(sizes), sizes)
    fit <- made_up_fit(1, sizes, d, epsilon, nodes = nodes, delta = 1e-6, ...)
    fit$plan$expected$verdict
  }
  expect_identical(called(rep(133, 4), 8, 0.5), "mostly noise") # the size of Pima
  expect_identical(called(rep(2000, 4), 8, 2), "useful")
  # one large party and small ones, which hide their few records alone
  unlike <- c(3700, 200, 80, 20)
  expect_identical(called(unlike, 4, 1, weights = "nodes"), "mostly noise")
  expect_identical(called(unlike, 4, 1), "useful")
  expect_identical(called(rep(1000, 4), 4, 1), "useful")
})

test_that("the advice carries a plan over the threshold", {
  low <- made_up_fit(1, 1200, 10, 0.15, nodes = 4, delta = 1e-6)
  words <- low$plan$expected
  expect_identical(words$verdict, "mostly noise")
  factor <- 1.2 / words$ratio
  more_budget <- made_up_fit(1, 1200, 10, 0.15 * factor, nodes = 4, delta = 1e-6)
  more_records <- made_up_fit(1, round(1200 * factor), 10, 0.15, nodes = 4, delta = 1e-6)
  for (fit in list(more_budget, more_records)) {
    expect_equal(fit$plan$expected$ratio, 1.2, tolerance = 0.25)
  }
})

test_that("words", {
  expect_identical(forecast_words(list(noise = 0, most = 0, signal = 1), 3)$verdict, "no noise")
  verdict <- function(ratio) forecast_words(list(noise = 1, most = 1, signal = ratio), 3)$verdict
  expect_identical(vapply(c(1.19, 1.2, 2.99, 3), verdict, ""),
    c("mostly noise", "weak", "weak", "useful"))
  words <- forecast_words(list(noise = 1.4321, most = 1.6, signal = 0.43), 30, 50)
  expect_identical(words$sentence, paste(
    "Noise moves each coefficient by about 1.4 (sd); a strong signal, spread over all columns,",
    "would by about 0.43. Ratio 0.3: mostly noise."
  ))
  expect_identical(words$advice, paste(
    "It would take about 4 times the budget, 4 times the records, 7 columns instead of 30 or",
    "the same records in 3 parties instead of 50 to learn something."
  ))
  few <- forecast_words(list(noise = 100, most = 100, signal = 1), 5)$advice
  expect_identical(few,
    "It would take about 120 times the budget or 120 times the records to learn something.")
  # just below the threshold, and where no budget would do
  near <- forecast_words(list(noise = 1.001, most = 1.001, signal = 1.2), 5)$advice
  expect_identical(near,
    paste(
    "It would take about 1.1 times the budget, 1.1 times the records or 4 columns instead of 5",
    "to learn something."
  ))
  expect_null(forecast_words(list(noise = 1, most = 1, signal = -1), 5)$advice)
})

test_that("a forecast is fast for thousands of parties", {
  N <- 5000
  T <- 30
  eta <- matrix(1, N, T)
  noisy <- rep_len(c("exact", "recycled"), T)
  seconds <- system.time(forecast_graph(noisy, eta, eta * rep(noisy == "exact", each = N),
    rep(0.1, N), 0.1 * eta, 0 * eta, rep(1, N), 1e-6,
    list(degree = rep(N - 1, N)), dpadmm_loss("logistic"), 1, 20
  ))[["user.self"]]
  expect_lt(seconds, 2)
})

test_that("long runs are forecast from their last rounds", {
  of <- function(T, most) {
    back <- last_rounds(T, most, 20)
    c(rounds = length(back$rounds), more = back$more)
  }
  expect_identical(of(50, 100), c(rounds = 50, more = 0))
  expect_equal(of(300, 100), c(rounds = 100, more = 10))
  expected <- function(T) {
    dpadmm_plan(3, c(200, 300, 500), iterations = T, method = admm(eta = 1), C = 1,
      noise = gaussian_noise(0.1), delta = 1e-5
    )$expected
  }
  # by 2,000 rounds this run has forgotten its start
  expect_equal(expected(4000L)$noise, expected(2000L)$noise, tolerance = 1e-3)
  expect_equal(expected(4000L)$signal, expected(2000L)$signal, tolerance = 1e-3)
})
