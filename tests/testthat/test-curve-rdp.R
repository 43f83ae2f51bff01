# Renyi divergences and what follows from them, against published values, quadrature and high
# precision.

# ---- quadrature ----------------------------------------------------------------------

# log of the integral of exp(log_f) over the line: the peak by a scan, then pieces.
log_integral <- function(log_f, scan, pieces = 40) {
  value <- log_f(scan)
  top <- max(value)
  some <- range(which(value > top - 60))
  some <- scan[c(max(1, some[1] - 1), min(length(scan), some[2] + 1))]
  edges <- seq(some[1], some[2], length.out = pieces + 1)
  parts <- vapply(seq_len(pieces), function(i) {
    integrate(function(z) exp(log_f(z) - top), edges[i], edges[i + 1], rel.tol = 1e-11, abs.tol = 0,
      subdivisions = 400L)$value
  }, 0)
  top + log(sum(parts))
}

log1p_exp <- function(x) pmax(x, 0) + log1p(exp(-abs(x)))
log_mixture <- function(u, q) if (q == 1) u else log1p(-q) + log1p_exp(u + log(q) - log1p(-q))

# x^a - 1 - a (x - 1) >= 0 at x = 1 + y: integrated instead of x^a, nothing cancels.
convex_rest <- function(y, a) {
  small <- abs(y) * max(1, a) < 1e-2
  series <- 0
  for (k in 9:2) series <- (1 + series) * (a - k + 1) / k * y
  out <- (expm1(a * log1p(y)) - a * y)
  out[small] <- (a * y * series)[small]
  pmax(out, 0)
}

# Renyi divergence of order a of (1-q) N(0, s^2) + q N(1, s^2) from N(0, s^2).
quad_poisson <- function(a, q, s) {
  scan <- seq(-14 * s, 14 * s + a + 1, length.out = 20001)
  log_moment <- function(z) {
    dnorm(z, 0, s, log = TRUE) + a * log_mixture((z - 0.5) / s^2, q)
  }
  moment <- log_integral(log_moment, scan)
  if (moment > 0.05) return(moment / (a - 1))
  rest <- log_integral(function(z) {
    dnorm(z, 0, s, log = TRUE) + log(convex_rest(q * expm1((z - 0.5) / s^2), a))
  }, scan)
  log1p(exp(rest)) / (a - 1)
}

# ... of (1-q) N(0, s^2) + q N(1, s^2) from (1-q) N(0, s^2) + q N(-1, s^2).
quad_replace <- function(a, q, s) {
  scan <- seq(-14 * s - 2 * a - 1, 14 * s + 2 * a + 1, length.out = 20001)
  other <- function(z) dnorm(z, 0, s, log = TRUE) + log_mixture((-z - 0.5) / s^2, q)
  ratio <- function(z) log_mixture((z - 0.5) / s^2, q) - log_mixture((-z - 0.5) / s^2, q)
  moment <- log_integral(function(z) other(z) + a * ratio(z), scan)
  if (moment > 0.05) return(moment / (a - 1))
  rest <- log_integral(function(z) other(z) + log(convex_rest(expm1(ratio(z)), a)), scan)
  log1p(exp(rest)) / (a - 1)
}

# Fixed-size sampling: from the hockey-stick divergences H(t) of the mixture, t >= 1,
# moment = 1 + a (a - 1) int_1^Inf (t^(a-2) + t^(-a-1)) H(t) dt, with t = 1 + q (e^v - 1).
quad_fixed <- function(a, q, s) {
  mu <- 1 / s
  log_h <- function(v) {
    first <- pnorm(mu / 2 - v / mu, log.p = TRUE)
    first + log(pmax(-expm1(pmin(0, v + pnorm(-mu / 2 - v / mu, log.p = TRUE) - first)), 0))
  }
  scan <- seq(0, (a + 12 * s + 2) / s^2, length.out = 20001)
  rest <- log_integral(function(v) {
    log_t <- log1p(q * expm1(v))
    log_h(v) + 2 * log(q) + v + log1p_exp((1 - 2 * a) * log_t) + (a - 2) * log_t
  }, scan)
  log1p_exp(rest + log(a) + log(a - 1)) / (a - 1)
}

# ---- Renyi divergences ---------------------------------------------------------------

