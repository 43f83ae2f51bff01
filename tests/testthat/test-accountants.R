# From events to guarantees and back: account(), the PLD brackets, calibrate(), privacy().

poisson <- function(sigma, q, count = 1, ...) {
  dp_event_subsampled_gaussian(sigma, sensitivity = 1, q = q, neighbours = "add-remove", count = count, ...)
}

# One of each mechanism, noise `size` times its sensitivity: the examples of the mechanisms'
# own table, so that a new mechanism is under test without a change here.
examples <- function(size, count = 1, node = NA) {
  all <- unlist(lapply(.mechanisms, function(m) m$examples(size)), recursive = FALSE)
  lapply(all, function(e) {
    e$count <- count
    e$node <- as.integer(node)
    e
  })
}

# Those an accountant handles, at a delta; "best" handles what anybody does.
handled <- function(accountant, size, ..., delta = 1e-5) {
  asked <- if (accountant == "best") accountants() else accountants()[accountant]
  asked <- Filter(function(a) delta > 0 || !a$needs_delta, asked)
  Filter(function(e) any(vapply(asked, function(a) all(a$handles(e)), NA)), examples(size, ...))
}

# "paper" folds printed theorems, which have tests of their own below.
provers <- setdiff(accountant_names(), "paper")

# How far an accountant may be from monotone: by the width of a grid, where it has one.
grain <- function(accountant) {
  speed <- vapply(accountants(), function(a) a$speed, "")
  if (accountant == "best" || speed[[accountant]] == "slow") 3e-3 else 1e-6
}

# ---- published values ----------------------------------------------------------------

test_that("published guarantees of the subsampled Gaussian come out", {
  events <- poisson(0.7, 0.01, 120)
  rdp <- account(events, 1e-5, "rdp")
  orders <- c(1 + (1:99) / 10, 12:63)
  spent <- 120 * rdp_subsampled_gaussian(orders, 0.01, 0.7)
  expect_rel(rdp_to_epsilon(orders, spent, 1e-5), 3.23919219, 1e-8)
  # orders between those of the published grid can only help
  expect_lte(rdp$epsilon, 3.23919219)
  expect_gte(rdp$epsilon, 3.23919219 * (1 - 1e-3))
  bracket <- pld_epsilon(events, 1e-5)
  # the published bracket and this one hold the same number
  expect_lte(bracket[["lower"]], 2.46148)
  expect_gte(bracket[["upper"]], 2.46100)
  expect_lte(bracket[["upper"]], 2.46148)
  expect_gte(bracket[["lower"]], 2.46100 * (1 - 2e-3))
  best <- account(events, 1e-5)
  expect_identical(best$accountant, "pld")
  expect_identical(best$epsilon, bracket[["upper"]])
  expect_identical(best$bracket, bracket)
  # 60,000 records in batches of 150: 19 was the best of the whole orders
  many <- account(poisson(1.3, 150 / 60000, 6000), 1e-5, "rdp")
  expect_lte(many$epsilon, 0.7242234)
  expect_rel(many$epsilon, 0.7242234, 1e-3)
  expect_lt(abs(many$order - 19), 1.5)
})

test_that("published guarantees of Gaussian noise and zCDP come out", {
  for (p in list(c(1, 1e-5, 3.73063163482), c(0.5, 1e-6, 8.05761848073), c(log(3), 1e-5, 3.42466239791))) {
    expect_rel(account(dp_event_gaussian(p[3], 1), p[2])$epsilon, p[1], 1e-10)
    noise <- calibrate(function(s) dp_event_gaussian(s, 1), p[1], p[2])
    expect_rel(noise, p[3], 1e-9)
  }
  # rho = 1/32 is sigma = 4
  expect_rel(account(dp_event_gaussian(4, 1), 1e-3, "zcdp")$epsilon, 0.6880024554878085, 1e-10)
  expect_rel(account(dp_event_gaussian(40, 1, count = 100), 1e-3, "zcdp")$epsilon,
    0.6880024554878085, 1e-10)
})

# ---- what each accountant computes -----------------------------------------------------

