# What the tests of error conditions share.

#' `what` with another value at one place.
spoil <- function(what, at, value) {
  what[at] <- value
  what
}

#' The error of `code`: its kind, its argument, its place and words of its message.
expect_blame <- function(code, kind, argument, message = NULL, place = NULL) {
  error <- tryCatch(
    {
      force(code)
      NULL
    },
    error = identity
  )
  expect_identical(
    class(error), c(paste0("dpadmm_error_", kind), "dpadmm_error", "error", "condition")
  )
  expect_identical(error$argument, argument)
  expect_equal(error$place, place)
  text <- conditionMessage(error)
  expect_match(text, argument, fixed = TRUE, label = "the message")
  if (!is.null(message)) expect_match(text, message, fixed = TRUE)
  # nothing of the data rides along
  expect_lt(length(serialize(error, NULL)), 4000)
  expect_lte(length(error$value), 2L)
  invisible(error)
}
