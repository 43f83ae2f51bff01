# Plans of dozens and hundreds of unlike nodes: what calibration promises is what the statement of
# all says, and no plan is lost where budgets are at the edge of nothing.

quiet_plan <- function(...) suppressWarnings(dpadmm_plan(...), classes = "dpadmm_warning_utility")
expect_kept <- function(plan, delta, least = 0.97) {
  share <- account(plan, delta)$per_node$epsilon / plan$budget$epsilon
  expect_lte(max(share), 1)
  expect_gte(max(share), least)
}

test_that("a node that only a slow accountant proves is asked about in the statement of others", {
  growth <- rep(1, 40)
  growth[3] <- 1.3
  epsilon <- seq(1.2, 1.5, length.out = 40)
  epsilon[3] <- 1.3
  for (delta in c(0.1, 0.01)) {
    expect_kept(quiet_plan(2, sizes = round(seq(400, 900, length.out = 40)),
      method = m_admm(eta = 1, growth = growth), epsilon = epsilon, delta = delta, noise = "gamma",
      iterations = 60), delta)
  }
})

test_that("budgets that delta nearly covers are kept by all of many nodes", {
  draws <- dpadmm:::with_r_seed(1, list(stats::runif(80, 1.5, 4.5), stats::runif(80, -0.5, 0.5)))
  plan <- quiet_plan(1, sizes = round(10^draws[[1]]), epsilon = 0.012 * 10^draws[[2]], delta = 0.4,
    noise = "gamma", iterations = 5, loss = "huber", network = "ring", response = c(-1, 1))
  expect_kept(plan, 0.4)
  for (epsilon in c(0.002, 0.0025, 0.0027)) { # noise is next to none for most
    expect_kept(quiet_plan(1, sizes = round(10^seq(1.5, 4.5, length.out = 162)), method = pp_admm(),
      epsilon = epsilon, delta = 0.01, noise = "gamma", iterations = 1, network = "ring"), 0.01)
  }
})

test_that("a step to where nothing is spent tells no slope", {
  f <- function(x, i, near, still) {
    list(excess = spent(x), order = near, accountant = rep("rdp", length(x)))
  }
  smooth <- function(x) 5 - 3 * x
  spent <- function(x) ifelse(x > 1.8, -700, smooth(x)) # the root is at 5 / 3
  found <- dpadmm:::solve_within(f, 1:3, c(0, 1, 5), rep(-1, 3), width = 1e-3)
  expect_true(all(smooth(found$x) <= 0))
  expect_true(all(found$x < 5 / 3 + 1e-3))
  expect_false(anyNA(found$x))
  # what a grid of noise costs is left: a cliff
  smooth <- function(x) log(5 / 3 - x) + 5
  spent <- function(x) pmax(suppressWarnings(smooth(x)), -16, na.rm = TRUE)
  found <- dpadmm:::solve_within(f, 1:3, c(0, 1.5, 4), rep(-1, 3), width = 1e-3)
  root <- 5 / 3 - exp(-5)
  expect_true(all(found$x >= root & found$x < root + 1e-3))
  steps <- dpadmm:::solve_shared(function(x, i) f(x, i, NA), 1:3, c(0, 1.5, 4), rep(-1, 3),
    c(2, 3.3, 7))
  expect_true(all(steps >= root & steps < root + 1e-2))
})

test_that("roots are found where functions bend, and from where they say next to nothing", {
  solved <- function(spent, x, slope) {
    f <- function(x, i, near, still) {
      list(excess = spent(x), order = near, accountant = rep("rdp", length(x)))
    }
    dpadmm:::solve_within(f, seq_along(x), x, slope, width = 1e-3)$x
  }
  # in one valley less hangs on noise than in the next one
  bent <- function(x) pmin(0.0175 - 0.068 * x, 0.24 - x)
  for (from in list(c(0.16, 0.2, 0.5), c(-1, 0, 3))) {
    found <- solved(bent, from, c(-1, -0.08, -0.3))
    expect_true(all(found >= 0.24 & found <= 0.241))
  }
  found <- solved(function(x) ifelse(x > 0.3, -40, 3 * (0.24 - x)), c(5.6, 2), c(-1, -1))
  expect_true(all(found >= 0.24 & found <= 0.241))
})

test_that("where epsilon falls to nothing at once there is not much more noise than it takes", {
  skip_on_cran()
  expect_tight <- function(method, N, epsilon, delta, excess) {
    share <- dpadmm:::with_r_seed(2, list(stats::runif(N, -0.2, 0.2), stats::runif(N, 2, 4)))
    plan <- quiet_plan(5, sizes = round(10^share[[2]]), epsilon = epsilon * 10^share[[1]],
      delta = delta, method = method, noise = "gamma", iterations = 4)
    said <- account(plan, delta)$per_node$epsilon
    expect_true(all(said <= plan$budget$epsilon))
    for (i in c(which.min(said / plan$budget$epsilon), 1L, N)) {
      releases <- plan$releases[plan$releases$node == i, , drop = FALSE]
      least <- calibrate(function(unit) {
        dpadmm:::release_events(releases, unit, "gamma", plan$problem)
      }, plan$budget$epsilon[i], delta)
      expect_gte(plan$unit[i, 1], least * (1 - 1e-9))
      expect_lte(plan$unit[i, 1], least * (1 + excess))
    }
  }
  expect_tight(mr_admm(), 40, 0.00015, 0.05, 2e-3)
  expect_tight(grad_admm(), 60, 0.01, 0.1, 1.1e-2)
})

