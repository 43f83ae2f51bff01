skip_on_cran()

test_that("a seeded simulation over sites is the one in one process, to the last bit", {
  skip_unless_sites()
  frames <- site_frames()
  sites <- sites_local(frames, site_schema, epsilon = 100, delta = 1e-4, simulation = TRUE)
  pooled <- pooled_frames(frames)
  methods <- list(mr_admm(), admm(), admm(1, "primal"), r_admm(), m_admm(), pp_admm(), ipp_admm(),
    fp_admm(unit = "record", noise = "block"))
  for (method in methods) {
    plan <- suppressWarnings(dpadmm_plan(ill ~ age + smoker, sites,
      epsilon = 8, delta = 1e-4, method = method, iterations = 6
    ))
    over <- dpadmm_fit(plan, sites, seed = 5)
    inside <- dpadmm_fit(plan, pooled, nodes = ~hospital, seed = 5)
    expect_identical(over$coefficients, inside$coefficients, label = method$name)
    expect_identical(coef(over), coef(inside))
    expect_identical(predict(over, pooled), predict(inside, pooled))
  }
})

test_that("regressions, weights, offsets and holes are computed at sites as elsewhere", {
  skip_unless_sites()
  schema <- dpadmm_schema(age = c(18, 100), stay = c(0, 30), w = c(0, 2), base = c(-1, 1),
    ward = c("a", "b", "c"), impute = list(age = 50, ward = "c"))
  frames <- lapply(site_frames(), function(x) {
    k <- seq_len(nrow(x))
    x$age[k %% 7 == 0] <- NA
    x$stay <- x$age / 4 + sin(k)
    x$stay[k %% 11 == 0] <- NA
    x$w <- 1 + cos(k)
    x$base <- sin(k / 3)
    x$ward <- c("a", "b", NA)[k %% 3 + 1]
    x
  })
  sites <- sites_local(frames, schema, epsilon = 100, delta = 1e-4, simulation = TRUE)
  plan <- suppressWarnings(dpadmm_plan(stay ~ poly(age, 2, raw = TRUE) + ward + offset(base), sites,
    loss = "huber", epsilon = 8, delta = 1e-4, iterations = 4, case_weights = ~w
  ))
  pooled <- pooled_frames(frames)
  over <- dpadmm_fit(plan, sites, seed = 5)
  inside <- dpadmm_fit(plan, pooled, nodes = ~hospital, seed = 5)
  expect_equal(over$coefficients, inside$coefficients, tolerance = 1e-12)
})

test_that("a list of data frames without a schema is a data frame with nodes", {
  frames <- site_frames()
  pooled <- pooled_frames(frames)
  columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
  fit <- function(...) dpadmm_fit(ill ~ age, ..., schema = columns, epsilon = 4, seed = 1)
  listed <- fit(sites_local(frames))
  column <- fit(pooled, nodes = ~hospital)
  expect_identical(listed$coefficients, column$coefficients)
  plan <- dpadmm_plan(ill ~ age, columns, sizes = vapply(frames, nrow, 0L), epsilon = 4)
  planned <- dpadmm_fit(plan, sites_local(frames), seed = 1)
  expect_identical(planned$coefficients, column$coefficients)
  for (ask in list(sites_public, ledger_report, function(x) dpadmm_plan(ill ~ age, x))) {
    expect_blame(ask(sites_local(frames)), "argument", "schema", "no policy")
  }
  expect_silent(close(sites_local(frames)))
  named <- stats::setNames(frames, c("K\u00f6ln", "B", "C"))
  expect_blame(sites_local(named, site_schema, 4, 1e-4), "argument", "names(data)", "A to Z")
})

test_that("what runs is charged once, each fit anew, and refused when nothing is left", {
  skip_unless_sites()
  sites <- sites_local(site_frames(), site_schema, epsilon = 2, delta = 1e-4)
  fits <- 0
  for (k in 1:40) {
    fit <- tryCatch(
      dpadmm_fit(ill ~ age, sites, epsilon = 1, delta = 1e-4, iterations = 4),
      dpadmm_error_site = function(e) e
    )
    if (inherits(fit, "condition")) break
    fits <- fits + 1
    expect_false(fit$seeded)
    # noise is fresh
    if (fits > 1) expect_false(isTRUE(all.equal(fit$coefficients, last)))
    last <- fit$coefficients
  }
  expect_gt(fits, 2) # summed epsilons would stop after two
  expect_lt(fits, 40)
  expect_identical(fit$reason, "budget")
  expect_identical(fit$place, "A")
})

test_that("nobody is charged when one site refuses", {
  skip_unless_sites()
  frames <- site_frames()
  made <- list(
    A = dpadmm_site(site_policy("A", site_schema, 4, 1e-4), frames$A),
    B = dpadmm_site(site_policy("B", site_schema, 4, 1e-4, rounds = 3), frames$B)
  )
  sites <- sites_local(made)
  error <- expect_error(
    dpadmm_fit(ill ~ age, sites, epsilon = 1, delta = 1e-4, iterations = 4),
    class = "dpadmm_error_site"
  )
  expect_identical(error$place, "B")
  expect_identical(error$argument, "iterations")
  expect_identical(nrow(site_report(made$A$it)$charges), 0L)
})

