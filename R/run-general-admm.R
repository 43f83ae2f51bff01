#' Private ADMM for a general splitting
#'
#' Algorithm 5: minimises `f(x) + g(z)` subject to `A x + B z = c`, where f reads the
#' records and g does not, with the states u and
#' \deqn{z = argmin\, g(z) + ||B z + u||^2 / (2 \gamma),\quad
#'   x = argmin\, f(x) + ||A x + 2 B z + u - c||^2 / (2 \gamma),\quad
#'   u \leftarrow u + 2 \lambda (A x + B z - c + \eta / 2).}
#'
#' A proximal function is called as `prox(w, gamma, M)` and returns `argmin_v h(v) + ||M v
#' - w||^2 / (2 gamma)`: for f with `M = A` and `w = c - u - 2 B z`, for g with `M = -B` and
#' `w = u`. With `A = I` and `B = -I` both are ordinary proximal steps at w.
#'
#' Only z is for release: x reads the records after the last noise. `z_1` comes from the
#' public u_0, so K iterations have K - 1 noisy steps.
#'
#' With f the mean of n convex L-Lipschitz functions, one for each record, and omega the
#' smallest singular value of A, a step of u moves by at most `4 lambda gamma L / (n
#' omega)` between neighbours: in terms of v = A x, f is `L / omega`-Lipschitz and the
#' problem `1 / gamma`-strongly convex, so A x moves by at most `2 gamma L / (n omega)`. The
#' printed Theorem 7 is `||A||^2` times the resulting divergence, which is too small when
#' `||A|| < 1`. To L / n is added what the solver of [prox_loss()] and rounding are off by: twice
#' its tolerance. A function of your own is taken to be exact.
#'
#' @param prox_f a proximal function as above, or [prox_loss()].
#' @param prox_g a proximal function, or a [penalty] (for a diagonal B without zeros).
#' @param A,B matrices with as many rows as u has entries. Defaults: `A = I`, `B = -I`.
#'   A private run needs an A of full column rank.
#' @param c a vector along u, or one number.
#' @param u0 public start, a vector; its length is the number of constraints.
#' @param lambda,gamma step size in (0, 1]; weight of the proximal steps (> 0).
#' @param iterations number of iterations K (>= 1; private: >= 2).
#' @param lipschitz L, stated by you; for [prox_loss()] it is known.
#' @param n number of records; for [prox_loss()] it is known.
#' @param noise,epsilon,delta,seed as in [fixed_point()]; sigma is that of eta.
#' @return An object of class `dpadmm_fixed_point`, see [fixed_point()], with also `z` (the
#'   last one) and `iterates` holding z_1, ..., z_K in rows.
#'
#'   Errors: `dpadmm_error_operator` for a proximal function whose result has the wrong
#'   shape, `dpadmm_error_argument` for an A without full column rank, an unknown
#'   Lipschitz constant, or public numbers so large that rounding exceeds the solver's tolerance,
#'   in a private run.
#' @source Cyffers, Bellet and Basu (2023), Algorithm 5 and Theorem 7.
#' @examples
#' lasso <- sim_lasso(n = 100, p = 8, support = 3, seed = 1)
#' run <- general_admm(prox_loss(lasso$x, lasso$y, "huber"), penalty_l1(0.001),
#'   u0 = numeric(8), gamma = 30, iterations = 20, epsilon = 5, delta = 1e-6, seed = 1
#' )
#' round(run$z, 2)
#' run
#' @export
general_admm <- function(prox_f, prox_g, A = NULL, B = NULL, c = 0, u0, lambda = 0.5, gamma = 1,
                         iterations = 50, lipschitz = NULL, n = NULL, noise = NULL, epsilon = NULL,
                         delta = 0, seed = NULL) {
  u <- as.double(check_numbers(u0, "u0"))
  m <- length(u)
  A <- constraint_matrix(if (is.null(A)) diag(m) else A, m, "A")
  B <- constraint_matrix(if (is.null(B)) -diag(m) else B, m, "B")
  c <- rep_len(check_numbers(c, "c", length = unique(base::c(1L, m))), m)
  check_number(lambda, "lambda", lower = 0, open_lower = TRUE, upper = 1)
  check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
  K <- as.integer(check_number(iterations, "iterations", lower = 1, upper = 1e6, whole = TRUE))
  check_prox(prox_f, "prox_f")
  known <- attr(prox_f, "known")
  if (is.null(lipschitz)) lipschitz <- known$lipschitz
  if (is.null(n)) n <- known$n
  step_g <- if (inherits(prox_g, "dpadmm_penalty")) penalty_step(prox_g, B) else check_prox(prox_g,
    "prox_g")
  seed <- check_seed(seed)
  key <- noise_key(seed)
  on.exit(forget_key(key))

  private <- !is.null(noise) || (!is.null(epsilon) && is.finite(epsilon))
  moved <- if (private) general_sensitivity(A, gamma, lipschitz, n, K, known$tol)
  events <- function(sigma) {
    dp_event_gaussian(sigma, on_grid(moved$sensitivity, sigma, m), count = K - 1L, dim = m)
  }
  sigma <- iteration_noise(noise, epsilon, delta, events, moved$sensitivity)$sigma
  z <- matrix(0, K, ncol(B))
  for (k in seq_len(K)) {
    z[k, ] <- whole_vector(step_g(u, gamma, -B), ncol(B), "prox_g()")
    if (k == K) break # what follows reads the records and is not released
    Bz <- as.vector(B %*% z[k, ])
    x <- whole_vector(prox_f(c - u - 2 * Bz, gamma, A), ncol(A), "prox_f()")
    # only what reads the records is sent: the rest is public
    Ax <- as.vector(A %*% x)
    if (!is.null(sigma)) {
      check_rounding(A, c - u - 2 * Bz, gamma, lipschitz, known, moved)
      Ax <- sent_value(Ax, sigma / 2, k, key)
    }
    u <- u + 2 * lambda * (Ax + Bz - c)
  }
  structure(list(
    u = if (!is.null(sigma)) u, z = z[K, ], iterates = z,
    events = if (is.null(sigma)) dp_event_exact(count = K, iteration = 1) else events(sigma),
    printed = if (!is.null(sigma)) {
      printed_general_admm(sigma, moved$printed, moved$norm, count = K)
    },
    noise = sigma, title = "General private ADMM", iterations = K, sensitivity = moved$sensitivity,
    delta = delta, seeded = !is.null(seed)
  ), class = "dpadmm_fixed_point")
}

