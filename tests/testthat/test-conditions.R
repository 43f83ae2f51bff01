# Every error has its class, names the argument and, where there is one, the place. Here:
# records as a matrix, nodes, numbers and settings.

n <- 40
x <- matrix(sin(seq_len(3 * n)), n) / 2
y <- rep(c(-1, 1), n / 2)
nodes <- rep(1:4, n / 4)

fit <- function(..., .x = x, .y = y, .nodes = nodes, epsilon = Inf, iterations = 2) {
  dpadmm_fit(.x, .y, nodes = .nodes, ..., epsilon = epsilon, iterations = iterations)
}

test_that("missing and infinite predictors name row and column", {
  at <- cbind(7, 2)
  expect_blame(fit(.x = spoil(x, at, NA)), "missing", "x", "row 7, column 2", c(7, 2))
  expect_blame(fit(.x = spoil(x, at, NaN)), "finite", "x", "NaN at row 7, column 2", c(7, 2))
  expect_blame(fit(.x = spoil(x, at, Inf)), "finite", "x", "Inf at row 7, column 2", c(7, 2))
  expect_blame(fit(.x = spoil(x, at, -Inf)), "finite", "x", "-Inf at row 7, column 2", c(7, 2))
  # a sparse matrix counts its entries otherwise: an empty column before the bad one
  sparse <- x
  sparse[, 1] <- 0
  sparse[1:5, 2] <- 0
  for (bad in c(NA, NaN, Inf)) {
    given <- Matrix::Matrix(spoil(sparse, cbind(40, 3), bad), sparse = TRUE)
    expect_blame(
      fit(.x = given), if (is.na(bad) && !is.nan(bad)) "missing" else "finite", "x",
      "row 40, column 3", c(40, 3)
    )
  }
})

test_that("what is no matrix of numbers, or is empty, is refused", {
  expect_blame(fit(.x = as.list(1:n)), "argument", "x", "list")
  expect_blame(fit(.x = seq_len(n)), "argument", "x")
  expect_blame(fit(.x = matrix("a", n, 2)), "argument", "x")
  expect_blame(fit(.x = x[, 0]), "shape", "x", "40 x 0")
  expect_blame(fit(.x = x[0, ], .y = y[0]), "shape", "x", "0 x 3")
})

test_that("labels must be of two classes, one a record", {
  expect_blame(fit(.y = y[-1]), "shape", "y", "40")
  expect_blame(fit(.y = c(y, 1)), "shape", "y", "41")
  expect_blame(fit(.y = NULL), "shape", "y")
  expect_blame(fit(.y = spoil(y, 9, NA)), "missing", "y", "position 9", 9)
  expect_blame(fit(.y = spoil(y, 9, NaN)), "finite", "y", "NaN at position 9", 9)
  expect_blame(fit(.y = spoil(y, 9, Inf)), "finite", "y", "position 9", 9)
  expect_blame(fit(.y = spoil(y, 9, 2)), "labels", "y", "2 at position 9", 9)
  expect_blame(fit(.y = factor(rep("a", n))), "labels", "y", "two classes, not 1")
  expect_blame(fit(.y = rep_len(c("a", "b", "c"), n)), "labels", "y", "two classes, not 3")
  expect_blame(fit(.y = factor(rep_len(c("a", "b"), n), c("a", "b", "c"))), "labels", "y", "not 3")
  expect_blame(fit(.y = as.complex(y)), "argument", "y", "complex")
  expect_blame(fit(.y = as.list(y)), "argument", "y", "list")
  expect_blame(dpadmm_fit(x, nodes = 4, epsilon = 1), "argument", "y", "missing")
})

test_that("labels that are all the same are no error, which would tell of one that differs", {
  for (same in list(1, -1, 0, TRUE, factor("a", c("a", "b")))) {
    model <- fit(.x = abs(x), .y = rep(same, n))
    # without declared classes 0 is -1, as it would be next to a -1
    expect_true(all(predict(model, abs(x)) == if (identical(same, 0)) -1 else same))
  }
})

test_that("a regression loss takes any finite numbers, nothing else", {
  expect_blame(fit(.y = spoil(x[, 1], 3, Inf), loss = "huber"), "finite", "y", "position 3", 3)
  expect_blame(fit(.y = factor(y), loss = "huber"), "argument", "y", "factor")
  expect_blame(fit(loss = "squared", epsilon = 1), "argument", "loss", "huber")
})

