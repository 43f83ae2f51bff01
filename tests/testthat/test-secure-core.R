# Secure sums where R and C meet: 64 bits, and what never leaves the core.

test_that("a sum beyond 64 bits is refused, and one that just fits is right", {
  # a mean gradient of 1, and as much room, against 2^62 steps, of which 2^40 to 2^41 are a sigma
  fits <- 2^-20 * 1.1
  refused <- expect_error(secure_plan(dp_sgd(), noise = gaussian_noise(fits / 2), iterations = 1),
    class = "dpadmm_error_argument")
  expect_identical(refused$argument, "noise")
  expect_error(secure_plan(acc_admm(), epsilon = 1e13, iterations = 1),
    class = "dpadmm_error_argument")
  plan <- secure_plan(dp_sgd(step = 2), noise = gaussian_noise(fits), iterations = 4)
  bare <- hub_plan(dp_sgd(step = 2), epsilon = Inf, iterations = 4)
  expect_equal(hub_models(plan, 1), hub_models(bare, 1), tolerance = 1e-4)
  # far from 0, sums wrap as one number does
  big <- writeBin(c(-1L, 0x7fffffffL), raw(), endian = "little") # 2^63 - 1
  one <- writeBin(c(1L, 0L), raw(), endian = "little")
  least <- .Call(ffi_words_sum, list(big, one))
  expect_identical(least, as.raw(c(0, 0, 0, 0, 0, 0, 0, 128)))
  expect_identical(.Call(ffi_words_sum, list(least, big, one, one)), one)
  expect_s3_class(.Call(ffi_words_sum, list(big, raw(7))), "dpadmm_status")
  expect_s3_class(.Call(ffi_words_sum, list()), "dpadmm_status")
})

test_that("a party tells no part of a sum before its round", {
  plan <- secure_plan(acc_admm(), epsilon = 5)
  # what has no noise never leaves the core
  key <- noise_key(1)
  party <- core_call(.Call(ffi_party_open, core_spec(plan, FALSE, 1L), 1,
    own_records(plan, lapply(hub_data[c("x", "y")], function(v) {
      if (is.matrix(v)) v[hub_data$holder == 1, ] else v[hub_data$holder == 1]
    })), key))
  expect_s3_class(.Call(ffi_party_share, party, 0L), "dpadmm_status") # before a round
  answer <- .Call(ffi_party_step, party, 1L, numeric(5))
  expect_null(answer$values)
  share <- .Call(ffi_party_share, party, 0L)
  expect_identical(.Call(ffi_party_share, party, 0L), share)
  expect_false(identical(.Call(ffi_party_share, party, 1L), share))
  expect_s3_class(.Call(ffi_party_share, party, -1L), "dpadmm_status")
  .Call(ffi_party_close, party)
  # an engine that has no sums
  engine <- new_engine("other", function(...) NULL, function(...) NULL,
    function(party) list(values = numeric(5), sent = TRUE), function() NULL, TRUE)
  expect_error(run_plan(plan, NULL, NULL, key, engine), class = "dpadmm_error")
  # and specifications that would mix both kinds of noise, or none
  spec <- core_spec(plan, FALSE, 1L)
  broken <- list(
    c(spec, list(objective_scale = matrix(1, 4, 8))),
    replace(spec, "mechanism", "gamma"), replace(spec, "mechanism", list(NULL)),
    replace(spec, "secure", list(list(grid = 0, steps = 5))),
    replace(spec, "secure", list(list(grid = 1, steps = 0.5))),
    replace(spec, "secure", list(list(grid = 1, steps = 5.5))),
    replace(spec, "secure", list(list(grid = Inf, steps = 5)))
  )
  for (bad in broken) {
    expect_error(core_call(.Call(ffi_party_open, bad, 1, list(), key)),
      class = "dpadmm_error_argument")
  }
})
