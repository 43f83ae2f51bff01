# Files with bytes that are no text, and compressed data without a beginning: errors of the package,
# with their line.

damaged <- function(bytes, at, byte = as.raw(0xe9)) append(bytes, byte, at)
in_file <- function(bytes) {
  file <- tempfile(fileext = ".dcf")
  writeBin(bytes, file)
  file
}
text_bytes <- function(...) charToRaw(paste0(c(...), "\n", collapse = ""))

test_that("what begins as bzip2 and is none is damaged", {
  expect_error(read_libsvm(in_file(c(charToRaw("BZh"), as.raw(1:40)))),
    class = "dpadmm_error_parse")
  packed <- memCompress(text_bytes("1 1:1"), "bzip2")
  expect_error(read_libsvm(in_file(c(charToRaw("BZh9"), packed))), class = "dpadmm_error_parse")
  expect_identical(read_libsvm(in_file(packed))$y, 1)
})

test_that("readers of numbers name the line of a foreign byte", {
  bio <- text_bytes(vapply(1:3, function(k) paste(c(k, k, 1, 1:74), collapse = " "), ""))
  line <- tryCatch(read_bio_train(in_file(damaged(bio, which(bio == 0x0a)[2L] + 12L))),
    dpadmm_error_parse = function(e) e$place)
  expect_identical(line, 3L)

  schema <- dpadmm_schema(SEX = c("1", "2"))
  census <- function(...) {
    lines <- list(...)
    bytes <- unlist(lapply(lines, function(l) c(if (is.raw(l)) l else charToRaw(l), as.raw(10))))
    read_census(in_file(bytes), "INCTOT", 10, schema)
  }
  bad <- as.raw(c(0x31, 0xe9))
  field <- c(bad, charToRaw(",20"))
  error <- tryCatch(census("SEX,INCTOT", "1,30", field), dpadmm_error_parse = identity)
  expect_identical(error$place, 3L)
  expect_match(conditionMessage(error), "UTF-8")
  # a column that nobody asked for may be in any encoding
  note <- c(charToRaw("2,20,"), bad)
  expect_identical(census("SEX,INCTOT,NOTE", "1,5,a", note)$y, c(-1, 1))
})

test_that("policies name the line of a foreign byte", {
  bytes <- readBin(system.file("policy.dcf", package = "dpadmm"), "raw", 1e4)
  error <- tryCatch(site_policy_file(in_file(damaged(bytes, which(bytes == 0x0a)[1L] + 3L))),
    dpadmm_error_policy = identity)
  expect_match(conditionMessage(error), "^Line 2 .* UTF-8")
})

test_that("a file of runs that is damaged is an error of the package, and stays", {
  file <- tempfile()
  experiment(data.frame(a = 1:2), function(a, seed) data.frame(b = a), 2, file = file)
  bytes <- readBin(file, "raw", file.size(file))
  expect_error(read_experiment(in_file(damaged(bytes, length(bytes) - 4L))),
    "line 1?[0-9] is not UTF-8", class = "dpadmm_error_parse")
  ragged <- in_file(text_bytes(readLines(file)[1L], "a,b", readLines(file)[3L], "1,2,3,4,5", "#"))
  expect_error(read_experiment(ragged), class = "dpadmm_error_parse")
  empty <- in_file(raw())
  expect_error(read_experiment(empty), class = "dpadmm_error_parse")
  expect_true(file.exists(empty))
})

test_that("a run that cannot be taken up again leaves no file open", {
  skip_unless_sites()
  file <- tempfile()
  sites <- sites_local(site_frames(), site_schema, epsilon = 9, delta = 1e-4, simulation = TRUE)
  fit <- quiet_fit(ill ~ age, sites, epsilon = 1, delta = 1e-5, iterations = 2, seed = 1,
    save = file)
  con <- file(file, "rb")
  header <- unserialize(con)
  close(con)
  header$recipe <- "no plan"
  con <- file(file, "wb")
  serialize(header, con)
  close(con)
  open <- nrow(showConnections())
  expect_error(dpadmm_resume(file, sites), class = "dpadmm_error_plan")
  expect_identical(nrow(showConnections()), open)
})
