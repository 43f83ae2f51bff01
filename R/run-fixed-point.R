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
  blocks <- check_blocks(blocks, length(u0), operator)
  seed <- check_seed(seed)
  key <- noise_key(seed)
  turns <- activations(active, K, max(blocks), key)
  sensitivity <- if (is.null(sensitivity)) operator$sensitivity else sensitivity
  if (!is.null(sensitivity)) {
    check_numbers(sensitivity, "sensitivity", lower = 0, length = unique(c(1L, max(blocks))))
  }
  events <- function(sigma) iteration_events(sigma, sensitivity, turns, K, neighbours)
  noise <- iteration_noise(noise, epsilon, delta, events, sensitivity)
  if (check) check_function(operator, u0)
  evaluate <- function(k, u, coordinates) {
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
    u = iterates[K, ], iterates = iterates, events = if (!is.null(noise$sigma) &&
      !is.null(sensitivity)) events(noise$sigma),
    noise = noise$sigma, title = sprintf("Noisy fixed-point iteration of %s", operator$title),
      iterations = K,
    sensitivity = sensitivity, delta = delta, seeded = !is.null(seed)
  ), class = "dpadmm_fixed_point")
}

#' Algorithm 1's loop, shared with the methods that are instances of it.
#'
#' @param evaluate a function of k, u and the active coordinates: (R(u) + e) there.
#' @param finish `NULL` or a function of the moved coordinates' values.
#' @return K x length(u).
#' @noRd
noisy_iteration <- function(u, K, lambda, evaluate, scale, coordinates, key, finish = NULL) {
  d <- length(u)
  iterates <- matrix(0, K, d)
  if (any(scale != 0)) eta <- core_call(.Call(ffi_noise, "gaussian", 1, as.double(d), as.double(K),
    key, 0)) * scale
  for (k in seq_len(K)) {
    here <- coordinates(k)
    if (length(here)) {
      target <- evaluate(k, u, here)
      if (any(scale != 0)) target <- target + eta[k, here]
      moved <- u[here] + lambda[k] * (target - u[here])
      u[here] <- if (is.null(finish)) moved else finish(moved)
    }
    iterates[k, ] <- u
  }
  if (!all(is.finite(u))) abort("finite",
    "The iteration left the range of double precision numbers.")
  iterates
}

#' Blocks as whole numbers 1, 2, ... along u.
#' @noRd
check_blocks <- function(blocks, d, operator) {
  if (is.null(blocks)) blocks <- if (is.null(operator$blocks)) rep(1L, d) else operator$blocks
  if (length(blocks) != d || !is.atomic(blocks)) {
    abort("shape", sprintf("`blocks` must name a block for each of the %d entries, not %d.", d,
      length(blocks)),
      argument = "blocks", value = length(blocks)
    )
  }
  if (anyNA(blocks)) abort("missing", "`blocks` has a missing value.", argument = "blocks")
  match(blocks, unique(blocks))
}

#' A logical matrix, iterations x blocks; NULL: all are active always.
#' @noRd
activations <- function(active, K, B, key) {
  if (is.logical(active) && is.matrix(active)) {
    if (!identical(dim(active), c(K, B)) || anyNA(active)) {
      abort("shape",
        sprintf("`active` must be %d x %d (iterations x blocks) without missing values.", K, B),
        argument = "active", value = dim(active)
      )
    }
    return(active)
  }
  if (is.numeric(active)) {
    check_number(active, "active", lower = 0, open_lower = TRUE, upper = B)
    if (active >= 1) check_number(active, "active", whole = TRUE)
    if (active == B) return(NULL)
    draw <- function(k) core_call(.Call(ffi_sample, key, k, B, as.double(active), active < 1))
  } else {
    active <- check_choice(active, c("all", "one", "permutation"), "active")
    if (active == "all") return(NULL)
    if (active == "one") {
      walk <- core_call(.Call(ffi_walk, key, B, K)) + 1L
    } else {
      keys <- ceiling(seq_len(K) / B)
      walk <- unlist(lapply(seq_len(max(keys)), function(pass) random_order(key, pass, B)))
    }
    draw <- function(k) walk[k]
  }
  turns <- matrix(FALSE, K, B)
  for (k in seq_len(K)) turns[k, draw(k)] <- TRUE
  turns
}

