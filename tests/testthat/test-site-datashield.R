# Sites behind DataSHIELD, with DSLite: the calls as Opal reads them, the numbers as elsewhere,
# and what a server refuses.

skip_on_cran()

three <- list(north = patients(150, 1), south = patients(130, 2), east = patients(170, 3))

ask <- function(conn, text) DSI::dsFetch(DSI::dsAggregate(conn, text))

pooled <- function(frames) {
  list(data = do.call(rbind, unname(frames)), nodes = rep(names(frames), vapply(frames, nrow, 0L)))
}

test_that("a fit over DataSHIELD is that of one process to the last bit", {
  at <- hospitals(three, patient_columns(), simulation = TRUE, rounds = 50)
  sites <- sites_datashield(at$conns, at$data)
  expect_named(sites, names(at$conns))
  expect_identical(sites_public(sites)$site, names(three))
  local <- sites_local(three, patient_columns(), epsilon = 50, delta = 1e-5, simulation = TRUE)
  all <- pooled(three)
  hours <- ill ~ age + smoker + offset(log(t))
  cases <- list(
    list(ill ~ age + smoker, method = mr_admm()),
    list(ill ~ age + smoker, method = r_admm()),
    list(ill ~ age + bmi, method = pp_admm()),
    list(ill ~ age + smoker, method = fp_admm(unit = "record", noise = "block")),
    list(cost ~ age + smoker, method = mr_admm(), loss = dpadmm_loss("huber")),
    list(hours, method = mr_admm(), case_weights = ~w, weight_bound = 1)
  )
  for (case in cases) {
    plan <- do.call(dpadmm_plan, c(case[1L], list(sites, epsilon = 20, delta = 1e-5,
      iterations = 6), case[-1L]))
    fit <- dpadmm_fit(plan, sites, seed = 7)
    near <- dpadmm_fit(plan, local, seed = 7)
    here <- dpadmm_fit(plan, all$data, nodes = all$nodes, seed = 7)
    expect_identical(coef(fit, node = "all"), coef(near, node = "all"))
    expect_identical(coef(fit, node = "all"), coef(here, node = "all"))
    expect_true(all(is.finite(coef(fit))))
  }
})

# ---- calls -------------------------------------------------------------------------------

test_that("the parser knows Opal's grammar", {
  expect_identical(opal_parse("aDS('x', 1e-3, b(), y ~ a + c)"), list("call", "aDS", list(
    list("string", "x"), list("number", "1e-3"), list("call", "b", list()),
    list("formula", "y", c("a", "c"))
  )))
  wrong <- c("a('b c')", "a(\"b/c\")", "a('')", "a(b[1])", "a(1)b", "a('b\")", "{a}", "a(\"=\")")
  for (wrong in wrong) {
    expect_error(opal_parse(wrong), label = wrong)
  }
})

test_that("every call of a fit is one that Opal's parser lets through", {
  at <- hospitals(three[1:2], patient_columns())
  log <- new.env()
  sites <- sites_datashield(lapply(at$conns, spy, log = log), at$data, analyst = "ann.b+c-d_e")
  plan <- dpadmm_plan(ill ~ age + smoker, sites, epsilon = 2, delta = 1e-6, iterations = 4)
  fit <- dpadmm_fit(plan, sites)
  read <- lapply(log$calls, opal_parse)
  expect_identical(unique(vapply(read, `[[`, "", 1L)), "call")
  names <- vapply(read, `[[`, "", 2L)
  expect_identical(as.vector(table(names)[c("dpadmmPublicDS", "dpadmmCheckDS", "dpadmmOpenDS",
    "dpadmmStepDS", "dpadmmCloseDS")]), c(2L, 2L, 2L, 2L * length(plan$rule), 2L))
  arguments <- unlist(lapply(read, `[[`, 3L), recursive = FALSE)
  expect_true(all(vapply(arguments, `[[`, "", 1L) %in% c("string", "number")))
  expect_true(any(grepl("ann.b+c-d_e", log$calls, fixed = TRUE)))
  # and DSLite's own methods are those of the file
  methods <- read.dcf(system.file("DATASHIELD", package = "dpadmm"))
  expect_identical(colnames(methods), "AggregateMethods")
  expect_setequal(trimws(strsplit(methods, ",")[[1L]]), c(unique(names), "dpadmmReportDS",
    "dpadmmJoinDS"))
})

