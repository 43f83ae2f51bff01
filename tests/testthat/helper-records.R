# Records for a file, as chunks, and all of a fit.

folk <- dpadmm:::with_r_seed(20, local({
  n <- 400
  data <- data.frame(
    age = sample(20:90, n, TRUE), stay = stats::rexp(n), ward = sample(c("a", "b", "c"), n, TRUE),
    site = sample(c("north", "south", "east"), n, TRUE), w = stats::runif(n, 0, 3)
  )
  data$ill <- data$age / 90 + stats::rnorm(n, sd = 0.3) > 0.7
  data$outcome <- c("no", "yes")[1L + data$ill]
  data$cost <- data$age * 10 + stats::rnorm(n, sd = 50)
  data
}))
limits <- dpadmm_schema(
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

#' A fit of records, or of the data frame that they should be as.
short_fit <- function(x, ...) {
  suppressWarnings(dpadmm_fit(x, ..., epsilon = 2, seed = 5, iterations = 3),
    classes = "dpadmm_warning_utility")
}

#' Reads in a directory of its own, which must be empty after an error.
refused <- function(source, formula = ill ~ age + ward, class, ..., schema = limits) {
  directory <- tempfile("read-")
  dir.create(directory)
  on.exit(unlink(directory, recursive = TRUE))
  error <- expect_error(
    dpadmm_records(source, formula, schema, file = file.path(directory, "records"), ...),
    class = class
  )
  gc()
  expect_identical(list.files(directory, all.files = TRUE, no.. = TRUE), character())
  error
}

#' A source of these chunks, whatever they are.
from_parts <- function(parts) {
  k <- 0
  function(reset) {
    if (reset) return(k <<- 0)
    k <<- k + 1
    if (k <= length(parts)) parts[[k]]
  }
}

#' People in chunks of 50, the second of them changed.
changed <- function(change) {
  parts <- split(folk, (seq_len(400) - 1) %/% 50)
  parts[[2L]] <- change(parts[[2L]])
  from_parts(parts)
}

#' The same with row 70 spoilt, or a whole column of that chunk.
spoilt <- function(column, value, rows = 70) changed(function(chunk) {
  if (length(rows) == 1L) chunk[[column]][rows - 50] <- value
  if (length(rows) > 1L) chunk[[column]] <- value
  chunk
})