test_that("who holds what must be clear", {
  expect_blame(dpadmm_fit(x, y, epsilon = 1), "argument", "nodes", "missing")
  expect_blame(fit(.nodes = NULL), "nodes", "nodes")
  expect_blame(fit(.nodes = 1), "argument", "nodes", "[2, 40]", 1)
  expect_blame(fit(.nodes = 41), "argument", "nodes", "[2, 40]", 1)
  expect_blame(fit(.nodes = 2.5), "argument", "nodes", "whole number", 1)
  expect_blame(fit(.nodes = NaN), "finite", "nodes", place = 1)
  expect_blame(fit(.nodes = nodes[-1]), "shape", "nodes", "40")
  expect_blame(fit(.nodes = spoil(nodes, 5, NA)), "missing", "nodes", "position 5", 5)
  expect_blame(fit(.nodes = ~site), "shape", "nodes")
  error <- expect_error(fit(.nodes = factor(nodes, 1:5)), "\"5\" has no records",
    class = "dpadmm_error_nodes"
  )
  expect_identical(error[c("argument", "place")], list(argument = "nodes", place = "5"))
  error <- expect_error(fit(.nodes = rep("a", n)), "two nodes", class = "dpadmm_error_nodes")
  expect_identical(error$argument, "nodes")
})

test_that("C is at most the records of every node", {
  uneven <- rep(c("a", "b", "c"), c(20, 6, 14))
  error <- expect_blame(fit(.nodes = uneven, C = 6.5, weights = "nodes"), "argument", "C",
    "6.5 for node \"b\", which has 6", "b"
  )
  expect_identical(error$value, 6.5)
  expect_s3_class(fit(.nodes = uneven, C = 6, weights = "nodes"), "dpadmm_fit")
})

test_that("numbers of the problem are in their range", {
  for (name in c("C", "rho")) {
    for (bad in list(0, -1)) {
      expect_blame(do.call(fit, setNames(list(bad), name)), "argument", name, "(0, Inf)", 1)
    }
    expect_blame(do.call(fit, setNames(list(NaN), name)), "finite", name, "NaN", 1)
    expect_blame(do.call(fit, setNames(list(Inf), name)), "finite", name, "Inf", 1)
    expect_blame(do.call(fit, setNames(list(NA_real_), name)), "missing", name, place = 1)
    expect_blame(do.call(fit, setNames(list("1"), name)), "argument", name)
    expect_blame(do.call(fit, setNames(list(c(1, 1)), name)), "shape", name, "length 1")
  }
  expect_blame(fit(iterations = 0), "argument", "iterations", "whole number", 1)
  expect_blame(fit(iterations = 1.5), "argument", "iterations", "1.5", 1)
  expect_blame(fit(iterations = Inf), "finite", "iterations", place = 1)
  expect_blame(fit(seed = -1), "argument", "seed", place = 1)
  expect_blame(fit(seed = 0.5), "argument", "seed", place = 1)
  expect_blame(fit(penalty = 1), "argument", "penalty")
  expect_blame(fit(loss = "foo"), "argument", "loss", "foo")
  expect_blame(fit(method = "ridge"), "argument", "method")
  expect_blame(fit(method = admm), "argument", "method")
  expect_blame(fit(network = "rings"), "argument", "network", "\"star\"")
  expect_blame(fit(control = list()), "argument", "control")
  expect_blame(fit(iteration_count = 3), "argument", "iteration_count", "Unknown")
})

test_that("budget and noise are positive, and exactly one is given", {
  expect_blame(fit(epsilon = 0), "argument", "epsilon", "(0, Inf)", 1)
  expect_blame(fit(epsilon = -1), "argument", "epsilon", "-1", 1)
  expect_blame(fit(epsilon = -Inf), "argument", "epsilon", "-Inf", 1)
  expect_blame(fit(epsilon = NaN), "finite", "epsilon", "NaN", 1)
  expect_blame(fit(epsilon = NA_real_), "missing", "epsilon", place = 1)
  expect_blame(fit(epsilon = "1"), "argument", "epsilon")
  expect_blame(fit(epsilon = 1, delta = 1), "argument", "delta", "[0, 1)", 1)
  expect_blame(fit(epsilon = 1, delta = -0.1), "argument", "delta", place = 1)
  expect_blame(fit(epsilon = 1, delta = NaN), "finite", "delta", place = 1)
  expect_blame(fit(noise = gamma_noise(1)), "argument", "epsilon", "exactly one")
  expect_blame(dpadmm_fit(x, y, nodes = 4), "argument", "epsilon", "exactly one")
  expect_blame(dpadmm_fit(x, y, nodes = 4, noise = 1), "argument", "noise")
  for (bad in list(0, -1, c(1, 0))) {
    expect_blame(gamma_noise(bad), "argument", "alpha", place = length(bad))
    expect_blame(gaussian_noise(bad), "argument", "sigma", place = length(bad))
  }
  expect_blame(gamma_noise(Inf), "finite", "alpha", place = 1)
  expect_blame(dpadmm_fit(x, y, nodes = 4, noise = gaussian_noise(1)), "accountant", "delta")
  error <- expect_error(dpadmm_fit(x, y, nodes = 4, noise = gamma_noise(1:3)), "4 \\(one a node\\)",
    class = "dpadmm_error_shape"
  )
  expect_identical(error$argument, "noise")
  error <- expect_error(
    dpadmm_fit(x, y, nodes = 4, noise = gamma_noise(matrix(1, 4, 2)), iterations = 10),
    "4 x 5 matrix", class = "dpadmm_error_shape"
  )
  expect_identical(error$argument, "noise")
})