test_that("Gaussian releases are one Gaussian release, to every accountant", {
  events <- c(dp_event_gaussian(5, 1, count = 7), dp_event_gaussian(2, 0.3), dp_event_gaussian(9, 4))
  mu <- sqrt(7 / 25 + 0.3^2 / 4 + 16 / 81)
  for (delta in c(1e-2, 1e-6, 1e-30, 1e-200)) {
    exact <- gaussian_epsilon(1 / mu, delta)
    best <- account(events, delta)
    expect_rel(best$epsilon, exact, 1e-9)
    expect_identical(best$accountant, "gaussian")
    pld <- account(events, delta, "pld")
    expect_lte(pld$bracket[["lower"]], exact)
    expect_gte(pld$epsilon, exact)
    expect_rel(pld$epsilon, exact, 1e-3)
    expect_rel(pld$bracket[["lower"]], exact, 2e-3)
    orders <- 1 + 10^seq(-2, 4, length.out = 4000)
    rdp <- account(events, delta, "rdp")$epsilon
    want <- rdp_to_epsilon(orders, orders * mu^2 / 2, delta)
    expect_true(rdp <= want * (1 + 1e-8))
    expect_rel(rdp, want, 1e-5)
    expect_rel(account(events, delta, "zcdp")$epsilon, zcdp_to_epsilon(mu^2 / 2, delta), 1e-9)
    expect_gt(rdp, exact)
  }
})

test_that("pure mechanisms compose optimally, and the PLD bracket holds the optimum", {
  set.seed(41)
  for (i in 1:6) {
    e <- 10^runif(3, -2, 0)
    count <- sample(1:30, 3)
    events <- c(
      dp_event_pure(e[1], count = count[1]), dp_event_pure(e[2], count = count[2]),
      dp_event_pure(e[3], count = count[3])
    )
    delta <- 10^-c(1, 3, 5, 8, 12, 50)[i]
    exact <- compose_pure(e, delta, count)
    expect_rel(account(events, delta, "pure")$epsilon, exact, 1e-9)
    pld <- account(events, delta, "pld")
    expect_lte(pld$bracket[["lower"]], exact * (1 + 1e-9))
    expect_gte(pld$bracket[["upper"]], exact * (1 - 1e-9))
    expect_lt(diff(pld$bracket), 0.01 * exact)
    expect_rel(account(events)$epsilon, sum(e * count), 1e-12)
    # Gamma-norm noise of the same losses, to the accountant that only reads losses
    gamma <- c(
      dp_event_gamma(e[1], 1, dim = 3, count = count[1]), dp_event_gamma(e[2], 1, dim = 3, count = count[2]),
      dp_event_objective_gamma(e[3] / 2, 1, expm1(e[3] / 2) * 3, 3, dim = 2, count = count[3])
    )
    expect_rel(account(gamma, delta, "pure")$epsilon, exact, 1e-9)
    # the others are bounds of the same thing
    for (accountant in c("rdp", "zcdp")) {
      expect_lte(account(events, delta, "best")$epsilon, account(events, delta, accountant)$epsilon)
    }
  }
  # Laplace noise: between its curve and its worst case
  events <- dp_event_laplace(4, 1, count = 20)
  pld <- account(events, 1e-4, "pld")
  expect_lte(pld$epsilon, compose_pure(0.25, 1e-4, 20) * (1 + 1e-9))
  expect_lt(pld$epsilon, account(events, 1e-4, "rdp")$epsilon)
  # one release: delta(e) = 1 - exp((e - t) / 2) for e <= t
  for (e in c(0.1, 0.9)) {
    got <- pld_delta(dp_event_laplace(1, 1), e)
    exact <- -expm1((e - 1) / 2)
    expect_lte(got[["lower"]], exact * (1 + 1e-9))
    expect_gte(got[["upper"]], exact * (1 - 1e-9))
    expect_rel(got[["upper"]], exact, 1e-3)
  }
})

test_that("one subsampled step: the bracket holds the exact profile", {
  # delta(e) of adding or removing by quadrature of the densities
  exact <- function(e, q, s) {
    mix <- function(z) (1 - q) * dnorm(z, 0, s) + q * dnorm(z, 1, s)
    one <- function(f) integrate(f, -12 * s, 1 + 12 * s, rel.tol = 1e-10, subdivisions = 2000L)$value
    max(
      one(function(z) pmax(0, mix(z) - exp(e) * dnorm(z, 0, s))),
      one(function(z) pmax(0, dnorm(z, 0, s) - exp(e) * mix(z)))
    )
  }
  swap <- function(e, q, s) {
    mix <- function(z, m) (1 - q) * dnorm(z, 0, s) + q * dnorm(z, m, s)
    integrate(function(z) pmax(0, mix(z, 1) - exp(e) * mix(z, -1)), -12 * s, 1 + 12 * s,
      rel.tol = 1e-10, subdivisions = 2000L)$value
  }
  for (p in list(c(0.1, 0.2, 1), c(0.5, 0.3, 0.7), c(0.02, 0.01, 0.8), c(1, 0.5, 0.5))) {
    want <- exact(p[1], p[2], p[3])
    got <- pld_delta(poisson(p[3], p[2]), p[1])
    expect_lte(got[["lower"]], want * (1 + 1e-6))
    expect_gte(got[["upper"]], want * (1 - 1e-6))
    expect_lt(diff(got), 0.02 * want)
    want <- swap(p[1], p[2], 2 * p[3])
    got <- pld_delta(dp_event_subsampled_gaussian(p[3], 1, q = p[2]), p[1])
    expect_lte(got[["lower"]], want * (1 + 1e-6))
    expect_gte(got[["upper"]], want * (1 - 1e-6))
    expect_lt(diff(got), 0.02 * want)
  }
})

