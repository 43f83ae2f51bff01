skip_on_cran()
skip_on_os("windows")

test_that("a site that is killed at any moment releases nothing without a charge, nothing twice", {
  skip_unless_sites()
  seen <- siege_site(25)
  expect_gte(seen$killed, 25L)
  expect_unbroken(seen)
})

test_that("a run that is taken up after each kill of its hub has the model of one in peace", {
  skip_unless_sites()
  seen <- siege_hub(4)
  expect_identical(seen$model, seen$peace)
})

test_that("processes that race for a budget do not overspend it", {
  skip_unless_sites()
  seen <- siege_budget(8)
  expect_identical(seen$went, seen$alone)
  expect_identical(as.integer(seen$charges), seen$alone)
  expect_true(seen$chain)
})
