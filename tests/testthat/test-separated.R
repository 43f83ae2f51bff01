# Classes that are separated have no best model, and a fit of them no intervals. What is released is
# seen to be theirs: no data set that is separated hides it but behind noise.

test_that("separated classes have no intervals, with noise neither", {
  set.seed(12)
  n <- 600
  bounds <- dpadmm_schema(a = c(-1, 1), b = c(-1, 1), ill = c("no", "yes"))
  planned <- function(epsilon, ...) {
    dpadmm_plan(ill ~ a + b, bounds, sizes = c(A = 400, B = 200), epsilon = epsilon,
      delta = 1e-6, inference = TRUE, ...)
  }
  fitted <- function(plan, response, seed) {
    x <- data.frame(a = runif(n, -1, 1), b = 2 * (runif(n) > 0.6) - 1)
    x$ill <- ifelse(response(x), "yes", "no")
    dpadmm_fit(plan, x, nodes = rep(c("A", "B"), c(400, 200)), seed = seed)
  }
  plan <- planned(8)
  told <- function(response) {
    vapply(1:15, function(seed) is.null(fitted(plan, response, seed)$inference$why), NA)
  }
  expect_false(any(told(function(x) x$a > 0)))
  expect_false(any(told(function(x) x$a + 0.5 * x$b > 0.2)))
  # one level has one class only: seen in all but a few
  expect_lte(sum(told(function(x) x$b == 1 | runif(n) < plogis(x$a))), 4)
  expect_true(all(told(function(x) runif(n) < plogis(x$a + 0.5 * x$b))))
  cut <- fitted(planned(Inf, iterations = 30), function(x) x$a > 0, 1)
  expect_error(confint(cut), "separated", class = "dpadmm_error_unavailable")
})

test_that("no point's gradient and curvature hide that classes are separated", {
  set.seed(13)
  at <- function(x, y, f) {
    p <- plogis(as.vector(x %*% f))
    x <- x / max(sqrt(rowSums(x^2))) # the longest has norm 1
    list(H = crossprod(x, p * (1 - p) * x), g = as.vector(crossprod(x, p - y)))
  }
  told <- function(it) dpadmm:::may_be_separated(it$H, it$g, seq_along(it$g), 1, 0)
  for (run in 1:200) {
    x <- cbind(0.3, matrix(runif(60 * 2, -1, 1), 60))
    split <- as.vector(x %*% rnorm(3))
    y <- split > 0
    if (run %% 2) y[order(abs(split))[1:3]] <- c(0, 1, 0)
    if (run %% 2) x[order(abs(split))[1:3], ] <- 0 # records on the plane have any class
    expect_true(told(at(x, y, rnorm(3, sd = runif(1, 0, 6)))))
  }
  # and it is the best direction that counts
  for (run in 1:50) {
    H <- crossprod(matrix(rnorm(8), 4))
    g <- rnorm(2)
    u <- rbind(cos(1:2e4 * pi / 1e4), sin(1:2e4 * pi / 1e4))
    best <- max(-colSums(g * u) - colSums(u * (H %*% u)))
    if (abs(best) > 1e-3) expect_identical(told(list(H = H, g = g)), best > 0)
  }
  mixed <- runif(60) < plogis(x[, 2])
  f <- coef(glm(mixed ~ x - 1, family = binomial))
  expect_false(told(at(x, mixed, f)))
})
