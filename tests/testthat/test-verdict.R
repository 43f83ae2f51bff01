# verdict(): the rule, against t.test() and by hand.

made <- function(a, b, case = 1) {
  n <- length(a)
  data.frame(
    method = rep(c("a", "b"), each = n), case = case, repetition = rep(seq_len(n), 2),
    error = c(a, b)
  )
}
less <- function(found, ..., size = 0.01) {
  verdict(found, "error", by = "method", of = "a", than = "b", size = size, ...)
}
set.seed(1)
split <- rnorm(10) # what a repetition's records do to both
wiggle <- rnorm(10, sd = 0.02)

test_that("a case holds by size and by the paired test, and is refuted by the opposite", {
  found <- made(split - 0.1 + wiggle, split)
  got <- less(found)
  expect_s3_class(got, c("dpadmm_verdict", "data.frame"), exact = TRUE)
  test <- t.test(split - 0.1 + wiggle, split, paired = TRUE)
  expect_equal(got$p, test$p.value, tolerance = 1e-12)
  expect_equal(got$difference, unname(test$estimate), tolerance = 1e-12)
  expect_identical(got$pairs, 10L)
  expect_true(got$holds)
  expect_identical(format(got), "yes")
  expect_identical(format(less(found, claim = "more")), "no")
  expect_false(less(found, claim = "more")$holds)
  # a difference that is certain, and too small to matter
  expect_identical(less(found, size = 0.2)$holds, NA)
  expect_identical(format(less(found, size = 0.2)), "no")
  # one that would matter, and may be chance: as wide as the splits
  chance <- made(rev(split) - 0.1, split)
  expect_lt(less(chance)$difference, -0.01)
  expect_identical(less(chance)$holds, NA)
})

test_that("repetitions are paired by their number, whatever the order of the rows", {
  found <- made(split - 0.1 + wiggle, split)
  expect_identical(less(found[sample(20), ]), less(found))
  # a repetition that has one of the two is left out
  expect_identical(less(found[-3, ]), less(found[-c(3, 13), ]))
  found$error[3] <- NA
  expect_identical(less(found)$pairs, 9L)
})

test_that("cases: all, some, none; each has its share of the level", {
  won <- made(split - 0.1 + wiggle, split, "won")
  lost <- made(split + 0.1 + wiggle, split, "lost")
  none <- transform(won, case = "never run", error = ifelse(method == "a", NA, error))
  both <- less(rbind(won, lost), cases = "case")
  expect_identical(both$holds, c(TRUE, FALSE))
  expect_identical(format(both), "in part")
  expect_identical(format(both, counts = TRUE), "in part (1 of 2)")
  expect_identical(format(less(rbind(won, none), cases = "case"), counts = TRUE), "yes")
  expect_identical(format(less(lost, cases = "case")), "no")
  gap <- c(-0.03, 0.01, -0.02, -0.04, -0.01)
  p <- t.test(gap)$p.value
  edge <- made(gap, numeric(5))
  expect_true(less(edge, level = 1.01 * p)$holds)
  twice <- rbind(edge, transform(edge, case = 2))
  expect_identical(less(twice, cases = "case", level = 1.01 * p)$holds, c(NA, NA))
  expect_identical(less(twice, cases = "case", level = 2.01 * p)$holds, c(TRUE, TRUE))
  # several rivals are cases of their own
  three <- rbind(won, transform(won[1:10, ], method = "c", error = error + 0.2))
  got <- verdict(three, "error", "method", "a", c("b", "c"), size = 0.01)
  expect_identical(got$than, c("b", "c"))
  expect_equal(got$difference[2], -0.2)
})

test_that("the same: both one-sided tests within the size", {
  found <- made(split + wiggle, split)
  inside <- less(found, claim = "same", size = 0.05)
  gap <- wiggle
  p <- c(
    t.test(gap, mu = 0.05, alternative = "less")$p.value,
    t.test(gap, mu = -0.05, alternative = "greater")$p.value
  )
  expect_equal(inside$p, max(p), tolerance = 1e-12)
  expect_true(inside$holds)
  expect_identical(less(found, claim = "same", size = 0.004)$holds, NA)
  far <- made(split + 0.1 + wiggle, split)
  expect_false(less(far, claim = "same", size = 0.01)$holds)
})

test_that("ratios, and runs with nothing random in them", {
  found <- made(0.9 * exp(split), exp(split))
  got <- less(found, relative = TRUE, size = 0.05)
  expect_equal(got$difference, -0.1, tolerance = 1e-12)
  expect_true(got$holds)
  expect_identical(less(found, relative = TRUE, size = 0.12)$holds, NA)
  single <- made(1, 2)
  expect_identical(less(single)$p, NA_real_)
  expect_true(less(single)$holds)
  expect_identical(less(single, size = 3)$holds, NA)
  expect_true(less(made(1, 1), claim = "same")$holds)
  expect_false(less(single, claim = "same")$holds)
})

test_that("a strip of settings: one word, or it depends", {
  won <- less(made(split - 0.1 + wiggle, split))
  lost <- less(made(split + 0.1 + wiggle, split))
  expect_identical(verdict_strip(ours = won, ring = "yes"),
    c(verdict = "yes", ours = "yes", ring = "yes"))
  expect_identical(verdict_strip(ours = won, ring = lost)[["verdict"]], "depends")
  expect_error(verdict_strip(won), class = "dpadmm_error_argument")
  expect_error(verdict_strip(a = "perhaps"), class = "dpadmm_error_argument")
})

test_that("what cannot be compared is an error with a class", {
  found <- made(split, split)
  bad <- function(...) expect_error(..., class = "dpadmm_error_argument")
  bad(verdict(found, "loss", "method", "a", "b", size = 1))
  bad(verdict(found, "error", "method", "a", "z", size = 1))
  bad(verdict(found, "error", "method", "a", "b", size = -1))
  bad(verdict(found[-3], "error", "method", "a", "b", size = 1))
  bad(verdict(rbind(found, transform(found, case = 2)), "error", "method", "a", "b", size = 1))
  bad(less(found, relative = TRUE))
  bad(less(found, claim = "other"))
})

test_that("a verdict prints its word and its cases", {
  expect_output(print(less(made(split - 0.1 + wiggle, split))), "^yes\n.*difference.*yes")
})
