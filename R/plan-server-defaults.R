# What fp_admm() does when it is not told: gamma and iterations from public numbers.

#' The parameters of the method with `gamma` and `iterations` settled.
#' @noRd
server_defaults <- function(p, problem, budget, iterations) {
  if (is.null(iterations)) iterations <- 50L
  p$iterations <- as.integer(iterations)
  if (is.null(p$gamma)) p$gamma <- 1
  p
}
