# A hub that is hostile, as a server of DataSHIELD sees it: workspaces rolled back, records of its
# own in the session, tokens of other sites, texts of plans that it edits. See
# test-site-refusals.R and, of secure sums, test-site-sums.R.

skip_on_cran()

two_wards <- list(north = patients(150, 1), south = patients(130, 2))

#' What an analyst may say to the server `north`, and a run of a plan there.
ward_hub <- function(..., frame = parent.frame()) {
  at <- hospitals(two_wards, patient_columns(), ..., frame = frame)
  sites <- sites_datashield(at$conns, at$data)
  plan <- dpadmm_plan(ill ~ age + smoker, sites, epsilon = 2, delta = 1e-5, iterations = 4)
  run <- strrep("0123456789abcdef", 2)
  say <- function(request, ..., conn = "at_north") {
    text <- dpadmm:::datashield_text(request, list(data = at$data[[conn]], run = run, ...))
    DSI::dsFetch(DSI::dsAggregate(at$conns[[conn]], text))
  }
  recipe <- text_to_wire(plan_recipe(plan))
  list(
    at = at, plan = plan, say = say, conn = at$conns$at_north,
    session = at$servers$north$getSession(at$conns$at_north@sid),
    open = function(...) say("open", recipe = recipe, analyst = "me", ...),
    step = function(round, value = 0, ...) {
      say("step", round = round, inbox = doubles_to_wire(rep(value, plan$problem$d)), ...)
    },
    charges = function() nrow(dpadmmReportDS("icu.north")$value$charges)
  )
}

test_that("a workspace that is rolled back changes nothing, whichever process answers", {
  hub <- ward_hub()
  expect_null(hub$open()$error)
  hub$step(1)
  DSI::dsSaveWorkspace(hub$conn, "before")
  second <- hub$step(2, 0.5)
  for (restart in c(FALSE, TRUE)) {
    DSI::dsRestoreWorkspace(hub$conn, "before")
    known <- dpadmm:::.registry
    if (restart) rm(list = ls(known, all.names = TRUE), envir = known)
    expect_site_refuses(hub$step(1), "round")
    expect_site_refuses(hub$step(2, 0.7), "inbox")
    expect_identical(hub$step(2, 0.5), second)
    expect_null(hub$open()$error) # the same run
    expect_identical(hub$charges(), 1L)
  }
  expect_null(hub$step(3)$error)
})

test_that("records that a session repeats, or renames, are not the site's", {
  before <- ward_hub(simulation = TRUE)
  before$open(seed = 3)
  honest <- before$step(1)
  hub <- ward_hub(simulation = TRUE)
  repeated <- two_wards$north[rep(1, 150), ]
  for (name in c("D", "data", "icu.north", "icu", "site", "policy")) {
    assign(name, repeated, hub$session)
  }
  expect_identical(hub$step(1)$field, "run")
  hub$open(seed = 3)
  expect_identical(hub$step(1), honest)
  # by another name there is no data set, and a copy of the session is none
  renamed <- function(name) {
    DSI::dsFetch(DSI::dsAggregate(hub$conn, sprintf("dpadmmPublicDS('%s')", name)))
  }
  for (name in c("D", "data", "icu", "ICU.north", "icu.north.")) {
    expect_site_refuses(renamed(name), "data")
  }
})

test_that("a run of one site is none at another", {
  hub <- ward_hub()
  hub$open()
  for (request in list(hub$step(1, conn = "at_south"), hub$say("join", keys = "B64:",
    conn = "at_south"))) {
    expect_site_refuses(request, "run")
  }
  hub$say("close", conn = "at_south")
  expect_null(hub$step(1)$error) # and is not closed from there
})

# ---- texts of plans ------------------------------------------------------------------------

#' A plan whose text says what it likes.
edited <- function(plan, ...) {
  said <- list(...)
  plan$asked[names(said)] <- said
  text_to_wire(plan_recipe(plan))
}

noise_plan <- function(sigma = 4, iterations = 4) {
  dpadmm_plan(ill ~ age + smoker, site_schema, c(A = 300, B = 200), method = admm(1, "primal"),
    noise = gaussian_noise(sigma), delta = 1e-4, iterations = iterations, na.action = "omit",
    seed = 1)
}

