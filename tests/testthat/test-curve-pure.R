# Composition of pure losses against enumeration and the closed form.

# Every outcome of randomised responses: delta(e) = sum of p (1 - exp(e - loss)) over
# losses above e.
enumerate_responses <- function(epsilon) {
  loss <- 0
  log_p <- 0
  for (e in epsilon) {
    loss <- c(loss + e, loss - e)
    log_p <- c(log_p - log1p(exp(-e)), log_p - log1p(exp(e)))
  }
  list(loss = loss, p = exp(log_p))
}

enumerated_delta <- function(world, e) sum((world$p * pmax(0, -expm1(e - world$loss))))

enumerated_epsilon <- function(epsilon, delta) {
  world <- enumerate_responses(epsilon)
  if (enumerated_delta(world, 0) <= delta) return(0)
  uniroot(function(e) enumerated_delta(world, e) - delta, c(0, sum(epsilon)), tol = 1e-14)$root
}

test_that("composition of unlike randomised responses agrees with enumeration", {
  set.seed(37)
  for (k in c(1, 2, 3, 5, 8, 12)) for (delta in c(0.3, 1e-2, 1e-4, 1e-8)) {
    epsilon <- 10^runif(k, -2, 0.5)
    got <- compose_pure(epsilon, delta)
    expect_equal(got, enumerated_epsilon(epsilon, delta), tolerance = 1e-8)
    expect_lte(enumerated_delta(enumerate_responses(epsilon), got), delta * (1 + 1e-12))
    expect_lte(got, sum(epsilon) * (1 + 1e-14))
  }
  # counts, equal losses and order do not matter
  expect_equal(compose_pure(c(0.3, 0.1), 1e-3, count = c(2, 3)),
    compose_pure(c(0.1, 0.3, 0.1, 0.3, 0.1), 1e-3), tolerance = 1e-12)
})

test_that("composition of equal losses is the closed form", {
  # Kairouz, Oh and Viswanath (2017), Theorem 3.3
  for (k in c(1, 5, 30)) for (e in c(0.01, 0.3, 2)) for (i in unique(c(0, k %/% 5, k %/% 3))) {
    l <- seq_len(i) - 1
    delta <- sum(choose(k, l) * (exp((k - l) * e) - exp((k - 2 * i + l) * e))) / (1 + exp(e))^k
    if (delta > 1e-12 || i == 0) {
      expect_equal(compose_pure(e, delta, count = k), (k - 2 * i) * e, tolerance = 1e-7)
    }
  }
})

test_that("many unlike losses are an upper bound, and a close one", {
  set.seed(38)
  epsilon <- runif(19, 0.02, 0.5)
  for (delta in c(1e-2, 1e-5, 1e-9)) {
    exact <- enumerated_epsilon(epsilon, delta)
    got <- compose_pure(epsilon, delta)
    expect_gte(got, exact * (1 - 1e-10))
    expect_lte(got, exact * 1.01)
  }
})

test_that("hundreds of unlike losses cost what as many equal ones do, and lie in their bracket", {
  # so nearly equal that a closed form serves, but each its own
  for (e in c(0.02, 0.3, 2)) for (delta in c(1e-2, 1e-9)) {
    equal <- compose_pure(e, delta, count = 400)
    got <- compose_pure(e * (1 + 1e-9 * 1:400), delta)
    expect_gte(got, equal * (1 - 1e-8))
    expect_lte(got, equal * (1 + 3e-4))
  }
  set.seed(39)
  epsilon <- 10^runif(150, -3, 0)
  for (delta in c(1e-1, 1e-6)) {
    got <- compose_pure(epsilon, delta)
    lower <- pld_epsilon(dp_event_pure(epsilon), delta)[["lower"]]
    expect_gte(got, lower)
    expect_lte(got, lower * 1.02)
    expect_equal(compose_pure(rev(epsilon), delta), got, tolerance = 1e-9)
  }
})

test_that("losses of few atoms are added one by one to what transforms make of others", {
  set.seed(40)
  for (n in c(16, 255, 300, 1000, 1024)) {
    grids <- lapply(c(2, 4, 4, 1, 3, 40), function(atoms) {
      mass <- rexp(atoms)
      list(index = as.numeric(sample(-3000:3000, atoms)), mass = mass / sum(mass))
    })
    counts <- c(1, 3, 16, 2, 5, 2)
    slowly <- c(1, numeric(n - 1))
    for (k in rep(seq_along(grids), counts)) {
      after <- numeric(n)
      for (j in seq_along(grids[[k]]$index)) {
        to <- (seq_len(n) - 1 + grids[[k]]$index[j]) %% n + 1
        after[to] <- after[to] + grids[[k]]$mass[j] * slowly
      }
      slowly <- after
    }
    start <- list(mass = c(1, numeric(n - 1)), noise = 0)
    stepped <- step_grids(start, grids, counts)
    expect_lte(sqrt(sum((stepped$mass - slowly)^2)), stepped$noise)
    expect_lt(stepped$noise, 1e-12)
    if (n %in% c(16, 1024)) {
      whole <- convolve_grids(grids, counts, from = -5, points = n)
      expect_lte(sqrt(sum((whole$mass - slowly[(-5 + 0:(n - 1)) %% n + 1])^2)), whole$noise)
    }
  }
  # what no double could hold is 0, not slow
  tiny <- list(list(index = c(0, 1), mass = c(1, 1e-200)))
  expect_identical(step_grids(list(mass = c(1, 0, 0, 0), noise = 0), tiny, 2)$mass[3:4], c(0, 0))
  # off the circle, or fewer atoms than are told of: refused
  steps <- function(...) core_call(.Call(ffi_step_atoms, c(1, 0), ...))
  expect_identical(steps(c(0, 1), c(0.5, 0.5), 2L, 1), c(0.5, 0.5))
  for (bad in list(
    list(c(0, 2), c(0.5, 0.5), 2L, 1), list(c(0, -1), c(0.5, 0.5), 2L, 1),
    list(c(0, NaN), c(0.5, 0.5), 2L, 1), list(c(0, 1), c(0.5, 0.5), 3L, 1),
    list(c(0, 1), c(0.5, 0.5), -1L, 1), list(c(0, 1), 0.5, 2L, 1),
    list(c(0, 1), c(0.5, 0.5), 2L, 1:2)
  )) {
    expect_error(do.call(steps, bad), class = "dpadmm_error")
  }
})

