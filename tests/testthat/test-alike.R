# Ledgers that are nearly alike, taken for one: proved for each, and few are asked about.

test_that("a group's ledgers are dominated by its most and dominate its least, entry by entry", {
  set.seed(11)
  n <- 300
  size <- c(0.1 * (1 + 1e-4 * runif(n)), 0.02 * (1 + 1e-5 * runif(n)), 0.3, 0.05)
  family <- c(rep(1, n), rep(2, n), 1, 2)
  ledgers <- lapply(seq_len(n), function(i) {
    # kinds that some share come before or after their own
    shared <- if (i %% 3 == 0) 2 * n + 1:2
    kind <- c(i, n + i, shared)
    list(kind = kind, count = rep(c(2, 4, 1, 1), length.out = length(kind)))
  })
  alike <- alike_ledgers(ledgers, size, family)
  expect_lt(length(alike$most), n / 4)
  entries <- function(ledger) {
    order <- order(family[ledger$kind], ledger$count, -size[ledger$kind])
    list(size = size[ledger$kind][order], count = ledger$count[order],
      family = family[ledger$kind][order])
  }
  known <- c("count", "family")
  fits <- vapply(seq_len(n), function(i) {
    own <- entries(ledgers[[i]])
    most <- entries(alike$most[[alike$group[i]]])
    least <- entries(alike$least[[alike$group[i]]])
    identical(most[known], own[known]) && identical(least[known], own[known]) &&
      all(most$size >= own$size & least$size <= own$size) &&
      # as the help of account() says
      sum(most$size * most$count) <= sum(own$size * own$count) * (1 + 2.001e-5)
  }, NA)
  expect_true(all(fits))
  # whatever the order of the ledgers
  turned <- rev(seq_len(n))
  again <- alike_ledgers(ledgers[turned], size, family)
  bound <- function(a) vapply(a$most, function(l) sum(size[l$kind] * l$count), 0)[a$group]
  expect_identical(bound(again)[turned], bound(alike))
  # few are each their own
  expect_identical(alike_ledgers(ledgers[1:5], size, family)$most, ledgers[1:5])
})

test_that("groups of parties are those that going through them one by one makes", {
  one_by_one <- function(sizes, count) {
    total <- colSums(sizes * count)
    group <- integer(length(total))
    now <- 0L
    bound <- -1
    for (k in do.call(order, c(list(total), asplit(sizes, 1)))) {
      if (now > 0L) largest <- pmax(largest, sizes[, k])
      if (now == 0L || sum(largest * count) > bound) {
        now <- now + 1L
        largest <- sizes[, k]
        bound <- total[k] * (1 + .alike_width)
      }
      group[k] <- now
    }
    group
  }
  set.seed(12)
  for (rows in c(1, 2, 5)) for (spread in c(1e-7, 1e-5, 1e-3)) {
    sizes <- matrix(runif(rows, 0.1, 1) * (1 + spread * runif(rows * 200)), rows)
    count <- sample(9, rows, TRUE)
    groups <- dpadmm:::nearby_columns(sizes, count)
    expect_identical(groups, one_by_one(sizes, count))
    expect_identical(dpadmm:::nearby_columns(-sizes, count), one_by_one(-sizes, count))
  }
  expect_identical(dpadmm:::nearby_columns(cbind(c(1, NA), 1:2), 1:2), 1:2)
  call <- function(size, order) {
    core_call(.Call(dpadmm:::ffi_alike_groups, size, 1, c(1, 2), order, 0.1))
  }
  expect_identical(call(c(1, 2), 1:2), 1:2)
  for (bad in list(list(1, 1:2), list(c(1, 2), 1L), list(c(1, 2), c(1L, 3L)),
    list(c(1, 2), 0:1), list(c(1, 2), c(1L, NA)), list(1:2, 1:2))) {
    expect_error(call(bad[[1L]], bad[[2L]]), class = "dpadmm_error_argument")
  }
})

test_that("releases that are alike to the last bit, or nearly, do not tell ledgers apart", {
  size <- c(0.1, 0.1 * (1 + 1e-12), 0.2)
  ledgers <- rep(list(
    list(kind = c(1L, 3L), count = c(5, 1)), list(kind = 1:3, count = c(3, 2, 1))
  ), 20)
  alike <- alike_ledgers(ledgers, size, numeric(3))
  expect_length(alike$most, 1L)
  expect_identical(sum(alike$most[[1L]]$count), 6)
  # too many to write out
  ledgers <- rep(list(list(kind = 1L, count = 1e6), list(kind = 2L, count = 1e6)), 20)
  expect_length(alike_ledgers(ledgers, size, numeric(3))$most, 1L)
})

test_that("a larger shift of Gamma-norm noise, or a larger pure loss, dominates", {
  delta <- function(events) pld_delta(events, 0.7)
  small <- rep(dp_event_gamma(alpha = 1, sensitivity = 0.2, dim = 3), 4)
  large <- rep(dp_event_gamma(alpha = 1, sensitivity = 0.21, dim = 3), 4)
  expect_lt(delta(small)[["upper"]], delta(large)[["lower"]])
  loss <- lapply(c(0.2, 0.21), function(loss) delta(rep(dp_event_pure(loss), 5)))
  expect_lt(loss[[1L]][["upper"]], loss[[2L]][["lower"]])
})

test_that("a thousand unlike parties are asked of slow accountants a few times, each proved", {
  skip_on_cran()
  N <- 1000
  sizes <- round(exp(seq(log(30), log(3000), length.out = N)))[order(sin(1:N))]
  cases <- list(
    list(pp_admm(), 3, 0.5, NULL), list(ipp_admm(), 2, 5, 30), list(m_admm(), 3, 5, NULL)
  )
  for (case in cases) {
    plan <- said <- NULL
    label <- case[[1L]]$name
    make <- function() {
      plan <<- suppressWarnings(dpadmm_plan(case[[2L]], sizes = sizes, method = case[[1L]],
        epsilon = case[[3L]], delta = 1e-6, noise = "gamma", network = "ring",
        iterations = case[[4L]]
      ))
    }
    # one look a party and accountant would be 2,000
    expect_lt(looks_of(make), 500, label = label)
    expect_lt(looks_of(function() said <<- account(plan, 1e-6)), 300, label = label)
    spent <- said$per_node$epsilon
    expect_true(all(spent <= case[[3L]] & spent > case[[3L]] * (1 - 2e-3)), label = label)
    for (i in c(1, 77, 500, which.max(spent))) {
      alone <- account(plan$events[plan$events$node == i, ], 1e-6)
      expect_gte(spent[i], alone$epsilon * (1 - 1e-9), label = label)
      expect_lte(spent[i], alone$epsilon * (1 + 5 * .alike_width), label = label)
    }
    if (!is.null(said$bracket)) {
      expect_lte(said$bracket[["lower"]], alone$bracket[["upper"]])
      expect_gte(said$bracket[["lower"]], alone$bracket[["lower"]] * (1 - 5 * .alike_width))
    }
  }
})

test_that("no statement is above the budget where the best orders of some parties jump", {
  skip_on_cran()
  # a fifth of the parties, none of those looked at, had one of up to 1.03
  N <- 1000
  sizes <- round(exp(seq(log(30), log(3000), length.out = N)))[order(sin(1:N))]
  plan <- suppressWarnings(dpadmm_plan(10, sizes = sizes, method = pp_admm(), epsilon = 1,
    delta = 1e-6, noise = "gamma", network = "ring"
  ))
  expect_true(all(account(plan, 1e-6)$per_node$epsilon <= 1))
})
