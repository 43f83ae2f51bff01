# evaluate() with a budget: against numbers worked out here, and intervals against repetition.

skip_on_cran()

inside <- asNamespace("dpadmm")
draw <- function(n) {
  x <- matrix(runif(2 * n, -1, 1), n) / 2
  list(x = x, y = ifelse(runif(n) < plogis(4 * x[, 1] - 3 * x[, 2]), 1, -1),
    z = x[, 1] - x[, 2] / 2 + rnorm(n) / 5)
}
set.seed(17)
people <- draw(900)
holder <- rep(c("A", "B", "C"), c(150, 300, 450))
fit <- dpadmm_fit(people$x, people$y, nodes = 2, epsilon = 6, delta = 1e-6, seed = 1)
line <- dpadmm_fit(people$x, people$z, nodes = 2, epsilon = 6, delta = 1e-6, seed = 1,
  loss = "huber", response = c(-2, 2)
)
# so little noise that what is released is what was counted
exact <- function(fit, y, ...) evaluate(fit, people$x, y, epsilon = 1e7, seed = 2, ...)

test_that("with next to no noise the measures are those of the records", {
  got <- exact(fit, people$y, nodes = holder, bins = c(0, 0.3, 0.5, 0.7, 1))
  link <- as.vector(people$x %*% colMeans(fit$coefficients))
  for (who in c("all", "A", "B", "C")) {
    own <- if (who == "all") TRUE else holder == who
    y <- people$y[own]
    p <- plogis(link[own])
    bin <- findInterval(p, c(0, 0.3, 0.5, 0.7))
    pairs <- outer(bin[y > 0], bin[y < 0], function(a, b) (a > b) + (a == b) / 2)
    want <- c(mean((p > 0.5) != (y > 0)), mean(-log(ifelse(y > 0, p, 1 - p))), mean(pairs))
    expect_equal(subset(got$measures, holder == who)$estimate, want, tolerance = 1e-5)
    expect_equal(subset(got$calibration, holder == who)$rate,
      as.vector(tapply(y > 0, bin, mean)), tolerance = 1e-5
    )
  }
  plain <- evaluate(fit, people$x, people$y)
  expect_equal(inside$tidy.dpadmm_evaluation(got)$estimate[1:2], c(plain$error, plain$loss),
    tolerance = 1e-5)
  cut <- exact(fit, people$y, measures = "log_loss", clip = 0.6)$measures$estimate
  expect_equal(cut, mean(pmin(0.6, log1p(exp(-people$y * link)))), tolerance = 1e-5)
  squared <- exact(line, people$z)$measures
  expect_equal(squared$estimate[2], evaluate(line, people$x, people$z)$rmse, tolerance = 1e-5)
  expect_equal(squared$estimate[1], squared$estimate[2]^2)
  beside <- mean((people$z - mean(people$z))^2)
  expect_equal(squared$estimate[3], 1 - squared$estimate[1] / beside, tolerance = 1e-5)
  miss <- (people$z - predict(line, people$x, type = "response"))^2
  moves <- (miss - mean(miss) / beside * (people$z - mean(people$z))^2) / beside
  fine <- exact(line, people$z, clip = 1)$measures # no residual is that large
  expect_equal(fine$std.error[3], sqrt(mean(moves^2) / 900), tolerance = 1e-3)
  # without noise the variances are those of the sample
  expect_equal(got$measures$std.error[2],
    sd(log1p(exp(-people$y * link))) * sqrt(899 / 900) / 30, tolerance = 1e-4)
})

test_that("all that is released costs what was asked, each holder apart", {
  for (delta in c(0, 1e-6)) {
    got <- evaluate(fit, people$x, people$y, nodes = holder, epsilon = 0.8, delta = delta, seed = 1)
    spent <- account(got$events, delta)
    expect_lte(spent$epsilon, 0.8)
    expect_gt(spent$epsilon, 0.8 * (1 - 1e-6))
    expect_equal(spent$per_node$epsilon, rep(spent$epsilon, 3))
    expect_identical(spent$per_node$node, c("A", "B", "C"))
    expect_identical(privacy(got)$epsilon, spent$epsilon)
    # halves and quarters, in epsilon or in squares
    share <- (got$events$sensitivity / (if (delta > 0) got$events$sigma else got$events$b))
    share <- if (delta > 0) share^2 else share
    expect_equal(share / sum(share[got$events$party == "A"]), rep(c(1, 1, 2) / 4, each = 3),
      tolerance = 1e-6)
  }
  alone <- evaluate(fit, people$x, people$y, epsilon = 1, measures = "error", seed = 1)
  expect_equal(alone$measures$noise, sqrt(2) / 900, tolerance = 1e-6)
  # with the fit's own cost
  both <- account(list(fit, alone), 1e-6)$epsilon
  expect_gt(both, account(fit, 1e-6)$epsilon)
  expect_lte(both, account(fit, 1e-6)$epsilon + 1)
  expect_match(format(privacy(list(fit, alone))), "2 runs together", all = FALSE)
})

