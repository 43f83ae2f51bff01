# Policy files as people write them.

policy_text <- function() {
  c("Data: icu", "Source: /srv/icu.csv", "Ledger: /srv/icu.sqlite", "Epsilon: 4", "Delta: 1e-06",
    "Columns:", "  age: 18 to 100; missing 50", "  ill: no | yes")
}

policy_file <- function(lines, eol = "\n", first = raw()) {
  file <- tempfile(fileext = ".dcf")
  writeBin(c(first, charToRaw(paste0(lines, eol, collapse = ""))), file)
  file
}

expect_wrong <- function(lines, field, words, read = site_policy_file) {
  file <- policy_file(lines)
  error <- expect_error(read(file), words, class = "dpadmm_error_policy")
  expect_identical(error$argument, field)
  expect_identical(error$place, file)
}

test_that("line ends, marks, comments and empty lines do not matter", {
  plain <- policy_text()
  policy <- site_policy_file(policy_file(plain))
  same <- function(...) expect_identical(site_policy_file(policy_file(...)), policy)
  same(plain, "\r\n")
  same(plain, first = as.raw(c(0xef, 0xbb, 0xbf)))
  same(sub("^  ", "\t", plain))
  same(append(plain, c("# the budget: of 2026", "", " "), 3))
  same(c("", "#", plain, ""))
  expect_identical(names(site_policy_file(policy_file(sub("ill", "\u00fcbel", plain)))$schema),
    c("age", "\u00fcbel"))
})

test_that("a field is there once, and a line is a field", {
  expect_wrong(append(policy_text(), "Epsilon: 40", 4), "Epsilon", "twice")
  expect_wrong(append(policy_text(), "Epsilon 40", 4), "path", "line 5 is no field")
  expect_wrong(c("  age: 1 to 2", policy_text()), "path", "line 1 is no field")
  expect_wrong("", "path", "line 1 is no field")
})

test_that("what is wrong with a column is an error of the policy", {
  column <- function(line, words) {
    expect_wrong(c(policy_text()[1:6], line, policy_text()[8]), "Columns", words)
  }
  column("  age: 100 to 18", "must increase")
  column("  age: 18 to Inf", "finite")
  column("  age: 18 to 100; missing 500", "from 18 to 100")
  column("  data: 5 to 5", "must increase")
  column("  ward: a | a", "different")
  column("  impute: 0 to 1", "cannot have")
  expect_wrong(policy_text()[1:6], "Columns", "named")
})

test_that("a site needs absolute paths", {
  for (field in c("Source", "Ledger")) {
    lines <- policy_text()
    at <- startsWith(lines, field)
    for (path in c("icu.csv", "./icu.csv", "~/icu.csv")) {
      lines[at] <- paste0(field, ": ", path)
      expect_wrong(lines, field, "absolute path", dpadmm_site)
    }
  }
})

test_that("a file says what was to be written, or is not written", {
  write <- function(...) {
    file <- tempfile(fileext = ".dcf")
    arguments <- list(path = file, data = "icu", epsilon = 2 / 3, source = "/srv/icu.csv",
      ledger = "/srv/icu.sqlite")
    written <- do.call(site_policy_file, utils::modifyList(arguments, list(...)))
    expect_identical(site_policy_file(file), written)
  }
  write(schema = dpadmm_schema(x = c(-1 / 3, 0.1 + 0.2), ill = c("n\u00f6, never", "a: b; c")))
  for (odd in c("a|b", " a", "b; missing a")) {
    schema <- dpadmm_schema(ill = c("a", odd))
    expect_error(write(schema = schema), "cannot be written", class = "dpadmm_error_argument")
  }
})
