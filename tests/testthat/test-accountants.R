# What every accountant must keep to, on every mechanism that it handles: both are found in
# their tables, so a new one is under test without a change here.

skip_on_cran()

test_that("every accountant answers for what it handles and refuses the rest by a classed error", {
  answered <- character()
  for (accountant in provers()) {
    yes <- handled(accountant, 2, count = 3)
    expect_gt(length(yes), 0, label = paste("mechanisms handled by", accountant))
    answered <- union(answered, names(yes))
    for (name in setdiff(names(examples(1)), "exact")) {
      event <- examples(2, count = 3)[[name]]
      if (name %in% names(yes)) {
        got <- account(event, 1e-5, accountant)
        expect_s3_class(got, "dp_guarantee")
        expect_identical(got$delta, 1e-5)
        expect_true(is.finite(got$epsilon) && got$epsilon > 0, label = paste(accountant, name))
      } else {
        expect_blames(account(event, 1e-5, accountant), "accountant", "dpadmm_error_accountant")
      }
    }
  }
  # nothing is proved of the printed test, nobody is asked about what has no noise, and
  # everything else is somebody's
  expect_setequal(setdiff(names(examples(1)), answered), c("exact", "printed_test"))
  for (name in names(.mechanisms)) {
    for (e in .mechanisms[[name]]$examples(2)) {
      expect_identical(e$mechanism, name)
      expect_false(anyNA(unlist(unclass(e)[.mechanisms[[name]]$needs])))
    }
  }
})

test_that("epsilon falls in delta and in noise, and rises in count and in sensitivity", {
  for (accountant in provers()) {
    slack <- 1 + grain(accountant)
    spent <- function(e, delta = 1e-5) account(e, delta, accountant)$epsilon
    some <- handled(accountant, 3, count = 4)
    noisier <- handled(accountant, 4, count = 4)
    for (name in names(some)) {
      e <- some[[name]]
      at <- spent(e)
      more <- e
      more$sensitivity <- 1.3 * e$sensitivity
      often <- e
      often$count <- 6
      what <- function(of) paste(accountant, "of", name, of)
      expect_lte(spent(e, 1e-3), at * slack, label = what("falls in delta"))
      expect_lte(spent(noisier[[name]]), at * slack, label = what("falls in noise"))
      expect_gte(spent(often) * slack, at, label = what("rises in count"))
      if (!anyNA(more$sensitivity)) {
        expect_gte(spent(more) * slack, at, label = what("rises in sensitivity"))
      }
    }
  }
})

test_that("an accountant that can do without delta never needs more with it", {
  free <- Filter(function(name) !.accountants[[name]]$needs_delta, setdiff(provers(), "best"))
  expect_true("pure" %in% free)
  for (accountant in c(free, "best")) {
    some <- handled(accountant, 3, count = 5, delta = 0)
    expect_gt(length(some), 0)
    for (name in names(some)) {
      expect_gte(account(some[[name]], 0, accountant)$epsilon * (1 + 1e-9),
        account(some[[name]], 1e-6, accountant)$epsilon, label = paste(accountant, name))
    }
  }
})

test_that("no accountant is below the exact answer, where one is known", {
  known <- list(
    gaussian = function(size, count) gaussian_epsilon(size, 1e-5, sqrt(count)),
    pure = function(size, count) compose_pure(1 / size, 1e-5, count)
  )
  seen <- 0
  for (accountant in provers()) for (name in names(known)) for (size in c(0.5, 3, 40)) {
    for (count in c(1, 7, 60)) {
      e <- handled(accountant, size, count = count)[[name]]
      if (is.null(e) || (accountant == "pld" && size < 1 && count > 10)) next
      seen <- seen + 1
      expect_gte(account(e, 1e-5, accountant)$epsilon, known[[name]](size, count) * (1 - 1e-9),
        label = paste(accountant, "of", name))
    }
  }
  expect_gt(seen, 60)
})

test_that("nodes compose in parallel, and what reads everybody adds to all", {
  for (accountant in provers()) {
    some <- unname(Filter(
      function(e) e$neighbours == "replace-one", handled(accountant, 6, count = 2)
    ))
    table <- do.call(c, some)
    table$node <- rep_len(c(1L, 2L, NA, 5L), nrow(table))
    table <- c(table, some[[1L]])
    table$count <- seq_len(nrow(table))
    got <- account(table, 1e-5, accountant)
    expect_identical(got$epsilon, max(got$per_node$epsilon))
    nodes <- sort(unique(table$node))
    if (length(nodes) == 0L) nodes <- NA_integer_
    expect_identical(got$per_node$node, nodes)
    for (i in seq_along(nodes)) {
      alone <- table[is.na(table$node) | table$node %in% nodes[i], ]
      expect_rel(got$per_node$epsilon[i], account(alone, 1e-5, accountant)$epsilon, 1e-6)
    }
  }
  own <- c(
    dp_event_pure(0.5, node = 1, count = 2), dp_event_pure(0.7, node = 2),
    dp_event_pure(0.1, node = 5)
  )
  got <- account(own)
  expect_rel(got$epsilon, 1, 1e-14)
  expect_equal(got$per_node, data.frame(node = c(1L, 2L, 5L), epsilon = c(1, 0.7, 0.1)),
    tolerance = 1e-14
  )
  all <- c(own, dp_event_pure(0.25, count = 2))
  expect_equal(account(all)$per_node$epsilon, c(1.5, 1.2, 0.6), tolerance = 1e-14)
})

