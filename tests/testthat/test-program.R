# The program, to the last bit: messages on grids, the solver within its bound, and what the
# distance between program and theorem costs.

set.seed(3)
sizes <- c(40, 25, 60)
holder <- rep(1:3, sizes)
n <- sum(sizes)
x <- matrix(runif(4 * n, -0.5, 0.5), n)
y <- ifelse(x[, 1] + 0.2 * rnorm(n) > 0, 1, -1)

test_that("messages are multiples of a grid that the noise alone decides", {
  on_grid <- function(values, scale) {
    grid <- 2^(floor(log2(scale)) - 40)
    all(values == grid * round(values / grid))
  }
  for (method in list(admm(1), admm(1, "primal"), r_admm(1), m_admm(1), pp_admm(1))) {
    for (noise in list(gaussian_noise(0.8), gamma_noise(0.8))) {
      fit <- dpadmm_fit(x, y,
        nodes = holder, method = method, noise = noise, delta = 1e-5, iterations = 3,
        control = dpadmm_control(keep_iterates = TRUE)
      )
      size <- noise_mechanism(noise$mechanism)$size(fit$plan$scales$output[, 1])
      for (i in 1:3) expect_true(on_grid(fit$iterates[1, i, ], size[i]))
    }
  }
})

test_that("the solver is within what the plan sets aside, wherever public points are", {
  key <- noise_key(11)
  for (loss in c("logistic", "huber", "hinge")) for (start in c(0, 50, 1e4)) {
    fit <- dpadmm_fit(x, y,
      nodes = holder, method = admm(0.7), loss = loss, noise = gaussian_noise(0.5), delta = 1e-5,
      iterations = 1, C = 2, rho = 1, weights = "nodes", seed = 11,
      control = dpadmm_control(start = c(start, 0, -start, 1), keep_iterates = TRUE)
    )
    plan <- fit$plan
    network <- plan$problem$network
    for (i in 1:3) {
      own <- .Call(ffi_key_party, key, i)
      noise <- as.vector(.Call(ffi_noise, "gaussian", 0.5, 4, 1, own, 0))
      # the grid point, without the noise that was put on it
      solved <- fit$iterates[1, i, ] - sent(numeric(4), plan$scales$output[i, 1], 1, own, 1)
      modulus <- 1 / 3 + 2 * 0.7 * network$degree[i]
      linear <- noise - 0.7 * 2 * network$degree[i] * c(start, 0, -start, 1)
      rows <- x[holder == i, ]
      slope <- .Call(ffi_loss, loss, plan$problem$loss$width, as.vector(rows %*% solved),
        y[holder == i])$gradient
      gradient <- as.vector(crossprod(rows, slope)) * 2 / sizes[i] + modulus * solved + linear
      rounded <- modulus * 2^-40 * plan$scales$output[i, 1]
      expect_lte(sqrt(sum(gradient^2)), plan$tol[i] + plan$slop[i] + rounded)
    }
  }
})

test_that("the program costs less than 0.1% of epsilon, by default", {
  for (method in method_cases()) for (delta in c(1e-5, 0)) {
    take <- if (has_nodes(method)) rep(4000, 5) else 20000
    plan <- tryCatch(dpadmm_plan(10, take, method = method, epsilon = 1, delta = delta),
      dpadmm_error_accountant = function(e) NULL # Gaussian noise only
    )
    if (is.null(plan)) next
    expect_lte(privacy(plan)$epsilon, 1)
    ideal <- plan
    ideal$slop <- 0 * plan$slop
    if (is.null(plan$beta)) ideal$tol <- 0 * plan$tol
    ideal <- with_releases(method, ideal)
    rows <- ideal$releases$sensitivity > 0 | ideal$releases$part == "test"
    ideal$releases <- ideal$releases[rows, ]
    if (is.null(plan$beta)) {
      ideal$releases <- ideal$releases[is.finite(ideal$releases$weight), ]
      unit <- release_units(ideal$releases, plan$unit)
      events <- release_events(ideal$releases, unit, plan$budget$mechanism, plan$problem)
      expect_gte(account(events, delta)$epsilon, privacy(plan)$epsilon * (1 - 1e-3))
    }
  }
})

