#' Renyi divergences of mechanisms
#'
#' The Renyi differential privacy of one release at each of several orders. Orders
#' may be fractional: a fractional order costs no accuracy. Curves of several releases
#' add, order by order; [rdp_to_epsilon()] turns the sum into a guarantee.
#'
#' - `rdp_pure()`: any `epsilon`-differentially private mechanism is dominated by
#'   randomised response, whose divergence this is.
#' - `rdp_laplace()`: Mironov (2017), Proposition 6.
#' - `rdp_gaussian()`: `a sensitivity^2 / (2 sigma^2)`, Mironov (2017), Proposition 7.
#' - `rdp_subsampled_gaussian()`: Gaussian noise on the sum over a random sample of the
#'   records. `sigma` is the noise in units of the sensitivity under the chosen
#'   relation: one record's part has norm at most `sensitivity` for add-remove, and at
#'   most half of it for replace-one.
#'   - Poisson, add-remove: Mironov, Talwar and Zhang (2019), section 3; at whole orders
#'     their sum, at others the integral of a positive function by quadrature (their two
#'     signed series, without the cancellation).
#'   - Poisson, replace-one: the divergence of
#'     \eqn{(1-q)N(0,s^2)+qN(1,s^2)} from \eqn{(1-q)N(0,s^2)+qN(-1,s^2)},
#'     `s = 2 sigma`, by the same quadrature. It is the worst pair: for a test with
#'     probability p under N(0, s^2) the Neyman-Pearson lemma bounds its probability
#'     under the two shifts on both sides at once, and here both bounds are attained.
#'   - fixed-size sampling without replacement, replace-one: with `bound = "wang"`
#'     Theorem 9 of Wang, Balle and Kasiviswanathan (2019) with its ternary divergences
#'     (the Gaussian's own moments computed by quadrature), and between whole orders the
#'     chord of `(a - 1) rdp(a)`, which is convex; with `bound = "hockey-stick"` the
#'     integral of the divergences of Theorem 11 of Zhu, Dong and Wang (2022), up to four
#'     times smaller and exact at every order. [account()] uses the latter.
#' - `rdp_objective_gaussian()`, `rdp_objective_gamma()`: the exact minimiser of an
#'   objective with noise in its linear term, by Theorems 2, 3 and 4 of
#'   `vignette("privacy-accounting")`, which proves them. For Gaussian noise the least
#'   of bounds A (always valid), B (near the plain Gaussian mechanism when
#'   curvature / modulus is small), those between them, and for the logistic loss the
#'   plain Gaussian mechanism itself where Theorem 3 allows; for Gamma-norm noise the
#'   dimension-aware bound C or that of the pure loss.
#'
#' @param orders orders, each > 1.
#' @param epsilon pure loss (>= 0).
#' @param scale scale of Laplace noise (> 0).
#' @param sigma standard deviation of Gaussian noise (> 0); for
#'   `rdp_subsampled_gaussian()` in units of the sensitivity.
#' @param sensitivity L2 sensitivity (absolute for Laplace noise) of the noiseless
#'   quantity, >= 0; for objective perturbation of the gradient, `2 C / B`.
#' @param q sampling rate, in (0, 1].
#' @param sampling `"poisson"` or `"fixed"` (without replacement).
#' @param neighbours `"add-remove"` or `"replace-one"`.
#' @param bound for fixed-size sampling, see above.
#' @param alpha rate of Gamma-norm noise (> 0).
#' @param curvature largest eigenvalue that one record can add to the Hessian,
#'   `c1 C / B`.
#' @param modulus strong convexity of the noisy problem (> 0).
#' @param dim dimension of the noise.
#' @param logistic_curvature whether the loss has `L'' = abs(L') (1 - abs(L'))`, as the
#'   logistic loss does: then a record with a large gradient has little curvature.
#' @return A numeric vector along `orders`, finite and >= 0, rounded outward: above the
#'   formula's value by about one part in 1e9, which covers rounding and quadrature. A
#'   divergence beyond the range of numbers is an error of class `dpadmm_error_finite`.
#' @references Mironov, I. (2017). Renyi differential privacy. *CSF*.
#'
#'   Mironov, I., Talwar, K. and Zhang, L. (2019). Renyi differential privacy of the
#'   sampled Gaussian mechanism. arXiv:1908.10530.
#'
#'   Wang, Y.-X., Balle, B. and Kasiviswanathan, S. (2019). Subsampled Renyi
#'   differential privacy and analytical moments accountant. *AISTATS*.
#'
#'   Zhu, Y., Dong, J. and Wang, Y.-X. (2022). Optimal accounting of differential
#'   privacy via characteristic function. *AISTATS*.
#' @examples
#' orders <- c(1.5, 2, 8, 32.5)
#' rdp_gaussian(orders, sigma = 2)
#' 1000 * rdp_subsampled_gaussian(orders, q = 0.01, sigma = 1)
#' rdp_objective_gaussian(orders,
#'   sigma = 0.01, sensitivity = 2 / 1000, curvature = 0.25 / 1000, modulus = 1,
#'   logistic_curvature = TRUE
#' )
#' @name rdp
NULL

