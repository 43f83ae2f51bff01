# An argument that a method does not know is an error, for every method of every generic.

#' One object of every class that has methods for users.
one_of_each <- function() {
  plan <- small_plan("mr_admm")
  fit <- small_fit("mr_admm", control = dpadmm_control(keep_iterates = TRUE))
  run <- fixed_point(function(u) u / 2, 1, iterations = 2)
  noisy <- function(data) sum(data) + stats::rnorm(1)
  seen <- audit(noisy, 1, 0, runs = 20, seed = 1)
  found <- experiment(data.frame(n = 1:2), function(setting, seed) data.frame(m = seed),
    repetitions = 2)
  chain <- network_ring(4)
  objects <- list(
    plan, summary(plan), fit, summary(fit), loss_trace(fit, small$x, small$y), run, seen,
    summary(seen), found, chain, dpadmm_loss("logistic"), penalty_l1(1), mr_admm(),
    gaussian_noise(1), dpadmm_schema(a = c(0, 1)), plan$problem, plan$events,
    privacy(plan), dpadmm:::printed_of(small_plan("admm", noise = "gamma")),
    account(plan, 1e-4), list(fit, plan), operator_affine(diag(2)),
    graph_guided(rbind(c(1, 2)), 0.1), check_convergence(admm(1), chain),
    worst_case_neighbours("labels", n = 6, nodes = 2), fit_release(epsilon = 1)
  )
  stats::setNames(objects, vapply(objects, function(o) class(o)[1L], ""))
}

methods_of_package <- function() {
  table <- getNamespaceInfo(asNamespace("dpadmm"), "S3methods")
  data.frame(generic = table[, 1L], class = table[, 2L])
}

method_of <- function(row) {
  get(paste(row$generic, row$class, sep = "."), asNamespace("dpadmm"))
}

of_users <- c(
  "print", "summary", "coef", "predict", "privacy", "evaluate", "loss_trace", "tidy", "glance",
  "plot", "autoplot", "rep", "format", "as_network"
)

test_that("no method leaves its dots unread", {
  methods <- methods_of_package()
  for (i in seq_len(nrow(methods))) {
    f <- method_of(methods[i, ])
    if (!("..." %in% names(formals(f)))) next
    # a method that has no answer to begin with needs none of them
    read <- any(c("...", "..1", "refuse", "not_made_by") %in% all.names(body(f)))
    expect_true(read, label = paste(methods$generic[i], methods$class[i], "reads its dots"))
  }
})

test_that("an unknown argument is an error of every method", {
  objects <- one_of_each()
  methods <- methods_of_package()
  methods <- methods[methods$generic %in% of_users & methods$class %in% names(objects), ]
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (i in seq_len(nrow(methods))) {
    f <- method_of(methods[i, ])
    what <- paste(methods$generic[i], methods$class[i])
    error <- tryCatch(utils::capture.output(f(objects[[methods$class[i]]], conf_int = TRUE)),
      error = identity)
    expect_s3_class(error, "dpadmm_error_argument")
    expect_identical(error$argument, "conf_int", label = what)
  }
  # the classes that matter were among them
  expect_true(all(c("dpadmm_fit", "dpadmm_plan", "list", "dp_events") %in% methods$class))
  expect_gt(nrow(methods), 40)
})

test_that("what users of other packages may try is not ignored", {
  skip_if_not_installed("generics")
  fit <- small_fit("mr_admm")
  expect_blames(generics::tidy(fit, exponentiate = TRUE), "exponentiate")
  expect_blames(predict(fit, small$x, interval = TRUE), "interval")
  expect_blames(predict(fit, small$x, threshold = 0.3), "threshold")
  expect_blames(coef(fit, complete = stop("never looked at")), "complete")
  expect_blames(rep(fit$events, each = 2), "each")
  expect_blames(plot(fit, foo = 1), "foo")
  expect_blames(plot(fit, xlab = "x"), "xlab")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit, col.axis = "grey", cex.lab = 0.8))
})

test_that("unknown arguments of methods, and nodes that are no object, are classed", {
  for (make in all_methods()) expect_blames(make(foo = 1), "foo")
  fit <- function(...) dpadmm_fit(small$x, small$y, epsilon = 1, ...)
  expect_blames(fit(nodes = 2, method = mr_admm(foo = 1)), "foo")
  expect_blames(fit(nodes = hospital), "nodes")
  data <- data.frame(small$x, y = small$y, hospital = small$nodes)
  expect_blame(dpadmm_fit(y ~ a, data, nodes = hospital, epsilon = 1), "argument", "nodes",
    "nodes = ~column")
  plan <- dpadmm_plan(colnames(small$x), sizes = small$sizes, epsilon = 1)
  expect_blames(dpadmm_fit(plan, small$x, small$y, nodes = hospital), "nodes")
})