test_that("pure composition is monotone, finite at its extremes, and checks its arguments", {
  expect_equal(compose_pure(c(0.1, 0.2), 0, count = c(3, 2)), 0.7, tolerance = 1e-14)
  expect_identical(compose_pure(0, 1e-5, 100), 0)
  delta <- 10^-c(300, 100, 20, 6, 3, 1)
  for (e in c(1e-6, 0.01, 1, 50)) {
    by_delta <- vapply(delta, compose_pure, 0, epsilon = e, count = 1000)
    expect_all(diff(by_delta) <= 0, "falls in delta")
    by_count <- vapply(c(1, 2, 10, 1000, 1e6), function(n) compose_pure(e, 1e-6, n), 0)
    expect_all(diff(by_count) >= 0, "rises in count")
    expect_all(is.finite(c(by_delta, by_count)) & c(by_delta, by_count) >= 0, "finite")
    expect_all(by_delta <= 1000 * e * (1 + 1e-12), "at most the sum")
  }
  by_epsilon <- vapply(10^seq(-8, 4, 0.5), compose_pure, 0, delta = 1e-6, count = 50)
  expect_all(diff(by_epsilon) >= 0, "rises in epsilon")
  # losses whose exponential overflows
  expect_equal(compose_pure(1000, 1e-6, 5), 5000 + log1p(-1e-6), tolerance = 1e-9)
  expect_equal(compose_pure(720, 0.5), 720 - log(2), tolerance = 1e-9)
  # advanced composition and the rest of the book never beat it
  n <- 500
  advanced <- sqrt(2 * n * log(1e6)) * 0.05 + n * 0.05 * expm1(0.05)
  expect_lt(compose_pure(0.05, 1e-6, n), advanced)
  expect_blames(compose_pure(-1, 0.1), "epsilon")
  expect_blames(compose_pure(1, 1), "delta")
  expect_blames(compose_pure(1, -0.1), "delta")
  expect_blames(compose_pure(1, 0.1, 0), "count")
  expect_blames(compose_pure(1, 0.1, 1.5), "count")
  expect_blames(compose_pure(c(1, 2, 3), 0.1, c(1, 2)), "count", "dpadmm_error_shape")
  for (x in list(NA_real_, NaN, Inf, "a", numeric(0))) {
    expect_blames(compose_pure(x, 0.1), "epsilon", "dpadmm_error")
    expect_blames(compose_pure(1, x), "delta", "dpadmm_error")
  }
})

test_that("Laplace noise far below the sensitivity has its loss distribution too", {
  # an exact bracket: both ends of delta = 1 - exp((epsilon - t) / 2)
  one <- pld_epsilon(dp_event_laplace(1e-3, 1), delta = 0.1)
  exact <- 1000 + 2 * log1p(-0.1)
  expect_gte(one[["upper"]], exact)
  expect_lt(one[["upper"]], exact * (1 + 1e-4))
  # beside other releases of small noise: no record loses more than 1000 by the first, and
  # what is left is Gaussian noise at half of delta or more
  events <- c(dp_event_laplace(1e-3, 1), dp_event_gaussian(0.1, 1))
  epsilon <- account(events, delta = 1e-5)$epsilon
  expect_lt(epsilon, 1000 + gaussian_epsilon(0.1, 1e-5))
  expect_gt(epsilon, 1000 + gaussian_epsilon(0.1, 2e-5) - 1e-6)
})

test_that("whole numbers will do, and ledgers share the room in which they are composed", {
  expect_identical(compose_pure(1L, 0L, 3L), compose_pure(1, 0, 3))
  expect_identical(compose_pure(2L, 1e-6, 3L), compose_pure(2, 1e-6, 3))
  rising <- lapply(seq(1e5, 2e5, length.out = 20), function(count) {
    list(kind = 1L, count = round(count))
  })
  before <- gc(reset = TRUE)["Vcells", "used"]
  epsilon <- compose_ledgers(1e-4, rising, 1e-6)
  numbers <- gc()["Vcells", "max used"] - before
  expect_identical(epsilon[1L], compose_pure(1e-4, 1e-6, 1e5))
  expect_identical(epsilon[20L], compose_pure(1e-4, 1e-6, 2e5))
  expect_lt(numbers, 4e6) # one room has 8e5 numbers, one for each would have 12e6
  for (ledger in list(list(kind = 2L, count = 1), list(kind = 1L, count = -1), list(kind = 1L),
    list(kind = 1L, count = NaN), list(kind = 1, count = 1))) {
    expect_error(compose_ledgers(0.1, list(ledger), 1e-6), class = "dpadmm_error_argument")
    expect_error(pure_floor(0.1, list(ledger), 1e-6), class = "dpadmm_error_argument")
  }
})