test_that("one record moves no sum by more than is charged for", {
  spec <- inside$evaluation_spec(fit, list(epsilon = 1, delta = 0, bins = 10, level = 0.95))
  model <- inside$node_models(fit)
  sums <- function(fit, x, y, spec) {
    records <- inside$labelled_records(fit, x, y)
    lapply(inside$evaluation_queries(spec, records, inside$node_models(fit)), function(q) {
      list(sum = if (is.null(q$cell)) colSums(q$value) else tabulate(q$cell, q$dim), q = q)
    })
  }
  worst <- list(x = rbind(c(0.7, -0.7), c(-0.7, 0.7)), y = c(1, -1), z = c(90, -90))
  other <- inside$evaluation_spec(line, list(epsilon = 1, delta = 0, level = 0.95))
  for (case in list(list(fit, spec, "y"), list(line, other, "z"))) {
    label <- people[[case[[3]]]]
    before <- sums(case[[1]], people$x, label, case[[2]])
    for (i in 1:2) for (j in 1:2) {
      x <- people$x
      x[7, ] <- worst$x[i, ]
      label[7] <- worst[[case[[3]]]][j]
      after <- sums(case[[1]], x, label, case[[2]])
      for (k in names(after)) {
        moved <- after[[k]]$sum - before[[k]]$sum
        expect_lte(sum(abs(moved)), after[[k]]$q$l1)
        expect_lte(sqrt(sum(moved^2)), after[[k]]$q$l2 * (1 + 1e-12))
        expect_true(all(after[[k]]$sum == round(after[[k]]$sum)))
      }
    }
  }
})

#' Evaluations of many data sets with one calibration: what evaluate() does, in its parts.
evaluator <- function(fit, n, epsilon, delta, ...) {
  spec <- inside$evaluation_spec(fit, list(epsilon = epsilon, delta = delta, bins = 20,
    level = 0.95, ...))
  held <- inside$evaluation_holders(fit, NULL, n)
  model <- inside$node_models(fit)
  releases <- NULL
  function(x, y, seed) {
    queries <- inside$evaluation_queries(spec, inside$labelled_records(fit, x, y), model)
    if (is.null(releases)) {
      releases <<- inside$evaluation_releases(queries, held, epsilon, delta)
    }
    values <- inside$draw_evaluation(queries, held, releases, inside$noise_key(seed))
    inside$new_evaluation(fit, spec, held, releases, values, NULL, TRUE)
  }
}

test_that("the noise has the size that is stated", {
  n <- length(people$y)
  error <- evaluate(fit, people$x, people$y)$error
  for (delta in c(0, 1e-5)) {
    of <- evaluator(fit, n, 1, delta, measures = "error")
    got <- lapply(1:300, function(i) of(people$x, people$y, i))
    expect_identical(got[[9]]$measures, evaluate(fit, people$x, people$y, epsilon = 1,
      delta = delta, measures = "error", seed = 9)$measures)
    off <- vapply(got, function(g) g$measures$estimate - error, 0) / got[[1]]$measures$noise
    expect_gt(t.test(off)$p.value, 1e-3)
    scale <- got[[1]]$events[[if (delta > 0) "sigma" else "b"]] / got[[1]]$measures$noise / n
    law <- if (delta > 0) pnorm else function(q) ifelse(q < 0, exp(q / scale) / 2,
      1 - exp(-q / scale) / 2)
    expect_gt(ks.test(off, law)$p.value, 1e-3)
  }
})

test_that("intervals cover, neither too rarely nor always", {
  large <- draw(2e5)
  truth <- with(evaluate(fit, large$x, large$y, epsilon = 1e7, seed = 1)$measures,
    setNames(estimate, measure))
  truth["rmse"] <- evaluate(line, large$x, large$z)$rmse
  truth["r2"] <- 1 - truth[["rmse"]]^2 / mean((large$z - mean(large$z))^2)
  covered <- function(epsilon, delta, n, runs) {
    of_fit <- evaluator(fit, n, epsilon, delta)
    of_line <- evaluator(line, n, epsilon, delta)
    rowMeans(vapply(seq_len(runs), function(i) {
      new <- draw(n)
      got <- rbind(of_fit(new$x, new$y, i)$measures, of_line(new$x, new$z, i)$measures[2:3, ])
      got$conf.low <= truth[got$measure] & truth[got$measure] <= got$conf.high
    }, logical(5)))
  }
  for (rate in list(covered(1, 1e-5, 2000, 200), covered(4, 0, 500, 200))) {
    expect_all(rate > 0.90, "too few")
    # error and AUC; the variance of losses is on the safe side
    expect_all(rate[c(1, 3)] < 0.995, "too many")
  }
  # known laws, against draws
  set.seed(1)
  for (share in c(0.1, 0.5, 1)) {
    v <- rnorm(2e5) * sqrt(1 - share) + (rexp(2e5) - rexp(2e5)) * sqrt(share / 2)
    expect_equal(mean(abs(v) <= inside$interval_reach(0.95, share)), 0.95, tolerance = 3e-3)
  }
})