test_that("brackets nest as the grid is refined, and shrink", {
  cases <- list(
    poisson(0.9, 0.05, 50), dp_event_gaussian(6, 1, count = 4),
    dp_event_laplace(5, 1, count = 10), c(dp_event_pure(0.1, count = 20), dp_event_gaussian(9, 1, count = 3)),
    dp_event_subsampled_gaussian(1.2, 1, q = 0.05, count = 50)
  )
  for (events in cases) {
    steps <- 0.02 / 4^(0:3)
    brackets <- vapply(steps, function(h) pld_epsilon(events, 1e-5, step = h), c(lower = 0, upper = 0))
    expect_all(brackets["lower", ] <= brackets["upper", ], "lower <= upper")
    expect_all(diff(brackets["upper", ]) <= 1e-7 * brackets["upper", -1], "upper ends fall")
    expect_all(diff(brackets["lower", ]) >= -1e-7 * brackets["lower", -1], "lower ends rise")
    # every bracket holds the finest
    expect_all(brackets["lower", ] <= brackets["upper", 4] & brackets["upper", ] >= brackets["lower", 4],
      "brackets meet")
    width <- brackets["upper", ] - brackets["lower", ]
    expect_true(width[4] <= width[1] / 30 + 1e-6)
    # the default: about 0.1% of epsilon or better
    own <- pld_epsilon(events, 1e-5)
    expect_lt(diff(own), 2e-3 * own[["upper"]])
    expect_lte(own[["lower"]], brackets["upper", 4])
    expect_gte(own[["upper"]], brackets["lower", 4])
  }
})

test_that("epsilon and delta of one bracket invert one another", {
  for (events in list(poisson(0.7, 0.01, 120), dp_event_gaussian(6, 1, count = 4))) {
    e <- pld_epsilon(events, 1e-6)
    expect_gte(pld_delta(events, e[["upper"]])[["upper"]], 0.98e-6 * 0.98)
    expect_lte(pld_delta(events, e[["upper"]])[["lower"]], 1e-6)
    expect_gte(pld_delta(events, e[["lower"]])[["upper"]], 1e-6)
  }
})

test_that("10,000 steps at small rates keep a narrow bracket", {
  events <- poisson(0.8, 0.001, 10000)
  got <- pld_epsilon(events, 1e-6)
  expect_lt(diff(got), 0.01)
  expect_lt(got[["upper"]], account(events, 1e-6, "rdp")$epsilon)
})

# ---- what every accountant keeps ---------------------------------------------------------

test_that("every accountant answers for what it handles and refuses the rest by a classed error", {
  answered <- character()
  for (accountant in provers) {
    yes <- handled(accountant, 2, count = 3)
    expect_gt(length(yes), 0, label = paste("mechanisms handled by", accountant))
    answered <- union(answered, names(yes))
    for (name in names(examples(1))) {
      event <- examples(2, count = 3)[[name]]
      if (name %in% names(yes)) {
        got <- account(event, 1e-5, accountant)
        expect_s3_class(got, "dp_guarantee")
        expect_identical(got$delta, 1e-5)
        expect_true(is.finite(got$epsilon) && got$epsilon > 0, label = paste(accountant, name))
      } else {
        expect_blames(account(event, 1e-5, accountant), "accountant", "dpadmm_error_accountant")
      }
    }
  }
  # nothing is proved of the printed test, and everything else is somebody's
  expect_identical(setdiff(names(examples(1)), answered), "printed_test")
  for (name in names(.mechanisms)) {
    for (e in .mechanisms[[name]]$examples(2)) {
      expect_identical(e$mechanism, name)
      expect_false(anyNA(unlist(unclass(e)[.mechanisms[[name]]$needs])))
    }
  }
})

