# Policies that protect persons: which records count, what a plan must be, what is charged.

skip_on_cran()

# Persons of 1 to 7 records, mixed up; some rows are nobody's.
person_frames <- function(sizes = c(A = 300, B = 200)) {
  lapply(site_frames(sizes), function(x) {
    n <- nrow(x)
    x$who <- sprintf("p%d", floor(60 * abs(sin(seq_len(n) * 1.3))^2))
    x$who[seq_len(n) %% 29 == 0] <- NA
    x
  })
}

person_site <- function(name, data, ..., person = "who", per_person = 2, epsilon = 4) {
  dpadmm_site(site_policy(name, site_schema, epsilon, 1e-4,
    person = person, per_person = per_person, ...
  ), data)
}

person_sites <- function(frames, ...) {
  sites_local(Map(person_site, names(frames), frames, ...), analyst = "me")
}

counted_by_hand <- function(who, most) {
  seen <- list()
  vapply(who, function(id) {
    if (is.na(id)) return(FALSE)
    seen[[id]] <<- if (is.null(seen[[id]])) 1 else seen[[id]] + 1
    seen[[id]] <= most
  }, NA, USE.NAMES = FALSE)
}

test_that("the first records of each person count, and nobody's do not", {
  skip_unless_sites()
  frames <- person_frames()
  for (m in c(1, 2, 5)) {
    site <- person_site("A", frames$A, per_person = m)
    expect_identical(site$it$counted, counted_by_hand(frames$A$who, m))
  }
  inside <- asNamespace("dpadmm")
  same <- function(ids, ...) { # as numbers of the first row with that id
    text <- inside$person_ids(ids, length(ids))
    expect_identical(match(text, text, incomparables = NA), as.integer(c(...)))
  }
  same(c("a", " a", "b ", "", NA, "b"), 1, 1, 3, NA, NA, 3)
  same(factor(c("x", "y", NA, "x")), 1, 2, NA, 1)
  same(c(1e15, 1e15 + 0.125, -0, 0, NaN, Inf), 1, 2, 3, 3, NA, NA)
  same(list("a", 2, "a"), 1, 2, 1)
  latin <- "M\xfcller"
  Encoding(latin) <- "latin1"
  same(c("M\u00fcller", latin, "M\xfcller", "M"), 1, 1, 1, 4)
  big <- structure(c(0, 4.9406564584124654e-324, -0, 4.9406564584124654e-324), class = "integer64")
  same(big, 1, 2, NA, 2) # 0, 1, NA, 1
  same(as.Date(c("2020-01-01", NA, "2020-01-01")), 1, NA, 1)
})

test_that("what a person has beyond the limit changes no bit, whatever it is", {
  skip_unless_sites()
  frames <- person_frames()
  changed <- lapply(frames, function(x) {
    out <- which(!counted_by_hand(x$who, 2))
    x$age[out] <- rev(x$age[out]) + 7
    x$ill[out] <- c("yes", NA, "no", "never")[seq_along(out) %% 4 + 1]
    x
  })
  run <- function(frames, ...) {
    sites <- person_sites(frames, simulation = TRUE, epsilon = 100)
    plan <- suppressWarnings(dpadmm_plan(ill ~ age + smoker, sites, epsilon = 20, delta = 1e-4,
      iterations = 6, ...))
    list(plan = plan, fit = suppressWarnings(dpadmm_fit(plan, sites, seed = 5)))
  }
  pooled <- pooled_frames(frames)
  pooled$w <- as.double(unlist(lapply(frames, function(x) counted_by_hand(x$who, 2))))
  for (method in list(mr_admm(), admm(1, "primal"), dp_sgd(batch = 0.5), grad_admm(),
    fp_admm(noise = "block"))) {
    it <- run(frames, method = method)
    expect_identical(run(changed, method = method)$fit$coefficients, it$fit$coefficients)
    expect_identical(it$plan$problem$per_person, c(2, 2))
    # the same as a fit in which they weigh nothing
    weighed <- suppressWarnings(dpadmm_fit(update(it$plan, case_weights = ~w, weight_bound = 1),
      pooled, nodes = ~hospital, seed = 5))
    expect_equal(it$fit$coefficients, weighed$coefficients, tolerance = 1e-12)
  }
  one <- changed
  at <- which(counted_by_hand(frames$A$who, 2))[1L] # and a row that counts does change it
  one$A[at, c("age", "ill")] <- list(100, "yes")
  expect_false(identical(run(one, method = method)$fit$coefficients, it$fit$coefficients))
})

