# Private ADMM over several holders that protects their records one by one.

skip_on_cran()

quiet <- dpadmm_control(progress = FALSE)

# Holders of unlike sizes whose records are not alike either; a sparse truth.
unlike_holders <- function(sizes, d, seed = 1, truth = c(6, -4, 3)) {
  holder <- rep(seq_along(sizes), sizes)
  n <- sum(sizes)
  shift <- matrix(seeded_normals(length(sizes) * d, seed + 1), length(sizes))
  x <- matrix(seeded_normals(n * d, seed), n) + 0.5 * shift[holder, ]
  x <- x / (1.5 * sqrt(d))
  x <- x / pmax(1, sqrt(rowSums(x^2)))
  link <- as.vector(x[, seq_along(truth)] %*% truth)
  y <- ifelse(stats::pnorm(seeded_normals(n, seed + 2)) < stats::plogis(link), 1, -1)
  list(x = x, y = y, nodes = paste("hospital", holder))
}

# How far z is from meeting the conditions of the pooled elastic net.
off_optimum <- function(z, data, l1, l2) {
  pull <- colMeans(data$x * -(data$y / (1 + exp(data$y * as.vector(data$x %*% z))))) + l2 * z
  max(ifelse(z == 0, pmax(0, abs(pull) - l1), abs(pull + l1 * sign(z))))
}

test_that("without noise the answer is the lasso and the elastic net of the pooled records", {
  data <- unlike_holders(c(1500, 600, 300, 40), 8)
  for (penalty in list(penalty_l1(0.01), penalty_elastic_net(0.005, 0.01))) {
    fit <- dpadmm_fit(data$x, data$y,
      nodes = data$nodes, method = fp_admm(), penalty = penalty, iterations = 1001, epsilon = Inf,
      control = quiet
    )
    l <- c(unlist(penalty$parameters), 0)[1:2]
    expect_lt(off_optimum(coef(fit), data, l[1], l[2]), 1e-8)
    expect_gt(sum(coef(fit) == 0), 1)
    skip_if_not_installed("glmnet")
    there <- glmnet::glmnet(data$x, data$y > 0,
      family = "binomial", lambda = sum(l), alpha = l[1] / sum(l), intercept = FALSE,
      standardize = FALSE, thresh = 1e-14
    )
    expect_lt(max(abs(coef(fit) - as.vector(there$beta))), 1e-5)
  }
})

test_that("sampled holders and a walk arrive at the same", {
  data <- unlike_holders(c(300, 120, 60), 4)
  for (method in list(fp_admm(setting = "federated", sample = 2),
    fp_admm(setting = "decentralized"))) {
    fit <- dpadmm_fit(data$x, data$y,
      nodes = data$nodes, method = method, penalty = penalty_l1(0.02), iterations = 3000,
      epsilon = Inf, seed = 1, control = quiet
    )
    expect_lt(off_optimum(coef(fit), data, 0.02, 0), 1e-6)
  }
})

test_that("every penalty makes a private plan with a statement about records", {
  penalties <- list(penalty_none(), penalty_l2(0.1), penalty_l1(0.1),
    penalty_elastic_net(0.1, 0.1), penalty_box(-1, 1))
  sizes <- c(a = 500, b = 50)
  for (penalty in penalties) {
    for (noise in c("aggregate", "block")) {
      plan <- dpadmm_plan(4,
        sizes = sizes, method = fp_admm(noise = noise), penalty = penalty, epsilon = 1.5,
        delta = 1e-6
      )
      said <- privacy(plan)
      expect_lte(said$epsilon, 1.5)
      expect_gt(said$epsilon, 1.5 * (1 - 1e-6))
      words <- gsub(" +", " ", paste(format(said), collapse = " "))
      expect_match(words, "any one record been another of the same node")
      # a record is at one holder, whose own noise hides it
      at <- if (noise == "block") c("a", "b") else "any"
      expect_identical(said$per_node$node, at)
    }
  }
})

test_that("noise that is given may be each holder's own", {
  plan <- dpadmm_plan(3,
    sizes = c(90, 10), method = fp_admm(noise = "block"), noise = gaussian_noise(c(0.5, 2)),
    delta = 1e-6
  )
  spent <- privacy(plan)$per_node$epsilon
  expect_gt(spent[1], 3 * spent[2])
  expect_identical(max(spent), privacy(plan)$epsilon)
})

test_that("all engines run holders alike, with noise of the server and of their own", {
  data <- unlike_holders(c(30, 12, 5), 3)
  for (method in list(fp_admm(), fp_admm(noise = "block"),
    fp_admm(setting = "federated", sample = 2, noise = "block"))) {
    fits <- lapply(c("local", "stepwise"), function(engine) {
      dpadmm_fit(data$x, data$y,
        nodes = data$nodes, method = method, penalty = penalty_l1(0.01), iterations = 6,
        noise = gaussian_noise(0.1), delta = 1e-6, seed = 4,
        control = dpadmm_control(progress = FALSE, engine = engine)
      )
    })
    expect_identical(fits[[1]]$iterates, fits[[2]]$iterates)
    expect_identical(rownames(fits[[1]]$coefficients), "holder")
    expect_identical(fits[[1]]$nodes$size, c(30L, 12L, 5L))
  }
})

