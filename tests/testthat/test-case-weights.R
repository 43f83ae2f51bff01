# Weights and offsets of records. Nothing here depends on how columns are encoded.

skip_on_cran()

# 60 records on three nodes, whose weights add up to the same for each node.
weighted <- local({
  n <- 60
  set.seed(4)
  x <- matrix(runif(2 * n, -0.6, 0.6), n, dimnames = list(NULL, c("a", "b")))
  list(
    n = n, x = x, class = ifelse(runif(n) < plogis(1 + 3 * x[, 1] - 2 * x[, 2]), 1, -1),
    number = 1 + x[, 1] - x[, 2] + rnorm(n, sd = 0.3), w = rep(0:3, each = 3, length.out = n),
    nodes = rep_len(1:3, n), t = runif(n, 1, 4)
  )
})
labels_for <- function(loss) if (loss$classification) weighted$class else weighted$number

#' A fit of some of the rows, perhaps several times.
fit_rows <- function(method, rows = seq_len(weighted$n), ..., loss = "logistic", x = weighted$x,
                     y = labels_for(dpadmm_loss(loss)), nodes = weighted$nodes, C = 1,
                     epsilon = Inf) {
  method <- dpadmm:::as_method(method)
  users <- inherits(method, "dpadmm_family_server")
  arguments <- list(
    x[rows, ], y[rows], method = method, loss = loss, epsilon = epsilon, iterations = 12, seed = 1
  )
  if (on_graph(method) || users) arguments$nodes <- nodes[rows]
  if (on_graph(method)) arguments$weights <- "nodes"
  if (!is.null(C) && !users && !inherits(method, "dpadmm_family_descent")) arguments$C <- C
  suppressWarnings(do.call(dpadmm_fit, c(arguments, list(...))), classes = "dpadmm_warning")
}

test_that("a weight counts as rows repeated, for all methods", {
  share <- mean(weighted$w) / 3
  again <- rep(seq_len(weighted$n), weighted$w)
  # [[1]]: of the weighted run; [[2]]: of the repeated one, whose mean loss is larger
  pairs <- list(
    admm = list(admm(eta = 1)), m_admm = list(m_admm(eta = 1)),
    r_admm = list(r_admm(eta = 1, gamma = 0.5)), mr_admm = list(mr_admm(eta = 1, gamma = 0.5)),
    pp_admm = list(pp_admm(eta = 1, beta = 1e-11)),
    ipp_admm = list(
      ipp_admm(eta = 1, beta = 1e-11, loss_clip = 100, threshold = 1e-3),
      ipp_admm(eta = 1, beta = 1e-11, loss_clip = 100, threshold = 1e-3 / share)
    ),
    grad_admm = list(grad_admm(eta = 0.5)), acc_admm = list(acc_admm(eta = 0.5)),
    fp_admm = list(fp_admm(gamma = 1), fp_admm(gamma = share)),
    dp_sgd = list(dp_sgd(step = 0.5), dp_sgd(step = 0.5 * share)),
    dp_cd = list(dp_cd(step = 0.5), dp_cd(step = 0.5 * share))
  )
  expect_setequal(names(pairs), names(all_methods()))
  for (name in names(pairs)) {
    pair <- rep_len(pairs[[name]], 2)
    losses <- if (name == "mr_admm") c("logistic", "squared", "huber", "hinge") else "logistic"
    for (loss in losses) {
      light <- fit_rows(pair[[1]], case_weights = weighted$w, weight_bound = 3, loss = loss)
      many <- fit_rows(pair[[2]], again, loss = loss, C = share)
      expect_equal(coef(light, node = "all"), coef(many, node = "all"),
        tolerance = 1e-9, info = paste(name, loss)
      )
      if (name == "mr_admm") {
        plain <- fit_rows(pair[[1]], loss = loss)
        expect_gt(max(abs(coef(plain) - coef(light))), 1e-3)
      }
    }
  }
})

test_that("all weights at their bound are no weights, and weights beyond it are set to it", {
  for (name in names(all_methods())) {
    fit <- fit_rows(name, epsilon = 2, delta = 1e-5)
    same <- fit_rows(name, epsilon = 2, delta = 1e-5, case_weights = rep(7, weighted$n),
      weight_bound = 7
    )
    expect_identical(coef(fit), coef(same), info = name)
    expect_identical(fit$events, same$events, info = name)
  }
  capped <- fit_rows("admm", case_weights = weighted$w, weight_bound = 2)
  by_hand <- fit_rows("admm", case_weights = pmin(weighted$w, 2), weight_bound = 2)
  expect_identical(coef(capped), coef(by_hand))
})

