# What a statement says, and the numbers behind it at the ends of the range of settings.

x <- matrix(sin(seq_len(240) * sqrt(2)), 120) / 2
y <- ifelse(x[, 1] > x[, 2], 1, -1)

words <- function(statement) gsub("\\s+", " ", paste(format(statement), collapse = " "))

test_that("delta is in plain decimals, never less than it is", {
  expect_identical(
    vapply(c(1e-7, 1e-5, 0.001, 0.25, 1.23e-4), delta_words, ""),
    c("0.0000001", "0.00001", "0.001", "0.25", "0.000123")
  )
  expect_identical(delta_words(1e-9), "1e-09")
  for (delta in 10^-seq(0.1, 6.9, 0.37)) {
    shown <- as.numeric(delta_words(delta))
    expect_true(shown >= delta && shown <= 1.01 * delta)
  }
})

test_that("a statement says what (epsilon, delta) means, for whom and among which neighbours", {
  fit <- function(method, ...) {
    dpadmm_fit(x, y, method = method, epsilon = 1, delta = 1e-5, iterations = 3, ...)
  }
  means <- "the probability of any event is at most 2.72 times what it would have been then"
  nodes <- words(privacy(fit(admm(1), nodes = 3)))
  expect_match(nodes, paste0(means, ", plus 0.00001."), fixed = TRUE)
  expect_match(nodes, "had any one record been another of the same node:", fixed = TRUE)
  expect_match(nodes, "The number of records of each node is taken to be public.", fixed = TRUE)
  one <- words(privacy(fit(dp_sgd())))
  expect_match(one, "had any one record been another:", fixed = TRUE)
  expect_no_match(one, "is taken to be public")
  hospital <- rep(1:40, 3)
  whole <- words(privacy(suppressMessages(fit(fp_admm(unit = "holder"), nodes = hospital))))
  expect_match(whole, "had any one holder's records been another:", fixed = TRUE)
  expect_match(whole, "The number of records of each holder is taken to be public.", fixed = TRUE)
  record <- words(privacy(fit(fp_admm(), nodes = hospital)))
  expect_match(record, "had any one record been another of the same node:", fixed = TRUE)
  expect_no_match(words(privacy(fit(fp_admm()))), "is taken to be public")
  sums <- words(privacy(fit(dp_sgd(batch = 0.1, neighbours = "add-remove"))))
  expect_match(sums, "had any one record been left out of the sums:", fixed = TRUE)
  pure <- words(privacy(dpadmm_fit(x, y, nodes = 3, epsilon = 1, iterations = 2)))
  expect_match(pure, paste0(means, "."), fixed = TRUE)
})

test_that("that a run is a simulation is said first", {
  seeded <- dpadmm_fit(x, y, nodes = 3, epsilon = 1, iterations = 2, seed = 1)
  expect_match(format(privacy(seeded))[1L], "a simulation, not a private release")
  expect_match(format(privacy(seeded, "paper"))[1L], "a simulation, not a private release")
  run <- fixed_point(function(u) u / 2, 1, noise = gaussian_noise(1), sensitivity = 1,
    delta = 1e-5, iterations = 2, seed = 1)
  expect_match(format(privacy(run))[1L], "a simulation, not a private release")
})

test_that("several leaks are one line", {
  data <- data.frame(a = x[, 1], b = c("u", "v"), y = y)
  fit <- suppressWarnings(dpadmm_fit(y ~ a + b, data, nodes = 3, epsilon = 1, iterations = 2),
    classes = "dpadmm_warning_privacy_leak")
  line <- grep("Not covered", format(privacy(fit)), value = TRUE)
  expect_identical(line, paste(
    "  Not covered: what was read from the records,",
    "the range of `a`; the levels of `b`."
  ))
})

test_that("what was read of many columns is one sentence, by kind", {
  leaks <- c("the range of `a`", "the levels of `d`", "the range of `b`", "the start u_0",
    "the range of `c`")
  expect_identical(leaks_words(leaks),
    "the ranges of `a`, `b` and `c`; the levels of `d`; the start u_0")
  many <- leaks_words(sprintf("the range of `x%d`", 1:500))
  expect_match(many, "`x19` and 481 more", fixed = TRUE)
  expect_identical(leaks_words("the levels of `y`"), "the levels of `y`")
})