test_that("a call may have 65,000 numbers", {
  at <- hospitals(three[1:2], patient_columns())
  at$servers$north$aggregateMethod("echoDS", function(x) x)
  x <- sin(seq_len(65000))
  text <- dpadmm:::datashield_text("step", list(data = "icu.north", run = strrep("0", 32),
    round = 1e5, inbox = dpadmm:::doubles_to_wire(x)))
  expect_false(grepl("\n", text))
  parsed <- opal_parse(text)[[3L]]
  expect_identical(parsed[[3L]], list("number", "100000"))
  back <- ask(at$conns$at_north, sprintf("echoDS('%s')", parsed[[4L]][[2L]]))
  expect_identical(dpadmm:::doubles_from_wire(back, 65000), x)
})

test_that("a round costs what its messages hold and less than 500 bytes", {
  levels <- sprintf("l%03d", seq_len(994))
  wide <- lapply(three[1:2], function(x) {
    data.frame(x[c("age", "bmi", "cost", "ill")], unit = levels[seq_len(nrow(x))])
  })
  columns <- dpadmm_schema(age = c(18, 100), bmi = c(10, 50), cost = c(0, 100),
    ill = c("no", "yes"), unit = levels)
  at <- hospitals(wide, columns, simulation = TRUE)
  log <- new.env()
  sites <- sites_datashield(lapply(at$conns, spy, log = log), at$data)
  over <- function(formula) {
    plan <- dpadmm_plan(formula, sites, epsilon = 5, delta = 1e-5, iterations = 2)
    log$calls <- log$answers <- NULL
    dpadmm_fit(plan, sites, seed = 1)
    steps <- grepl("^dpadmmStepDS", log$calls)
    numbers <- 8 * plan$problem$d
    sent <- nchar(unlist(log$calls[steps])) - ceiling(numbers * 4 / 3)
    answers <- vapply(log$answers[steps], function(x) length(serialize(x, NULL)), 0L) - numbers
    c(d = plan$problem$d, most = max(sent + answers))
  }
  narrow <- over(ill ~ age + bmi + cost)
  broad <- over(ill ~ age + bmi + cost + unit)
  expect_gte(broad[["d"]], 990)
  expect_lt(max(narrow[["most"]], broad[["most"]]), 500)
})

# ---- what servers refuse -----------------------------------------------------------------

test_that("calls with anything but strings and numbers are refused as they stand", {
  at <- hospitals(three[1:2], patient_columns())
  conn <- at$conns$at_north
  assign("D", "icu.north", at$servers$north$getSession(conn@sid))
  for (argument in c("D", "dpadmmPublicDS('icu.north')", "a ~ b", "-1", "'icu.north'-'x'")) {
    answer <- ask(conn, sprintf("dpadmmPublicDS(%s)", argument))
    expect_identical(answer[c("error", "field")], list(error = "refused", field = "data"))
  }
  touched <- FALSE
  touch <- function() touched <<- TRUE
  expect_identical(dpadmmPublicDS(touch())$error, "refused")
  expect_identical(dpadmmStepDS("icu.north", touch(), 1, "B64:")$field, "run")
  expect_identical(dpadmmOpenDS("icu.north", "a", "b", "c", seed = touch())$field, "seed")
  expect_false(touched)
  expect_identical(dpadmmStepDS("icu.north")$field, "run")
  expect_identical(dpadmmPublicDS()$field, "data")
  wrong <- c("", "a b", "a\"b", "a'b", "a/b", "a\\b", "a=b", "[a]", "{a}", "a@b", "\u00e9", "a\n")
  for (text in wrong) {
    answer <- eval(call("dpadmmCloseDS", "icu.north", text))
    expect_identical(answer[c("error", "field")], list(error = "refused", field = "run"))
  }
  for (x in list(NA_character_, c("a", "b"), NULL, TRUE, NaN, list("a"), factor("a"))) {
    answer <- eval(call("dpadmmCloseDS", "icu.north", x))
    expect_identical(answer$error, "refused")
  }
  expect_error(ask(conn, "ls('x')"), "does not allow")
  expect_error(ask(conn, "site_answer('x')"), "does not allow")
})

