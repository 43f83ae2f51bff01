# Input that somebody made to be odd: refused by its chunk, row and column, or read as it is.

skip_on_cran()

#' Where an error is said to be, in its words and in its field.
expect_place <- function(error, chunk, row, column = NULL) {
  found <- error$place[c("chunk", "row")]
  expect_equal(found, list(chunk = chunk, row = row))
  expect_identical(error$place$column, column)
  expect_match(conditionMessage(error), sprintf("^Chunk %d, (from )?row %d: ", chunk, row))
  if (!is.null(column)) expect_match(conditionMessage(error), column, fixed = TRUE)
}

in_csv <- function(bytes, ext = ".csv", open = file) {
  path <- tempfile(fileext = ext)
  con <- open(path, "wb")
  writeBin(if (is.raw(bytes)) bytes else charToRaw(bytes), con)
  close(con)
  path
}

as_lines <- function(..., end = "\n") paste0(c(...), end, collapse = "")

test_that("a zero byte is said by row and column, of a cell that goes on in other lines too", {
  lines <- c("age,note,ill", rep("40,fine,TRUE", 20))
  for (row in c(1, 12, 20)) {
    bytes <- charToRaw(as_lines(lines))
    at <- which(bytes == 0x0a)[row]
    for (column in 1:3) {
      comma <- c(at, at + which(bytes[-seq_len(at)] == 0x2c))[column]
      error <- refused(in_csv(append(bytes, as.raw(0), comma)), ill ~ age, "dpadmm_error_parse",
        chunk = 5)
      expect_place(error, ceiling(row / 5), row, c("age", "note", "ill")[column])
    }
  }
  before <- as_lines(lines[1:3], "", "50,\"two", "lines, or", "")
  bytes <- c(charToRaw(before), as.raw(0), charToRaw("three\",TRUE\n"))
  for (size in c(1, 3, 99)) { # lines, of which the third is empty
    error <- refused(in_csv(bytes), ill ~ age, "dpadmm_error_parse", chunk = size)
    expect_place(error, switch(as.character(size), "1" = 3, "3" = 2, 1), 3, "note")
  }
  error <- refused(in_csv(append(bytes, as.raw(0), 5)), ill ~ age, "dpadmm_error_parse")
  expect_match(conditionMessage(error), "no line of column names: it has a zero byte")
})

test_that("a compressed file that is cut short or damaged is refused in the package's words", {
  text <- as_lines("ill,age", sprintf("%d,%d", rep(0:1, 5000), sample(20:90, 1e4, TRUE)))
  for (kind in c("gz", "bz2", "xz")) {
    open <- switch(kind, gz = gzfile, bz2 = bzfile, xz = xzfile)
    path <- in_csv(text, paste0(".csv.", kind), open)
    expect_identical(nrow(dpadmm_records(path, ill ~ age, limits)), 10000L)
    packed <- readBin(path, "raw", file.size(path))
    n <- length(packed)
    for (size in c(3, 20, 100, n %/% 2, n - 9, n - 1)) {
      error <- refused(in_csv(packed[seq_len(size)], paste0(".csv.", kind)), ill ~ age,
        "dpadmm_error_parse", chunk = 1000)
      expect_match(conditionMessage(error), "cut short or damaged|no line of column names")
      expect_match(conditionMessage(error), "^Chunk [0-9]+, after row [0-9]+: |no line of column")
    }
    expect_gt(refused(in_csv(packed[seq_len(n - 1)], paste0(".csv.", kind)), ill ~ age,
      "dpadmm_error_parse", chunk = 1000)$place$row, 0)
  }
})

test_that("an open quote is said by its row, and one within a cell swallows no rows", {
  lines <- c("age,ill,note", rep("40,1,fine", 7))
  for (size in c(3, 99)) {
    error <- refused(in_csv(as_lines(lines, '50,"0,open', lines[-1])), ill ~ age,
      "dpadmm_error_parse", chunk = size)
    expect_place(error, ceiling(8 / size), 8, "ill")
    for (row in c("50,0,5\" pipe", "50,0,\"a\" and \"b")) {
      error <- refused(in_csv(as_lines(lines, row, lines[-1], row)), ill ~ age,
        "dpadmm_error_parse", chunk = size)
      expect_place(error, ceiling(8 / size), 8, "note")
    }
  }
  fine <- as_lines(lines, '50,0,"a ""b', 'c, ""d"""', '60,1,"', '"', '70,0,x')
  for (size in c(1, 9, 99)) {
    expect_identical(nrow(dpadmm_records(in_csv(fine), ill ~ age, limits, chunk = size)), 10L)
  }
})

