# The pairs of distributions that stand for sampled Gaussian noise: no records give more
# than they do. Hockey-stick and Renyi divergences of random mixtures in the plane, by
# summation over a grid: exact to rounding for smooth functions, to about 1e-5 for those
# with a kink.

skip_on_cran()

grid <- local({
  x <- seq(-11, 11, by = 0.0625)
  list(x = rep(x, length(x)), y = rep(x, each = length(x)), cell = 0.0625^2)
})
kink <- 2e-5
normal <- function(at) stats::dnorm(grid$x, at[1]) * stats::dnorm(grid$y, at[2])
mixture <- function(q, at, base = c(0, 0)) (1 - q) * normal(base) + q * normal(at)
profile <- function(p, other, epsilon) {
  vapply(epsilon, function(e) sum(pmax(p - exp(e) * other, 0)) * grid$cell, 0)
}
renyi <- function(p, other, a) {
  vapply(a, function(a) log(sum(exp(a * log(p) + (1 - a) * log(other))) * grid$cell) / (a - 1), 0)
}
# A point in the disc of some radius, half of the time on its rim.
point <- function(radius) {
  angle <- runif(1, 0, 2 * pi)
  radius * (if (runif(1) < 0.5) 1 else sqrt(runif(1))) * c(cos(angle), sin(angle))
}
delta_of <- function(event, epsilon) {
  vapply(epsilon, function(e) pld_delta(event, e, step = 0.01)[["upper"]], 0)
}

test_that("Poisson sampling: no record gives more than one in a line, replaced or removed", {
  set.seed(51)
  epsilon <- c(0, 0.2, 1, 2.5)
  orders <- c(1.3, 2, 3.5)
  for (i in 1:6) {
    radius <- runif(1, 0.2, 2)
    q <- runif(1, 0.02, 0.9)
    u <- point(radius)
    v <- point(radius)
    base <- normal(c(0, 0))
    replace <- dp_event_subsampled_gaussian(1, 2 * radius, q)
    with <- mixture(q, u)
    expect_true(all(profile(with, mixture(q, v), epsilon) <= delta_of(replace, epsilon) + kink))
    limit <- rdp_subsampled_gaussian(orders, q, 1 / (2 * radius), neighbours = "replace-one")
    expect_true(all(renyi(with, mixture(q, v), orders) <= limit * (1 + kink)))
    remove <- dp_event_subsampled_gaussian(1, radius, q, neighbours = "add-remove")
    expect_true(all(profile(with, base, epsilon) <= delta_of(remove, epsilon) + kink))
    expect_true(all(profile(base, with, epsilon) <= delta_of(remove, epsilon) + kink))
    limit <- rdp_subsampled_gaussian(orders, q, 1 / radius)
    expect_true(all(renyi(with, base, orders) <= limit * (1 + kink)))
    expect_true(all(renyi(base, with, orders) <= limit * (1 + kink)))
  }
  # and opposite records on the rim attain it
  with <- mixture(0.3, c(1, 0))
  without <- mixture(0.3, c(-1, 0))
  event <- dp_event_subsampled_gaussian(1, 2, 0.3)
  expect_equal(profile(with, without, epsilon), delta_of(event, epsilon), tolerance = 1e-3)
  limit <- rdp_subsampled_gaussian(orders, 0.3, 0.5, neighbours = "replace-one")
  excess <- limit / renyi(with, without, orders) - 1
  expect_true(all(excess > 0 & excess < 2e-9)) # rounded outward
})

test_that("fixed-size sampling: no three records give more than the bounds", {
  set.seed(52)
  epsilon <- c(0, 0.2, 1, 2.5)
  orders <- c(1.3, 2, 3.5)
  for (i in 1:8) {
    radius <- runif(1, 0.2, 1)
    q <- runif(1, 0.02, 0.9)
    other <- point(radius) # the record that is drawn when the one in question is not
    with <- mixture(q, point(radius), other)
    without <- mixture(q, point(radius), other)
    event <- dp_event_subsampled_gaussian(1, 2 * radius, q, sampling = "fixed")
    expect_true(all(profile(with, without, epsilon) <= delta_of(event, epsilon) + kink))
    fixed <- function(bound) {
      rdp_subsampled_gaussian(orders, q, 1 / (2 * radius), "fixed", "replace-one", bound = bound)
    }
    expect_true(all(renyi(with, without, orders) <= fixed("hockey-stick") * (1 + kink)))
    expect_true(all(fixed("hockey-stick") <= fixed("wang") * (1 + kink)))
  }
  # one release: a record at one end of the ball, all others at the other, attain it
  with <- mixture(0.3, c(1, 0), c(-1, 0))
  event <- dp_event_subsampled_gaussian(1, 2, 0.3, sampling = "fixed")
  expect_equal(profile(with, normal(c(-1, 0)), epsilon), delta_of(event, epsilon), tolerance = 1e-3)
})

test_that("two releases compose to their exact profile", {
  # given the first output's loss, the second's tail has a closed form
  q <- 0.3
  m <- 1.5
  mix <- function(z) (1 - q) * stats::dnorm(z) + q * stats::dnorm(z, m)
  loss <- function(z) log1p(q * expm1(m * z - m^2 / 2))
  where <- function(l) (log(pmax((exp(l) - (1 - q)) / q, 0)) + m^2 / 2) / m
  tail <- function(z) {
    list(plain = stats::pnorm(-z), mix = (1 - q) * stats::pnorm(-z) + q * stats::pnorm(m - z))
  }
  removed <- function(e) integrate(function(z) {
    above <- tail(where(e - loss(z)))
    mix(z) * above$mix - exp(e) * stats::dnorm(z) * above$plain
  }, -10, 12, rel.tol = 1e-10, subdivisions = 1000L)$value
  added <- function(e) integrate(function(z) {
    above <- tail(where(-e - loss(z)))
    stats::dnorm(z) * (1 - above$plain) - exp(e) * mix(z) * (1 - above$mix)
  }, -10, 12, rel.tol = 1e-10, subdivisions = 1000L)$value
  two <- dp_event_subsampled_gaussian(1, m, q, neighbours = "add-remove", count = 2)
  for (e in c(0, 0.3, 0.8, 2, 6)) {
    exact <- max(removed(e), added(e))
    got <- pld_delta(two, e, step = 0.001)
    expect_lte(got[["lower"]], exact * (1 + 1e-8))
    expect_gte(got[["upper"]], exact * (1 - 1e-8))
    expect_lt(got[["upper"]] - got[["lower"]], 1e-4 * exact)
  }
})

test_that("bad sampling events are refused", {
  expect_error(dp_event_subsampled_gaussian(1, 1, q = 0), class = "dpadmm_error_argument")
  expect_error(dp_event_subsampled_gaussian(1, 1, q = 1.5), class = "dpadmm_error_argument")
  fixed <- dp_event_subsampled_gaussian(1, 1, 0.1, sampling = "fixed", neighbours = "add-remove")
  for (accountant in c("rdp", "pld", "best")) {
    expect_error(account(fixed, 1e-5, accountant), class = "dpadmm_error_accountant")
  }
})
