# Records in a file give the fits that a data frame gives, to the last bit.

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
    list(ill ~ age + stay, nodes = ~site, epsilon = Inf),
    list(ill ~ ward + age, nodes = ~site, epsilon = Inf, method = fp_admm()),
    list(ill ~ age + ward, nodes = 3, epsilon = Inf)
  )
  for (case in cases) {
    of_file <- setdiff(names(case), "")
    fit <- utils::modifyList(list(epsilon = 2, seed = 5), case[of_file])
    expected <- do.call(dpadmm_fit, c(list(case[[1L]], folk, schema = limits), fit))
    for (size in c(1, 7, 400)) {
      if (size == 1 && !identical(case, cases[[1L]])) next # slow
      records <- dpadmm_records(in_chunks(folk, size), case[[1L]], limits, nodes = case$nodes)
      fit$nodes <- NULL
      expect_same_fit(do.call(dpadmm_fit, c(list(records), fit)), expected)
    }
  }
  threads <- dpadmm_control(threads = 2)
  expect_same_fit(
    dpadmm_fit(dpadmm_records(folk, ill ~ age + ward, limits, ~site), epsilon = 2, seed = 5,
      control = threads),
    dpadmm_fit(ill ~ age + ward, folk, ~site, schema = limits, epsilon = 2, seed = 5,
      control = threads)
  )
})

test_that("weights, offsets and missing values are those of a data frame", {
  holes <- folk
  holes$age[c(1, 5, 100)] <- NA
  holes$ward[c(2, 100)] <- NA
  imputing <- dpadmm_schema(age = c(18, 100), ward = c("a", "b", "c"), w = c(0, 2),
    impute = list(age = 50, ward = "b"))
  for (how in list(
    list(data = folk, schema = limits, case_weights = ~w, offset = ~log(stay + 1)),
    list(data = holes, schema = imputing), list(data = holes, schema = limits, na.action = "omit"),
    list(data = holes, schema = limits, na.action = "omit", case_weights = ~w)
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
  regression <- dpadmm_records(folk, cost ~ age, limits, 2, offset = ~stay)
  expect_same_fit(
    dpadmm_fit(regression, loss = "huber", epsilon = 2, seed = 5),
    dpadmm_fit(cost ~ age, folk, 2, schema = limits, loss = "huber", offset = ~stay,
      epsilon = 2, seed = 5)
  )
  expect_error(dpadmm_fit(regression, loss = "huber", epsilon = 2, case_weights = ~w),
    class = "dpadmm_error_argument"
  )
})

test_that("a query may have several lines", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "folk", folk[c("age", "cost")])
  read <- function(query) dpadmm_records(con, cost ~ age, limits, query = query)
  expect_identical(dim(read("select age,\n\tcost\r\nfrom folk")), c(400L, 2L))
  expect_blame(read("select\u0001 1"), "argument", "query")
})

test_that("files, data bases and functions are read alike", {
  expected <- dpadmm_fit(ill ~ age + ward, folk, ~site, schema = limits, epsilon = 2, seed = 5)
  file <- tempfile(fileext = ".csv")
  utils::write.csv(folk, file, row.names = FALSE)
  packed <- paste0(file, ".gz")
  con <- gzfile(packed, "w")
  writeLines(readLines(file), con)
  close(con)
  on.exit(unlink(c(file, packed)))
  for (path in c(file, packed)) {
    records <- dpadmm_records(path, ill ~ age + ward, limits, ~site, chunk = 90)
    expect_same_fit(dpadmm_fit(records, epsilon = 2, seed = 5), expected)
  }
  utils::capture.output(type = "message", with_bar <- dpadmm_records(file, ill ~ age + ward, limits,
    ~site, chunk = 90, progress = TRUE))
  expect_same_fit(dpadmm_fit(with_bar, epsilon = 2, seed = 5), expected)
  skip_if_not_installed("RSQLite")
  base <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(base), add = TRUE)
  DBI::dbWriteTable(base, "people", transform(folk, ill = outcome))
  records <- dpadmm_records(base, outcome ~ age + ward, limits, ~site, chunk = 90,
    query = "SELECT * FROM people")
  expect_same_fit(
    dpadmm_fit(records, epsilon = 2, seed = 5),
    dpadmm_fit(outcome ~ age + ward, folk, ~site, schema = limits, epsilon = 2, seed = 5)
  )
  expect_error(dpadmm_records(base, outcome ~ age, limits), class = "dpadmm_error_argument")
})

