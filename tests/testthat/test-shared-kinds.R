# What parties and iterations that differ little share: sizes, orders and moduli on a grid.

test_that("at orders that are told sizes are rounded up, orders down, and bounds stay bounds", {
  alpha <- c(10^seq(-3, 1, length.out = 200), 1e-300, 5e-324, 1e300)
  kinds <- renyi_kinds(c(
    dp_event_objective_gamma(alpha,
      sensitivity = 1, curvature = 1e-4, modulus = 1, dim = 11, logistic_curvature = TRUE
    ),
    dp_event_pure(0.1)
  ))
  shared <- shared_kinds(kinds)
  expect_true(all(shared$size >= kinds$size))
  expect_true(all(shared$size[1:200] <= kinds$size[1:200] * (1 + 2^-17)))
  expect_identical(shared$size[204], kinds$size[204])
  same <- setdiff(names(kinds), "size")
  expect_identical(shared[same], kinds[same])
  # sizes that differ in late digits become one
  close <- renyi_columns(2L, curve = "objective_gamma", size = c(0.2, 0.2 + 1e-9), dim = 11)
  expect_length(unique(shared_kinds(close)$size), 1L)

  order <- 1 + 10^seq(-2, 3, length.out = 200)
  below <- log((order - 1) / (shared_orders(order) - 1))
  expect_true(all(below > -1e-12 & below < 2^-14 + 1e-12))

  s <- c(0.1, 1, 8, 60)
  few <- lapply(kinds, `[`, 1:200)
  expect_true(all(divergences(lapply(shared, `[`, 1:200), s) >= divergences(few, s)))

  # together they are what each is alone, in whatever order
  ledgers <- lapply(1:60, function(k) list(kind = c(3L * k + (-2:0), 204L), count = c(2, 1, 1, 5)))
  near <- 1 + 10^seq(0, 1.5, length.out = 60)
  together <- look_together(kinds, ledgers, log(1e-5), near)
  alone <- lapply(1:60, function(k) look_together(kinds, ledgers[k], log(1e-5), near[k]))
  expect_identical(together$epsilon, vapply(alone, `[[`, 0, "epsilon"))
  expect_identical(together$order, vapply(alone, `[[`, 0, "order"))
  exactly <- search_orders(kinds, ledgers, log(1e-5), near = shared_orders(near))$epsilon
  expect_true(all(together$epsilon >= exactly & together$epsilon <= exactly * (1 + 2^-15)))
})

test_that("thousands of iterations that differ little are counted as fewer that cost no less", {
  for (noise in c("gaussian", "gamma")) {
    plan <- suppressWarnings(dpadmm_plan(4, c(300, 300, 400),
      epsilon = 1, delta = 1e-5, noise = noise, iterations = 5000
    ))
    releases <- placed_releases(plan)
    expect_gt(nrow(releases), .too_many_releases)
    shared <- shared_releases(releases)
    objective <- releases$part == "objective"
    rise <- releases$modulus[objective] / shared$modulus[objective]
    expect_true(all(rise >= 1 & rise <= 1 + 2^-10))
    loss <- function(r) r$sensitivity / r$weight
    expect_true(all(loss(shared) >= loss(releases)))
    expect_true(all(loss(shared) <= loss(releases) * (1 + 2^-9)))
    same <- setdiff(names(releases), c("modulus", "sensitivity", "weight"))
    expect_identical(shared[same], releases[same])
    # two parties are unlike, in 5,000 releases each
    expect_lt(nrow(unlike_parties(plan)$releases), 5000)

    spent <- privacy(plan)$per_node$epsilon
    expect_true(all(spent <= 1 & spent > 1 - 2e-3))
  }
})