test_that("less noise and more rounds cost what they are, whatever a text says of them", {
  skip_unless_sites()
  plan <- noise_plan()
  cost <- function(recipe, epsilon = 1e4) {
    it <- one_site(site_policy("A", site_schema, epsilon, 1e-4), site_frames()$A, plan)
    answer <- it$open(recipe = recipe)
    charges <- site_report(it$site$it)$charges
    if (is.null(answer$error)) charges$cost else answer
  }
  honest <- cost(edited(plan))
  # Gaussian noise: as the square of what it moves over its size
  expect_equal(cost(edited(plan, noise = gaussian_noise(1))), 16 * honest, tolerance = 1e-6)
  expect_equal(cost(edited(plan, iterations = 12)), 3 * honest, tolerance = 1e-6)
  said <- list(epsilon = 1e-3, scales = list(objective = 1e9), events = list(), private = TRUE,
    budget = list(epsilon = 1e-3), per_person = 0.5, control = list(accountant = "none"))
  for (name in names(said)) {
    answer <- cost(do.call(edited, c(list(plan), said[name])))
    expect_true(answer$error %in% c("plan", "argument"), label = name)
  }
  answer <- cost(edited(plan, noise = gaussian_noise(1e-3)), epsilon = 1)
  expect_site_refuses(answer, "ledger", "budget")
  # and after the run was opened there is no other text
  it <- one_site(site_policy("A", site_schema, 1e4, 1e-4), site_frames()$A, plan)
  expect_null(it$open()$error)
  for (other in list(edited(plan, noise = gaussian_noise(1)), edited(plan, iterations = 12))) {
    expect_site_refuses(it$open(recipe = other), "plan")
  }
  expect_site_refuses(it$step(5), "round")
  expect_identical(nrow(site_report(it$site$it)$charges), 1L)
})

test_that("of a secure sum neither more attempts nor fewer colluders come in later", {
  skip_unless_sums()
  hub <- sum_hub()
  expect_site_refuses(hub$join("A", list()), "run") # not open
  begin_sum(hub)
  reopened <- function(...) {
    other <- edited(hub$plan, aggregation = secure_sum(...))
    hub$ask("A", "open", recipe = other, analyst = "me")
  }
  expect_site_refuses(reopened(failures = 9), "plan")
  expect_site_refuses(reopened(failures = 1), "plan")
  expect_site_refuses(reopened(failures = 2, honest = 3), "honest")
  expect_null(hub$step("A", 1, 2)$error)
  expect_site_refuses(hub$step("A", 1, 3), "attempt")
  expect_null(hub$ask("A", "close")$error)
  expect_site_refuses(hub$join("A", list()), "run")
  expect_identical(hub$charges()[["A"]], 1L)
})

test_that("bytes have one text, and what is another is none", {
  for (n in 0:9) {
    bytes <- as.raw((seq_len(n) * 83) %% 256)
    text <- to_wire(bytes)
    plain <- gsub("[\n=]", "", jsonlite::base64_enc(bytes))
    expect_identical(text, paste0("B64:", chartr("+/", "-_", plain)))
    expect_identical(from_wire(text), bytes)
    expect_true(is_on_wire(text))
  }
  expect_identical(from_wire("B64:_-8"), as.raw(c(255, 239)))
  wrong <- list("", "B64", "b64:AAAA", "B64:A", "B64:AB", "B64:AAB", "B64:AA==", "B64:A+A/",
    "B64:AAAA ", " B64:AAAA", "B64:AA\nAA", "B64:A\u00e9A", NA_character_, c("B64:", "B64:"),
    character(), NULL, 1, as.raw(1), quote(x), list("B64:"))
  for (x in wrong) expect_null(from_wire(x))
  for (x in list("", "a b", "a\"", "a/b", "a=b", "\u00e9", "a\n", NA_character_, c("a", "b"),
    character(), NULL, 1, quote(x), list("a"))) {
    expect_false(is_on_wire(x))
  }
  all <- c(letters, LETTERS, 0:9, strsplit("_.+-;:,$", "")[[1]])
  expect_true(is_on_wire(paste(all, collapse = "")))
  ascii <- vapply(1:127, function(k) is_on_wire(rawToChar(as.raw(k))), NA)
  expect_setequal(strsplit(rawToChar(as.raw(which(ascii))), "")[[1]], all)
})
