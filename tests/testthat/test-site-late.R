# Sites that are late, lost, or do not send what a site sends.

skip_on_cran()

# A transport over local sites: `how(i, round)` says what happens to an answer of a round: "here",
# "late" (it is there two rounds later), "lost", or what is sent instead.
unreliable <- function(sites, how) {
  waiting <- vector("list", length(sites$names))
  now <- 0
  out <- sites
  out$deadline <- 0.005
  out$post <- function(i, request, arguments) {
    sites$post(i, request, arguments)
    fate <- "here"
    if (request == "step") {
      fate <- how(i, arguments$round)
      now <<- max(now, arguments$round)
    }
    waiting[[i]] <<- list(answer = sites$fetch(i), fate = fate, ready = now + 2)
  }
  out$fetch <- function(i) {
    it <- waiting[[i]]
    if (is.list(it$fate)) return(it$fate)
    if (it$fate == "lost") stop("no route to host")
    if (it$fate == "late" && now < it$ready) return(NULL)
    it$answer
  }
  out
}

late_sites <- function(...) {
  sites_local(site_frames(), site_schema, epsilon = 100, delta = 1e-4, simulation = TRUE, ...)
}

late_plan <- function(sites, iterations = 6, ...) {
  dpadmm_plan(ill ~ age + smoker, sites, epsilon = 8, delta = 1e-4, iterations = iterations, ...)
}

keeping <- dpadmm_control(keep_iterates = TRUE)

test_that("a late site's last message stands, and it comes back", {
  skip_unless_sites()
  sites <- late_sites()
  plan <- late_plan(sites)
  slow <- unreliable(sites, function(i, round) if (i == 2 && round == 3) "late" else "here")
  fit <- dpadmm_fit(plan, slow, seed = 1, control = keeping)
  expect_identical(fit$sites, data.frame(round = 3:4, site = "B", status = "late"))
  B <- fit$iterates[, "B", ]
  expect_identical(B[3, ], B[2, ])
  expect_identical(B[4, ], B[2, ])
  expect_true(all(B[5, ] != B[2, ]))
  expect_true(all(fit$iterates[3, "A", ] != fit$iterates[2, "A", ]))
})

test_that("a lost site's last message stands to the end", {
  skip_unless_sites()
  sites <- late_sites()
  flaky <- unreliable(sites, function(i, round) if (i == 3 && round == 4) "lost" else "here")
  expect_warning(
    fit <- dpadmm_fit(late_plan(sites), flaky, seed = 1, control = keeping),
    class = "dpadmm_warning_site"
  )
  C <- fit$iterates[, "C", ]
  for (round in 4:6) expect_identical(C[round, ], C[3, ])
  expect_identical(fit$sites$round, 4:6)
  expect_identical(fit$sites$status, rep("lost", 3))
})

test_that("what is no message puts its site out, by name", {
  skip_unless_sites()
  sites <- late_sites()
  value <- function(values) list(value = list(values = values, sent = TRUE))
  lies <- list(value(rep(NaN, 4)), value(c(1, Inf, 0, 0)), value(1:3), value("x"), value(NULL),
    value(rep(1e200, 4)), value(list(1, 2, 3, 4)), list(error = "refused", message = "No."), list())
  for (lie in lies) {
    liar <- unreliable(sites, function(i, round) if (i == 1 && round == 2) lie else "here")
    warned <- expect_warning(
      fit <- dpadmm_fit(late_plan(sites, 4), liar, seed = 1, control = keeping),
      class = "dpadmm_warning_site"
    )
    expect_identical(warned$place, "A")
    expect_identical(fit$sites$status, rep("out", 3))
    expect_identical(fit$iterates[4, "A", ], fit$iterates[1, "A", ])
    expect_true(all(is.finite(fit$coefficients)))
  }
})

test_that("too few answers stop the run, which can be taken up again", {
  skip_unless_sites()
  sites <- late_sites(min_sites = 3)
  file <- tempfile()
  flaky <- unreliable(sites, function(i, round) if (i == 2 && round == 4) "lost" else "here")
  plan <- late_plan(sites)
  error <- expect_error(
    suppressWarnings(dpadmm_fit(plan, flaky, seed = 1, save = file)), class = "dpadmm_error_site"
  )
  expect_match(conditionMessage(error), "min_sites")
  expect_match(conditionMessage(error), "dpadmm_resume")
  expect_match(conditionMessage(error), "not B[.]")
  expect_no_match(conditionMessage(error), "charged") # a simulation is not
  expect_identical(error$place, "B")
  expect_s3_class(error$spent, "dp_guarantee")
  error <- expect_error(suppressWarnings(dpadmm_fit(plan, flaky)), class = "dpadmm_error_site")
  expect_match(conditionMessage(error), "whole run stays charged")
})

test_that("users remember every round, so of fp_admm a late site is out", {
  skip_unless_sites()
  sites <- late_sites()
  plan <- late_plan(sites, 6, method = fp_admm(unit = "record", noise = "block"))
  slow <- unreliable(sites, function(i, round) if (i == 1 && round == 2) "late" else "here")
  warned <- expect_warning(fit <- dpadmm_fit(plan, slow, seed = 1), class = "dpadmm_warning_site")
  expect_match(conditionMessage(warned), "next round is 3")
  expect_identical(fit$sites$status, c("late", "late", "late", "out"))
})
