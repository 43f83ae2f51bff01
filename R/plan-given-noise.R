# Noise that the user gives, for every party and noisy update.

#' The user's noise as one unit a party and noisy update: N x K, matched by name where the
#' numbers, or the rows of the matrix, have names.
#' @param shapes which shapes the method takes besides one number: "node" (one a party),
#'   "matrix" (N x K).
#' @noRd
given_units <- function(noise, names, K, shapes = c("node", "matrix")) {
  N <- length(names)
  scale <- noise$scale
  given <- if (is.matrix(scale)) rownames(scale) else names(scale)
  if (!is.null(given) && N > 1L) {
    order <- party_order(given, names, noise_mechanism(noise$mechanism)$scale_name)
    scale <- if (is.matrix(scale)) scale[order, , drop = FALSE] else scale[order]
  }
  fits <- if (is.matrix(scale)) {
    "matrix" %in% shapes && identical(dim(scale), c(N, K))
  } else {
    length(scale) == 1L || ("node" %in% shapes && length(scale) == N)
  }
  if (!fits) {
    allowed <- c("one number", if ("node" %in% shapes) sprintf("%d (one a node)", N),
      if ("matrix" %in% shapes) sprintf("a %d x %d matrix (nodes x noisy updates)", N, K)
    )
    abort("shape", sprintf(
      "The noise must be %s, not %s.", paste(allowed, collapse = " or "),
      paste(if (is.matrix(scale)) dim(scale) else length(scale), collapse = " x ")
    ), argument = "noise", value = if (is.matrix(scale)) dim(scale) else length(scale))
  }
  matrix(noise_mechanism(noise$mechanism)$size(as.vector(scale)), N, K)
}
