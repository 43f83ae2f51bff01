# Records in a file give the fits that a data frame gives, to the last bit; and what is wrong with
# a chunk or a file is said, and leaves nothing behind.

people <- local({
  set.seed(20)
  n <- 400
  data <- data.frame(
    age = sample(20:90, n, TRUE), stay = rexp(n), ward = sample(c("a", "b", "c"), n, TRUE),
    site = sample(c("north", "south", "east"), n, TRUE), w = runif(n, 0, 3)
  )
  data$ill <- data$age / 90 + rnorm(n, sd = 0.3) > 0.7
  data$outcome <- c("no", "yes")[1L + data$ill]
  data$cost <- data$age * 10 + rnorm(n, sd = 50)
  data
})
public <- dpadmm_schema(
  age = c(18, 100), stay = c(0, 3), ward = c("a", "b", "c"), w = c(0, 2),
  outcome = c("no", "yes"), cost = c(0, 1500), `log(stay + 1)` = c(0, 2)
)

#' Chunks of `size` rows, as biglm has them.
in_chunks <- function(data, size) {
  next_row <- 1
  function(reset) {
    if (reset) return(next_row <<- 1)
    if (next_row > nrow(data)) return(NULL)
    rows <- next_row:min(nrow(data), next_row + size - 1)
    next_row <<- next_row + size
    data[rows, ]
  }
}

#' Everything of a fit but the order in which a blueprint names its parts.
parts_of <- function(fit) {
  fit <- fit[setdiff(names(fit), "asked")]
  sorted <- function(b) b[order(names(b))]
  fit$blueprint <- sorted(fit$blueprint)
  fit$plan$problem$blueprint <- sorted(fit$plan$problem$blueprint)
  fit$plan$asked <- NULL
  lapply(fit, unclass)
}

expect_same_fit <- function(found, expected) expect_equal(parts_of(found), parts_of(expected),
  tolerance = 0)

test_that("a fit of a file is that of the data frame, to the last bit", {
  cases <- list(
    list(ill ~ age + stay, nodes = ~site),
    list(ill ~ age + stay, nodes = 3),
    list(ill ~ ward + age, nodes = ~site, rows = "shorten"),
    list(outcome ~ ward * age, nodes = 4),
    list(ill ~ log(stay + 1) + bs(age, knots = 50, Boundary.knots = c(18, 100)), nodes = ~site),
    list(cost ~ age + ward, nodes = 3, loss = "huber"),
    list(ill ~ age + stay, method = "dp_sgd", iterations = 20, delta = 1e-5),
    list(ill ~ age + stay, method = "fp_admm", iterations = 5, delta = 1e-5),
    list(ill ~ ward, nodes = ~site, method = fp_admm(), iterations = 5, delta = 1e-5),
    list(ill ~ age, nodes = 3, epsilon = Inf, iterations = 5),
    list(ill ~ age + ward, nodes = 3, epsilon = Inf)
  )
  for (case in cases) {
    of_file <- setdiff(names(case), "")
    fit <- utils::modifyList(list(epsilon = 2, seed = 5), case[of_file])
    expected <- do.call(dpadmm_fit, c(list(case[[1L]], people, schema = public), fit))
    for (size in c(1, 7, 400)) {
      if (size == 1 && !identical(case, cases[[1L]])) next # slow
      records <- dpadmm_records(in_chunks(people, size), case[[1L]], public, nodes = case$nodes)
      fit$nodes <- NULL
      expect_same_fit(do.call(dpadmm_fit, c(list(records), fit)), expected)
    }
  }
  threads <- dpadmm_control(threads = 2)
  expect_same_fit(
    dpadmm_fit(dpadmm_records(people, ill ~ age + ward, public, ~site), epsilon = 2, seed = 5,
      control = threads),
    dpadmm_fit(ill ~ age + ward, people, ~site, schema = public, epsilon = 2, seed = 5,
      control = threads)
  )
})

test_that("weights, offsets and missing values are those of a data frame", {
  holes <- people
  holes$age[c(1, 5, 100)] <- NA
  holes$ward[c(2, 100)] <- NA
  imputing <- dpadmm_schema(age = c(18, 100), ward = c("a", "b", "c"), w = c(0, 2),
    impute = list(age = 50, ward = "b"))
  for (how in list(
    list(data = people, schema = public, case_weights = ~w, offset = ~log(stay + 1)),
    list(data = holes, schema = imputing), list(data = holes, schema = public, na.action = "omit"),
    list(data = holes, schema = public, na.action = "omit", case_weights = ~w)
  )) {
    more <- how[setdiff(names(how), c("data", "schema"))]
    expected <- do.call(dpadmm_fit, c(list(ill ~ age + ward + offset(stay), how$data, ~site,
      schema = how$schema, epsilon = 2, seed = 5), more))
    for (size in c(7, 1000)) {
      records <- do.call(dpadmm_records, c(list(in_chunks(how$data, size),
        ill ~ age + ward + offset(stay), how$schema, ~site), more))
      expect_same_fit(dpadmm_fit(records, epsilon = 2, seed = 5), expected)
    }
  }
  regression <- dpadmm_records(people, cost ~ age, public, 2, offset = ~stay)
  expect_same_fit(
    dpadmm_fit(regression, loss = "huber", epsilon = 2, seed = 5),
    dpadmm_fit(cost ~ age, people, 2, schema = public, loss = "huber", offset = ~stay,
      epsilon = 2, seed = 5)
  )
  expect_error(dpadmm_fit(regression, loss = "huber", epsilon = 2, case_weights = ~w),
    class = "dpadmm_error_argument"
  )
})

