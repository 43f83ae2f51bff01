#' Noisy fixed-point iterations
#'
#' Algorithm 1: blocks of u move towards a non-expansive operator R of your own,
#' \deqn{u_{k+1,b} = u_{k,b} + \rho_{k,b} \lambda_k (R_b(u_k) + e_{k,b} + \eta_{k+1,b} -
#'   u_{k,b}), \quad \eta \sim N(0, \sigma^2 I),}
#' for the blocks b that are active (rho = 1) in iteration k. [fp_admm()], [dp_sgd()] and
#' [dp_cd()] are such iterations.
#'
#' Every iterate counts as released. It costs a Gaussian mechanism whose noise is sigma
#' and whose sensitivity is that of the active blocks of R; that R does not change
#' otherwise between neighbours, and that `errors` read no record, is up to you.
#'
#' @param operator R: a function of u that returns a vector as long as u, or an
#'   [operator][operators].
#' @param u0 public start, a vector.
#' @param blocks `NULL`: one block (for [operator_admm()]: one a user); or a vector along
#'   u that names the block of each entry.
#' @param lambda step sizes in (0, 1]: one number or one an iteration.
#' @param active which blocks move: `"all"`; `"one"` at random; `"permutation"`: one after
#'   the other in a random order, drawn again when it is through; a number of blocks (a
#'   random subset of that size); a probability in (0, 1), for each block on its own; or a
#'   logical matrix, iterations x blocks.
#' @param noise `NULL` or [gaussian_noise()] (one number): sigma.
#' @param errors `NULL` or a function of k and u: the vector e_k.
#' @param iterations how many (>= 1).
#' @param sensitivity the largest change in L2 norm of R(u) at any one u between
#'   neighbours: one number, or one a block (of its part). `NULL`: the operator's own, or
#'   unknown; then there is no guarantee.
#' @param epsilon,delta a budget instead of `noise`; `epsilon = Inf`: no noise.
#' @param neighbours the neighbouring relation that `sensitivity` is for.
#' @param seed as in [dpadmm_fit()].
#' @param check whether to evaluate R at `u0` twice and compare: an operator must be a
#'   function of its input.
#' @return An object of class `dpadmm_fixed_point`: a list with `u` (the last iterate),
#'   `iterates` (iterations x length of u), `events`, `noise` (sigma) and public facts, for
#'   [privacy()] and `print()`.
#'
#'   Errors: `dpadmm_error_operator` for an R whose result has the wrong shape or is not a
#'   function of its input, `dpadmm_error_finite` for one that is not finite, and
#'   `dpadmm_error_argument` and `_shape` for the rest.
#' @source Cyffers, Bellet and Basu (2023), Algorithm 1.
#' @seealso [utility_bound()].
#' @examples
#' # a rotation by a right angle, halved: the fixed point is 0
#' turn <- function(u) 0.5 * c(-u[2], u[1])
#' run <- fixed_point(turn, c(1, 1), lambda = 1, iterations = 20, noise = gaussian_noise(0.01),
#'   sensitivity = 0.001, delta = 1e-6, seed = 1)
#' run$u
#' run
#' @export
fixed_point <- function(operator, u0, blocks = NULL, lambda = 0.5, active = "all", noise = NULL,
                        errors = NULL, iterations = 50, sensitivity = NULL, epsilon = NULL,
                          delta = 0,
                        neighbours = c("replace-one", "add-remove"), seed = NULL, check = FALSE) {
  operator <- as_operator(operator)
  if (!is.null(errors) && !is.function(errors)) {
    abort("argument", "`errors` must be NULL or a function of k and u.", argument = "errors")
  }
  u0 <- as.double(check_numbers(u0, "u0"))
  if (!is.null(operator$d) && length(u0) != operator$d) {
    abort("shape", sprintf("`u0` must have length %d for this operator, not %d.", operator$d,
      length(u0)),
      argument = "u0", value = length(u0)
    )
  }
  K <- as.integer(check_number(iterations, "iterations", lower = 1, upper = 1e6, whole = TRUE))
  check_numbers(lambda, "lambda", lower = 0, open_lower = TRUE, upper = 1, length = unique(c(1L,
    K)))
  neighbours <- check_choice(neighbours, c("replace-one", "add-remove"), "neighbours")
  check_flag(check, "check")
  blocks <- check_blocks(blocks, length(u0), operator$blocks)
  seed <- check_seed(seed)
  key <- noise_key(seed)
  on.exit(forget_key(key))
  turns <- activations(active, K, max(blocks), key)
  # what a built-in operator is off by in doubles is a thousandth of its sensitivity, or refused
  rounded <- is.null(sensitivity) && !is.null(operator$sensitivity)
  sensitivity <- if (rounded) 1.001 * operator$sensitivity else sensitivity
  if (!is.null(sensitivity)) {
    check_numbers(sensitivity, "sensitivity", lower = 0, length = unique(c(1L, max(blocks))))
  }
  events <- function(sigma) iteration_events(sigma, sensitivity, turns, K, neighbours, length(u0))
  noise <- iteration_noise(noise, epsilon, delta, events, sensitivity)
  if (check) check_function(operator, u0)
  private <- !is.null(noise$sigma)
  evaluate <- function(k, u, coordinates) {
    if (rounded && private) check_operator_rounding(operator, u)
    r <- operator_value(operator, u, coordinates)
    if (is.null(errors)) return(r)
    r + whole_vector(errors(k, u), length(u), "errors(k, u)")[coordinates]
  }
  scale <- if (is.null(noise$sigma)) 0 else noise$sigma
  iterates <- noisy_iteration(u0, K, rep_len(lambda, K), evaluate, scale,
    coordinates = function(k) if (is.null(turns)) seq_along(u0) else which(turns[k, blocks]),
      key = key
  )
  structure(list(
    u = iterates[K, ], iterates = iterates,
    events = if (is.null(noise$sigma)) {
      dp_event_exact(neighbours, count = K, iteration = 1)
    } else if (!is.null(sensitivity)) {
      events(noise$sigma)
    },
    noise = noise$sigma, title = sprintf("Noisy fixed-point iteration of %s", operator$title),
      iterations = K,
    sensitivity = sensitivity, delta = delta, seeded = !is.null(seed)
  ), class = "dpadmm_fixed_point")
}

