# dpadmm_tune(): what is charged, what is chosen, what is refused.

skip_on_cran()

inside <- asNamespace("dpadmm")
set.seed(23)
n <- 600
people <- data.frame(age = runif(n, 18, 90), junk = runif(n))
people$ill <- ifelse(runif(n) < plogis(people$age / 6 - 9), "yes", "no")
public <- dpadmm_schema(age = c(18, 90), junk = 0:1, ill = c("no", "yes"))
sizes <- c(A = 200, B = 400)
office <- rep(names(sizes), sizes)
plan <- function(formula = ill ~ age, ..., epsilon = 1, delta = 1e-6) {
  dpadmm_plan(formula, public, sizes, epsilon = epsilon, delta = delta, ...)
}
plans <- list(
  junk = plan(ill ~ junk, iterations = 6), age = plan(iterations = 6),
  sgd = plan(method = dp_sgd(), iterations = 20)
)
local_tune <- function(..., epsilon = 12, delta = 1e-6) {
  records <- get("people", parent.frame())
  dpadmm_tune(..., data = records, epsilon = epsilon, delta = delta, nodes = office)
}

test_that("the choice costs what was asked and no more, and the statement says so", {
  fit <- local_tune(plans, seed = 1)
  spent <- account(fit, 1e-6)
  expect_lte(spent$epsilon, 12)
  expect_gt(spent$epsilon, 12 * 0.997)
  expect_identical(spent$per_node$node, c("A", "B"))
  it <- fit$tuning
  # the events are those of every plan at a trial's budget with its score
  sigma <- gaussian_sigma(it$trial[["score"]], 1e-6, 1)
  expect_rel(it$noise, sigma / n, 1e-9)
  for (party in 1:2) {
    text <- fit$events$candidates[match(party, fit$events$node)]
    want <- vapply(plans, function(plan) {
      events <- update(plan, epsilon = it$trial[["fit"]], delta = 1e-6)$events
      own <- events[is.na(events$node) | events$node == party, ]
      own$node <- NA_integer_
      own$party <- NA_character_
      account(c(own, dp_event_gaussian(sigma, 1)), 1e-6, "rdp")$epsilon
    }, 0)
    got <- vapply(inside$candidate_tables(text), function(e) account(e, 1e-6, "rdp")$epsilon, 0)
    expect_equal(sort(unique(signif(unname(want), 9))), sort(got), tolerance = 1e-6)
  }
  statement <- paste(format(privacy(fit)), collapse = " ")
  expect_match(statement, "best of a random number of trials", fixed = TRUE)
  expect_match(statement, "simulation")
  expect_identical(privacy(fit)$epsilon, spent$epsilon)
  expect_output(print(fit), "Chosen of 3 plans")
  # it is a fit
  expect_s3_class(fit, "dpadmm_fit")
  expect_identical(fit$plan$asked$epsilon, it$trial[["fit"]])
  expect_length(predict(fit, people), n)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(fit), fit)
  skip_if_not_installed("generics")
  expect_identical(generics::glance(fit)$epsilon, spent$epsilon)
})

test_that("pure budgets are divided by 2 + shape", {
  pair <- list(plan(iterations = 3, delta = 0), plan(ill ~ junk, iterations = 3, delta = 0))
  for (shape in c(0, 1)) {
    fit <- local_tune(pair, epsilon = 6, delta = 0, shape = shape, seed = 1)
    expect_rel(sum(fit$tuning$trial), 6 / (2 + shape), 1e-3)
    expect_lte(account(fit)$epsilon, 6)
    expect_rel(fit$tuning$noise, sqrt(2) / fit$tuning$trial[["score"]] / n, 1e-9)
  }
})

#' One calibration for all choices of a test.
calibrate_once <- function(env = parent.frame()) {
  calibrated <- inside$calibrate_trials
  trial <- NULL
  local_binding("calibrate_trials", function(...) {
    if (is.null(trial)) trial <<- calibrated(...)
    trial
  }, env)
}

test_that("the best noisy score wins, and its fit is what comes back", {
  calibrate_once()
  scores <- list()
  fits <- list()
  run <- inside$run_trial
  score <- inside$score_of
  local_binding("run_trial", function(...) {
    fit <- run(...)
    fits[[length(fits) + 1L]] <<- fit
    fit
  })
  local_binding("score_of", function(...) {
    value <- score(...)
    scores[[length(scores) + 1L]] <<- value
    value
  })
  seen <- 0
  for (seed in 1:4) {
    scores <- fits <- list()
    fit <- local_tune(plans[1:2], epsilon = 30, seed = seed, trials = 8)
    best <- which.min(unlist(scores))
    expect_identical(fit$coefficients, fits[[best]]$coefficients)
    expect_equal(fit$tuning$score, scores[[best]] / n)
    expect_identical(fit$tuning$chosen, names(plans)[1 + ("age" %in% all.vars(formula(fit)))])
    seen <- seen + length(scores)
    # a score is the error of its fit with noise
    off <- mapply(function(f, s) s / n - evaluate(f, people)$error, fits, scores)
    expect_all(abs(off) < 5 * fit$tuning$noise, "score")
    # trials differ in their noise
    expect_identical(anyDuplicated(lapply(fits, coef)), 0L)
  }
  expect_gt(seen, 4)
})

