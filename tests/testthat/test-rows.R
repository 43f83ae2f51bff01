# Which rows of columns are identical.

test_that("rows that are identical have one number, as words for them have", {
  set.seed(91)
  word <- function(x) {
    if (!is.double(x)) return(as.character(x))
    replace(sprintf("%a", x), x %in% 0, "0")
  }
  makers <- list(
    function(n) sample(c(0, -0, NA, NaN, 1, 1 + 2^-52, -Inf), n, TRUE),
    function(n) sample(c(1:3, NA), n, TRUE), function(n) sample(c("a", "b", NA), n, TRUE),
    function(n) sample(c(TRUE, NA), n, TRUE), stats::rnorm, function(n) rep(2, n)
  )
  for (n in c(1L, 2L, 7L, 500L)) for (again in 1:20) {
    columns <- lapply(makers[sample(6L, sample(4L, 1L), TRUE)], function(make) make(n))
    words <- do.call(paste, lapply(columns, word))
    expect_identical(row_kind(columns), match(words, unique(words)))
  }
  expect_identical(row_kind(list(numeric())), integer())
  for (bad in list(list(), list(1:2, 1:3), list(list(1)), list(NULL), list(1, 2i))) {
    expect_error(row_kind(bad), class = "dpadmm_error_argument")
  }
})

test_that("groups of rows that are identical, in their order, are one", {
  set.seed(92)
  for (again in 1:100) {
    groups <- sample(8L, 1L)
    n <- sample(0:30, 1L)
    group <- sample(groups, n, TRUE)
    columns <- list(sample(2L, n, TRUE), sample(c(0.5, NA), n, TRUE))
    if (again %% 2 == 0) columns[[1L]] <- rep(1L, n)
    words <- vapply(seq_len(groups), function(g) {
      paste(columns[[1L]][group == g], columns[[2L]][group == g], collapse = ";")
    }, "")
    expect_identical(row_groups(columns, group, groups), match(words, words))
  }
  expect_identical(row_groups(list(c(1, 1, 1)), c(1, 2, 2), 4), c(1L, 2L, 3L, 3L))
  for (bad in list(list(1:2, 1L, 1L), list(1:2, c(1L, 3L), 2L), list(1:2, 0:1, 2L),
    list(1:2, c(1L, NA), 2L), list(1:2, 1:2, -1L), list(1:2, 1:2, NA_integer_))) {
    expect_error(row_groups(bad[1L], bad[[2L]], bad[[3L]]), class = "dpadmm_error_argument")
  }
})

test_that("groups of numbers are added up, and those without any are 0", {
  set.seed(93)
  x <- rnorm(200) * 10^sample(-8:8, 200, TRUE)
  group <- sample(setdiff(1:40, 7L), 200, TRUE)
  expect_identical(group_sums(x, group, 40), vapply(1:40, function(g) sum(x[group == g]), 0))
  # as sum() does, with more digits on the way than doubles have
  x <- c(1, 1e-17, 1e-17, 1e-16)
  expect_identical(group_sums(x, rep(1L, 4), 1), sum(x))
  expect_identical(group_sums(numeric(), integer(), 2), c(0, 0))
  for (bad in list(list(1:2, c(1L, 1L), 1), list(1, c(1L, 1L), 1), list(c(1, 2), c(1L, 3L), 2),
    list(c(1, 2), 0:1, 2), list(c(1, 2), c(1L, NA), 2), list(c(1, 2), c(1, 2), 2),
    list(c(1, 2), 1:2, -1), list(c(1, 2), 1:2, NA))) {
    expect_error(group_sums(bad[[1L]], bad[[2L]], bad[[3L]]), class = "dpadmm_error_argument")
  }
})