test_that("sites say whom they protect, and plans follow", {
  skip_unless_sites()
  frames <- person_frames()
  sites <- sites_local(list(
    A = person_site("A", frames$A, per_person = 3),
    B = dpadmm_site(site_policy("B", site_schema, 4, 1e-4), frames$B)
  ))
  expect_identical(sites_public(sites)$per_person, c(3, 1))
  expect_output(print(sites), "for a person with 3 records")
  plan <- suppressWarnings(dpadmm_plan(ill ~ age, sites, epsilon = 1, delta = 1e-4, iterations = 2))
  expect_identical(plan$problem$per_person, c(3, 1))
  expect_match(paste(format(privacy(plan)), collapse = " "),
    "any one person's records (at most 1 to 3)", fixed = TRUE)
  expect_error(dpadmm_plan(ill ~ age, sites, epsilon = 1, delta = 1e-4, per_person = 1),
    class = "dpadmm_error_argument")
  fit <- suppressWarnings(dpadmm_fit(plan, sites))
  charged <- ledger_report(sites)$charges
  expect_identical(vapply(charged, nrow, 0L), c(A = 1L, B = 1L))
  expect_identical(privacy(fit)$per_person, c(1, 3))
  # a site with fewer rows than the limit
  few <- person_site("A", frames$A[1:2, ], per_person = 5)
  expect_identical(site_answer(few, "public", list())$value$per_person, 2)
})

test_that("a plan for fewer records of a person is refused, by public numbers", {
  skip_unless_sites()
  frames <- person_frames()
  plan <- function(per_person, ...) {
    dpadmm_plan(ill ~ age, site_schema, c(A = 300, B = 200), epsilon = 0.5, delta = 1e-4,
      na.action = "omit", seed = 1, iterations = 2, per_person = per_person, ...)
  }
  hub <- function(plan, data = frames$A, ...) {
    one_site(site_policy("A", site_schema, 4, 1e-4, person = "who", ...), data, plan)
  }
  expect_site_refuses(hub(plan(1), per_person = 2)$open(), "per_person")
  expect_site_refuses(hub(plan(c(A = 2, B = 9)), per_person = 3)$open(), "per_person")
  nobody <- transform(frames$A, who = NA)
  expect_identical(hub(plan(1), nobody, per_person = 2)$open(), hub(plan(1), per_person = 2)$open())
  it <- hub(plan(2), nobody, per_person = 2)
  expect_null(it$open()$error) # nothing counts, and nothing tells
  expect_null(it$step(1)$error)
  expect_null(hub(plan(9), per_person = 2)$open()$error) # more is no less
  expect_null(hub(plan(1), per_person = 1)$open()$error)
})

test_that("a budget is of one unit", {
  skip_unless_sites()
  frames <- person_frames()
  ledger <- tempfile(fileext = ".sqlite")
  ask <- function(most, planned) {
    policy <- site_policy("A", site_schema, 4, 1e-4, ledger = ledger,
      person = if (most > 1) "who", per_person = most)
    plan <- dpadmm_plan(ill ~ age, site_schema, c(A = 300, B = 200), epsilon = 0.2, delta = 1e-4,
      na.action = "omit", seed = 1, iterations = 2, per_person = planned)
    run <- paste(sample(c(0:9, letters[1:6]), 32, TRUE), collapse = "")
    one_site(policy, frames$A, plan, run)$open()
  }
  expect_null(ask(1, 1)$error)
  expect_site_refuses(ask(2, 2), "per_person", "accountant") # records were charged before
  ledger <- tempfile(fileext = ".sqlite")
  expect_null(ask(2, 2)$error)
  expect_null(ask(2, 3)$error)
  expect_site_refuses(ask(1, 1), "per_person", "accountant") # persons were promised
  # in one process
  mine <- dpadmm_ledger(ledger, "A")
  x <- matrix(0.1, 40, 1)
  fit <- function(m) {
    dpadmm_fit(x, rep(c(-1, 1), 20), nodes = rep(c("a", "b"), 20), epsilon = 0.1, delta = 1e-4,
      iterations = 2, per_person = m, ledger = mine)
  }
  expect_error(fit(1), class = "dpadmm_error_accountant")
  expect_identical(fit(2)$ledger$number, 3L)
})

