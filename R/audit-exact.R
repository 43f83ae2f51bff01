#' Exact privacy of linear-Gaussian processes
#'
#' Where everything that is released is an affine function of Gaussian noise, the laws on
#' two neighbouring data sets are normal and their divergence is known. No bound is
#' involved: what [audit_exact()] returns is the truth about this pair, which a guarantee
#' must not be below, and which shows how tight it is.
#'
#' `gaussian_law()` states a law by its mean and covariance. `affine_law()` works out the
#' joint law of all that the recursion
#' \deqn{u_k = A u_{k-1} + b + G \xi_k, \quad \xi_k \sim N(0, I), \quad k = 1, \dots, steps}
#' releases, `S u_1, ..., S u_steps`, from a public start `u_0`. Gradient steps on quadratic
#' losses are of this form, and so are the rounds of [fp_admm()].
#'
#' With equal covariances the two laws are as far apart as N(0, 1) and N(mu, 1), `mu^2 =
#' shift' Sigma^-1 shift`. With unlike ones (the replaced record has another curvature) the
#' log likelihood ratio is a quadratic form in normal variables. Its moments give the Renyi
#' divergences in closed form and, by one complex integral,
#' \deqn{\delta(\epsilon) = \frac1{2 \pi} \int \frac{M(c + it)\, e^{-(c - 1 + it) \epsilon}}{
#'   (c + it)(c - 1 + it)} dt, \quad M(z) = E_2 e^{z L},}
#' which holds for every c > 1 with finite `M(c)`. The path runs through the saddle point and
#' bends to where the integrand vanishes, so that small deltas keep their relative accuracy.
#'
#' @param mean vector, the mean of the released values.
#' @param covariance its covariance, symmetric and positive semi-definite.
#' @param A d x d matrix, or a list with one a step.
#' @param b vector of length d, or one number, or a list with one a step.
#' @param noise G: d x r matrix; a number stands for that multiple of the identity; or a list.
#' @param steps number of steps (>= 1).
#' @param start u_0, a vector of length d; its length says what d is.
#' @param released S: a matrix with d columns; `NULL`: all of u.
#' @param law1,law2 the laws of the released values on two neighbouring data sets.
#' @param delta deltas in (0, 1) at which epsilon is wanted.
#' @param orders Renyi orders (> 1).
#' @return `gaussian_law()`, `affine_law()`: an object of class `dpadmm_law` with `mean` and
#'   `covariance`. `audit_exact()`: an object of class `dpadmm_exact`, a list with
#'   * `curve`: a data frame of `delta` and `epsilon`, the smallest epsilon that is true in
#'     both directions;
#'   * `renyi`: a data frame of `order`, `forward` (of law 1 from law 2), `backward` and
#'     `divergence`, the larger; `Inf` where the moment does not exist;
#'   * `mu`: the distance in standard deviations, `NULL` for unlike covariances;
#'   * `delta_at`: a function of epsilon (>= 0), the smallest true delta.
#'
#'   Errors: `dpadmm_error_shape` for sizes that do not fit, `dpadmm_error_argument` for
#'   matrices that are no covariance and for orders or deltas out of range,
#'   `dpadmm_error_accountant` when the laws can be told apart with certainty (the shift, or
#'   one of the noises, lies where the other has none).
#' @seealso [audit()].
#' @examples
#' # three noisy gradient steps on n quadratic losses (u - y_i)^2 / 2, one y replaced
#' n <- 10
#' law <- function(y) affine_law(A = 0.5, b = 0.5 * mean(y), noise = 0.1, steps = 3, start = 0)
#' exact <- audit_exact(law(rep(1, n)), law(c(-1, rep(1, n - 1))))
#' exact
#' # the guarantee of three Gaussian releases is exact here
#' account(rep(dp_event_gaussian(0.1, 0.5 * 2 / n), 3), delta = 1e-5)$epsilon
#' @export
audit_exact <- function(law1, law2, delta = 10^-(1:8), orders = c(1.5, 2, 4, 8, 16, 32)) {
  check_class(law1, "dpadmm_law", "law1", "gaussian_law() or affine_law()")
  check_class(law2, "dpadmm_law", "law2", "gaussian_law() or affine_law()")
  if (length(law1$mean) != length(law2$mean)) {
    abort("shape", sprintf(
      "The laws are of unlike length, %d and %d.", length(law1$mean), length(law2$mean)
    ), argument = "law2")
  }
  check_numbers(delta, "delta", lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
  check_numbers(orders, "orders", lower = 1, open_lower = TRUE)
  both <- list(forward = likelihood_ratio(law1, law2), backward = likelihood_ratio(law2, law1))
  renyi <- data.frame(order = orders, lapply(both, function(ratio) {
    log_moment(ratio, orders) / (orders - 1)
  }))
  renyi$divergence <- pmax(renyi$forward, renyi$backward)
  ratio <- both$forward
  mu <- if (length(ratio$lambda) == 0L) sqrt(ratio$shift)
  delta_at <- function(epsilon) {
    check_numbers(epsilon, "epsilon", lower = 0)
    if (!is.null(mu)) {
      return(if (mu == 0) 0 * epsilon else gaussian_delta(1, epsilon, mu))
    }
    vapply(epsilon, function(e) max(vapply(both, hockey_stick, 0, epsilon = e)), 0)
  }
  epsilon <- if (!is.null(mu)) {
    if (mu == 0) rep(0, length(delta)) else gaussian_epsilon(1, delta, mu)
  } else {
    vapply(delta, exact_epsilon, 0, delta_at = delta_at)
  }
  structure(list(
    curve = data.frame(delta = delta, epsilon = epsilon), renyi = renyi, mu = mu,
    delta_at = delta_at
  ), class = "dpadmm_exact")
}

#' @rdname audit_exact
#' @export
gaussian_law <- function(mean, covariance) {
  check_numbers(mean, "mean")
  check_numbers(covariance, "covariance")
  if (length(mean) == 1L && length(covariance) == 1L) covariance <- matrix(covariance)
  if (!identical(dim(covariance), c(length(mean), length(mean)))) {
    abort("shape", sprintf("`covariance` must be %d x %d.", length(mean), length(mean)),
      argument = "covariance"
    )
  }
  covariance <- unname(covariance)
  values <- eigen((covariance + t(covariance)) / 2, symmetric = TRUE, only.values = TRUE)$values
  largest <- max(abs(values))
  if (max(abs(covariance - t(covariance))) > 1e-8 * largest || min(values) < -1e-8 * largest) {
    abort("argument", "`covariance` must be symmetric and positive semi-definite.",
      argument = "covariance"
    )
  }
  covariance <- (covariance + t(covariance)) / 2
  structure(list(mean = as.double(mean), covariance = covariance), class = "dpadmm_law")
}

#' @rdname audit_exact
#' @export
affine_law <- function(A, b = 0, noise, steps, start, released = NULL) {
  check_number(steps, "steps", lower = 1, upper = 1e5, whole = TRUE)
  d <- length(check_numbers(start, "start"))
  A <- lapply(of_step(A, steps, "A"), square_or_number, d, "A", square = TRUE)
  G <- lapply(of_step(noise, steps, "noise"), square_or_number, d, "noise")
  b <- lapply(of_step(b, steps, "b"), function(b) {
    rep_len(check_numbers(b, "b", length = unique(c(1L, d))), d)
  })
  S <- if (is.null(released)) diag(d) else check_numbers(released, "released")
  if (!is.matrix(S) || ncol(S) != d) {
    abort("shape", sprintf("`released` must be a matrix with %d columns.", d),
      argument = "released"
    )
  }
  # u_k = mean + loadings times all noises so far
  r <- vapply(G, ncol, 0L)
  loadings <- matrix(0, d, sum(r))
  mean <- as.double(start)
  means <- maps <- vector("list", steps)
  for (k in seq_len(steps)) {
    mean <- as.vector(A[[k]] %*% mean) + b[[k]]
    loadings <- A[[k]] %*% loadings
    loadings[, sum(r[seq_len(k - 1L)]) + seq_len(r[k])] <- G[[k]]
    means[[k]] <- as.vector(S %*% mean)
    maps[[k]] <- S %*% loadings
  }
  gaussian_law(unlist(means), tcrossprod(do.call(rbind, maps)))
}

#' Numbers for each step: the same for all, or a list with one entry a step.
#' @noRd
of_step <- function(x, steps, name) {
  if (!is.list(x)) x <- rep(list(x), steps)
  if (length(x) != steps) {
    abort("shape",
      sprintf("`%s` must have one entry a step, %d, not %d.", name, steps, length(x)),
      argument = name
    )
  }
  lapply(x, check_numbers, name)
}

#' A matrix with d rows; a number is that multiple of the identity.
#' @noRd
square_or_number <- function(x, d, name, square = FALSE) {
  if (length(x) == 1L) return(diag(x[[1L]], d))
  if (!is.matrix(x) || nrow(x) != d || (square && ncol(x) != d)) {
    abort("shape", sprintf("`%s` must be a number or a matrix with %d rows.", name, d),
      argument = name
    )
  }
  x
}

#' The log likelihood ratio of two normal laws: independent coordinates, N(m, lambda)
#' on the first and N(0, 1) on the second, and those with lambda = 1 summed up in `shift`,
#' the square of their distance.
#' @noRd
likelihood_ratio <- function(law1, law2, tolerance = 1e-10) {
  gap <- law1$mean - law2$mean
  seen <- eigen(law1$covariance + law2$covariance, symmetric = TRUE)
  keep <- seen$values > tolerance * max(seen$values, 0)
  apart <- function() {
    abort("accountant", "The two laws can be told apart with certainty: no epsilon is finite.",
      argument = "law1"
    )
  }
  basis <- seen$vectors[, keep, drop = FALSE]
  inside <- crossprod(basis, gap)
  if (sum((gap - basis %*% inside)^2) > tolerance * sum(gap^2)) apart()
  if (!any(keep)) return(list(shift = 0, lambda = numeric(), m = numeric()))
  # whiten the sum of both: the first has eigenvalues in [0, 1] there
  scale <- sqrt(seen$values[keep])
  first <- crossprod(basis, law1$covariance %*% basis) / outer(scale, scale)
  share <- eigen((first + t(first)) / 2, symmetric = TRUE)
  part <- share$values
  if (any(part <= tolerance | part >= 1 - tolerance)) apart()
  lambda <- part / (1 - part)
  m <- as.vector(crossprod(share$vectors, inside / scale)) / sqrt(1 - part)
  same <- abs(lambda - 1) < 1e-9
  list(shift = sum(m[same]^2), lambda = lambda[!same], m = m[!same])
}

#' log E_2 exp(z L) for a vector z, real or complex; Inf where a real z has no moment.
#' @noRd
log_moment <- function(ratio, z) {
  out <- z * (z - 1) * ratio$shift / 2
  for (i in seq_along(ratio$lambda)) {
    lambda <- ratio$lambda[i]
    spread <- z / lambda + 1 - z
    if (is.double(z)) {
      out[spread <= 0] <- Inf
      spread[spread <= 0] <- 1
    }
    out <- out + z * (z - 1) * ratio$m[i]^2 / (2 * lambda * spread) -
      z * log(lambda) / 2 - log(spread) / 2
  }
  out
}

#' E_2 (exp(L) - exp(epsilon))_+ by the integral of the help page, along a hyperbola through
#' the saddle point that bends to where the integrand vanishes.
#' @noRd
hockey_stick <- function(ratio, epsilon) {
  # L as a quadratic form has this extremum, on the side its coordinates decide
  extremum <- sum(ratio$m^2 / (1 - ratio$lambda) - log(ratio$lambda)) / 2 - ratio$shift / 2
  if (epsilon >= extremum && ratio$shift == 0 && all(ratio$lambda < 1)) return(0)
  wide <- ratio$lambda[ratio$lambda > 1]
  top <- min(wide / (wide - 1), Inf)
  exponent <- function(z) log_moment(ratio, z) - (z - 1) * epsilon - log(z) - log(z - 1)
  # 1 < c < top, on a scale without ends
  place <- function(t) if (is.finite(top)) 1 + (top - 1) * stats::plogis(t) else 1 + exp(t)
  best <- stats::optimize(function(t) exponent(place(t)), c(-25, 25), tol = 1e-6)
  c <- place(best$minimum)
  h <- 1e-3 * min(c - 1, if (is.finite(top)) top - c else Inf)
  curvature <- (exponent(c + h) - 2 * exponent(c) + exponent(c - h)) / h^2
  width <- if (is.finite(curvature) && curvature > 0) 1 / sqrt(curvature) else c - 1
  side <- width / 2 * sign(epsilon - extremum)
  u <- seq(0, 30, by = 1 / 32)
  z <- complex(real = c + side * (cosh(u) - 1), imaginary = width * sinh(u))
  # Re(f dz / i): the two halves of the path are conjugates
  direction <- complex(real = width * cosh(u), imaginary = -side * sinh(u))
  f <- exp(exponent(z) - best$objective) * direction
  f[!is.finite(f)] <- 0 # underflow times overflow, far out
  sum <- (sum(Re(f)) - Re(f[1L]) / 2) / 32
  min(1, max(0, exp(best$objective) * sum / pi))
}

#' The epsilon at which a decreasing delta is met, 0 where it is from the start.
#' @noRd
exact_epsilon <- function(delta, delta_at) {
  if (delta_at(0) <= delta) return(0)
  high <- 1
  while (delta_at(high) > delta) high <- 2 * high
  excess <- function(e) log(max(delta_at(e), 1e-320)) - log(delta)
  stats::uniroot(excess, c(0, high), tol = 1e-9)$root
}

#' @export
print.dpadmm_law <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf("<dpadmm_law: normal, %d released values>\n", length(x$mean)))
  invisible(x)
}

#' @export
print.dpadmm_exact <- function(x, ...) {
  check_no_dots(...)
  cat("<dpadmm_exact>\n")
  if (!is.null(x$mu)) {
    cat(sprintf("  a Gaussian mechanism with mu = %s\n", format(x$mu, digits = 6L)))
  }
  print.data.frame(x$curve, row.names = FALSE, digits = 6L)
  print.data.frame(x$renyi, row.names = FALSE, digits = 6L)
  invisible(x)
}
