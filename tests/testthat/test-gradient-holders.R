# Gradient methods over several holders: each sends its own noisy sum of gradients, a hub adds
# them up. test-methods.R has what holds for every method, test-gradient-holders-privacy.R what
# holders spend.

test_that("without noise the run is that of one holder of all records", {
  sparse <- methods::as(Matrix::Matrix(hub_data$x * (hub_data$x > 0)), "CsparseMatrix")
  w <- rep_len(c(1, 0, 0.5), hub_data$n)
  with <- list(
    list(), list(penalty = penalty_l1(0.01)), list(.x = sparse), list(offset = w),
    list(case_weights = w, weight_bound = 1), list(loss = "squared"),
    list(penalty = penalty_l2(0.1), intercept = TRUE)
  )
  control <- dpadmm_control(progress = FALSE, row_bound = 0.8)
  for (method in hub_kinds) {
    split <- inherits(method, "dpadmm_family_split")
    graph <- if (split) list(penalty = fused_lasso(5, 0.01, 0.002))
    for (more in c(with, list(graph))) {
      run <- function(nodes) {
        do.call(hub_fit, c(list(method, nodes = nodes, epsilon = Inf, iterations = 40,
          control = control), more))
      }
      pooled <- run(NULL)
      apart <- run(hub_data$nodes)
      expect_lt(max(abs(apart$iterates - pooled$iterates)), 1e-12)
      expect_lt(max(abs(coef(apart) - coef(pooled))), 1e-11)
      expect_gt(max(abs(pooled$iterates)), 0.1)
    }
  }
})

test_that("each holder's message is its own gradient with noise from its own key", {
  sigma <- c(A = 0.5, B = 0.1, C = 2, D = 0.3)
  gradients <- function(at) {
    slope <- -hub_data$y * stats::plogis(-hub_data$y * as.vector(rows %*% at))
    unclass(rowsum(rows * slope, hub_data$nodes)) / hub_data$n
  }
  rows <- hub_data$x / pmax(1, sqrt(rowSums(hub_data$x^2)))
  plan <- hub_plan(dp_sgd(step = 2), noise = gaussian_noise(sigma[c(3, 1, 2, 4)]), iterations = 3)
  seen <- hub_messages(plan, hub_data$x, hub_data$y, hub_data$holder, 5)
  at <- numeric(5)
  for (t in 1:3) {
    want <- t(vapply(1:4, function(i) {
      key <- .Call(ffi_key_party, noise_key(5), i)
      sent(gradients(at)[i, ], sigma[[i]], t, key)
    }, double(5)))
    got <- seen[4 * (t - 1) + 1:4, ]
    # values on a grid of the noise, which a last bit moves to the next point
    expect_true(all(abs(got - want) <= 2 * 2^-40 * sigma))
    at <- at - 2 * colSums(got)
  }
})

test_that("engines, threads and saved parties give the same bits; keys go by place", {
  for (method in hub_kinds) {
    run <- function(..., nodes = hub_data$nodes, rows = seq_len(hub_data$n)) {
      hub_fit(method, noise = gaussian_noise(0.1), delta = 1e-5, nodes = nodes[rows],
        .x = hub_data$x[rows, ], .y = hub_data$y[rows],
        control = dpadmm_control(progress = FALSE, ...))
    }
    want <- run()
    same <- function(other) expect_identical(unname(other$iterates), unname(want$iterates))
    same(run(threads = 2))
    same(run(engine = "stepwise"))
    # names are no part of a key, and the order of records between holders is none of the run
    same(run(nodes = paste0("hospital ", hub_data$nodes)))
    same(run(rows = order(hub_data$holder)))
    # parties in another order: other keys, the same plan for each of them by name; where all have
    # the same noise its sum is of the same draws, on one grid
    turned <- run(nodes = factor(hub_data$nodes, rev(names(hub_sizes))))
    expect_identical(turned$nodes$names, rev(names(hub_sizes)))
    same(turned)
    own <- lapply(list(names(hub_sizes), rev(names(hub_sizes))), function(levels) {
      hub_fit(method, nodes = factor(hub_data$nodes, levels), delta = 1e-5,
        epsilon = c(A = 1, B = 2, C = 5, D = 9))
    })
    expect_gt(max(abs(own[[1]]$iterates - own[[2]]$iterates)), 1e-3)
    by_name <- function(fit) {
      events <- fit$events[order(fit$events$iteration, fit$events$party), ]
      as.list(events[setdiff(names(events), "node")])
    }
    expect_identical(by_name(turned), by_name(want))
    expect_identical(by_name(own[[1]]), by_name(own[[2]]))
  }
})

