#' Gradient ADMM of one data holder or several
#'
#' `C` times the mean loss of all records plus a regulariser, `f(x) + g(y)` subject to `A x + B y
#' = c`, is minimised by one (noisy) gradient of f a step: that of one trusted curator who holds
#' all records, or the sum of those that several holders send. All steps have a closed form:
#'
#' * `y <- argmin g(y) + (rho/2) ||A x + B y - c + u||^2`, the proximal step of g;
#' * `x <- x - (eta/gamma) [grad f(x) + P + rho A'(A x + B y - c + u)]`, P the noise;
#' * `u <- u + A x + B y - c`, the scaled dual variable.
#'
#' `acc_admm()` takes these steps from points extrapolated with Nesterov's weights,
#' `x + ((theta_t - 1)/theta_(t+1)) (x - x_old)` and the same for u.
#'
#' In [dpadmm_fit()], leave `network` and `rho` out and give the regulariser as
#' `penalty` (a [penalty] or a [regulariser]). The fit holds, besides the usual, `y` and `u` (length
#' m) and `iterates`, a T x d matrix of x_1, ..., x_T. `trace$gap`
#' is the constraint residual `||A x + B y - c||`.
#'
#' # Settings of a private run
#' With a budget, what is left at `NULL` follows from public numbers, and the plan prints it. Let
#' `L_f = C c1 r^2` (c1 the loss's curvature, r the row bound), and nu the standard deviation, in
#' a coordinate, of all noise in the mean of the steps' gradients, over the bound of one record's:
#' for Gaussian noise `nu = (2/n) sqrt(sum_i z_i^2)`, whatever the number of steps, with z_i the
#' deviation that holder i's budget asks of one release of sensitivity 1; for pure noise and T
#' steps `(2/n) sqrt(T (d + 1) sum_i 1 / epsilon_i^2)`. A person's m records make z_i m times as
#' large.
#'
#' * The *time* of a run is how far its steps carry the model against a gradient that does not
#'   change, times `L_f`. The default is `t = q / sqrt(1 + d/q)`, `q = 0.3 / nu`: a later end would
#'   gather more noise, an earlier one leave more of the model to be found.
#' * A step `eta / gamma` is at most `1 / (L_f + rho ||A'A||)`. `iterations` is the least number of
#'   steps that take this time (about `4 sqrt(t)` of `acc_admm()` and `1.5 t` of `grad_admm()`,
#'   without a penalty), at least 10 unless the budget is pure, and at most 1000. With `iterations`
#'   of your own, `eta` is what takes this time, or the longest.
#' * `average = "weighted"`: accelerated iterates swing about what they look for, and gather noise
#'   as they do; a mean that gives the last of them most weight has less of both.
#' * `rho = 4 (L_f / ||A'A|| + lambda_2)`, lambda_2 the ridge in `penalty` (over the square of B's
#'   entries): with less, y follows x late and the constraint swings, or, with momentum and a
#'   strong ridge, diverges. Without a penalty, where y and u do nothing, 0.1 `L_f / ||A'A||`.
#'
#' Where t is short next to d, the signal must be in few directions to be found; the plan says what
#' to expect. 0.3, 0.1 and 4 were chosen on simulated records (`bench/gradient-defaults.R` of the
#' sources). Without noise, and with `noise` of a given size, `eta = 1 / L_f`, `rho = 1`,
#' `average = "last"` and 1000 or 50 iterations.
#'
#' # Privacy
#' What is released are the noisy gradients, and everything else is computed from them.
#' The gradient of one record has norm at most `c = L r`: L the loss's Lipschitz constant, r
#' the row bound, which is enforced. `clip` shortens each record's gradient to its norm
#' instead, which losses without a Lipschitz constant need. Replacing one record then moves
#' the mean gradient by at most `2 C c / n`, and T Gaussian releases are exactly one
#' Gaussian mechanism of `sqrt(T)` times that sensitivity (`accountant = "sound"`). The
#' printed rule, `sigma^2 = c^2 a T / (2 n^2 epsilon mu)` with
#' `a = log(1/delta) / ((1 - mu) epsilon) + 1`, is `accountant = "paper"`.
#'
#' # Several holders
#' With `nodes`, or `sizes` of a plan, each holder sends the sum of its own records' gradients,
#' weighted as in the mean over all records, with noise of its own, and a hub adds up what they
#' sent. Without noise that is the run on all records in one place. A record is at one holder, and
#' replacing it by another there moves that holder's gradient, and no other, by at most `2 C c /
#' n`, n the number of *all* records: so each holder's noise is as large as a curator's would be,
#' it hides the holder's records from everybody, the hub included, and the noise of N alike holders
#' that the model sees has `sqrt(N)` times the standard deviation. The guarantee is each holder's
#' own, for `epsilon` one number or one a holder; `fit$noise` has a row a holder. The printed rule
#' is about one curator. With `aggregation = "secure"` ([secure_sum()]) the hub sees the sum alone,
#' and its noise is about a curator's.
#'
#' With a seed the noise of a holder depends on its place among the nodes, and not on its name.
#'
#' @param eta step size (> 0), by default at most `1 / L_f` with `L_f = C c1 r^2`, the largest that
#'   the paper's Lemma 5 allows (c1 the loss's curvature, r the row bound). `NULL`, as for `rho`
#'   and `average`: see Settings of a private run.
#' @param rho penalty parameter of the augmented Lagrangian (> 0).
#' @param gamma proximal weight (> 0), by default the paper's bound
#'   `eta rho ||A'A|| + 1`, the norm found by power iterations. A smaller one is allowed,
#'   with a warning of class `dpadmm_warning_theorem`.
#' @param A the constraint's m x d matrix, dense or sparse, or a [regulariser]; by default
#'   the identity.
#' @param penalty g, see [penalty]; it can also be given to [dpadmm_fit()].
#' @param B diagonal m x m matrix, its diagonal, or one number (not 0); -1 by default.
#' @param c right hand side, length 1 or m; 0 by default.
#' @param init the start u_0. `"zero"`; `"noisy-gradient"`, `-(1/rho) (A')^+ (grad f(x_0) +
#'   P_0)`, charged as one more release; `"paper"`, the same without noise, which leaks: a
#'   warning of class `dpadmm_privacy_leak` and a line in the statement.
#' @param average what the coefficients are: the `"last"` iterate, the `"mean"` of x_1, ..., x_T
#'   (Theorem 2), or their `"weighted"` mean, x_t with weight t.
#' @param clip bound on the norm of one record's gradient (> 0), `NULL` for none.
#' @param mu split of epsilon in the printed rule, in `(0, 1)`; nothing else depends on it.
#' @param restart whether momentum starts anew when the residual
#'   `rho ||A x + B y - c||^2 + (gamma/eta) ||x - x-hat||^2` does not fall by 0.1%. Not in the
#'   paper: as printed, the accelerated iterates of a problem that is not strongly convex do
#'   not settle. They go on to swing about the optimum, no less for a smaller `eta` or for
#'   more iterations; the swing of the objective shrinks as `1/rho`, and so does the speed.
#'   To come as close to the optimum as [grad_admm()] does (a relative 1e-6 of the
#'   objective, say), restart; where momentum is still far from swinging, restarts slow it
#'   down. The residual is computed from released values, so a restart
#'   costs no privacy.
#' @param ... not used: an unknown argument is an error.
#' @return An object of class `dpadmm_method` for [dpadmm_fit()].
#' @source Xu, Shang, Liu, Liu, Shen and Gong (2020), Differentially private ADMM algorithms
#'   for machine learning, Algorithms 2 (`grad_admm()`) and 3 (`acc_admm()`). Goldstein,
#'   O'Donoghue, Setzer and Baraniuk (2014), Fast alternating direction optimization methods,
#'   Algorithm 8, for the restart.
#' @examples
#' x <- matrix(runif(2000), 500) / 2
#' y <- ifelse(x[, 1] + x[, 2] > 0.5, 1, -1)
#' dpadmm_fit(x, y,
#'   method = acc_admm(rho = 0.1), penalty = graph_guided(rbind(c(1, 2), c(3, 4)), 0.001),
#'   iterations = 30, epsilon = 1, delta = 1e-5, seed = 1, intercept = FALSE, rows = "shorten"
#' )
#' # three hospitals that show their records to nobody, before there is a record
#' dpadmm_plan(4,
#'   sizes = c(A = 2500, B = 4000, C = 3000), method = acc_admm(),
#'   epsilon = c(A = 1, B = 2, C = 1), delta = 1e-5
#' )
#' @name gradient
NULL

