#' Accounting with privacy loss distributions
#'
#' The privacy loss of a mechanism is the log-ratio of its output's densities under the
#' two neighbours; over several mechanisms it adds, and
#' \eqn{\delta(\epsilon) = E(1 - e^{\epsilon - L})_+} is the whole privacy profile. Here
#' every loss is put on a grid, the distributions are convolved, by FFT unless they have
#' but a few atoms, and the result
#' is a bracket: the smallest epsilon (or delta) that could be proved lies between
#' `lower` and `upper`, and `upper` is proved.
#'
#' How the bracket is kept sound:
#' - *Upper.* The mass of each grid cell goes to its two ends so that the masses under
#'   both neighbours are kept ("connecting the dots", Doroshenko et al. 2022). The
#'   original is a randomised function of the result, so the result is no more private
#'   than the original; its error is of second order in the step.
#' - *Lower.* The mass of each cell is merged into one atom, and parts of neighbouring
#'   atoms are merged further so that the results lie on the grid: a randomised function
#'   of the original, hence at least as private.
#' - Before convolving, masses are weighted by \eqn{e^{\theta L}}, with \eqn{1 + \theta}
#'   near the best Renyi order, so deltas far below the rounding of the FFT come out
#'   with their digits. What wraps around the grid is bounded by Chernoff's inequality,
#'   the rounding of the transforms by their norms; both are added to the upper delta
#'   and taken from the lower. Tails cut off are an infinite loss above.
#' - Neighbours of unlike roles (a record added or removed) are composed apart, and the
#'   larger counts.
#'
#' Poisson sampling with replace-one neighbours and fixed-size sampling use the pairs
#' given in [rdp_subsampled_gaussian()]; Gamma-norm noise on the output that of Theorem 5 of
#' `vignette("privacy-accounting")`. For fixed-size sampling no single pair attains
#' the bound, so there the lower end belongs to the worst single pair known and the
#' bracket does not shrink to a point.
#'
#' @param events a table of events, see [dp_event]. A record sits at one node: the
#'   result is the largest over nodes. Gaussian noise in an objective has no known loss
#'   distribution and is an error of class `dpadmm_error_accountant`; Gamma-norm noise in
#'   an objective counts as a pure mechanism of its loss.
#' @param delta in (0, 1).
#' @param epsilon at least 0.
#' @param step the grid's step; `NULL` chooses one for a bracket of a few tenths of a
#'   percent of epsilon, up to 2% for a few pure releases at a large delta. Halving it
#'   quarters the width, until rounding takes over.
#' @return `c(lower = , upper = )`. An upper epsilon beyond the range of numbers is an
#'   error of class `dpadmm_error_accountant`.
#' @references Koskela, A., Jälkö, J. and Honkela, A. (2020). Computing tight
#'   differential privacy guarantees using FFT. *AISTATS*.
#'
#'   Doroshenko, V., Ghazi, B., Kamath, P., Kumar, R. and Manurangsi, P. (2022). Connect
#'   the dots: tighter discrete approximations of privacy loss distributions. *PoPETs*.
#' @examples
#' steps <- rep(dp_event_subsampled_gaussian(
#'   sigma = 0.7, sensitivity = 1, q = 0.01, neighbours = "add-remove"
#' ), 120)
#' pld_epsilon(steps, delta = 1e-5)
#' pld_delta(steps, epsilon = 2)
#' @export
pld_epsilon <- function(events, delta, step = NULL) {
  check_releases(events, "events", "dp_events")
  check_number(delta, "delta", lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
  pld_bracket(events, step, "epsilon", log(delta))
}

#' @rdname pld_epsilon
#' @export
pld_delta <- function(events, epsilon, step = NULL) {
  check_releases(events, "events", "dp_events")
  check_number(epsilon, "epsilon", lower = 0)
  pld_bracket(events, step, "delta", epsilon)
}

pld_bracket <- function(events, step, want, at) {
  if (!is.null(step)) check_number(step, "step", lower = 0, open_lower = TRUE)
  one_relation(events)
  books <- open_books(events)
  check_handled(books$kinds, pld_handles(books$kinds), "pld")
  kinds <- pld_kinds(books$kinds)
  brackets <- vapply(books$ledgers, function(ledger) {
    pld_ledger(kinds, ledger, want, at, step)
  }, c(lower = 0, upper = 0))
  bracket <- apply(brackets, 1L, max)
  if (!is.finite(bracket[["upper"]])) {
    abort("accountant", 'The "pld" accountant finds no finite epsilon for these events.',
      argument = "events"
    )
  }
  bracket
}

# A release as the curves take it (see privacy-curve-bins.R), seen from one side: `direction`
# is "remove" or "add" (which of two unlike neighbours is the first), `end` of the bracket.
# NULL: it loses nothing. Gaussian releases are not among them: they add up to one.
.pld_releases <- list(
  pure = function(e, direction, end) if (e$epsilon > 0) list(pure = e$epsilon),
  laplace = function(e, direction, end) gamma_release(round_up(e$sensitivity / e$b), 1),
  gamma = function(e, direction, end) gamma_release(round_up(e$alpha * e$sensitivity), e$dim),
  subsampled_gaussian = function(e, direction, end) {
    s <- e$sigma / e$sensitivity
    if (is.finite(s)) list(bins = sampled_bins(e, s, direction, end))
  }
)

# The loss of randomised response that a release costs no less than, `NA`: of none.
.pld_least <- list(
  pure = function(e) e$epsilon,
  laplace = function(e) gamma_bits(e$sensitivity / e$b, rep(1, length(e$b))),
  gamma = function(e) gamma_bits(e$alpha * e$sensitivity, floor(e$dim)),
  gaussian = function(e) NA_real_,
  subsampled_gaussian = function(e) NA_real_
)

gamma_bits <- function(shift, dim) core_call(.Call(ffi_gamma_bits, shift, dim))

# what it knows only a pure loss of
.pld_by_loss <- "objective_gamma"

accountant_pld <- function() {
  list(
    fold = account_pld, handles = pld_handles, needs_delta = TRUE,
    # where all there is are pure losses, this is pure composition again
    serves_best = function(kinds) any(!(kinds$mechanism %in% c("pure", .pld_by_loss))),
    exact = FALSE, speed = "slow",
    least = function(kinds, ledgers, delta) {
      pure_floor(by_mechanism(pld_kinds(kinds), .pld_least), ledgers, delta)
    },
    composes = "privacy loss distributions by FFT, see [pld_epsilon()]",
    needs = "anything but Gaussian noise in an objective"
  )
}

pld_handles <- function(kinds) {
  is_gaussian(kinds) | kinds$mechanism %in% c(names(.pld_releases), .pld_by_loss)
}

#' Kinds as this accountant takes them: what it knows only a pure loss of becomes a pure
#' mechanism.
#' @noRd
pld_kinds <- function(kinds) {
  own <- which(kinds$mechanism %in% .pld_by_loss)
  if (is.null(kinds$epsilon)) kinds$epsilon <- NA_real_
  kinds$epsilon[own] <- by_mechanism(pick_releases(kinds, own), .pure_losses)
  kinds$mechanism[own] <- "pure"
  kinds
}

#' Rows of kinds and counts as releases.
#' @noRd
pld_releases <- function(rows, direction, end) {
  releases <- list()
  plain <- is_gaussian(rows)
  columns <- unclass(rows)
  mu <- sqrt(sum(((rows$sensitivity / rows$sigma)^2 * rows$count)[plain]))
  if (mu > 0) releases <- list(list(bins = gaussian_bins("remove", 1, 1 / mu), count = 1))
  for (i in which(!plain)) {
    e <- lapply(columns, `[[`, i)
    release <- .pld_releases[[e$mechanism]](e, direction, end)
    if (!is.null(release)) releases <- c(releases, list(c(release, count = e$count)))
  }
  releases
}

sampled_bins <- function(e, s, direction, end) {
  if (e$sampling == "poisson") {
    replace <- e$neighbours == "replace-one"
    if (replace) gaussian_bins("replace", e$q, 2 * s) else gaussian_bins(direction, e$q, s)
  } else {
    if (e$neighbours == "add-remove") sampled_kinds(e$q, s, "fixed", "add-remove") # its error
    if (end == "upper") fixed_size_bins(e$q, s) else gaussian_bins("remove", e$q, s)
  }
}

#' The bracket of one ledger, or, where `upper` says so, that end alone (the lower is 0 then). The
#' weight exp(theta * loss) and the step that Renyi accounting suggests are not always what the
#' answer needs: while rounding or the step is a visible part of the upper end, they are taken from
#' the answer so far. The lower end has no say in it, so that the upper is the same without it.
#' @param kinds of pld_kinds().
#' @noRd
pld_ledger <- function(kinds, ledger, want, at, step, upper = FALSE) {
  rows <- pick_releases(kinds, ledger$kind)
  rows$count <- ledger$count
  two_sided <- any(rows$neighbours == "add-remove" & rows$q < 1, na.rm = TRUE)
  directions <- c("remove", if (two_sided) "add")
  curve <- rdp_total(rows, rows$count)
  ends <- c(if (!upper) "lower", "upper")
  sides <- lapply(stats::setNames(nm = ends), function(end) {
    lapply(directions, function(direction) pld_releases(rows, direction, end))
  })
  if (length(sides$upper[[1L]]) == 0L) return(c(lower = 0, upper = 0))
  plan <- pld_plan(curve, sides$upper[[1L]], want, at, step)
  bracket <- c(lower = 0, upper = plan$bound)
  # Outputs that many standard deviations apart are beyond the grid of doubles.
  apart <- rows$sensitivity / rows$sigma * sqrt(rows$count)
  if (any(apart > 1e8, na.rm = TRUE)) return(bracket)
  for (round in 1:4) {
    ends <- lapply(stats::setNames(nm = names(sides)), function(end) {
      found <- vapply(sides[[end]], pld_solve, c(answer = 0, rounding = 0, step = 0),
        plan = plan, want = want, at = at, end = end
      )
      found[, which.max(found["answer", ])]
    })
    before <- bracket[["upper"]]
    bracket <- c(
      lower = max(bracket[["lower"]], ends$lower["answer"]),
      upper = min(before, ends$upper[["answer"]])
    )
    upper <- bracket[["upper"]]
    if (want == "delta" || !is.finite(upper) || upper == 0) break
    coarse <- !plan$fixed && ends$upper[["step"]] <= plan$h && plan$tolerance > 0.005 * upper
    if (ends$upper[["rounding"]] <= 0.02 * upper && !coarse) break
    if (round > 1L && upper > 0.9 * before) break
    plan <- pld_plan(curve, sides$upper[[1L]], "delta", upper, step)
  }
  # Rounding can cross the ends of an exact bracket.
  c(lower = min(bracket), upper = max(bracket))
}

#' Of very many ledgers those that are nearly alike share an upper end, and only the largest has a
#' lower one.
#' @noRd
account_pld <- function(kinds, ledgers, delta, how) {
  kinds <- pld_kinds(kinds)
  alike <- alike_ledgers(ledgers, pld_sizes(kinds), row_kind(kinds[c("mechanism", "dim")]), how)
  brackets <- function(ledgers, upper) {
    vapply(ledgers, pld_ledger, c(lower = 0, upper = 0),
      kinds = kinds, want = "epsilon", at = log(delta), step = NULL, upper = upper
    )
  }
  if (!anyDuplicated(alike$group)) {
    ends <- brackets(ledgers, isTRUE(how$upper))
    return(list(epsilon = ends["upper", ], lower = ends["lower", ]))
  }
  upper <- brackets(alike$most, TRUE)["upper", ]
  lower <- rep(NA_real_, length(upper))
  worst <- which.max(upper)
  if (!isTRUE(how$upper)) lower[worst] <- brackets(alike$least[worst], FALSE)["lower", ]
  list(epsilon = upper[alike$group], lower = lower[alike$group])
}

#' The number that kinds which alike_ledgers() compares are known by.
#' @noRd
pld_sizes <- function(kinds) {
  size <- rep(NA_real_, nrow(kinds))
  for (own in each_mechanism(kinds)) {
    if (own$name %in% c("pure", "laplace", "gamma")) {
      size[own$rows] <- .pure_losses[[own$name]](own$columns)
    }
  }
  size
}