test_that("the noise of the sum has the sum of the holders' variances", {
  sigma <- c(A = 0.5, B = 1, C = 2, D = 0.25)
  first <- list(dp_sgd = dp_sgd(step = 1), dp_cd = dp_cd(step = 1, blocks = 1),
    grad_admm = grad_admm(eta = 1, gamma = 2)) # half a step
  for (name in names(first)) {
    move <- if (name == "grad_admm") 2 else 1
    one <- function(...) hub_plan(first[[name]], ..., iterations = 1)
    exact <- hub_models(one(epsilon = Inf), 1)
    noise <- move * (hub_models(one(noise = gaussian_noise(sigma)), 1:400) - as.vector(exact))
    total <- sum(noise^2) / sum(sigma^2)
    expect_gt(min(stats::pchisq(total, 2000), stats::pchisq(total, 2000, lower.tail = FALSE)), 1e-4)
    expect_gt(stats::ks.test(noise / sqrt(sum(sigma^2)), "pnorm")$p.value, 1e-4)
  }
})

test_that("the noise of a start has it too", {
  # y is all but 0, and so is the first step: u is the dual start, -g / rho
  start <- grad_admm(eta = 1e-9, gamma = 1, init = "noisy-gradient")
  one <- function(...) {
    suppressWarnings(hub_plan(start, ..., iterations = 1, penalty = penalty_l2(1e9)))
  }
  duals <- function(plan, seeds) hub_models(plan, seeds, function(run) run$extra$u)
  exact <- duals(one(epsilon = Inf), 1)
  sigma <- matrix(c(0.5, 1, 2, 0.25, rep(1e-6, 4)), 4, dimnames = list(names(hub_sizes), NULL))
  draws <- duals(one(noise = gaussian_noise(sigma)), 1:300) - as.vector(exact)
  total <- sum(draws^2) / sum(sigma[, 1]^2)
  expect_gt(min(stats::pchisq(total, 1500), stats::pchisq(total, 1500, lower.tail = FALSE)), 1e-4)
})

test_that("batches are each holder's own draw, at the rate of all", {
  # a record a column: the first step shows who was in the batch
  each <- c(20, 20, 10)
  x <- diag(50)
  holder <- rep(1:3, each)
  plan <- dpadmm_plan(50, each, method = dp_sgd(batch = 0.3), epsilon = Inf, iterations = 1)
  drawn <- vapply(1:400, function(seed) {
    colSums(hub_messages(plan, x, rep(1, 50), holder, seed)) != 0
  }, logical(50))
  expect_gt(stats::binom.test(sum(drawn), length(drawn), 0.3)$p.value, 1e-4)
  expect_gt(min(apply(drawn, 1L, function(in_batch) {
    stats::binom.test(sum(in_batch), 400, 0.3)$p.value
  })), 1e-6)
  # the second holder draws on its own
  expect_gt(mean(drawn[1:20, ] != drawn[21:40, ]), 0.35)
  # weight 1 / (q n), logistic slope 1/2 at zero
  one <- hub_messages(plan, x, rep(1, 50), holder, 1)
  expect_equal(unique(one[one != 0]), -0.5 / (0.3 * 50), tolerance = 1e-12)
})

test_that("a data frame says whose each record is, and what is missing or weighted", {
  people <- data.frame(a = hub_data$x[, 1], b = hub_data$x[, 2], ill = hub_data$y > 0, w = 0.5,
    hospital = hub_data$nodes)
  people$a[3] <- NA
  public <- dpadmm_schema(a = c(-3, 3), b = c(-3, 3), w = c(0, 1))
  run <- function(...) {
    dpadmm_fit(ill ~ a + b, people, schema = public, method = acc_admm(), iterations = 5, ...,
      case_weights = ~w, na.action = "omit", control = dpadmm_control(progress = FALSE))
  }
  apart <- run(nodes = ~hospital, epsilon = Inf)
  expect_identical(apart$nodes$names, names(hub_sizes))
  expect_equal(coef(apart), coef(run(epsilon = Inf)), tolerance = 1e-10)
  own <- run(nodes = ~hospital, epsilon = c(A = 2, B = 1, C = 9, D = 4), delta = 1e-5, seed = 1)
  expect_equal(privacy(own)$per_node$epsilon, c(2, 1, 9, 4), tolerance = 1e-6)
  again <- update(own, data = people, epsilon = 3, seed = 1)
  expect_equal(privacy(again)$per_node$epsilon, rep(3, 4), tolerance = 1e-6)
})