test_that("what other programs write is read: marks, line ends, empty lines, in any language", {
  lines <- c("age,outcome", "40,no", "50,yes")
  expected <- dpadmm_records(in_csv(as_lines(lines)), outcome ~ age, limits)
  labels <- function(x) dpadmm:::stored_labels(x)
  mark <- as.raw(c(0xef, 0xbb, 0xbf))
  quoted <- gsub("([a-z]+)", "\"\\1\"", lines)
  for (text in list(c(mark, charToRaw(as_lines(quoted))), as_lines(quoted, end = "\r\n"),
    as_lines(lines, end = "\r"), as_lines(lines[1], "", lines[-1], "", ""),
    as_lines("", "", lines), c(mark, charToRaw(as_lines("", quoted))),
    "age,outcome\n40,no\n50,yes")) {
    read <- dpadmm_records(in_csv(text), outcome ~ age, limits)
    expect_identical(labels(read), labels(expected))
    expect_identical(dim(read), dim(expected))
  }
  expect_match(conditionMessage(refused(in_csv(as_lines("", "")), outcome ~ age,
    "dpadmm_error_parse")), "it is empty")
  svm <- in_csv(c(mark, charToRaw("1 1:0.5\r\n-1 1:.2\r\n")), ".svm")
  expect_identical(nrow(dpadmm_records(svm, y ~ a, dpadmm_schema(a = 0:1))), 2L)
  expect_identical(read_libsvm(svm)$y, c(1, -1))
  skip_if_not(exists("Sys.setLanguage"))
  before <- Sys.setLanguage("de")
  on.exit(Sys.setLanguage(before))
  cut <- in_csv("age,ill\n40,1\n50,0")
  expect_silent(records <- dpadmm_records(cut, ill ~ age, limits))
  expect_identical(nrow(records), 2L)
  bytes <- append(charToRaw("age,ill\n40,1\n50,0\n"), as.raw(0), 14)
  expect_place(refused(in_csv(bytes), ill ~ age, "dpadmm_error_parse"), 1, 2, "age")
})

test_that("a value of a data base that is of another type is said by its row", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "folk", folk[c("age", "ward", "ill", "stay")])
  put <- function(value, row, column = "age") {
    DBI::dbExecute(con, sprintf("UPDATE folk SET %s = %s WHERE rowid = %d", column, value, row))
  }
  query <- "SELECT * FROM folk"
  for (row in c(1, 2, 70, 400)) {
    for (value in c("'old'", "''", "x'01'")) {
      put(value, row)
      for (size in c(50, 1000)) {
        error <- expect_no_warning(refused(con, class = "dpadmm_error_parse", query = query,
          chunk = size))
        expect_place(error, ceiling(row / size), row, "age")
      }
    }
    put("NULL", row)
    error <- refused(con, class = "dpadmm_error_missing", query = query, chunk = 50)
    expect_place(error, ceiling(row / 50), row, "age")
    put(folk$age[row], row)
  }
  put("7", 70, "ward") # text, too
  put("x'01'", 70, "ward")
  expect_place(refused(con, class = "dpadmm_error_parse", query = query), 1, 70, "ward")
  # what nobody asks for is not looked at
  expect_no_warning(records <- dpadmm_records(con, ill ~ age, limits, query = query))
  expect_identical(dim(records), c(400L, 2L))
  # a query that changes something is not asked twice
  DBI::dbExecute(con, "UPDATE folk SET age = 'old' WHERE rowid = 70")
  changing <- "UPDATE folk SET stay = stay + 1 RETURNING age, ill, stay"
  before <- DBI::dbGetQuery(con, "SELECT stay FROM folk")$stay
  error <- refused(con, ill ~ age, "dpadmm_error_parse", query = changing)
  expect_match(conditionMessage(error), "^Chunk 1, after row 0: `age` is of type string")
  expect_equal(DBI::dbGetQuery(con, "SELECT stay FROM folk")$stay, before + 1)
  put(folk$age[70], 70)
  put("'a'", 70, "ward")
  twice <- "SELECT a.*, b.age FROM folk a JOIN folk b ON a.rowid = b.rowid"
  expect_place(refused(con, class = "dpadmm_error_shape", query = twice), 1, 1, "age")
})

