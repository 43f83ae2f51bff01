# Slow accountants are asked only where they may be the best.

test_that("a slow accountant that cannot be the best is not asked, and tells no less beforehand", {
  slow <- Filter(function(a) a$speed == "slow", .accountants)
  expect_setequal(names(slow), c("pure", "pld"))
  set.seed(8)
  close <- c(pure = 0, pld = 0)
  for (trial in 1:40) {
    events <- c(
      dp_event_objective_gamma(10^runif(1, -1, 1), 1, 10^runif(1, -3, 0), 2,
        dim = sample(c(1, 5, 60), 1), count = sample(3, 1), logistic_curvature = trial %% 2 == 0
      ),
      dp_event_pure(10^runif(1, -2, 0.5), count = sample(3, 1)),
      if (trial %% 3) dp_event_gamma(10^runif(1, -1, 1), 1, dim = 5)
    )
    books <- open_books(events)
    delta <- 10^-sample(1:9, 1)
    for (name in names(slow)) {
      least <- slow[[name]]$least(books$kinds, books$ledgers, delta)
      said <- slow[[name]]$fold(books$kinds, books$ledgers, delta, list())$epsilon
      expect_lte(least, said * (1 + 1e-12))
      close[name] <- close[name] + (said < 1.1 * least)
    }
    each <- vapply(c("pure", "zcdp", "rdp", "pld"), function(name) {
      tryCatch(account(events, delta, name)$epsilon, dpadmm_error_accountant = function(e) Inf)
    }, 0)
    expect_identical(account(events, delta)$epsilon, min(each))
  }
  # mostly it is about what they would have said, so that something was spared
  expect_gt(close[["pure"]], 20)
  expect_gt(close[["pld"]], 10)

  # so many that they hardly ever all have their worst answers
  told <- 0
  for (trial in 1:200) {
    n <- sample(4, 1)
    e <- 10^runif(n, -2.5, 0.7)
    own <- list(kind = seq_len(n), count = round(10^runif(n, 0, 2.5)))
    delta <- 10^-runif(1, 0.2, 12)
    least <- pure_floor(e, list(own), delta)
    said <- compose_groups(e, own$count, delta)
    expect_lte(least, said * (1 + 1e-12))
    told <- told + (sum(log1p(exp(-e)) * own$count) > -log(delta) && least > 0.4 * said)
  }
  expect_gt(told, 60)

  # of dozens some are the worst, whether others hardly cost anything or not
  share <- vapply(1:30, function(trial) {
    e <- c(10^runif(1, -1.2, 0) * 0.95^seq_len(30), 10^runif(20, -5, -2))
    count <- rep(sample(2, 1), 50)
    delta <- 10^-runif(1, 3, 9)
    own <- list(list(kind = 1:50, count = as.double(count)))
    least <- pure_floors(e, own, delta)[["some", 1L]]
    said <- compose_groups(e, count, delta)
    expect_lte(least, said * (1 + 1e-12))
    expect_gte(pure_floor(e, own, delta), least)
    least / said
  }, 0)
  expect_gt(min(share), 0.4)
  expect_gt(median(share), 0.7)

  # whatever they are and whatever is allowed, it is a number
  for (delta in c(0, 1e-300, 1e-9, 0.5, 0.999)) for (count in c(1, 3, 1e4, 1e9)) {
    for (e in list(1e-300, 1, c(Inf, 1), c(1e300, 1e-8), c(0, 0.3, 40), 0, c(Inf, 40, 1e-3))) {
      own <- list(list(kind = seq_along(e), count = rep(count, length(e))))
      least <- pure_floor(e, own, delta)
      said <- compose_groups(e, own[[1L]]$count, delta)
      expect_true(least >= 0 && least <= said * (1 + 1e-12))
      if (delta == 0) expect_equal(least, said)
    }
  }

  # of hundreds it is nearly what is said, and never more; of dozens mostly
  share <- c(few = 1, many = 1) # the least
  deltas <- 10^-c(2, 4, 9, 15)
  for (e in c(0.02, 0.1, 0.3, 1)) for (n in c(40, 120, 300, 2000)) for (delta in deltas) {
    loss <- e * c(1, 0.6, 0.9, 1.003)
    count <- round(n * c(0.4, 0.3, 0.2, 0.1))
    said <- compose_groups(loss, count, delta)
    least <- pure_floors(loss, list(list(kind = 1:4, count = count)), delta)[["sum", 1L]]
    if (is.nan(least)) next # all of them are the worst at once
    expect_lte(least, said)
    which <- if (n >= 300 && delta < 0.01) "many" else "few"
    share[[which]] <- min(share[[which]], least / said)
  }
  expect_gt(share[["many"]], 0.8)

  # many at once: who is not asked stands with the least that it may say
  books <- open_books(dp_event_objective_gamma(8, 1, 0.01, 1, dim = 60, node = 1:2, count = 1:2))
  found <- fold_slow(slow$pure, books, 1e-6, c(1, Inf), list())
  expect_identical(found$epsilon[1L], slow$pure$least(books$kinds, books$ledgers, 1e-6)[1L])
  expect_identical(found$epsilon[2L], account_pure(books$kinds, books$ledgers, 1e-6)$epsilon[2L])
})

test_that("what one side of an answer with Gamma-norm noise tells is told from below", {
  # the noise along one line is below -x: half of what is farther out than x
  beyond <- function(x, dim) {
    angles <- function(r) {
      stats::pbeta((x / r)^2, 0.5, (dim - 1) / 2, lower.tail = FALSE) / 2 * stats::dgamma(r, dim)
    }
    if (dim == 1) return(exp(-x) / 2)
    ends <- pmax(x, stats::qgamma(c(1e-14, 1 - 1e-14), dim))
    stats::integrate(angles, ends[1L], ends[2L], rel.tol = 1e-10, subdivisions = 500L)$value
  }
  for (dim in c(1, 2, 3, 10, 200)) for (shift in c(1e-3, 0.1, 1, 5)) {
    below <- beyond(shift / 2, dim)
    bit <- log1p(-below) - log(below)
    least <- gamma_bits(shift, dim)
    expect_lte(least, bit * (1 + 1e-6))
    expect_gt(least, (if (shift <= 1) 0.9 else 0.6) * bit)
  }
})
