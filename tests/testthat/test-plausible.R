# PP-ADMM and IPP-ADMM: inexact solutions, calibration, the printed rules, who sends, and what
# cannot be asked for. Trajectories are in test-plausible-trajectories.R, the sparse vector
# test in test-sparse-vector.R.

skip_on_cran()

# Records without a random generator: irrational steps fill the cube evenly.
sizes <- c(40, 60, 30, 50)
n <- sum(sizes)
x <- outer(seq_len(n), sqrt(c(2, 3, 5, 7)), function(n, step) (n * step) %% 1 - 0.4)
x <- x / sqrt(max(rowSums(x^2)))
y <- ifelse(drop(x %*% c(3, -2, 1, 0.5)) + 0.6 * ((seq_len(n) * sqrt(11)) %% 1 - 0.5) > 0, 1, -1)
nodes <- rep(seq_along(sizes), sizes)
delta <- 1e-4

fit_with <- function(method, ..., control = list(), iterations = 6, network = network_ring(),
                     x. = x) {
  dpadmm_fit(x., y,
    nodes = nodes, network = network, method = method, iterations = iterations, C = 1, rho = 0.5,
    weights = "nodes",
    seed = 3, control = do.call(dpadmm_control, c(list(keep_iterates = TRUE), control)), ...
  )
}

test_that("a noiseless run solves every node problem to beta and no further than it pays", {
  beta <- 0.02
  fit <- fit_with(pp_admm(eta = 0.5, beta = beta), epsilon = Inf)
  exact <- fit_with(admm(eta = 0.5), epsilon = Inf)
  lambda <- matrix(0, 4, 4)
  before <- matrix(0, 4, 4)
  near <- list(c(2, 4), c(1, 3), c(2, 4), c(1, 3))
  norms <- matrix(0, 6, 4)
  for (t in 1:6) {
    f <- fit$iterates[t, , ]
    for (i in 1:4) {
      rows <- nodes == i
      slope <- -y[rows] * stats::plogis(-y[rows] * (x[rows, ] %*% f[i, ]))
      pull <- colSums(2 * rep(f[i, ], each = 2) - rep(before[i, ], each = 2) - before[near[[i]], ])
      gradient <- colMeans(as.vector(slope) * x[rows, ]) +
        0.5 / 4 * f[i, ] + 2 * lambda[i, ] + 0.5 * pull
      norms[t, i] <- sqrt(sum(gradient^2))
    }
    for (i in 1:4) lambda[i, ] <- lambda[i, ] + 0.25 * (2 * f[i, ] - colSums(f[near[[i]], ]))
    before <- f
  }
  expect_lte(max(norms), beta)
  expect_gt(max(norms), 1e-8) # a Newton step goes far, but nobody made it go on
  # the first problems are the same: the inexact solution is within beta / modulus
  modulus <- 0.5 / 4 + 2 * 0.5 * 2
  expect_lte(max(sqrt(rowSums((fit$iterates[1, , ] - exact$iterates[1, , ])^2))), beta / modulus)
  # any beta: the laziest solver never moves
  lazy <- fit_with(pp_admm(eta = 0.5, beta = 1e3), epsilon = Inf)
  expect_identical(max(abs(lazy$iterates)), 0)
})

test_that("the noise spends the budget: either mechanism, both methods, node by node", {
  budgets <- c(0.5, 1, 3, 1)
  methods <- list(
    pp_admm(eta = 0.5), ipp_admm(eta = 0.5, max_sends = 3), pp_admm(beta = 0.01, split = 0.3)
  )
  for (method in methods) {
    for (how in list(list(delta = delta), list(delta = 0), list(delta = delta, noise = "gamma"))) {
      if (!is.null(how$noise)) method$parameters$split <- 0.3 # its search takes long
      fit <- do.call(fit_with, c(list(method, epsilon = budgets), how))
      spent <- privacy(fit)
      expect_lte(max(spent$per_node$epsilon - budgets), 0)
      expect_equal(spent$per_node$epsilon, budgets, tolerance = 1e-6)
      expect_identical(spent$epsilon, max(spent$per_node$epsilon))
    }
  }
})