test_that("files, data bases and functions are read alike", {
  expected <- dpadmm_fit(ill ~ age + ward, people, ~site, schema = public, epsilon = 2, seed = 5)
  file <- tempfile(fileext = ".csv")
  utils::write.csv(people, file, row.names = FALSE)
  packed <- paste0(file, ".gz")
  con <- gzfile(packed, "w")
  writeLines(readLines(file), con)
  close(con)
  on.exit(unlink(c(file, packed)))
  for (path in c(file, packed)) {
    records <- dpadmm_records(path, ill ~ age + ward, public, ~site, chunk = 90)
    expect_same_fit(dpadmm_fit(records, epsilon = 2, seed = 5), expected)
  }
  skip_if_not_installed("RSQLite")
  base <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(base), add = TRUE)
  DBI::dbWriteTable(base, "people", transform(people, ill = outcome))
  records <- dpadmm_records(base, outcome ~ age + ward, public, ~site, chunk = 90,
    query = "SELECT * FROM people")
  expect_same_fit(
    dpadmm_fit(records, epsilon = 2, seed = 5),
    dpadmm_fit(outcome ~ age + ward, people, ~site, schema = public, epsilon = 2, seed = 5)
  )
  expect_error(dpadmm_records(base, outcome ~ age, public), class = "dpadmm_error_argument")
})

test_that("record batches of Arrow are read alike", {
  skip_if_not_installed("arrow")
  file <- tempfile(fileext = ".parquet")
  on.exit(unlink(file))
  arrow::write_parquet(people, file)
  expected <- dpadmm_fit(ill ~ age + ward, people, ~site, schema = public, epsilon = 2, seed = 5)
  for (source in list(file, arrow::open_dataset(file),
    arrow::as_record_batch_reader(arrow::arrow_table(people)))) {
    records <- dpadmm_records(source, ill ~ age + ward, public, ~site)
    expect_same_fit(dpadmm_fit(records, epsilon = 2, seed = 5), expected)
  }
})

test_that("a plan sees what is public, and its fit is that of the data frame", {
  records <- dpadmm_records(people, outcome ~ age + ward, public, ~site)
  plan <- dpadmm_plan(records, epsilon = 2, seed = 5)
  sizes <- table(people$site)
  expected <- dpadmm_plan(outcome ~ age + ward, public, sizes, nodes = ~site, epsilon = 2, seed = 5)
  expect_identical(plan$problem$size, expected$problem$size)
  expect_identical(plan$problem$names, expected$problem$names)
  expect_identical(plan$noise, expected$noise)
  expect_identical(plan$eta, expected$eta)
  of_file <- dpadmm_fit(plan, records, seed = 3)
  expect_identical(of_file$coefficients, dpadmm_fit(expected, people, seed = 3)$coefficients)
  expect_identical(of_file$coefficients, dpadmm_fit(expected, records, seed = 3)$coefficients)
  other <- dpadmm_plan(outcome ~ age, public, sizes, epsilon = 2)
  expect_error(dpadmm_fit(other, records), class = "dpadmm_error_plan")
  split <- dpadmm_plan(dpadmm_records(people, outcome ~ age, public, 4), epsilon = 2)
  expect_identical(split$problem$size, rep(100L, 4))
})

test_that("a kept file is opened by its name, others go with their object", {
  file <- tempfile()
  records <- dpadmm_records(people, ill ~ age, public, 2, file = file)
  expect_identical(dim(records), c(400L, 2L))
  expect_output(print(records), "400 records of 2 columns")
  expect_output(print(summary(records)), "2 nodes")
  if (.Platform$OS.type == "unix") {
    expect_identical(format(file.info(file)$mode), "600")
  }
  again <- dpadmm_records(file)
  expect_identical(
    dpadmm_fit(again, epsilon = 1, seed = 1)$coefficients,
    dpadmm_fit(records, epsilon = 1, seed = 1)$coefficients
  )
  expect_error(dpadmm_records(people, ill ~ age, public, file = file),
    class = "dpadmm_error_argument")
  rm(again, records)
  gc()
  expect_true(file.exists(file))
  unlink(file)
  records <- dpadmm_records(people, ill ~ age, public, 2)
  path <- records$path
  expect_true(file.exists(path))
  saved <- unserialize(serialize(records, NULL))
  expect_error(dpadmm_fit(saved, epsilon = 1), "another session", class = "dpadmm_error_argument")
  rm(records, saved)
  gc()
  expect_false(file.exists(path))
})

# ---- what is wrong -----------------------------------------------------------------------