test_that("columns that are not what they claim are refused", {
  as_is <- function(value) function(d) {
    d <- unclass(d)
    d["age"] <- list(value)
    structure(d, class = "data.frame")
  }
  int64 <- function(x) structure(x, class = "integer64")
  argument <- list(int64(1:50), int64(rep("40", 50)), int64(rep(TRUE, 50)), int64(as.list(1:50)),
    as.list(1:50), I(as.list(1:50)), cbind(1:50, 1), array(1, c(50, 1, 1)), data.frame(a = 1:50),
    mean, quote(x), globalenv(), Sys.Date() + 0:49, rep(Sys.time(), 50), as.raw(1:50),
    1i + 1:50, rep(TRUE, 50), as.character(40:89), factor(40:89))
  for (value in argument) {
    expect_place(refused(changed(as_is(value)), class = "dpadmm_error_argument"), 2, 51, "age")
  }
  for (value in list(1:3, NULL, numeric())) {
    expect_place(refused(changed(as_is(value)), class = "dpadmm_error_shape"), 2, 51, "age")
  }
  # of the first chunk the schema knows the type
  for (value in list(Sys.Date() + 0:49, rep(TRUE, 50), 1i + 1:50)) {
    first <- as_is(value)(folk[1:50, ])
    source <- in_chunks(folk, 50)
    k <- 0
    both <- function(reset) if (!reset && (k <<- k + 1) == 1) first else source(reset)
    expect_place(refused(both, class = "dpadmm_error_argument"), 1, 1, "age")
  }
  odd <- function(codes, levels = c("a", "b")) {
    function(d) {
      attributes(codes) <- list(levels = levels, class = "factor")
      d$ward <- codes
      d
    }
  }
  for (change in list(odd(rep(9L, 50)), odd(rep(0L, 50)), odd(rep(1L, 50), NULL))) {
    expect_place(refused(changed(change), class = "dpadmm_error_argument"), 2, 51, "ward")
  }
  twice <- function(d) cbind(d, d["age"])
  expect_place(refused(changed(twice), class = "dpadmm_error_shape"), 2, 51, "age")
  rowless <- function(d) structure(unclass(d), row.names = NULL, class = "data.frame")
  expect_place(refused(changed(rowless), class = "dpadmm_error_shape"), 2, 51, "age")
  # as good as any
  for (change in list(function(d) d[0, ], as_is(array(40:89, 50)), as_is(I(40:89)),
    as_is(c(1e308, 2:50)), function(d) transform(d, ward = factor(ward, c("c", "b", "a", "x"))))) {
    expect_s3_class(dpadmm_records(changed(change), ill ~ age + ward, limits), "dpadmm_records")
  }
})

test_that("integers of a claimed class are refused in fits too", {
  fake <- transform(folk, age = structure(age, class = "integer64"))
  expect_error(dpadmm_fit(ill ~ age, fake, schema = limits, nodes = 2, epsilon = 1),
    "`age` is of class integer64", class = "dpadmm_error_argument")
  expect_error(dpadmm_fit(structure(matrix(1:6, 3), class = "integer64"), c(1, -1, 1), epsilon = 1),
    class = "dpadmm_error_argument")
})