test_that("epsilon falls in delta and in noise, and rises in count and in sensitivity", {
  for (accountant in provers) {
    slack <- 1 + grain(accountant)
    spent <- function(e, delta = 1e-5) account(e, delta, accountant)$epsilon
    some <- handled(accountant, 3, count = 4)
    noisier <- handled(accountant, 4, count = 4)
    for (name in names(some)) {
      e <- some[[name]]
      at <- spent(e)
      more <- e
      more$sensitivity <- 1.3 * e$sensitivity
      often <- e
      often$count <- 6
      what <- function(of) paste(accountant, "of", name, of)
      expect_lte(spent(e, 1e-3), at * slack, label = what("falls in delta"))
      expect_lte(spent(noisier[[name]]), at * slack, label = what("falls in noise"))
      expect_gte(spent(often) * slack, at, label = what("rises in count"))
      if (!anyNA(more$sensitivity)) {
        expect_gte(spent(more) * slack, at, label = what("rises in sensitivity"))
      }
    }
  }
})

test_that("an accountant that can do without delta never needs more with it", {
  free <- Filter(function(name) !accountants()[[name]]$needs_delta, setdiff(provers, "best"))
  expect_true("pure" %in% free)
  for (accountant in c(free, "best")) {
    some <- handled(accountant, 3, count = 5, delta = 0)
    expect_gt(length(some), 0)
    for (name in names(some)) {
      expect_gte(account(some[[name]], 0, accountant)$epsilon * (1 + 1e-9),
        account(some[[name]], 1e-6, accountant)$epsilon, label = paste(accountant, name))
    }
  }
})

test_that("no accountant is below the exact answer, where one is known", {
  known <- list(
    gaussian = function(size, count) gaussian_epsilon(size, 1e-5, sqrt(count)),
    pure = function(size, count) compose_pure(1 / size, 1e-5, count)
  )
  seen <- 0
  for (accountant in provers) for (name in names(known)) for (size in c(0.5, 3, 40)) {
    for (count in c(1, 7, 60)) {
      e <- handled(accountant, size, count = count)[[name]]
      if (is.null(e) || (accountant == "pld" && size < 1 && count > 10)) next
      seen <- seen + 1
      expect_gte(account(e, 1e-5, accountant)$epsilon, known[[name]](size, count) * (1 - 1e-9),
        label = paste(accountant, "of", name))
    }
  }
  expect_gt(seen, 60)
})

test_that("nodes compose in parallel, and what reads everybody adds to all", {
  for (accountant in provers) {
    some <- unname(Filter(
      function(e) e$neighbours == "replace-one", handled(accountant, 6, count = 2)
    ))
    table <- do.call(c, some)
    table$node <- rep_len(c(1L, 2L, NA, 5L), nrow(table))
    table <- c(table, some[[1L]])
    table$count <- seq_len(nrow(table))
    got <- account(table, 1e-5, accountant)
    expect_identical(got$epsilon, max(got$per_node$epsilon))
    nodes <- sort(unique(table$node))
    if (length(nodes) == 0L) nodes <- NA_integer_
    expect_identical(got$per_node$node, nodes)
    for (i in seq_along(nodes)) {
      alone <- table[is.na(table$node) | table$node %in% nodes[i], ]
      expect_rel(got$per_node$epsilon[i], account(alone, 1e-5, accountant)$epsilon, 1e-6)
    }
  }
  own <- c(dp_event_pure(0.5, node = 1, count = 2), dp_event_pure(0.7, node = 2), dp_event_pure(0.1, node = 5))
  got <- account(own)
  expect_rel(got$epsilon, 1, 1e-14)
  expect_equal(got$per_node, data.frame(node = c(1L, 2L, 5L), epsilon = c(1, 0.7, 0.1)), tolerance = 1e-14)
  all <- c(own, dp_event_pure(0.25, count = 2))
  expect_equal(account(all)$per_node$epsilon, c(1.5, 1.2, 0.6), tolerance = 1e-14)
})

test_that("two tables composed are one, in any order", {
  for (accountant in provers) {
    some <- handled(accountant, 6)
    for (e in some) {
      twice <- account(rep(e, 2), 1e-5, accountant)$epsilon
      expect_rel(account(c(e, e), 1e-5, accountant)$epsilon, twice, 1e-9)
      expect_gte(twice * (1 + grain(accountant)), account(e, 1e-5, accountant)$epsilon)
    }
    whole <- do.call(c, unname(Filter(function(e) e$neighbours == "replace-one", some)))
    mirrored <- c(whole[rev(seq_len(nrow(whole))), ], whole)
    expect_rel(account(mirrored, 1e-5, accountant)$epsilon,
      account(rep(whole, 2), 1e-5, accountant)$epsilon, 1e-9)
  }
})