test_that("a data set is found by its name alone", {
  at <- hospitals(three[1:2], patient_columns())
  writeLines(readLines(file.path(at$home, "icu.north.dcf")), file.path(at$home, ".north.dcf"))
  dir.create(file.path(at$home, "sub"))
  wrong <- c("icu", "ICU.north", "..", "../icu.north", "sub/../icu.north", ".north",
    "icu.north.dcf", strrep("a", 101))
  for (id in wrong) {
    answer <- eval(call("dpadmmPublicDS", id))
    expect_identical(answer$field, "data", label = id)
    expect_null(answer$value)
  }
  copy <- readLines(file.path(at$home, "icu.north.dcf"))
  bad <- function(lines) {
    writeLines(lines, file.path(at$home, "other.dcf"))
    answer <- dpadmmPublicDS("other")
    expect_identical(answer$error, "policy")
    expect_false(grepl(at$home, answer$message, fixed = TRUE))
    answer$field
  }
  expect_identical(bad(copy), "Data")
  copy <- sub("^Data: .*", "Data: other", copy)
  expect_identical(bad(copy), "Source") # the records of another data set: a second budget
  copy <- c("Shares-Records: no", copy)
  expect_identical(bad(sub("^Ledger: .*", "Ledger: ledger.sqlite", copy)), "Ledger")
  expect_identical(bad(sub("^Source: .*", "Source: north.csv", copy)), "Source")
  expect_identical(bad(sub("^Source: .*/", "Source: /nowhere/", copy)), "Source")
  expect_identical(bad(sub("^Epsilon: .*", "Epsilon: much", copy)), "Epsilon")
  expect_identical(bad("nothing"), "path")
  writeLines(copy, file.path(at$home, "other.dcf"))
  expect_identical(dpadmmPublicDS("other")$value$records, 150L)
  unlink(file.path(at$home, "other.dcf"))
  expect_identical(dpadmmPublicDS("other")$error, "refused")
})

test_that("a policy that changes is read again", {
  at <- hospitals(three[1:2], patient_columns(), rounds = 200)
  file <- file.path(at$home, "icu.north.dcf")
  expect_identical(dpadmmPublicDS("icu.north")$value$rounds, 200)
  time <- file.mtime(file)
  writeLines(sub("^Rounds: .*", "Rounds: 100", readLines(file)), file)
  Sys.setFileTime(file, time)
  expect_identical(dpadmmPublicDS("icu.north")$value$rounds, 200) # of the same size and time
  Sys.setFileTime(file, time + 10)
  expect_identical(dpadmmPublicDS("icu.north")$value$rounds, 100)
  sites <- sites_datashield(at$conns, at$data)
  plan <- dpadmm_plan(ill ~ age, sites, epsilon = 2, delta = 1e-6, iterations = 101)
  expect_blame(dpadmm_fit(plan, sites), "site", "iterations", "100", place = "at_north")
})

test_that("options and objects of a session change nothing", {
  at <- hospitals(three[1:2], patient_columns(), simulation = TRUE)
  sites <- sites_datashield(at$conns, at$data)
  plan <- dpadmm_plan(cost ~ age + smoker, sites, epsilon = 5, delta = 1e-5, iterations = 3)
  before <- coef(dpadmm_fit(plan, sites, seed = 1), node = "all")
  rm(list = ls(dpadmm:::.registry, all.names = TRUE), envir = dpadmm:::.registry)
  session <- at$servers$north$getSession(at$conns$at_north@sid)
  for (name in c("data", "run", "site_answer", "answer_call", "refuse", "icu.north", "c", "T")) {
    assign(name, function(...) stop("mine"), session)
  }
  old <- options(digits = 3, scipen = 20, OutDec = ",", warn = 2,
    na.action = "na.fail", contrasts = c("contr.sum", "contr.poly"), datashield.seed = 1,
    DPADMM_POLICIES = tempdir(), dpadmm.policies = tempdir(), keep.source = TRUE)
  on.exit(options(old), add = TRUE)
  expect_identical(coef(dpadmm_fit(plan, sites, seed = 1), node = "all"), before)
})

# ---- the analyst's side ------------------------------------------------------------------