#' @rdname gradient
#' @export
grad_admm <- function(eta = NULL, rho = NULL, gamma = NULL, A = NULL, penalty = NULL, B = NULL,
                      c = NULL, init = c("zero", "noisy-gradient", "paper"),
                      average = NULL, clip = NULL, mu = 0.5, ...) {
  check_no_dots(...)
  gradient_method("grad_admm", "ADMM by gradients (DP-ADMM when private)", "Algorithm 2",
    eta, rho, gamma, A, penalty, B, c, init, average, clip, mu
  )
}

#' @rdname gradient
#' @export
acc_admm <- function(eta = NULL, rho = NULL, gamma = NULL, A = NULL, penalty = NULL, B = NULL,
                     c = NULL, init = c("zero", "noisy-gradient", "paper"),
                     average = NULL, clip = NULL, mu = 0.5, restart = FALSE, ...) {
  check_no_dots(...)
  gradient_method("acc_admm", "AccADMM by gradients (DP-AccADMM when private)", "Algorithm 3",
    eta, rho, gamma, A, penalty, B, c, init, average, clip, mu,
    restart = check_flag(restart, "restart")
  )
}

gradient_method <- function(name, title, algorithm, eta, rho, gamma, A, penalty, B, c, init,
                            average, clip, mu, restart = NULL) {
  positive <- function(x, argument) {
    if (is.null(x)) NULL else check_number(x, argument, lower = 0, open_lower = TRUE)
  }
  if (!is.null(A) && !inherits(A, "dpadmm_regulariser")) A <- check_matrix(A, "A")
  if (!is.null(penalty)) check_regulariser(penalty)
  if (!is.null(B)) B <- check_diagonal(B)
  if (!is.null(c)) {
    check_numbers(c, "c")
    c <- as.double(c)
  }
  out <- new_method(name, "split", title,
    paste("Xu, Shang, Liu, Liu, Shen and Gong (2020),", algorithm),
    eta = positive(eta, "eta"), rho = positive(rho, "rho"),
    gamma = positive(gamma, "gamma"), A = A, penalty = penalty, B = B, c = c,
    init = check_choice(init, c("zero", "noisy-gradient", "paper"), "init"),
    average = if (!is.null(average)) {
      check_choice(average, c("last", "mean", "weighted"), "average")
    },
    clip = positive(clip, "clip"),
    mu = check_number(mu, "mu", lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE),
    restart = restart
  )
  # A known A settles the lengths; else the fit does, with A the identity.
  A <- grad_admm_matrix(out)
  if (!is.null(A)) check_constraint(out$parameters, nrow(A))
  out
}

