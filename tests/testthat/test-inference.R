# Standard errors: without noise those of glm and of the sandwich; with noise what is released has
# the law it is said to have, and intervals cover.

patients <- function(n, seed) {
  u <- function(k) (sin(seq_len(n) * k + seed) * 1e4) %% 1 # no random number
  x <- data.frame(age = 20 + 70 * u(1.7), smoker = ifelse(u(2.3) > 0.6, "yes", "no"),
    ward = c("a", "b", "c")[1 + floor(3 * u(3.1))])
  risk <- -2 + 0.04 * x$age + 0.5 * (x$smoker == "yes") - 0.4 * (x$ward == "b")
  x$ill <- ifelse(u(5.9) < plogis(risk), "yes", "no")
  x$stay <- 5 + x$age / 20 - (x$smoker == "yes") + (1 + x$age / 40) * (u(7.7) - 0.5)
  x
}
columns <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"), ward = c("a", "b", "c"),
  ill = c("no", "yes"), stay = c(0, 15))
people <- patients(900, 1)
home <- rep(c("A", "B", "C"), c(450, 300, 150))

exact_fit <- function(formula = ill ~ age + smoker + ward, ...) {
  dpadmm_fit(formula, people, nodes = home, schema = columns[all.vars(formula)],
    epsilon = Inf, ...)
}

test_that("without noise estimates and standard errors are those of glm", {
  skip_if_not_installed("generics")
  fit <- exact_fit(inference = TRUE)
  other <- glm(ill == "yes" ~ age + smoker + ward, binomial, people)
  table <- as.data.frame(summary(other)$coefficients)
  own <- generics::tidy(fit, conf.int = TRUE)
  expect_identical(own$term, rownames(table))
  expect_equal(own$estimate, table$Estimate, tolerance = 1e-6)
  expect_equal(own$std.error, table$`Std. Error`, tolerance = 1e-6)
  expect_equal(own$p.value, table$`Pr(>|z|)`, tolerance = 1e-5)
  expect_equal(vcov(fit), vcov(other), tolerance = 1e-5)
  expect_equal(confint(fit, "age", 0.9), confint.default(other, "age", 0.9), tolerance = 1e-5,
    ignore_attr = TRUE)
  new <- people[c(1, 40, 77), ]
  for (type in c("link", "response")) {
    expect_equal(predict(fit, new, type, se.fit = TRUE),
      lapply(predict(other, new, type, se.fit = TRUE)[1:2], unname), tolerance = 1e-5)
  }
  expect_equal(summary(fit)$inference, own)
})

test_that("a run of many rounds without noise comes to the same", {
  skip_if_not_installed("generics")
  fit <- exact_fit(inference = TRUE, iterations = 60, lambda = 1e-6)
  optimum <- exact_fit(inference = TRUE)
  expect_equal(vcov(fit), vcov(optimum), tolerance = 1e-3)
  estimate <- function(fit) generics::tidy(fit, conf.int = TRUE)$estimate
  expect_equal(estimate(fit), estimate(optimum), tolerance = 1e-3)
})

# inverse Hessian, numerically, around the outer products of gradients, for weights of records
sandwich_of <- function(loss, f, x, weight) {
  gradient <- function(f) {
    d <- length(f)
    vapply(seq_len(d), function(j) {
      e <- replace(numeric(d), j, 1e-5)
      (loss(f + e) - loss(f - e)) / 2e-5
    }, loss(f)) * weight
  }
  H <- vapply(seq_along(f), function(j) {
    e <- replace(numeric(length(f)), j, 1e-4)
    (colSums(gradient(f + e)) - colSums(gradient(f - e))) / 2e-4
  }, f)
  solve(H, crossprod(gradient(f))) %*% solve(H)
}

test_that("the sandwich is that of numeric derivatives", {
  skip_if_not_installed("generics")
  X <- model.matrix(~ age + smoker + ward, people)
  X[, "age"] <- (X[, "age"] - 59) / 41
  back <- function(V) { # from age in half widths
    A <- diag(5)
    A[1:2, 2] <- c(-59, 1) / c(41, 41)
    A %*% V %*% t(A)
  }
  y <- ifelse(people$ill == "yes", 1, -1)
  weight <- c(A = 2, B = 1, C = 0.5)[home] * c(A = 1 / 450, B = 1 / 300, C = 1 / 150)[home]
  fit <- exact_fit(inference = "sandwich", C = c(2, 1, 0.5))
  f <- coef(glm(y > 0 ~ X - 1, quasibinomial, weights = weight))
  want <- sandwich_of(function(f) log1p(exp(-y * as.vector(X %*% f))), f, X, weight)
  expect_equal(unname(vcov(fit)), back(want), tolerance = 1e-4)

  fit <- exact_fit(stay ~ age + smoker + ward, inference = TRUE, loss = dpadmm_loss("huber", 0.05))
  z <- (people$stay - 7.5) / 7.5
  f <- qr.coef(qr(X), z)
  for (step in 1:50) {
    left <- z - as.vector(X %*% f)
    H <- crossprod(X[abs(left) < 0.05, ])
    f <- f + solve(H, crossprod(X, pmax(-0.05, pmin(0.05, left))))
  }
  expect_gt(sum(abs(left) > 0.05), 100)
  want <- solve(H, crossprod(pmax(-0.05, pmin(0.05, left)) * X)) %*% solve(H)
  table <- generics::tidy(fit, conf.int = TRUE)
  expect_equal(table$estimate, as.vector(c(7.5, 0, 0, 0, 0) +
    rbind(c(1, -59 / 41, 0, 0, 0), cbind(0, diag(c(1 / 41, 1, 1, 1)))) %*% f * 7.5),
  tolerance = 1e-6)
  expect_equal(unname(vcov(fit)), unname(back(want)) * 7.5^2, tolerance = 1e-6)
})

