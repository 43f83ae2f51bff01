# Privacy statements, calibration and the printed theorems of decentralised fits, by hand.

sizes <- c(10, 25, 15)
n <- sum(sizes)
x <- matrix(sin(seq_len(3 * n) * sqrt(2)), n) / 2
y <- rep(c(-1, 1), n / 2)
nodes <- rep(1:3, sizes)
# a path: degrees 1, 2, 1
path <- network_adjacency(matrix(c(0, 1, 0, 1, 0, 1, 0, 1, 0), 3))
degree <- c(1, 2, 1)

fit <- function(method, ..., C = 3, rho = 0.6, iterations = 6, network = path) {
  dpadmm_fit(x, y, nodes = nodes, network = network, method = method, C = C, rho = rho,
    weights = "nodes", iterations = iterations, ...)
}

share <- 3 / sizes # C / B
modulus <- function(eta) 0.6 / 3 + 2 * eta * degree # rho/N + 2 eta V

# Of one update with the logistic loss: where the record's slope has the size p, noise costs at
# most shift (1 + p) / 2 and curvature log(1 + 4 kappa p (1 - p)).
update_loss <- function(shift, kappa) {
  worst <- function(shift, kappa) {
    f <- function(p) shift * (1 + p) / 2 + log(1 + 4 * kappa * p * (1 - p))
    max(f(1), optimize(f, c(0, 1), maximum = TRUE, tol = 1e-9)$objective)
  }
  out <- shift + 0 * kappa
  out[] <- mapply(worst, out, 0 * out + kappa)
  out
}

#' Both accountants' losses of each node.
expect_losses <- function(model, sound, paper = NULL) {
  got <- privacy(model)
  expect_s3_class(got, "dpadmm_privacy")
  expect_identical(got$per_node$node, c("1", "2", "3"))
  expect_charged(got$per_node$epsilon, sound)
  expect_identical(got$epsilon, max(got$per_node$epsilon))
  expect_gte(got$epsilon, max(sound) * (1 - 1e-15)) # rounded outward
  expect_identical(got[c("delta", "accountant", "neighbours")], list(
    delta = 0, accountant = "sound", neighbours = "replace-one"
  ))
  if (is.null(paper)) {
    expect_error(privacy(model, "paper"), class = "dpadmm_error_accountant")
  } else {
    printed <- privacy(model, accountant = "paper")
    expect_equal(printed$per_node$epsilon, paper, tolerance = 1e-12)
    expect_identical(printed$epsilon, max(printed$per_node$epsilon))
    expect_identical(printed$accountant, "paper")
  }
}

test_that("ADMM-DVP: every update costs alpha 2C/B and what curvature adds", {
  eta <- c(0.5, 1, 2)
  model <- fit(admm(eta = eta), noise = gamma_noise(0.7))
  expect_losses(model,
    sound = 6 * update_loss(0.7 * 2 * share, 0.25 * share / modulus(eta)),
    # M-ADMM's Theorem 4.1 with the noise of the objective, 2 eta V eps
    paper = 6 * (0.7 * 2 * share + 1.4 * 0.25 * share / (eta * degree))
  )
})

test_that("ADMM-PVP: the minimiser moves by (2C/B)/Lam", {
  model <- fit(admm(eta = 0.5, perturb = "primal"), noise = gamma_noise(c(1, 2, 3)))
  expect_losses(model, sound = 6 * c(1, 2, 3) * 2 * share / modulus(0.5))
})

test_that("M-ADMM: noise inside the penalty is b = 2 eta V eps", {
  eta <- outer(c(0.5, 1, 2), 1.1^(1:6))
  alpha <- matrix(seq(0.5, 4, length.out = 18), 3)
  model <- fit(m_admm(eta = c(0.5, 1, 2), growth = 1.1, theta = 0.4), noise = gamma_noise(alpha))
  expect_losses(model,
    sound = rowSums(
      update_loss(alpha * 2 * share / (2 * eta * degree), 0.25 * share / modulus(eta))
    ),
    # sum_t C (1.4 c1 + alpha) / (eta V B)
    paper = rowSums(3 * (1.4 * 0.25 + alpha) / (eta * degree * sizes))
  )
})