test_that("the best is no worse than any other, and says whose it is", {
  for (name in names(handled("best", 2))) {
    event <- examples(2, count = 10)[[name]]
    best <- account(event, 1e-5)
    expect_true(best$accountant %in% names(accountants()))
    expect_identical(best$epsilon, account(event, 1e-5, best$accountant)$epsilon)
    for (accountant in setdiff(provers, "best")) {
      if (name %in% names(handled(accountant, 2))) {
        expect_lte(best$epsilon, account(event, 1e-5, accountant)$epsilon * (1 + 1e-9),
          label = paste("best of", name), expected.label = accountant)
      }
    }
  }
  everything <- do.call(c, unname(Filter(
    function(e) e$neighbours == "replace-one", handled("best", 2, count = 2)
  )))
  expect_true(is.finite(account(everything, 1e-5)$epsilon))
})

test_that("extremes are answered or out of range, never NaN, a negative or Inf", {
  for (accountant in provers) {
    answered <- character()
    for (s in c(1e-3, 1, 1e6)) for (count in c(1, 1e6)) for (delta in c(1e-300, 0.999)) {
      some <- handled(accountant, s, count = count)
      for (name in names(some)) {
        e <- some[[name]]
        # many sampled steps, or a loss distribution of millions of them, take seconds
        heavy <- accountant == "pld" || !is.na(e$q)
        if (count > 1 && (heavy || s < 1e6)) next
        if (heavy && s < 1) next
        got <- tryCatch(account(e, delta, accountant)$epsilon,
          dpadmm_error_accountant = function(e) {
            expect_match(conditionMessage(e), "finds no finite epsilon")
            NULL
          }, dpadmm_error_finite = function(e) NULL
        )
        if (is.null(got)) next
        answered <- union(answered, name)
        expect_true(is.finite(got) && got >= 0, label = sprintf(
          "%s of %s, noise %g, count %g, delta %g: %g", accountant, name, s, count, delta, got
        ))
      }
    }
    # whatever is handled is answered somewhere in the range
    expect_setequal(answered, names(handled(accountant, 1)))
  }
  # millions of steps of every kind of loss distribution
  for (e in list(dp_event_gaussian(1e-3, 1, count = 1e6), dp_event_pure(1, count = 1e6))) {
    got <- expect_no_warning(account(e, 1e-300, "pld"))
    expect_true(is.finite(got$epsilon) && got$epsilon > 0)
  }
  expect_no_warning(account(dp_event_laplace(1e-3, 1), 0.999, "pld"))
})

test_that("a loss of nothing costs nothing", {
  for (accountant in provers) for (e in handled(accountant, 1)) {
    free <- e
    for (column in intersect(c("sensitivity", "curvature", "epsilon"), names(e))) {
      if (!is.na(free[[column]])) free[[column]] <- 0
    }
    expect_lte(account(free, 1e-5, accountant)$epsilon, 1e-6,
      label = paste(accountant, "of", e$mechanism))
  }
})

# ---- the way back -----------------------------------------------------------------------

test_that("calibrated noise spends the budget and never more", {
  cases <- list(
    list(function(s) dp_event_gaussian(s, 2, count = 10), c("best", "rdp", "zcdp", "pld"), c(1e-6, 1e6)),
    list(function(a) dp_event_objective_gamma(a, 0.02, 0.001, 1, dim = 10, count = 20), c("best", "rdp", "pure"), c(1e-6, 1e6)),
    list(function(b) dp_event_laplace(b, 1, count = 5), c("best", "zcdp"), c(0.1, 1e4)),
    list(function(s) poisson(s, 0.02, 100), c("rdp", "best"), c(0.3, 100)),
    list(function(s) dp_event_objective_gaussian(s, 0.02, 0.001, 1, count = 20), c("best", "rdp"), c(1e-6, 1e6))
  )
  for (case in cases) for (accountant in case[[2]]) for (epsilon in c(0.3, 3)) {
    noise <- calibrate(case[[1]], epsilon, 1e-5, accountant, interval = case[[3]])
    spent <- account(case[[1]](noise), 1e-5, accountant)$epsilon
    expect_lte(spent, epsilon)
    expect_gte(spent, epsilon * (1 - 1e-6))
  }
  for (epsilon in c(1e-3, 1, 100)) {
    b <- calibrate(function(b) dp_event_laplace(b, 1, count = 5), epsilon)
    expect_rel(b, 5 / epsilon, 1e-8)
    expect_lte(account(dp_event_laplace(b, 1, count = 5))$epsilon, epsilon)
  }
})