test_that("both noises are among the events, and the releases are those of a node", {
  method <- ipp_admm(eta = 0.5, max_sends = 2, beta = 1e-3)
  fit <- fit_with(method, epsilon = 1, delta = delta)
  events <- fit$events
  count <- table(events$mechanism)[c("objective_gaussian", "gaussian", "pure")]
  expect_identical(as.vector(count), c(8L, 8L, 4L))
  modulus <- 0.5 / 4 + 2 * 0.5 * 2
  output <- events[events$mechanism == "gaussian", ]
  expect_equal(unique(output$sensitivity), 2 * 1.005e-3 / modulus) # and rounding
  expect_equal(output$sigma[1:4], fit$noise$output)
  # from public numbers only: other records, the same noise
  other <- fit_with(method, epsilon = 1, delta = delta, x. = x[n:1, ] / 3)
  expect_identical(other$noise, fit$noise)
  expect_identical(other$plan, fit$plan)
  expect_identical(other$events, fit$events)
  # nothing can be sent before its iteration: the path of privacy never falls short
  expect_identical(sort(unique(events$iteration)), c(1, 2))
  expect_match(privacy(fit)$releases,
    "2 releases a node with Gaussian noise in the objective, 2 with",
    fixed = TRUE
  )
})

test_that("the split has the least total variance that the budget allows", {
  modulus <- 0.5 / 4 + 2 * 0.5 * 2
  least <- function(beta, splits, ...) {
    fitted <- function(split) {
      fit_with(pp_admm(eta = 0.5, beta = beta, split = split), epsilon = 2, ...)
    }
    variance <- function(fit) {
      size <- if (fit$plan$budget$mechanism == "gaussian") identity else function(rate) 1 / rate
      (size(fit$noise$objective) / modulus)^2 + size(fit$noise$output)^2
    }
    best <- fitted(NULL)
    for (split in splits) expect_true(all(variance(best) <= variance(fitted(split)) * (1 + 1e-6)))
    # near the node's own optimum, too
    for (odds in c(0.8, 1.25)) {
      nearby <- fitted(stats::plogis(stats::qlogis(best$plan$split) + log(odds)))
      expect_true(all(variance(best) <= variance(nearby)))
    }
    best$plan$split
  }
  many <- c(0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
  for (beta in c(1e-4, 1e-2)) {
    chosen <- least(beta, many, delta = delta)
    # the optimum of plain Gaussian noise, a little less because curvature costs as well
    expect_true(all(abs(chosen / (2 * beta / (2 / sizes + 2 * beta)) - 1) < 0.15))
    least(beta, many, delta = delta, loss = "hinge")
    least(beta, many, delta = 0)
  }
  # Gamma-norm noise at delta > 0, where no formula has it; alike nodes are calibrated once
  nodes <<- rep(1:4, length.out = n)
  on.exit(nodes <<- rep(seq_along(sizes), sizes))
  least(1e-2, c(0.1, 0.6), delta = delta, noise = "gamma")
})

test_that("as printed: parameters, lambda-hat and the total to the letter", {
  paper <- list(accountant = "paper")
  epsilon <- 30
  T <- 6
  fit <- fit_with(pp_admm(eta = 0.5), epsilon = epsilon, delta = delta, control = paper)
  total <- epsilon^2 / (4 * log(1 / delta))
  rho1 <- total / T * 0.999
  rho2 <- total / T * 0.001
  eps1 <- rho1 + 2 * sqrt(rho1 * log(1 / delta))
  eps3 <- 0.99 * eps1
  lambda_hat <- max(2.8 * 4 * 0.25 / ((eps1 - eps3) * sizes))
  expect_equal(fit$plan$problem$rho, max(lambda_hat, 0.5))
  expect_equal(fit$noise$objective, 2 * sqrt(2 * log(1.25 / delta)) / (sizes * eps3))
  modulus <- fit$plan$problem$rho / 4 + 2 * 0.5 * 2
  expect_equal(fit$noise$output, rep(10^-3.5 / (sqrt(2 * rho2) * modulus), 4))
  # Theorem 2, at the smallest node whose eps1 - eps3 lambda-hat is made for
  small <- fit_with(pp_admm(eta = 0.5), epsilon = 5, delta = delta, control = paper)
  expect_gt(small$plan$problem$rho, 0.5)
  total <- 25 / (4 * log(1 / delta))
  eps1 <- total / T * 0.999 + 2 * sqrt(total / T * 0.999 * log(1 / delta))
  rho <- T * (eps1^2 / (4 * log(1 / delta)) + total / T * 0.001)
  claimed <- privacy(small, "paper")
  expect_equal(claimed$epsilon, rho + 2 * sqrt(rho * log(1 / delta)))
  expect_identical(claimed$per_node$node[which.max(claimed$per_node$epsilon)], "3")
  expect_output(print(claimed), "as printed in plausible-admm, Theorem 2", fixed = TRUE)
  expect_output(print(claimed), "promises too much", fixed = TRUE)
  # what is proved of the same run is another figure
  expect_gt(abs(privacy(small)$epsilon - claimed$epsilon), 0.1)

  # given privacy parameters; the noise on the result gets the rest
  given <- pp_admm(eta = 0.5, eps1 = 2, eps3 = 1.5)
  fit <- fit_with(given, epsilon = 10, delta = delta, control = paper)
  expect_equal(fit$noise$objective, 2 * sqrt(2 * log(1.25 / delta)) / (sizes * 1.5))
  rest <- 100 / (4 * log(1 / delta)) / T - 4 / (4 * log(1 / delta))
  modulus <- fit$plan$problem$rho / 4 + 2
  expect_equal(fit$noise$output, rep(10^-3.5 / (sqrt(2 * rest) * modulus), 4))
  expect_equal(fit$plan$problem$rho, max(2.8 * 4 * 0.25 / (0.5 * sizes), 0.5))

  # the printed IPP-ADMM: Theorem 5, and nothing proved
  inexact <- ipp_admm(eta = 0.5, max_sends = 3, test_share = 0.2)
  fit <- fit_with(inexact, epsilon = 2, delta = delta, control = paper)
  expect_error(privacy(fit), "sparse vector test as printed", class = "dpadmm_error_accountant")
  total <- 4 / (4 * log(1 / delta))
  rho1 <- total * 0.8 / 3 * 0.999
  eps1 <- rho1 + 2 * sqrt(rho1 * log(1 / delta))
  expect_equal(fit$noise$objective, 2 * sqrt(2 * log(1.25 / delta)) / (sizes * eps1))
  rho <- total * 0.2 + 3 * (eps1^2 / (4 * log(1 / delta)) + total * 0.8 / 3 * 0.001)
  expect_equal(privacy(fit, "paper")$epsilon, rho + 2 * sqrt(rho * log(1 / delta)))
  expect_output(print(fit), "as printed in plausible-admm, Theorem 5", fixed = TRUE)
  test <- fit$plan$test
  eps <- sqrt(2 * total * 0.2)
  eps1 <- eps / (1 + 6^(2 / 3))
  expect_equal(test$threshold_scale, rep(2 * 3 * 2 / eps1, 4))
  expect_equal(test$query_scale, rep(4 * 3 * 2 / (eps - eps1), 4))
  expect_true(test$printed)
})

test_that("a node that has used its sends is silent and the others go on with its last message", {
  fit <- fit_with(ipp_admm(eta = 0.5, max_sends = 2), epsilon = 1, delta = delta, iterations = 20)
  expect_identical(dim(fit$sends), c(4L, 20L))
  expect_lte(max(rowSums(fit$sends)), 2)
  expect_gt(sum(fit$sends), 0)
  moved <- apply(fit$iterates, 2:3, function(v) diff(c(0, v)))
  expect_identical(unname(t(apply(moved != 0, 1:2, any))), unname(fit$sends))
  sent <- 2 * sum(fit$sends)
  expect_identical(unname(fit$messages), c(sent, 160 - sent))
  expect_output(print(fit), sprintf("%d sent, %d saved", sent, 160 - sent))
  expect_output(print(summary(fit)), "saved")
  # without noise a node sends while its loss falls by more than the threshold
  at <- function(threshold) {
    fit_with(ipp_admm(eta = 0.5, max_sends = 20, threshold = threshold),
      epsilon = Inf, iterations = 20
    )
  }
  greedy <- at(0)
  lazy <- at(1)
  expect_gt(sum(greedy$sends), 40)
  expect_identical(sum(lazy$sends), 0L)
})

test_that("sparse data, other networks, threads and losses", {
  for (method in list(pp_admm(eta = 0.5), ipp_admm(eta = 0.5))) {
    dense <- fit_with(method, epsilon = 1, delta = delta)
    sparse <- fit_with(method, epsilon = 1, delta = delta, x. = Matrix::Matrix(x, sparse = TRUE))
    expect_equal(unname(sparse$coefficients), unname(dense$coefficients), tolerance = 1e-3)
    expect_identical(sparse$sends, dense$sends)
    two <- fit_with(method, epsilon = 1, delta = delta, control = list(threads = 2))
    expect_identical(two$coefficients, dense$coefficients)
    for (network in list(network_complete(), network_star())) {
      fit <- fit_with(method, epsilon = 1, delta = delta, network = network)
      expect_equal(privacy(fit)$epsilon, 1, tolerance = 1e-6)
    }
  }
  fit <- dpadmm_fit(x, y,
    nodes = nodes, method = ipp_admm(eta = 0.5), loss = dpadmm_loss("huber"), iterations = 4,
    epsilon = 1, delta = delta, seed = 1
  )
  expect_true(all(is.finite(fit$coefficients)))
  pp <- dpadmm_fit(x, y,
    nodes = nodes, method = pp_admm(), loss = "squared", iterations = 4, epsilon = Inf
  )
  expect_true(all(is.finite(pp$coefficients)))
})

test_that("the baselines run from the same call under zCDP", {
  paper <- list(accountant = "paper")
  for (method in list(admm(eta = 0.5), m_admm(eta = 0.5, growth = 1.01), r_admm(eta = 0.5))) {
    sound <- fit_with(method, epsilon = 1, delta = delta, noise = "gamma")
    expect_identical(sound$plan$budget$mechanism, "gamma")
    # to 1e-4 where divergences take long
    expect_true(privacy(sound)$epsilon <= 1 && privacy(sound)$epsilon > 1 - 1e-4)
    # as printed: pure losses, composed as rho = sum of epsilon^2 / 2
    printed <- fit_with(method, epsilon = 4, delta = delta, noise = "gamma", control = paper)
    claim <- privacy(printed, "paper")
    expect_equal(claim$epsilon, 4, tolerance = 1e-6)
    e <- dpadmm:::printed_of(printed$plan)
    e <- e[e$node == 1, ]
    rho <- sum((e$sensitivity * e$scale + 2.8 * e$curvature / e$modulus)^2) / 2
    expect_equal(claim$per_node$epsilon[1], rho + 2 * sqrt(rho * log(1 / delta)), tolerance = 1e-9)
    expect_output(print(claim), "plausible-admm,\\s+Lemmas\\s+2\\s+to\\s+4")
    # a pure fit's printed loss is still the sum
    pure <- fit_with(method, epsilon = 100, control = paper)
    expect_equal(privacy(pure, "paper")$epsilon, 100, tolerance = 1e-6)
  }
})

test_that("what makes no sense is a classed error", {
  refuse <- function(code, class = "argument") {
    expect_error(code, class = paste0("dpadmm_error_", class))
  }
  for (method in list(pp_admm, ipp_admm)) {
    refuse(method(eps1 = 1, eps3 = 1))
    refuse(method(eps1 = 1, eps3 = 2))
    refuse(method(beta = 0))
    refuse(method(beta = -1))
    refuse(method(eta = 0))
    for (split in list(0, 1, -0.1, 1.5, c(0.5, 1))) refuse(method(split = split))
    refuse(method(split = NA_real_), "missing")
  }
  for (clip in c(0, -1)) refuse(ipp_admm(loss_clip = clip))
  for (sends in c(0, 1.5, -2)) refuse(ipp_admm(max_sends = sends))
  for (share in c(0, 1)) refuse(ipp_admm(test_share = share))
  refuse(ipp_admm(eps_ratio = 0))
  refuse(ipp_admm(threshold = Inf), "finite")

  refuse(fit_with(ipp_admm(max_sends = 7), epsilon = 1, delta = delta))
  # eps1 follows from the budget, and eps3 is not below it
  paper <- list(accountant = "paper")
  refuse(fit_with(pp_admm(eps3 = 50), epsilon = 1, delta = delta, control = paper))
  refuse(fit_with(pp_admm(eps1 = 50), epsilon = 1, delta = delta, control = paper), "budget")
  refuse(fit_with(pp_admm(eps1 = 0.1, split = 0.5), epsilon = 1, delta = delta, control = paper))
  refuse(fit_with(pp_admm(eps1 = 0.1), epsilon = 1, delta = delta))
  refuse(fit_with(pp_admm(), epsilon = 1, control = paper), "accountant")
  refuse(fit_with(pp_admm(beta = c(1, 2)), epsilon = 1, delta = delta), "shape")
  refuse(fit_with(pp_admm(split = c(0.1, 0.2)), epsilon = 1, delta = delta), "shape")
  refuse(fit_with(pp_admm(), noise = gaussian_noise(matrix(1, 4, 6)), delta = delta), "shape")
  refuse(fit_with(pp_admm(), epsilon = 1, noise = "gaussian"), "accountant")
  refuse(fit_with(pp_admm(), epsilon = 1, noise = "cauchy"))
  refuse(fit_with(pp_admm(), noise = "gamma"))
  refuse(fit_with(pp_admm(), epsilon = c(1, 2), delta = delta), "shape")
  refuse(fit_with(pp_admm(), epsilon = c(1, 1, Inf, 1), delta = delta))
  refuse(dpadmm_fit(x, y,
    nodes = nodes, method = pp_admm(), loss = "squared", epsilon = 1, delta = delta
  ))
})
