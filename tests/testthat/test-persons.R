# Several records of one person, protected together (Theorem 17 of "Privacy accounting"): what
# plans charge, against laws that are worked out here for all records of a person at once.

skip_on_cran()

orders <- c(1.5, 2, 4, 8, 20)

person_plan <- function(m, ..., d = 1, sizes = c(A = 40, B = 50), delta = 1e-5) {
  dpadmm_plan(d, sizes, per_person = m, delta = delta, ...)
}

event_of <- function(plan, mechanism) {
  events <- as.data.frame(plan$events)
  events[events$mechanism == mechanism & (is.na(events$node) | events$node == 1), ][1L, ]
}

# The larger divergence of two log densities on a fine grid of a line.
line_divergence <- function(p, q, from, to, order) {
  x <- seq(from, to, length.out = 40001)
  w <- log((x[2L] - x[1L]) * c(0.5, rep(1, length(x) - 2L), 0.5))
  sum_of <- function(y) max(y) + log(sum(exp(y - max(y))))
  p <- p(x)
  q <- q(x)
  stopifnot(abs(c(sum_of(p + w), sum_of(q + w))) < 1e-3) # complete
  max(sum_of(order * p + (1 - order) * q + w), sum_of(order * q + (1 - order) * p + w)) /
    (order - 1)
}

test_that("noise in the objective hides all records of a person", {
  m <- 3
  sigma <- 0.2
  slopes <- list(
    huber = list(function(a, y) pmin(pmax(a - y, -1), 1), function(a, y) abs(a - y) < 1),
    logistic = list(function(a, y) -y * plogis(-y * a), function(a, y) plogis(a) * plogis(-a))
  )
  pairs <- list(
    huber = list(list(c(9, 9, 9), c(-9, -9, -9)), list(c(0.4, 0.4, 0.4), c(9, 9, 9)),
      list(c(1.2, 1.2, 1.2), c(-1.2, -1.2, -1.2)), list(c(0.3, 5, -2), c(0.1, 0.2, 0.3))),
    logistic = list(list(c(1, 1, 1), c(-1, -1, -1)), list(c(1, 1, -1), c(-1, 1, -1)))
  )
  for (name in names(slopes)) {
    plan <- person_plan(m, method = admm(eta = 0.1), loss = name, C = 2, rho = 0.2,
      iterations = 1, noise = gaussian_noise(sigma))
    event <- event_of(plan, "objective_gaussian")
    claimed <- function(sensitivity, curvature) {
      rdp_objective_gaussian(orders, sigma, sensitivity, curvature, event$modulus,
        logistic_curvature = event$logistic_curvature)
    }
    claim <- claimed(event$sensitivity, event$curvature)
    weight <- plan$problem$C[1L] / plan$problem$size[1L]
    log_density <- function(y) {
      function(theta) { # records of x = 1 and the objective's other records far out
        slope <- weight * rowSums(outer(theta, y, slopes[[name]][[1L]]))
        curve <- weight * rowSums(outer(theta, y, slopes[[name]][[2L]]))
        dnorm(event$modulus * theta + slope, 0, sigma, log = TRUE) + log(event$modulus + curve)
      }
    }
    reach <- (12 * sigma + 30 * weight * m) / event$modulus
    truth <- sapply(pairs[[name]], function(pair) {
      vapply(orders, function(a) {
        line_divergence(log_density(pair[[1L]]), log_density(pair[[2L]]), -reach, reach, a)
      }, 0)
    })
    expect_true(all(truth <= claim * (1 + 1e-6)), label = name)
    expect_gt(max(truth / claim), c(huber = 0.9, logistic = 0.2)[[name]]) # and it is no excess
    one <- person_plan(1, method = admm(eta = 0.1), loss = name, C = 2, rho = 0.2,
      iterations = 1, noise = gaussian_noise(sigma))
    small <- event_of(one, "objective_gaussian")
    expect_true(any(truth > claimed(small$sensitivity, small$curvature)))
  }
})

test_that("curvature of records across each other multiplies", {
  both <- lapply(c(3, 1), person_plan, d = 3, delta = 0, noise = gamma_noise(1), loss = "huber",
    method = admm(eta = 0.01), weights = "nodes")
  plan <- both[[1L]]
  one <- both[[2L]]
  event <- event_of(plan, "objective_gamma")
  h <- event_of(one, "objective_gamma")$curvature
  with <- log(det(event$modulus * diag(3) + h * diag(3)))
  expect_equal(log1p(event$curvature / event$modulus), with - 3 * log(event$modulus))
  expect_gt(event$curvature, 3 * h)
  # pure losses are those of one record three times
  three <- dp_event_objective_gamma(event$alpha, event$sensitivity / 3, h, event$modulus, dim = 3)
  together <- dp_event_objective_gamma(event$alpha, event$sensitivity, event$curvature,
    event$modulus, dim = 3)
  expect_equal(account(together)$epsilon, account(rep(three, 3))$epsilon)
})

test_that("the logistic loss's own curvature may be used of several records", {
  # the largest loss of m records, each with its own slope, on a grid of slopes
  inside <- asNamespace("dpadmm")
  u <- seq(0, 1, length.out = 41)
  grid <- expand.grid(u, u, u)
  for (kappa in c(0.01, 0.3, 3)) {
    for (shift in c(0.01, 0.2, 2)) { # alpha times what one record moves
      each <- shift / 2 * grid + log1p(4 * kappa * grid * (1 - grid))
      truth <- max(rowSums(each)) + 3 * shift / 2
      together <- inside$person_curvature(kappa, 1, 3)
      claim <- inside$objective_pure_loss(3 * shift, together, TRUE)
      expect_gte(claim, truth * (1 - 1e-12))
      expect_lte(claim, 3 * shift + log1p(together) + 1e-9)
    }
  }
})