test_that("what is too little for the noise says so, and pictures and tables are drawn", {
  got <- evaluate(fit, people$x, people$y, nodes = holder, epsilon = 0.05, seed = 1)
  auc <- subset(got$measures, measure == "auc" & holder == "A")
  expect_true(is.na(auc$estimate))
  expect_identical(c(auc$conf.low, auc$conf.high), c(0, 1))
  expect_output(print(got), "too few of a class")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  clear <- exact(fit, people$y, nodes = holder)
  expect_identical(plot(clear), clear)
  expect_identical(plot(got, "measures"), got)
  expect_error(plot(exact(line, people$z), "calibration"), class = "dpadmm_error_argument")
  expect_identical(as.data.frame(got), got$measures)
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(clear), "ggplot")
  expect_s3_class(ggplot2::autoplot(got, "measures"), "ggplot")
})

test_that("persons are protected where the fit protects them", {
  sizes <- c(A = 150, B = 300, C = 450)
  of <- function(m) {
    own <- dpadmm_fit(people$x, people$y, nodes = holder, epsilon = 6, delta = 1e-6, seed = 1,
      per_person = m)
    evaluate(own, people$x, people$y, nodes = holder, epsilon = 1, seed = 1)
  }
  one <- of(1)
  many <- of(c(A = 3, B = 1, C = 2))
  expect_equal(many$events$b / one$events$b, rep(c(3, 1, 2), 3))
  expect_match(format(privacy(many)), "of persons", all = FALSE)
  expect_identical(many$events$per_person, rep(c(3, 1, 2), 3))
})

test_that("a bad call is an error, and nothing is charged", {
  of <- function(..., epsilon = 1) evaluate(fit, people$x, people$y, epsilon = epsilon, ...)
  expect_blames(of(epsilon = -1), "epsilon")
  expect_blames(of(epsilon = Inf), "epsilon", "dpadmm_error_finite")
  expect_blames(of(delta = 1), "delta")
  expect_blames(of(measures = "rmse"), "measures")
  expect_blames(of(node = "all"), "node")
  expect_blames(of(bins = 1), "bins")
  expect_blames(of(bins = c(0.5, 0.1, 0.9)), "bins")
  expect_blames(of(clip = -2), "clip")
  expect_blames(of(level = 1), "level")
  expect_blames(of(nodes = 1:3), "nodes", "dpadmm_error_shape")
  expect_blames(evaluate(fit, people$x, people$y, delta = 1e-5), "delta")
  expect_blames(evaluate(fit, people$x, people$y, nodes = holder), "nodes")
  bare <- dpadmm_fit(people$x, people$z, nodes = 2, epsilon = 6, delta = 1e-6, loss = "huber")
  expect_blames(evaluate(bare, people$x, people$z, epsilon = 1), "clip")
  weighted <- dpadmm_fit(people$x, people$y, nodes = 2, epsilon = 6, delta = 1e-6,
    case_weights = rep(1, 900), weight_bound = 1)
  expect_blames(
    evaluate(weighted, people$x, people$y, epsilon = 1, case_weights = rep(1, 900)), "fit")
  skip_without_ledger()
  book <- dpadmm_ledger(tempfile(fileext = ".sqlite"), "icu", 2, 1e-5)
  expect_blames(of(ledger = book, seed = 1), "seed")
  expect_blames(of(ledger = book, measures = "rmse"), "measures")
  expect_error(of(ledger = book, epsilon = 5), class = "dpadmm_error_budget")
  expect_identical(nrow(as.data.frame(ledger_report(book))), 0L)
  got <- of(ledger = book, delta = 1e-6)
  row <- as.data.frame(ledger_report(book))
  expect_equal(row$cost, inside$charge_cost(got$events, book$budget))
  expect_match(format(privacy(got)), "charged as no. 1", all = FALSE)
})

test_that("clips whose powers are no numbers, and no measures, are refused", {
  set.seed(1)
  x <- matrix(runif(60), 20) / 2
  y <- rep(c(-1, 1), 10)
  fit <- dpadmm_fit(x, y, nodes = 2, epsilon = 5, seed = 1)
  for (clip in c(1e300, 1e-300)) {
    expect_blame(evaluate(fit, x, y, epsilon = 1, clip = clip), "argument", "clip", place = 1L)
  }
  ends <- evaluate(fit, x, y, epsilon = 1, clip = 1e30, seed = 1)$measures
  expect_true(all(is.finite(ends$std.error[ends$measure == "log_loss"])))
  expect_blame(evaluate(fit, x, y, epsilon = 1, measures = character()), "argument", "measures")
  expect_blame(evaluate(fit, x, factor(y)), "labels", "y", 'it is "-1"', place = 1L)
})
