# Units of a few parties that the core finds by itself.

meet <- function(events, ...) meet_in_core(each_mechanism(events), events, ...)

# A plan, and the same where R asks accountants step by step.
both_ways <- function(...) {
  make <- function() suppressWarnings(dpadmm_plan(...))
  in_core <- make()
  local_binding("units_in_core", function(...) NULL)
  list(in_core = in_core, in_steps = make())
}

test_that("the core finds the units that R finds, and no statement is above its budget", {
  sizes <- c(40, 300, 2500, 2500, 30000)
  cases <- expand.grid(
    method = c("admm", "m_admm", "r_admm", "mr_admm", "pp_admm"), delta = c(1e-2, 1e-5, 1e-9),
    epsilon = c("one", "own", "little"), stringsAsFactors = FALSE
  )
  budgets <- list(one = 1, own = c(0.2, 8, 1, 2, 0.7), little = 0.03)
  for (k in seq_len(nrow(cases))) {
    case <- cases[k, ]
    plan <- both_ways(7, sizes, epsilon = budgets[[case$epsilon]], delta = case$delta,
      method = get(case$method)(), iterations = 2 + k %% 9)
    label <- paste(unlist(case), collapse = " ")
    # bounds have kinks, at which orders are not found to the last digit
    expect_lt(max(abs(plan$in_core$unit / plan$in_steps$unit - 1)), 1e-5, label = label)
    spent <- account(plan$in_core, case$delta)$per_node$epsilon / plan$in_core$budget$epsilon
    expect_true(all(spent <= 1 & spent > 1 - 1e-3), label = label)
  }
})

test_that("budgets of their own get no party more noise than it needs, in whatever valley", {
  # bounds of unlike parties have kinks at unlike orders: the fourth got .8% more once
  epsilon <- c(0.479, 1.7053, 1.6995, 0.9149, 0.5984, 1.2439, 2.4983, 0.4008, 0.6095, 0.6844)
  sizes <- c(1190, 58, 2738, 134, 62, 218, 1673, 694, 1878, 78)
  plan <- both_ways(8, sizes, epsilon = epsilon, delta = 1e-6, method = admm())
  expect_lt(max(abs(plan$in_core$unit / plan$in_steps$unit - 1)), 1e-5)
  for (i in seq_along(sizes)) {
    alone <- dpadmm_plan(8, sizes, epsilon = replace(epsilon + 1, i, epsilon[i]), delta = 1e-6,
      method = admm(), C = plan$in_core$problem$C, rho = plan$in_core$problem$rho)
    expect_lt(plan$in_core$unit[i, 1L] / alone$unit[i, 1L] - 1, 1e-4)
  }
})

test_that("it is asked once where the RDP accountant alone is, and R where there are others", {
  asked <- function(..., columns = 4) {
    make <- function() suppressWarnings(dpadmm_plan(columns, c(500, 900), ...))
    unique(asked_for(make)$accountant)
  }
  expect_identical(asked(epsilon = 1, delta = 1e-5), "core")
  expect_identical(asked(epsilon = 1, delta = 1e-5, method = pp_admm()), "core")
  expect_identical(asked(epsilon = 1:2, delta = 1e-5, iterations = 1), "core")
  for (iterations in c(2, 30)) for (method in list(mr_admm(), m_admm(), pp_admm())) {
    expect_identical("core", asked(epsilon = 1, delta = 1e-5, noise = "gamma", method = method,
      iterations = iterations, columns = 20))
  }
  # it may be that a privacy loss distribution is less, or pure losses are too many; and no delta
  expect_true("best" %in% asked(epsilon = 1, delta = 1e-5, noise = "gamma", method = pp_admm(),
    iterations = 2))
  expect_true("best" %in% asked(epsilon = 1, delta = 1e-5, noise = "gamma", method = m_admm(),
    iterations = 40, columns = 1))
  expect_true("best" %in% asked(epsilon = 1))
  # noise on values alone has an accountant that is exact
  plan <- suppressWarnings(dpadmm_plan(4, c(500, 900), epsilon = 1, delta = 1e-5,
    method = fp_admm()))
  expect_null(units_in_core(placed_parties(plan)$releases, 1, plan))
  events <- c(dp_event_objective_gamma(2, 0.02, 0.001, 1, dim = 9, node = 1:2),
    dp_event_pure(0.01, node = 1:2))
  found <- meet(events, c(1, 2), 1e-5) # their bounds cross
  events$alpha <- events$alpha / found$unit[events$node]
  events$epsilon <- events$epsilon / found$unit[events$node]
  spent <- account(events, 1e-5, "rdp")$per_node$epsilon / 1:2
  expect_true(all(spent <= 1 & spent > 1 - 2e-4))
  expect_null(meet(dp_event_subsampled_gaussian(2, 1, q = 0.1, node = 1:2), c(1, 1), 1e-5))
  expect_null(meet(dp_event_gaussian(2, 1, node = 1:2), c(1, 0), 1e-5))
})