constraint_matrix <- function(x, m, argument) {
  check_numbers(x, argument)
  if (!is.matrix(x) || nrow(x) != m) {
    abort("shape", sprintf("`%s` must be a matrix with %d rows, as `u0` has entries.", argument, m),
      argument = argument, value = dim(x)
    )
  }
  x
}

check_prox <- function(prox, argument) {
  if (!is.function(prox)) {
    abort("argument", sprintf("`%s` must be a function of w, gamma and a matrix, not %s.",
      argument, kind_of(prox)),
      argument = argument
    )
  }
  prox
}

#' Sensitivity of a noisy step in units of sigma: that of u over lambda.
#' @noRd
general_sensitivity <- function(A, gamma, lipschitz, n, K, tol) {
  if (K < 2L) abort("argument", "z_1 reads no record: a private run needs `iterations` >= 2.",
    argument = "iterations")
  if (is.null(lipschitz) || is.null(n)) {
    abort("argument", "A private run needs `lipschitz` and `n`.",
      argument = if (is.null(n)) "n" else "lipschitz")
  }
  check_number(lipschitz, "lipschitz", lower = 0)
  check_number(n, "n", lower = 1, whole = TRUE)
  singular <- svd(A, 0L, 0L)$d
  # computed singular values are off by a few ulp of the largest
  slack <- max(dim(A)) * .Machine$double.eps * singular[1L]
  omega <- if (ncol(A) <= nrow(A)) min(singular) - slack else 0
  if (omega <= slack) {
    abort("argument", "`A` must have full column rank for a private run.", argument = "A",
      value = omega)
  }
  if (is.null(tol)) tol <- 0
  list(
    sensitivity = 4 * gamma * (lipschitz / n + 2 * tol) / omega,
    printed = 4 * gamma * lipschitz / (n * omega), norm = singular[1L], omega = omega
  )
}

#' Whether rounding in x and A x may exceed the solver's tolerance; the argument w of the
#' proximal step is public.
#' @noRd
check_rounding <- function(A, w, gamma, lipschitz, known, moved) {
  tol <- known$tol
  if (is.null(tol)) return(invisible())
  if (known$rounding(w, gamma, A) > tol / 2) abort_rounding()
  size <- sqrt(sum(w^2)) + 2 * gamma * lipschitz / moved$omega # of A x, at most
  rounding <- (ncol(A) + 8) * .unit_roundoff * sqrt(sum(A^2)) * size / moved$omega
  if (rounding > gamma * tol / moved$omega) abort_rounding()
}

abort_rounding <- function() {
  abort("argument", paste(
    "Public numbers are so large, or `gamma` so small, that rounding exceeds the tolerance of the",
    "proximal step: scale the problem, or give prox_loss() a larger `tol`."
  ), argument = "u0")
}

