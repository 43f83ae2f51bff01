# Gamma-norm noise on the output: density ~ exp(-|b|) in `dim` dimensions on a value that moves
# by t. In one dimension it is Laplace noise; in more, Theorem 5 of the vignette "Privacy
# accounting".

# Beyond this shift angles would have to be told apart too finely, and next to nothing of the
# pure loss could be saved.
.most_shift <- 1e4

gamma_release <- function(t, dim) {
  if (t == 0) return(NULL)
  if (t > .most_shift) return(list(pure = t))
  list(bins = if (dim < 2) laplace_bins(t) else spherical_bins(t, floor(dim)))
}

#' Several releases as the core's kinds (see .rdp_kinds).
#' @param t,dim of each release.
#' @noRd
gamma_kinds <- function(t, dim) {
  curved <- t > 0 & t <= .most_shift & dim >= 2
  lean <- numeric(length(t))
  lean[curved] <- spherical_lean(t[curved], dim[curved])
  curve <- rep("gamma", length(t))
  curve[!curved] <- "laplace"
  curve[t > .most_shift] <- "pure"
  list(curve = curve, size = t, dim = dim, lean = lean)
}

spherical_bins <- function(t, dim) {
  lean <- spherical_lean(t, dim)
  function(h, log_tail) {
    first <- floor(-t / h)
    n <- floor(t / h) - first + 1
    if (n > .most_bins) return(list(too_many = n / .most_bins))
    least <- log_tail - 25
    bins <- core_call(.Call(ffi_spherical_bins, t, dim, lean, h, first, n, least))
    list(
      index = first + seq_len(n) - 1, log_mass = bins[[1L]], over = bins[[2L]],
      # bins taken as empty count as cut off above
      below = first, log_below = -Inf, log_above = least + log(n)
    )
  }
}

# of the order of t^2, so that below this t it is nothing
spherical_lean <- function(t, dim) {
  lean <- numeric(length(t))
  for (d in unique(dim)) {
    own <- which(dim == d & t >= 1e-100)
    lean[own] <- t[own] / 2 / ((d - 1) * bessel_ratio(d / 2 - 1, t[own] / 2))
  }
  lean
}

#' K_(nu + 1)(z) / K_nu(z) of the modified Bessel functions, nu >= 0, for several z: the ratio of
#' the orders one lower is 2 nu / z plus one over it, which makes errors smaller. Far down from a
#' large nu it begins with an approximation.
#' @noRd
bessel_ratio <- function(nu, z) {
  steps <- min(floor(nu), 2000)
  from <- nu - steps
  ratio <- if (from < 1) {
    besselK(z, from + 1, expon.scaled = TRUE) / besselK(z, from, expon.scaled = TRUE)
  } else {
    (from + 0.5 + sqrt((from + 0.5)^2 + z^2)) / z
  }
  for (order in from + seq_len(steps)) ratio <- 2 * order / z + 1 / ratio
  ratio
}