test_that("hundreds of releases with Gamma noise that are all unlike are told by a few of them", {
  # a party's penalties grow; pure losses say more, which a floor of theirs tells
  for (case in list(list(m_admm(), 300, 1), list(m_admm(), 150, c(0.3, 4, 1)),
    list(mr_admm(), 400, c(2, 1, 1)), list(pp_admm(), 200, 1)
  )) {
    make <- function() {
      suppressWarnings(dpadmm_plan(8, c(100, 900, 2000), method = case[[1L]], epsilon = case[[3L]],
        delta = 1e-5, noise = "gamma", iterations = case[[2L]]))
    }
    label <- case[[1L]]$name
    expect_identical(unique(asked_for(make)$accountant), "core", label = label)
    plan <- make()
    spent <- privacy(plan)$per_node$epsilon / case[[3L]]
    expect_true(all(spent <= 1 & spent > 1 - 1e-3), label = label)
  }
  # and those of thousands are shared first
  plan <- suppressWarnings(dpadmm_plan(8, c(100, 900), method = m_admm(), epsilon = 1,
    delta = 1e-5, noise = "gamma", iterations = 4000))
  expect_gt(nrow(plan$releases), .too_many_releases)
  parties <- unlike_parties(plan)
  expect_false(is.null(units_in_core(parties$releases, parties$epsilon, plan)))
  spent <- privacy(plan)$per_node$epsilon
  expect_true(all(spent <= 1 & spent > 1 - 2e-3))
})

test_that("hundreds of holders with Gamma noise are solved one after another", {
  skip_on_cran()
  sizes <- round(exp(seq(log(100), log(10000), length.out = 400)))
  plan <- both_ways(10, sizes, epsilon = 1, delta = 1e-5, noise = "gamma", iterations = 10,
    method = m_admm(eta = 10^-(1 + cos(1:400))))
  expect_false(identical(plan$in_core$unit, plan$in_steps$unit))
  excess <- plan$in_core$unit / plan$in_steps$unit - 1
  expect_true(all(excess > -2e-3 & excess < 2e-3))
  spent <- privacy(plan$in_core)$per_node$epsilon
  expect_true(all(spent <= 1 & spent > 1 - 1e-3))
})

test_that("of many parties one that others may say less of, or that curvature costs most, is none
          less private and leaves the others to the core", {
  skip_on_cran()
  plan_of <- function(eta) {
    suppressWarnings(dpadmm_plan(13, c(rep(2000, 15), 300), epsilon = 1, delta = 1e-5,
      noise = "gamma", method = m_admm(eta = c(rep(0.3, 15), eta)), iterations = 100))
  }
  usual <- plan_of(0.1)$unit[1:15, 1L]
  for (eta in c(5e-4, 3e-4)) { # a privacy loss distribution says less of the last
    asked <- unique(asked_for(function() plan <<- plan_of(eta))$accountant)
    expect_identical(asked[1L], "core")
    expect_identical("best" %in% asked, eta < 4e-4)
    expect_rel(plan$unit[1:15, 1L], usual, 1e-5)
    spent <- privacy(plan)$per_node$epsilon
    expect_true(all(spent <= 1 & spent > 1 - 1e-3), label = eta)
  }
  expect_error(plan_of(1e-4), "curvature", class = "dpadmm_error_budget")
})

