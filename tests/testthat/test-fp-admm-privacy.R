# What private ADMM for consensus says of its privacy.

quiet <- dpadmm_control(progress = FALSE)

test_that("budgets are met in every setting and view", {
  data <- unequal_records(n = 200, d = 4)
  cases <- list(
    fp_admm(gamma = 0.1), fp_admm(gamma = 0.1, noise = "block"),
    fp_admm(gamma = 0.1, setting = "federated", sample = 0.1),
    fp_admm(gamma = 0.1, setting = "federated", sample = 20, noise = "block"),
    fp_admm(gamma = 0.1, setting = "federated", sample = 20, noise = "block", view = "local"),
    fp_admm(gamma = 0.1, setting = "decentralized"), fp_admm(gamma = 0.1,
      setting = "decentralized", view = "local")
  )
  for (method in cases) {
    for (accountant in c("sound", "paper")) {
      if (accountant == "paper" && method$parameters$noise == "aggregate") next
      fit <- dpadmm_fit(data$x, data$sign,
        method = method, iterations = 30, epsilon = 2, delta = 1e-6, seed = 3,
        control = dpadmm_control(progress = FALSE, accountant = accountant)
      )
      spent <- privacy(fit, accountant)$epsilon
      expect_lte(spent, 2)
      expect_gt(spent, 2 * (1 - 1e-6))
    }
  }
})

test_that("printed figures are the formulas of Theorems 2, 3 and 4", {
  data <- unequal_records(n = 200, d = 4)
  convert <- function(rate) rate + 2 * sqrt(rate * log(1e6))
  fit <- function(...) {
    dpadmm_fit(data$x, data$sign,
      method = fp_admm(gamma = 0.1, noise = "block", ...), iterations = 30,
        noise = gaussian_noise(0.3),
      delta = 1e-6, seed = 3, control = quiet
    )
  }
  rate <- 8 * 0.1^2 / 0.3^2 # 8 L^2 gamma^2 / sigma^2
  paper <- function(fit, view = NULL) privacy(fit, "paper", view = view)$epsilon
  expect_equal(paper(fit()), convert(30 * rate / 200^2), tolerance = 1e-10)
  federated <- fit(setting = "federated", sample = 20)
  turns <- max(federated$plan$count)
  expect_equal(paper(federated, "local"), convert(turns * rate), tolerance = 1e-10)
  # the others restrict the order a = 1 + s, and the restriction binds here
  best <- function(rate, allowed) {
    s <- 10^seq(-4, 4, length.out = 400001)
    s <- s[allowed(s)]
    min(rate * (1 + s) + log(1e6) / s)
  }
  central <- best(2 * 30 * rate / 200^2, function(s) {
    q <- 0.1
    sigma <- 0.3 / (4 * 0.1 / 20)
    M <- log(1 + 1 / (q * s))
    low <- M + log(q * (1 + s)) + 1 / (2 * sigma^2)
    low > 0 & 1 + s <= (M^2 * sigma^2 / 2 - log(5 * sigma^2)) / low
  })
  expect_equal(paper(federated), central, tolerance = 1e-4)
  walk <- fit(setting = "decentralized")
  most <- max(walk$plan$count)
  network <- best(most * rate * log(200) / 200, function(s) 0.3 > 2 * 0.1 * sqrt(s * (1 + s)))
  expect_equal(paper(walk), network, tolerance = 1e-4)
})

test_that("sound figures are the exact Gaussian ones", {
  data <- unequal_records(n = 200, d = 4)
  fit <- function(...) {
    dpadmm_fit(data$x, data$sign,
      method = fp_admm(gamma = 0.1, ...), iterations = 30, noise = gaussian_noise(0.3),
        delta = 1e-6, seed = 3,
      control = quiet
    )
  }
  sound <- function(fit) privacy(fit)$epsilon
  expect_charged(sound(fit(noise = "block")), gaussian_epsilon(0.3, 1e-6, 4 * 0.1 * sqrt(29)))
  expect_charged(sound(fit()), gaussian_epsilon(0.3, 1e-6, 2 * 0.1 / 200 * sqrt(29)))
  shares <- 1 - (1 - 0.6)^(1:29)
  expect_charged(sound(fit(lambda = 0.3)), gaussian_epsilon(0.3, 1e-6,
    2 * 0.1 / 200 * sqrt(sum(shares^2))))
  walk <- fit(setting = "decentralized")
  expect_charged(sound(walk), gaussian_epsilon(0.3, 1e-6, 4 * 0.1 * sqrt(max(walk$plan$count))))
})

test_that("statements name who sees what", {
  data <- unequal_records(n = 200, d = 4)
  fit <- dpadmm_fit(data$x, data$sign,
    method = fp_admm(gamma = 0.1, setting = "federated", sample = 20, noise = "block"),
      iterations = 30,
    noise = gaussian_noise(0.3), delta = 1e-6, seed = 3, control = quiet
  )
  expect_match(paste(format(privacy(fit)), collapse = " "), "released models")
  expect_match(paste(format(privacy(fit, view = "local")), collapse = " "), "the server included")
  expect_match(paste(format(privacy(fit, "paper")), collapse = " "), "promises too much")
  expect_message(walk <- dpadmm_fit(data$x, data$sign,
    nodes = rep(1:50, 4), iterations = 30,
    method = fp_admm(gamma = 0.1, setting = "decentralized", unit = "holder"),
    noise = gaussian_noise(0.3), delta = 1e-6, seed = 3, control = quiet
  ), "all records of a holder together \\(4\\)", class = "dpadmm_message_unit")
  words <- gsub(" +", " ", paste(format(privacy(walk)), collapse = " "))
  expect_match(words, "Another user")
  expect_match(words, "any one holder's records been another")
  expect_error(privacy(fit, view = "network"), class = "dpadmm_error_argument")
})
