# Sources of records that are not what they seem: cut short, of other types, with names of their
# own.

skip_on_cran()

csv_of <- function(data, name = ".csv") {
  path <- tempfile(fileext = name)
  con <- if (grepl("gz$", name)) gzfile(path) else file(path)
  utils::write.csv(data, con, row.names = FALSE, quote = FALSE)
  path
}
wide <- dpadmm_schema(age = c(18, 100), cost = c(0, 1500))
aged <- dpadmm_schema(age = c(18, 100))

test_that("compressed files are whole or refused, wherever they are cut", {
  data <- data.frame(age = rep(20:89, 20), ill = rep(0:1, 700), cost = seq_len(1400))
  path <- csv_of(data, ".csv.gz")
  expect_same_fit(short_fit(dpadmm_records(path, ill ~ age + cost, wide, 2)),
    short_fit(ill ~ age + cost, data, 2, schema = wide))
  bytes <- readBin(path, "raw", 1e6)
  cut <- tempfile(fileext = ".csv.gz")
  for (size in round(seq(25, length(bytes) - 1, length.out = 40))) {
    writeBin(bytes[seq_len(size)], cut)
    expect_error(dpadmm_records(cut, ill ~ age + cost, wide), class = "dpadmm_error_parse")
  }
  con <- gzfile(part <- tempfile())
  writeLines(rep("50,1,3", 9), con)
  close(con)
  writeBin(c(bytes, readBin(part, "raw", 1e6)), cut) # of two streams the last has its size alone
  expect_error(dpadmm_records(cut, ill ~ age + cost, wide), "several", class = "dpadmm_error_parse")
})

test_that("whose records they are is told by all of a file, however it is cut into chunks", {
  data <- data.frame(age = 20:67, ill = rep(0:1, 24))
  sites <- list(
    numbers = rep(c(10, 9, 2), 16), mixed = rep(c("1", "2", "A"), c(20, 20, 8)),
    truths = rep(c("T", "F", "X"), c(20, 20, 8)),
    dates = rep(as.Date("2020-01-03") - 0:2, 16)
  )
  for (site in sites) {
    data$site <- site
    expected <- short_fit(ill ~ age, data, ~site, schema = aged)
    path <- csv_of(data)
    for (chunk in c(5, 1000)) {
      found <- short_fit(dpadmm_records(path, ill ~ age, aged, ~site, chunk = chunk))
      expect_identical(found$nodes$names, as.character(sort(unique(site))))
      expect_identical(coef(found), coef(expected))
    }
    found <- short_fit(dpadmm_records(in_chunks(data, 7), ill ~ age, aged, ~site))
    expect_identical(found$nodes, expected$nodes)
  }
  data$site <- sites$numbers # of a schema, and a predictor
  both <- dpadmm_schema(age = c(18, 100), site = c(1, 20))
  expect_same_fit(short_fit(dpadmm_records(csv_of(data), ill ~ age + site, both, ~site, chunk = 9)),
    short_fit(ill ~ age + site, data, ~site, schema = both))
  data$site <- as.POSIXlt(sites$dates)
  found <- dpadmm_records(data, ill ~ age, aged, ~site)
  expect_identical(names(found$sizes), as.character(sort(unique(as.POSIXct(data$site)))))
  for (chunk in c(1, 5, 1000)) {
    path <- csv_of(cbind(data[c("age", "ill")], site = rep(c("a", "", "b"), 16)))
    error <- expect_error(dpadmm_records(path, ill ~ age, aged, ~site, chunk = chunk),
      class = "dpadmm_error_missing")
    expect_equal(error$place$row, 2)
  }
})

