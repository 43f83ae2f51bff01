# Files of records among other files: nothing but its own is removed, and what is kept is known
# again.

skip_on_cran()

made <- function(file, ...) dpadmm_records(folk, ill ~ age, limits, 2, file = file, ...)
in_folder <- function(code) {
  folder <- tempfile("kept-")
  dir.create(folder)
  before <- setwd(folder)
  on.exit({
    setwd(before)
    unlink(folder, recursive = TRUE)
  })
  force(code)
}

test_that("only the file itself goes with the object, whatever its name, wherever one is then", {
  in_folder({
    for (name in c("data1.txt", "data2.txt", "rec1.dat")) writeLines("precious", name)
    records <- made("data*.txt", keep = FALSE)
    other <- made("rec[1].dat", keep = FALSE)
    rm(records, other)
    gc()
    expect_identical(list.files(), c("data1.txt", "data2.txt", "rec1.dat"))
    for (folder in c("a", "b")) dir.create(folder)
    setwd("a")
    gone <- made("r.dat", keep = FALSE)
    setwd("../b")
    kept <- made("r.dat")
    fit <- suppressWarnings(dpadmm_fit(gone, epsilon = 2, seed = 1, iterations = 2))
    expect_identical(coef(fit),
      coef(suppressWarnings(dpadmm_fit(kept, epsilon = 2, seed = 1, iterations = 2))))
    rm(gone)
    gc()
    setwd("..")
    expect_false(file.exists("a/r.dat"))
    expect_identical(list.files("b"), "r.dat")
  })
})

test_that("a kept file is known by what is in it, and says all there is to say", {
  in_folder({
    kept <- made("people.csv")
    expect_identical(dim(dpadmm_records("people.csv")), dim(kept))
    expect_blame(dpadmm_records("people.csv", nodes = 7), "argument", "nodes")
    expect_blame(dpadmm_records("people.csv", keep = FALSE), "argument", "keep")
    expect_identical(dim(dpadmm_records("people.csv", keep = TRUE, cache = TRUE)), dim(kept))
    expect_blame(made("folder/"), "argument", "file")
    bytes <- readBin("people.csv", "raw", 1e6)
    older <- bytes
    older[16] <- charToRaw("1")
    writeBin(older, "older")
    expect_error(dpadmm_records("older"), "another version", class = "dpadmm_error_parse")
    at <- readBin(bytes[length(bytes) - 39:24], "double", 2L)
    for (byte in at[1L] + round(seq(1, at[2L], length.out = 60))) {
      damaged <- bytes
      damaged[byte] <- xor(damaged[byte], as.raw(4))
      writeBin(damaged, "damaged")
      expect_error(dpadmm_records("damaged"), "damaged", class = "dpadmm_error_parse")
    }
  })
})

test_that("a file that another has made meanwhile stays, and a failed one gives back its place", {
  in_folder({
    chunks <- in_chunks(folk, 100)
    source <- function(reset) {
      if (!reset) writeLines("precious", "r.dat")
      chunks(reset)
    }
    expect_error(dpadmm_records(source, ill ~ age, limits, file = "r.dat"),
      class = "dpadmm_error_file")
    expect_identical(readLines("r.dat"), "precious")
    expect_identical(list.files(all.files = TRUE, no.. = TRUE), "r.dat")
    skip_if_not(dir.exists("/proc/self/fd"))
    gc()
    open <- length(list.files("/proc/self/fd"))
    for (k in 1:5) try(made("bad.dat", query = "x"), silent = TRUE)
    for (k in 1:5) {
      bad <- in_chunks(replace(folk, "age", "x"), 50)
      try(dpadmm_records(bad, ill ~ age, limits), silent = TRUE)
    }
    expect_lte(length(list.files("/proc/self/fd")), open)
  })
})

