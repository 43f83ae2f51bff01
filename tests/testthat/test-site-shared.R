# Two names for one table would be two budgets.

test_that("policies of one directory that read the same records are an error, unless stated", {
  skip_unless_sites()
  home <- tempfile("policies")
  dir.create(home)
  csv <- file.path(home, "icu.csv")
  write.csv(site_frames()$A, csv, row.names = FALSE)
  db <- file.path(home, "icu.db")
  con <- DBI::dbConnect(RSQLite::SQLite(), db)
  for (table in c("icu", "ward")) DBI::dbWriteTable(con, table, site_frames()$A)
  DBI::dbDisconnect(con)
  write <- function(name, source, ...) {
    path <- file.path(home, paste0(name, ".dcf"))
    site_policy_file(path, data = name, schema = site_schema, epsilon = 1, source = source,
      ledger = file.path(home, paste0(name, ".sqlite")), ...)
    path
  }
  base <- paste0("RSQLite dbname=", db)
  one <- write("one", csv)
  expect_s3_class(dpadmm_site(one), "dpadmm_site")
  two <- write("two", file.path(home, ".", "icu.csv")) # the same file
  for (path in c(one, two)) {
    error <- expect_error(dpadmm_site(path), class = "dpadmm_error_policy")
    expect_identical(error$argument, "Source")
    expect_match(conditionMessage(error), if (path == one) "two" else "one")
  }
  two <- write("two", csv, shares_records = FALSE)
  expect_false(site_policy_file(two)$shares_records)
  for (path in c(one, two)) expect_s3_class(dpadmm_site(path), "dpadmm_site")
  three <- write("three", base, query = "SELECT * FROM icu")
  four <- write("four", base, query = "select age, smoker, ill from \"ward\" w")
  for (path in c(three, four)) expect_s3_class(dpadmm_site(path), "dpadmm_site")
  four <- write("four", base, query = "select * from ward w join ICU on w.age = icu.age")
  for (path in c(three, four)) expect_error(dpadmm_site(path), class = "dpadmm_error_policy")
  # an analyst is told the field, and no path
  old <- Sys.getenv("DPADMM_POLICIES", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("DPADMM_POLICIES") else Sys.setenv(DPADMM_POLICIES = old))
  Sys.setenv(DPADMM_POLICIES = normalizePath(home))
  answer <- dpadmmPublicDS("three")
  expect_identical(answer[c("error", "field")], list(error = "policy", field = "Source"))
  expect_false(grepl(home, answer$message, fixed = TRUE))
  writeLines("broken", four) # answers nothing, and is nobody's budget
  expect_s3_class(dpadmm_site(three), "dpadmm_site")
})
