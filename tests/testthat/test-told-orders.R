# Orders at which plans proved their budgets, as their events tell them.

test_that("a statement looks where events tell that a budget is kept, and not only there", {
  skip_on_cran()
  # the search's own orders cost a few of them up to 1e-4 more than their budgets
  spread <- (sin(3 * seq_len(287)) + 1) / 2
  cases <- list(
    list(108, m_admm(), 2.75, 1e-5, 3, exp(seq(log(25), log(1150), length.out = 200))),
    list(99, pp_admm(), 0.06 * 100^spread, 2e-6, 2, exp(seq(log(25), log(194), length.out = 287)))
  )
  for (case in cases) {
    plan <- suppressWarnings(dpadmm_plan(case[[1L]],
      method = case[[2L]], epsilon = case[[3L]], delta = case[[4L]], iterations = case[[5L]],
      sizes = round(case[[6L]]), network = "complete", noise = "gamma", intercept = TRUE
    ))
    said <- function(events) account(events, case[[4L]])$per_node$epsilon
    spent <- said(plan)
    expect_true(all(spent <= plan$budget$epsilon & spent > plan$budget$epsilon * (1 - 5e-3)))
    events <- plan$events
    told <- !is.na(events$order)
    expect_true(any(told) && all(events$order[told] > 1))
    kept <- events_from_json(events_to_json(events))
    expect_identical(said(kept), spent)
    search <- function(order) {
      events$order <- order
      said(events)
    }
    bare <- search(NA_real_)
    expect_true(all(spent <= bare))
    # a foolish order costs nothing
    for (order in c(-1, 0, 1, 1 + 1e-12, 1e300, NaN, Inf)) expect_identical(search(order), bare)
  }
})

test_that("so does one of a few holders", {
  for (columns in c(10, 85)) {
    delta <- if (columns == 10) 1e-7 else 1e-5
    epsilon <- if (columns == 10) 2.75 else 0.3
    plan <- suppressWarnings(dpadmm_plan(columns,
      method = m_admm(), epsilon = epsilon, delta = delta, noise = "gamma", intercept = TRUE,
      iterations = if (columns == 10) 10 else 3, sizes = c(25, 90, 321, 1150), network = "complete"
    ))
    said <- function(events) account(events, delta)$per_node$epsilon
    spent <- said(plan)
    expect_true(all(spent <= epsilon & spent > epsilon * (1 - 2e-4)))
    bare <- plan$events
    bare$order <- NA_real_
    expect_true(all(spent <= said(bare)))
    # the search alone finds none as good
    if (columns == 85) expect_gt(max(said(bare) / spent), 1 + 1e-7)
    # the orders that are told are what proved the noise
    own <- plan$events[plan$events$node == 4, ]
    total <- rdp_total(own, own$count)
    s <- unique(own$order) - 1
    expect_length(s, 1L)
    expect_lte(conversion(s, total(s), log(delta)), epsilon)
  }
})

test_that("orders are told of a party's own ledger, and of no sum over several fits", {
  one <- dp_event_objective_gamma(0.5,
    sensitivity = c(0.3, 0.4), curvature = 0.1, modulus = 1, dim = 3, node = 1:2
  )
  expect_null(open_books(one)$told)
  one$order <- c(7, 9)
  expect_identical(open_books(one)$told, c(7, 9))
  expect_identical(open_books(rep(one, 3))$told, c(7, 9))
  # nodes 1, 2 of each are the same nodes; of two divisions records are in one of each
  other <- one
  other$division <- 1L
  expect_null(open_books(c(one, other))$told)
  # what is told is looked at, and the order of the least is reported
  cost <- function(order) account(replace(one, "order", order), 1e-5, "rdp")
  least <- cost(NA_real_)
  expect_identical(cost(50)$epsilon, least$epsilon)
  there <- cost(least$order)
  expect_lte(there$epsilon, least$epsilon)
  expect_rel(there$order, least$order, 1e-6)
})

test_that("tables of fits that an earlier version saved are combined with others, and charged", {
  new <- dp_event_gaussian(2, sensitivity = 1, node = 1:2)
  old <- new[setdiff(names(new), "order")]
  both <- c(new, old)
  expect_identical(names(c(old, new)), names(both))
  expect_identical(both$order, rep(NA_real_, 4))
  expect_identical(account(c(old, old), 1e-5), account(c(new, new), 1e-5))
  expect_identical(account(old, 1e-5), account(new, 1e-5))
  expect_identical(events_to_json(old), events_to_json(new))
})