test_that("a plan is made and fitted, charged, and reported by the sites", {
  at <- hospitals(three, patient_columns(), epsilon = 1.1)
  sites <- sites_datashield(at$conns, at$data, analyst = "ann")
  plan <- dpadmm_plan(ill ~ age + smoker, sites, epsilon = 1, delta = 1e-5)
  fit <- dpadmm_fit(plan, sites)
  expect_s3_class(fit, "dpadmm_fit")
  expect_null(fit$sites)
  expect_equal(privacy(fit)$epsilon, rep(1, length(privacy(fit)$epsilon)), tolerance = 0.01)
  report <- dpadmmReportDS("icu.east")$value
  expect_identical(report$site, "east")
  expect_identical(report$charges$analyst, "ann")
  # nothing is left for another, at nobody
  error <- expect_error(dpadmm_fit(plan, sites), "is left", class = "dpadmm_error_site")
  expect_identical(error[c("argument", "place")], list(argument = "ledger", place = "at_north"))
  expect_identical(nrow(dpadmmReportDS("icu.south")$value$charges), 1L)
  # a seed is for simulations
  expect_blame(dpadmm_fit(plan, sites, seed = 1), "site", "seed", place = "at_north")
})

test_that("errors name the site and the field", {
  at <- hospitals(three[1:2], patient_columns())
  expect_blame(sites_datashield(at$conns, "nowhere"), "site", "data", place = "at_north")
  expect_blame(sites_datashield(at$conns, c(at_north = "icu.north", at_south = "nowhere")),
    "site", "data", place = "at_south")
  expect_blame(sites_datashield(at$conns, "icu.north"), "site", "Site", place = "at_south")
  expect_blame(sites_datashield(1, "icu.north"), "argument", "conns")
  expect_blame(sites_datashield(at$conns[c(1, 1)], "icu.north"), "argument", "conns",
    place = "at_north")
  wrong <- list("a/b", "..", NA_character_, 1, c("icu.north", "icu.south"), list("a"))
  for (data in wrong) {
    expect_blame(sites_datashield(at$conns, data), "argument", "data")
  }
  expect_blame(sites_datashield(at$conns, at$data, analyst = "a@b"), "argument", "analyst")
  sites <- sites_datashield(at$conns, at$data)
  short <- dpadmm_plan(ill ~ age, patient_columns(), sizes = c(north = 10, south = 130),
    na.action = "omit", epsilon = 1, delta = 1e-5)
  error <- expect_error(dpadmm_fit(short, sites), class = "dpadmm_error_site")
  expect_identical(error[c("argument", "place")], list(argument = "sizes", place = "at_north"))
  # a server that has not the package
  at$servers$south$aggregateMethods(data.frame(name = "x", value = "x", package = "x",
    version = "1", type = "aggregate", class = "function"))
  error <- expect_error(sites_datashield(at$conns, at$data), class = "dpadmm_error_site")
  expect_identical(error$place, "at_south")
  expect_match(conditionMessage(error), "does not allow")
})

test_that("a site that is late, lost or lies does not stop the others", {
  at <- hospitals(three, patient_columns(), simulation = TRUE)
  real <- function(call, inner) DSI::dsFetch(DSI::dsAggregate(inner, call))
  run <- function(behave, deadline = 5) {
    conns <- at$conns
    conns$at_south <- spy(conns$at_south, behave = behave)
    sites <- sites_datashield(conns, at$data, deadline = deadline)
    plan <- dpadmm_plan(ill ~ age, sites, epsilon = 5, delta = 1e-5, iterations = 5)
    dpadmm_fit(plan, sites, seed = 1)
  }
  round <- function(call) {
    if (grepl("StepDS", call)) as.double(opal_parse(call)[[3L]][[3L]][[2L]]) else 0
  }
  at_third <- function(answer) function(call, inner) {
    if (round(call) == 3) return(answer)
    value <- real(call, inner)
    function() value
  }
  asked <- 0
  late <- function(call, inner) {
    value <- real(call, inner)
    function() {
      if (round(call) == 3 && (asked <<- asked + 1) == 1) Sys.sleep(0.3)
      if (round(call) != 3 || asked > 1) value
    }
  }
  fit <- run(late, deadline = 0.2)
  expect_identical(fit$sites, data.frame(round = 3L, site = "at_south", status = "late"))
  expect_warning(fit <- run(at_third(function() stop("no route"))), class = "dpadmm_warning_site")
  expect_identical(unique(fit$sites$status), "lost")
  expect_identical(fit$sites$round, 3:5)
  lies <- list(none = FALSE, text = "hello",
    refusal = list(error = "refused", message = "no"),
    short = list(value = list(values = 1, sent = TRUE)),
    large = list(value = list(values = c(1, 1e300), sent = TRUE)))
  for (lie in lies) {
    expect_warning(fit <- run(at_third(function() lie)), class = "dpadmm_warning_site")
    expect_identical(unique(fit$sites$status), "out")
    expect_true(all(is.finite(coef(fit))))
  }
})
