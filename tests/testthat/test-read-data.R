# Readers of the users' own files, on small ones written here.

write_to <- function(lines, open = base::file) {
  path <- tempfile("data")
  con <- open(path, "wb")
  on.exit(close(con))
  writeLines(lines, con, useBytes = TRUE)
  path
}

bio_lines <- function(x, label, block = 200 + seq_along(label), sep = "\t") {
  vapply(seq_along(label), function(i) {
    paste(c(block[i], 30 + i, label[i], format(x[i, ], digits = 17, trim = TRUE)), collapse = sep)
  }, "")
}

test_that("bio_train files are read, whatever separates and packs them", {
  set.seed(1)
  x <- matrix(round(rnorm(3 * 74), 2) * 10^sample(-3:3, 74, replace = TRUE), 3)
  for (open in list(base::file, gzfile, bzfile, xzfile)) {
    read <- read_bio_train(write_to(bio_lines(x, c(0, 1, 0)), open))
    expect_equal(read$x, x, tolerance = 1e-15)
    expect_identical(read$y, c(-1, 1, -1))
    expect_identical(read$block, c(201, 202, 203))
    expect_identical(read$example, c(31, 32, 33))
  }
  unlabelled <- read_bio_train(write_to(c("", bio_lines(x, c("?", "?", "1"), sep = "  "))))
  expect_identical(unlabelled$y, c(NA, NA, 1))
  expect_identical(dim(read_bio_train(write_to(bio_lines(x[1, , drop = FALSE], 1)))$x), c(1L, 74L))
})

test_that("a malformed bio_train file is an error that names the line", {
  x <- matrix(1.5, 3, 74)
  lines <- bio_lines(x, c(0, 1, 0))
  fails <- function(at, line, pattern) {
    lines[at] <- line
    error <- expect_error(read_bio_train(write_to(c("", lines))), pattern,
      class = "dpadmm_error_parse")
    expect_identical(error$place, at + 1L)
  }
  fails(2L, paste(lines[2], "7"), "78 numbers, not 77")
  fails(3L, sub("\t1.5$", "", lines[3]), "76 numbers")
  fails(1L, sub("1.5", "abc", lines[1]), "value 4 is not a finite number: \"abc\"")
  fails(1L, sub("1.5$", "NA", lines[1]), "value 77")
  fails(2L, sub("1.5", "1e999", lines[2]), "value 4")
  fails(2L, sub("\t1\t", "\t2\t", lines[2]), "class is not 0, 1")
  fails(3L, sub("^203", "?", lines[3]), "value 1 ")
  expect_error(read_bio_train(write_to("")), "no records", class = "dpadmm_error_parse")
  expect_error(read_bio_train(tempfile()), class = "dpadmm_error_argument")
  expect_error(read_bio_train(1), class = "dpadmm_error_argument")
})

census <- c(
  "YEAR,SEX,AGE,\"EMPSTAT\",INCTOT", "2000,1,30,10,26000", "2000,2,51,20,25000",
  "2000,2,120,\"10\",9999999", " 2000 , 1,-5,30, 25000.5"
)
schema <- dpadmm_schema(EMPSTAT = c("10", "20", "30"), AGE = c(0, 100), SEX = c("1", "2"))

test_that("census extracts become indicators, numbers in [0, 1] and labels", {
  for (open in list(base::file, gzfile)) {
    read <- read_census(write_to(census, open), "INCTOT", 25000, schema)
    expect_s4_class(read$x, "dgCMatrix")
    expect_identical(colnames(read$x),
      c("EMPSTAT=10", "EMPSTAT=20", "EMPSTAT=30", "AGE", "SEX=1", "SEX=2"))
    expect_identical(unname(as.matrix(read$x)), rbind(
      c(1, 0, 0, 0.3, 1, 0), c(0, 1, 0, 0.51, 0, 1), c(1, 0, 0, 1, 0, 1), c(0, 0, 1, 0, 1, 0)
    ))
    expect_identical(read$y, c(1, -1, 1, 1))
  }
  asked <- read_census(write_to(paste0(census, "\r")), "INCTOT", 25000, schema,
    missing = list(INCTOT = 9999999, EMPSTAT = "20"))
  expect_identical(asked$y, c(1, 1))
  marked <- c(paste0(rawToChar(as.raw(c(0xef, 0xbb, 0xbf))), census[1]), census[-1], "")
  expect_identical(read_census(write_to(marked), "INCTOT", 25000, schema)$y, read$y)
})

