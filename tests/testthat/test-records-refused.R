# What is wrong with a chunk or a file of records is said, and leaves nothing behind.

skip_on_cran()

test_that("what is wrong with a chunk is said by chunk, row and column", {
  at <- function(error, column, row = 70) {
    expect_identical(error$place$chunk, 2)
    expect_identical(error$place$column, column)
    expect_equal(error$place$row, row)
    expect_match(conditionMessage(error), "^Chunk 2")
    expect_match(conditionMessage(error), column, fixed = TRUE)
    expect_match(conditionMessage(error), sprintf("row %d", row), fixed = TRUE)
  }
  at(refused(spoilt("age", NA), class = "dpadmm_error_missing"), "age")
  at(refused(spoilt("age", Inf), class = "dpadmm_error_finite"), "age")
  at(refused(spoilt("ward", "z"), class = "dpadmm_error_level"), "ward")
  at(refused(spoilt("age", "forty"), class = "dpadmm_error_parse"), "age")
  at(refused(spoilt("outcome", "perhaps"), outcome ~ age, "dpadmm_error_labels"), "outcome")
  at(refused(spoilt("site", NA), class = "dpadmm_error_missing", nodes = ~site), "site")
  at(refused(spoilt("age", NULL, 1:2), class = "dpadmm_error_shape"), "age", 51)
  at(refused(spoilt("ill", 1, 1:2), class = "dpadmm_error_argument"), "ill", 51)
  at(refused(spoilt("site", 1, 1:2), class = "dpadmm_error_argument", nodes = ~site), "site", 51)
  k <- 0
  lists <- function(reset) if (reset) k <<- 0 else if ((k <<- k + 1) == 1) folk[1:9, ] else 1:3
  expect_match(conditionMessage(refused(lists, class = "dpadmm_error_argument")), "^Chunk 2")
  broken <- function(reset) if (!reset) stop("the line is down")
  expect_match(conditionMessage(refused(broken, class = "dpadmm_error_argument")),
    "the line is down")
  breaks <- function(reset) {
    if (reset) k <<- 0 else if ((k <<- k + 1) == 1) folk[1:9, ] else broken(FALSE)
  }
  expect_match(conditionMessage(refused(breaks, class = "dpadmm_error_argument")),
    "^Chunk 2, after row 9: the line is down")
  refused(function(reset) NULL, class = "dpadmm_error_shape")
  refused(in_chunks(folk, 1), ill ~ I(age > mean(age)), "dpadmm_error_argument")
  wide <- c(limits, dpadmm_schema(`scaled(age)` = c(-3, 3)))
  assign("scaled", function(x) x - mean(x), globalenv())
  on.exit(rm("scaled", envir = globalenv()))
  expect_error(dpadmm_records(in_chunks(folk, 1), ill ~ scaled(age), wide),
    class = "dpadmm_error_formula")
})

test_that("a cell that is no number is said by its row, and so is a line of other length", {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  lines <- function(lines) writeLines(c("age,ill", lines), file)
  lines(c(rep("40,TRUE", 30), "forty,TRUE", rep("50,FALSE", 30)))
  error <- refused(file, ill ~ age, "dpadmm_error_parse", chunk = 10)
  expect_identical(error$place$chunk, 4)
  expect_equal(error$place$row, 31)
  expect_identical(error$value, "forty")
  lines(c(rep("40,TRUE", 30), "40", "50,FALSE"))
  error <- refused(file, ill ~ age, "dpadmm_error_parse", chunk = 10)
  expect_match(conditionMessage(error), "^Chunk 4, row 31: .* 2 cells")
  expect_equal(error$place, list(chunk = 4, row = 31))
  writeLines(character(), file)
  refused(file, ill ~ age, "dpadmm_error_parse")
})

test_that("a foreign file and one that was cut short are refused", {
  file <- tempfile()
  dpadmm_records(folk, ill ~ age + ward, limits, 2, file = file)
  bytes <- readBin(file, "raw", file.size(file))
  other <- tempfile()
  on.exit(unlink(c(file, other)))
  open <- function(bytes, pattern) {
    writeBin(bytes, other)
    expect_error(dpadmm_records(other), pattern, class = "dpadmm_error_parse")
  }
  open(bytes[seq_len(length(bytes) - 1L)], "cut short")
  open(bytes[seq_len(length(bytes) - 5000L)], "cut short")
  open(bytes[1:100], "too short")
  open(rev(bytes), "something else")
  open(c(bytes, raw(8)), "cut short")
  swapped <- bytes
  swapped[18:25] <- rev(swapped[18:25])
  open(swapped, "another kind of machine")
  expect_error(dpadmm_records(tempfile()), class = "dpadmm_error_argument")
})

