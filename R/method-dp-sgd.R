#' Private gradient methods: DP-SGD and DP-CD
#'
#' The baselines of [fp_admm()], and instances of [fixed_point()]. They minimise
#' `(1/n) sum_i L(y_i, x_i'u) + r(u)` with r the `penalty` of [dpadmm_fit()].
#'
#' * `dp_sgd()`: `u <- prox_{step r}(u - step (g + eta))`, where g is the sum of a random
#'   batch's gradients, each shortened to norm `clip`, over the (expected) batch size, and
#'   eta ~ N(0, sigma^2 I). Without a penalty this is Proposition 1, with it the proximal
#'   DP-SGD of the paper's experiment.
#' * `dp_cd()`: the same for one block of coordinates a step, `u_b <- prox_{step r}(u_b -
#'   step (g_b + eta_b))`, with g_b the block of the mean gradient over all records, each
#'   record's part shortened to norm `clip`: Proposition 2.
#'
#' In terms of [fixed_point()], `R(u) = u - (2 / beta) grad f(u)` and `lambda = step beta /
#' 2`. Any beta gives the same iteration; only `step <= 2 / beta`, with beta the smoothness
#' of the mean loss, makes R non-expansive, which the utility theory needs and privacy
#' does not.
#'
#' @section Several holders:
#' With `nodes`, or `sizes` of a plan, each holder sends the sum of its own records' gradients over
#' the (expected) batch size, with noise of its own, and a hub adds up what they sent: without
#' noise the run on all records in one place. One record moves its own holder's message by what it
#' would move a curator's, and no other, so that each holder's noise is of a curator's size, hides
#' its records from everybody, the hub included, and adds up: N alike holders have `sqrt(N)` times
#' the standard deviation. `epsilon` may be one a holder. A batch is drawn by each holder from its
#' own records, each of them on its own (`"poisson"`); one of a fixed size would be drawn from
#' all records, which nobody holds, and is an error. With `aggregation = "secure"` ([secure_sum()]),
#' for all records, the hub sees the sum alone, and its noise is about a curator's.
#'
#' @param step step size (> 0). `NULL`: 1; for `dp_sgd()` with a budget and all records in each
#'   step as in Settings of a private run of [gradient]: number and length of the steps from public
#'   numbers, with `L_f = c1 r^2`, so that `step` is at most `1 / L_f` and T steps take the time
#'   `T step L_f`. It has the cost of about `t` steps, where [acc_admm()] takes `4 sqrt(t)`.
#' @param batch expected (`"poisson"`) or exact (`"fixed"`) number of records a batch (>=
#'   1), or their share in (0, 1); `NULL`: all.
#' @param sampling `"poisson"`: each record on its own; `"fixed"`: a random subset of that
#'   size, of one holder only.
#' @param clip bound on the norm of a record's gradient (> 0); `NULL`: the loss's Lipschitz
#'   constant times `control$row_bound`.
#' @param neighbours the neighbouring relation of the guarantee. `"add-remove"`: a record's
#'   gradient is there or not, and the number of records n, by which sums are divided and
#'   from which the sampling rate and the noise follow, is a public constant. Runs on n and
#'   on n - 1 records divide by unlike numbers, tell more, and are not covered; protect n
#'   too, or use `"replace-one"`.
#' @param blocks number of equal blocks, or a vector that names each coordinate's block;
#'   `NULL`: each coordinate.
#' @param order which block moves: `"random"` or `"permutation"` (each once, in an order
#'   that is drawn again when it is through).
#' @param ... not used: an unknown argument is an error.
#' @return An object of class `dpadmm_method` for [dpadmm_fit()]. Its `iterations` are
#'   batches, or blocks; `noise` is `gaussian_noise(sigma)`.
#'
#'   Errors of class `dpadmm_error_argument` for settings outside their ranges.
#' @source Cyffers, Bellet and Basu (2023), Propositions 1 and 2; Abadi et al. (2016);
#'   Mangold et al. (2022).
#' @examples
#' lasso <- sim_lasso(n = 300, seed = 1)
#' dpadmm_fit(lasso$x, lasso$y,
#'   method = dp_sgd(step = 2, batch = 30, clip = 0.5), loss = "squared",
#'   penalty = penalty_l1(0.002), iterations = 50, noise = gaussian_noise(0.05), delta = 1e-6,
#'   seed = 1, intercept = FALSE
#' )
#' @export
dp_sgd <- function(step = NULL, batch = NULL, sampling = c("poisson", "fixed"), clip = NULL,
                   neighbours = c("replace-one", "add-remove"), ...) {
  check_no_dots(...)
  if (!is.null(step)) check_number(step, "step", lower = 0, open_lower = TRUE)
  sampling <- check_choice(sampling, c("poisson", "fixed"), "sampling")
  neighbours <- check_choice(neighbours, c("replace-one", "add-remove"), "neighbours")
  if (!is.null(clip)) check_number(clip, "clip", lower = 0, open_lower = TRUE)
  if (!is.null(batch)) {
    check_number(batch, "batch", lower = 0, open_lower = TRUE)
    if (sampling == "fixed" && neighbours == "add-remove") {
      abort("argument", "Fixed-size batches have no guarantee for add-remove neighbours.",
        argument = "neighbours")
    }
  }
  new_method("dp_sgd", "descent", "DP-SGD",
    "Cyffers, Bellet and Basu (2023), Proposition 1",
    step = step, batch = batch, sampling = sampling, clip = clip, neighbours = neighbours
  )
}

#' @rdname dp_sgd
#' @export
dp_cd <- function(step = 1, blocks = NULL, order = c("random", "permutation"), clip = NULL,
                  neighbours = c("replace-one", "add-remove"), ...) {
  check_no_dots(...)
  check_number(step, "step", lower = 0, open_lower = TRUE)
  order <- check_choice(order, c("random", "permutation"), "order")
  neighbours <- check_choice(neighbours, c("replace-one", "add-remove"), "neighbours")
  if (!is.null(clip)) check_number(clip, "clip", lower = 0, open_lower = TRUE)
  new_method("dp_cd", "descent", "DP-CD",
    "Cyffers, Bellet and Basu (2023), Proposition 2",
    step = step, blocks = blocks, order = order, clip = clip, neighbours = neighbours
  )
}

#' @noRd
#' @export
unused_arguments.dpadmm_family_descent <- function(method) {
  c("C", "rho", "lambda", "weights", "network")
}