test_that("a budget out of reach says what noise cannot buy down", {
  # 1 noisy update: log(1 + c1 C/(B Lam)) remains, Lam = rho/N + 2 eta V = 0.0025 + 6
  floor <- log1p(0.25 / 10 / (0.01 / 4 + 6))
  method <- mr_admm(eta = 1, growth = 1)
  error <- expect_error(fit(epsilon = floor / 2, method = method, C = 1),
    class = "dpadmm_error_budget"
  )
  expect_identical(error$argument, "epsilon")
  expect_equal(error$floor, floor, tolerance = 1e-6)
  expect_s3_class(fit(epsilon = floor * 1.01, method = method, C = 1), "dpadmm_fit")
  # the other way there is next to no noise, and the statement says so
  expect_match(paste(format(privacy(fit(epsilon = 1e15, method = method, C = 1))), collapse = " "),
    "protects next to nobody"
  )
})

test_that("parameters of methods are in their range", {
  positive <- list(
    eta = function(v) admm(eta = v), eta = function(v) m_admm(eta = v),
      theta = function(v) m_admm(theta = v),
    eta = function(v) r_admm(eta = v), eta = function(v) mr_admm(eta = v)
  )
  for (k in seq_along(positive)) {
    name <- names(positive)[k]
    expect_blame(positive[[k]](0), "argument", name, "(0, Inf)", 1)
    expect_blame(positive[[k]](c(1, -2)), "argument", name, "position 2", 2)
    expect_blame(positive[[k]](NaN), "finite", name, place = 1)
    expect_blame(positive[[k]](c(1, 1, Inf)), "finite", name, "position 3", 3)
    expect_blame(positive[[k]](NA_real_), "missing", name, place = 1)
    expect_blame(positive[[k]]("1"), "argument", name)
    expect_blame(fit(method = positive[[k]](c(1, 1, 1))), "shape", name, "1 or 4")
  }
  for (make in list(m_admm, mr_admm)) {
    expect_blame(make(growth = 0.99), "argument", "growth", "[1, Inf)", 1)
    expect_blame(make(growth = c(1.1, 0.9)), "argument", "growth", "position 2", 2)
    expect_blame(fit(method = make(growth = 1e200), iterations = 8), "finite", "growth",
      place = if (identical(make, m_admm)) c(1, 2) else c(1, 3)
    )
  }
  expect_blame(r_admm(gamma = -0.1), "argument", "gamma", "[0, Inf)", 1)
  expect_blame(mr_admm(gamma = c(0, -1)), "argument", "gamma", "position 2", 2)
  expect_blame(admm(perturb = "both"), "argument", "perturb", "both")
  expect_s3_class(r_admm(gamma = 0), "dpadmm_method")
  expect_s3_class(mr_admm(growth = 1), "dpadmm_method")
})

test_that("settings are in their range", {
  expect_blame(dpadmm_control(tol = 0), "argument", "tol", place = 1)
  expect_blame(dpadmm_control(threads = 0), "argument", "threads", place = 1)
  expect_blame(dpadmm_control(threads = 1.5), "argument", "threads", place = 1)
  expect_blame(dpadmm_control(keep_iterates = NA), "argument", "keep_iterates")
  expect_blame(dpadmm_control(row_bound = 0), "argument", "row_bound", place = 1)
  expect_blame(dpadmm_control(row_bound = Inf), "finite", "row_bound", place = 1)
  expect_blame(dpadmm_control(accountant = "rdp"), "argument", "accountant", "rdp")
  expect_blame(dpadmm_control(start = c(0, NaN)), "finite", "start", "position 2", 2)
  expect_blame(dpadmm_control(start = "zero"), "argument", "start")
  expect_blame(fit(control = dpadmm_control(start = c(0, 0))), "shape", "start", "length 3")
  expect_blame(fit(control = dpadmm_control(start = matrix(0, 3, 4))), "shape", "start", "4 x 3")
  expect_blame(dpadmm_loss("hinge", width = 0), "argument", "width", place = 1)
  expect_blame(dpadmm_loss("logistic", width = 1), "argument", "width")
})

