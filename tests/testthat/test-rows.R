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
