# Secure sums: what a plan claims of them, and that the sums are what it says. Their parts in C are
# in tests/core/test_share.c.

test_that("tau bounds exact sums in one dimension and in two", {
  law <- function(s, h) { # of the sum of h discrete Gaussian numbers
    k <- -(14 * ceiling(s)):(14 * ceiling(s))
    one <- exp(-k^2 / (2 * s^2))
    p <- one <- one / sum(one)
    for (i in seq_len(h - 1)) p <- stats::convolve(p, rev(one), type = "open")
    list(y = seq_along(p) - (length(p) + 1) / 2, p = p)
  }
  divergence <- function(p, y, shift, a) { # of a sum moved by `shift` from the sum, summed exactly
    near <- abs(y) <= 9 & abs(y - shift) <= 9
    here <- p[near]
    moved <- p[match(y[near] - shift, y)]
    log(sum(here * (moved / here)^a)) / (a - 1)
  }
  for (case in list(c(0.7, 2), c(0.75, 3), c(1, 2), c(1, 4))) {
    s <- case[1]
    h <- case[2]
    sum <- law(s, h)
    tau <- shares_gap(s, h)
    expect_equal(tau, 10 * sum(exp(-2 * pi^2 * s^2 * seq_len(h - 1) / seq(2, h))), tolerance = 1e-9)
    near <- abs(sum$y) <= 6
    flat <- log(sum$p[near]) + sum$y[near]^2 / (2 * h * s^2)
    expect_lte(diff(range(flat)), tau / 2)
    if (h == 2) expect_gt(diff(range(flat)), 0.75 * tau / 2) # no smaller constant than 4 would do
    for (a in c(1.05, 2, 4, 10)) {
      one <- divergence(sum$p, sum$y, 1, a)
      two <- divergence(sum$p, sum$y, 2, a)
      square <- c(1, 2, 4, 5) # of (1), (1, 1), (2), (1, 2)
      coordinates <- c(1, 2, 1, 2)
      exact <- c(one, 2 * one, two, one + two)
      sigma2 <- h * s^2
      expect_true(all(exact <= a * (square / (2 * sigma2) + tau * coordinates / 2)))
      expect_true(all(exact <= a * (sqrt(square / sigma2) + tau * sqrt(coordinates))^2 / 2))
      # noise of one part less would not
      expect_false(all(exact <= a * square / (2 * (h + 1) * s^2)))
    }
  }
  expect_identical(shares_gap(2^30, 1e6), .Machine$double.xmin)
  expect_identical(shares_gap(1, 1), .Machine$double.xmin)
})

test_that("noise is that of a curator whose attempts are charged, in parts of the honest", {
  for (method in secure_kinds) {
    plan <- secure_plan(method, epsilon = 1)
    rounds <- length(plan$rule) + identical(plan$init, "noisy-gradient")
    size <- plan$releases[plan$releases$node %in% c(NA, 2), ]
    expect_identical(sum(size$count), rounds + 2)
    moved <- if (method$name == "fp_admm") size$sensitivity else rep(2 / 250, rounds + 1)
    if (identical(method$parameters$clip, 0.1)) moved <- moved / 10
    total <- sqrt(sum(moved^2 * size$count))
    expect_equal(plan$noise, gaussian_sigma(1, 1e-5, total), tolerance = 1e-6)
    expect_charged(privacy(plan)$epsilon, gaussian_epsilon(plan$noise, 1e-5, total))
    over <- if (method$name == "fp_admm") 4 else 1
    steps <- plan$secure$steps
    expect_identical(log2(plan$secure$grid) %% 1, 0)
    expect_identical(steps %% 1, 0)
    expect_gte(sqrt(3) * steps * plan$secure$grid, over * plan$noise)
    expect_lt(sqrt(3) * steps * plan$secure$grid, over * plan$noise * (1 + 1e-11))
    expect_true(sqrt(3) * steps >= 2^40 && sqrt(3) * steps < 2^41 * (1 + 1e-11))
    expect_equal(privacy(plan)$epsilon, 1, tolerance = 1e-6)
    # no room for failures: to the last digits what one holder of all records would need
    if (method$name != "fp_admm") {
      bare <- secure_plan(method, epsilon = 1, aggregation = secure_sum(failures = 0))
      alone <- hub_plan(method, epsilon = 1, .sizes = 250)
      expect_equal(bare$noise, as.vector(alone$noise)[1], tolerance = 1e-6)
      expect_identical(bare$secure[c("honest", "failures")], list(honest = 3L, failures = 0L))
    }
    given <- secure_plan(method, noise = gaussian_noise(0.3))
    expect_identical(given$noise, 0.3)
    expect_equal(privacy(given)$epsilon, gaussian_epsilon(0.3, 1e-5, total), tolerance = 1e-5)
  }
  default <- hub_plan(acc_admm(), epsilon = 1, aggregation = "secure")
  expect_identical(default$secure[c("honest", "failures")], list(honest = 3L, failures = 1L))
  # the most careful holder settles the noise of all
  unlike <- secure_plan(acc_admm(), epsilon = c(A = 2, B = 0.5, C = 2, D = 1))
  expect_equal(unlike$noise, secure_plan(acc_admm(), epsilon = 0.5)$noise, tolerance = 1e-6)
  expect_equal(privacy(unlike)$epsilon, 0.5, tolerance = 1e-6)
  persons <- secure_plan(acc_admm(), epsilon = 1, per_person = c(A = 3, B = 1, C = 1, D = 2))
  expect_equal(persons$noise, 3 * secure_plan(acc_admm(), epsilon = 1)$noise, tolerance = 1e-5)
})

