# LIBSVM files as a source of records, against a reader of their lines that is nothing but base R.

columns <- paste0("x", 1:7)
stated <- do.call(dpadmm_schema, c(
  stats::setNames(rep(list(c(-1, 3)), 7), columns), list(label = c("1", "2"))
))

some_lines <- function(n, labels = c("+1", "-1")) {
  dpadmm:::with_r_seed(3, vapply(seq_len(n), function(k) {
    at <- sort(sample(7, sample(0:7, 1)))
    paste(c(sample(labels, 1), sprintf("%d:%.17g", at, stats::runif(length(at), -2, 4))),
      collapse = " ")
  }, ""))
}

#' Words of a line, one by one.
by_hand <- function(path) {
  lines <- sub("#.*", "", readLines(path))
  rows <- lapply(strsplit(lines[grepl("[^ ]", lines)], " +"), function(words) {
    pairs <- strsplit(words[-1], ":")
    row <- stats::setNames(numeric(8), c("label", columns))
    row["label"] <- as.numeric(words[1])
    for (pair in pairs) row[1 + as.numeric(pair[1])] <- as.numeric(pair[2])
    row
  })
  as.data.frame(do.call(rbind, rows))
}

svm_file <- function(lines, name = ".libsvm", sep = "\n") {
  path <- tempfile(fileext = name)
  cat(lines, file = path, sep = sep)
  path
}

same_fit <- function(path, formula, schema = stated, ...) {
  fit <- function(...) quietly(dpadmm_fit(..., epsilon = 2, seed = 1, iterations = 5))
  records <- dpadmm_records(path, formula, schema, 3)
  expect_same_fit(fit(records), fit(formula, by_hand(path), nodes = 3, schema = schema))
}
quietly <- function(code) suppressWarnings(code, classes = "dpadmm_warning_utility")

test_that("a LIBSVM file is read as a frame of its columns, to the last bit", {
  lines <- some_lines(150)
  lines[c(5, 70)] <- c("# nobody", "")
  numeric <- stated[columns]
  class(numeric) <- "dpadmm_schema"
  for (name in c(".libsvm", ".svm", ".svmlight")) {
    same_fit(svm_file(lines, name), label ~ ., numeric)
  }
  same_fit(svm_file(lines, sep = "\r\n"), label ~ x7 + x2, numeric)
  same_fit(svm_file(some_lines(90, c("1", "2"))), label ~ ., stated)
})

test_that("where a file is cut into chunks does not matter", {
  path <- svm_file(some_lines(200))
  numeric <- structure(stated[columns], class = "dpadmm_schema")
  for (size in c(7, 64, 2^21)) {
    source <- dpadmm:::libsvm_source(path, "label", columns, size)
    chunks <- list()
    while (!is.null(chunk <- source$next_chunk())) chunks <- c(chunks, list(chunk))
    source$close()
    expect_equal(do.call(rbind, chunks), by_hand(path), tolerance = 0)
    expect_identical(source$done(), file.size(path) + 0)
  }
  expect_identical(dim(dpadmm_records(path, label ~ ., numeric)), c(200L, 8L))
})

test_that("what is wrong with a line is said by file, line and column, and leaves nothing", {
  lines <- some_lines(120)
  numeric <- structure(stated[columns], class = "dpadmm_schema")
  refused <- function(line, column, words, class = "dpadmm_error_parse") {
    lines[77] <- line
    path <- svm_file(lines)
    kept <- tempfile()
    e <- expect_error(dpadmm_records(path, label ~ ., numeric, file = kept), class = class)
    expect_false(file.exists(kept))
    expect_identical(e$argument, "source")
    expect_equal(e$place$line, 77)
    expect_identical(e$place$column, column)
    for (word in c(basename(path), "Line 77", words, column)) {
      expect_match(conditionMessage(e), word, fixed = TRUE)
    }
  }
  refused("+1 1:0 3:abc", "x3", "finite")
  refused("+1 1:0 3:1e999", "x3", "finite")
  refused("yes 1:0", "label", "label")
  refused("+1 8:1", NULL, "above 7")
  refused("+1 0:1", NULL, "they start at 1")
  refused("+1 3:1 2:1", "x2", "does not exceed")
  refused("+1 3", "x3", "index:value")
  refused("+1 x:1", NULL, "whole number")
  label <- expect_error(dpadmm_records(svm_file(c(lines, "2 1:1")), label ~ ., numeric) |>
    dpadmm_fit(nodes = 2, epsilon = 1), class = "dpadmm_error_labels")
  expect_match(conditionMessage(label), "121")
  expect_error(dpadmm_records(svm_file(lines), label + x1 ~ ., stated),
    class = "dpadmm_error_argument")
  expect_error(dpadmm_records(svm_file("# nothing"), label ~ ., numeric),
    class = "dpadmm_error_shape")
  for (name in c(".libsvm.gz", ".parquet.xz")) {
    expect_error(dpadmm_records(svm_file(lines, name), label ~ ., numeric), "is compressed",
      class = "dpadmm_error_argument")
  }
})

test_that("damaged files are records or classed errors", {
  good <- charToRaw(paste0(some_lines(30), collapse = "\n"))
  numeric <- structure(stated[columns], class = "dpadmm_schema")
  outcome <- dpadmm:::with_r_seed(4, vapply(1:60, function(k) {
    bytes <- good
    at <- sample(length(bytes), 3)
    bytes[at] <- as.raw(sample(0:255, 3))
    path <- tempfile(fileext = ".libsvm")
    writeBin(bytes[seq_len(sample(length(bytes), 1))], path)
    tryCatch(class(dpadmm_records(path, label ~ ., numeric))[1L], dpadmm_error = function(e) "said")
  }, ""))
  expect_true(all(outcome %in% c("dpadmm_records", "said")))
  expect_true("said" %in% outcome)
})