#' A random order of 1..B: a walk's first visits are in a uniform order, but may take
#' long; so the order of keyed uniform ranks.
#' @noRd
random_order <- function(key, pass, B) {
  order(core_call(.Call(ffi_noise, "gaussian", 1, as.double(B), 1, key, as.double(2^32 - pass))))
}

#' Gaussian releases of the active blocks, by iteration.
#' @noRd
iteration_events <- function(sigma, sensitivity, turns, K, neighbours) {
  if (is.null(turns)) {
    return(dp_event_gaussian(sigma, sqrt(sum(sensitivity^2)), neighbours = neighbours, count = K))
  }
  square <- if (length(sensitivity) == 1L) {
    sensitivity^2 * (rowSums(turns) > 0)
  } else {
    as.vector(turns %*% sensitivity^2)
  }
  dp_event_gaussian(sigma, sqrt(square), neighbours = neighbours, iteration = seq_len(nrow(turns)))
}

#' sigma, as given or from a budget; NULL: none.
#' @noRd
iteration_noise <- function(noise, epsilon, delta, events, sensitivity) {
  if (is.null(noise) && is.null(epsilon)) return(list(sigma = NULL))
  budget <- check_budget(epsilon, delta, noise)
  if (!budget$private) return(list(sigma = NULL))
  if (!is.null(noise)) return(list(sigma = one_scale(noise)))
  check_gaussian(budget)
  if (is.null(sensitivity) || !any(sensitivity > 0)) {
    abort("argument", "A budget needs the operator's `sensitivity` (> 0).",
      argument = "sensitivity")
  }
  list(sigma = calibrate(events, epsilon, delta))
}

# ---- operators ----------------------------------------------------------------------

new_operator <- function(title, d, apply, sensitivity = NULL, blocks = NULL) {
  structure(list(title = title, d = d, apply = apply, sensitivity = sensitivity, blocks = blocks),
    class = "dpadmm_operator"
  )
}

#' @export
print.dpadmm_operator <- function(x, ...) {
  cat(sprintf("<dpadmm_operator: %s on %d numbers>\n", x$title, x$d))
  invisible(x)
}

as_operator <- function(operator) {
  if (inherits(operator, "dpadmm_operator")) return(operator)
  if (!is.function(operator)) {
    abort("argument", sprintf("`operator` must be a function or a built-in operator, not %s.",
      kind_of(operator)),
      argument = "operator"
    )
  }
  list(title = "a function", apply = function(u, coordinates) operator(u)[coordinates],
    whole = operator)
}

#' R(u) at some coordinates, its shape checked.
#' @noRd
operator_value <- function(operator, u, coordinates) {
  if (is.null(operator$whole)) return(operator$apply(u, coordinates))
  whole_vector(operator$whole(u), length(u), "operator(u)")[coordinates]
}

whole_vector <- function(value, d, what) {
  if (!is.numeric(value) || length(value) != d) {
    abort("operator", sprintf("%s must return %d numbers, not %s of length %d.", what, d,
      class(value)[1L], length(value)),
      argument = "operator", value = length(value)
    )
  }
  if (!all(is.finite(value))) {
    abort("finite", sprintf("%s is not finite at %s.", what, where_first(!is.finite(value))),
      argument = "operator")
  }
  as.double(value)
}

check_function <- function(operator, u0) {
  all <- seq_along(u0)
  if (!identical(operator_value(operator, u0, all), operator_value(operator, u0, all))) {
    abort("operator", "The operator is not a function of its input: two calls at `u0` differ.",
      argument = "operator")
  }
}

#' Built-in operators
#'
#' Non-expansive operators for [fixed_point()], evaluated in C.
#'
#' * `operator_affine()`: `R(u) = A u + b`; non-expansive when no singular value of A
#'   exceeds 1.
#' * `operator_gradient()`: `R(u) = u - step * (1/n) sum_i grad L(y_i, x_i'u)`; non-expansive
#'   when `step` is at most 2 over the smoothness of the mean loss (`loss$curvature *
#'   row_bound^2` at most). Propositions 1 and 2 use `step = 2 / beta`.
#' * `operator_admm()`: the operator of consensus ADMM on the n users' states, stacked (n
#'   d numbers): `R(u)_i = 2 x_i - 2 z + u_i`, see [fp_admm()].
#'
#' @param A,b a d x d matrix and a vector of length d (or one number).
#' @param x,y records and labels, as in [dpadmm_fit()].
#' @param loss,penalty as in [dpadmm_fit()].
#' @param step,gamma see above (> 0).
#' @param clip bound on the norm of each record's gradient (> 0, or `NULL`: the loss's
#'   own); then the operator knows its sensitivity between replace-one neighbours,
#'   `2 step clip / n` and, for one user's block, `4 gamma clip`.
#' @param row_bound as in [dpadmm_control()].
#' @return An object of class `dpadmm_operator`.
#' @examples
#' lasso <- sim_lasso(n = 100, p = 8, support = 2, seed = 1)
#' R <- operator_gradient(lasso$x, lasso$y, "squared", step = 2)
#' fixed_point(R, numeric(8), lambda = 0.5, iterations = 200)$u
#' @name operators
NULL

