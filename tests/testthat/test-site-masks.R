# Masks of secure sums: what hides a message, and is gone from the sum of all.

skip_on_cran()

test_that("the sum of masked messages is the sum of the plain ones, always", {
  skip_unless_sums()
  set.seed(1)
  extremes <- c(2^62, -2^62, 2^62 - 512, 0, 1, -1, 2^53 + 2)
  for (sites in c(3, 4, 7, 50)) {
    d <- sample(40, 1) + length(extremes)
    keys <- agreed_keys(sprintf("site%d", seq_len(sites)))
    for (round in 0:2) {
      plain <- lapply(seq_len(sites), function(i) {
        c(words(sample(extremes)), random_words(d - length(extremes)))
      })
      sent <- Map(function(x, key, i) masked(x, key, i, asked_of(round)), plain, keys,
        seq_len(sites))
      expect_identical(.Call(ffi_words_sum, sent), sum_of_words(plain))
      # one less, and nothing opens
      partial <- .Call(ffi_words_sum, sent[-1L])
      expect_lt(mean(partial == sum_of_words(plain[-1L])), 0.1)
      for (i in seq_len(sites)) expect_lt(mean(sent[[i]] == plain[[i]]), 0.1)
    }
  }
})

test_that("unlike inboxes, rounds or attempts do not open", {
  skip_unless_sums()
  keys <- agreed_keys(c("A", "B", "C"))
  plain <- list(words(1:4), words(5:8), words(-1:2))
  open <- function(asked) {
    .Call(ffi_words_sum, Map(masked, plain, keys, 1:3, asked))
  }
  asked <- asked_of(3, 1)
  expect_identical(open(list(asked, asked, asked)), sum_of_words(plain))
  unlike <- list(asked_of(2, 1), asked_of(3, 0), asked_of(3, 1, digest_of(1)))
  for (other in unlike) {
    for (i in 1:3) {
      all <- list(asked, asked, asked)
      all[[i]] <- other
      expect_lt(mean(open(all) == sum_of_words(plain)), 0.4)
    }
  }
})

test_that("a masked message is uniform, in its low bits too", {
  skip_unless_sums()
  n <- 1e6
  keys <- agreed_keys(c("A", "B", "C"))
  plain <- words(rep(c(0, 0, 1, -1), n / 4)) # nothing random of its own
  for (i in 1:3) {
    sent <- masked(plain, keys[[i]], i, asked_of(1))
    bytes <- matrix(as.integer(sent), 8L)
    for (k in 1:8) {
      p <- stats::chisq.test(tabulate(bytes[k, ] + 1L, 256L))$p.value
      expect_gt(p, 1e-6)
    }
    low <- bytes[1L, ] %% 8L # with the next number's
    pairs <- tabulate(1L + low[-n] + 8L * low[-1L], 64L)
    expect_gt(stats::chisq.test(pairs)$p.value, 1e-6)
    low <- bytes[1L, ] %% 2L
    expect_gt(stats::binom.test(sum(low), n)$p.value, 1e-6)
    # and tells nothing of the plain number
    expect_gt(stats::chisq.test(table(rep(1:4, n / 4), bytes[1L, ] %% 16L))$p.value, 1e-6)
  }
})

test_that("no two runs, pairs, rounds, attempts or inboxes have a mask in common", {
  skip_unless_sums()
  zero <- raw(8 * 40)
  masks <- list()
  names <- c("A", "B", "C")
  known <- known_sites(names)
  for (run in c(strrep("0", 32), strrep("1", 32))) {
    for (plan in c(strrep("a", 64), strrep("b", 64))) {
      keys <- agreed_keys(names, run, plan)[[1L]]
      for (pair in 1:2) {
        key <- matrix(keys, 32L)[, pair]
        for (asked in list(asked_of(1), asked_of(2), asked_of(0, 1), asked_of(1, 1),
          asked_of(1, 0, digest_of(1)))) {
          masks <- c(masks, list(masked(zero, key, 1, asked)))
        }
      }
    }
  }
  blocks <- unlist(lapply(masks, function(x) apply(matrix(x, 8L), 2L, paste, collapse = "")))
  expect_identical(anyDuplicated(blocks), 0L)
  # both of a pair have the same
  all <- agreed_keys(names)
  pair <- function(i, j) matrix(all[[i]], 32L)[, j]
  expect_identical(pair(1, 1), pair(2, 1))
  expect_identical(pair(1, 2), pair(3, 1))
  expect_identical(pair(2, 2), pair(3, 2))
})

test_that("a mask is the one of an implementation in another language", {
  skip_unless_sums()
  # tests/reference/streams.py: X25519, BLAKE2b and ChaCha20
  mask <- paste0(
    "9fd8d9800904dc097754295c6c3ac2d998174f500e6704c1fa5f7f5aec50ca13e7378612",
    "6d39a8d70d72e9b0b1f4910485190dd29e261b5056544a8879577d6da2f0654d2a156723"
  )
  secrets <- list(as.raw(0:31), as.raw(100:131))
  signed <- vapply(secrets, function(x) c(sodium::pubkey(x), raw(64)), raw(96))
  sent <- lapply(1:2, function(own) {
    key <- pair_keys(secrets[[own]], signed, own, strrep("0123456789abcdef", 2), strrep("c", 64))
    masked(raw(72), key, own, asked_of(7, 2, digest_of(c(1, -0.5))))
  })
  expect_identical(sodium::bin2hex(sent[[1L]]), mask)
  expect_identical(.Call(ffi_words_sum, sent), raw(72)) # the other subtracts it
})

test_that("what is no vector of words, no key and no round is refused", {
  bad <- function(...) expect_s3_class(.Call(ffi_mask, ...), "dpadmm_status")
  key <- as.raw(1:32)
  bad(raw(7), key, FALSE, 1, 0)
  bad(numeric(8), key, FALSE, 1, 0)
  bad(raw(8), key[-1], FALSE, 1, 0)
  bad(raw(8), key, c(FALSE, TRUE), 1, 0)
  bad(raw(8), key, FALSE, -1, 0)
  bad(raw(8), key, FALSE, 2^32, 0)
  bad(raw(8), key, FALSE, 1, 0.5)
  bad(raw(8), key, FALSE, 1, 2^32)
  expect_s3_class(.Call(ffi_words_sum, list(raw(8), raw(16))), "dpadmm_status")
  expect_s3_class(.Call(ffi_words_sum, list()), "dpadmm_status")
  expect_identical(.Call(ffi_mask, raw(0), raw(0), logical(0), 1, 0), raw(0))
  # what was handed over is left as it is
  x <- raw(8)
  .Call(ffi_mask, x, key, FALSE, 1, 0)
  expect_identical(x, raw(8))
})