test_that("the network fits the nodes", {
  error <- expect_error(fit(network = network_ring(3)), "3 nodes.*belong to 4",
    class = "dpadmm_error_nodes"
  )
  expect_identical(error$argument, "network")
  A <- matrix(1, 3, 3) - diag(3)
  rownames(A) <- c("a", "b", "c")
  error <- expect_error(fit(.nodes = rep_len(c("a", "b", "q"), n), network = network_adjacency(A)),
    "\"q\"", class = "dpadmm_error_nodes"
  )
  expect_identical(error$place, "q")
})

test_that("an error's call is the user's function, without its data", {
  error <- tryCatch(do.call(dpadmm_fit, list(x, y[-1], nodes = 4, epsilon = 1)), error = identity)
  expect_lt(length(serialize(conditionCall(error), NULL)), 500)
  error <- tryCatch(fit(.y = y[-1]), error = identity)
  expect_identical(conditionCall(error), quote(dpadmm_fit()))
})

test_that("events name what is not a number, a place or a flag", {
  pure <- function(...) dp_event_pure(1, ...)
  for (node in list(-1, 1.5, 1e12, Inf, TRUE, list(1), Sys.Date())) {
    expect_blame(pure(node = node), if (identical(node, Inf)) "finite" else "argument", "node",
      place = if (is.double(node) && !is.object(node)) 1L
    )
  }
  expect_blame(pure(iteration = "x"), "argument", "iteration")
  expect_identical(account(pure(node = factor(c("b", "a"))))$per_node$node, c("b", "a"))
  # Gamma-norm noise has a dimension, Gaussian noise may be ideal, row by row
  expect_blame(dp_event_gamma(1, 1, dim = NA), "argument", "dim")
  expect_blame(dp_event_gamma(1, 1, dim = c(3, NA)), "missing", "dim", place = 2L)
  expect_blame(dp_event_objective_gamma(1, 1, 0, 1, dim = 1.5), "argument", "dim", place = 1L)
  expect_blame(dp_event_gaussian(1, 1, dim = "a"), "argument", "dim")
  expect_identical(dp_event_gaussian(1, 1, dim = c(NA, 5))$dim, c(NA, 5))
  expect_blame(dp_event_objective_gaussian(1, 1, 0, 1, logistic_curvature = NA),
    "argument", "logistic_curvature"
  )
})

test_that("generics of ours say what they take, and vectors what they are", {
  expect_blame(privacy("x"), "argument", "fit", "not the character x")
  expect_blame(privacy(dp_event_pure(1)), "argument", "fit", "dpadmm_plan()")
  expect_blame(evaluate(3), "argument", "fit", "dpadmm_fit()")
  expect_blame(loss_trace(3), "argument", "fit", "dpadmm_fit()")
  expect_blame(ledger_report(3), "argument", "x", "dpadmm_ledger()")
  expect_blame(dp_event_pure(numeric(0)), "argument", "epsilon", "0 values of type double")
  expect_blame(account(dp_event_pure(1), accountant = c("pure", "rdp")), "argument", "accountant",
    "2 values of type character"
  )
})

test_that("an epsilon that asks for an infinite penalty is to blame for it", {
  expect_blame(dpadmm_plan(3, sizes = c(100, 100), epsilon = 1e-300), "budget", "epsilon")
})

test_that("iterations and verdicts name what does not fit", {
  expect_blame(fixed_point(identity, 1, noise = gamma_noise(1), sensitivity = 1), "argument",
    "noise", "gaussian_noise()"
  )
  lasso <- sim_lasso(n = 20, p = 4, support = 1, seed = 1)
  expect_blame(general_admm(prox_loss(lasso$x, lasso$y, "huber"), penalty_l1(1), u0 = numeric(3)),
    "shape", "x", "3, not 4"
  )
  found <- data.frame(repetition = 1:2, m = c("a", "b"), y = 1:2)
  expect_blame(verdict(found, "y", by = "m", of = "q", than = "b", size = 1), "argument", "of")
})