test_that("a private fit is useful where one that protects whole holders is noise", {
  sizes <- c(5000, 2000, 800, 200)
  data <- unlike_holders(sizes, 8)
  fresh <- unlike_holders(4 * sizes, 8, seed = 11)
  error <- function(z) mean((fresh$x %*% z > 0) != (fresh$y > 0))
  fit <- function(epsilon, unit = "record", ...) {
    suppressMessages(suppressWarnings(dpadmm_fit(data$x, data$y,
      nodes = data$nodes, method = fp_admm(unit = unit, ...), penalty = penalty_l1(0.003),
      epsilon = epsilon, delta = 1e-5, seed = 5, iterations = if (is.finite(epsilon)) 100,
      control = quiet
    )))
  }
  best <- error(coef(fit(Inf)))
  majority <- min(mean(fresh$y > 0), mean(fresh$y < 0))
  for (noise in c("aggregate", "block")) {
    for (epsilon in c(1, 4)) {
      record <- fit(epsilon, noise = noise)
      expect_identical(record$plan$expected$verdict, "useful")
      expect_lt(error(coef(record)), best + 0.02)
    }
  }
  expect_gt(majority, best + 0.1)
  holder <- fit(4, unit = "holder")
  expect_identical(holder$plan$expected$verdict, "mostly noise")
  expect_gt(error(coef(holder)), best + 0.1)
})

test_that("the forecast is the standard deviation of the coefficients", {
  data <- unlike_holders(c(900, 300, 600, 200), 12)
  # directions alike, as the forecast takes them to be
  data$x <- matrix(seeded_normals(2000 * 12, 3), 2000)
  data$x <- data$x / sqrt(rowSums(data$x^2))
  link <- 10 * data$x[, 1]
  data$y <- ifelse(stats::pnorm(seeded_normals(2000, 4)) < stats::plogis(link), 1, -1)
  ratio <- vapply(list(
    fp_admm(), fp_admm(noise = "block"), fp_admm(setting = "federated", sample = 2),
    fp_admm(setting = "decentralized")
  ), function(method) {
    plan <- dpadmm_plan(12,
      sizes = table(data$nodes), method = method, epsilon = 4, delta = 1e-6, seed = 1
    )
    models <- vapply(1:40, function(seed) {
      coef(dpadmm_fit(plan, data$x, data$y, nodes = data$nodes, seed = seed, control = quiet))
    }, double(12))
    plan$expected$noise / sqrt(mean(apply(models, 1L, stats::var)))
  }, 0)
  expect_true(all(abs(log(ratio)) < 0.25), info = paste(round(ratio, 2), collapse = " "))
})

test_that("an audit stays below the claim, and catches noise divided by the records again", {
  claim <- 4
  for (noise in c("aggregate", "block")) {
    pair <- worst_case_neighbours("labels", n = 6, nodes = 2, numeric = TRUE)
    # one way to say it: as calibrated, and as a bug would
    settings <- list(method = fp_admm(gamma = 0.1, noise = noise), penalty = penalty_l1(0.01),
      loss = "huber", iterations = 3, delta = 0.01)
    sound <- do.call(fit_release, c(settings, epsilon = claim))
    a <- audit(sound, pair$data1, pair$data2, runs = 2000, delta = 0.01, bound = "gaussian",
      confidence = 1 - 1e-5, seed = 1)
    expect_false(a$exceeds)
    expect_gt(a$epsilon, claim / 5) # of all states, not of z alone
    plan <- do.call(dpadmm_plan, c(list(1, sizes = c(3, 3), epsilon = claim), settings))
    broken <- do.call(fit_release, c(settings,
      list(noise = gaussian_noise(plan$noise[1] / 3))))
    b <- audit(broken, pair$data1, pair$data2, runs = 2000, delta = 0.01, bound = "gaussian",
      confidence = 1 - 1e-5, claim = claim, seed = 1)
    expect_true(b$exceeds)
  }
})

test_that("what has no bound for a record is an error that says what to do", {
  plan <- function(method, ...) {
    dpadmm_plan(3, sizes = c(50, 20), method = method, epsilon = 1, delta = 1e-6, ...)
  }
  expect_error(plan(fp_admm(), loss = "squared"), "huber", class = "dpadmm_error_argument")
  step <- fp_admm(clip = 0.1, clip_on = "step")
  expect_error(plan(step, loss = "squared"), "huber", class = "dpadmm_error_argument")
  expect_error(plan(fp_admm(clip = 0.1)), "huber", class = "dpadmm_error_argument")
  expect_error(fp_admm(unit = "hospital"), class = "dpadmm_error_argument")
  expect_error(
    privacy(plan(fp_admm(noise = "block")), "paper"), class = "dpadmm_error_accountant"
  )
  expect_silent(plan(step)) # of a step, which block noise hides
})

test_that("with one record a user both units are the same", {
  data <- unequal_records(n = 12, d = 3)
  fits <- lapply(c("record", "holder"), function(unit) {
    expect_no_message(dpadmm_fit(data$x, data$sign,
      nodes = 1:12, method = fp_admm(unit = unit), iterations = 5, noise = gaussian_noise(0.1),
      delta = 1e-6, seed = 1, control = quiet
    ))
  })
  expect_identical(fits[[1]]$iterates, fits[[2]]$iterates)
  expect_identical(privacy(fits[[1]])$epsilon, privacy(fits[[2]])$epsilon)
  expect_false(privacy(fits[[1]])$user_level)
})

test_that("a plan sees to it that the solvers of all holders end, whatever the records are", {
  plan <- function(gamma, width) {
    dpadmm_plan(66,
      sizes = c(a = 60, b = 10), method = fp_admm(gamma = gamma, noise = "block"),
      loss = dpadmm_loss("hinge", width), noise = gaussian_noise(300), delta = 1e-5, iterations = 4
    )
  }
  error <- expect_error(plan(1e4, 1e-3), "ill-conditioned", class = "dpadmm_error_argument")
  expect_identical(error[c("argument", "place")], list(argument = "gamma", place = "a"))
  for (gamma in c(1, 100)) {
    made <- plan(gamma, 0.5)
    condition <- 1 + gamma * made$weight * made$problem$loss$curvature
    expect_true(all(made$tol >= 4 * condition * 2^-53))
  }
})
