# Noise mechanisms: all that the package knows of a kind of noise, in one table. Elsewhere a
# mechanism is asked, and never compared by its name.
#
# `scale` is the number a user gives (`scale_name`). `size(scale)` turns it into a number of
# which more is more private and that is proportional to the noise, `scale(size)` back.
# `sd(scale, d)` is the standard deviation of a coordinate of noise in d dimensions. `pure`:
# whether it can give pure privacy. `output_event()` and `objective_event()` are the
# columns of an event (see new_events()), the release of a value with this noise, and of the
# minimiser of an objective with it in its linear term; they take the same arguments for every
# mechanism, whether it needs them or not.
#
# Noise on a value is exact on a grid of steps of at most `grid(scale, d)`. With noise in an
# objective, some of it on the message hides the distance between the program and the theorem:
# `hidden_event()`, of the noise that `hidden_noise()` says, whose cost is at least `hidden_share`
# of the main release's in units of `size`.
# `solver_share`: of what a record moves, the tolerance at which such noise is small beside the
# main one. `draw_bounds(scale, d)`: how far, in norm, d numbers drawn for an objective are from
# ideal noise at most, and the norm that they exceed with probability exp(-145) < 2^-209 at most.
.noise_mechanisms <- list(
  gamma = list(
    words = "Gamma-norm", density = "density ~ exp(-alpha ||b||)", scale_name = "alpha",
    size = function(scale) 1 / scale, scale = function(size) 1 / size,
    # the norm is Gamma distributed, of shape d: its mean square is d (d + 1) / alpha^2
    sd = function(scale, d) sqrt(d + 1) / scale, pure = TRUE,
    hidden_share = 9e-4, solver_share = 1e-6,
    grid = function(scale, d) 2^-40 * gamma_stretch(d) / scale,
    draw_bounds = function(scale, d) {
      most <- 1.01 * (d + sqrt(290 * d) + 145) / scale
      list(error = (1.5 * d + 40) * 2^-53 * most, most = most)
    },
    # so little of it that randomised response will do with every accountant
    hidden_noise = function(size, sensitivity, dim) {
      list(epsilon = round_up(sensitivity / size + gamma_grid_cost(dim)))
    },
    hidden_event = function(epsilon, sensitivity, dim) list(mechanism = "pure", epsilon = epsilon),
    output_event = function(scale, sensitivity, dim) {
      list(mechanism = "gamma", alpha = scale, sensitivity = sensitivity, dim = dim)
    },
    objective_event = function(scale, sensitivity, curvature, modulus, dim, logistic_curvature) {
      list(mechanism = "objective_gamma", alpha = scale, sensitivity = sensitivity,
        curvature = curvature, logistic_curvature = logistic_curvature, modulus = modulus, dim = dim
      )
    }
  ),
  gaussian = list(
    words = "Gaussian", density = "N(0, sigma^2) a coordinate", scale_name = "sigma",
    size = identity, scale = identity, sd = function(scale, d) scale, pure = FALSE,
    hidden_share = 0.03, solver_share = 1e-5, grid = function(scale, d) 2^-40 * scale,
    draw_bounds = function(scale, d) {
      list(error = 2^-41 * sqrt(d) * scale, most = 1.01 * (sqrt(d) + sqrt(290)) * scale)
    },
    hidden_noise = function(size, sensitivity, dim) list(sigma = size),
    hidden_event = function(sigma, sensitivity, dim) {
      list(mechanism = "gaussian", sigma = sigma, sensitivity = sensitivity, dim = dim)
    },
    output_event = function(scale, sensitivity, dim) {
      list(mechanism = "gaussian", sigma = scale, sensitivity = sensitivity, dim = dim)
    },
    objective_event = function(scale, sensitivity, curvature, modulus, dim, logistic_curvature) {
      list(mechanism = "objective_gaussian", sigma = scale, sensitivity = sensitivity,
        curvature = curvature, logistic_curvature = logistic_curvature, modulus = modulus
      )
    }
  )
)

#' The name of a mechanism, as a user gives it.
#' @noRd
check_mechanism <- function(name) check_choice(name, names(.noise_mechanisms), "noise")

#' A mechanism by its name.
#' @noRd
noise_mechanism <- function(name) .noise_mechanisms[[name]]

#' The name of the mechanism a budget is calibrated with where the user names none: Gamma-norm noise
#' where the guarantee must be pure.
#' @noRd
default_mechanism <- function(delta) if (delta > 0) "gaussian" else "gamma"
