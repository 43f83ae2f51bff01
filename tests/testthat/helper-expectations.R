# Expectations of the accounting tests, which say what failed and by how much.

expect_rel <- function(got, want, tolerance) {
  error <- max(abs(got / want - 1))
  expect_true(error <= tolerance, label = sprintf("relative error %.3g <= %.3g", error, tolerance))
}

#' Everything is true, or the message says where not.
expect_all <- function(ok, what) {
  where <- paste(head(which(!ok)), collapse = ", ")
  expect_true(all(ok), label = sprintf("%s (fails at %s)", what, where))
}

#' An error of the class, whose argument is the one named.
expect_blames <- function(code, argument, class = "dpadmm_error_argument") {
  error <- expect_error(code, class = class)
  expect_identical(error$argument, argument)
}

#' What a theorem says of the releases, and at most 0.1% for the distance of the program from it.
expect_charged <- function(got, theorem) {
  excess <- got / theorem - 1
  expect_true(all(excess >= -1e-12 & excess <= 1e-3),
    label = sprintf("excess from %.3g to %.3g", min(excess), max(excess))
  )
}

#' The value that a party sends of one: rounded to the grid, with exact noise.
sent <- function(value, sigma, round, key, purpose = 0) {
  .Call(ffi_release, "gaussian", sigma, as.double(value), as.double(round), key, purpose)
}
