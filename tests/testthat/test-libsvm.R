libsvm_file <- function(lines, open = file, sep = "\n", ...) {
  path <- tempfile("libsvm")
  con <- open(path, "wb", ...)
  on.exit(close(con))
  writeLines(lines, con, sep = sep, useBytes = TRUE)
  path
}

# The text of records, by a plain loop.
libsvm_lines <- function(x, y) {
  vapply(seq_len(nrow(x)), function(i) {
    at <- which(x[i, ] != 0)
    paste(c(sprintf("%+g", y[i]), sprintf("%d:%.17g", at, x[i, at])), collapse = " ")
  }, "")
}

# Features that doubles and decimals both hold exactly, some rows empty.
exact_records <- function(n, p) {
  x <- matrix(sample(c(0, 0, 1, -0.5, 2^-10, 1e3 + 2^-8, 1e15), n * p, replace = TRUE), n, p)
  x[2, ] <- 0
  x[, p] <- c(1, rep(0, n - 1))
  list(x = x, y = sample(c(-1, 1), n, replace = TRUE))
}

compressors <- list(plain = file, gzip = gzfile, bzip2 = bzfile, xz = xzfile)

test_that("records are read, with comments, blank lines, blanks and qid", {
  d <- read_libsvm(libsvm_file(c(
    "# a title", "+1 1:0.5 3:-2", "", "  -1\t2:1e-3 \t4:.25  # 9:9", "   ", "0",
    "2.5 qid:7 1:+3. 2:0", "#1 1:1"
  )))
  expect_s4_class(d$x, "dgCMatrix")
  expect_true(validObject(d$x))
  expect_identical(as.matrix(d$x), rbind(
    c(0.5, 0, -2, 0), c(0, 1e-3, 0, 0.25), c(0, 0, 0, 0), c(3, 0, 0, 0)
  ))
  expect_identical(d$y, c(1, -1, 0, 2.5))
  # A feature written as zero is not stored.
  expect_length(d$x@x, 5L)
})

test_that("line ends do not matter", {
  unix <- read_libsvm(libsvm_file(c("1 1:2 3:4", "-1 2:5")))
  expect_identical(read_libsvm(libsvm_file(c("1 1:2 3:4", "-1 2:5"), sep = "\r\n")), unix)
  unended <- tempfile()
  cat("1 1:2 3:4\n-1 2:5", file = unended)
  expect_identical(read_libsvm(unended), unix)
})

test_that("`features` sets the number of columns", {
  file <- libsvm_file(c("1 2:1", "-1"))
  expect_identical(dim(read_libsvm(file)$x), c(2L, 2L))
  expect_identical(dim(read_libsvm(file, features = 5)$x), c(2L, 5L))
  expect_identical(dim(read_libsvm(file, features = 2L)$x), c(2L, 2L))
  expect_identical(dim(read_libsvm(libsvm_file(c("1", "-1")))$x), c(2L, 0L))
  # An index that is only ever zero still counts as a feature.
  expect_identical(dim(read_libsvm(libsvm_file("1 1:3 4:0"))$x), c(1L, 4L))
})

test_that("what was written comes back, plain and compressed", {
  set.seed(1)
  given <- exact_records(200, 7)
  lines <- libsvm_lines(given$x, given$y)
  for (open in compressors) {
    d <- read_libsvm(libsvm_file(lines, open))
    expect_identical(as.matrix(d$x), given$x)
    expect_identical(d$y, given$y)
  }
})

test_that("the encoder's features come back", {
  for (encoding in c("onehot", "a9a")) {
    d <- adult_matrix(encoding)
    some <- seq(1, nrow(d$x), length.out = 300)
    x <- as.matrix(unname(d$x[some, ]))
    back <- read_libsvm(libsvm_file(libsvm_lines(x, d$y[some]), xzfile), features = ncol(x))
    # R converts decimals to within one unit in the last place.
    expect_lte(max(abs(as.matrix(back$x) - x)), 2^-53)
    expect_identical(back$x != 0, Matrix::Matrix(x != 0, sparse = TRUE))
    expect_identical(back$y, d$y[some])
  }
})

test_that("a long line and many lines are read", {
  wide <- read_libsvm(libsvm_file(paste("1", paste0(seq_len(1e5), ":1", collapse = " "))))
  expect_identical(dim(wide$x), c(1L, 100000L))
  expect_identical(sum(wide$x), 1e5)
  long <- read_libsvm(libsvm_file(sprintf("%d %d:%d", 1:20000, 1:20000 %% 9L + 1L, 1:20000)))
  expect_identical(long$y, as.double(1:20000))
  expect_identical(long$x[cbind(1:20000, 1:20000 %% 9L + 1L)], as.double(1:20000))
})

test_that("compressed parts put together are read to the end", {
  for (open in compressors[-1L]) {
    part <- readBin(libsvm_file("1 1:2", open), "raw", 1e4)
    both <- tempfile()
    writeBin(c(part, part), both)
    expect_identical(read_libsvm(both)$y, c(1, 1))
  }
})