check_regulariser <- function(penalty) {
  if (!inherits(penalty, c("dpadmm_penalty", "dpadmm_regulariser"))) {
    abort("argument", sprintf(
      "`penalty` must be made by penalty_l1(), graph_guided() and the like, not %s.",
      kind_of(penalty)
    ), argument = "penalty")
  }
  penalty
}

#' The diagonal of B, without zeros.
#' @noRd
check_diagonal <- function(B) {
  if (is.matrix(B) || methods::is(B, "Matrix")) {
    if (nrow(B) != ncol(B)) {
      abort("shape", sprintf("`B` must be square, not %d x %d.", nrow(B), ncol(B)), argument = "B")
    }
    entries <- Matrix::diag(B)
    if (!isTRUE(all.equal(sum(abs(B)), sum(abs(entries)), tolerance = 0))) {
      abort("argument", "`B` must be diagonal: the step in y has a closed form only then.",
        argument = "B"
      )
    }
    B <- entries
  }
  check_numbers(B, "B")
  if (any(zero <- B == 0)) {
    abort("argument", sprintf("`B` is singular: its diagonal is 0 at %s.", where_first(zero)),
      argument = "B", value = 0, place = which(zero)[1L]
    )
  }
  as.double(B)
}

#' A as the method gives it, itself or in a regulariser; NULL for the identity.
#' @noRd
grad_admm_matrix <- function(method) {
  A <- method$parameters$A
  if (inherits(A, "dpadmm_regulariser")) return(A$A)
  penalty <- method$parameters$penalty
  if (is.null(A) && inherits(penalty, "dpadmm_regulariser")) return(penalty$A)
  A
}

check_constraint <- function(parameters, m) {
  for (name in c("B", "c")) {
    length <- length(parameters[[name]])
    if (length > 1L && length != m) {
      abort("shape", sprintf(
        "`%s` must have length 1 or %d (the rows of A), not %d.", name, m, length
      ), argument = name, value = length)
    }
  }
}

#' @noRd
#' @export
unused_arguments.dpadmm_family_split <- function(method) {
  c("rho", "lambda", "weights", "network")
}