test_that("a record of weight 0 says nothing, in any store and layout", {
  methods <- c(lapply(all_methods(), function(make) make()), list(
    federated = fp_admm(setting = "federated", sample = 0.5), few = dp_sgd(batch = 10),
    walk = fp_admm(setting = "decentralized"), block = dp_cd(blocks = 1, clip = 0.1)
  ))
  w <- replace(rep(1, weighted$n), c(2, 31), 0)
  other <- weighted$x
  other[c(2, 31), ] <- c(-0.6, 0.1, 0.5, -0.2)
  y <- weighted$class
  y[c(2, 31)] <- -y[c(2, 31)]
  for (name in names(methods)) for (sparse in c(FALSE, TRUE)) {
    as <- if (sparse) function(x) methods::as(x, "CsparseMatrix") else identity
    for (nodes in list(weighted$nodes, NULL)) {
      if (is.null(nodes) && !inherits(methods[[name]], "dpadmm_family_server")) next
      fit <- function(x, y) {
        fit_rows(methods[[name]], x = as(x), y = y, nodes = nodes, epsilon = 3, delta = 1e-5,
          case_weights = w, weight_bound = 1
        )
      }
      expect_equal(coef(fit(weighted$x, weighted$class)), coef(fit(other, y)),
        tolerance = 1e-9, info = paste(name, sparse)
      )
    }
  }
})

test_that("weights and offsets are those of glm() where there is next to no penalty", {
  data <- data.frame(weighted$x, t = weighted$t, w = weighted$w, y = weighted$class > 0)
  data$y[1:8] <- !data$y[1:8] # no separation
  bounds <- dpadmm_schema(a = c(-0.6, 0.6), b = c(-0.6, 0.6), w = c(0, 3))
  truth <- suppressWarnings(
    glm(y ~ a + b + offset(log(t)), binomial, data, weights = w, epsilon = 1e-14)
  )
  fit <- function(method, iterations, ...) {
    dpadmm_fit(y ~ a + b + offset(log(t)), data,
      schema = bounds, case_weights = ~w, method = method, epsilon = Inf, seed = 1,
      iterations = iterations, control = dpadmm_control(row_bound = 10), ...
    )
  }
  link <- unname(predict(truth))
  on_nodes <- fit(m_admm(eta = 1), 1000, nodes = weighted$nodes, C = 20, rho = 1e-9)
  expect_equal(predict(on_nodes, data, type = "link"), link, tolerance = 1e-5)
  expect_equal(predict(fit(fp_admm(gamma = 5), 3000), data, type = "link"), link, tolerance = 1e-4)
  expect_equal(predict(fit(dp_sgd(step = 0.05), 6000), data, type = "link"), link, tolerance = 1e-4)
  # the same prediction whether new data have the offset or it is given
  expect_equal(predict(on_nodes, data, type = "response"), unname(fitted(truth)), tolerance = 1e-5)
  away <- transform(data, t = t * exp(1))
  expect_equal(predict(on_nodes, away, type = "link"),
    predict(on_nodes, data, type = "link") + 1, tolerance = 1e-12)
  # in evaluate(), weighted means
  sheet <- evaluate(on_nodes, data)
  loss <- -log(plogis(ifelse(data$y, 1, -1) * predict(on_nodes, data, type = "link")))
  expect_equal(sheet$loss, sum(data$w * loss) / sum(data$w))
  wrong <- (predict(on_nodes, data, type = "link") > 0) != data$y
  expect_equal(sheet$error, sum(data$w * wrong) / sum(data$w))
  ridge <- evaluate(on_nodes, transform(data, w = 3))
  expect_equal(sheet$objective - mean(data$w * loss / 3), ridge$objective - ridge$loss)
})

