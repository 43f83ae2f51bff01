# Audits of what nobody would choose: finite records of extreme size, other codings of labels,
# terms that read other rows, and public numbers far out. A sound claim must survive them.

skip_on_cran()

# With a small claim few runs refute a large loss of privacy, whatever the confidence.
exceeds <- function(method, pair, loss = "huber", runs = 60, epsilon = 0.1, noise = NULL,
                    iterations = 3) {
  release <- fit_release(method, loss, iterations = iterations, noise = noise,
    epsilon = if (is.null(noise)) epsilon, delta = 0.01
  )
  audit(release, pair$data1, pair$data2, runs = runs, delta = 0.01, bound = "gaussian",
    confidence = 1 - 1e-6, seed = 1
  )$exceeds
}

extreme <- function(kind, method, numeric = TRUE, ...) {
  nodes <- if (on_graph(method)) 2 else 1
  worst_case_neighbours(kind, n = 6, nodes = nodes, numeric = numeric, ...)
}

test_that("extreme worst cases are neighbours of the kind they say", {
  for (kind in c("underflow", "overflow", "coding")) for (numeric in c(FALSE, TRUE)) {
    pair <- worst_case_neighbours(kind, n = 7, d = 3, nodes = 3, numeric = numeric)
    expect_identical(pair$data1$x[-1, ], pair$data2$x[-1, ])
    expect_identical(pair$data1$y[-1], pair$data2$y[-1])
    expect_identical(pair$data1$nodes, pair$data2$nodes)
    expect_true(all(is.finite(unlist(pair[1:2]))))
    expect_output(print(pair), sprintf("\"%s\", 7 records of 3 columns", kind))
  }
  tiny <- worst_case_neighbours("underflow", numeric = TRUE)
  expect_identical(tiny$data1$x[1, 1]^2, 0)
  expect_gt(abs(tiny$data1$x[1, 1] * tiny$data1$y[1]), 1e9)
  expect_identical(worst_case_neighbours("overflow")$data1$x[1, 1]^2, Inf)
  coding <- worst_case_neighbours("coding")
  expect_identical(unique(coding$data1$y), 1)
  expect_identical(coding$data2$y[1], 0)
  terms <- worst_case_neighbours("terms", n = 8, nodes = 2)
  expect_named(terms$data1, c("v", "y", "node"))
  expect_identical(terms$data1[-1, ], terms$data2[-1, ])
  expect_true(all(with(terms$data1, v > mean(v))[-1]))
  expect_false(any(with(terms$data2, v > mean(v))[-1]))
  expect_output(print(terms), "8 records of 1 columns in nodes of 4, 4")
})

test_that("methods with a public number far out are all that their methods accept", {
  found <- worst_case_methods(1e-17)
  expect_true(all(c("fp_admm(lambda = 1e-17)", "pp_admm(beta = 1e-17)") %in% names(found)))
  expect_true(all(vapply(found, inherits, NA, "dpadmm_method")))
  # lambda is at most 1
  expect_false("fp_admm(lambda = 1e+06)" %in% names(worst_case_methods(1e6)))
  expect_error(worst_case_methods(NA), class = "dpadmm_error")
})

for (name in names(all_methods())) {
  method <- all_methods()[[name]]()

  test_that(paste0(name, "(): records from 1e-320 to 1e300 are within the claim"), {
    for (kind in c("underflow", "overflow", "coding")) {
      expect_false(exceeds(method, extreme(kind, method)), label = kind)
      expect_false(exceeds(method, extreme(kind, method, FALSE), "logistic"), label = kind)
    }
    # where a gradient is clipped, its length must be right
    if ("clip" %in% names(method$parameters)) {
      clipped <- all_methods()[[name]](clip = 0.5)
      seen <- exceeds(clipped, extreme("underflow", method), "squared")
      expect_false(seen, label = "squared loss")
    }
  })

  test_that(paste0(name, "(): public numbers far out are within the claim, or refused"), {
    far <- worst_case_methods(c(1e-17, 1e6))
    calls <- grep(paste0("^", name, "[(]"), names(far), value = TRUE)
    # accounting of samples that small takes minutes: tools/audit has them
    for (call in grep("batch", calls, value = TRUE, invert = TRUE)) {
      pair <- extreme(if (on_graph(method)) "small-node" else "outlier", method)
      # a plan that cannot hold its promise must say so; numbers may leave the range
      seen <- vapply(list(NULL, gaussian_noise(1e-20)), function(noise) {
        suppressWarnings(tryCatch(exceeds(far[[call]], pair, noise = noise, iterations = 2),
          dpadmm_error = function(e) FALSE
        ))
      }, NA)
      expect_identical(seen, c(FALSE, FALSE), label = call)
    }
  })
}

test_that("a fit's audit sees classes and terms that say more than the noise hides", {
  coding <- worst_case_neighbours("coding", n = 12)
  spoilt <- function(data, seed) {
    fit <- dpadmm_fit(data$x, data$y, method = dp_sgd(), iterations = 1, delta = 1e-5,
      noise = gaussian_noise(3), seed = seed)
    fit$blueprint$classes <- if (any(data$y == 0)) c(0, 1) else c(-1, 1)
    fit
  }
  expect_true(audit(spoilt, coding$data1, coding$data2, runs = 20,
    claim = spoilt(coding$data1, 1), seed = 1)$exceeds)
  honest <- function(data, seed) {
    dpadmm_fit(data$x, data$y, method = dp_sgd(), iterations = 1, delta = 1e-5,
      noise = gaussian_noise(3), seed = seed)
  }
  expect_false(audit(honest, coding$data1, coding$data2, runs = 20,
    claim = honest(coding$data1, 1), seed = 1, confidence = 1 - 1e-6)$exceeds)
  # a term that reads other rows is refused, or its fit within the claim
  terms <- worst_case_neighbours("terms", n = 400, nodes = 2)
  framed <- function(data, seed, ...) {
    dpadmm_fit(y ~ 0 + I(v > mean(v)), data, nodes = ~node, method = admm(20), C = 200,
      iterations = 2, delta = 1e-5, ..., seed = seed, schema = dpadmm_schema(v = c(0, 1)))
  }
  seen <- tryCatch({
    fit <- framed(terms$data1, 1, epsilon = 0.5)
    release <- function(data, seed) framed(data, seed, noise = gaussian_noise(fit$noise[1]))
    audit(release, terms$data1, terms$data2, runs = 100, bound = "gaussian", claim = fit,
      seed = 1, confidence = 1 - 1e-6)$exceeds
  }, dpadmm_error = function(e) FALSE)
  expect_false(seen)
})

test_that("general ADMM from a start far out is within its claim", {
  run <- function(x1, seed) {
    general_admm(prox_loss(matrix(c(x1, 0, 0, 0)), c(1, 1, -1, 1), "logistic"), penalty_none(),
      u0 = 1e6, gamma = 1e-9, iterations = 2, noise = gaussian_noise(5e-9), delta = 1e-5,
      seed = seed)
  }
  seen <- tryCatch(audit(function(data, seed) run(data, seed)$z - 1e6, 1, 0, runs = 200,
    claim = privacy(run(1, 1)), seed = 1, confidence = 1 - 1e-6)$exceeds,
    dpadmm_error = function(e) FALSE)
  expect_false(seen)
})