#' The z-step of a separable penalty when B is diagonal: with b_j v = w_j.
#' @noRd
penalty_step <- function(penalty, B) {
  b <- if (nrow(B) == ncol(B)) -diag(B)
  if (is.null(b) || any(B != diag(-b, length(b))) || any(b == 0)) {
    abort("argument", "A penalty needs a diagonal `B` without zeros; give a function for others.",
      argument = "B")
  }
  numbers <- penalty_numbers(penalty)
  function(w, gamma, M) .Call(ffi_prox, penalty$name, numbers, w / b, rep_len(gamma / b^2,
    length(w)))
}

#' The proximal function of a mean loss
#'
#' For [general_admm()]: f is the mean over n records of `L(y_i, x_i'v)`, by Newton's method.
#'
#' @param x,y,loss,row_bound as in [dpadmm_fit()] and [dpadmm_control()].
#' @param tol gradient norm to which a step is solved, absolute, as [general_admm()] charges for it
#'   (> 0). `NULL`: a millionth of what a record can add to the gradient.
#' @return A function of w, gamma and a matrix M, see [general_admm()].
#' @examples
#' prox_loss(diag(2), c(1, -1), "squared")(c(1, 1), gamma = 2, diag(2))
#' @export
prox_loss <- function(x, y, loss = "logistic", row_bound = 1, tol = NULL) {
  loss <- dpadmm_loss(loss)
  check_number(row_bound, "row_bound", lower = 0, open_lower = TRUE)
  records <- records_matrix(x, y, loss)
  x <- as.matrix(records$x) * shortening(records$x, row_bound)
  y <- records$y
  n <- nrow(x)
  lipschitz <- loss$lipschitz * row_bound
  if (is.null(tol)) tol <- 1e-6 * gradient_scale(loss, row_bound) / n
  check_number(tol, "tol", lower = 0, open_lower = TRUE)
  prox <- function(w, gamma, M) {
    if (ncol(M) != ncol(x)) {
      abort("shape", sprintf("`x` must have as many columns as `A`: %d, not %d.", ncol(M), ncol(x)),
        argument = "x", value = ncol(x)
      )
    }
    v <- numeric(ncol(M))
    quad <- crossprod(M) / gamma
    pull <- as.vector(crossprod(M, w)) / gamma
    value <- function(v) {
      mean(.Call(ffi_loss, loss$name, loss$width, as.vector(x %*% v),
        y)$value) + sum(v * (quad %*% v)) / 2 - sum(pull * v)
    }
    for (step in 1:200) {
      at <- .Call(ffi_loss, loss$name, loss$width, as.vector(x %*% v), y)
      parts <- cbind(as.vector(crossprod(x, at$gradient)) / n, as.vector(quad %*% v), -pull)
      gradient <- rowSums(parts)
      rounding <- 64 * .unit_roundoff * sum(sqrt(colSums(parts^2)))
      if (sqrt(sum(gradient^2)) <= max(tol / 2, rounding)) return(v)
      move <- solve(crossprod(x, at$curvature * x) / n + quad, gradient)
      before <- value(v)
      size <- 1
      # less than rounding is not asked for
      drop <- 1e-4 * sum(move * gradient)
      slack <- 1e-13 * abs(before)
      while (size > 1e-8 && !(value(v - size * move) <= before - size * drop + slack)) {
        size <- size / 2
      }
      v <- v - size * move
    }
    abort("solver", "The proximal step of the loss could not be solved.", argument = "prox_f")
  }
  structure(prox,
    known = list(
      lipschitz = if (is.finite(lipschitz)) lipschitz, n = n, tol = tol,
      rounding = function(w, gamma, M) prox_rounding(w, gamma, M, n, loss, row_bound)
    ))
}

#' Rounding of the gradient of a proximal step near its solution, from public numbers.
#' @noRd
prox_rounding <- function(w, gamma, M, n, loss, row_bound) {
  singular <- svd(M, 0L, 0L)$d
  slope <- min(loss$lipschitz, 1e3) * row_bound
  pull <- singular[1L] * sqrt(sum(w^2)) / gamma
  modulus <- max(min(singular)^2 / gamma, 1e-300)
  length <- (pull + slope) / modulus # of the solution, at most
  u <- .unit_roundoff
  d <- ncol(M)
  u * ((n + d + 64) * slope + (d + 64) * (singular[1L]^2 / gamma * length + pull) +
    loss$curvature * row_bound^2 * (d + 6) * length)
}