test_that("an offset may be a formula's, a column or numbers, and is one thing", {
  data <- data.frame(weighted$x, t = weighted$t, y = weighted$class)
  bounds <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), t = c(1, 4))
  fit <- function(formula, ..., loss = "logistic") {
    coef(dpadmm_fit(formula, data, nodes = weighted$nodes, schema = bounds, epsilon = Inf,
      loss = loss, iterations = 5, ...
    ))
  }
  for (loss in c("logistic", "hinge", "huber", "squared")) {
    one <- fit(y ~ a + b + offset(log(t)), loss = loss)
    expect_identical(fit(y ~ offset(log(t)) + a + b, loss = loss), one)
    expect_identical(fit(y ~ a + b, offset = ~ log(t), loss = loss), one)
    expect_identical(fit(y ~ a + b, offset = log(data$t), loss = loss), one)
    # `.` does not stand for the column of the argument, as it does not for that of nodes
    expect_identical(fit(y ~ ., offset = ~t, loss = loss), fit(y ~ a + b + offset(t), loss = loss))
    expect_equal(fit(y ~ a + b + offset(log(t) / 2), offset = log(data$t) / 2, loss = loss), one)
    expect_gt(max(abs(one - fit(y ~ a + b, loss = loss))), 1e-3)
  }
  # of a regression it is the response that is moved
  shifted <- transform(data, y = y - log(t))
  wide <- c(-3, 3)
  expect_equal(fit(y ~ a + b + offset(log(t)), loss = "huber", response = wide),
    coef(dpadmm_fit(y ~ a + b, shifted,
      nodes = weighted$nodes, schema = bounds, epsilon = Inf, loss = "huber", iterations = 5,
      response = wide
    ))
  )
  # an offset that no double can add to is still no error, and its record saturated
  far <- fit(y ~ a + b, offset = replace(numeric(60), 1, 1e300))
  expect_true(all(is.finite(far)))
})

test_that("numbers that were given to a fit are asked for again where they matter", {
  o <- log(weighted$t)
  fit <- fit_rows("admm", offset = o, case_weights = weighted$w, weight_bound = 3)
  expect_error(predict(fit, weighted$x), "`offset` is missing", class = "dpadmm_error_argument")
  link <- predict(fit, weighted$x, type = "link", offset = o)
  expect_equal(predict(fit, weighted$x, type = "link", offset = o + 1), link + 1)
  sheet <- evaluate(fit, weighted$x, weighted$class, case_weights = weighted$w, offset = o)
  wrong <- (link > 0) != (weighted$class > 0)
  expect_equal(sheet$error, sum(weighted$w * wrong) / sum(weighted$w))
  expect_error(evaluate(fit, weighted$x, weighted$class, offset = o), "`case_weights` is missing")
  plain <- fit_rows("admm")
  expect_error(predict(plain, weighted$x, offset = o), class = "dpadmm_error_argument")
})

test_that("a plan knows that there are weights and offsets, and holds none", {
  data <- data.frame(weighted$x, t = weighted$t, w = weighted$w, y = weighted$class)
  bounds <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), w = c(0, 3))
  sizes <- c("1" = 20, "2" = 20, "3" = 20)
  plan <- dpadmm_plan(y ~ a + b + offset(log(t)), bounds,
    sizes = sizes, case_weights = ~w, epsilon = 1, delta = 1e-5
  )
  expect_match(paste(format(privacy(plan)), collapse = " "), "larger ones are set to 3")
  planned <- suppressWarnings(dpadmm_fit(plan, data, nodes = weighted$nodes, seed = 1))
  direct <- suppressWarnings(dpadmm_fit(y ~ a + b + offset(log(t)), data,
    nodes = weighted$nodes, schema = bounds, case_weights = ~w, epsilon = 1, delta = 1e-5, seed = 1
  ))
  expect_identical(coef(planned), coef(direct))
  # a fit keeps where weights come from and their bound, and nothing else of them
  other <- suppressWarnings(
    dpadmm_fit(plan, transform(data, w = 3 - w), nodes = weighted$nodes, seed = 1)
  )
  expect_false(identical(coef(planned), coef(other)))
  expect_identical(planned$blueprint, other$blueprint)
  expect_identical(planned$blueprint$weights, list(call = quote(w), bound = 3))
  # the privacy of weights is that of none
  without <- dpadmm_plan(y ~ a + b, bounds, sizes = sizes, epsilon = 1, delta = 1e-5)
  expect_identical(plan$events, without$events)
  # columns without a formula: the numbers come with the data
  plan <- dpadmm_plan(2, sizes = sizes, epsilon = Inf, C = 1, iterations = 12, method = admm(),
    case_weights = TRUE, weight_bound = 3, offset = TRUE
  )
  o <- log(weighted$t)
  expect_equal(
    unname(coef(dpadmm_fit(plan, weighted$x, weighted$class,
      nodes = weighted$nodes, case_weights = weighted$w, offset = o))),
    unname(coef(fit_rows("admm", case_weights = weighted$w, weight_bound = 3, offset = o)))
  )
  refused <- function(...) {
    expect_error(dpadmm_plan(2, sizes = sizes, epsilon = 1, ...), class = "dpadmm_error_argument")
  }
  refused(case_weights = c(1, 2), weight_bound = 1)
  refused(offset = 1:3)
  expect_error(dpadmm_fit(plan, weighted$x, weighted$class, nodes = weighted$nodes, offset = o),
    "`case_weights` is missing"
  )
})