test_that("what sums of discrete noise differ by is set aside where it can be seen", {
  for (method in secure_kinds[c("acc_admm", "dp_sgd", "fp_admm")]) {
    plan <- secure_plan(method, noise = gaussian_noise(0.3))
    expect_false(settle_rounding(plan$method, plan)$raised)
    plan$secure$steps <- 1
    coarse <- settle_rounding(plan$method, plan)
    expect_true(coarse$raised)
    tau <- 10 * sum(exp(-2 * pi^2 * c(1 / 2, 2 / 3)))
    set_aside <- 2 * range(coarse$plan$slop) # twice as much as is needed
    expect_gte(set_aside[1], 2 * tau * sqrt(5) * 0.3)
    expect_lt(set_aside[2], 2.2 * tau * sqrt(5) * 0.3)
  }
})

test_that("parts are rounded messages with noise, and their sum moves the model", {
  for (name in c("dp_sgd", "clip", "blocks", "grad_admm", "fp_admm")) {
    method <- secure_kinds[[name]]
    rounds <- if (name == "fp_admm") 2 else 1 # z_1 reads no record
    plan <- secure_plan(method, noise = gaussian_noise(0.01), iterations = rounds)
    bare <- hub_plan(method, epsilon = Inf, iterations = rounds)
    made <- sum_parts(plan, 3)
    grid <- plan$secure$grid
    plain <- t(hub_messages(bare, hub_data$x, hub_data$y, hub_data$holder, 1))
    noise <- made$parts[, , 1] - round(plain / grid)
    z <- noise / plan$secure$steps
    expect_true(all(noise == round(noise)) && sum(z^2) > 2 && sum(z^2) < 60) # 20 of them
    total <- rowSums(made$parts[, , 1])
    expect_identical(whole_numbers(.Call(ffi_words_sum, made$raw[[1]])), total)
    expect_identical(.Call(ffi_words_sum, rev(made$raw[[1]])), .Call(ffi_words_sum, made$raw[[1]]))
    model <- switch(name,
      fp_admm = total * grid / 4,
      grad_admm = -plan$eta / plan$gamma * total * grid,
      -2 * total * grid * (if (name == "blocks") plan$block == plan$turn else 1)
    )
    expect_equal(made$f, model, tolerance = 1e-14)
    local <- hub_models(plan, 3)
    expect_identical(as.vector(local), made$f)
  }
})