test_that("what cannot be saved is said before anything is charged", {
  skip_unless_sites()
  sites <- sites_local(site_frames(), site_schema, epsilon = 4, delta = 1e-4)
  plan <- dpadmm_plan(ill ~ age, sites, epsilon = 1, delta = 1e-4, iterations = 6)
  expect_no_warning(expect_blame(dpadmm_fit(plan, sites, save = file.path(tempfile(), "run")),
    "file", "save", "no such directory"))
  alone <- dpadmm_plan(ill ~ age, site_schema, sizes = c(30, 30, 30), epsilon = Inf)
  expect_blame(dpadmm_fit(alone, do.call(rbind, site_frames()), save = "run"), "argument", "save")
  expect_identical(ledger_report(sites)$sites$charges, rep(0L, 3L))
  killed <- tempfile()
  writeLines("what a hub was writing when it was killed", paste0(killed, ".new"))
  expect_silent(dpadmm_fit(plan, sites, save = killed))
  expect_length(read_journal(killed)$records, 18L)
  skip_if_not(file.exists("/dev/full"))
  full <- journal_file("/dev/full")
  full$write(1:10)
  expect_error(full$flush(" advice"), "advice", class = "dpadmm_error_file")
  full$close()
})

test_that("a fit that was saved goes on, without a new charge, from wherever it stopped", {
  skip_unless_sites()
  frames <- site_frames()
  made <- Map(function(x, name) dpadmm_site(site_policy(name, site_schema, 4, 1e-4), x), frames,
    names(frames))
  sites <- sites_local(made)
  plan <- dpadmm_plan(ill ~ age, sites, epsilon = 1, delta = 1e-4, iterations = 6)
  file <- tempfile()
  whole <- dpadmm_fit(plan, sites, save = file)
  expect_identical(dpadmm_resume(file, sites)$coefficients, whole$coefficients)
  expect_error(dpadmm_fit(plan, sites, save = file), class = "dpadmm_error_argument")

  # the hub dies in round 4, at each message
  for (dies in 9:12) {
    count <- 0
    dying <- sites
    dying$post <- function(i, request, arguments) {
      count <<- count + (request == "step")
      if (count == dies) stop("killed")
      sites$post(i, request, arguments)
    }
    dying$fetch <- sites$fetch
    file <- tempfile()
    # a hub that dies closes nothing
    dying$post <- local({
      post <- dying$post
      function(i, request, arguments) if (request != "close") post(i, request, arguments)
    })
    expect_error(dpadmm_fit(plan, dying, save = file))
    before <- nrow(site_report(made$A$it)$charges)
    fit <- dpadmm_resume(file, sites)
    expect_identical(nrow(site_report(made$A$it)$charges), before)
    journal <- read_journal(file)
    expect_length(journal$records, 18L)
    # each site's last message is what it sent once
    for (i in 1:3) {
      last <- Filter(function(r) r$round == 6 && r$party == i, journal$records)[[1L]]
      expect_identical(unname(fit$coefficients[i, ]), last$values)
    }
  }
})

test_that("what sites say, or do not know, is an error where it is given, and nobody is charged", {
  skip_unless_sites()
  sites <- sites_local(site_frames(), site_schema, epsilon = 9, delta = 1e-4)
  plan <- dpadmm_plan(ill ~ age, sites, epsilon = 1, delta = 1e-5)
  blamed <- function(code) expect_error(code, class = "dpadmm_error_argument")$argument
  expect_identical(blamed(dpadmm_plan(ill ~ age, sites, sizes = c(A = 9, B = 9), epsilon = 1)),
    "sizes")
  expect_identical(blamed(dpadmm_plan(ill ~ age, sites, nodes = "age", epsilon = 1)), "nodes")
  expect_identical(blamed(dpadmm_plan(ill ~ age, sites, na.action = "fail", epsilon = 1)),
    "na.action")
  expect_identical(plan$problem$size,
    dpadmm_plan(ill ~ age, sites, na.action = "omit", epsilon = 1)$problem$size)
  expect_identical(blamed(dpadmm_fit(ill ~ age, sites, subset = age > 50, epsilon = 1)), "subset")
  expect_blame(dpadmm_fit(ill ~ age, sites, ledger = "a.sqlite", epsilon = 1), "argument", "ledger",
    "own ledgers")
  expect_identical(blamed(dpadmm_fit(ill ~ age, sites, nodes = 3, epsilon = 1)), "nodes")
  expect_identical(blamed(dpadmm_fit(plan, sites, y = 1)), "y")
  expect_identical(blamed(dpadmm_fit(plan, sites, case_weights = 1)), "case_weights")
  expect_identical(sum(ledger_report(sites)$sites$charges), 0L)
  frames <- sites_local(site_frames())
  expect_identical(blamed(dpadmm_fit(ill ~ age, frames, subset = age > 50, epsilon = 1)), "subset")
  expect_identical(blamed(sites_local(site_frames(), site_schema, epsilon = 1, analyst = "a b")),
    "analyst")
  expect_error(dpadmm_resume(tempdir(), sites), class = "dpadmm_error_parse")
})

test_that("sites that fill in unlike values are told apart before a plan is made", {
  skip_unless_sites()
  site <- function(name, age) {
    schema <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"), impute = list(age = age))
    dpadmm_site(site_policy(name, schema, epsilon = 1), site_patients(30, 1))
  }
  error <- expect_error(sites_local(list(A = site("A", 50), B = site("B", 60))),
    class = "dpadmm_error_site")
  expect_identical(error[c("argument", "place")], list(argument = "Columns", place = "B"))
})
