# Printed theorems as tables, and the paper accountant that folds them.

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
    size <- calibrate(function(size) printed_examples(size)[[i]], 2 * at, 1e-5, "paper",
      interval = c(0.05, 50)
    )
    expect_lte(spent(printed_examples(size)[[i]]), 2 * at)
    if (is.null(.printed_theorems[[theorem]]$loss)) {
      expect_blames(account(table, 0, "paper"), "accountant", "dpadmm_error_accountant")
    } else {
      expect_gt(spent(table, 0), 0)
    }
  }
  expect_blames(account(dp_event_gaussian(1, 1), 1e-5, "paper"), "accountant",
    "dpadmm_error_accountant"
  )
  expect_error(c(tables[[1L]], dp_event_pure(1)), class = "dpadmm_error_argument")
  expect_output(print(tables[[1L]]), "dp_printed: 2 releases in 2 kinds")
})

test_that("M-ADMM's printed loss has no rho/N, Recycled ADMM's has; the condition of both has", {
  at <- function(make, curvature) {
    account(make(2, 0.4, curvature, coupling = 1, ridge = 0.25, node = 3L, iteration = 1),
      delta = 0, accountant = "paper"
    )
  }
  expect_rel(at(printed_m_admm, 0.1)$epsilon, 2 * 0.4 + 2.8 * 0.1 / 1, 1e-14)
  expect_rel(at(printed_recycled_admm, 0.1)$epsilon, 2 * 0.4 + 2.8 * 0.1 / 1.25, 1e-14)
  for (make in list(printed_m_admm, printed_recycled_admm)) {
    # 2 c1 C / B < rho/N + 2 eta V
    expect_s3_class(at(make, 0.6249), "dp_guarantee")
    error <- expect_error(at(make, 0.6251), "at node 3", class = "dpadmm_error_theorem")
    expect_identical(error$place, 3L)
  }
})
