# What accountants read of events: alike nodes are accounted once, unlike ones each.

test_that("nodes share a ledger where their kinds and counts of releases are the same", {
  release <- function(sigma, node, count) dp_event_gaussian(sigma, 1, node = node, count = count)
  events <- c(
    release(2, 1:6, c(1, 2, 1, 3, 1, 1)), release(3, c(1, 3, 6), c(4, 4, 5)),
    release(2, 4:5, c(1, 3)), release(2, NA, 1)
  )
  books <- open_books(events)
  expect_identical(nrow(books$kinds), 2L)
  expect_identical(books$node, 1:6)
  # the fourth and the fifth release as often, in parts of which others are the larger
  expect_identical(unlist(books$ledger), c(1L, 2L, 1L, 3L, 3L, 4L))
  spent <- account(events, 1e-5)$per_node$epsilon
  alone <- vapply(1:6, function(i) {
    account(events[is.na(events$node) | events$node == i, ], 1e-5)$epsilon
  }, 0)
  expect_identical(spent, alone)
  expect_length(unique(spent), 4L)
})

test_that("five hundred alike nodes are one ledger, unlike ones five hundred", {
  ledgers <- function(count) {
    length(open_books(dp_event_pure(0.1, node = 1:500, count = count))$ledgers)
  }
  expect_identical(ledgers(2), 1L)
  expect_identical(ledgers(1:500), 500L)
})