test_that("a file that has the name of one that is gone stays", {
  in_folder({
    first <- made("r.dat", keep = FALSE)
    unlink("r.dat")
    second <- made("r.dat", keep = TRUE)
    rm(first)
    gc()
    expect_true(file.exists("r.dat"))
    rm(second)
    gc()
    unlink("r.dat")
    third <- made("r.dat", keep = FALSE)
    unlink("r.dat")
    writeLines("precious", "r.dat")
    rm(third)
    gc()
    expect_identical(readLines("r.dat"), "precious")
  })
})

test_that("what is read of a file does not stay in memory, in whatever order rows are", {
  skip_if_not(file.exists("/proc/self/smaps"))
  stays <- function(path) { # pages of the file that this process has, in bytes
    lines <- readLines("/proc/self/smaps")
    of_file <- cumsum(grepl("^[0-9a-f]+-[0-9a-f]+ ", lines))
    own <- of_file %in% of_file[grepl(path, lines, fixed = TRUE)]
    sum(as.numeric(gsub("[^0-9]", "", grep("^Rss:", lines[own], value = TRUE)))) * 1024
  }
  n <- 3e5
  wide <- stats::setNames(as.data.frame(matrix(seq_len(9 * n) %% 97 / 97, n)), paste0("x", 1:9))
  wide$y <- seq_len(n) %% 3 == 0
  bounds <- do.call(dpadmm_schema, stats::setNames(rep(list(c(0, 1)), 9), names(wide)[1:9]))
  wide$ward <- rep_len(letters, n)
  for (formula in list(reformulate(names(wide)[1:9], "y"), y ~ ward + x1 + x2)) {
    records <- dpadmm_records(wide, formula, c(bounds, dpadmm_schema(ward = letters)), nodes = 3)
    expect_gt(file.size(records$path), 15e6)
    short_fit(records)
    expect_lt(stays(records$path), 12e6) # pieces that passes have not given back yet
  }
})

test_that("records that a column dealt out are its nodes', or one holder's, and nobody else's", {
  records <- dpadmm_records(folk, ill ~ age, limits, ~site)
  fit <- function(x, ...) dpadmm_fit(x, ..., epsilon = 2, seed = 1, iterations = 2)
  expect_blame(fit(records, nodes = folk$site), "argument", "nodes")
  expect_blame(fit(records, nodes = 3), "argument", "nodes")
  expect_blame(fit(records, nodes = ~tolower(site)), "argument", "nodes")
  expect_blame(dpadmm_records(folk, ill ~ age, limits, ~tolower(site)), "argument", "nodes")
  expect_blame(fit(ill ~ age, folk, ~tolower(site), schema = limits), "argument", "nodes")
  expect_blame(fit(records, y = !folk$ill), "argument", "y")
  expect_blame(fit(ill ~ age, folk, 2, schema = limits, y = !folk$ill), "argument", "y")
  plan <- dpadmm_plan(records, epsilon = 2, iterations = 2)
  expect_blame(dpadmm_fit(plan, records, nodes = folk$site), "argument", "nodes")
  alone <- dpadmm_plan(ill ~ age, limits, sizes = 400, method = dp_sgd(), epsilon = 2, delta = 1e-5,
    iterations = 3)
  expect_identical(coef(dpadmm_fit(alone, records, seed = 1)),
    coef(dpadmm_fit(alone, folk[order(folk$site), ], seed = 1)))
  numbers <- dpadmm_records(folk, cost ~ age, limits, 2)
  planned <- dpadmm_plan(numbers, loss = "huber", epsilon = 2, iterations = 2)
  expect_identical(coef(dpadmm_fit(planned, numbers, seed = 1)),
    coef(dpadmm_fit(numbers, loss = "huber", epsilon = 2, iterations = 2, seed = 1)))
  dotted <- dpadmm_schema(age = c(18, 100), site = c("east", "north", "south"))
  expect_identical(dpadmm_records(folk, ill ~ ., dotted, ~site)$blueprint$columns,
    c("(Intercept)", "age"))
})