test_that("R-ADMM and MR-ADMM: only odd updates cost", {
  model <- fit(r_admm(eta = 0.8, gamma = 0.1), noise = gamma_noise(0.7))
  expect_losses(model,
    sound = 3 * update_loss(0.7 * 2 * share, 0.25 * share / modulus(0.8)),
    paper = 3 * 2 * share * (1.4 * 0.25 / modulus(0.8) + 0.7)
  )
  growth <- c(1, 1.1, 1.3)
  eta <- 0.8 * outer(growth, 1:3, "^")
  model <- fit(mr_admm(eta = 0.8, growth = growth, gamma = 0.1), noise = gamma_noise(0.7))
  expect_losses(model,
    sound = rowSums(update_loss(0.7 * 2 * share, 0.25 * share / modulus(eta))),
    paper = rowSums(2 * share * (1.4 * 0.25 / modulus(eta) + 0.7))
  )
  # the last iteration of an odd number is a noisy one
  five <- fit(r_admm(eta = 0.8), noise = gamma_noise(0.7), iterations = 5)
  expect_equal(privacy(five)$epsilon,
    privacy(fit(r_admm(eta = 0.8), noise = gamma_noise(0.7)))$epsilon)
})

test_that("other losses and row bounds enter by their constants", {
  # hinge of width h: L = 1, c1 = 1/(2h); rows up to norm 2
  model <- fit(r_admm(eta = 0.8),
    loss = dpadmm_loss("hinge", 0.25), noise = gamma_noise(0.7),
    control = dpadmm_control(row_bound = 2)
  )
  sound <- 3 * (0.7 * 2 * share * 2 + log(1 + 2 * share * 4 / modulus(0.8)))
  expect_charged(privacy(model)$per_node$epsilon, sound)
  # 2 c1 = 16 > (B/C) Lam at node 1
  expect_error(privacy(model, "paper"), class = "dpadmm_error_theorem")
  # huber of width h: L = h, c1 = 1
  model <- fit(r_admm(eta = 0.8), loss = dpadmm_loss("huber", 3), noise = gamma_noise(0.7))
  sound <- 3 * (0.7 * 2 * share * 3 + log(1 + share / modulus(0.8)))
  expect_charged(privacy(model)$per_node$epsilon, sound)
})

test_that("the largest of unequal nodes counts, and the statement names it", {
  model <- fit(r_admm(eta = 0.8), noise = gamma_noise(c(1, 5, 2)))
  per_node <- 3 * update_loss(c(1, 5, 2) * 2 * share, 0.25 * share / modulus(0.8))
  expect_charged(privacy(model)$epsilon, max(per_node))
  expect_identical(which.max(per_node), 2L)
  text <- paste(format(privacy(model)), collapse = "\n")
  expect_match(text, 'node "2"); the largest counts', fixed = TRUE)
  figure <- format(privacy(model)$epsilon, digits = 4)
  expect_match(text, sprintf("epsilon = %s", figure), fixed = TRUE)
})

test_that("alpha is calibrated so that every node spends the budget", {
  for (method in list(
    admm(eta = c(0.5, 1, 2)), admm(perturb = "primal"), m_admm(eta = c(0.5, 1, 2), growth = 1.1),
    r_admm(eta = 0.8), mr_admm(eta = c(0.5, 1, 2), growth = c(1, 1.1, 1.2))
  )) {
    model <- fit(method, epsilon = 4)
    spent <- privacy(model)$per_node$epsilon
    expect_true(all(spent <= 4 * (1 + 1e-15)))
    expect_equal(spent, rep(4, 3), tolerance = 1e-8)
    # one alpha for all updates of a node
    expect_true(all(apply(model$noise, 1, function(a) length(unique(a)) == 1)))
  }
  # by hand
  model <- fit(r_admm(eta = 0.8), epsilon = 4)
  kappa <- 0.25 * share / modulus(0.8)
  expect_charged(rep(4, 3), 3 * update_loss(model$noise[, 1] * 2 * share, kappa))
})