test_that("two tables composed are one, in any order", {
  for (accountant in provers()) {
    some <- handled(accountant, 6)
    for (e in some) {
      twice <- account(rep(e, 2), 1e-5, accountant)$epsilon
      expect_rel(account(c(e, e), 1e-5, accountant)$epsilon, twice, 1e-9)
      expect_gte(twice * (1 + grain(accountant)), account(e, 1e-5, accountant)$epsilon)
    }
    whole <- do.call(c, unname(Filter(function(e) e$neighbours == "replace-one", some)))
    mirrored <- c(whole[rev(seq_len(nrow(whole))), ], whole)
    expect_rel(account(mirrored, 1e-5, accountant)$epsilon,
      account(rep(whole, 2), 1e-5, accountant)$epsilon, 1e-9)
  }
})

test_that("the best is no worse than any other, and says whose it is", {
  for (name in names(handled("best", 2))) {
    event <- examples(2, count = 10)[[name]]
    best <- account(event, 1e-5)
    expect_true(best$accountant %in% names(.accountants))
    expect_identical(best$epsilon, account(event, 1e-5, best$accountant)$epsilon)
    for (accountant in setdiff(provers(), "best")) {
      if (name %in% names(handled(accountant, 2))) {
        expect_lte(best$epsilon, account(event, 1e-5, accountant)$epsilon * (1 + 1e-9),
          label = paste("best of", name), expected.label = accountant)
      }
    }
  }
  everything <- do.call(c, unname(Filter(
    function(e) e$neighbours == "replace-one", handled("best", 2, count = 2)
  )))
  expect_true(is.finite(account(everything, 1e-5)$epsilon))
})

test_that("extremes are answered or out of range, never NaN, a negative or Inf", {
  for (accountant in provers()) {
    answered <- character()
    for (s in c(1e-3, 1, 1e6)) for (count in c(1, 1e6)) for (delta in c(1e-300, 0.999)) {
      some <- handled(accountant, s, count = count)
      for (name in names(some)) {
        e <- some[[name]]
        # many sampled steps, or a loss distribution of millions of them, take seconds, whether
        # "pld" is asked or "best" asks it
        asks_pld <- accountant == "pld" ||
          accountant == "best" && e$mechanism %in% setdiff(names(.pld_releases), "pure")
        heavy <- asks_pld || !is.na(e$q)
        if (count > 1 && (heavy || s < 1e6)) next
        if (heavy && s < 1) next
        got <- tryCatch(account(e, delta, accountant)$epsilon,
          dpadmm_error_accountant = function(e) {
            expect_match(conditionMessage(e), "finds no finite epsilon")
            NULL
          }, dpadmm_error_finite = function(e) NULL
        )
        if (is.null(got)) next
        answered <- union(answered, name)
        expect_true(is.finite(got) && got >= 0, label = sprintf(
          "%s of %s, noise %g, count %g, delta %g: %g", accountant, name, s, count, delta, got
        ))
      }
    }
    # whatever is handled is answered somewhere in the range
    expect_setequal(answered, names(handled(accountant, 1)))
  }
  # millions of steps of every kind of loss distribution
  for (e in list(dp_event_gaussian(1e-3, 1, count = 1e6), dp_event_pure(1, count = 1e6))) {
    got <- expect_no_warning(account(e, 1e-300, "pld"))
    expect_true(is.finite(got$epsilon) && got$epsilon > 0)
  }
  # "best" of what it asks loss distributions about: much noise often, little noise once
  for (e in list(dp_event_laplace(1e6, 1, count = 1e6), dp_event_laplace(1 / 400, 1))) {
    got <- expect_no_warning(account(e, 1e-300))
    expect_true(is.finite(got$epsilon) && got$epsilon > 0)
  }
  expect_no_warning(account(dp_event_laplace(1e-3, 1), 0.999, "pld"))
})