test_that("many holders, lone records and wide sparse rows are no exception", {
  many <- shuffled_holders(c(rep(1, 150), rep(20, 49), 400), 3)
  for (method in hub_kinds) {
    run <- function(nodes, ...) {
      hub_fit(method, .x = many$x, .y = many$y, nodes = nodes, ..., iterations = 4)
    }
    expect_lt(max(abs(run(many$holder, epsilon = Inf)$iterates -
      run(NULL, epsilon = Inf)$iterates)), 1e-12)
    private <- run(many$holder, epsilon = 2, delta = 1e-5)
    expect_equal(privacy(private)$per_node$epsilon, rep(2, 200), tolerance = 1e-6)
  }
  d <- 3000
  wide <- Matrix::sparseMatrix(i = rep(1:60, each = 20), dims = c(60, d),
    j = as.vector(vapply(1:60, function(k) order(seeded_normals(d, k))[1:20], integer(20))),
    x = seeded_normals(1200, 9) / 5)
  nodes <- rep(c("p", "q", "r"), c(40, 19, 1))
  for (method in hub_kinds[c("acc_admm", "dp_sgd", "blocks")]) {
    run <- function(...) hub_fit(method, .x = wide, .y = rep_len(c(1, -1), 60), ..., iterations = 3)
    expect_lt(max(abs(run(nodes = nodes, epsilon = Inf)$iterates -
      run(nodes = NULL, epsilon = Inf)$iterates)), 1e-12)
    private <- lapply(c("local", "stepwise"), function(engine) {
      run(nodes = nodes, epsilon = 1, delta = 1e-5,
        control = dpadmm_control(progress = FALSE, engine = engine))
    })
    expect_identical(private[[1]]$iterates, private[[2]]$iterates)
    expect_true(all(is.finite(private[[1]]$coefficients)))
  }
})

test_that("what cannot be is an error that names the argument", {
  expect_blames(hub_plan(dp_sgd(batch = 10, sampling = "fixed"), epsilon = 1), "sampling")
  expect_silent(hub_plan(dp_sgd(batch = 250, sampling = "fixed"), epsilon = 1)) # all of them
  expect_blames(hub_plan(dp_sgd(batch = 251), epsilon = 1), "batch")
  lost <- expect_error(hub_plan(dp_sgd(), epsilon = c(A = 1, B = 1, C = 1, E = 1)),
    class = "dpadmm_error_nodes")
  expect_identical(lost[c("argument", "place")], list(argument = "epsilon", place = "E"))
  expect_error(hub_plan(acc_admm(), epsilon = 1:3), class = "dpadmm_error_shape")
  expect_error(hub_plan(acc_admm(), epsilon = c(A = 1, B = 2), .sizes = 250),
    class = "dpadmm_error_shape")
  expect_blames(hub_plan(dp_cd(), epsilon = c(1, 1, 1, Inf)), "epsilon")
  expect_error(hub_plan(dp_cd(), noise = gaussian_noise(1:3)), class = "dpadmm_error_shape")
  expect_error(hub_plan(acc_admm(), noise = gaussian_noise(c(E = 1, A = 1, B = 1, C = 1))),
    class = "dpadmm_error_nodes")
  expect_error(hub_plan(dp_sgd(), noise = gaussian_noise(c(A = 1, B = 2)), .sizes = 250),
    class = "dpadmm_error_shape")
  expect_error(privacy(hub_plan(acc_admm(), epsilon = 1), "paper"),
    class = "dpadmm_error_accountant")
  expect_error(hub_plan(dp_sgd(), epsilon = 1, delta = 0), class = "dpadmm_error_accountant")
  expect_error(hub_plan(dp_sgd(), epsilon = 1, network = "ring"), class = "dpadmm_error_argument")
  expect_blames(hub_plan(dp_sgd(), epsilon = 1, loss = "squared"), "clip")
  start <- dpadmm_control(start = matrix(0, 4, 5))
  expect_error(hub_plan(dp_sgd(), epsilon = 1, control = start), class = "dpadmm_error_shape")
  plan <- hub_plan(dp_sgd(), epsilon = 1)
  run <- function(...) dpadmm_fit(plan, hub_data$x, hub_data$y, ...)
  expect_error(run(), class = "dpadmm_error_plan")
  moved <- replace(hub_data$nodes, match("A", hub_data$nodes), "B")
  expect_error(run(nodes = moved), class = "dpadmm_error_plan")
  expect_error(run(nodes = sub("C", "E", hub_data$nodes)), class = "dpadmm_error_plan")
  expect_error(hub_fit(dp_sgd(), nodes = rep("A", 250), epsilon = 1, delta = 1e-5),
    class = "dpadmm_error_nodes")
  expect_error(hub_fit(dp_sgd(), nodes = replace(hub_data$nodes, 1, NA), epsilon = 1, delta = 1e-5),
    class = "dpadmm_error_missing")
})