test_that("alpha is calibrated to the printed theorem when that is asked for", {
  paper <- dpadmm_control(accountant = "paper")
  model <- fit(r_admm(eta = 0.8), epsilon = 4, control = paper)
  expect_equal(privacy(model, "paper")$per_node$epsilon, rep(4, 3), tolerance = 1e-8)
  expect_lt(privacy(model)$epsilon, 4) # the sound curvature term is smaller
  expect_equal(
    model$noise[, 1], (4 / 3 - 2 * share * 1.4 * 0.25 / modulus(0.8)) / (2 * share),
    tolerance = 1e-8
  )
  # M-ADMM: sum_t C(1.4 c1 + alpha)/(eta_t V B) = epsilon
  model <- fit(m_admm(eta = 1, growth = 1.1), epsilon = 9, control = paper)
  rate <- sum(1 / 1.1^(1:6)) * 3 / (degree * sizes)
  expect_equal(model$noise[, 1], 9 / rate - 1.4 * 0.25, tolerance = 1e-8)
  expect_error(fit(admm(perturb = "primal"), epsilon = 4, control = paper),
    class = "dpadmm_error_accountant")
})

test_that("delta > 0 calibrates Gaussian noise", {
  for (method in list(admm(eta = 1, perturb = "primal"), r_admm(eta = 1))) {
    model <- fit(method, epsilon = 3, delta = 1e-5)
    expect_identical(model$plan$budget$mechanism, "gaussian")
    got <- privacy(model)
    expect_identical(got$delta, 1e-5)
    expect_equal(got$per_node$epsilon, rep(3, 3), tolerance = 1e-6)
    expect_true(all(got$per_node$epsilon <= 3 * (1 + 1e-12)))
    expect_error(privacy(model, "paper"), class = "dpadmm_error_accountant")
  }
  # PVP is the plain Gaussian mechanism, composed: delta(epsilon) of Balle and Wang (2018)
  model <- fit(admm(eta = 1, perturb = "primal"), noise = gaussian_noise(0.8), delta = 1e-5)
  mu <- sqrt(6) * 2 * share / modulus(1) / 0.8
  delta_at <- function(epsilon,
    mu) pnorm(mu / 2 - epsilon / mu) - exp(epsilon) * pnorm(-mu / 2 - epsilon / mu)
  exact <- vapply(mu, function(m) uniroot(function(e) delta_at(e, m) - 1e-5, c(0, 50),
    tol = 1e-12)$root, 0)
  expect_charged(privacy(model)$per_node$epsilon, exact)
})

test_that("Gaussian noise without delta is an error, not a number", {
  for (method in list(admm(), admm(perturb = "primal"), m_admm(), r_admm(), mr_admm())) {
    error <- expect_error(fit(method, noise = gaussian_noise(1)), "needs `delta` > 0",
      class = "dpadmm_error_accountant"
    )
    expect_identical(error$argument, "delta")
  }
})

test_that("Gamma-norm noise with delta > 0 is never worse than without", {
  pure <- privacy(fit(r_admm(), noise = gamma_noise(0.5), iterations = 60))$epsilon
  approximate <- privacy(fit(r_admm(), noise = gamma_noise(0.5), delta = 1e-5, iterations = 60))
  expect_lt(approximate$epsilon, pure)
  expect_gt(approximate$epsilon, 0)
  expect_identical(approximate$delta, 1e-5)
})

test_that("a printed theorem whose condition fails is an error that names the node", {
  # 2 c1 < (B/C)(rho/N + 2 eta V) fails where B/C = 1: 0.5 > 0.01/3 + 0.2 at node 1
  weak <- fit(r_admm(eta = 0.1), C = 10, rho = 0.01, noise = gamma_noise(1))
  expect_gt(privacy(weak)$epsilon, 0) # the sound one needs no condition
  error <- expect_error(privacy(weak, "paper"), "2 c1 < \\(B/C\\).*node 1",
    class = "dpadmm_error_theorem")
  expect_identical(error$place, 1L)
  expect_identical(error$argument, "accountant")
  expect_error(
    fit(r_admm(eta = 0.1), C = 10, rho = 0.01, epsilon = 5,
      control = dpadmm_control(accountant = "paper")),
    class = "dpadmm_error_theorem"
  )
  # at the boundary: eta with (B/C) Lam = 2 c1 fails, a little more passes
  edge <- (0.5 - 0.01 / 3) / 2
  at <- function(eta) privacy(fit(r_admm(eta = eta), C = 10, rho = 0.01, noise = gamma_noise(1)),
    "paper")
  expect_error(at(edge * 0.999), class = "dpadmm_error_theorem")
  expect_s3_class(at(edge * 1.001), "dpadmm_privacy")
})