test_that("parties apart and threads see the same weights and offsets", {
  o <- log(weighted$t)
  for (name in c("mr_admm", "ipp_admm", "fp_admm", "dp_sgd", "grad_admm")) {
    fit <- function(...) {
      coef(fit_rows(name, case_weights = weighted$w, weight_bound = 3, offset = o, epsilon = 5,
        delta = 1e-5, control = dpadmm_control(...)
      ))
    }
    expect_identical(fit(threads = 1), fit(threads = 2), info = name)
    expect_identical(fit(), fit(engine = "stepwise"), info = name)
  }
})

test_that("bad weights and offsets are classed errors that name them", {
  n <- weighted$n
  fails <- function(kind, says, ...) {
    expect_error(fit_rows("admm", ...), says, class = paste0("dpadmm_error_", kind))
  }
  one <- function(value) replace(rep(1, n), 5, value)
  fails("argument", "`case_weights`.*-1.*position 5", case_weights = one(-1), weight_bound = 1)
  fails("missing", "`case_weights`.*position 5", case_weights = one(NA), weight_bound = 1)
  fails("finite", "`case_weights`", case_weights = one(Inf), weight_bound = 1)
  fails("shape", "60 records, not 3", case_weights = 1:3, weight_bound = 3)
  fails("argument", "`case_weights` must be ~column", case_weights = "w", weight_bound = 1)
  fails("argument", "`weight_bound` is missing", case_weights = rep(1, n))
  fails("argument", "`weight_bound`", case_weights = rep(1, n), weight_bound = 0)
  fails("argument", "`case_weights`, which are missing", weight_bound = 1)
  fails("argument", "needs a data frame", case_weights = ~w, weight_bound = 1)
  fails("missing", "`offset`.*position 5", offset = one(NA))
  fails("finite", "`offset`", offset = one(-Inf))
  fails("shape", "`offset`", offset = 1)
  fails("finite", "`offset`", offset = rep(1e308, n), loss = "squared", y = rep(-1e308, n))
  data <- data.frame(weighted$x, w = weighted$w, h = "a", y = weighted$class)
  bounds <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), h = c("a", "b"))
  frame <- function(formula = y ~ a, ...) {
    dpadmm_fit(formula, data, nodes = weighted$nodes, schema = bounds, epsilon = 1, ...)
  }
  expect_error(frame(case_weights = ~w), "`weight_bound` is missing")
  expect_error(frame(case_weights = ~h, weight_bound = 1), "`h` must be numeric")
  expect_error(frame(case_weights = ~lost, weight_bound = 1), "`lost` cannot be evaluated")
  expect_error(frame(y ~ a + offset(h)), "`h` must be numeric")
  expect_error(frame(y ~ a + offset(b * 0 + 1e308), offset = rep(1e308, n)), "`offset`",
    class = "dpadmm_error_finite")
  expect_error(frame(y ~ a * offset(b)), class = "dpadmm_error_argument")
  # they are a record's own, as terms are
  expect_error(frame(case_weights = ~ w / max(w), weight_bound = 1), class = "dpadmm_error_formula")
  expect_error(frame(y ~ a + offset(b - mean(b))), class = "dpadmm_error_formula")
  expect_warning(suppressWarnings(frame(y ~ a + offset(b - mean(b)), row_wise = FALSE),
    classes = "dpadmm_warning_utility"), class = "dpadmm_privacy_leak")
})

test_that("a record that counts in full against one that does not keeps the claim", {
  pair <- worst_case_neighbours("weights", n = 6, nodes = 2)
  expect_identical(pair$data1$case_weights, rep(1, 6))
  expect_identical(pair$data2$case_weights, c(0, rep(1, 5)))
  release <- fit_release(admm(eta = 0.5), iterations = 2, epsilon = 20, delta = 1e-5)
  seen <- function(release, pair, seed) {
    found <- audit(release, pair$data1, pair$data2, runs = 4000, bound = "gaussian", delta = 1e-5,
      seed = seed)
    expect_false(found$exceeds)
    # replacing moves the gradient by twice as much as a record does that comes or goes
    expect_gt(found$mu, 0.2)
  }
  seen(release, pair, 1)
  release <- fit_release(dp_sgd(), iterations = 2, epsilon = 20, delta = 1e-5)
  seen(release, worst_case_neighbours("weights", n = 6), 2)
})
