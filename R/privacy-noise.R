# Noise as the user asks for it, and the keys of the random streams it is drawn from.

#' Noise fixed by the user
#'
#' What a private fit adds, when you choose the scale instead of a privacy budget: pass
#' it as `noise =`. The privacy statement of the fit then says what that scale is worth.
#'
#' * `gamma_noise(alpha)`: vectors with density proportional to `exp(-alpha * ||b||)`,
#'   that is, a uniform direction times a norm with the Gamma distribution of shape d and
#'   scale `1 / alpha`, d being the number of coefficients. A *larger* `alpha` is less
#'   noise. It gives pure differential privacy (Zhang, Khalili and Liu 2018, 2019).
#' * `gaussian_noise(sigma)`: independent `N(0, sigma^2)` coordinates.
#'
#' Where the noise goes (the objective, the penalty or the message) is the method's
#' choice.
#'
#' @section Randomness:
#' Noise comes from keyed ChaCha20 streams (RFC 8439), one for every node, iteration and
#' use, so a result does not depend on the number of threads. The key is drawn from the
#' operating system for each fit, and it is an error when that gives none. R's generator
#' is not used: [set.seed()] changes nothing. A fit with `seed =` is reproducible, and
#' its statement says that it is a simulation: who knows the seed knows the noise.
#'
#' The guarantees are computational: they hold against whoever cannot tell the stream of a
#' cipher with an unknown key of 256 bits from random bits.
#'
#' The key is overwritten when the run ends, also by an error or an interrupt: R's own copy, the
#' parties', the streams made from it, and where the stack of the threads was that drew from
#' them. While a run lasts its key is in memory: a core dump then, or a process that was forked
#' from it, has a copy that nobody overwrites.
#'
#' @section Floating point:
#' The proofs are about real numbers; a computer adds doubles, and which doubles a noisy sum can
#' take depends on what the noise was added to: whoever sees every bit of a released value could
#' learn more from its last bits than the guarantee says (Mironov 2012; Jin, McMurtry,
#' Rubinstein and Ohrimenko 2022). So every message is rounded to a grid, a power of two, and
#' its noise is drawn exactly on that grid, in whole numbers, always (there is no setting for
#' it): `gaussian_noise()` on a value is the discrete Gaussian (Canonne, Kamath and Steinke
#' 2020), with between 2^40 and 2^41 steps of the grid a `sigma`; `gamma_noise()` on a value is
#' made of discrete Gaussian entries whose common scale is drawn first, as exactly, and what its
#' law differs from the ideal one by is charged (4.2e-10 of epsilon a message for 10
#' coefficients, 3.2e-8 for 1000). This noise hides the solver and all rounding, too. Noise in
#' an objective is drawn in doubles; what it, the solver and all rounding are off by is hidden
#' by a little noise of the same kind on the message, an event of its own. The statement is then
#' about what ran ([privacy()], vignette "privacy-accounting", "The program, to the last bit").
#' A draw does not take the same time whatever its value: against whoever can time it nothing is
#' claimed.
#'
#' @param alpha rate of Gamma-norm noise (> 0), in units of one over the noise. One
#'   number; or one for each node; or a matrix with a row for each node and a column for
#'   each noisy update. Numbers or rows with names belong to the nodes of these names.
#' @param sigma standard deviation of Gaussian noise (> 0), in the units of what it is
#'   added to. Given like `alpha`.
#' @return An object of class `dpadmm_noise_gamma` or `dpadmm_noise_gaussian`, then
#'   `dpadmm_noise`: a list with the fields `mechanism` and `scale`.
#' @section Errors:
#' `dpadmm_error_argument` for a value that is not a positive number,
#' `dpadmm_error_missing` and `dpadmm_error_finite` for NA, NaN and infinite ones,
#' `dpadmm_error_shape` for an array.
#' @references
#' Zhang, Khalili and Liu (2018) \doi{10.48550/arXiv.1806.02246}; Zhang, Khalili and Liu
#' (2019) \doi{10.48550/arXiv.1910.04581}.
#'
#' Canonne, Kamath and Steinke (2020). The discrete Gaussian for differential privacy.
#' *NeurIPS*. \doi{10.48550/arXiv.2004.00010}
#'
#' Mironov (2012). On significance of the least significant bits for differential
#' privacy. *CCS*, 650-661. \doi{10.1145/2382196.2382264}
#'
#' Jin, McMurtry, Rubinstein and Ohrimenko (2022). Are we there yet? Timing and
#' floating-point attacks on differential privacy systems. *IEEE Symposium on Security and
#' Privacy*, 473-488. \doi{10.48550/arXiv.2112.05307}
#' @examples
#' gamma_noise(0.5)
#' gaussian_noise(c(0.1, 0.2, 0.1)) # three nodes
#' gaussian_noise(c(north = 0.1, south = 0.2))
#' gaussian_noise(outer(c(0.1, 0.2), 1.01^(1:10))) # two nodes, ten noisy updates
#' @name dpadmm_noise
NULL

#' @rdname dpadmm_noise
#' @export
gamma_noise <- function(alpha) {
  new_noise("gamma", alpha)
}

#' @rdname dpadmm_noise
#' @export
gaussian_noise <- function(sigma) {
  new_noise("gaussian", sigma)
}

#' @param argument the name by which the user knows the scale.
#' @noRd
new_noise <- function(mechanism, scale, argument = noise_mechanism(mechanism)$scale_name) {
  scale <- check_numbers(scale, argument, lower = 0, open_lower = TRUE)
  if (!(length(dim(scale)) %in% c(0L, 2L))) {
    abort("shape", sprintf(
      "`%s` must be a number, a vector or a matrix, not an array of %d dimensions.",
      argument, length(dim(scale))
    ), argument = argument, value = dim(scale))
  }
  names <- if (is.matrix(scale)) rownames(scale) else names(scale)
  scale <- if (is.matrix(scale)) unname(scale) else as.vector(scale)
  if (is.matrix(scale)) rownames(scale) <- names else names(scale) <- names
  structure(list(mechanism = mechanism, scale = scale),
    class = c(paste0("dpadmm_noise_", mechanism), "dpadmm_noise")
  )
}

#' @export
print.dpadmm_noise <- function(x, ...) {
  check_no_dots(...)
  mechanism <- noise_mechanism(x$mechanism)
  ends <- vapply(range(x$scale), format, "", digits = 4L)
  shape <- if (is.matrix(x$scale)) {
    sprintf(" (%d x %d: nodes x noisy updates)", nrow(x$scale), ncol(x$scale))
  } else if (length(x$scale) > 1L) {
    sprintf(" (%d nodes)", length(x$scale))
  } else {
    ""
  }
  cat(sprintf(
    "<dpadmm_noise: %s noise, %s>\n  %s = %s%s\n", mechanism$words, mechanism$density,
    mechanism$scale_name, paste(unique(ends), collapse = " to "), shape
  ))
  invisible(x)
}