test_that("losses and steps beyond the range of grids are answered on the safe side", {
  # each was "missing value where TRUE/FALSE needed", a warning of NaN or a place on a grid that
  # doubles cannot tell from the next
  pure <- dp_event_pure(172.56648199387203, count = 19)
  for (step in c(1e-300, 7.6140774636302684e+18, 1e300)) {
    got <- tryCatch(pld_epsilon(pure, 5e-72, step = step),
      dpadmm_error = function(e) c(lower = 0, upper = Inf)
    )
    exact <- compose_pure(172.56648199387203, 5e-72, 19)
    expect_lte(got[["lower"]], exact * (1 + 1e-9))
    expect_gte(got[["upper"]], exact * (1 - 1e-9))
  }
  hard <- list(
    dp_event_gamma(1, 108742373.842382, dim = 1e9, count = 23),
    c(
      dp_event_gaussian(0.067182031485302718, 0.12400124643368521, count = 88),
      dp_event_pure(0.6049330597054513, count = 4)
    ),
    c(dp_event_pure(0.97, count = 61), dp_event_gamma(26, 2.4908971870232239e+280, dim = 2)),
    c(dp_event_pure(5118227043.099515), dp_event_laplace(5.4721463810540935e-12, 5.5)),
    dp_event_gamma(29.4, 4.9406564584124654e-324, dim = 20, count = 78)
  )
  for (e in hard) for (delta in c(1e-233, 1e-5)) for (accountant in c("pld", "best")) {
    got <- expect_no_warning(tryCatch(account(e, delta, accountant)$epsilon,
      dpadmm_error_accountant = function(e) 0
    ))
    expect_true(is.finite(got) && got >= 0)
    if (is.finite(rdp <- fold_events(e, delta, "rdp")$epsilon)) {
      expect_lte(got, rdp * (1 + 1e-9))
    }
  }
})

test_that("a loss of nothing costs nothing", {
  for (accountant in provers()) for (e in handled(accountant, 1)) {
    free <- e
    for (column in intersect(c("sensitivity", "curvature", "epsilon"), names(e))) {
      if (!is.na(free[[column]])) free[[column]] <- 0
    }
    free$candidates <- gsub("(sensitivity|epsilon)=[^,;|]*", "\\1=0", free$candidates)
    # of a choice the number of trials is left, over the largest order
    most <- if (e$mechanism == "best_of") 1e-4 else 1e-6
    expect_lte(account(free, 1e-5, accountant)$epsilon, most,
      label = paste(accountant, "of", e$mechanism))
  }
})

# ---- mechanisms of noise -------------------------------------------------------------------

test_that("a mechanism's size goes with its noise, and its events are handled", {
  for (name in names(.noise_mechanisms)) {
    m <- noise_mechanism(name)
    for (scale in c(0.1, 1, 7)) expect_equal(m$scale(m$size(scale)), scale)
    # size is proportional to the noise
    expect_equal(m$sd(m$scale(6), 5), 3 * m$sd(m$scale(2), 5))
    in_objective <- function(scale, ...) m$objective_event(scale, 1, 0.1, 2, 5, TRUE)
    for (of in list(m$output_event, in_objective)) {
      where <- list(neighbours = "add-remove", count = 1)
      make <- function(size) check_event(c(of(m$scale(size), 1, 5), where))
      event <- make(3)
      more <- make(4)
      expect_lt(account(more, 1e-5)$epsilon, account(event, 1e-5)$epsilon)
      pure <- tryCatch(account(event, 0)$epsilon, dpadmm_error_accountant = function(e) Inf)
      expect_identical(is.finite(pure), m$pure)
    }
    # the standard deviation is that of what is drawn
    draws <- .Call(ffi_noise, name, m$scale(2), 3, 20000, noise_key(1), 0)
    expect_rel(sd(as.vector(draws)), m$sd(m$scale(2), 3), 0.02)
    expect_identical(default_mechanism(if (m$pure) 0 else 1e-5), name)
  }
  expect_blames(check_mechanism("cauchy"), "noise")
})

test_that("the best order is found where bounds cross, near it or far beyond", {
  # three of these were 5 to 8% off where orders were looked for as if there were one valley
  cases <- data.frame(
    alpha_shift = c(1, 1.1194744, 0.9, 1.2, 0.05, 3),
    kappa = c(1.8e-3, 3.27e-2, 1e-4, 5e-3, 1e-3, 1e-2),
    dim = c(20, 51, 20, 20, 5, 105)
  )
  s <- exp(seq(log(1e-2), log(1e5), length.out = 4000))
  for (k in seq_len(nrow(cases))) {
    at <- cases[k, ]
    event <- dp_event_objective_gamma(at$alpha_shift, sensitivity = 1, curvature = at$kappa,
      modulus = 1, dim = at$dim, logistic_curvature = TRUE)
    rdp <- rdp_objective_gamma(1 + s, at$alpha_shift, 1, at$kappa, 1, at$dim, TRUE)
    found <- account(event, 1e-5, "rdp")$epsilon
    expect_equal(found, rdp_to_epsilon(1 + s, rdp, 1e-5), tolerance = 1e-4)
  }
})

test_that("the best order is found where the bounds of two releases cross at unlike ones", {
  # it was 1.9% off where one valley was looked at
  event <- function(alpha, modulus) {
    dp_event_objective_gamma(alpha, sensitivity = 0.00504768, curvature = 0.000630961,
      modulus = modulus, dim = 101, logistic_curvature = TRUE)
  }
  both <- c(event(42.5723, 0.192512), event(21.28617, 0.384958))
  s <- exp(seq(log(1), log(1e4), length.out = 4000))
  rdp <- rdp_total(both, both$count)(s)
  expect_rel(account(both, 1e-6, "rdp")$epsilon, rdp_to_epsilon(1 + s, rdp, 1e-6), 1e-4)
})
