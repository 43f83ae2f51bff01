# Secure sums of sites behind DataSHIELD, with DSLite: the calls as Opal reads them, what a round
# costs, and what servers refuse.

skip_on_cran()

sum_hospitals <- list(north = patients(150, 1), south = patients(130, 2), east = patients(170, 3))

test_that("a secure sum over DataSHIELD is that of one process, in calls that Opal reads", {
  skip_unless_sums()
  at <- hospitals(sum_hospitals, patient_columns(), simulation = TRUE,
    known = known_sites(names(sum_hospitals)))
  log <- new.env()
  sites <- sites_datashield(lapply(at$conns, spy, log = log), at$data)
  plan <- dpadmm_plan(ill ~ age + smoker, sites, epsilon = 20, delta = 1e-5, iterations = 5,
    method = acc_admm(), aggregation = "secure")
  fit <- dpadmm_fit(plan, sites, seed = 7)
  data <- do.call(rbind, unname(sum_hospitals))
  here <- dpadmm_fit(plan, data, nodes = rep(names(sum_hospitals), c(150, 130, 170)), seed = 7)
  expect_identical(coef(fit), coef(here))
  read <- lapply(log$calls, opal_parse)
  names <- vapply(read, `[[`, "", 2L)
  expect_identical(as.vector(table(names)[c("dpadmmJoinDS", "dpadmmStepDS")]), c(3L, 15L))
  arguments <- unlist(lapply(read, `[[`, 3L), recursive = FALSE)
  expect_true(all(vapply(arguments, `[[`, "", 1L) %in% c("string", "number")))
  methods <- trimws(strsplit(read.dcf(system.file("DATASHIELD", package = "dpadmm")), ",")[[1L]])
  expect_true(all(names %in% methods))
})

test_that("a round of a secure sum costs 8 bytes a number and less than 500", {
  skip_unless_sums()
  levels <- sprintf("l%03d", seq_len(994))
  wide <- lapply(sum_hospitals, function(x) {
    data.frame(x[c("age", "ill")], unit = levels[seq_len(nrow(x))])
  })
  columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"), unit = levels)
  at <- hospitals(wide, columns, simulation = TRUE, known = known_sites(names(wide)))
  log <- new.env()
  sites <- sites_datashield(lapply(at$conns, spy, log = log), at$data)
  over <- function(formula) {
    plan <- dpadmm_plan(formula, sites, epsilon = 5, delta = 1e-5, iterations = 2,
      method = grad_admm(), aggregation = "secure")
    log$calls <- log$answers <- NULL
    dpadmm_fit(plan, sites, seed = 1)
    steps <- grepl("^dpadmmStepDS", log$calls)
    numbers <- 8 * plan$problem$d
    asked <- nchar(unlist(log$calls[steps])) - ceiling(numbers * 4 / 3) # base64
    answers <- vapply(log$answers[steps], function(x) length(serialize(x, NULL)), 0L) - numbers
    c(d = plan$problem$d, most = max(asked + answers))
  }
  narrow <- over(ill ~ age)
  broad <- over(ill ~ age + unit)
  expect_gte(broad[["d"]], 990)
  expect_lt(max(narrow[["most"]], broad[["most"]]), 500)
})

test_that("an identity that others may read, and a peer's key that is another, are told by field", {
  skip_unless_sums()
  skip_on_os("windows")
  known <- known_sites(names(sum_hospitals))
  at <- hospitals(sum_hospitals, patient_columns(), known = known)
  said <- dpadmmPublicDS("icu.north")
  expect_null(said$error)
  file <- file.path(at$home, "icu.north.dcf")
  again <- function(lines) {
    writeLines(lines, file)
    Sys.setFileTime(file, file.mtime(file) + 10) # it has changed
    answer <- dpadmmPublicDS("icu.north")
    expect_identical(answer$error, "policy")
    expect_false(grepl(dirname(known$file[["north"]]), answer$message, fixed = TRUE))
    answer$field
  }
  lines <- readLines(file)
  swapped <- sub(known$peers[["north"]], strrep("0", 64), lines)
  expect_identical(again(swapped), "Peers")
  expect_identical(again(sub("^Identity: .*", "Identity: /nowhere/north.key", lines)), "Identity")
  Sys.chmod(known$file[["north"]], "0640")
  expect_identical(again(lines), "Identity")
})

test_that("arguments of joins are literals of the wire", {
  touched <- FALSE
  touch <- function() touched <<- TRUE
  expect_identical(dpadmmJoinDS("icu.north", "a", touch())$field, "keys")
  expect_identical(dpadmmJoinDS("icu.north", touch(), "B64:")$field, "run")
  expect_identical(dpadmmJoinDS("icu.north")$field, "run")
  expect_identical(dpadmmStepDS("icu.north", "a", 1, "B64:", attempt = touch())$field, "attempt")
  expect_false(touched)
})