#' Divergences of one release as they are reported.
#' @param none whether there is nothing to tell apart, so that 0 is exact.
#' @param ... columns of renyi_columns().
#' @noRd
divergences_of <- function(curve, orders, ..., none = FALSE) {
  if (none) return(numeric(length(orders)))
  finite_result(
    as.vector(divergences(renyi_columns(1L, curve = curve, ...), orders - 1)), "divergence"
  )
}

#' @rdname rdp
#' @export
rdp_pure <- function(orders, epsilon) {
  check_orders(orders)
  check_number(epsilon, "epsilon", lower = 0)
  divergences_of("pure", orders, size = epsilon, none = epsilon == 0)
}

#' @rdname rdp
#' @export
rdp_laplace <- function(orders, scale, sensitivity = 1) {
  check_orders(orders)
  check_number(scale, "scale", lower = 0, open_lower = TRUE)
  check_number(sensitivity, "sensitivity", lower = 0)
  divergences_of("laplace", orders, size = sensitivity / scale, none = sensitivity == 0)
}

#' @rdname rdp
#' @export
rdp_gaussian <- function(orders, sigma, sensitivity = 1) {
  check_orders(orders)
  check_number(sigma, "sigma", lower = 0, open_lower = TRUE)
  check_number(sensitivity, "sensitivity", lower = 0)
  divergences_of("gaussian", orders, size = sensitivity / sigma, none = sensitivity == 0)
}

#' @rdname rdp
#' @export
rdp_subsampled_gaussian <- function(orders, q, sigma, sampling = c("poisson", "fixed"),
                                    neighbours = c("add-remove", "replace-one"),
                                    bound = c("wang", "hockey-stick")) {
  check_orders(orders)
  check_number(q, "q", lower = 0, open_lower = TRUE, upper = 1)
  check_number(sigma, "sigma", lower = 0, open_lower = TRUE)
  sampling <- check_choice(sampling, c("poisson", "fixed"), "sampling")
  neighbours <- check_choice(neighbours, c("add-remove", "replace-one"), "neighbours")
  bound <- check_choice(bound, c("wang", "hockey-stick"), "bound")
  if (sampling == "fixed" && bound == "wang" && max(orders) > 1e4) {
    abort("argument", "`orders` must be at most 10000 for this bound.", argument = "orders")
  }
  kind <- sampled_kinds(q, sigma, sampling, neighbours)
  if (bound == "wang" && kind$curve == "fixed") {
    wang <- function(a) core_call(.Call(ffi_rdp_wang, a, as.double(q), as.double(sigma)))
    kind <- list(curve = "called", called = list(wang))
  }
  do.call(divergences_of, c(list(orders = orders), kind))
}

#' Sums over samples as the core's kinds.
#' @param noise standard deviations over sensitivities.
#' @noRd
sampled_kinds <- function(q, noise, sampling, neighbours) {
  fixed <- sampling == "fixed"
  if (any(fixed & neighbours == "add-remove")) {
    abort("accountant", paste(
      "Fixed-size sampling has no guarantee for add-remove neighbours here:",
      "its sample size would not change with the records. Use replace-one."
    ), argument = "neighbours")
  }
  replace <- !fixed & neighbours == "replace-one"
  curve <- ifelse(fixed, "fixed", ifelse(replace, "poisson_replace", "poisson"))
  # beyond these the quadrature could not tell the divergence from 0 or infinity, and sampling
  # saves nothing that is seen
  noise <- ifelse(replace, 2, 1) * noise
  far <- noise > 1e100 | noise < 1e-100
  list(
    curve = ifelse(far, "gaussian", curve), size = ifelse(replace, 2, 1) / noise, rate = q,
    noise = noise
  )
}

#' @rdname rdp
#' @export
rdp_objective_gaussian <- function(orders, sigma, sensitivity, curvature, modulus,
                                   logistic_curvature = FALSE) {
  check_orders(orders)
  check_number(sigma, "sigma", lower = 0, open_lower = TRUE)
  check_objective(sensitivity, curvature, modulus, logistic_curvature)
  divergences_of("objective_gaussian", orders,
    size = sensitivity / sigma, kappa = curvature / modulus, tied = logistic_curvature,
    none = sensitivity == 0 && curvature == 0
  )
}

#' @rdname rdp
#' @export
rdp_objective_gamma <- function(orders, alpha, sensitivity, curvature, modulus, dim,
                                logistic_curvature = FALSE) {
  check_orders(orders)
  check_number(alpha, "alpha", lower = 0, open_lower = TRUE)
  check_objective(sensitivity, curvature, modulus, logistic_curvature)
  check_number(dim, "dim", lower = 1, whole = TRUE)
  divergences_of("objective_gamma", orders,
    size = alpha * sensitivity, kappa = curvature / modulus, tied = logistic_curvature, dim = dim,
    none = sensitivity == 0 && curvature == 0
  )
}

check_objective <- function(sensitivity, curvature, modulus, logistic_curvature) {
  check_number(sensitivity, "sensitivity", lower = 0)
  check_number(curvature, "curvature", lower = 0)
  check_number(modulus, "modulus", lower = 0, open_lower = TRUE)
  check_flag(logistic_curvature, "logistic_curvature")
}