test_that("offsets and columns of a damaged file are not followed", {
  file <- tempfile()
  on.exit(unlink(file))
  records <- dpadmm_records(folk, ill ~ age + ward, limits, 2, file = file)
  where <- records$held$store$facts$where
  con <- file(file, "r+b")
  seek(con, where$col + 4, rw = "write")
  writeBin(1000L, con)
  close(con)
  expect_error(dpadmm_fit(dpadmm_records(file), method = "dp_sgd", iterations = 2, epsilon = Inf),
    class = "dpadmm_error_argument")
})

test_that("a full disk is an error, and an interrupt none: neither leaves a file", {
  skip_on_os("windows")
  directory <- tempfile("full-")
  dir.create(directory)
  on.exit(unlink(directory, recursive = TRUE))
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(c(%s))", toString(shQuote(.libPaths()))),
    "library(dpadmm)",
    "n <- 1e5; data <- data.frame(a = runif(n), w = sample(c('f', 'g'), n, TRUE), y = 1)",
    "public <- dpadmm_schema(a = 0:1, w = c('f', 'g'))",
    "read <- function(n, ...) tryCatch(dpadmm_records(data[seq_len(n), ], y ~ a + w, public, ...),",
    "  dpadmm_error_file = function(e) writeLines(c(conditionMessage(e), unlist(e$place))))",
    sprintf("read(n, file = '%s/records')", directory),
    "read(n)",
    "read(12000)",
    "writeLines(list.files(tempdir(), 'records'))"
  ), script)
  limited <- sprintf("ulimit -f 500; exec %s --vanilla %s",
    shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script))
  said <- system2("bash", c("-c", shQuote(limited)), stdout = TRUE, stderr = FALSE, timeout = 300)
  full <- "cannot be written: .*[.] It needs more than [0-9.]+ kB"
  row <- as.numeric(said[3])
  expect_match(said[1], sprintf('^Chunk [12], row %.0f: the file of records, "%s/records", %s[.]$',
    row, directory, full))
  expect_identical(as.numeric(said[2]), ceiling(row / 10000))
  expect_match(said[4], sprintf("^Chunk [12], row %.0f: the file of records \\(in .*\\) %s[.]$",
    row, full))
  expect_match(said[7], sprintf("^The file of records .* %s, and as much again while rows", full))
  expect_length(said, 7) # and nothing is left
  expect_identical(list.files(directory, all.files = TRUE, no.. = TRUE), character())

  stopping <- local({
    chunks <- in_chunks(folk, 50)
    k <- 0
    function(reset) {
      if (!reset && (k <<- k + 1) == 5) {
        signalCondition(structure(class = c("interrupt", "condition"), list()))
      }
      chunks(reset)
    }
  })
  found <- tryCatch(
    dpadmm_records(stopping, ill ~ age, limits, file = file.path(directory, "records")),
    interrupt = function(e) "interrupted"
  )
  expect_identical(found, "interrupted")
  expect_identical(list.files(directory, all.files = TRUE, no.. = TRUE), character())
})

test_that("a .csv file whose lines have a cell more than its names is refused, in any chunks", {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  lines <- c("age,ill", sprintf("%d,%d,1", 20:59, rep(0:1, 20)))
  for (more in list(lines, c(lines[1:31], sub(",1$", "", lines[32:41])))) {
    writeLines(more, file)
    for (size in c(7, 1000)) {
      expect_silent(refused(file, ill ~ age, "dpadmm_error_parse", chunk = size))
    }
  }
})

test_that("quotes that nobody closes and foreign bytes are refused without R's own words", {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  for (before in c(0, 2, 9)) { # one of the first lines is looked at twice by read.table()
    lines <- c(rep("40,1,fine", before), '50,0,"open', rep("60,1,fine", 9))
    writeLines(c("age,ill,note", lines), file)
    expect_silent(refused(file, ill ~ age, "dpadmm_error_parse"))
  }
  writeBin(as.raw(c(charToRaw("age,ill\n40,1\n"), 0:9, charToRaw("\n40,1\n"))), file)
  expect_silent(refused(file, ill ~ age, "dpadmm_error_parse"))
  cat("age,ill\n40,1\n50,0", file = file) # a last line without its end is as good as others
  expect_silent(records <- dpadmm_records(file, ill ~ age, limits))
  expect_identical(dim(records), c(2L, 2L))
})