test_that("chunks that begin with missing labels, weights and offsets are of the type of others", {
  data <- round(folk[c("age", "stay", "w")], 6) # what a file of text has
  data$ill <- folk$ill + 0
  needed <- dpadmm_schema(age = c(18, 100), stay = c(0, 3), w = c(0, 2))
  for (column in c("ill", "w", "stay")) {
    holes <- data
    holes[[column]][1:9] <- NA
    fit <- function(x, ...) short_fit(x, ..., case_weights = ~w, offset = ~stay)
    expected <- fit(ill ~ age, holes, 2, schema = needed, na.action = "omit")
    for (chunk in c(3, 1000)) {
      for (source in list(csv_of(holes), in_chunks(holes, chunk))) {
        found <- dpadmm_records(source, ill ~ age, needed, 2, case_weights = ~w, offset = ~stay,
          na.action = "omit", chunk = chunk)
        expect_identical(coef(short_fit(found)), coef(expected))
      }
    }
  }
  none <- data.frame(age = rep(NA_real_, 8), ill = rep(0:1, 4))
  records <- dpadmm_records(none, ill ~ age, aged, 2, na.action = "omit")
  expect_identical(coef(short_fit(records)),
    coef(short_fit(ill ~ age, none, 2, schema = aged, na.action = "omit")))
  expect_s3_class(dpadmm_plan(records, epsilon = 1), "dpadmm_plan")
})

test_that("columns of other types or shapes are refused by chunk and column", {
  spoil <- function(value) {
    chunks <- split(folk, rep(1:8, each = 50))
    chunks[[3]]$age <- value(chunks[[3]]$age)
    error <- expect_error(dpadmm_records(from_parts(chunks), ill ~ age, limits), "^Chunk 3.*`age`",
      class = "dpadmm_error")
    expect_identical(error$place$chunk, 3)
    expect_identical(error$place$column, "age")
    class(error)[1L]
  }
  expect_identical(spoil(as.character), "dpadmm_error_argument") # numbers, but in quotes
  expect_identical(spoil(function(x) cbind(x, x)), "dpadmm_error_argument")
  expect_identical(spoil(function(x) I(as.list(x))), "dpadmm_error_argument")
  expect_identical(spoil(function(x) replace(as.character(x), 7, "\xe9")), "dpadmm_error_parse")
  error <- expect_error(dpadmm_records(folk, outcome ~ age, wide), "levels of `outcome`",
    class = "dpadmm_error_argument")
  expect_identical(error$place$column, "outcome")
  expect_error(dpadmm_records(function(reset) stop("the line is down"), ill ~ age, wide),
    "the line is down", class = "dpadmm_error_argument")
  expect_blame(dpadmm_records(), "argument", "source")
  folder <- tempfile(fileext = ".csv")
  dir.create(folder)
  expect_silent(expect_blame(dpadmm_records(folder, ill ~ age, wide), "argument", "source"))
  path <- tempfile(fileext = ".csv")
  writeBin(c(charToRaw("age,il"), as.raw(0), charToRaw("l\n40,1\n")), path)
  expect_silent(expect_error(dpadmm_records(path, ill ~ age, wide), class = "dpadmm_error_parse"))
})

test_that("in a LIBSVM file terms of the schema are no features, and errors name chunk and row", {
  path <- tempfile(fileext = ".libsvm")
  writeLines(c("+1 1:.5 2:2", "", "-1 1:.25 2:1"), path)
  plain <- dpadmm_schema(x1 = c(-1, 3), x2 = c(-1, 3))
  term <- dpadmm_schema(`I(x1^2)` = c(0, 1), x1 = c(-1, 3), x2 = c(-1, 3))
  read <- function(schema) {
    records <- dpadmm_records(path, y ~ x1 + x2, schema)
    dpadmm:::read_rows(records$held$store)
  }
  expect_identical(read(term), read(plain))
  writeLines(c("+1 1:.5 2:2", "", "-1 1:.25 2:one"), path)
  error <- expect_error(dpadmm_records(path, y ~ x1 + x2, plain), "^Chunk 1, row 2: Line 3",
    class = "dpadmm_error_parse")
  expect_equal(error$place[c("chunk", "row", "line")], list(chunk = 1, row = 2, line = 3))
})