#' @rdname operators
#' @export
operator_affine <- function(A, b = 0) {
  check_numbers(A, "A")
  if (!is.matrix(A) || nrow(A) != ncol(A)) {
    abort("shape", "`A` must be a square matrix.", argument = "A", value = dim(A))
  }
  d <- nrow(A)
  b <- rep_len(as.double(check_numbers(b, "b", length = unique(c(1L, d)))), d)
  storage.mode(A) <- "double"
  new_operator("an affine map", d, function(u, coordinates) .Call(ffi_affine, A, b, u, coordinates))
}

#' @rdname operators
#' @export
operator_gradient <- function(x, y, loss = "logistic", step, clip = NULL, row_bound = 1) {
  loss <- dpadmm_loss(loss)
  check_number(step, "step", lower = 0, open_lower = TRUE)
  check_number(row_bound, "row_bound", lower = 0, open_lower = TRUE)
  records <- records_matrix(x, y, loss)
  bound <- gradient_bound(loss, clip, row_bound)
  rows <- row_view(records, row_bound)
  n <- nrow(records$x)
  new_operator("a gradient step", ncol(records$x), function(u, coordinates) {
    block <- if (length(coordinates) < length(u)) coordinates
    sum <- .Call(ffi_mean_gradient, rows, NULL, u, loss$name, loss$width, bound, block)
    u[coordinates] - step / n * sum
  }, if (is.finite(bound)) 2 * step * bound / n)
}

#' @rdname operators
#' @export
operator_admm <- function(x, y, loss = "logistic", penalty = NULL, gamma = 1, clip = NULL,
  row_bound = 1) {
  loss <- dpadmm_loss(loss)
  check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
  check_number(row_bound, "row_bound", lower = 0, open_lower = TRUE)
  records <- records_matrix(x, y, loss)
  bound <- gradient_bound(loss, clip, row_bound)
  spec <- consensus_spec(records, NULL, row_bound, loss, check_penalty(penalty), 0.5, gamma, bound,
    Inf, 1e-10, threads = 1L)
  n <- nrow(records$x)
  d <- ncol(records$x)
  new_operator("consensus ADMM", n * d, function(u, coordinates) {
    core_call(.Call(ffi_consensus_operator, spec, u))[coordinates]
  }, if (is.finite(bound)) 4 * gamma * bound, rep(seq_len(n), each = d))
}

#' Bound on the norm of a record's gradient: the loss's own or a smaller clip.
#' @noRd
gradient_bound <- function(loss, clip, row_bound) {
  if (!is.null(clip)) check_number(clip, "clip", lower = 0, open_lower = TRUE)
  min(clip, loss$lipschitz * row_bound)
}

# ---- results ------------------------------------------------------------------------

#' @export
privacy.dpadmm_fixed_point <- function(fit, accountant = c("sound", "paper"), ...) {
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  if (!is.null(fit$noise) && is.null(fit$events)) {
    abort("argument", "There is no guarantee without the operator's `sensitivity`.",
      argument = "sensitivity")
  }
  released <- fit$events
  if (accountant == "paper" && !is.null(released)) {
    if (is.null(fit$printed)) abort_unprinted(fit$events)
    released <- fit$printed
  }
  statement(released, fit$delta, statement_facts("any",
    seeded = fit$seeded, audience = "Whoever sees every iterate",
    released = release_words(fit$events, released),
    stated = "The sensitivity of the operator is as stated or built in; it was not checked."
  ))
}

#' @export
print.dpadmm_fixed_point <- function(x, ...) {
  cat(sprintf("%s: %d numbers, %d iterations\n\n", x$title, ncol(x$iterates), x$iterations))
  if (is.null(x$noise) ||
    !is.null(x$events)) print(privacy(x)) else cat("Privacy: unknown, no sensitivity was stated.\n")
  invisible(x)
}
