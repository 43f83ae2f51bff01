# Records of Arrow and of duckdb.

test_that("record batches of Arrow are read alike", {
  skip_if_not_installed("arrow")
  file <- tempfile(fileext = ".parquet")
  on.exit(unlink(file))
  arrow::write_parquet(folk, file)
  expected <- dpadmm_fit(ill ~ age + ward, folk, ~site, schema = limits, epsilon = 2, seed = 5)
  for (source in list(file, arrow::open_dataset(file),
    arrow::as_record_batch_reader(arrow::arrow_table(folk)))) {
    records <- dpadmm_records(source, ill ~ age + ward, limits, ~site)
    expect_same_fit(dpadmm_fit(records, epsilon = 2, seed = 5), expected)
  }
})

test_that("a data base of another kind gives the same", {
  skip_if_not_installed("duckdb")
  base <- DBI::dbConnect(duckdb::duckdb())
  on.exit(DBI::dbDisconnect(base, shutdown = TRUE))
  DBI::dbWriteTable(base, "folk", folk)
  records <- dpadmm_records(base, ill ~ age + ward, limits, ~site, query = "SELECT * FROM folk",
    chunk = 60)
  expect_same_fit(short_fit(records), short_fit(ill ~ age + ward, folk, ~site, schema = limits))
})

test_that("a query's result in record batches gives the same", {
  skip_if_not_installed("duckdb")
  skip_if_not_installed("arrow")
  base <- DBI::dbConnect(duckdb::duckdb())
  on.exit(DBI::dbDisconnect(base, shutdown = TRUE))
  DBI::dbWriteTable(base, "folk", folk)
  result <- DBI::dbSendQuery(base, "SELECT * FROM folk", arrow = TRUE)
  records <- dpadmm_records(duckdb::duckdb_fetch_record_batch(result, 60), ill ~ age + ward, limits,
    ~site)
  expect_same_fit(short_fit(records), short_fit(ill ~ age + ward, folk, ~site, schema = limits))
})

test_that("files of a data set have the same columns, and what nobody asks for is not read", {
  skip_if_not_installed("arrow")
  folder <- tempfile()
  dir.create(folder)
  of_files <- function(...) {
    unlink(dir(folder, full.names = TRUE))
    for (k in seq_along(list(...))) {
      arrow::write_parquet(list(...)[[k]], file.path(folder, sprintf("%d.parquet", k)))
    }
    arrow::open_dataset(folder)
  }
  read <- function(source, ...) dpadmm_records(source, ill ~ age + ward, limits, ...)
  twice <- rbind(folk, folk)
  alike <- read(of_files(folk, transform(folk, spare = "x", site = NULL)))
  expect_same_fit(short_fit(alike, nodes = 4),
    short_fit(ill ~ age + ward, twice, 4, schema = limits))
  expect_identical(dim(read(of_files(folk, transform(folk, ward = factor(ward))))), c(800L, 5L))
  blame <- function(source, class, words) {
    for (na.action in c("fail", "omit")) {
      expect_error(read(source, na.action = na.action), words, class = class)
    }
  }
  blame(of_files(folk, folk[names(folk) != "age"]), "dpadmm_error_shape", "2.*no column `age`")
  blame(of_files(folk, transform(folk, age = age > 50)), "dpadmm_error_argument",
    "2.*another type of `age`")
  blame(of_files(folk["site"], folk["site"]), "dpadmm_error_shape", "no column `age`")
})

test_that("what Arrow cannot read of a chunk is an error that names it", {
  skip_if_not_installed("arrow")
  batches <- function(failing) {
    first <- arrow::record_batch(folk[1:50, ])
    k <- 0
    arrow::as_record_batch_reader(function() if ((k <<- k + 1) < 3) first else failing(first),
      schema = first$schema)
  }
  blame <- function(failing, words) {
    error <- expect_error(dpadmm_records(batches(failing), ill ~ age + ward, limits), words,
      class = "dpadmm_error_parse")
    expect_match(conditionMessage(error), "^Chunk 3, after row 100: ")
    expect_equal(error$place$chunk, 3)
  }
  blame(function(first) stop("the line is down"), "the line is down")
  zero <- arrow::Array$create(rep(list(as.raw(c(65, 0, 66))), 50), arrow::binary())
  blame(function(first) {
    first$ward <- zero$cast(arrow::utf8())
    first
  }, "nul")
})

test_that("a damaged file of Arrow is no file of records", {
  skip_if_not_installed("arrow")
  path <- tempfile(fileext = ".parquet")
  arrow::write_parquet(folk, path)
  bytes <- readBin(path, "raw", 1e6)
  for (damaged in list(bytes[1:200], rev(bytes), replace(bytes, 100:400, as.raw(255)))) {
    writeBin(damaged, path)
    expect_error(dpadmm_records(path, ill ~ age + ward, limits), class = "dpadmm_error_parse")
  }
  feather <- tempfile(fileext = ".feather")
  arrow::write_feather(folk, feather)
  for (source in list(feather, arrow::arrow_table(folk))) {
    expect_identical(dim(dpadmm_records(source, ill ~ age + ward, limits)), c(400L, 5L))
  }
})
