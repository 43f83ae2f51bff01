# What a lying site says of itself: 500 answers that are none, each an error that names the site.

skip_on_cran()

# A site whose answers to one request are changed; the others answer as sites do.
liar <- function(sites, request, lie, who = 2L) {
  out <- sites
  asked <- ""
  out$post <- function(i, what, arguments) {
    asked <<- what
    sites$post(i, what, arguments)
  }
  out$fetch <- function(i) {
    answer <- sites$fetch(i)
    if (i == who && asked == request) lie(answer) else answer
  }
  out
}

# As new_sites() asks for what is public.
hear <- function(sites) {
  new_sites("local", sites$names, sites$post, sites$fetch)
}

#' A field, or one within a field, put in the place of what a site said, by number.
mutant <- function(value, k) {
  odd <- list(NULL, NA, NaN, Inf, -Inf, -1, 0, 1e308, 0.5, c(1, 2), numeric(), "", "x y",
    "\u00e9\n", NA_character_, strrep("a", 1e5), character(), TRUE, list(), list(1, "a"),
    list(NULL), quote(stop("run")), function(...) stop("run"), factor("a"), Sys.Date(), raw(3), 1i,
    new.env(), matrix(1:4, 2), structure(1, class = "trap"), structure(1, names = "a"),
    structure(list(a = c(1, 2)), names = NA_character_),
    structure(list(1, 2), names = c("a", "a")),
    "\xff", rep("a", 3), as.list(1:1000), structure("a", class = "AsIs"), 3:1, c(2, 2))
  one <- odd[(k - 1L) %% length(odd) + 1L]
  place <- (k - 1L) %/% length(odd)
  fields <- names(value)
  field <- fields[place %% length(fields) + 1L]
  inner <- place %/% length(fields) > 0L && is.list(value[[field]]) && length(value[[field]]) > 0L
  if (inner) value[[field]][1L] <- one else value[field] <- one
  list(value = value, field = field)
}

expect_names_site <- function(error, k) {
  expect_s3_class(error, "dpadmm_error_site")
  expect_identical(error$place, "B", label = paste("place of", k))
  expect_type(error$argument, "character")
  expect_lt(nchar(conditionMessage(error)), 1500)
}

test_that("no public answer does anything else than it should, or name its site and field", {
  skip_unless_sites()
  print.trap <- format.trap <- as.character.trap <- function(x, ...) stop("trapped")
  sites <- sites_local(site_frames(), site_schema, epsilon = 100, delta = 1e-4, simulation = TRUE)
  taken <- 0L
  for (k in 1:400) {
    field <- NULL
    lying <- liar(sites, "public", function(answer) {
      changed <- mutant(answer$value, k)
      field <<- changed$field
      list(value = changed$value)
    })
    got <- tryCatch(hear(lying), error = identity)
    if (inherits(got, "error")) {
      expect_names_site(got, k)
      expect_identical(tolower(got$argument), tolower(field), label = paste("field of", k))
    } else { # it may be so: then all that is made of it works
      taken <- taken + 1L
      expect_s3_class(sites_public(got), "data.frame")
      expect_output(print(got))
      plan <- tryCatch(dpadmm_plan(ill ~ age, got, epsilon = 1, delta = 1e-4, iterations = 2),
        dpadmm_error = identity)
      expect_true(inherits(plan, c("dpadmm_plan", "dpadmm_error")), label = k)
    }
  }
  expect_lt(taken, 80)
  for (answer in list(1, "a", list(), list(value = 3), list(value = NULL), list(value = "a"),
    list(error = 1), list(error = "x", message = function() 1), list(error = quote(a), field = 1:9),
    list(error = "refused", message = c("a", "b"), field = "Data"), mean, new.env(), quote(a),
    list(value = data.frame(site = "B")), list(error = "x", message = strrep("y", 1e6)))) {
    got <- tryCatch(hear(liar(sites, "public", function(...) answer)), error = identity)
    expect_s3_class(got, "dpadmm_error_site")
    expect_identical(got$place, "B")
  }
})

test_that("nor does a report, or an answer to a plan", {
  skip_unless_sites()
  sites <- sites_local(site_frames(), site_schema, epsilon = 100, delta = 1e-4)
  plan <- dpadmm_plan(ill ~ age, sites, epsilon = 1, delta = 1e-4, iterations = 2)
  invisible(dpadmm_fit(plan, sites))
  changes <- function(request, k) {
    liar(sites, request, function(answer) list(value = mutant(answer$value, k)$value))
  }
  for (k in 1:100) {
    got <- tryCatch(ledger_report(changes("report", k), plan = plan), error = identity)
    if (inherits(got, "error")) expect_names_site(got, k) else expect_output(print(got))
    if (k > 60) next
    got <- tryCatch(dpadmm_fit(plan, changes("check", k)), error = identity)
    if (inherits(got, "error")) expect_names_site(got, k)
  }
  odd <- list(value = 3)
  fit <- NULL
  expect_warning(fit <- dpadmm_fit(plan, liar(sites, "step", function(...) odd)),
    class = "dpadmm_warning_site")
  expect_identical(unique(fit$sites$status), "out")
})
