# Every method with every generic and every control setting: a new method is under these tests
# by its line in the table.

methods <- all_methods()
cases <- method_cases()

for (name in names(cases)) {
  method <- cases[[name]]
  several <- if (has_nodes(method)) 3L else 1L

  test_that(paste0(name, ": what users of R expect of a fit"), {
    fit <- small_fit(method)
    N <- if (on_graph(method)) 3L else 1L
    expect_s3_class(fit, "dpadmm_fit")
    expect_identical(dim(coef(fit, node = "all")), c(N, 3L))
    expect_identical(names(coef(fit)), c("a", "b", "c"))
    expect_identical(coef(fit, node = 1), coef(fit, node = "all")[1, ])
    expect_length(fit$nodes$names, several)
    named <- rownames(coef(fit, node = "all"))
    expect_identical(named, if (several == N) fit$nodes$names else "holder")
    expect_identical(coef(fit, node = named[N]), coef(fit, node = "all")[N, ])
    for (bad in list(N + 1, "nobody", c(1, 1), NA)) {
      expect_error(coef(fit, node = bad), class = "dpadmm_error_argument")
    }
    link <- predict(fit, small$x, type = "link")
    expect_length(link, 48)
    expect_true(all(is.finite(link)))
    expect_identical(predict(fit, small$x) > 0, link > 0)
    expect_equal(predict(fit, small$x, type = "response"), stats::plogis(link))
    expect_output(print(fit), fit$plan$method$title, fixed = TRUE)
    expect_output(print(summary(fit)), "Largest coefficients")
    expect_output(print(privacy(fit)), "epsilon = 5")
    spent <- privacy(fit, iterations = TRUE)
    expect_true(all(diff(spent$epsilon) >= 0))
    expect_equal(spent$epsilon[nrow(spent)], privacy(fit)$epsilon)
    expect_lte(privacy(fit)$epsilon, 5 * (1 + 1e-9))
    expect_named(evaluate(fit, small$x, small$y), c("records", "loss", "objective", "error"))
    expect_identical(nrow(evaluate(fit, small$x, small$y, node = "all")), N)
    expect_identical(
      evaluate(fit, small$x, small$y, node = N)$loss,
      evaluate(fit, small$x, small$y, node = "all")$loss[N]
    )
    expect_identical(fit$trace$iteration, 1:4)
    expect_true(all(is.finite(fit$trace$step)))
  })

  test_that(paste0(name, ": tidiers and plots"), {
    skip_if_not_installed("generics")
    fit <- small_fit(method)
    N <- nrow(fit$coefficients)
    expect_identical(nrow(generics::tidy(fit)), 3L)
    expect_identical(nrow(generics::tidy(fit, nodes = TRUE)), 3L * N)
    glance <- generics::glance(fit)
    expect_identical(glance$nodes, several)
    expect_identical(glance$records, 48L)
    expect_identical(glance$method, method$name)
    expect_identical(nrow(generics::tidy(fit$plan)) %% several, 0L)
    file <- tempfile(fileext = ".pdf")
    grDevices::pdf(file)
    on.exit({
      grDevices::dev.off()
      unlink(file)
    })
    expect_identical(plot(fit), fit)
    expect_identical(plot(fit$plan), fit$plan)
    skip_if_not_installed("ggplot2")
    expect_s3_class(ggplot2::autoplot(fit), "ggplot")
    expect_s3_class(ggplot2::autoplot(fit$plan), "ggplot")
  })

  test_that(paste0(name, ": every control setting does what it says"), {
    base <- small_fit(method)
    with <- function(...) small_fit(method, control = dpadmm_control(progress = FALSE, ...))
    expect_identical(coef(with(threads = 2)), coef(base))
    expect_identical(coef(with(engine = "stepwise")), coef(base))
    kept <- with(keep_iterates = TRUE)
    dropped <- with(keep_iterates = FALSE)
    expect_null(dropped$iterates)
    expect_identical(coef(kept), coef(base))
    expect_identical(coef(dropped), coef(base))
    expect_identical(dropped$trace, base$trace)
    expect_identical(dim(kept$iterates)[c(1, length(dim(kept$iterates)))], c(4L, 3L))
    trace <- loss_trace(kept, small$x, small$y, node = "all")
    expect_identical(nrow(trace), 4L * nrow(kept$coefficients))
    expect_identical(nrow(loss_trace(kept, small$x, small$y, node = 1)), 4L)
    expect_error(loss_trace(kept, small$x, small$y, node = 9), class = "dpadmm_error_argument")
    expect_error(loss_trace(dropped, small$x, small$y), class = "dpadmm_error_argument")
    expect_equal(
      predict(with(row_bound = 0.25), small$x[1, , drop = FALSE] * 100, "link"),
      predict(with(row_bound = 0.25), small$x[1, , drop = FALSE] * 200, "link")
    )
    if (method$name == "fp_admm") {
      expect_error(with(start = c(1, 0, 0)), class = "dpadmm_error_argument")
    } else {
      expect_false(identical(coef(with(start = c(1, 0, 0))), coef(base)))
    }
    expect_error(with(start = c(1, 0)), class = "dpadmm_error")
    # another tolerance, and other noise that hides it: the same within that noise
    slack <- 20 * max(0, base$plan$scales$output * identical(base$plan$place, "objective"))
    expect_lt(max(abs(coef(with(tol = 1e-9)) - coef(base))), 1e-5 + slack)
  })

  test_that(paste0(name, ": a plan is the fit's plan, and runs to the same bits"), {
    fit <- small_fit(method)
    plan <- small_plan(method)
    expect_identical(plan$events, fit$plan$events)
    expect_identical(plan$noise, fit$plan$noise)
    again <- dpadmm_fit(plan, small$x, small$y,
      nodes = if (has_nodes(method)) small$nodes, seed = 1
    )
    expect_identical(again$coefficients, fit$coefficients)
    expect_identical(again$trace, fit$trace)
    expect_identical(privacy(plan)$epsilon, privacy(fit)$epsilon)
    expect_output(print(plan), "Plan of")
    expect_output(print(summary(plan)), "What is sent")
    # saved and read again
    file <- tempfile(fileext = ".rds")
    on.exit(unlink(file))
    saveRDS(plan, file)
    expect_identical(readRDS(file), plan)
  })

}

