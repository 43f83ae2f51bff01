# What gradients of several holders cost each of them, and that it is enforced.

skip_on_cran()

test_that("a holder is charged for its own messages, whatever the others spend", {
  c <- 2 / 250
  for (method in hub_kinds[c("acc_admm", "start", "dp_sgd", "blocks")]) {
    times <- sqrt(8 + identical(method$parameters$init, "noisy-gradient"))
    budget <- c(D = 4, A = 0.5, B = 1, C = 2)
    plan <- hub_plan(method, epsilon = budget)
    sigma <- as.matrix(plan$noise)[, 1]
    expect_equal(sigma, gaussian_sigma(budget[names(hub_sizes)], 1e-5, c * times), tolerance = 1e-4,
      ignore_attr = TRUE)
    said <- privacy(plan)
    expect_identical(said$per_node$node, names(hub_sizes))
    expect_equal(said$per_node$epsilon, unname(budget[names(hub_sizes)]), tolerance = 1e-6)
    expect_lte(said$epsilon, 4)
    # alone, and next to holders with other noise: what a holder draws is the same
    same <- hub_plan(method, epsilon = 1)
    expect_equal(as.matrix(same$noise)[2, 1], sigma[[2]], tolerance = 1e-12)
    own <- plan$events[plan$events$party == "B", ]
    expect_charged(account(own, 1e-5)$epsilon, gaussian_epsilon(sigma[[2]], 1e-5, c * times))
    expect_identical(unique(plan$events$records), unname(as.integer(hub_sizes)))
    expect_identical(order(same$slop), order(hub_sizes)) # rounding of a holder's own sum
    # of two runs what each holder spent adds up, and over holders the largest counts
    joint <- account(c(plan$events, same$events), 1e-5)
    mu <- c * times * sqrt(1 / sigma^2 + 1 / as.matrix(same$noise)[, 1]^2)
    expect_charged(joint$per_node$epsilon, gaussian_epsilon(1, 1e-5, mu))
    expect_identical(joint$epsilon, max(joint$per_node$epsilon))
  }
  spent <- privacy(hub_plan(dp_sgd(), noise = gaussian_noise(c(A = 1, B = 2, C = 4, D = 8))))
  expect_true(all(diff(spent$per_node$epsilon) < 0))
  pure <- hub_plan(acc_admm(init = "noisy-gradient"), epsilon = c(1, 2, 3, 4), delta = 0)
  expect_charged(rep(1:4 / 9 / c, 9), as.vector(pure$noise))
  expect_equal(privacy(pure)$per_node$epsilon, 1:4, tolerance = 1e-6)
  sampled <- hub_plan(dp_sgd(batch = 25), epsilon = 1)
  alone <- hub_plan(dp_sgd(batch = 25), epsilon = 1, .sizes = 250)
  expect_equal(sampled$noise, rep(alone$noise, 4), tolerance = 1e-4)
  without <- hub_plan(dp_sgd(neighbours = "add-remove"), epsilon = 1)
  expect_equal(2 * without$noise, hub_plan(dp_sgd(), epsilon = 1)$noise, tolerance = 1e-4)
  expect_match(paste(format(privacy(without)), collapse = " "), "left out of the sums")
})

test_that("replacing a record moves its holder's message, by 2 c / n at most, and no other", {
  largest <- 0
  for (method in list(grad_admm(eta = 1), dp_sgd(), dp_cd(blocks = 1))) {
    plan <- hub_plan(method, loss = "huber", epsilon = Inf, iterations = 1)
    run <- function(x, y) hub_messages(plan, x, y, hub_data$holder, 1)
    for (k in seq_len(12)) {
      x <- hub_data$x
      y <- 100 * hub_data$y
      x[k, ] <- x[k, ] / sqrt(sum(x[k, ]^2))
      moved <- run(x, y) - run(x, replace(y, k, -y[k]))
      size <- sqrt(rowSums(moved^2))
      expect_lte(size[hub_data$holder[k]], 2 / 250 * (1 + 1e-9))
      expect_identical(size[-hub_data$holder[k]], c(0, 0, 0))
      largest <- max(largest, size)
    }
  }
  expect_gt(largest, 2 / 250 * (1 - 1e-9))
})