test_that("a file that is cut short while it is open is an error, not the end of R", {
  skip_on_os("windows") # which does not let it be
  file <- tempfile()
  on.exit(unlink(file))
  records <- dpadmm_records(folk, ill ~ age + ward, limits, 2, file = file)
  bytes <- readBin(file, "raw", file.size(file))
  writeBin(bytes[1:5000], file)
  expect_error(dpadmm_fit(records, epsilon = Inf), "after it was opened",
    class = "dpadmm_error_parse")
  unlink(file) # but what is mapped lives on without its name
  writeBin(bytes, file)
  records <- dpadmm_records(file)
  unlink(file)
  expect_s3_class(dpadmm_fit(records, epsilon = Inf), "dpadmm_fit")
})

test_that("what is missing is said", {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  writeLines("age,ill", file)
  expect_blame(dpadmm_records(file), "argument", "formula")
  expect_blame(dpadmm_records(folk, ill ~ age), "argument", "schema")
  expect_blame(dpadmm_records(function() NULL, ill ~ age, limits), "argument", "source", "reset")
})

test_that("what a data base refuses, or cannot make a number of, is an error", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  DBI::dbWriteTable(con, "folk", folk[c("age", "ward", "ill")])
  read <- function(query) dpadmm_records(con, ill ~ age, limits, query = query)
  expect_blame(read("SELECT * FROM nobody"), "argument", "query", "nobody")
  DBI::dbExecute(con, "UPDATE folk SET age = 'old' WHERE rowid = 70")
  expect_no_warning(expect_error(read("SELECT * FROM folk"), "^Chunk 1, row 70: `age`",
    class = "dpadmm_error_parse"))
  DBI::dbDisconnect(con)
  expect_blame(read("SELECT * FROM folk"), "argument", "query")
})

test_that("columns of a class whose values cannot be put together are refused by their name", {
  registerS3method("c", "marked", function(...) stop("they are marked"))
  registerS3method("[", "marked", function(x, i) structure(unclass(x)[i], class = "marked"))
  marked <- transform(folk, age = structure(age, class = "marked"))
  error <- refused(marked, class = "dpadmm_error_argument", chunk = 100)
  expect_match(conditionMessage(error), "`age` cannot be put together: they are marked")
  expect_match(conditionMessage(error), "^Chunks 1 to ")
  expect_identical(error$place$column, "age")
})

test_that("a label that is no class is said by its record of its node", {
  own <- transform(folk, ill = ifelse(ill, 1, -1))
  k <- which(own$site == "south")[40]
  own$ill[k] <- 3
  records <- dpadmm_records(own, ill ~ age, limits, nodes = ~site)
  error <- expect_error(dpadmm_fit(records, epsilon = 1), class = "dpadmm_error_labels")
  expect_match(conditionMessage(error), "it is 3 at record 40 of node \"south\"", fixed = TRUE)
  expect_identical(error$place, list(node = "south", record = 40))
  # in the order they came in
  records <- dpadmm_records(own, ill ~ age, limits)
  error <- expect_error(dpadmm_fit(records, nodes = NULL, epsilon = 1),
    class = "dpadmm_error_labels")
  expect_match(conditionMessage(error), sprintf("it is 3 at position %d", k))
})

test_that("a quote within a cell is one behind a cell that goes on, and an empty chunk is none", {
  file <- tempfile(fileext = ".csv")
  writeLines(c("age,a,b,ill", "40,1,\"c", "d\",e\"g,1", "50,2,z,0", "60,3,f\",0", "70,4,z,1"), file)
  error <- refused(file, ill ~ age, "dpadmm_error_parse")
  expect_equal(error$place$row, 1)
  expect_match(conditionMessage(error), "quote within a cell")
  empty <- data.frame(age = integer())
  empty$pair <- data.frame(u = integer(), v = integer())
  source <- from_parts(list(folk[1:50, ], empty, folk[51:100, ]))
  expect_identical(nrow(dpadmm_records(source, ill ~ age, limits)), 100L)
})

test_that("a last line without its end is read where R cuts its warning of it short", {
  old <- options(warning.length = 100)
  on.exit(options(old))
  directory <- file.path(tempfile(), strrep("a", 100))
  dir.create(directory, recursive = TRUE)
  file <- file.path(directory, "people.csv")
  cat("age,ill\n40,1\n50,0", file = file)
  expect_identical(nrow(dpadmm_records(file, ill ~ age, limits)), 2L)
  expect_equal(getOption("warning.length"), 100)
})
