# What the program as it runs adds to what a release must hide. The theorems are about real
# numbers, exact minimisers and ideal noise; the program's value is within `slop` of theirs, for
# the same random bits, and every message hides twice that (vignette "privacy-accounting", "The
# program, to the last bit"). All of it is a function of public numbers.
#
# A family's `slop` is one number, or one for each party and round (graphs): the largest
# distance in the units of the gradient (graphs), of the mean gradient or of the server's mean.
# It depends on the size of the noise, which depends on it: with_rounding() settles both.

.unit_roundoff <- 2^-53

#' The plan with noise that also hides rounding: calibrated again where the noise itself asks
#' for more than was set aside, which happens once or twice or without end.
#' @noRd
with_rounding <- function(method, plan) {
  plan <- likely_rounding(method, with_releases(method, plan))
  for (attempt in 1:5) {
    plan <- protect(method, plan)
    settled <- settle_rounding(method, plan)
    if (is.null(settled)) break
    if (!settled$raised) return(settled$plan)
    plan <- with_releases(method, settled$plan)
  }
  blame <- farthest_out(method, plan)
  abort("argument", sprintf(
    "Rounding in double precision is larger than this noise could hide: use a less extreme `%s`.",
    blame
  ), argument = blame)
}

#' The plan with what must be set aside for about the unit that calibration will find, which mostly
#' spares calibrating again; as it was where that says nothing.
#' @noRd
likely_rounding <- function(method, plan) {
  if (!is.null(plan$budget$noise)) return(plan)
  unit <- likely_of(plan)
  if (!all(is.finite(unit) & unit > 0)) return(plan)
  unit <- shared_unit(plan, matrix(unit))
  settled <- tryCatch(settle_rounding(method, apply_unit(method, plan, unit)),
    dpadmm_error = function(e) NULL
  )
  if (is.null(settled)) plan else with_releases(method, settled$plan)
}

#' What must be set aside for noise of the present unit: list(plan, raised = whether that is more
#' than before), NULL where there is no end to it.
#' @noRd
settle_rounding <- function(method, plan) {
  raised <- FALSE
  for (step in 1:40) {
    needed <- rounding_of(method, plan)
    needed$slop <- needed$slop + shares_slop(plan)
    plan$reach <- needed$reach
    if (!all(is.finite(unlist(needed, use.names = FALSE)))) return(NULL)
    low <- is.null(plan$beta) && any(needed$tol > plan$tol) # of beta the user is told
    enough <- all(needed$slop <= plan$slop) && all(needed$query <= plan$query_slop) &&
      all(needed$moment <= plan$moment_slop)
    if (enough && !low) {
      check_steps(plan$problem, needed$steps)
      return(list(plan = plan, raised = raised))
    }
    plan$slop <- pmax(plan$slop, 2 * needed$slop)
    if (low) plan$tol <- pmax(plan$tol, 2 * needed$tol)
    if (!is.null(plan$query_slop)) plan$query_slop <- pmax(plan$query_slop, 2 * needed$query)
    if (!is.null(plan$moment_slop)) plan$moment_slop <- pmax(plan$moment_slop, 2 * needed$moment)
    raised <- TRUE
    plan <- apply_unit(method, with_releases(method, plan), plan$unit)
  }
  NULL
}

#' @return list(slop = as above, tol = least tolerance of a solver, by party and round, reach =
#'   norms of public points within which that holds, or NULL); of solvers also `steps`, see
#'   check_steps(), with a sparse vector test `query`, what its queries are off by, and with moments
#'   `moment`, what those are.
#' @noRd
rounding_of <- function(method, plan) UseMethod("rounding_of")

#' The releases of a plan for its present `slop`.
#' @noRd
with_releases <- function(method, plan) UseMethod("with_releases")

#' Error of a draw of noise of these scales in d dimensions, in norm, and the norm it never
#' exceeds.
#' @noRd
draw_bounds <- function(mechanism, scale, d) {
  if (is.null(scale)) return(list(error = 0, most = 0))
  bounds <- mechanism$draw_bounds(scale, d)
  lapply(bounds, function(bound) ifelse(scale > 0, bound, 0))
}

#' Half of what rounding to the grid of this noise can move a value by, in norm.
#' @noRd
grid_slop <- function(scale, d, mechanism = noise_mechanism("gaussian")) {
  if (is.null(scale)) return(0)
  sqrt(d) / 2 * ifelse(scale > 0, mechanism$grid(scale, d), 0)
}

#' Rounding of a sum of n gradients of norm at most `bound`: n additions in a row.
#' @noRd
sum_rounding <- function(n, bound) 1.01 * (n + 16) * .unit_roundoff * bound