test_that("the core finds the Gaussian mechanism's noise, whatever it starts from", {
  # by Renyi divergences, of which epsilon is known in closed form
  for (sigma in c(0.5, 2, 9)) for (epsilon in list(c(0.1, 0.1), c(1, 5), c(3, 0.02))) {
    events <- dp_event_gaussian(sigma, 1, node = 1:2, count = c(1, 30))
    found <- meet(events, epsilon, 1e-6)
    rho <- c(1, 30) / (sigma * found$unit)^2 / 2
    expect_rel(zcdp_to_epsilon(rho, 1e-6), epsilon, 1e-7)
    expect_true(all(found$order > 1))
  }
})

test_that("parties' names, the order of their releases and alike ones do not tell", {
  events <- c(dp_event_objective_gaussian(3, 0.1, 0.01, 1, node = 1:4, iteration = 1),
    dp_event_gaussian(c(3, 9, 3, 2), 0.02, node = 1:4, count = 7))
  budgets <- c(1, 2, 1, 0.4)
  found <- meet(events, budgets, 1e-6)
  expect_identical(found$unit[1L], found$unit[3L])
  turned <- events
  turned$node <- 5L - events$node
  expect_identical(meet(turned, rev(budgets), 1e-6)$unit, rev(found$unit))
  expect_rel(meet(events[8:1, ], budgets, 1e-6)$unit, found$unit, 3e-9)
  for (i in 1:4) {
    own <- events[events$node == i, ]
    own$node <- 1L
    expect_rel(meet(own, budgets[i], 1e-6)$unit, found$unit[i], 3e-9)
  }
})

test_that("what is no budget is refused", {
  events <- dp_event_gaussian(2, 1, node = 1:2)
  owned <- list(node = 1:2, count = c(5, 1))
  budget <- list(epsilon = c(1, 1), cost = c(0, 0), log_delta = -10, width = 1e-9, others = FALSE)
  units <- function(budget, releases = owned, search = order_search(.ways$some$search)) {
    core_call(.Call(ffi_renyi_units, renyi_kinds(events), releases, search, budget))
  }
  expect_true(all(is.finite(unlist(units(budget)))))
  for (change in list(list(epsilon = 1), list(epsilon = c("a", "b")), list(epsilon = NULL),
    list(log_delta = 1), list(log_delta = NA_real_), list(width = -1), list(width = "a"),
    list(cost = 0), list(cost = NULL), list(others = NA), list(others = NULL)
  )) {
    expect_error(units(utils::modifyList(budget, change)), class = "dpadmm_error_argument")
  }
  for (change in list(list(node = c(1L, 3L)), list(node = 0:1), list(node = c(1, 2)),
    list(node = 1L), list(node = c(1L, NA)), list(count = 1), list(count = 1:2), list(count = NULL)
  )) {
    expect_error(units(budget, utils::modifyList(owned, change)),
      class = "dpadmm_error_argument")
  }
  expect_error(units(NULL), class = "dpadmm_error_argument")
  expect_error(units(budget, NULL), class = "dpadmm_error_argument")
  expect_error(units(budget, search = list()), class = "dpadmm_error_argument")
  # less than the rest costs, or nothing
  expect_true(all(is.nan(units(replace(budget, "cost", list(c(2, 2))))[[1L]])))
  expect_true(all(is.nan(units(replace(budget, "epsilon", list(c(0, 0))))[[1L]])))
})
