# Processes that are killed, or race for a budget (helper-siege.R), forked from a small one.

skip_on_cran()
skip_on_os("windows") # no fork

besieged <- function(code) {
  do.call(in_child, list(substitute(code), seconds = 600,
    helpers = c("sites", "siege"), inside = TRUE))
}

test_that("a site that is killed at any moment releases nothing without a charge, nothing twice", {
  skip_unless_sites()
  seen <- besieged(siege_site(25))
  expect_gte(seen$killed, 25L)
  expect_unbroken(seen)
})

test_that("a run that is taken up after each kill of its hub has the model of one in peace", {
  skip_unless_sites()
  seen <- besieged(siege_hub(4))
  expect_identical(seen$model, seen$peace)
})

test_that("processes that race for a budget do not overspend it", {
  skip_unless_sites()
  seen <- besieged(siege_budget(8))
  expect_identical(seen$went, seen$alone)
  expect_identical(as.integer(seen$charges), seen$alone)
  expect_true(seen$chain)
})