test_that("a malformed line is named, with what is wrong", {
  cases <- list(
    list("one 1:2", "label is not a finite number: \"one\""),
    list("1:2", "label is not a finite number"),
    list("1,2 1:2", "label is not a finite number"),
    list("nan 1:2", "label is not a finite number"),
    list("1e999 1:2", "label is not a finite number"),
    list("1 2", "a feature must be index:value: \"2\""),
    list("1 2:", "a feature must be index:value"),
    list("1 :2", "a feature must be index:value"),
    list("1 2 : 3", "a feature must be index:value"),
    list("1 1:2:3", "a feature must be index:value"),
    list("1 a:2", "index is not a whole number: \"a:2\""),
    list("1 1.5:2", "index is not a whole number"),
    list("1 -1:2", "index is not a whole number"),
    list("1 qid:x 1:2", "index is not a whole number"),
    list("1 1:2 qid:3", "index is not a whole number"),
    list("1 0:2", "index is 0"),
    list("1 2147483648:2", "index is above 2147483647"),
    list("1 2:1 2:3", "index does not exceed the one before, 2: \"2:3\""),
    list("1 1:1 7:1 4:1", "index does not exceed the one before, 7"),
    list("1 1:x", "value is not a finite number"),
    list("1 1:1e", "value is not a finite number"),
    list("1 1:.", "value is not a finite number"),
    list("1 1:0x1f", "value is not a finite number"),
    list("1 1:NA", "value is not a finite number"),
    list("1 1:inf", "value is not a finite number"),
    list("1 1:1e999", "value is not a finite number"),
    list("1 1:1 2:1d5", "value is not a finite number")
  )
  for (case in cases) {
    # Line 4 is at fault; line 5 is worse, but comes later.
    file <- libsvm_file(c("# title", "1 1:1 9:1", "", case[[1L]], "bad bad bad"))
    error <- expect_error(read_libsvm(file), class = "dpadmm_error_parse")
    expect_match(conditionMessage(error), "^Line 4 of `file`: ")
    expect_match(conditionMessage(error), case[[2L]], fixed = TRUE)
    expect_identical(error$place, 4L)
    expect_identical(error$argument, "file")
  }
})

test_that("an index above `features` is named", {
  file <- libsvm_file(c("1 1:1 3:1", "1 4:1"))
  error <- expect_error(read_libsvm(file, features = 3), class = "dpadmm_error_parse")
  expect_match(conditionMessage(error), "Line 2 of `file`: the index is above 3", fixed = TRUE)
  expect_identical(error$place, 2L)
})

test_that("the message stays readable whatever the file holds", {
  foreign <- tempfile()
  writeBin(c(charToRaw("1 1:1\n1 "), as.raw(c(0xff, 0xfe)), charToRaw(":3\n")), foreign)
  error <- expect_error(read_libsvm(foreign), class = "dpadmm_error_parse")
  expect_match(conditionMessage(error), "Line 2 .*\"<ff><fe>:3\"")

  long <- libsvm_file(paste0("1 1:", strrep("x", 1e5)))
  error <- expect_error(read_libsvm(long), class = "dpadmm_error_parse")
  expect_lt(nchar(conditionMessage(error)), 120)

  nul <- tempfile()
  writeBin(c(charToRaw("1 1:1\n1 1:1\n1 2"), as.raw(0), charToRaw(":3\n")), nul)
  error <- expect_error(read_libsvm(nul), "zero byte", class = "dpadmm_error_parse")
  expect_identical(error$place, 3L)
})

test_that("a file without records is an error", {
  for (lines in list(character(), "", c("# nothing", "  "))) {
    for (open in compressors) {
      expect_error(
        read_libsvm(libsvm_file(lines, open)), "holds no records",
        class = "dpadmm_error_parse"
      )
    }
  }
})

test_that("compressed data cut short or damaged are an error, never fewer records", {
  set.seed(2)
  lines <- sprintf("%d 1:%.15g 2:%.15g", sample(0:1, 2e4, TRUE), runif(2e4), runif(2e4))
  for (name in names(compressors)[-1L]) {
    # Level 1 gives bzip2 several blocks.
    packed <- readBin(libsvm_file(lines, compressors[[name]], compression = 1), "raw", 1e7)
    n <- length(packed)
    for (at in round(seq(12, n - 1, length.out = 8))) {
      short <- tempfile()
      writeBin(packed[seq_len(at)], short)
      expect_error(read_libsvm(short), "damaged or cut short", class = "dpadmm_error_parse")
    }
    for (at in round(seq(200, n - 200, length.out = 8))) {
      flipped <- packed
      flipped[at] <- xor(flipped[at], as.raw(16))
      damaged <- tempfile()
      writeBin(flipped, damaged)
      expect_error(read_libsvm(damaged), "damaged or cut short", class = "dpadmm_error_parse")
    }
  }
})

test_that("bad arguments are errors", {
  file <- libsvm_file("1 1:1")
  for (bad in list(1, NULL, NA_character_, c(file, file))) {
    expect_error(read_libsvm(bad), class = "dpadmm_error_argument")
  }
  expect_error(read_libsvm(tempfile("absent")), "no file", class = "dpadmm_error_argument")
  expect_error(read_libsvm(tempdir()), "is a directory", class = "dpadmm_error_argument")
  for (bad in list(0, 1.5, -1, 2^31, "3", Inf)) {
    expect_error(read_libsvm(file, features = bad), class = "dpadmm_error")
  }
  expect_error(read_libsvm(file, features = c(1, 2)), class = "dpadmm_error_shape")
})

test_that("a real file of 91,701 records is read", {
  dir <- Sys.getenv("DPADMM_SHARED_DATA")
  skip_if(dir == "", "DPADMM_SHARED_DATA is not set")
  file <- file.path(dir, "ijcnn1.t.svm.xz")
  skip_if_not(file.exists(file), "ijcnn1.t is absent")
  d <- read_libsvm(file)
  expect_identical(dim(d$x), c(91701L, 22L))
  expect_identical(sum(d$y == 1), 8712L)
  expect_length(d$x@x, 1192101L)
})