# settings with states, samples or orders of their own
variants <- c(cases, list(
  "federated" = fp_admm(setting = "federated", sample = 0.3),
  "federated, block noise" = fp_admm(setting = "federated", sample = 0.3, noise = "block"),
  "walk" = fp_admm(setting = "decentralized"), "sampled" = dp_sgd(batch = 0.3),
  "fixed batches" = dp_sgd(batch = 12, sampling = "fixed"), "blocks" = dp_cd(blocks = 2),
  "noisy start" = acc_admm(init = "noisy-gradient", restart = TRUE),
  "noisy start over holders" = over_holders(grad_admm(init = "noisy-gradient")),
  "sampled over holders" = over_holders(dp_sgd(batch = 0.3)),
  "blocks over holders" = over_holders(dp_cd(blocks = 2)),
  "primal" = admm(perturb = "primal"), "few sends" = ipp_admm(max_sends = 2, threshold = -1)
))

for (name in names(variants)) {
  method <- variants[[name]]

  test_that(paste0(name, ": engines carry a plan out to the same bits, saved or not"), {
    plan <- small_plan(method, iterations = 6)
    records <- list(x = small$x, y = small$y)
    held <- list(index = if (has_nodes(method)) small$nodes else rep(1L, 48))
    run <- function(engine) {
      dpadmm:::run_plan(plan, records, held, dpadmm:::noise_key(3), engine, keep = TRUE)
    }
    want <- run(dpadmm:::engine_local())
    for (engine in dpadmm:::engines_table()) {
      expect_identical(run(engine())[c("f", "iterates")], want[c("f", "iterates")])
    }
    saved <- run(dpadmm:::engine_stepwise(saved = TRUE))
    expect_identical(saved[c("f", "iterates")], want[c("f", "iterates")])
    bare <- run(dpadmm:::engine_stepwise(saved = TRUE, cache = FALSE))
    # without what only makes it faster: as near as the solver was asked to come
    solved <- if (is.null(plan$tol)) 0 else max(plan$tol) / min(dpadmm:::modulus_of(plan))
    near <- 1e-9 + 20 * solved
    expect_lt(max(abs(bare$f - want$f)), near)
  })
}

for (name in names(cases)) {
  method <- cases[[name]]

  test_that(paste0(name, ": what is not released does not depend on the records"), {
    one <- unclass(small_fit(method))
    two <- unclass(small_fit(method, x = small$x[48:1, ] / 3, y = rev(small$y)))
    released <- c("coefficients", "iterates", "trace", "y", "u", "sends", "messages")
    public <- setdiff(names(one), released)
    expect_identical(one[public], two[public])
  })
}

test_that("the tables of R and of the core name the same things", {
  plans <- lapply(methods, function(method) small_plan(method()))
  plans$inferred <- small_plan(mr_admm(), epsilon = 5, delta = 1e-5, inference = "sandwich")
  expect_setequal(unlist(lapply(plans, dpadmm:::all_rules)), .Call(dpadmm:::ffi_rules))
  relays <- vapply(plans, function(plan) dpadmm:::core_spec(plan, FALSE, 1L)$relay, "")
  expect_setequal(relays, .Call(dpadmm:::ffi_relays))
  # Laplace noise is for tests of the sparse vector kind, and no fit's
  expect_setequal(
    c(names(dpadmm:::.noise_mechanisms), "laplace"), .Call(dpadmm:::ffi_mechanisms)
  )
  for (name in names(methods)) {
    expect_identical(small_plan(name)$noise, small_plan(methods[[name]]())$noise)
  }
  expect_setequal(eval(formals(dpadmm_control)$engine), names(dpadmm:::engines_table()))
})

test_that("check_convergence() answers or refuses every method with a class", {
  for (method in methods) {
    found <- tryCatch(
      check_convergence(method(), network_complete(4), size = 100),
      dpadmm_error = function(e) e
    )
    expect_true(inherits(found, c("dpadmm_convergence", "dpadmm_error")))
  }
})

test_that("a scale of noise that nothing would draw is refused, not ignored", {
  refused <- function(spec) {
    records <- dpadmm:::core_records(plan, small[c("x", "y")], list(index = small$nodes))
    attr(.Call(dpadmm:::ffi_run, spec, records, dpadmm:::noise_key(1), NULL), "argument")
  }
  swap <- c(objective_scale = "output_scale", output_scale = "objective_scale")
  for (method in cases) {
    plan <- small_plan(method)
    spec <- dpadmm:::core_spec(plan, FALSE, 1L)
    for (from in intersect(names(swap), names(Filter(Negate(is.null), spec)))) {
      moved <- spec[setdiff(names(spec), from)]
      moved[[swap[[from]]]] <- spec[[from]]
      both <- c("exact", "recycled", "plausible", "sparse_vector")
      if (all(plan$rule %in% both)) next # these can draw either
      expect_identical(refused(moved), swap[[from]])
    }
    expect_identical(refused(spec[setdiff(names(spec), "mechanism")]), "mechanism")
    scales <- c("objective_scale", "output_scale", "server_scale", "start_scale")
    expect_identical(refused(spec[setdiff(names(spec), scales)]), "mechanism")
  }
})
