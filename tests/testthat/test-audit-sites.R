# Audits of what a hub sees of a fit over sites. The noise of sites here is a seed's, so each case
# has one outcome.

skip_on_cran()

columns <- dpadmm_schema(x = c(-1, 1), y = c("no", "yes"))
others <- data.frame(x = 0, y = c("no", "yes", "no", "yes"))
pair <- lapply(c("yes", "no"), function(y) list(north = data.frame(x = 1, y = y), south = others))

audit_sites <- function(runs) {
  skip_unless_sites()
  release <- site_release(y ~ x - 1, columns, epsilon = 4, delta = 0.01, iterations = 1,
    method = admm(perturb = "primal"), loss = "hinge", C = 1)
  audit(release, pair[[1]], pair[[2]], runs = runs, delta = 0.01, bound = "gaussian", seed = 1)
}

test_that("what is seen is every message and all else that is said", {
  skip_unless_sites()
  release <- site_release(y ~ x, columns, epsilon = 4, delta = 0.01, iterations = 2)
  expect_output(print(release), "over sites")
  seen <- release(pair[[1]], seed = 3)
  sites <- sites_local(pair[[1]], columns, 4, 0.01, simulation = TRUE)
  plan <- attr(release, "settle")(pair[[1]])
  fit <- suppressWarnings(dpadmm_fit(plan, sites, seed = 3,
    control = dpadmm_control(keep_iterates = TRUE)))
  messages <- array(seen[1:12], c(3, 2, 2)) # rounds 0 to 2, sites, coefficients
  expect_equal(messages[-1, , ], fit$iterates, ignore_attr = TRUE, tolerance = 0)
  expect_identical(seen[13:18], rep(c(0, 2, 2), 2)) # heard, and sent
  expect_length(seen, 19)
  expect_identical(release(pair[[1]], seed = 3), seen)
  expect_identical(release(pair[[2]], seed = 4)[19], seen[19])
  local_binding("site_open", function(...) decline("No.", "run"))
  refused <- release(pair[[1]], seed = 3)
  expect_identical(refused[1:18], numeric(18))
  expect_false(refused[19] == seen[19])
  expect_error(release(lapply(pair[[1]], function(x) x[c(1, 1), ])), class = "dpadmm_error_plan")
  expect_error(release(pair[[1]]$south), class = "dpadmm_error_argument")
})

test_that("the measured epsilon stays under the statement", {
  a <- audit_sites(40)
  expect_false(a$exceeds)
  expect_identical(a$claimed, a$claim$curve(0.01))
})

test_that("a site with half the noise is caught", {
  whole <- live_party
  local_binding("live_party", function(site, plan, party) {
    if (site$policy$site == "north") {
      plan$scales <- rapply(plan$scales, function(sigma) sigma / 2, how = "list")
    }
    whole(site, plan, party)
  })
  expect_true(audit_sites(60)$exceeds)
})

test_that("noise that is used for two rounds is caught", {
  skip_unless_sites()
  release <- site_release(y ~ x - 1, columns, epsilon = 4, delta = 0.01, iterations = 2,
    method = grad_admm())
  counts <- pair[[1]]
  nothing <- replace(counts, "north", list(data.frame(x = 0, y = "yes"))) # has no gradient
  audit_rounds <- function(runs) {
    audit(release, counts, nothing, runs = runs, delta = 0.01, bound = "gaussian", seed = 1,
      statistic = function(seen) abs(seen[3] - seen[2])) # two messages of north
  }
  expect_false(audit_rounds(24)$exceeds)
  local_binding("load_party", function(site, run) { # without the state
    it <- site$live[[run]]
    row <- with_store(site, function(con) store_run(con, run_at(site, run)))
    core_call(.Call(ffi_party_open, core_spec(it$plan, keep = FALSE, threads = 1L), it$party,
      it$records, row$key))
  })
  once <- compute_round
  local_binding("compute_round", function(site, run, round, values, last) {
    site$live[[run]]$handle <- NULL
    once(site, run, 1, values, last) # the number of the round is the name of its noise
  })
  expect_true(audit_rounds(36)$exceeds)
})

test_that("what a site says of its records beside its messages is caught", {
  told <- site_report
  local_binding("site_report", function(site) {
    answer <- told(site)
    answer$left$share <- answer$left$share * mean(site$data$y == "yes")
    answer
  })
  expect_true(audit_sites(30)$exceeds)
})