test_that("lines of other numbers of cells are no records, whatever the number", {
  path <- tempfile(fileext = ".csv")
  refused <- function(lines, row, chunks = c(1, 2, 3, 1000)) {
    for (chunk in chunks) {
      writeLines(c("age,ill", lines), path)
      error <- expect_error(dpadmm_records(path, ill ~ age, aged, chunk = chunk), "2 cells",
        class = "dpadmm_error_parse")
      expect_equal(error$place$row, row)
    }
  }
  refused(c("20,0", "30,1,40,0", "50,1"), 2)
  refused(c("20,0", "30,1", "50,1,60,0,70,1"), 3)
  refused(c("20,0", "", "30,1", "", "40,0", "", "50"), 4)
  refused(c("20,0", "\"30", "\",1,7"), 2)
  cat("age,ill\n20,0\n30", file = path)
  expect_equal(expect_error(dpadmm_records(path, ill ~ age, aged))$place$row, 2)
  writeLines(c("age,ill", "20,0", "30,1,", "40,0"), path) # an empty one at the end does not matter
  expect_identical(dim(dpadmm_records(path, ill ~ age, aged)), c(3L, 2L))
  writeLines(c("\"the\nage\",ill", "20,0", "\"30\",1"), path)
  expect_silent(records <- dpadmm_records(path, ill ~ 1, aged))
  expect_identical(dim(records), c(2L, 1L))
})

test_that("bzip2 files are whole or refused", {
  lines <- c("age,ill,id", sprintf("%d,%d,%.12f", rep(20:79, 150), 0:1, sin(1:9000)))
  path <- tempfile(fileext = ".csv.bz2")
  con <- bzfile(path, compression = 1)
  writeLines(lines, con)
  close(con)
  expect_identical(dim(dpadmm_records(path, ill ~ age, aged)), c(9000L, 2L))
  bytes <- readBin(path, "raw", 1e6)
  for (size in round(length(bytes) * c(0.1, 0.5, 0.9, 0.999))) {
    writeBin(bytes[seq_len(size)], path)
    expect_error(dpadmm_records(path, ill ~ age, aged), class = "dpadmm_error_parse")
  }
})

test_that("what calls read is as it came: factors, dates and truth values, however they begin", {
  data <- data.frame(age = 20:69, ill = 0:1,
    size = factor(rep(c("S", "M", "L"), length.out = 50), c("S", "M", "L"), ordered = TRUE))
  data$late <- data$age > 40
  data$day <- as.Date("2020-01-01") + 7 * seq(0, 49)
  coded <- dpadmm_schema(`I(as.integer(size))` = c(1, 3), `I(size >= "M")` = c("FALSE", "TRUE"),
    `I(paste(late) == "TRUE")` = c("FALSE", "TRUE"), `I(as.numeric(format(day, "%m")))` = c(1, 12))
  formula <- ill ~ I(as.integer(size)) + I(size >= "M") + I(paste(late) == "TRUE") +
    I(as.numeric(format(day, "%m")))
  for (holes in list(data, replace(data, c("late", "day"), lapply(data[c("late", "day")],
    replace, 1:10, NA)))) {
    expected <- short_fit(formula, holes, 2, schema = coded, na.action = "omit")
    for (chunk in c(3, 5, 1000)) {
      found <- dpadmm_records(in_chunks(holes, chunk), formula, coded, 2, na.action = "omit")
      expect_identical(coef(short_fit(found)), coef(expected))
    }
  }
  odd <- local({
    k <- 0
    function(reset) if (reset) k <<- 0 else if ((k <<- k + 1) < 3) {
      if (k == 2) data$size <- factor(data$size, c("L", "M", "S"), ordered = TRUE)
      data
    }
  })
  error <- expect_error(dpadmm_records(odd, I(size >= "M") ~ age, aged), "levels of `size`",
    class = "dpadmm_error_argument")
  expect_identical(error$place[c("chunk", "column")], list(chunk = 2, column = "size"))
  data$ym <- matrix(data$ill)
  expect_identical(coef(short_fit(dpadmm_records(data, ym ~ age, aged, 2))),
    coef(short_fit(ill ~ age, data, 2, schema = aged)))
  data$site <- c("1", "NaN")
  expect_error(dpadmm_records(csv_of(data[c("age", "ill", "site")]), ill ~ age, aged, ~site),
    class = "dpadmm_error_missing")
})