# ---- what is released ---------------------------------------------------------------------------

rows <- 0.9 * matrix(sin(1:240 * 1.3), 60) / 2
labels <- ifelse(sin(1:60 * 2.9) > 0, 1, -1)
of_node <- rep(1:3, c(30, 20, 10))

small_inferred <- function(method = mr_admm(), ..., x = rows, y = labels, keep = TRUE) {
  dpadmm_fit(x, y, nodes = of_node, method = method, inference = TRUE,
    control = dpadmm_control(keep_iterates = keep), ...)
}

data_gradient <- function(plan, i, f, x = rows, y = labels) {
  own <- of_node == i
  margin <- as.vector(x[own, ] %*% f)
  plan$problem$C[i] * colMeans((plogis(margin) - (y[own] > 0)) * x[own, ])
}

test_that("messages tell the gradients of the nodes' records", {
  for (method in list(mr_admm(eta = 0.7, gamma = 0.3), r_admm(), m_admm(), admm())) {
    for (network in list("complete", network_ring(3), network_star(3))) {
      fit <- suppressWarnings(small_inferred(method, network = network, epsilon = Inf,
        iterations = 9))
      seen <- dpadmm:::released_gradients(fit$plan, fit$iterates)
      for (t in c(1, nrow(seen$at))) {
        at <- matrix(seen$at[t, ], 3)
        want <- t(vapply(1:3, function(i) data_gradient(fit$plan, i, at[i, ]), numeric(4)))
        expect_equal(matrix(seen$gradient[t, ], 3), want, tolerance = 1e-6)
      }
    }
  }
})

test_that("gradients have the noise they are said to have", {
  z <- unlist(lapply(1:12, function(seed) {
    fit <- suppressWarnings(small_inferred(epsilon = 5, delta = 1e-5, seed = seed))
    seen <- dpadmm:::released_gradients(fit$plan, fit$iterates)
    vapply(seq_len(nrow(seen$at)), function(t) {
      at <- matrix(seen$at[t, ], 3)
      truth <- t(vapply(1:3, function(i) data_gradient(fit$plan, i, at[i, ]), numeric(4)))
      (matrix(seen$gradient[t, ], 3) - truth) / seen$objective[t, ]
    }, matrix(0, 3, 4))
  }))
  # 2,160 numbers: their sum of squares within four standard deviations of its mean
  expect_lt(abs(sum(z^2) - length(z)), 4 * sqrt(2 * length(z)))
  expect_lt(abs(sum(z)), 4 * sqrt(length(z)))
})

#' Moments of a run as symmetric matrices, by kind and node.
moments_of <- function(plan, x = rows, y = labels, seed = 1) {
  records <- list(x = x, y = y)
  key <- dpadmm:::noise_key(seed)
  held <- list(index = of_node, size = plan$problem$size)
  result <- dpadmm:::run_plan(plan, records, held, key)
  kinds <- unique(plan$inference$rules)
  out <- lapply(kinds, function(kind) dpadmm:::unpack_moments(plan, result$moments, kind))
  list(of = stats::setNames(out, kinds), at = result$f %*% dpadmm:::model_shares(plan$problem))
}

inferred_plan <- function(..., inference = "sandwich") {
  sizes <- c(30, 20, 10)
  suppressWarnings(dpadmm_plan(4, sizes = sizes, inference = inference, iterations = 3, ...))
}

true_moments <- function(plan, i, f, x = rows, y = labels) {
  own <- of_node == i
  p <- as.vector(plogis(x[own, ] %*% f))
  w <- plan$problem$C[i] / plan$problem$size[i]
  list(curvature = crossprod(x[own, ], w * p * (1 - p) * x[own, ]),
    scores = crossprod(w * (p - (y[own] > 0)) * x[own, ]))
}

test_that("moments are those of the records at the mean model", {
  plan <- inferred_plan(epsilon = Inf)
  got <- moments_of(plan)
  for (i in 1:3) {
    want <- true_moments(plan, i, as.vector(got$at))
    expect_equal(lapply(got$of, `[[`, i), want, tolerance = 1e-12)
  }
})