#' Algorithm 1's loop.
#'
#' @param evaluate a function of k, u and the active coordinates: (R(u) + e) there.
#' @return K x length(u).
#' @noRd
noisy_iteration <- function(u, K, lambda, evaluate, scale, coordinates, key) {
  d <- length(u)
  iterates <- matrix(0, K, d)
  for (k in seq_len(K)) {
    here <- coordinates(k)
    if (length(here)) {
      target <- evaluate(k, u, here)
      if (scale > 0) target <- sent_value(target, scale, k, key)
      u[here] <- u[here] + lambda[k] * (target - u[here])
    }
    iterates[k, ] <- u
  }
  if (!all(is.finite(u))) abort("finite",
    "The iteration left the range of double precision numbers.")
  iterates
}

#' The state is public: where it is so large that rounding could be told from what a record
#' does, nothing is sent.
#' @noRd
check_operator_rounding <- function(operator, u) {
  size <- sqrt(sum(u^2)) + operator$records * operator$sensitivity
  off <- 8 * (operator$records + length(u) + 16) * .unit_roundoff * size
  if (!(2 * off <= 1e-3 * operator$sensitivity)) {
    abort("argument", paste(
      "The state is so large that rounding exceeds a thousandth of what one record can do:",
      "scale the problem, or start nearer to 0."
    ), argument = "u0")
  }
}

#' A value as it may be sent in round k: on a grid, with exact Gaussian noise.
#' @noRd
sent_value <- function(x, sigma, k, key) {
  noisy_value("gaussian", x, sigma, k, key)
}

#' The same of a mechanism.
#' @noRd
noisy_value <- function(kind, x, scale, k, key) {
  core_call(.Call(ffi_release, kind, as.double(scale), as.double(x), as.double(k), key, 1))
}

#' Gaussian releases of the active blocks, by iteration.
#' @noRd
iteration_events <- function(sigma, sensitivity, turns, K, neighbours, d) {
  if (is.null(turns)) {
    return(dp_event_gaussian(sigma, on_grid(sqrt(sum(sensitivity^2)), sigma, d),
      neighbours = neighbours, count = K, dim = d
    ))
  }
  square <- if (length(sensitivity) == 1L) {
    sensitivity^2 * (rowSums(turns) > 0)
  } else {
    as.vector(turns %*% sensitivity^2)
  }
  dp_event_gaussian(sigma, on_grid(sqrt(square), sigma, d), neighbours = neighbours,
    iteration = seq_len(nrow(turns)), dim = d
  )
}

#' The sensitivity of a value of d numbers that is rounded to the grid of this noise.
#' @noRd
on_grid <- function(sensitivity, sigma, d) round_up(sensitivity + 2 * grid_slop(sigma, d))

#' sigma, as given or from a budget; NULL: none.
#' @noRd
iteration_noise <- function(noise, epsilon, delta, events, sensitivity) {
  if (is.null(noise) && is.null(epsilon)) return(list(sigma = NULL))
  budget <- check_budget(epsilon, delta, noise)
  if (!budget$private) return(list(sigma = NULL))
  if (!is.null(noise) && noise$mechanism != "gaussian") {
    not_made_by(noise, "noise", "gaussian_noise()")
  }
  if (!is.null(noise)) return(list(sigma = given_units(noise, "holder", 1L, character())[1L]))
  check_gaussian(budget)
  if (is.null(sensitivity) || !any(sensitivity > 0)) {
    abort("argument", "A budget needs the operator's `sensitivity` (> 0).",
      argument = "sensitivity")
  }
  list(sigma = calibrate(events, epsilon, delta))
}