test_that("a public start may be far away, and where nothing could hide rounding it is refused", {
  from <- function(start) {
    dpadmm_fit(x, y,
      nodes = holder, method = admm(1), epsilon = 2, delta = 1e-5, iterations = 4,
      control = dpadmm_control(start = rep(start, 4))
    )
  }
  far <- from(1e10)
  expect_true(all(is.finite(coef(far))))
  expect_lte(privacy(far)$epsilon, 2)
  expect_gt(max(far$plan$slop), 10 * max(from(0)$plan$slop)) # more is hidden
  expect_error(from(1e300), "Rounding", class = "dpadmm_error_argument")
})

test_that("a tolerance is charged, however loose", {
  for (tol in c(1e-9, 1e-4, 1e-2)) {
    fit <- dpadmm_fit(x, y,
      nodes = holder, method = admm(1), epsilon = 2, delta = 1e-5, iterations = 4,
      control = dpadmm_control(tol = tol)
    )
    expect_lte(privacy(fit)$epsilon, 2)
    expect_gte(min(fit$plan$scales$output), 2 * tol / max(modulus_of(fit$plan)) / 0.03 * 0.1)
  }
})

test_that("a tolerance below what doubles can see is raised, and long growth is solved", {
  for (seed in 1:5) {
    expect_no_error(dpadmm_fit(x, y,
      nodes = holder, method = admm(), epsilon = 1, delta = 1e-6, iterations = 1, seed = seed,
      control = dpadmm_control(tol = 1e-20)
    ))
  }
  fit <- dpadmm_fit(x, y,
    nodes = holder, method = m_admm(growth = 1.08), epsilon = 1, iterations = 200
  )
  expect_lte(privacy(fit)$epsilon, 1)
})

test_that("an operator's state that rounding would betray is refused by its own size alone", {
  far <- function(positive) {
    fixed_point(
      operator_gradient(matrix(1, 100), rep(c(1e17, -1e17), c(positive, 100 - positive)), "huber",
        step = 1
      ),
      u0 = 1e15, lambda = 1, noise = gaussian_noise(0.01), iterations = 1, delta = 1e-6
    )
  }
  for (positive in c(31, 32)) expect_error(far(positive), class = "dpadmm_error_argument")
})

test_that("a solver that ends on all records is part of the plan, or there is none", {
  plan_of <- function(eta, tol = NULL, ...) {
    dpadmm_plan(4, c(a = 30, b = 20, c = 50), method = admm(eta), C = 20, rho = 1e-9,
      noise = gaussian_noise(0.5), delta = 1e-5, iterations = 3,
      control = dpadmm_control(tol = tol), ...
    )
  }
  for (eta in c(1, 1e-2, 1e-4)) {
    plan <- plan_of(eta, tol = 1e-20)
    condition <- 1 + 20 / 4 / (4 * eta + 1e-9 / 3)
    # the sum over records alone rounds by this
    summed <- plan$problem$size * 20 * 2^-53
    expect_true(all(plan$tol >= 4 * condition * summed))
  }
  expect_blame(plan_of(1e-7), "argument", "eta", "ill-conditioned", place = "a")
  expect_blame(plan_of(c(1, 1e-7, 1)), "argument", "eta", place = "b")
})

test_that("a penalty that grows for long costs no noise that hides rounding", {
  plan_of <- function(growth, delta) {
    dpadmm_plan(10, rep(1000, 5), method = m_admm(growth = growth), epsilon = 1, delta = delta,
      iterations = 200
    )
  }
  for (delta in c(0, 1e-5)) for (growth in c(1.1, 1.4)) {
    plan <- plan_of(growth, delta)
    expect_lte(privacy(plan)$epsilon, 1)
    expect_gt(privacy(plan)$epsilon, 0.99)
    mechanism <- noise_mechanism(plan$budget$mechanism)
    own <- mechanism$sd(plan$scales$objective, 10) / modulus_of(plan)
    hidden <- mechanism$sd(plan$scales$output, 10)
    expect_lt(max(hidden / own), 0.2) # of the noise that is meant
  }
  fit <- dpadmm_fit(x, y, nodes = holder, method = m_admm(growth = 1.4), epsilon = 1, delta = 1e-5,
    iterations = 200
  )
  expect_true(all(is.finite(coef(fit))))
})