test_that("moments have noise of the stated size, half its variance off the diagonal", {
  plan <- inferred_plan(epsilon = 3, delta = 1e-5)
  z <- lapply(1:60, function(seed) {
    got <- moments_of(plan, seed = seed)
    lapply(1:3, function(i) {
      Map(function(value, truth, kind) {
        (value[[i]] - truth) / plan$moment_scales[i, kind]
      }, got$of, true_moments(plan, i, as.vector(got$at)), c("curvature", "scores"))
    })
  })
  z <- do.call(cbind, lapply(unlist(unlist(z, FALSE), FALSE), as.vector))
  on <- as.vector(diag(4) == 1)
  chi <- function(z, v) expect_lt(abs(sum(z^2) / v - length(z)), 4 * sqrt(2 * length(z)))
  chi(z[on, ], 1)
  chi(z[as.vector(lower.tri(diag(4))), ], 1 / 2)
})

test_that("no neighbours' moments are farther apart than what their noise hides, and some are", {
  private <- inferred_plan(epsilon = 3, delta = 1e-5)
  plan <- private
  plan$private <- FALSE
  for (part in c("scales", "moment_scales")) plan[[part]] <- NULL
  plan$rule <- character()
  plan[c("eta", "theta", "tol")] <- rep(list(matrix(0, 3, 0)), 3)
  allowed <- tapply(private$releases$sensitivity, private$releases[c("part", "node")], max)
  apart <- function(x1, x2, y1, y2, i) {
    one <- moments_of(plan, x1, y1)$of
    two <- moments_of(plan, x2, y2)$of
    mapply(function(a, b) sqrt(sum((a[[i]] - b[[i]])^2)), one, two)
  }
  unit <- function(v) 0.999999 * v / sqrt(sum(v^2))
  ratio <- vapply(1:20, function(k) {
    at <- c(5, 35, 55)[k %% 3 + 1]
    i <- of_node[at]
    x <- rows
    x[at, ] <- unit(sin(k * 1:4))
    y <- labels
    y[at] <- -y[at]
    max(apart(rows, x, labels, y, i) / allowed[c("curvature", "scores"), i])
  }, 0)
  expect_lt(max(ratio), 1)
  # two long rows at right angles, at a model where slopes are largest
  plan$start <- matrix(0, 4, 3)
  x1 <- x2 <- rows
  x1[5, ] <- unit(c(1, 0, 0, 0))
  x2[5, ] <- unit(c(0, 1, 0, 0))
  expect_gt(apart(x1, x2, labels, labels, 1)["curvature"] / allowed["curvature", 1], 0.9999)
  # and at one that is far off for both
  plan$start <- matrix(-labels[5] * c(50, 50, 0, 0), 4, 3)
  scores <- apart(x1, x2, labels, labels, 1)["scores"] / allowed["scores", 1]
  expect_gt(scores, 0.9999)
  expect_lt(scores, 1)
})

test_that("moments take a quarter of the budget, and the whole is what was asked for", {
  for (inference in c("model", "sandwich")) {
    plan <- inferred_plan(epsilon = 2, delta = 1e-6, inference = inference)
    expect_lte(account(plan$events, 1e-6)$epsilon, 2)
    expect_gt(account(plan$events, 1e-6)$epsilon, 1.999)
    r <- plan$releases
    cost <- tapply((r$sensitivity / r$weight)^2, list(r$node, r$part), sum)
    moments <- cost[, intersect(c("curvature", "scores"), colnames(cost)), drop = FALSE]
    expect_equal(rowSums(moments) / rowSums(cost), c(0.25, 0.25, 0.25), ignore_attr = TRUE)
    last <- plan$events[plan$events$iteration > 3, ]
    expect_identical(nrow(last), 3L * ncol(moments))
    expect_identical(unique(last$dim), 12)
    expect_equal(as.vector(plan$moment_scales), last$sigma)
  }
})

test_that("moments hide all records of a person", {
  moved <- function(m) {
    plan <- dpadmm_plan(4, sizes = c(A = 900, B = 700), epsilon = 4, delta = 1e-5, C = 1,
      weights = "nodes", per_person = m, inference = "sandwich")
    plan$releases$sensitivity[plan$releases$part %in% c("curvature", "scores")]
  }
  expect_equal(moved(3) / moved(1), rep(3, 4), tolerance = 1e-4)
})

test_that("columns that depend on others are known without records", {
  schema <- dpadmm_schema(a = c(-1, 1), b = c(0, 9), g = c("u", "v", "w"), h = c("p", "q"),
    y = c("no", "yes"))
  formulas <- list(y ~ a + b, y ~ a * b, y ~ a + g, y ~ g + h + a, y ~ g + h - 1, y ~ a + b - 1,
    y ~ a + g:h, y ~ g * h, y ~ a:g + h)
  for (formula in formulas) {
    plan <- dpadmm_plan(formula, schema, c(50, 60), epsilon = Inf, iterations = 1)
    kept <- dpadmm:::estimable_scaled(plan$problem$blueprint)
    x <- as.matrix(dpadmm:::public_points(plan$problem$blueprint))
    expect_identical(length(kept), qr(x)$rank)
    expect_identical(qr(x[, kept, drop = FALSE])$rank, length(kept))
  }
})