test_that("more iterations, less noise and fewer records cost more", {
  epsilon <- function(alpha = 1, iterations = 6, C = 3) {
    privacy(fit(mr_admm(), noise = gamma_noise(alpha), iterations = iterations, C = C))$epsilon
  }
  expect_gt(epsilon(iterations = 7), epsilon(iterations = 6))
  expect_identical(epsilon(iterations = 6), epsilon(iterations = 5))
  expect_gt(epsilon(alpha = 1.1), epsilon())
  expect_gt(epsilon(C = 3.3), epsilon())
})

test_that("the statement is in plain words", {
  model <- fit(r_admm(eta = 0.8), epsilon = 2, seed = 1, control = dpadmm_control(row_bound = 2))
  text <- format(privacy(model))
  for (line in c(
    "Privacy (sound): epsilon = 2, replace-one neighbours.",
    "had any one record been another of the same node",
    "the probability of any event is at most 7.39 times what it would have been then.",
    "The number of records of each node is taken to be public.",
      "3 releases a node with Gamma-norm noise in the objective",
    "Rows have norm at most 2", "It covers the program as it runs, rounding included",
      "simulation, not a private release"
  )) {
    expect_match(paste(text, collapse = " "), gsub(" ", " +", gsub("([().])", "\\\\\\1", line)))
  }
  expect_identical(text[1], "Seeded noise: a simulation, not a private release.")
  printed <- paste(format(privacy(model, "paper")), collapse = "\n")
  expect_match(printed, "as printed in recycled-admm, Theorem V.1", fixed = TRUE)
  expect_output(print(privacy(model)), "Privacy")
  expect_error(privacy(model, "rdp"), class = "dpadmm_error_argument")
})

test_that("what a statement says comes from the events alone", {
  one <- fit(r_admm(eta = 0.8), noise = gamma_noise(0.7))
  two <- dpadmm_fit(x[n:1, ] / 3, y,
    nodes = nodes, network = path, method = r_admm(eta = 0.8), C = 3, rho = 0.6, iterations = 6,
    weights = "nodes",
    noise = gamma_noise(0.7)
  )
  expect_identical(format(privacy(one)), format(privacy(two)))
  expect_identical(one$events, two$events)
})

test_that("privacy(iterations = TRUE) is what the releases up to each iteration cost", {
  model <- fit(mr_admm(eta = 1, growth = 1.1, gamma = 0.5), noise = gamma_noise(0.7))
  for (accountant in c("sound", "paper")) {
    path <- privacy(model, accountant = accountant, iterations = TRUE)
    expect_identical(path$iteration, c(1L, 3L, 5L)) # even ones are recycled
    # a run that ends there costs the same
    method <- mr_admm(eta = 1, growth = 1.1, gamma = 0.5)
    ended <- vapply(path$iteration, function(t) {
      short <- fit(method, noise = gamma_noise(0.7), iterations = t)
      privacy(short, accountant = accountant)$epsilon
    }, 0)
    expect_equal(path$epsilon, ended, tolerance = 1e-12)
    expect_identical(path$epsilon[3], privacy(model, accountant = accountant)$epsilon)
  }
  gaussian <- fit(admm(eta = 1), noise = gaussian_noise(0.5), delta = 1e-5)
  path <- privacy(gaussian, delta = 1e-3, iterations = TRUE)
  expect_identical(path$iteration, 1:6)
  expect_true(all(diff(path$epsilon) > 0))
  expect_identical(path$epsilon[6], privacy(gaussian, delta = 1e-3)$epsilon)
  bare <- fit(admm(eta = 1), epsilon = Inf)
  expect_identical(unique(privacy(bare, iterations = TRUE)$epsilon), Inf)
  expect_error(privacy(model, iterations = 2), class = "dpadmm_error_argument")
})
