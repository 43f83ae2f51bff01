# Sites for tests: records of nobody's, and what a hub says to a site.

site_schema <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"), ill = c("no", "yes"))

site_patients <- function(n, seed) {
  u <- function(k) (sin(seq_len(n) * k + seed) + 1) / 2 # no random number
  age <- round(20 + 70 * u(1.7))
  data.frame(
    age = age, smoker = ifelse(u(2.3) > 0.5, "yes", "no"),
    ill = ifelse(age / 90 + 0.4 * (u(5.1) - 0.5) > 0.6, "yes", "no")
  )
}

site_frames <- function(sizes = c(A = 300, B = 200, C = 120)) {
  Map(site_patients, sizes, seq_along(sizes))
}

skip_unless_sites <- function() {
  for (package in c("DBI", "RSQLite", "digest", "jsonlite")) skip_if_not_installed(package)
}

# One site as a hub sees it: ask(request, ...) answers as site_answer() does.
one_site <- function(policy, data, plan, run = strrep("0123456789abcdef", 2)) {
  site <- dpadmm_site(policy, data)
  recipe <- text_to_wire(plan_recipe(plan))
  list(
    site = site, recipe = recipe, run = run,
    ask = function(request, ...) site_answer(site, request, list(...)),
    open = function(...) {
      given <- utils::modifyList(list(run = run, recipe = recipe, analyst = "me"), list(...))
      site_answer(site, "open", given)
    },
    step = function(round, inbox = numeric(plan$problem$d), as = doubles_to_wire(inbox)) {
      site_answer(site, "step", list(run = run, round = round, inbox = as))
    }
  )
}

expect_site_refuses <- function(answer, field, error = "refused") {
  expect_identical(answer$error, error)
  expect_identical(answer$field, field)
  expect_null(answer$value)
}

pooled_frames <- function(frames) {
  size <- vapply(frames, nrow, 0L)
  cbind(do.call(rbind, unname(frames)), hospital = rep(names(frames), size))
}
