#' A binding of the package for the time of a test.
local_binding <- function(name, value, env = parent.frame()) {
  space <- asNamespace("dpadmm")
  old <- get(name, space)
  put <- function(value) {
    unlockBinding(name, space)
    assign(name, value, space)
    lockBinding(name, space)
  }
  put(value)
  do.call(on.exit, list(bquote(.(put)(.(old))), add = TRUE), envir = env)
}

skip_without_ledger <- function() {
  for (package in c("DBI", "RSQLite", "digest", "jsonlite")) skip_if_not_installed(package)
}

#' A small private release, `parts` of which spend a budget.
small_event <- function(budget, parts) {
  dp_event_gaussian(sqrt(parts * budget$order / (2 * budget$allowance)), 1)
}

#' Charge events to a ledger as a fit does.
charge <- function(ledger, events, what = "a test") {
  dpadmm:::charge_ledger(ledger, events, plan = "digest", what = what)
}

#' An error that names its file or its budget as its place.
expect_refused <- function(code, kind, argument, message) {
  error <- expect_error(code, message, fixed = TRUE, class = paste0("dpadmm_error_", kind))
  expect_identical(error$argument, argument)
  expect_type(error$place, "character")
  expect_match(conditionMessage(error), error$place, fixed = TRUE)
}
