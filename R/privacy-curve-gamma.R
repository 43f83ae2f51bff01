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

#' The factor `lean` of the density of the angle, one of each release in two dimensions or more.
#' @noRd
spherical_lean <- function(t, dim) core_call(.Call(ffi_spherical_lean, t, dim))