test_that("a plan sees what is public, and its fit is that of the data frame", {
  records <- dpadmm_records(folk, outcome ~ age + ward, limits, ~site)
  plan <- dpadmm_plan(records, epsilon = 2, seed = 5)
  sizes <- table(folk$site)
  expected <- dpadmm_plan(outcome ~ age + ward, limits, sizes, nodes = ~site, epsilon = 2, seed = 5)
  expect_identical(plan$problem$size, expected$problem$size)
  expect_identical(plan$problem$names, expected$problem$names)
  expect_identical(plan$noise, expected$noise)
  expect_identical(plan$eta, expected$eta)
  of_file <- dpadmm_fit(plan, records, seed = 3)
  expect_identical(of_file$coefficients, dpadmm_fit(expected, folk, seed = 3)$coefficients)
  expect_identical(of_file$coefficients, dpadmm_fit(expected, records, seed = 3)$coefficients)
  other <- dpadmm_plan(outcome ~ age, limits, sizes, epsilon = 2)
  expect_error(dpadmm_fit(other, records), class = "dpadmm_error_plan")
  split <- dpadmm_plan(dpadmm_records(folk, outcome ~ age, limits, 4), epsilon = 2)
  expect_identical(split$problem$size, rep(100L, 4))
})

test_that("a kept file is opened by its name, others go with their object", {
  file <- tempfile()
  records <- dpadmm_records(folk, ill ~ age, limits, 2, file = file)
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
  expect_error(dpadmm_records(folk, ill ~ age, limits, file = file),
    class = "dpadmm_error_argument")
  rm(again, records)
  gc()
  expect_true(file.exists(file))
  unlink(file)
  records <- dpadmm_records(folk, ill ~ age, limits, 2)
  path <- records$path
  expect_true(file.exists(path))
  saved <- unserialize(serialize(records, NULL))
  expect_error(dpadmm_fit(saved, epsilon = 1), "another session", class = "dpadmm_error_argument")
  rm(records, saved)
  gc()
  expect_false(file.exists(path))
})

test_that("passes that read past the system's cache give the same, from the disk", {
  n <- 40000
  wide <- as.data.frame(dpadmm:::with_r_seed(1, matrix(stats::runif(n * 16), n)))
  wide$y <- wide$V1 > 0.5
  schema <- do.call(dpadmm_schema, stats::setNames(rep(list(c(0, 1)), 16), names(wide)[1:16]))
  file <- tempfile()
  on.exit(unlink(file))
  made <- dpadmm_records(wide, stats::reformulate(names(wide)[1:16], "y"), schema, file = file,
    cache = TRUE)
  expect_true(made$held$store$cache)
  from_disk <- function() {
    if (!file.exists("/proc/self/io")) return(NA)
    as.numeric(sub("[^0-9]*", "", grep("^read_bytes", readLines("/proc/self/io"), value = TRUE)))
  }
  taken <- numeric()
  for (cache in c(TRUE, FALSE)) {
    records <- dpadmm_records(file, cache = cache)
    before <- from_disk()
    fits <- lapply(1:2, function(threads) {
      dpadmm_fit(records, method = dp_sgd(), epsilon = 2, delta = 1e-6, iterations = 2, seed = 5,
        inference = "sandwich", control = dpadmm_control(threads = threads))
    })
    expect_identical(coef(fits[[1L]]), coef(fits[[2L]]))
    if (cache) kept <- fits[[1L]] else expect_same_fit(fits[[1L]], kept)
    taken[1L + !cache] <- from_disk() - before
  }
  expect_identical(dpadmm_records(file)$held$store$cache, TRUE) # it is small
  expect_error(dpadmm_records(file, cache = NA), class = "dpadmm_error_argument")
  # a file system that is memory, or a system without such reading
  skip_if(!isTRUE(taken[2L] > 0), "this system does not count what it reads from the disk")
  expect_gt(taken[2L], 2 * file.size(file))
})