test_that("that noise has the share of the budget with which there is hardly less noise in all", {
  most <- function(..., size = 8000) {
    plan <- dpadmm_plan(105, rep(size, 5), method = admm(), network = network_star(5), ...)
    mechanism <- noise_mechanism(plan$budget$mechanism)
    pure <- mechanism$pure
    own <- mechanism$sd(plan$scales$objective, 105) / modulus_of(plan)
    ratio <- sqrt(mean((mechanism$sd(plan$scales$output, 105) / own)^2))
    hidden <- plan$events$mechanism == if (pure) "pure" else "gaussian"
    squares <- function(e) sum((e$sensitivity / e$sigma)^2)
    share <- if (pure) {
      account(plan$events[hidden, ])$epsilon / account(plan$events[!hidden, ])$epsilon
    } else {
      sqrt(squares(plan$events[hidden, ]) / squares(plan$events[!hidden, ]))
    }
    of <- function(s) (1 + (ratio * share / s)^2) * if (pure) (1 + s)^2 else 1 + s^2
    c(share = share, over = of(share) / min(of(10^seq(-5, 0, 0.01))))
  }
  # the least where it is small by itself
  expect_equal(most(epsilon = 1, delta = 1e-5, iterations = 20)[["share"]], 0.03, tolerance = 0.01)
  for (C in c(5e5, 2e6)) {
    found <- most(epsilon = 15, C = C, rho = 0.2, iterations = 50, size = 2e6)
    expect_gt(found[["share"]], 2e-3)
    expect_lt(found[["over"]], 1.01)
  }
  found <- most(epsilon = 1, delta = 1e-5, iterations = 20, control = dpadmm_control(tol = 1e-4))
  expect_gt(found[["share"]], 0.05)
  expect_lt(found[["over"]], 1.01)
})

test_that("what hides the program costs under 0.1% of a default plan's epsilon", {
  cost <- function(d, size, ...) {
    events <- dpadmm_plan(d, sizes = rep(size, 5), ...)$events
    pure <- all(events$sigma == 0 | is.na(events$sigma) | events$mechanism != "gaussian")
    hidden <- events$mechanism == if (pure) "pure" else "gaussian"
    expect_gt(sum(hidden), 0)
    if (pure) {
      return(account(events[hidden, ])$epsilon / account(events[!hidden, ])$epsilon)
    }
    squares <- function(e) sum((e$sensitivity / e$sigma)^2)
    squares(events[hidden, ]) / squares(events[!hidden, ])
  }
  for (size in c(200, 8000, 2e5)) {
    for (epsilon in c(0.1, 1, 8)) {
      expect_lt(cost(105, size, epsilon = epsilon), 1e-3)
      expect_lt(cost(105, size, epsilon = epsilon, delta = 1e-5), 1e-3)
    }
    expect_lt(cost(5, size, epsilon = 1), 1e-3)
    expect_lt(cost(500, size, epsilon = 1, delta = 1e-5), 1e-3)
  }
})

test_that("public points are cut where no model walks to", {
  set.seed(4)
  x <- matrix(rnorm(2000 * 3), 2000) / 3
  y <- ifelse(x %*% c(5, -3, 4) + stats::rlogis(2000) > 0, 1, -1)
  coefs <- function(eta, ...) {
    coef(dpadmm_fit(x, y,
      nodes = 5, method = admm(eta), C = 4, rho = 0.01, iterations = 300, seed = 1, ...
    ))
  }
  for (eta in c(1, 10)) {
    private <- coefs(eta, noise = gaussian_noise(1e-6), delta = 1e-5)
    expect_equal(private, coefs(eta, epsilon = Inf), tolerance = 1e-3)
  }
})
