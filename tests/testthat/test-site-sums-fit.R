# Fits over sites whose messages only the sum is seen of: the numbers as in one process, and
# transports that lose, delay or spoil what they carry.

skip_on_cran()

sums_at <- function(..., simulation = TRUE) {
  sites_local(site_frames(), site_schema, epsilon = 100, delta = 1e-3, simulation = simulation, ...)
}

sums_plan <- function(sites, method = grad_admm(), iterations = 4, failures = 1, ...) {
  suppressWarnings(dpadmm_plan(ill ~ age + smoker, sites, epsilon = 8, delta = 1e-4,
    method = method, iterations = iterations, aggregation = secure_sum(failures = failures), ...))
}

# A transport over local sites. how(i, round, attempt, time) says what comes of the answer to the
# time-th such question: "here", "lost", "late" (there a little later), "never", or what is sent.
careless <- function(sites, how, log = new.env()) {
  fate <- vector("list", length(sites$names))
  out <- sites
  out$deadline <- 0.05
  out$post <- function(i, request, arguments) {
    sites$post(i, request, arguments)
    fate[[i]] <<- list("here")
    if (request != "step") return()
    key <- paste(i, arguments$round, arguments$attempt)
    log[[key]] <- c(log[[key]], list(sites$fetch(i)))
    fate[[i]] <<- list(how(i, arguments$round, arguments$attempt, length(log[[key]])),
      Sys.time() + 0.07)
  }
  out$fetch <- function(i) {
    it <- fate[[i]]
    if (is.list(it[[1L]])) return(it[[1L]])
    if (it[[1L]] == "lost") stop("no route to host")
    if (it[[1L]] == "never" || (it[[1L]] == "late" && Sys.time() < it[[2L]])) return(NULL)
    sites$fetch(i)
  }
  out
}

asked_attempts <- function(log) {
  parts <- do.call(rbind, strsplit(ls(log), " "))
  data.frame(site = as.integer(parts[, 1]), round = as.integer(parts[, 2]),
    attempt = as.integer(parts[, 3]))
}

test_that("a seeded simulation over sites is the one in one process, to the last bit", {
  skip_unless_sums()
  sites <- sums_at()
  pooled <- pooled_frames(site_frames())
  for (method in list(grad_admm(), acc_admm(), dp_sgd(step = 1), fp_admm(unit = "record"),
    grad_admm(init = "noisy-gradient"))) {
    plan <- sums_plan(sites, method)
    over <- dpadmm_fit(plan, sites, seed = 5)
    inside <- dpadmm_fit(plan, pooled, nodes = ~hospital, seed = 5)
    expect_identical(over$coefficients, inside$coefficients, label = method$name)
    expect_identical(coef(over), coef(inside))
    expect_null(over$attempts)
  }
})

test_that("each fit is charged once, with room for attempts that fail, and noise is fresh", {
  skip_unless_sums()
  sites <- sums_at(simulation = FALSE)
  plan <- sums_plan(sites, failures = 3)
  fit <- dpadmm_fit(plan, sites)
  again <- dpadmm_fit(plan, sites)
  expect_false(isTRUE(all.equal(coef(fit), coef(again))))
  report <- ledger_report(sites)
  expect_identical(unname(report$sites$charges), rep(2L, 3L))
  fewer <- sums_plan(sites, failures = 0)
  expect_gt(sum(plan$events$count), sum(fewer$events$count))
})

test_that("an answer that goes astray is asked for again, and costs no attempt", {
  skip_unless_sums()
  sites <- sums_at()
  plan <- sums_plan(sites, failures = 0)
  whole <- dpadmm_fit(plan, sites, seed = 1)
  spoilt <- list("lost", list(), list(value = list(values = raw(8))),
    list(value = list(values = numeric(4))))
  for (fate in spoilt) {
    log <- new.env()
    flaky <- careless(sites, function(i, round, attempt, time) {
      if (i == 2 && round == 2 && time == 1) fate else "here"
    }, log)
    fit <- dpadmm_fit(plan, flaky, seed = 1)
    expect_identical(coef(fit), coef(whole))
    answers <- log[["2 2 0"]]
    expect_length(answers, 2L)
    expect_identical(answers[[1L]], answers[[2L]]) # the stored one
    expect_true(all(asked_attempts(log)$attempt == 0))
    expect_null(fit$attempts)
  }
  # one who is late is waited for once more
  slow <- careless(sites, function(i, round, ...) if (i == 3 && round == 3) "late" else "here")
  expect_identical(coef(dpadmm_fit(plan, slow, seed = 1)), coef(whole))
})