test_that("every accountant's noise can be calibrated", {
  speed <- vapply(accountants(), function(a) a$speed, "")
  for (accountant in setdiff(provers, c("best", names(speed)[speed == "slow"]))) {
    for (name in names(handled(accountant, 1))) {
      at <- function(size) handled(accountant, size, count = 3)[[name]]
      size <- calibrate(at, 0.8, 1e-5, accountant, interval = c(0.5, 1e4))
      spent <- account(at(size), 1e-5, accountant)$epsilon
      expect_lte(spent, 0.8, label = paste(accountant, "of", name))
      expect_gt(spent, 0.8 * (1 - 1e-5), label = paste(accountant, "of", name))
    }
  }
})

test_that("a budget that no noise meets says so, and one that all noise meets too", {
  curved <- function(a) dp_event_objective_gamma(a, 1, 1, 1, dim = 3, count = 10)
  error <- expect_error(calibrate(curved, 1), class = "dpadmm_error_budget")
  expect_rel(error$floor, 10 * log(2), 1e-6)
  expect_rel(error$curvature, 10 * log(2), 1e-12)
  expect_identical(error$argument, "epsilon")
  constant <- function(x) dp_event_pure(0.5)
  expect_blames(calibrate(constant, 1), "interval")
  expect_error(calibrate(constant, 0.1), class = "dpadmm_error_budget")
  expect_error(calibrate(function(s) dp_event_gaussian(s, 1), 1e-3, 1e-5, interval = c(0.1, 1)),
    class = "dpadmm_error_budget")
  for (epsilon in c(0, -1)) expect_blames(calibrate(curved, epsilon), "epsilon")
  expect_blames(calibrate(curved, 1, 1), "delta")
  expect_blames(calibrate(curved, 1, -1), "delta")
  expect_blames(calibrate(1, 1), "events")
  expect_blames(calibrate(function(x) x, 1), "events(noise)")
  expect_blames(calibrate(curved, 1, interval = c(2, 1)), "interval")
  expect_blames(calibrate(curved, 1, interval = c(0, 1)), "interval")
  expect_blames(calibrate(curved, 1, accountant = "guess"), "accountant")
})

# ---- events -------------------------------------------------------------------------------

test_that("events are tables that combine, repeat and print", {
  one <- dp_event_gaussian(2, 1, node = 1:3)
  expect_s3_class(one, c("dp_events", "data.frame"))
  expect_identical(nrow(one), 3L)
  both <- c(rep(one, 4), dp_event_pure(0.1))
  expect_s3_class(both, "dp_events")
  expect_identical(both$count, c(4, 4, 4, 1))
  expect_identical(both$mechanism, c(rep("gaussian", 3), "pure"))
  expect_output(print(both), "13 releases in 4 kinds")
  expect_output(print(account(one, 1e-5)), "over 3 nodes")
  expect_rel(account(rep(one, 4), 1e-5)$epsilon, account(dp_event_gaussian(1, 1), 1e-5)$epsilon, 1e-9)
})