#' Reads in a directory of its own, which must be empty after an error.
refused <- function(source, formula = ill ~ age + ward, class, ...) {
  directory <- tempfile("read-")
  dir.create(directory)
  on.exit(unlink(directory, recursive = TRUE))
  error <- expect_error(
    dpadmm_records(source, formula, public, file = file.path(directory, "records"), ...),
    class = class
  )
  gc()
  expect_identical(list.files(directory, all.files = TRUE, no.. = TRUE), character())
  error
}

#' People in chunks of 50, row 70 of which is spoilt, or all of the second chunk.
spoilt <- function(column, value, rows = 70) {
  data <- people
  if (length(rows) == 1L) data[[column]][rows] <- value
  parts <- split(data, (seq_len(400) - 1) %/% 50)
  if (length(rows) > 1L) parts[[2L]][[column]] <- value
  k <- 0
  function(reset) {
    if (reset) return(k <<- 0)
    k <<- k + 1
    if (k <= 8) parts[[k]]
  }
}

test_that("what is wrong with a chunk is said by chunk, row and column", {
  at <- function(error, column, row = 70) {
    expect_identical(error$place$chunk, 2)
    expect_identical(error$place$column, column)
    expect_equal(error$place$row, row)
    expect_match(conditionMessage(error), "^Chunk 2")
    expect_match(conditionMessage(error), column, fixed = TRUE)
    if (!is.null(row)) expect_match(conditionMessage(error), "row 70", fixed = TRUE)
  }
  at(refused(spoilt("age", NA), class = "dpadmm_error_missing"), "age")
  at(refused(spoilt("age", Inf), class = "dpadmm_error_finite"), "age")
  at(refused(spoilt("ward", "z"), class = "dpadmm_error_level"), "ward")
  at(refused(spoilt("age", "forty"), class = "dpadmm_error_parse"), "age")
  at(refused(spoilt("outcome", "perhaps"), outcome ~ age, "dpadmm_error_labels"), "outcome")
  at(refused(spoilt("site", NA), class = "dpadmm_error_missing", nodes = ~site), "site")
  at(refused(spoilt("age", NULL, 1:2), class = "dpadmm_error_shape"), "age", NULL)
  at(refused(spoilt("ill", 1, 1:2), class = "dpadmm_error_argument"), "ill", NULL)
  at(refused(spoilt("site", 1, 1:2), class = "dpadmm_error_argument", nodes = ~site), "site", NULL)
  k <- 0
  lists <- function(reset) if (reset) k <<- 0 else if ((k <<- k + 1) == 1) people[1:9, ] else 1:3
  expect_match(conditionMessage(refused(lists, class = "dpadmm_error_argument")), "^Chunk 2")
  broken <- function(reset) if (!reset) stop("the line is down")
  expect_match(conditionMessage(refused(broken, class = "dpadmm_error_argument")),
    "the line is down")
  refused(function(reset) NULL, class = "dpadmm_error_shape")
  refused(in_chunks(people, 1), ill ~ I(age > mean(age)), "dpadmm_error_argument")
  wide <- c(public, dpadmm_schema(`scaled(age)` = c(-3, 3)))
  assign("scaled", function(x) x - mean(x), globalenv())
  on.exit(rm("scaled", envir = globalenv()))
  expect_error(dpadmm_records(in_chunks(people, 1), ill ~ scaled(age), wide),
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
  expect_match(conditionMessage(refused(file, ill ~ age, "dpadmm_error_parse", chunk = 10)),
    "line 31")
  writeLines(character(), file)
  refused(file, ill ~ age, "dpadmm_error_parse")
})

test_that("a foreign file and one that was cut short are refused", {
  file <- tempfile()
  dpadmm_records(people, ill ~ age + ward, public, 2, file = file)
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
  records <- dpadmm_records(people, ill ~ age + ward, public, 2, file = file)
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
    "n <- 1e5; data <- data.frame(a = runif(n), b = runif(n), y = 1)",
    "found <- tryCatch(dpadmm_records(data, y ~ a + b, dpadmm_schema(a = 0:1, b = 0:1),",
    sprintf("  file = file.path('%s', 'records')), error = function(e) class(e)[1L])", directory),
    "cat(found)"
  ), script)
  limited <- sprintf("ulimit -f 500; trap '' XFSZ; exec %s --vanilla %s",
    shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script))
  expect_identical(system2("bash", c("-c", shQuote(limited)), stdout = TRUE, stderr = FALSE),
    "dpadmm_error_file")
  expect_identical(list.files(directory, all.files = TRUE, no.. = TRUE), character())

  stopping <- local({
    chunks <- in_chunks(people, 50)
    k <- 0
    function(reset) {
      if (!reset && (k <<- k + 1) == 5) {
        signalCondition(structure(class = c("interrupt", "condition"), list()))
      }
      chunks(reset)
    }
  })
  found <- tryCatch(
    dpadmm_records(stopping, ill ~ age, public, file = file.path(directory, "records")),
    interrupt = function(e) "interrupted"
  )
  expect_identical(found, "interrupted")
  expect_identical(list.files(directory, all.files = TRUE, no.. = TRUE), character())
})