test_that("published divergences of the subsampled Gaussian come out", {
  rdp <- rdp_subsampled_gaussian
  expect_rel(50 * rdp(c(2.5, 5, 50, 100), 0.01, 2.5),
    c(1.08541806e-3, 2.18075656e-3, 2.38460375e-2, 167.416308), 1e-6 / 2)
  expect_rel(rdp(c(1.25, 2, 4.5), 0.05, 1),
    c(2.485316298e-3, 4.2865043704e-3, 1.43787970993e-2), 3e-9)
  expect_rel(rdp(c(2, 8), 0.01, 1, "fixed", "replace-one"),
    c(5.4350863810943e-4, 2.6841650126889e-3), 2e-9)
  # 60,000 records in batches of 150
  orders <- c(seq(1.25, 10.75, 0.25), 11:64)
  spent <- 6000 * rdp(orders, 150 / 60000, 1.3)
  expect_rel(rdp_to_epsilon(orders, spent, 1e-5), 0.7242234, 1e-7)
  expect_rel(rdp_to_epsilon(19, spent[orders == 19], 1e-5), 0.7242234, 1e-7)
  orders <- 2:63
  spent <- 1000 * rdp(orders, 0.01, 4, "fixed", "replace-one")
  expect_rel(rdp_to_epsilon(orders, spent, 1e-5), 0.63897070, 1e-8)
  expect_rel(rdp_to_epsilon(25, spent[orders == 25], 1e-5), 0.63897070, 1e-8)
})

test_that("the subsampled Gaussian agrees with quadrature at any order", {
  set.seed(31)
  n <- 25
  a <- c(1 + 10^runif(n - 5, -2, 1.7), 2, 3, 7, 32, 64)
  q <- 10^runif(n, -3, -0.05)
  s <- 10^runif(n, -0.4, 1)
  got <- function(...) mapply(rdp_subsampled_gaussian, a, q, s, MoreArgs = list(...))
  expect_rel(got(), mapply(quad_poisson, a, q, s), 1e-8)
  expect_rel(got(neighbours = "replace-one"), mapply(quad_replace, a, q, 2 * s), 1e-8)
  exact <- mapply(quad_fixed, a, q, s)
  expect_rel(got("fixed", "replace-one", "hockey-stick"), exact, 1e-7)
  # Both fixed-size bounds lie above the divergence of their worst single pair.
  pair <- mapply(quad_poisson, a, q, s)
  expect_all(exact >= pair * (1 - 1e-8), "hockey-stick bound above the worst pair")
  expect_all(got("fixed", "replace-one", "wang") >= pair, "Wang bound above the worst pair")
})

test_that("a fractional order costs no accuracy", {
  # On either side of a whole order (its own sum) the quadrature continues it.
  for (neighbours in c("add-remove", "replace-one")) {
    for (p in list(c(0.01, 1), c(0.2, 0.7), c(0.001, 4), c(0.7, 0.4))) {
      at <- c(2, 3, 16, 40)
      curve <- function(a) rdp_subsampled_gaussian(a, p[1], p[2], neighbours = neighbours)
      # A straight line through order +- d misses by the curvature, of order d^2.
      d <- 1e-5
      expect_rel((curve(at - d) + curve(at + d)) / 2, curve(at), 1e-8)
    }
  }
})

test_that("sampling everybody is the plain Gaussian, and sampling fewer costs less", {
  orders <- c(1.01, 1.5, 2, 8.3, 64)
  plain <- rdp_gaussian(orders, 1.7)
  expect_rel(rdp_subsampled_gaussian(orders, 1, 1.7), plain, 2e-9)
  expect_rel(rdp_subsampled_gaussian(orders, 1, 1.7, neighbours = "replace-one"), plain, 1e-9)
  q <- 10^seq(-6, 0, length.out = 13)
  sigma <- 10^seq(-0.5, 2, length.out = 9)
  kinds <- list(
    list("poisson", "add-remove"), list("poisson", "replace-one"),
    list("fixed", "replace-one", "wang"), list("fixed", "replace-one", "hockey-stick")
  )
  for (kind in kinds) {
    what <- paste(unlist(kind), collapse = " ")
    curve <- function(q, s) do.call(rdp_subsampled_gaussian, c(list(orders, q, s), kind))
    by_q <- vapply(q, curve, orders, s = 0.9)
    by_sigma <- vapply(sigma, function(s) curve(0.1, s), orders)
    expect_all(is.finite(by_q) & by_q >= 0, what)
    expect_all(apply(by_q, 1, diff) >= 0, paste(what, "rises in q"))
    expect_all(apply(by_sigma, 1, diff) <= 0, paste(what, "falls in sigma"))
    expect_all(diff(by_q) >= -1e-12 * by_q[-1, ], paste(what, "rises in the order"))
  }
})

test_that("the Laplace curve agrees with quadrature of its density", {
  for (a in c(1.1, 2.5, 9)) for (b in c(0.4, 1, 5)) {
    log_f <- function(z) a * (-abs(z - 1) / b - log(2 * b)) + (1 - a) * (-abs(z) / b - log(2 * b))
    parts <- mapply(function(lo, hi) {
      integrate(function(z) exp(log_f(z)), lo, hi, rel.tol = 1e-11)$value
    }, c(-60 * b, 0, 1), c(0, 1, 1 + 60 * b))
    expect_rel(rdp_laplace(a, b), log(sum(parts)) / (a - 1), 1e-8)
  }
})