test_that("the forecast counts the noise of every holder", {
  for (method in hub_kinds) {
    noise <- gaussian_noise(0.05)
    four <- hub_plan(method, .sizes = rep(500, 4), noise = noise)$expected
    one <- hub_plan(method, .sizes = 2000, noise = gaussian_noise(0.1))$expected
    expect_equal(four[c("noise", "most", "signal")], one[c("noise", "most", "signal")],
      tolerance = 1e-12)
  }
  x <- matrix(seeded_normals(2000 * 10, 3), 2000)
  x <- x / sqrt(rowSums(x^2))
  y <- ifelse(stats::pnorm(seeded_normals(2000, 4)) < stats::plogis(8 * x[, 1]), 1, -1)
  some <- c(a = 900, b = 600, c = 500)
  ratio <- vapply(list(dp_sgd(step = 2), acc_admm(rho = 0.1), grad_admm(init = "noisy-gradient"),
    dp_cd(step = 2, blocks = 2)), function(method) {
    plan <- hub_plan(method, d = 10, .sizes = some, epsilon = c(a = 1, b = 2, c = 4),
      iterations = 15)
    made <- hub_models(plan, 1:60, data = list(x = x, y = y, holder = rep(1:3, some)))
    plan$expected$noise / sqrt(mean(apply(made, 1L, stats::var)))
  }, 0)
  expect_true(all(abs(log(ratio)) < 0.25), info = paste(round(ratio, 2), collapse = " "))
  # of a budget that leaves little: fewer holders would help
  small <- hub_plan(dp_sgd(), d = 20, .sizes = rep(50, 40), epsilon = 1)
  expect_match(small$expected$advice, "in [0-9]+ parties instead of 40")
})

test_that("an audit of a holder's record stays below the claim, and catches shared noise", {
  pair <- worst_case_neighbours("labels", n = 6, nodes = 2, numeric = TRUE)
  for (method in list(acc_admm(), dp_sgd())) {
    plan <- function(...) {
      dpadmm_plan(1, c(3, 3), method = method, loss = "huber", iterations = 3, delta = 0.01, ...)
    }
    sound <- plan(epsilon = 4)
    # what each of four sums would need if the others' noise hid a record too
    shared <- plan(noise = gaussian_noise(sound$noise[1] / 2))
    seen <- function(plan) {
      release <- function(data, seed) hub_messages(plan, data$x, data$y, data$nodes, seed)
      audit(release, pair$data1, pair$data2, runs = 1000, delta = 0.01, bound = "gaussian",
        confidence = 1 - 1e-5, claim = sound$events, seed = 1, progress = FALSE)
    }
    a <- seen(sound)
    expect_false(a$exceeds)
    expect_gt(a$epsilon, 2)
    expect_true(seen(shared)$exceeds)
    # of the models alone
    b <- audit(fit_release(method, "huber", iterations = 3, epsilon = 4, delta = 0.01),
      pair$data1, pair$data2, runs = 500, delta = 0.01, seed = 1, progress = FALSE)
    expect_false(b$exceeds)
  }
})

test_that("plans and fits say who sees what, and what is sent", {
  plan <- hub_plan(acc_admm(init = "noisy-gradient"), epsilon = 5)
  words <- function(x) gsub("\\s+", " ", paste(format(x), collapse = " "))
  said <- words(privacy(plan))
  expect_match(said, "Whoever sees every message of every holder, and the model,", fixed = TRUE)
  expect_match(said, "any one record been another of the same node", fixed = TRUE)
  expect_match(said, "9 gradients of each holder, each released with Gaussian noise", fixed = TRUE)
  expect_match(said, "number of records of each node is taken to be public", fixed = TRUE)
  expect_no_match(said, "Simulated")
  expect_output(print(plan), "4 holders with 250 records")
  expect_output(print(plan), "Each party sends 9 messages of 5 numbers", fixed = TRUE)
  sent <- summary(plan)$traffic
  expect_identical(sent$party, names(hub_sizes))
  expect_identical(sent$bytes, rep(9 * 5 * 8, 4))
  colnames(hub_data$x) <- letters[1:5]
  made <- dpadmm_fit(plan, hub_data$x, hub_data$y, nodes = hub_data$nodes, seed = 2)
  expect_match(words(privacy(made)), "Simulated in one process", fixed = TRUE)
  alone <- hub_fit(acc_admm(), nodes = NULL, epsilon = 5, delta = 1e-5)
  expect_no_match(words(privacy(alone)), "node|Simulated")
  expect_identical(made$nodes, list(names = names(hub_sizes), size = unname(as.integer(hub_sizes))))
  expect_identical(rownames(made$coefficients), "holder")
  expect_output(print(summary(made)), "4 holders with 250 records")
  short <- hub_data$x / 9
  expect_equal(predict(made, short, "link"), as.vector(short %*% coef(made)))
  none <- words(privacy(hub_plan(dp_cd(), epsilon = Inf)))
  expect_match(none, "Privacy: none")
})