test_that("more noise is given to whom the statement of all says too much of", {
  plan <- quiet_plan(2, sizes = round(seq(400, 900, length.out = 40)), epsilon = 1, delta = 0.01,
    noise = "gamma", iterations = 3, network = "ring", method = pp_admm())
  parties <- dpadmm:::unlike_parties(plan)
  unit <- plan$unit[match(seq_along(parties$epsilon), parties$like), 1]
  events_of <- function(releases) dpadmm:::events_of_unit(releases, "gamma", plan$problem)
  events <- events_of(parties$releases)
  told <- rep(NA_real_, length(unit))
  raised <- function(unit) dpadmm:::raise_units(unit, told, seq_along(unit), parties$releases,
    events, parties$epsilon, 0.01, "best")
  expect_identical(raised(unit), unit)
  less <- unit * rep(c(0.98, 1), length.out = length(unit))
  more <- raised(less)
  expect_identical(more[less == unit], unit[less == unit])
  expect_true(all(more >= less) && all(more[less < unit] > less[less < unit]))
  expect_true(all(more <= unit * 1.02))
  now <- events(more[parties$releases$node], seq_len(nrow(parties$releases)))
  expect_lte(max(account(structure(as.data.frame(now), class = c("dp_events", "data.frame")),
    0.01)$epsilon), 1)
})

test_that("statements ask the accountant that is told to have proved budgets", {
  plan <- quiet_plan(10, sizes = round(10^seq(2, 4, length.out = 80)), epsilon = 1, delta = 1e-5,
    noise = "gamma", iterations = 2, network = "complete")
  expect_true(all(plan$events$order == Inf))
  expect_kept(plan, 1e-5)
  said <- account(plan$events, 1e-5)
  expect_identical(said$accountant, "pure")
  kept <- events_from_json(events_to_json(plan$events))
  expect_identical(kept$order, plan$events$order)
  expect_identical(account(kept, 1e-5)$per_node$epsilon, said$per_node$epsilon)
  # what one accountant said to calibration is what the statement of all says
  parties <- dpadmm:::unlike_parties(plan)
  unit <- plan$unit[match(seq_along(parties$epsilon), parties$like), 1]
  events <- dpadmm:::events_of_unit(parties$releases, "gamma", plan$problem)
  statement <- function(unit) {
    now <- events(unit[parties$releases$node], seq_len(nrow(parties$releases)))
    books <- c(dpadmm:::counted_books(now), list(told = rep(Inf, length(unit))))
    dpadmm:::open_statement(now, 1e-5, books)
  }
  each <- seq_along(unit)
  keeps <- function(epsilon, unit) dpadmm:::keeps_as_told(statement(unit), each, epsilon)
  epsilon <- said$per_node$epsilon[match(each, parties$like)]
  expect_true(all(keeps(epsilon, unit)))
  expect_false(any(keeps(epsilon * (1 - 1e-12), unit)))
  # a few with less noise than they need, and nobody who has enough gets more
  less <- unit * rep(c(0.98, 1, 1), length.out = length(unit))
  more <- dpadmm:::raise_units(less, rep(Inf, length(unit)), each, parties$releases, events,
    parties$epsilon, 1e-5, "best")
  expect_identical(more[less == unit], unit[less == unit])
  expect_true(all(more[less < unit] > less[less < unit]) && all(more <= unit * 1.02))
})

test_that("the order that a look finds is told, which the statement might not find", {
  # that counts releases whose events are alike, and so begins to look elsewhere
  untold <- vapply(c(1, 2, 16, 54), function(seed) {
    set.seed(seed)
    N <- sample(33:70, 1)
    sizes <- round(10^runif(N, 2, 4))
    plan <- quiet_plan(3, sizes = sizes, epsilon = 1, delta = 0.1, noise = "gamma",
      iterations = 10, method = m_admm(eta = 10^runif(N, -2, 1), growth = 1 + runif(N, 0, 0.3)),
      intercept = TRUE, rows = "error")
    expect_kept(plan, 0.1)
    max(account(replace(plan$events, "order", NA_real_), 0.1)$per_node$epsilon)
  }, 0)
  expect_gt(max(untold), 1.0001)
})