test_that("a run that is saved and loaded each round, or on two threads, has the same sums", {
  for (method in secure_kinds) {
    plan <- secure_plan(method, epsilon = 1)
    made <- sum_parts(plan, 5)
    again <- sum_parts(plan, 5, saved = TRUE)
    expect_identical(again$parts, made$parts)
    expect_identical(again$f, made$f)
    two <- run_plan(plan, hub_data[c("x", "y")], list(index = hub_data$holder), noise_key(5),
      control = dpadmm_control(progress = FALSE, threads = 2))
    expect_identical(as.vector(two$f), made$f)
    expect_false(identical(sum_parts(plan, 6)$f, made$f))
  }
})

test_that("the noise of a sum has the stated size: all holders', or that of the honest", {
  for (method in list(dp_sgd(step = 2), fp_admm(gamma = 1, lambda = 0.5))) {
    plan <- secure_plan(method, noise = gaussian_noise(0.01), iterations = 2)
    over <- if (method$name == "fp_admm") 4 else 1
    bare <- hub_plan(method, epsilon = Inf, iterations = 2)
    value <- t(hub_messages(bare, hub_data$x, hub_data$y, hub_data$holder, 1))[, 1:4]
    noise <- vapply(1:150, function(seed) sum_parts(plan, seed)$parts[, , 1] * plan$secure$grid -
      value, matrix(0, 5, 4)) / over
    variance <- function(holders) {
      apply(noise[, holders, , drop = FALSE], c(1, 3), sum)^2 / 0.01^2
    }
    # chi-square of 750
    within <- stats::qchisq(c(1e-6, 1 - 1e-6), 750)
    honest <- sum(variance(1:3))
    expect_true(honest > within[1] && honest < within[2])
    all <- sum(variance(1:4)) * 3 / 4
    expect_true(all > within[1] && all < within[2])
    expect_false(honest / 4 > within[1]) # of half the noise
    # no noise is used twice, by a holder or in a round
    expect_lt(max(abs(stats::cor(t(matrix(noise, 20)))[upper.tri(diag(20))])), 0.45)
    all <- sum_parts(secure_plan(method, noise = gaussian_noise(0.01), iterations = 4), 1)$parts
    expect_identical(anyDuplicated(as.vector(all)), 0L)
  }
})

test_that("the forecast counts the parts of all holders", {
  for (method in secure_kinds) {
    plan <- secure_plan(method, noise = gaussian_noise(0.05))
    own <- if (method$name == "fp_admm") 0.05 * sqrt(4 / 3) else 0.05 / sqrt(3)
    plain <- hub_plan(method, noise = gaussian_noise(own))$expected
    expect_equal(plan$expected[c("noise", "most", "signal")], plain[c("noise", "most", "signal")],
      tolerance = 1e-6)
  }
})

test_that("fewer holders are advised only where each has noise of its own", {
  advice <- function(aggregation) {
    hub_plan(dp_sgd(), d = 20, .sizes = rep(50, 40), epsilon = 1, aggregation = aggregation,
      iterations = 8)$expected$advice
  }
  expect_match(advice("plain"), "parties instead of 40")
  expect_no_match(paste(advice("secure"), ""), "parties instead")
})

test_that("what cannot be a secure sum is refused", {
  refused <- function(..., argument = "aggregation", class = "argument") {
    made <- expect_error(secure_plan(...), class = paste0("dpadmm_error_", class))
    expect_identical(made$argument, argument)
  }
  refused(acc_admm(), epsilon = 1, .sizes = c(100, 150))
  refused(acc_admm(), epsilon = 1, .sizes = 250)
  refused(fp_admm(unit = "holder"), epsilon = 1)
  refused(fp_admm(), epsilon = 1, .sizes = rep(1, 250))
  refused(fp_admm(noise = "block"), epsilon = 1)
  refused(mr_admm(), epsilon = 1)
  refused(pp_admm(), epsilon = 1)
  refused(acc_admm(), epsilon = Inf)
  refused(acc_admm(init = "paper"), epsilon = 1)
  refused(dp_sgd(batch = 25), epsilon = 1, argument = "batch")
  refused(acc_admm(), epsilon = 1, aggregation = "sum")
  refused(acc_admm(), epsilon = 1, aggregation = secure_sum(honest = 5), argument = "honest")
  refused(acc_admm(), epsilon = 1, delta = 0, class = "accountant", argument = "delta")
  refused(acc_admm(), noise = gamma_noise(1), class = "accountant", argument = "noise")
  refused(acc_admm(), epsilon = 1, control = dpadmm_control(accountant = "paper"),
    argument = "accountant")
  refused(dp_sgd(), noise = gaussian_noise(c(1, 2, 3, 4)), class = "shape", argument = "noise")
  for (bad in list(1, 2.5, "a", NA, c(2, 3))) {
    expect_error(secure_sum(honest = bad), class = "dpadmm_error")
  }
  for (bad in list(-1, 0.5, NA, Inf)) {
    expect_error(secure_sum(failures = bad), class = "dpadmm_error")
  }
  expect_error(secure_sum(other = 1), class = "dpadmm_error_argument")
  expect_output(print(secure_sum(3)), "3 honest holders")
})