test_that("what protects nobody is said to", {
  plan <- function(epsilon, delta = 1e-5, sizes = c(A = 300, B = 700)) {
    dpadmm_plan(2, sizes = sizes, epsilon = epsilon, delta = delta, iterations = 2)
  }
  for (epsilon in c(21, 100, 1e4)) {
    text <- words(privacy(plan(epsilon)))
    expect_match(text, "an epsilon above 20 protects next to nobody", fixed = TRUE)
    expect_no_match(text, "nearly the same|times what|exp\\(")
  }
  well <- words(privacy(plan(12)))
  expect_match(well, "may well notice", fixed = TRUE)
  # exp(12) = 162754.79
  expect_match(well, "at most 162,755 times", fixed = TRUE)
  expect_match(words(privacy(plan(1))), "nearly the same", fixed = TRUE)
  # 1/n of the smallest party
  weak <- "A delta above 1/n protects little: with n = 300 records of the smallest node"
  expect_match(words(privacy(plan(1, 1 / 299))), weak, fixed = TRUE)
  expect_no_match(words(privacy(plan(1, 1 / 300))), "1/n")
  expect_match(words(privacy(plan(1), delta = 0.1)), weak, fixed = TRUE)
  users <- function(delta) {
    privacy(dpadmm_plan(2, sizes = rep(5, 40), method = fp_admm(unit = "holder"), epsilon = 1,
      delta = delta, iterations = 3))
  }
  expect_match(words(users(1 / 39)), "n = 40 holders", fixed = TRUE)
  expect_no_match(words(users(1 / 41)), "1/n")
})

test_that("lines are at most 88 columns wide, and say of one holder what is so", {
  skip_on_cran()
  for (method in names(all_methods())) {
    fit <- small_fit(method)
    both <- list(privacy(fit), privacy(small_plan(method, epsilon = Inf)),
      privacy(list(fit, fit)), tryCatch(privacy(fit, "paper"), dpadmm_error = function(e) "none"))
    for (statement in both) {
      lines <- format(statement)
      expect_true(all(nchar(lines) <= 88), label = paste("lines of", method))
      expect_false(any(grepl("as you stated", lines)))
      if (!on_graph(method)) expect_no_match(words(statement), "between the nodes", fixed = TRUE)
    }
    said <- sum(grepl("Simulated in one process", format(both[[1L]])))
    expect_identical(said, as.integer(on_graph(method) || method == "fp_admm"))
    # a plan has not run
    expect_no_match(words(privacy(small_plan(method))), "Simulated")
  }
})

test_that("an engine says whether its parties were in one process", {
  plan <- small_plan("mr_admm")
  records <- list(x = small$x, y = small$y)
  held <- list(index = small$nodes, names = as.character(1:3), size = rep(16L, 3))
  run <- function(engine) run_plan(plan, records, held, noise_key(1), engine)$simulated
  for (engine in engines_table()) expect_true(run(engine()))
  expect_false(run(utils::modifyList(engine_local(), list(simulated = FALSE))))
})

test_that("aggregate noise costs what it does for lambda of any size", {
  moved <- function(lambda) {
    server_releases(list(
      prox_gamma = 1, grad_bound = 1, step_bound = Inf, rounds = 10, late = TRUE, n = 4,
      noise_on = "aggregate", lambda = lambda, most = 1:10
    ))$sensitivity
  }
  # ten steps move z by 2 gamma L / n times 1, 2, ..., 10 times 2 lambda
  for (lambda in c(2e-17, 3e-16, 1e-14, 1e-300)) {
    expect_equal(moved(lambda) / lambda, 1:10, tolerance = 1e-9)
    expect_true(all(moved(lambda) >= lambda * (1:10) * (1 - 20 * lambda)))
  }
  for (lambda in c(1e-3, 0.1, 0.3, 0.499, 0.5)) {
    expect_equal(moved(lambda), 0.5 * (1 - (1 - 2 * lambda)^(1:10)), tolerance = 1e-12)
  }
  expect_identical(moved_share(0.5, 0:2), c(0, 1, 1))
})

test_that("a beta that rounding exceeds is an error before a record is read", {
  plan <- function(..., method = pp_admm, epsilon = 2) {
    dpadmm_plan(2, sizes = rep(40, 3), method = method(...), epsilon = epsilon, delta = 1e-4,
      iterations = 5)
  }
  for (method in list(pp_admm, ipp_admm)) {
    for (beta in c(1e-49, 1e-30, 1e-14)) {
      expect_blame(plan(beta = beta, method = method), "argument", "beta", "out of reach",
        place = "1")
    }
    expect_error(
      dpadmm_fit(x, y, nodes = 3, method = method(beta = 1e-30), epsilon = 2, delta = 1e-4),
      class = "dpadmm_error_argument"
    )
  }
  expect_blame(plan(beta = c(1e-3, 1e-30, 1e-3)), "argument", "beta", place = "2")
  expect_s3_class(plan(beta = 1e-9), "dpadmm_plan")
  # nothing is claimed of a run without noise
  expect_s3_class(plan(beta = 1e-30, epsilon = Inf), "dpadmm_plan")
})
