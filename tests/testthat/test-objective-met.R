# Where the two branches of Theorem 4's bound meet is a square root's end nearby.

test_that("Theorem 4's integral is exact where its two branches meet", {
  # just above the meeting radius, from + w^2 off the end of its square root, in w it is smooth
  met <- function(a, u, k, d) {
    s <- a - 1
    jacobian <- -log1p(-s * a * k^2 / (1 + k))
    c <- s * a * u^2
    from <- (s + 0.5) * u
    by <- function(one) function(x) expm1(one(x) + jacobian) * dgamma(x, d)
    far <- by(function(x) c / (x + sqrt(x^2 - c)))
    turned <- function(w) 2 * w * far(sqrt(c) + w^2)
    area <- function(f, at) {
      sum(mapply(function(from, to) {
        integrate(f, from, to, rel.tol = 1e-12)$value
      }, at[-length(at)], at[-1L]))
    }
    mean <- area(by(function(x) 2 * x), c(0, s * u)) +
      area(by(function(x) 2 * s * (a * u - x)), c(s * u, from)) +
      area(turned, c(sqrt(from - sqrt(c)), 1, 3, Inf))
    log1p(mean) / s
  }
  # orders at which (s + 1/2) u and s u + u / 2 differ in their last digits
  order <- 1 + 10^seq(-7, 3.5, length.out = 30)
  for (case in list(c(22, 10^-1.5, 0.01, 2), c(24, 0.1, 0, 11), c(26, 0.01, 0, 11))) {
    a <- order[case[1L]]
    expected <- met(a, case[2L], case[3L], case[4L])
    expect_rel(rdp_objective_gamma(a, 1, case[2L], case[3L], 1, case[4L]), expected, 2e-9)
  }
})