test_that("an attempt at which a site is missing is lost, and the next has fresh noise", {
  skip_unless_sums()
  sites <- sums_at()
  plan <- sums_plan(sites, failures = 1)
  log <- new.env()
  flaky <- careless(sites, function(i, round, attempt, time) {
    if (i == 2 && round == 2 && attempt == 0) "lost" else "here"
  }, log)
  fit <- dpadmm_fit(plan, flaky, seed = 1)
  expect_identical(fit$attempts,
    data.frame(round = 2L, attempt = 0, site = "B", status = "lost"))
  expect_false(isTRUE(all.equal(coef(fit), coef(dpadmm_fit(plan, sites, seed = 1)))))
  words <- function(key) log[[key]][[1L]]$value$values
  for (i in 1:3) expect_lt(mean(words(paste(i, 2, 0)) == words(paste(i, 2, 1))), 0.25)
  # and no more of them than were charged
  gone <- careless(sites, function(i, ...) if (i == 2) "lost" else "here")
  error <- expect_error(dpadmm_fit(plan, gone, seed = 1), class = "dpadmm_error_site")
  expect_identical(error$place, "B")
  expect_match(conditionMessage(error), "of all sites or of none")
})

test_that("a run without a site stops, and goes on where it was with no other charge", {
  skip_unless_sums()
  sites <- sums_at(simulation = FALSE)
  plan <- sums_plan(sites, failures = 1)
  for (fate in c("lost", "never")) {
    file <- tempfile()
    log <- new.env()
    before <- ledger_report(sites)$sites$charges
    how <- function(i, round, ...) if (i == 3 && round == 3) fate else "here"
    flaky <- careless(sites, how, log)
    error <- expect_error(dpadmm_fit(plan, flaky, save = file), class = "dpadmm_error_site")
    expect_match(conditionMessage(error), "dpadmm_resume", fixed = TRUE)
    expect_identical(error$place, "C")
    fit <- dpadmm_resume(file, careless(sites, function(...) "here", log))
    expect_identical(ledger_report(sites)$sites$charges, before + 1L)
    asked <- asked_attempts(log)
    # who hangs cannot be asked for another attempt: the same one, which the others have stored
    expect_identical(max(asked$attempt), if (fate == "lost") 1L else 0L)
    last <- sprintf("%d 3 %d", 1:3, max(asked$attempt))
    for (key in last) expect_identical(unique(log[[key]]), log[[key]][1L])
    expect_identical(coef(dpadmm_resume(file, sites)), coef(fit)) # it is over
  }
})

test_that("a site that refuses ends the run, by name and with its words", {
  skip_unless_sums()
  sites <- sums_at()
  plan <- sums_plan(sites, failures = 5)
  log <- new.env()
  stubborn <- careless(sites, function(i, round, ...) {
    if (i == 1 && round == 2) list(error = "refused", message = "Not on Sundays.") else "here"
  }, log)
  error <- expect_error(dpadmm_fit(plan, stubborn, seed = 1), class = "dpadmm_error_site")
  expect_identical(error$place, "A")
  expect_match(conditionMessage(error), "Not on Sundays")
  expect_identical(max(asked_attempts(log)$attempt), 0L)
})

test_that("a site without a key to sign with is named before anybody is charged", {
  skip_unless_sums()
  known <- known_sites(c("A", "B", "C"))
  made <- Map(function(name, data) {
    of <- if (name != "C") list(identity = known$file[[name]], peers = known$peers)
    dpadmm_site(do.call(site_policy, c(list(name, site_schema, 50, 1e-3), of)), data)
  }, c("A", "B", "C"), site_frames())
  sites <- sites_local(made)
  plan <- sums_plan(sites)
  expect_blame(dpadmm_fit(plan, sites), "site", "Identity", place = "C")
  expect_identical(unname(ledger_report(sites)$sites$charges), c(0L, 0L, 0L))
  # one whose answer has no key
  sites <- sums_at()
  mute <- sites
  mute$fetch <- function(i) {
    answer <- sites$fetch(i)
    if (i == 2) answer$value$signed <- NULL
    answer
  }
  error <- expect_error(dpadmm_fit(sums_plan(sites), mute, seed = 1), "no signed key",
    class = "dpadmm_error_site")
  expect_identical(error[c("place", "argument")], list(place = "B", argument = "keys"))
})

test_that("a fake key in the hub's hands ends the run before a message, at the site it reaches", {
  skip_unless_sums()
  sites <- sums_at()
  plan <- sums_plan(sites)
  swapped <- sites
  steps <- 0
  swapped$post <- function(i, request, arguments) {
    if (request == "join" && i == 3) {
      bytes <- from_wire(arguments$keys)
      arguments$keys <- to_wire(c(bytes[97:192], bytes[1:96], bytes[193:288]))
    }
    steps <<- steps + (request == "step")
    sites$post(i, request, arguments)
  }
  error <- expect_error(dpadmm_fit(plan, swapped, seed = 1), class = "dpadmm_error_site")
  expect_identical(error[c("place", "argument")], list(place = "C", argument = "keys"))
  expect_identical(steps, 0)
})