test_that("functions of the formula that fail, or answer what is odd, are errors of chunks", {
  functions <- list(listed = as.list, shorter = function(x) x[-1], failing = function(x) stop("no"))
  for (name in names(functions)) assign(name, functions[[name]], globalenv())
  on.exit(rm(list = names(functions), envir = globalenv()))
  for (name in names(functions)) {
    term <- sprintf("%s(age)", name)
    public <- do.call(dpadmm_schema, stats::setNames(list(c(18, 100)), term))
    error <- expect_error(dpadmm_records(in_chunks(folk, 100), stats::reformulate(term, "ill"),
      c(limits, public)), class = "dpadmm_error")
    expect_match(conditionMessage(error), "^Chunks 1 to 4, from row 1: ")
    expect_equal(error$place$row, 1)
    error <- expect_error(dpadmm_records(in_chunks(folk, 100), stats::reformulate("age",
      str2lang(sprintf("%s(ill)", name))), limits), class = "dpadmm_error")
    expect_match(conditionMessage(error), "^Chunks 1 to 4, from row 1: ")
  }
})

test_that("a path of another kind is an error of `source`, a node of NaN one of its row", {
  expect_blame(dpadmm_records(NA_character_, ill ~ age, limits), "argument", "source")
  expect_blame(dpadmm_records(c("a.csv", "b.csv"), ill ~ age, limits), "argument", "source")
  path <- in_csv(as_lines("age,ill,site", "40,1,1", "50,0,2", "60,1,NaN"))
  error <- refused(path, ill ~ age, "dpadmm_error_missing", nodes = ~site)
  expect_identical(error$place$column, "site")
  expect_equal(error$place$row, 3)
})

test_that("a line of a LIBSVM file is said by its row and column, a zero byte too", {
  public <- dpadmm_schema(a = 0:1, b = 0:1)
  lines <- c("# none", rep(c("1 1:.5 2:1", "-1 2:.2"), 5))
  at <- function(bad, column, place = NULL) {
    bytes <- charToRaw(as_lines(lines, bad, lines))
    if (!is.null(place)) bytes <- append(bytes, as.raw(0), nchar(as_lines(lines)) + place)
    error <- refused(in_csv(bytes, ".svm"), y ~ a + b, "dpadmm_error_parse", schema = public)
    expect_equal(error$place[c("chunk", "row", "line")], list(chunk = 1, row = 11, line = 12))
    expect_identical(error$place$column, column)
  }
  for (bad in c("1 0:1", "1 3:1", "1 -1:1", "1 1.5:1", "1 :1", "1 x:1")) at(bad, NULL)
  for (bad in c("1 1:0x1", "1 1:nan", "1 1:inf", "1 1:1e999", "1 1", "1 1:", "1 2:1 1:1")) {
    at(bad, "a")
  }
  for (bad in c("maybe 1:1", "nan 1:1", "1,1:1")) at(bad, "y")
  at("1 1:.5 2:1", "y", 1)
  at("1 1:.5 2:1", "a", 5)
  at("1 1:.5 2:1", "b", 9)
})

test_that("a kept file of which any bit is another is refused, or says the same of all records", {
  path <- tempfile()
  records <- dpadmm_records(folk, ill ~ age + ward, limits, nodes = ~site, file = path)
  bytes <- readBin(path, "raw", file.size(path))
  other <- in_csv(bytes, "")
  set.seed(3)
  n <- length(bytes)
  # the first page, the checksum and the words at the end are what they are
  page <- sample(4096, 20)
  end <- n - 0:23
  for (at in c(page, n - sample(4000, 40), end, n - 24:39)) {
    con <- file(other, "r+b")
    seek(con, at - 1, rw = "write")
    writeBin(xor(bytes[at], as.raw(2^sample(0:7, 1))), con)
    close(con)
    found <- tryCatch(dpadmm_records(other), dpadmm_error_parse = identity)
    if (at %in% c(page, end)) expect_s3_class(found, "error")
    if (!inherits(found, "error")) expect_identical(found$sizes, records$sizes)
    writeBin(bytes, other)
  }
})

test_that("a copy in the order of nodes that cannot be written is told by the file of records", {
  skip_on_os("windows")
  directory <- tempfile("gone-")
  dir.create(directory)
  records <- dpadmm_records(folk, ill ~ age + ward, limits, file = file.path(directory, "records"))
  path <- records$path
  unlink(directory, recursive = TRUE) # what is mapped lives on
  error <- expect_error(dpadmm_fit(records, nodes = 4, epsilon = 1), class = "dpadmm_error_file")
  expect_match(conditionMessage(error), sprintf('^The records of "%s" cannot be copied', path))
  expect_identical(error$value, path)
})