test_that("a bad extract or request is a classed error that says where", {
  fails <- function(lines, pattern, class, place = NULL, income = "INCTOT", ..., with = schema) {
    error <- expect_error(read_census(write_to(lines), income, 25000, with, ...), pattern,
      class = class)
    if (!is.null(place)) expect_identical(error$place, place)
  }
  fails(replace(census, 3, "2000,2,51,20"), "4 fields, and the header 5", "dpadmm_error_parse", 3L)
  fails(replace(census, 2, "2000,1,30,10,26000,1"), "6 fields", "dpadmm_error_parse", 2L)
  fails(replace(census, 3, "2000,2,51,20,much"), "`INCTOT` is not a finite", "dpadmm_error_parse",
    3L)
  fails(replace(census, 4, "2000,2,,20,1"), "`AGE` is not a finite", "dpadmm_error_parse", 4L)
  fails(replace(census, 4, "2000,2,1,\"20,1"), "not closed|fields", "dpadmm_error_parse", 4L)
  fails(replace(census, 4, "2000,2,1,40,1"), "`EMPSTAT` is \"40\"", "dpadmm_error_level", 4L)
  fails(sub("AGE", "SEX", census), "no column `AGE`", "dpadmm_error_argument")
  fails(sub("YEAR", "SEX", census), "twice", "dpadmm_error_parse")
  fails(census, "no column", "dpadmm_error_argument", income = "INC")
  fails(census, "no column `X`", "dpadmm_error_argument", missing = list(X = 1))
  fails(census[1], "no complete records", "dpadmm_error_parse")
  fails("", "no header", "dpadmm_error_parse")
  fails(census, "income", "dpadmm_error_argument", income = 5)
  fails(census, "schema", "dpadmm_error_argument", with = list(SEX = c("1", "2")))
  fails(census, "missing", "dpadmm_error_argument", missing = c(INCTOT = 1))
  expect_error(read_census(write_to(census), "INCTOT", NA, schema), class = "dpadmm_error")
})

test_that("every reader refuses what is no file of its kind, by class", {
  readers <- grep("^read_", getNamespaceExports("dpadmm"), value = TRUE)
  expect_gte(length(readers), 4)
  # arguments without a default, beside the file
  more <- list(read_census = list("INCOME", 1, dpadmm_schema(AGE = c(0, 100))))
  damaged <- write_to(strrep("1 1:1 ", 1e4), gzfile)
  writeBin(utils::head(readBin(damaged, "raw", 1e5), -10), damaged)
  zero <- tempfile()
  writeBin(as.raw(c(49, 0, 50, 10)), zero)
  for (name in readers) {
    read <- function(file) do.call(getExportedValue("dpadmm", name), c(list(file), more[[name]]))
    for (file in list(1, character(), c("a", "b"), NA_character_, tempfile())) {
      error <- expect_error(read(file), class = "dpadmm_error_argument", label = name)
      expect_identical(error$argument, "file", label = name)
    }
    if (name == "read_experiment") next # reads text that it wrote
    expect_error(read(tempdir()), class = "dpadmm_error_argument", label = name)
    expect_error(read(write_to(character())), class = "dpadmm_error_parse", label = name)
    expect_error(read(damaged), class = "dpadmm_error_parse", label = name)
    expect_error(read(zero), class = "dpadmm_error_parse", label = name)
  }
})