test_that("with a large budget a plan that is better is chosen when it is tried", {
  pair <- list(junk = plan(ill ~ junk, iterations = 6), age = plan(iterations = 6))
  calibrate_once()
  chosen <- vapply(1:40, function(seed) {
    local_tune(pair, epsilon = 60, trials = 6, seed = seed)$tuning$chosen
  }, "")
  tried <- local_tune(pair, epsilon = 60, trials = 6, seed = 1)$tuning$tried
  number <- inside$trials_hazard(0, inside$trials_stop(6, 0))
  law <- number * c(1, cumprod(1 - number)[-length(number)])
  expect_equal(tried, 1 - sum(law * 0.5^seq_along(law)), tolerance = 1e-9)
  expect_gt(binom.test(sum(chosen == "age"), 40, tried)$p.value, 1e-3)
})

test_that("numbers, log loss and persons are tuned, too", {
  people$score <- people$age / 50 - 1 + rnorm(n) / 9
  schema <- dpadmm_schema(age = c(18, 90), junk = 0:1, score = c(-2, 2))
  line <- lapply(list(score ~ age, score ~ junk), dpadmm_plan, schema, sizes, loss = "huber",
    epsilon = 1, delta = 1e-6, iterations = 4)
  fit <- dpadmm_tune(line, people, 20, 1e-6, nodes = office, seed = 3)
  expect_identical(fit$tuning$measure, "mse")
  expect_lt(abs(fit$tuning$score - evaluate(fit, people)$rmse^2), 5 * fit$tuning$noise)
  fit <- local_tune(plans[1:2], measure = "log_loss", seed = 3)
  expect_lt(abs(fit$tuning$score - evaluate(fit, people)$loss), 5 * fit$tuning$noise)
  many <- lapply(plans[1:2], update, per_person = c(A = 2, B = 3))
  fit <- local_tune(many, seed = 1)
  expect_match(format(privacy(fit)), "of persons", all = FALSE)
  expect_rel(fit$tuning$noise, gaussian_sigma(fit$tuning$trial[["score"]], 1e-6, 3) / n, 1e-9)
  expect_identical(fit$events$per_person, c(2, 3))
})

test_that("bad input is an error, and nothing is charged or drawn", {
  run <- inside$run_trials
  drawn <- 0
  local_binding("run_trials", function(...) {
    drawn <<- drawn + 1
    run(...)
  })
  expect_blames(local_tune(plans[1]), "plans")
  expect_blames(local_tune(plans[[1]]), "plans")
  expect_blames(local_tune(list(plans[[1]], 3)), "plans")
  expect_blames(local_tune(plans, epsilon = Inf), "epsilon", "dpadmm_error_finite")
  expect_blames(local_tune(plans, epsilon = -1), "epsilon")
  expect_blames(local_tune(plans, delta = 1), "delta")
  expect_blames(local_tune(plans, trials = 1), "trials")
  expect_blames(local_tune(plans, shape = 2), "shape")
  expect_blames(local_tune(plans, score_share = 1), "score_share")
  expect_blames(local_tune(plans, measure = "mse"), "measure")
  expect_blames(local_tune(plans, depth = 3), "depth")
  larger <- dpadmm_plan(ill ~ age, public, c(A = 200, B = 401), epsilon = 1, delta = 1e-6)
  expect_blames(local_tune(list(plans[[1]], larger)), "plans", "dpadmm_error_plan")
  expect_error(local_tune(list(larger, larger)), class = "dpadmm_error_plan")
  other <- dpadmm_plan(junk ~ age, public, sizes, epsilon = 1, delta = 1e-6, loss = "huber")
  expect_blames(local_tune(list(plans[[1]], other)), "plans", "dpadmm_error_plan")
  people$age <- NULL
  expect_error(local_tune(plans), class = "dpadmm_error_shape")
  people$age <- 30
  printed <- plan(control = dpadmm_control(accountant = "paper"), epsilon = 5, delta = 0)
  expect_blames(local_tune(list(printed, printed)), "plans")
  weighted <- plan(case_weights = ~junk, weight_bound = 1)
  expect_blames(local_tune(list(weighted, weighted)), "plans")
  fitted <- dpadmm_fit(ill ~ age, people, nodes = office, schema = public, epsilon = 1, seed = 1)
  holder <- plan(method = fp_admm(unit = "holder"))
  expect_blames(local_tune(list(holder, holder)), "plans")
  sites <- structure(list(), class = "dpadmm_sites")
  error <- expect_error(dpadmm_tune(plans, sites, 1), "Sites", class = "dpadmm_error_argument")
  expect_identical(error$argument, "data")
  skip_without_ledger()
  book <- dpadmm_ledger(tempfile(fileext = ".sqlite"), "icu", 8, 1e-5)
  expect_blames(local_tune(plans, ledger = book, seed = 1), "seed")
  expect_blames(local_tune(list(plans[[1]], larger), ledger = book), "plans", "dpadmm_error_plan")
  expect_error(local_tune(plans[1:2], ledger = book), class = "dpadmm_error_budget")
  expect_identical(nrow(as.data.frame(ledger_report(book))), 0L)
  expect_identical(drawn, 0)
  fit <- local_tune(plans[1:2], epsilon = 2, ledger = book)
  row <- as.data.frame(ledger_report(book))
  expect_equal(row$cost, inside$charge_cost(fit$events, book$budget))
  expect_match(row$what, "choice among 2 plans")
  expect_match(format(privacy(fit)), "charged as no. 1", all = FALSE)
})
