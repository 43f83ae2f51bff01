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

  # the proof itself, of sums of one loss: so large with twice the probability delta
  told <- 0
  for (e in c(0.02, 0.1, 0.3, 1)) for (n in c(120, 300, 2000)) for (delta in 10^-c(4, 9, 15)) {
    p <- 1 / (1 + exp(-e))
    least <- pure_floors(e, list(list(kind = 1L, count = n)), delta)[["rare", 1L]]
    worst <- ceiling(((least + log(2)) / e + n) / 2 - 1e-9)
    expect_gte(pbinom(worst - 1, n, p, lower.tail = FALSE), 2 * delta)
    told <- told + (least > 0)
  }
  expect_gt(told, 30)

  # many at once: who is not asked stands with the least that it may say
  books <- open_books(dp_event_objective_gamma(8, 1, 0.01, 1, dim = 60, node = 1:2, count = 1:2))
  found <- fold_slow(slow$pure, books, 1e-6, c(1, Inf), list())
  expect_identical(found$epsilon[1L], slow$pure$least(books$kinds, books$ledgers, 1e-6)[1L])
  expect_identical(found$epsilon[2L], account_pure(books$kinds, books$ledgers, 1e-6)$epsilon[2L])
})