test_that("names that are none of R's are columns, also where they look like calls", {
  odd <- dpadmm_schema(`sex=male` = c(0, 1), `age (years)` = c(18, 100), `a>b` = c(0, 1))
  data <- data.frame(`sex=male` = rep(0:1, 20), `age (years)` = 20:59, `a>b` = rep(0:1, each = 20),
    ill = rep(c(0, 0, 1), length.out = 40), check.names = FALSE)
  columns <- c("(Intercept)", "`sex=male`", "`age (years)`", "`a>b`")
  expect_identical(dpadmm_records(data, ill ~ ., odd)$blueprint$columns, columns)
  plan <- dpadmm_plan(ill ~ ., odd, sizes = c(9, 9), epsilon = 1)
  expect_identical(plan$problem$blueprint$columns, columns)
})

test_that("single values from elsewhere are public, columns must be there", {
  assign("dpadmm_unit", 10, globalenv())
  on.exit(rm("dpadmm_unit", envir = globalenv()))
  schema <- c(limits, dpadmm_schema(`I(age/dpadmm_unit)` = c(2, 9), `I(stay * pi)` = c(0, 9)))
  formula <- ill ~ I(age / dpadmm_unit) + I(stay * pi)
  weighted <- function(f, ...) f(..., case_weights = ~w / dpadmm_unit, weight_bound = 0.2)
  expected <- weighted(short_fit, formula, folk, nodes = 3, schema = schema)
  records <- weighted(dpadmm_records, in_chunks(folk, 70), formula, schema, nodes = 3)
  expect_same_fit(short_fit(records), expected)
  expect_length(predict(expected, folk), 400)
  plan <- dpadmm_plan(formula, schema, sizes = c(200, 200), epsilon = 2, iterations = 2)
  expect_length(coef(dpadmm_fit(plan, folk, seed = 1)), 3)
  age <- dpadmm_schema(dpadmm_unit = 0:1, age = c(18, 100))
  lost <- expect_error(dpadmm_records(folk, ill ~ age + dpadmm_unit, age),
    class = "dpadmm_error_shape")
  expect_identical(lost$argument, "dpadmm_unit")
  folk$dpadmm_unit <- 10
  lost <- from_parts(list(folk[1:50, ], folk[51:100, names(folk) != "dpadmm_unit"]))
  error <- expect_error(dpadmm_records(lost, formula, schema), class = "dpadmm_error_shape")
  expect_identical(error$place, list(chunk = 2, row = 51, column = "dpadmm_unit"))
})

test_that("weights and labels of text are of the type of numbers, or of the first, row by row", {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  spoil <- function(column, value, ...) {
    folk$ill <- as.integer(folk$ill)
    folk[[column]] <- replace(as.character(folk[[column]]), 70, value)
    write.csv(folk, file, row.names = FALSE)
    error <- refused(file, class = "dpadmm_error_parse", ...)
    expect_identical(error$place, list(chunk = 1, row = 70, column = column))
    conditionMessage(error)
  }
  expect_match(spoil("w", "1,5", case_weights = ~w, weight_bound = 2), 'is no number but "1,5"')
  expect_match(spoil("stay", "x", offset = ~stay), "no number")
  expect_match(spoil("ill", "yes"), "no number")
  folk$ill <- ifelse(folk$ill, "TRUE", "FALSE")
  folk$ill[70] <- "yes"
  write.csv(folk, file, row.names = FALSE)
  expect_match(conditionMessage(refused(file, class = "dpadmm_error_parse")), "no truth value")
  folk$ill <- folk$outcome
  write.csv(folk, file, row.names = FALSE)
  refused(file, class = "dpadmm_error_argument") # words are levels, which must be stated
})

test_that("labels are what they are where no row is whole", {
  lost <- transform(folk, ward = NA_character_)
  of <- function(label) {
    formula <- stats::reformulate(c("age", "ward"), label)
    records <- dpadmm_records(lost, formula, limits, 4, na.action = "omit")
    found <- suppressWarnings(short_fit(records))
    expected <- suppressWarnings(
      short_fit(formula, lost, 4, schema = limits, na.action = "omit"))
    expect_same_fit(found, expected)
    expect_identical(stats::predict(found, folk, type = "class"),
      stats::predict(expected, folk, type = "class"))
  }
  for (label in c("ill", "outcome")) of(label)
})