test_that("minimisers, gradients, proximal steps and queries move by what is charged", {
  n <- 40
  root <- function(f) stats::uniroot(f, c(-1e3, 1e3), tol = 1e-13)$root
  slope <- function(a, y) pmin(pmax(a - y, -1), 1)
  others <- rep_len(c(-500, 500), n - 3) # whose slopes do not change
  moved <- function(solve) abs(solve(c(99, 99, 99, others)) - solve(c(-99, -99, -99, others)))
  given <- list(3, loss = "huber", noise = gaussian_noise(0.2), iterations = 4)
  sensitivity <- function(...) event_of(do.call(person_plan, c(given, list(...))), "gaussian")

  primal <- do.call(person_plan, c(given, list(method = admm(0.02, "primal"), C = 2)))
  modulus <- 0.01 / 2 + 2 * 0.02
  weight <- primal$problem$C[1L]
  truth <- moved(function(y) root(function(t) weight * mean(slope(t, y)) + modulus * t))
  expect_lte(truth, event_of(primal, "gaussian")$sensitivity)
  expect_gt(truth, 0.8 * event_of(primal, "gaussian")$sensitivity)

  total <- 90
  event <- sensitivity(method = grad_admm())
  expect_equal(event$sensitivity, moved(function(y) sum(slope(0, y)) / total), tolerance = 1e-8)
  event <- sensitivity(method = dp_sgd())
  expect_equal(event$sensitivity, moved(function(y) sum(slope(0, y)) / total), tolerance = 1e-8)

  prox <- function(y) root(function(t) t + 0.1 * (2 * n / total) * mean(slope(t, y)))
  event <- sensitivity(method = fp_admm(gamma = 0.1, noise = "block"))
  expect_lte(2 * moved(prox), event$sensitivity) # 2 (x - z)
  expect_gt(2 * moved(prox), 0.8 * event$sensitivity)

  query <- function(m) {
    problem <- person_plan(m, epsilon = 1, C = 2, weights = "nodes")$problem
    asNamespace("dpadmm")$query_sensitivity(problem, 1, 0, 50)[1L]
  }
  expect_equal(query(3), 3 * query(1))
})

test_that("a random sample of a person's records is what is charged, or less", {
  m <- 3
  for (relation in c("replace-one", "add-remove")) {
    for (z in c(1, 4)) {
      plan <- person_plan(m, method = dp_sgd(batch = 9, neighbours = relation), iterations = 5,
        noise = gaussian_noise(z / 9), sizes = 90)
      event <- event_of(plan, "subsampled_gaussian")
      claim <- event$count * rdp_subsampled_gaussian(orders, event$q,
        event$sigma / event$sensitivity, neighbours = relation)
      mixture <- function(sign) {
        function(x) {
          k <- 0:m
          parts <- vapply(k, function(k) {
            dbinom(k, m, 0.1, log = TRUE) + dnorm(x, sign * k / z, log = TRUE)
          }, x)
          top <- apply(parts, 1L, max)
          top + log(rowSums(exp(parts - top)))
        }
      }
      truth <- vapply(orders, function(a) {
        line_divergence(mixture(1), mixture(if (relation == "replace-one") -1 else 0), -40, 40, a)
      }, 0)
      expect_true(all(truth <= claim * (1 + 1e-6)))
      if (z == 4) expect_gt(max(truth / claim), 0.9)
      single <- rdp_subsampled_gaussian(orders, 0.1, z / if (relation == "replace-one") 2 else 1,
        neighbours = relation)
      expect_true(all(truth > single))
    }
  }
})

test_that("one record a person is the plan of records", {
  for (method in list(mr_admm(), pp_admm(), dp_sgd(batch = 0.1), grad_admm(), fp_admm())) {
    plain <- dpadmm_plan(2, c(A = 90, B = 70), method = method, epsilon = 1, delta = 1e-5, seed = 1)
    one <- person_plan(1, d = 2, sizes = c(A = 90, B = 70), method = method, epsilon = 1, seed = 1)
    expect_identical(one[names(one) != "asked"], plain[names(plain) != "asked"])
    three <- update(plain, per_person = 3)
    expect_lte(privacy(three)$epsilon, 1)
    expect_match(paste(format(privacy(three)), collapse = " "), "any one +person's +records")
  }
  mixed <- person_plan(c(B = 2, A = 1), epsilon = 1)
  plain <- person_plan(1, epsilon = 1)
  expect_identical(mixed$problem$per_person, c(1, 2))
  expect_identical(person_plan(1000, epsilon = 1)$problem$per_person, c(40, 50)) # all of a node
  # together with a run about records nothing is said of persons
  expect_match(paste(format(privacy(list(mixed, plain))), collapse = " "), "any one record ")
})

test_that("persons are refused where nothing is proved", {
  refused <- function(argument, ...) {
    expect_blame(person_plan(2, epsilon = 1, ...), "argument", argument)
  }
  refused("sampling", method = dp_sgd(batch = 10, sampling = "fixed"), sizes = 90)
  refused("accountant", control = dpadmm_control(accountant = "paper"))
  refused("unit", method = fp_admm(), sizes = 90)
  refused("unit", method = fp_admm(unit = "holder"))
  expect_blame(person_plan(2, epsilon = 1, sizes = c(40, 50)), "argument", "sizes", "names")
  for (bad in list(0, 1.5, "a", NA)) {
    expect_error(person_plan(bad, epsilon = 1), class = "dpadmm_error", label = format(bad))
  }
  expect_blame(person_plan(c(A = 2, C = 2), epsilon = 1), "nodes", "per_person", place = "C")
  expect_error(privacy(person_plan(2, epsilon = 1, delta = 0), "paper"),
    class = "dpadmm_error_accountant")
})