test_that("pure losses dominate: nothing exceeds epsilon, small orders are quadratic", {
  orders <- 1 + 10^seq(-6, 6, length.out = 60)
  for (e in c(1e-8, 1e-3, 1, 30, 700, 1e5)) {
    curve <- rdp_pure(orders, e)
    expect_all(curve >= 0 & curve <= e * (1 + 2e-9), "rdp_pure within [0, epsilon]")
    expect_all(diff(curve) >= -1e-12 * e, "rdp_pure rises")
    expect_all(rdp_laplace(orders, 1 / e) <= curve * (1 + 1e-9), "Laplace below its pure loss")
  }
  expect_identical(rdp_pure(c(1.5, 3), 0), c(0, 0))
  expect_identical(rdp_laplace(c(1.5, 3), 1, 0), c(0, 0))
  expect_identical(rdp_gaussian(c(1.5, 3), 1, 0), c(0, 0))
})

test_that("extreme parameters of the divergences give a finite value or a classed error", {
  orders <- c(1 + 1e-6, 1.01, 2, 3.5, 1024)
  kinds <- list(
    c("poisson", "add-remove"), c("poisson", "replace-one"), c("fixed", "replace-one")
  )
  for (sigma in 10^c(-300, -3, 0, 6, 300)) for (q in c(1e-300, 1e-3, 1)) {
    for (kind in kinds) {
      for (bound in c("wang", "hockey-stick")) {
        got <- tryCatch(
          rdp_subsampled_gaussian(orders, q, sigma, kind[1], kind[2], bound),
          dpadmm_error_finite = function(e) NULL
        )
        ok <- is.null(got) || all(is.finite(got) & got >= 0)
        if (!ok) fail(sprintf("%s %s sigma=%g q=%g: %s", kind[1], bound, sigma, q,
          paste(format(got), collapse = " ")))
      }
    }
    expect_gte(min(tryCatch(rdp_gaussian(orders, sigma), dpadmm_error_finite = function(e) 0)), 0)
  }
})

test_that("bad arguments of the divergences are classed errors that name them", {
  for (q in c(0, -0.1, 1.1)) {
    expect_blames(rdp_subsampled_gaussian(2, q, 1), "q")
  }
  for (sigma in c(0, -1)) {
    expect_blames(rdp_subsampled_gaussian(2, 0.1, sigma), "sigma")
    expect_blames(rdp_gaussian(2, sigma), "sigma")
    expect_blames(rdp_laplace(2, sigma), "scale")
  }
  for (orders in list(1, 0.5, c(2, 1), -3)) {
    expect_blames(rdp_pure(orders, 1), "orders")
    expect_blames(rdp_laplace(orders, 1), "orders")
    expect_blames(rdp_gaussian(orders, 1), "orders")
    expect_blames(rdp_subsampled_gaussian(orders, 0.1, 1), "orders")
    expect_blames(rdp_to_epsilon(orders, orders * 0 + 1, 1e-5), "orders")
    expect_blames(rdp_to_delta(orders, orders * 0 + 1, 1), "orders")
  }
  for (x in list(NA_real_, NaN, Inf, "a", numeric(0), c(1, 1))) {
    class <- "dpadmm_error"
    expect_blames(rdp_subsampled_gaussian(2, x, 1), "q", class)
    expect_blames(rdp_subsampled_gaussian(2, 0.1, x), "sigma", class)
    expect_blames(rdp_pure(2, x), "epsilon", class)
    if (length(x) < 2) expect_blames(rdp_pure(x, 1), "orders", class)
  }
  expect_blames(rdp_pure(2, -1), "epsilon")
  expect_blames(rdp_gaussian(2, 1, -1), "sensitivity")
  expect_blames(rdp_subsampled_gaussian(2, 0.1, 1, "sometimes"), "sampling")
  expect_blames(rdp_subsampled_gaussian(2, 0.1, 1, "poisson", "swap"), "neighbours")
  expect_blames(rdp_subsampled_gaussian(2, 0.1, 1, "fixed", "add-remove"), "neighbours",
    "dpadmm_error_accountant")
})

# ---- conversions ---------------------------------------------------------------------