test_that("policies of persons are read, written and refused by field", {
  skip_unless_sites()
  path <- tempfile(fileext = ".dcf")
  table <- tempfile(fileext = ".csv")
  frame <- person_frames()$A
  # long ids that are numbers, which as such would be one
  frame$who <- paste0("1234567890123456", rep(c("78", "79"), length.out = nrow(frame)))
  utils::write.csv(frame, table, row.names = FALSE, quote = FALSE)
  written <- site_policy_file(path, data = "icu", schema = site_schema, epsilon = 4, delta = 1e-4,
    source = table, ledger = tempfile(), person = "who", per_person = 3)
  expect_identical(site_policy_file(path), written)
  expect_output(print(written), "for a person (who) with at most 3 records", fixed = TRUE)
  expect_identical(sum(dpadmm_site(path)$it$counted), 6L)
  lines <- readLines(path)
  field <- function(text) {
    writeLines(sub("^Person: .*", text, lines), path)
    site_policy_file(path)
  }
  expect_identical(field("Person: patient id")$per_person, 1)
  expect_identical(field("Person: patient id")$person, "patient id")
  for (bad in c("Person: who; most", "Person: who; most 0", "Person: who; 3", "Person: ;")) {
    error <- expect_error(field(bad), class = "dpadmm_error_policy")
    expect_identical(error$argument, "Person")
  }
  field("Person: nobody")
  error <- expect_error(dpadmm_site(path), class = "dpadmm_error_policy")
  expect_identical(error$argument, "Person")
  expect_blame(site_policy("a", site_schema, 1, per_person = 2), "argument", "person")
  expect_blame(site_policy("a", site_schema, 1, person = "x", per_person = 0), "argument",
    "per_person", place = 1L)
})

test_that("a site may say that it has more records than there are", {
  skip_unless_sites()
  frames <- site_frames(c(A = 300, B = 200))
  run <- function(A, ...) {
    sites <- sites_local(list(
      A = dpadmm_site(site_policy("A", site_schema, 99, 1e-4, simulation = TRUE, ...), A),
      B = dpadmm_site(site_policy("B", site_schema, 99, 1e-4, simulation = TRUE), frames$B)
    ))
    plan <- suppressWarnings(dpadmm_plan(ill ~ age, sites, epsilon = 9, delta = 1e-4,
      iterations = 3, method = grad_admm()))
    expect_identical(unname(plan$problem$size), c(350L, 200L))
    suppressWarnings(dpadmm_fit(plan, sites, seed = 3))$coefficients
  }
  empty <- frames$A[rep(NA_integer_, 50), ]
  expect_identical(run(frames$A, records = 350), run(rbind(frames$A, empty)))
  who <- cbind(frames$A, who = seq_len(300))
  expect_identical(run(who, records = 350, person = "who"), run(frames$A, records = 350))
  error <- expect_error(run(frames$A, records = 299), class = "dpadmm_error_policy")
  expect_identical(error$argument, "Records")
  path <- tempfile(fileext = ".dcf")
  written <- site_policy_file(path, data = "icu", schema = site_schema, epsilon = 4,
    source = "a.csv", ledger = "l", records = 1e5)
  expect_identical(site_policy_file(path), written)
})