test_that("of a slow accountant it is asked who is told to be proved by it, and all at once", {
  asked <- list()
  slow <- list(
    fold = function(kinds, ledgers, delta, how) {
      asked[[length(asked) + 1L]] <<- unlist(ledgers)
      list(epsilon = 3 + unlist(ledgers))
    },
    least = function(kinds, ledgers, delta) rep(100, length(ledgers)), tells = Inf
  )
  books <- list(kinds = NULL, ledgers = as.list(1:5))
  how <- list(told = c(Inf, NA, 7, Inf, NA))
  least <- c(95, 1, 1, 99, 1)
  said <- dpadmm:::fold_slow(slow, books, 1e-5, least, how)
  expect_identical(asked, list(c(1L, 4L)))
  expect_identical(said$epsilon, c(4, 100, 100, 7, 100))
  asked <- list() # where it is far from the best it is not asked either
  expect_identical(dpadmm:::fold_slow(slow, books, 1e-5, rep(1, 5), how)$epsilon, rep(100, 5))
  expect_length(asked, 0L)
  slow$tells <- NULL
  asked <- list()
  expect_identical(dpadmm:::fold_slow(slow, books, 1e-5, least, how)$epsilon, rep(100, 5))
  expect_length(asked, 0L)
})

test_that("parties that differ in their budgets alone get noise of their own", {
  plan <- quiet_plan(3, sizes = rep(500, 40), epsilon = rep_len(c(1, 0.1), 40), delta = 1e-5,
    weights = "records", method = mr_admm())
  expect_kept(plan, 1e-5)
  expect_gt(min(plan$unit[c(FALSE, TRUE), 1]) / max(plan$unit[c(TRUE, FALSE), 1]), 3)
})

test_that("parties are alike whose releases are, in their order, as often, and whose budgets are", {
  releases <- new_releases("output", c(1, 2, 3, 4, 4, 5, 5), 1,
    sensitivity = c(1, 1, 1, 1, 2, 2, 1), count = c(3, 4, 3, 1, 1, 1, 1)
  )
  of <- first_parties(releases, rep(1, 5))
  expect_identical(of$first, c(1L, 2L, 4L, 5L))
  expect_identical(of$like, c(1L, 2L, 1L, 3L, 4L))
  expect_identical(of$releases$count, c(3, 4, 1, 1, 1, 1))
  expect_identical(of$releases$node, c(1L, 2L, 3L, 3L, 4L, 4L))
  expect_identical(first_parties(releases, c(1, 1, 2, 1, 1))$like, 1:5)
})

test_that("the grid of the noise of all is paid for by each", {
  skip_on_cran()
  plan <- quiet_plan(1e6 - 1, sizes = rep(1000, 1000), method = dp_sgd(batch = 0.5),
    epsilon = 0.001, delta = 1e-8, iterations = 1000)
  expect_kept(plan, 1e-8, 1 - 1e-9)
  expect_error(dpadmm_plan(1e6, sizes = rep(9, 1000), method = grad_admm(), epsilon = 1e-13,
    delta = 1e-8, iterations = 1000, noise = "gaussian"), class = "dpadmm_error_budget")
})

test_that("holders of unlike sizes whose samples cost the same are calibrated once", {
  plan <- quiet_plan(4, sizes = round(10^seq(2, 4, length.out = 40)), method = dp_sgd(batch = 0.2),
    epsilon = 0.05, delta = 1e-3, iterations = 4)
  expect_length(unique(plan$unit[, 1]), 1L)
  expect_kept(plan, 1e-3)
})

test_that("a node's statement does not hang on the numbers of nodes, nor on who else is there", {
  C <- rep(1, 60)
  alpha <- seq(2.3, 7, length.out = 60)
  statement <- function(order, but = integer()) {
    C[c(9, 18)] <- 20
    alpha[c(9, 18)] <- c(0.0151, 0.0182)
    plan <- quiet_plan(3, sizes = rep(100, 60), method = m_admm(eta = 0.5), C = C[order], rho = 1,
      noise = gamma_noise(alpha[order]), iterations = 20, delta = 1e-5)
    events <- plan$events
    own <- account(events[!events$node %in% match(but, order), ], 1e-5)$per_node
    own$epsilon[match(match(c(9, 18), order), own$node)]
  }
  whole <- statement(1:60)
  expect_equal(statement(60:1), whole, tolerance = 1e-12)
  expect_equal(statement(c(31:60, 1:30)), whole, tolerance = 1e-12)
  for (but in list(2, 1:3, 5:8)) expect_equal(statement(1:60, but), whole, tolerance = 1e-12)
})

test_that("tiny budgets are spent, too, and where bounds bend", {
  # where they begin nothing is spent
  for (seed in 1:2) {
    set.seed(seed)
    N <- 150
    epsilon <- 10^runif(N, -4, 0)
    plan <- quiet_plan(5, sizes = round(10^runif(N, 1, 4)), epsilon = epsilon, delta = 0.03,
      noise = "gaussian", iterations = 1, network = "complete", method = mr_admm())
    spent <- account(plan, 0.03)$per_node$epsilon / epsilon
    # .1% more noise than is needed takes up to a quarter of it
    expect_true(all(spent <= 1 & spent > 0.7))
  }
})