test_that("bad events and bad questions are classed errors that name the argument", {
  for (x in c(0, -1)) {
    expect_blames(dp_event_gaussian(x, 1), "sigma")
    expect_blames(dp_event_subsampled_gaussian(x, 1, 0.1), "sigma")
    expect_blames(dp_event_objective_gaussian(x, 1, 1, 1), "sigma")
    expect_blames(dp_event_objective_gaussian(1, 1, 1, x), "modulus")
    expect_blames(dp_event_laplace(x, 1), "b")
    expect_blames(dp_event_gamma(x, 1, 2), "alpha")
    expect_blames(dp_event_objective_gamma(x, 1, 1, 1, 2), "alpha")
    expect_blames(dp_event_subsampled_gaussian(1, 1, q = x), "q")
    expect_blames(rep(dp_event_pure(1), x), "times")
    expect_blames(dp_event_pure(1, count = x), "count")
    expect_blames(dp_event_gamma(1, 1, dim = x), "dim")
  }
  expect_blames(dp_event_subsampled_gaussian(1, 1, q = 1.01), "q")
  expect_blames(dp_event_subsampled_gaussian(1, 1, 0.1, sampling = "none"), "sampling")
  expect_blames(dp_event_gaussian(1, 1, neighbours = "swap"), "neighbours")
  expect_blames(dp_event_gaussian(1, -1), "sensitivity")
  expect_blames(dp_event_pure(-1), "epsilon")
  for (x in list(NA_real_, NaN, Inf, "a")) {
    expect_blames(dp_event_gaussian(x, 1), "sigma", "dpadmm_error")
    expect_blames(dp_event_pure(x), "epsilon", "dpadmm_error")
    expect_blames(dp_event_subsampled_gaussian(1, 1, q = x), "q", "dpadmm_error")
  }
  event <- dp_event_gaussian(1, 1)
  for (delta in c(1, -0.1, 2)) expect_blames(account(event, delta), "delta")
  for (accountant in c("rdp", "pld", "zcdp")) expect_blames(account(event, 0, accountant), "delta")
  expect_blames(account(event, 0), "accountant", "dpadmm_error_accountant")
  expect_blames(account(event, 1e-5, "guess"), "accountant")
  expect_blames(account(list(), 1e-5), "events")
  expect_blames(account(event[0, ], 1e-5), "events")
  mixed <- c(event, dp_event_pure(1, neighbours = "add-remove"))
  expect_blames(account(mixed, 1e-5), "events", "dpadmm_error_accountant")
  expect_error(account(mixed, 1e-5), "replace-one.*add-remove")
  expect_blames(pld_epsilon(mixed, 1e-5), "events", "dpadmm_error_accountant")
  for (delta in c(0, 1)) expect_blames(pld_epsilon(event, delta), "delta")
  expect_blames(pld_delta(event, -1), "epsilon")
  expect_blames(pld_epsilon(event, 1e-5, step = 0), "step")
  fixed <- dp_event_subsampled_gaussian(1, 1, 0.1, "fixed", neighbours = "add-remove")
  for (accountant in c("rdp", "pld", "best")) {
    expect_blames(account(fixed, 1e-5, accountant), "neighbours", "dpadmm_error_accountant")
  }
})

# ---- what papers print --------------------------------------------------------------------

# A table a theorem, with noise of some size.
printed_examples <- function(size) {
  sigma <- size
  alpha <- 1 / size
  graph <- list(
    alpha = alpha, sensitivity = 0.4, curvature = 0.1, coupling = 2, ridge = 0.1,
    node = 1:2, iteration = 1
  )
  plausible <- list(
    sigma, size, sensitivity = 1, shift = 0.1, curvature = 0.1, ridge = 9, node = 1:2, iteration = 1
  )
  list(
    do.call(printed_recycled_admm, graph), do.call(printed_m_admm, graph),
    do.call(printed_plausible_admm, plausible),
    do.call(printed_plausible_admm, c(plausible, test = list(list(epsilon = 0.1, node = 1:2)))),
    printed_gradient_admm(sigma, 0.1, 0.5, 1:3),
    printed_consensus_centralized(sigma, 1, 10, 1:5),
    printed_consensus_federated(sigma, 0.1, 100, 5, 1:5),
    printed_consensus_local(sigma, 1, 1:5), printed_consensus_walk(sigma, 0.1, 10, 1:5),
    printed_general_admm(sigma, 0.1, 2, 5)
  )
}

test_that("printed theorems are folded by the paper accountant, all of them and by no other", {
  tables <- printed_examples(3)
  expect_setequal(unlist(lapply(tables, function(t) unique(t$theorem))), names(.printed_theorems))
  for (i in seq_along(tables)) {
    table <- tables[[i]]
    theorem <- table$theorem[1L]
    expect_s3_class(table, c("dp_printed", "data.frame"))
    for (accountant in setdiff(accountant_names(), "paper")) {
      expect_blames(account(table, 1e-5, accountant), "accountant", "dpadmm_error_accountant")
    }
    spent <- function(t, delta = 1e-5) account(t, delta, "paper")$epsilon
    at <- spent(table)
    expect_true(is.finite(at) && at > 0, label = theorem)
    expect_lte(spent(printed_examples(4)[[i]]), at, label = paste(theorem, "falls in noise"))
    expect_lte(spent(table, 1e-3), at, label = paste(theorem, "falls in delta"))
    expect_gte(spent(rep(table, 2)), at, label = paste(theorem, "rises in count"))
    expect_rel(spent(c(table, table)), spent(rep(table, 2)), 1e-9)
    size <- calibrate(function(size) printed_examples(size)[[i]], 2 * at, 1e-5, "paper", c(0.05, 50))
    expect_lte(spent(printed_examples(size)[[i]]), 2 * at)
    if (is.null(.printed_theorems[[theorem]]$loss)) {
      expect_blames(account(table, 0, "paper"), "accountant", "dpadmm_error_accountant")
    } else {
      expect_gt(spent(table, 0), 0)
    }
  }
  expect_blames(account(dp_event_gaussian(1, 1), 1e-5, "paper"), "accountant", "dpadmm_error_accountant")
  expect_error(c(tables[[1L]], dp_event_pure(1)), class = "dpadmm_error_argument")
  expect_output(print(tables[[1L]]), "dp_printed: 2 releases in 2 kinds")
})

