#' Measure the privacy of a release
#'
#' Runs something that releases noisy values many times on two neighbouring data sets and
#' turns how well the two can be told apart into a lower confidence bound on epsilon.
#' A bound above a claimed epsilon refutes the claim (up to the confidence); a bound below
#' it proves nothing, since other data, or a better test, might tell more.
#'
#' @section What is computed:
#' Half of the runs choose a test: a score of the released values and a threshold. The
#' other half count how often the score is beyond it, x1 of n on the one data set and x2 of
#' n on the other. Each proportion gets a one-sided Clopper-Pearson bound, `p` from below
#' and `q` from above, that is wrong with probability at most `(1 - confidence) / 2`. As
#' the test was fixed before these runs were looked at, nothing else need be corrected for.
#'
#' * `bound = "clopper-pearson"`: (epsilon, delta)-privacy implies `p <= exp(epsilon) q +
#'   delta`, hence `epsilon >= log((p - delta) / q)`. Valid for every mechanism.
#' * `bound = "gaussian"`: a mechanism that is mu-GDP, no easier to tell apart than
#'   N(0, 1) from N(mu, 1), has `mu >= qnorm(p) - qnorm(q)`. This bound on mu is valid for
#'   every mechanism. The epsilon reported is that of the Gaussian mechanism with this mu:
#'   it is one of the release only where the release is as hard to tell apart as a Gaussian
#'   mechanism at every threshold (Gaussian noise, many releases), so it refutes claims
#'   whose events are Gaussian without sampling, and is a guess about others. It sees a
#'   given epsilon with far fewer runs at small delta, see [audit_runs()].
#'
#' The score is, by default, linear in the released values, with the weights of Fisher's
#' discriminant learned on the first half (shrunk by cross-validation when there are many
#' values): the log likelihood ratio of Gaussian releases. For others, `statistic` may
#' be better: any function of the released values.
#'
#' @section What a release may be:
#' A function of a data set that returns a vector (or a number, an array, or a list with a
#' numeric `statistic`); or a fit of [dpadmm_fit()], whose messages are then the released
#' values (`iterates` if it keeps them, else its coefficients; and who sent when), with one
#' number for all that it says without noise (classes, levels, sizes: another number for another
#' blueprint); or [fit_release()], which works out a fit's plan and noise once and not in every
#' run, and whose last bits are looked at too, see [low_bits()]; or [site_release()], a fit over
#' sites, all of whose answers are seen.
#'
#' @param release see above.
#' @param data1,data2 neighbouring data sets, given to `release` as they are. See
#'   [worst_case_neighbours()].
#' @param runs number of runs on each (>= 20), half of which choose the test.
#' @param delta delta of the reported epsilon, in `[0, 1)`; `> 0` for
#'   `bound = "gaussian"`.
#' @param confidence probability with which the lower bound holds, in (0, 1).
#' @param bound see above.
#' @param statistic `NULL`, or a function of the released values that returns one number.
#' @param claim what is promised: an epsilon (at `delta`), events (see [dp_event]), a
#'   statement ([privacy()]), a private fit, or a function of delta. For
#'   [fit_release()] and [site_release()] by default their own sound guarantee.
#' @param seed `NULL`: noise from the operating system. Or a whole number: every run gets
#'   a seed of its own, made from this one: as argument `seed` if `release` has one, else
#'   by seeding R's generator for the time of the run. Results are then reproducible, for
#'   any number of workers (of [fit_release()] where who takes part is random: with its `seed`).
#' @param workers number of processes that share the runs (>= 1); more than one need package
#'   mirai. They get the objects of the global environment that `release` uses.
#' @param progress show a progress bar.
#' @return An object of class `dpadmm_audit`: a list with
#'   * `epsilon`, the lower bound (0 when nothing was seen), its `delta`, `confidence`
#'     and `bound`; for the Gaussian bound `mu`;
#'   * `claimed`, the promised epsilon at `delta` (`NULL`: none), and `exceeds`, whether
#'     the bound is above it;
#'   * `test`: the `threshold`, the `side` it was crossed to, the data set (`from`) that
#'     crosses it more often, both counts, and `rates`, the bounds `p` and `q`;
#'   * `roc`: over all thresholds, the shares of the held-out runs on `data2` (`fpr`) above
#'     it and on `data1` (`fnr`) not above it;
#'   * `runs`, `weights` (of the linear score), `claim`.
#'
#'   Errors: `dpadmm_error_argument` for settings out of range, `dpadmm_error_operator` for
#'   a release or statistic that does not return numbers, `dpadmm_error_shape` when the
#'   number of released values changes between runs, `dpadmm_error_finite` when one is not
#'   finite.
#' @source The Clopper-Pearson audit: Jagielski, Ullman and Oprea (2020), Auditing
#'   differentially private machine learning. The Gaussian one: Nasr et al. (2023), Tight
#'   auditing of differentially private machine learning; Dong, Roth and Su (2022), Gaussian
#'   differential privacy.
#' @seealso [audit_exact()] where the law of the release is known, [plot.dpadmm_audit()],
#'   `vignette("how-private")`.
#' @examples
#' # a sum of three numbers in [-1, 1], meant to be (1, 1e-5)-private, with half the noise
#' sigma <- gaussian_sigma(1, 1e-5, sensitivity = 2)
#' broken <- function(data) sum(data) + rnorm(1, sd = sigma / 2)
#' audit(broken, c(1, 0, 0), c(-1, 0, 0), runs = 2000, bound = "gaussian", claim = 1, seed = 1)
#' @export
audit <- function(release, data1, data2, runs = 1000, delta = 1e-5, confidence = 0.95,
                  bound = c("clopper-pearson", "gaussian"), statistic = NULL, claim = NULL,
                  seed = NULL, workers = 1, progress = interactive()) {
  if (!is.function(release)) {
    abort("argument",
      sprintf("`release` must be a function of a data set, not %s.", kind_of(release)),
      argument = "release"
    )
  }
  if (missing(data1) || missing(data2)) {
    abort("argument", "`data1` and `data2` are needed: two neighbouring data sets.",
      argument = if (missing(data1)) "data1" else "data2"
    )
  }
  check_number(runs, "runs", lower = 20, upper = 2^20, whole = TRUE)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  check_number(confidence, "confidence", lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
  bound <- check_choice(bound, c("clopper-pearson", "gaussian"), "bound")
  if (bound == "gaussian" && delta == 0) {
    abort("argument", "The Gaussian bound needs `delta` > 0.", argument = "delta", value = 0)
  }
  if (!is.null(statistic) && !is.function(statistic)) {
    abort("argument",
      sprintf("`statistic` must be a function of the released values, not %s.", kind_of(statistic)),
      argument = "statistic"
    )
  }
  seed <- check_seed(seed)
  check_workers(workers)
  check_flag(progress, "progress")
  settled <- !is.null(attr(release, "settle"))
  if (is.null(claim) && settled) claim <- release_claim(release, data1)
  claim <- as_claim(claim, delta)

  values <- audit_runs_of(release, data1, data2, runs, statistic, seed, workers, progress)
  if (inherits(release, "dpadmm_release") && is.null(statistic)) {
    values <- with_low_bits(values, release, data1, data2)
  }
  out <- audit_of_values(values, delta, confidence, bound)
  out$claimed <- claim$epsilon
  out$claim <- claim
  out$exceeds <- if (!is.null(claim)) out$epsilon > claim$epsilon
  out
}

#' The lower bound from the values of the runs on both data sets: half of them choose the test,
#' the others are counted.
#' @noRd
audit_of_values <- function(values, delta, confidence, bound) {
  runs <- nrow(values[[1L]])
  learn <- seq_len(runs %/% 2L)
  level <- (1 - confidence) / 2
  score <- (if (ncol(values[[1L]]) == 1L) plain_score else linear_score)(values, learn)
  chosen <- choose_test(score$learned, level, delta, bound)
  held <- lapply(score$all, `[`, -learn)
  test <- count_test(chosen, held, level)
  structure(list(
    epsilon = rates_epsilon(test$rates, delta, bound), delta = delta, confidence = confidence,
    bound = bound, mu = if (bound == "gaussian") max(0, rates_mu(test$rates)), test = test,
    roc = empirical_roc(held), runs = runs, weights = score$weights
  ), class = "dpadmm_audit")
}

#' A claim as the epsilon at delta, a function of delta where there is one, and words.
#' @noRd
as_claim <- function(claim, delta) {
  if (is.null(claim)) return(NULL)
  if (inherits(claim, "dpadmm_fit")) {
    if (!claim$plan$private) return(NULL)
    claim <- claim$events
  }
  if (inherits(claim, "dp_events")) {
    events <- claim
    claim <- function(delta) {
      vapply(delta, function(d) account(events, d)$epsilon, 0)
    }
  }
  if (inherits(claim, c("dpadmm_privacy", "dp_guarantee"))) {
    if (claim$delta > delta) {
      abort("argument", sprintf(
        "The claim is for delta = %g, and says nothing of delta = %g.", claim$delta, delta
      ), argument = "claim", value = claim$delta)
    }
    if (is.infinite(claim$epsilon)) return(NULL)
    at <- data.frame(delta = claim$delta, epsilon = claim$epsilon)
    return(list(epsilon = claim$epsilon, at = at))
  }
  if (is.function(claim)) {
    epsilon <- check_number(claim(delta), "claim", lower = 0)
    return(list(epsilon = epsilon, curve = claim))
  }
  epsilon <- check_number(claim, "claim", lower = 0)
  list(epsilon = epsilon, at = data.frame(delta = delta, epsilon = epsilon))
}

#' Pairs of delta and epsilon that a claim makes, for a picture.
#' @noRd
claimed_curve <- function(claim, delta) {
  if (is.null(claim)) return(NULL)
  if (!is.null(claim$at)) return(claim$at)
  epsilon <- vapply(delta, function(d) {
    tryCatch(claim$curve(d), dpadmm_error_accountant = function(e) NA_real_)
  }, 0)
  data.frame(delta = delta, epsilon = epsilon)[is.finite(epsilon), ]
}