test_that("plans and fits say what is seen, by whom, and on what it rests", {
  skip_if_not_installed("generics")
  words <- function(x) gsub("\\s+", " ", paste(format(x), collapse = " "))
  plan <- secure_plan(acc_admm(), epsilon = 5)
  said <- words(privacy(plan))
  expect_match(said, fixed = TRUE,
    "Whoever sees every sum, and the model, with all that any one other holder knows, could")
  expect_match(said, "if at least 3 of the 4 holders follow the protocol, for their records",
    fixed = TRUE)
  expect_match(said, "from 10 sums (2 of them for attempts that may fail)", fixed = TRUE)
  expect_match(said, "number of records of each node is taken to be public", fixed = TRUE)
  all <- words(privacy(secure_plan(fp_admm(), epsilon = 5, aggregation = secure_sum(4))))
  expect_match(all, "Whoever sees every sum, and the model, could", fixed = TRUE)
  few <- words(privacy(secure_plan(dp_sgd(), epsilon = 5, aggregation = secure_sum(2))))
  expect_match(few, "with all that any 2 other holders know, could", fixed = TRUE)
  expect_match(all, "from 7 sums, each with", fixed = TRUE)
  sent <- summary(plan)$traffic
  expect_identical(sent$messages, rep(10L, 4))
  expect_identical(sent$bytes, rep(10 * 5 * 8, 4))
  expect_identical(generics::tidy(plan)$releases, rep(10, 4))
  expect_output(print(plan), "Each party sends 10 messages")
  expect_output(print(summary(plan)), "parts of sigma / sqrt(3), grid 2^", fixed = TRUE)
  path <- privacy(plan, iterations = TRUE)
  expect_false(is.unsorted(path$epsilon))
  expect_equal(path$epsilon[8], 5, tolerance = 1e-6)
  expect_error(privacy(plan, "paper"), class = "dpadmm_error_accountant")
  # again, and as text
  expect_identical(update(plan, epsilon = 2)$secure$failures, 2L)
  expect_null(update(plan, aggregation = NULL)$secure)
  skip_if_not_installed("jsonlite")
  asked <- list(x = y ~ a, aggregation = at_least_3)
  text <- jsonlite::toJSON(recipe_value(asked, "plan"), auto_unbox = TRUE, null = "null")
  back <- recipe_read(jsonlite::fromJSON(text, simplifyVector = FALSE))
  expect_identical(back$aggregation, at_least_3)
})

test_that("fits take the argument, too, and are charged for attempts", {
  made <- hub_fit(acc_admm(), epsilon = 5, delta = 1e-5, aggregation = at_least_3)
  plan <- secure_plan(acc_admm(), epsilon = 5)
  expect_identical(made$noise, plan$noise)
  expect_identical(made$events$count, plan$events$count)
  expect_identical(sum(made$events$count[made$events$node == 1]), 10)
  expect_match(paste(format(privacy(made)), collapse = " "), "Simulated in one process")
  expect_identical(as.vector(coef(update(made, data = hub_data$x, y = hub_data$y, seed = 1,
    nodes = hub_data$nodes))), as.vector(coef(made)))
  expect_error(hub_fit(mr_admm(), epsilon = 5, delta = 1e-5, aggregation = "secure"),
    class = "dpadmm_error_argument")
})