test_that("M-ADMM's printed loss has no rho/N, Recycled ADMM's has; the condition of both has", {
  row <- function(make, ...) make(2, 0.4, 0.1, coupling = 1, ridge = 0.25, node = 3L, iteration = 1)
  expect_rel(account(row(printed_m_admm), 0, "paper")$epsilon, 2 * 0.4 + 2.8 * 0.1 / 1, 1e-14)
  expect_rel(account(row(printed_recycled_admm), 0, "paper")$epsilon, 2 * 0.4 + 2.8 * 0.1 / 1.25, 1e-14)
  for (make in list(printed_m_admm, printed_recycled_admm)) {
    at <- function(curvature) {
      account(make(2, 0.4, curvature, coupling = 1, ridge = 0.25, node = 3L, iteration = 1), 0, "paper")
    }
    expect_s3_class(at(0.6249), "dp_guarantee") # 2 c1 C / B < rho/N + 2 eta V
    error <- expect_error(at(0.6251), "at node 3", class = "dpadmm_error_theorem")
    expect_identical(error$place, 3L)
  }
})

# ---- mechanisms of noise -------------------------------------------------------------------

test_that("a mechanism's size goes with its noise, and its events are handled", {
  for (name in names(.noise_mechanisms)) {
    m <- noise_mechanism(name)
    for (scale in c(0.1, 1, 7)) expect_equal(m$scale(m$size(scale)), scale)
    # size is proportional to the noise
    expect_equal(m$sd(m$scale(6), 5), 3 * m$sd(m$scale(2), 5))
    for (make in list(m$output_event, function(...) m$objective_event(..., curvature = 0.1, modulus = 2))) {
      event <- make(m$scale(3), sensitivity = 1, dim = 5, node = 2L, iteration = 4)
      expect_s3_class(event, "dp_events")
      expect_identical(c(event$node, event$iteration), c(2, 4))
      more <- make(m$scale(4), sensitivity = 1, dim = 5)
      expect_lt(account(more, 1e-5)$epsilon, account(event, 1e-5)$epsilon)
      pure <- tryCatch(account(event, 0)$epsilon, dpadmm_error_accountant = function(e) Inf)
      expect_identical(is.finite(pure), m$pure)
    }
    # the standard deviation is that of what is drawn
    draws <- .Call(ffi_noise, name, m$scale(2), 3, 20000, noise_key(1), 0)
    expect_rel(sd(as.vector(draws)), m$sd(m$scale(2), 3), 0.02)
    expect_identical(default_mechanism(if (m$pure) 0 else 1e-5)$name, name)
  }
  expect_blames(noise_mechanism("cauchy"), "noise")
})

# ---- a finished fit -----------------------------------------------------------------------

test_that("a finished fit is re-reported at any delta", {
  n <- 60
  x <- matrix(sin(seq_len(2 * n)), n) / 2
  y <- rep(c(-1, 1), n / 2)
  fit <- function(...) dpadmm_fit(x, y, nodes = 3, iterations = 4, seed = 1, ...)
  gaussian <- suppressWarnings(fit(epsilon = 2, delta = 1e-5))
  expect_identical(privacy(gaussian)$delta, 1e-5)
  expect_lte(privacy(gaussian)$epsilon, 2 * (1 + 1e-12))
  deltas <- c(1e-12, 1e-8, 1e-5, 1e-2)
  spent <- vapply(deltas, function(d) privacy(gaussian, delta = d)$epsilon, 0)
  expect_all(diff(spent) < 0, "falls in delta")
  for (i in seq_along(deltas)) {
    expect_identical(spent[i], account(gaussian$events, deltas[i])$epsilon)
  }
  expect_error(privacy(gaussian, delta = 0), class = "dpadmm_error_accountant")
  pure <- suppressWarnings(fit(epsilon = 8))
  expect_rel(privacy(pure)$epsilon, 8, 1e-6)
  expect_lte(privacy(pure, delta = 1e-3)$epsilon, privacy(pure)$epsilon)
  for (delta in c(1, -1)) expect_blames(privacy(pure, delta = delta), "delta")
})