test_that("conversions from Renyi divergences are the formulas and invert one another", {
  set.seed(33)
  a <- 1 + 10^runif(30, -1, 2)
  rdp <- 10^runif(30, -3, 1)
  delta <- 10^runif(30, -12, -2)
  want <- rdp + log1p(-1 / a) - log(delta * a) / (a - 1)
  got <- mapply(rdp_to_epsilon, a, rdp, delta)
  expect_rel(got, pmax(want, 0), 1e-12)
  some <- want > 0
  expect_rel(mapply(rdp_to_delta, a[some], rdp[some], got[some]), delta[some], 1e-9)
  # several orders: the best; several deltas: one answer each
  expect_identical(rdp_to_epsilon(a, rdp, delta),
    vapply(delta, function(d) min(mapply(rdp_to_epsilon, a, rdp, d)), 0))
  expect_identical(rdp_to_delta(c(2, 3), c(Inf, 0.1), 1), rdp_to_delta(3, 0.1, 1))
  expect_identical(rdp_to_epsilon(c(2, 3), c(Inf, 0.1), 1e-5), rdp_to_epsilon(3, 0.1, 1e-5))
  expect_error(rdp_to_epsilon(c(2, 3), c(Inf, Inf), 1e-5), class = "dpadmm_error_finite")
  expect_identical(rdp_to_delta(2, Inf, 1), 1)
  for (d in c(0, 1, -1, 2)) {
    expect_blames(rdp_to_epsilon(2, 1, d), "delta")
    expect_blames(zcdp_to_epsilon(1, d), "delta")
  }
  expect_blames(rdp_to_epsilon(c(2, 3), 1, 0.1), "rdp", "dpadmm_error_shape")
  expect_blames(rdp_to_epsilon(2, -1, 0.1), "rdp")
  expect_blames(rdp_to_delta(2, 1, -1), "epsilon")
})

# ---- curves in R, and what the core refuses --------------------------------------------

test_that("a curve in R is a kind like others, and its errors come through", {
  gaussian <- renyi_columns(1L, curve = "gaussian", size = 0.3)
  called <- function(curve) renyi_columns(1L, curve = "called", called = list(curve))
  s <- c(0.1, 1, 30)
  expect_equal(divergences(called(function(a) a * 0.3^2 / 2), s), divergences(gaussian, s))
  expect_identical(divergences(called(function(a) rep(NaN, length(a))), s), matrix(Inf, 3L, 1L))
  odd <- structure(class = c("odd", "error", "condition"), list(message = "odd", call = NULL))
  expect_error(divergences(called(function(a) stop(odd)), s), class = "odd")
  for (wrong in list(function(a) 1, function(a) "a", function(a) NULL)) {
    expect_error(divergences(called(wrong), s), class = "dpadmm_error_argument")
  }
  how <- list(grid = .rdp_grid, stride = .rdp_stride, step = .rdp_grid_step, halvings = 8L,
    walks = FALSE, valleys = FALSE, around = FALSE, net = FALSE)
  ledgers <- list(list(kind = 1L, count = 5))
  search <- function(columns, how, ledgers, log_delta = log(1e-5)) {
    core_call(.Call(ffi_renyi_orders, columns, ledgers, how, log_delta))
  }
  found <- search(gaussian, how, ledgers)
  expect_equal(search(called(function(a) a * 0.3^2 / 2), how, ledgers), found)
  expect_rel(found[[1L]], zcdp_to_epsilon(5 * 0.3^2 / 2, 1e-5), 1e-8)
  expect_rel(search(gaussian, replace(how, "walks", TRUE), ledgers)[[1L]], found[[1L]], 1e-8)
  expect_error(search(called(function(a) stop(odd)), how, ledgers), class = "odd")

  refused <- function(...) expect_error(search(...), class = "dpadmm_error_argument")
  for (name in setdiff(names(gaussian), "called")) {
    refused(replace(gaussian, name, list(NULL)), how, ledgers)
    refused(replace(gaussian, name, list(gaussian[[name]][0])), how, ledgers)
  }
  refused(replace(gaussian, "curve", "none"), how, ledgers)
  refused(replace(gaussian, "curve", "called"), how, ledgers)
  for (ledger in list(list(kind = 2L, count = 5), list(kind = 0L, count = 5), list(kind = 1L),
    list(kind = 1, count = 5), list(kind = 1L, count = c(5, 5)), list(kind = NA_integer_, count = 5)
  )) {
    refused(gaussian, how, list(ledger))
  }
  refused(gaussian, how, NULL)
  refused(gaussian, how, ledgers, "a")
  for (change in list(list(grid = numeric()), list(grid = seq(1, 2, 0.001)), list(stride = 0L),
    list(walks = NA), list(halvings = -1L), list(valleys = NA), list(around = NA), list(net = NA),
    list(widths = "a"),
    list(near = c(2, 3))
  )) {
    refused(gaussian, utils::modifyList(how, change), ledgers)
  }
  expect_error(divergences(gaussian, "a"), class = "dpadmm_error_argument")
})
