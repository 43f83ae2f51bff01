# What a site reads: each record for itself, whatever the others say.

csv_site <- function(lines, schema, ...) {
  file <- tempfile(fileext = ".csv")
  writeLines(lines, file, useBytes = TRUE)
  dpadmm_site(site_policy("icu", schema, epsilon = 1, source = file, ...))$it
}

test_that("no cell of a CSV file changes how another is read", {
  skip_unless_sites()
  schema <- dpadmm_schema(ward = c("01", "02"), dead = c("T", "F"), dose = c(0, 9),
    stage = c("1", "2"), ill = c("FALSE", "TRUE"))
  read <- function(...) csv_site(c("ward,dead,dose,stage,ill", ...), schema)$data
  rest <- c("01,T,T,1.0,F", "02,F,4,02,TRUE", "1,F,0x5,2,true")
  alike <- read(rest, "01,T,1,1,F")
  expect_identical(alike$ward, c("01", "02", NA, "01"))
  expect_identical(alike$dead, c("T", "F", "F", "T"))
  expect_identical(alike$dose, c(1, 4, 5, 1))
  expect_identical(alike$stage, c("1", "2", "2", "1"))
  expect_identical(alike$ill, c("FALSE", "TRUE", "TRUE", "FALSE"))
  for (other in c("x,x,x,x,x", ",,,,", "NA,NA,NA,NA,NA", "1e9,1e9,1e9,1e9,1e9", "T,T,T,T,T")) {
    expect_identical(read(rest, other)[1:3, ], alike[1:3, ])
  }
})

test_that("a line with a cell too many moves no other, and a mark before the names is none", {
  skip_unless_sites()
  lines <- c("age,ill", "20,no", "30,yes", "40,no")
  schema <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
  for (odd in c("30,yes,1", "30", "30,\"yes")) {
    expect_error(csv_site(sub("30,yes", odd, lines), schema), "cannot be read",
      class = "dpadmm_error_site")
  }
  expect_identical(csv_site(sub("30,yes", "30,yes,", lines), schema)$data,
    csv_site(lines, schema)$data)
  marked <- csv_site(c("\ufeffage,ill", lines[-1L]), schema)
  expect_identical(marked$data, csv_site(lines, schema)$data)
})

test_that("a column is a vector, and a file that is not there is said", {
  skip_unless_sites()
  records <- site_patients(9, 1)
  for (odd in list(I(c(list(1:2), 2:9)), matrix(1:18, 9))) {
    records$age <- odd
    error <- expect_error(dpadmm_site(site_policy("icu", site_schema, 1), records),
      class = "dpadmm_error_policy")
    expect_identical(error[c("argument", "place")], list(argument = "Columns", place = "age"))
  }
  lost <- site_policy("icu", site_schema, 1, source = "/no/such.csv")
  error <- expect_error(dpadmm_site(lost), "icu.*no file /no/such.csv", class = "dpadmm_error_site")
  expect_identical(error$argument, "source")
})

test_that("a column of a data base with values of several types is refused, if it is read", {
  skip_unless_sites()
  skip_if_not_installed("RSQLite")
  db <- tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), db)
  on.exit(DBI::dbDisconnect(con))
  DBI::dbExecute(con, "create table icu (age, ill, note)")
  DBI::dbExecute(con, "insert into icu values (20.5, 'no', 1), (30, 'yes', 2), ('x', 'no', 'y')")
  schema <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
  site <- function(query) {
    dpadmm_site(site_policy("icu", schema, epsilon = 1, source = paste0("RSQLite dbname=", db),
      query = query))
  }
  expect_error(site("select age, ill from icu"), "cannot be read: Column `age`: mixed type",
    class = "dpadmm_error_site")
  expect_identical(site("select age, ill, note from icu where age <> 'x'")$it$data$age, c(20.5, 30))
  # a column that no policy names
  all <- site("select 20.0 as age, ill, note from icu")$it$data
  expect_identical(all$age, rep(20, 3))
})

test_that("a number of another record does not change how a level is read", {
  skip_unless_sites()
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  schema <- dpadmm_schema(ward = c("100000", "2e+05", "0.3"))
  # RSQLite makes a column one of doubles, or of integer64, where one number is none of 32 bits
  for (other in c("100000", "1.5", "3000000000", "null")) {
    data <- DBI::dbGetQuery(con, sprintf(
      "select 100000 as ward union all select 200000 union all select %s", other))
    expect_identical(site_columns(data, schema)$ward[1:2], c("100000", "2e+05"))
  }
  expect_identical(site_columns(data.frame(ward = c(0.1 + 0.2, NA, 7)), schema)$ward,
    c("0.3", NA, NA))
})
