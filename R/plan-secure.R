# Secure sums: where a method needs the sum of what holders send and nothing else, each hides its
# message from everybody, and the noise of the sum is shared among them. A message is whole numbers
# of steps of a public grid, and so is each holder's part of the noise: their sum is exact, and the
# same in any order (vignette "privacy-accounting", section 7.7).

#' Sums that nobody sees the parts of
#'
#' [grad_admm()], [acc_admm()], [dp_sgd()] (all records a step), [dp_cd()], and [fp_admm()] with
#' aggregate noise, need the *sum* of what holders of records send. With `aggregation = "secure"` of
#' [dpadmm_fit()] and [dpadmm_plan()] nothing but that sum is seen, and the holders share its noise:
#' it is about that of a trusted curator who holds all records, however many holders there are.
#' With `"plain"` sums each holder hides its own records by noise of its own, and the sum has the
#' noise of all.
#'
#' Each holder rounds its message to a grid that is part of the plan, and adds discrete Gaussian
#' noise (in whole numbers, exactly) of `sigma / sqrt(honest)`, so that the noise of any `honest`
#' holders is that of the statement, `sigma`; what is released is the sum of these whole numbers.
#' `noise` and `fit$noise` are `sigma`, in units of the sum of gradients, or of [fp_admm()]'s mean.
#' All holders together draw `sqrt(N / honest)` times as much.
#'
#' With `inference = TRUE` the matrices for it are sums as well, in a unit in which the same parts
#' of noise hide them; each failed attempt has to be paid for as if it were one of a whole matrix.
#'
#' In one process the same whole numbers are summed in the open, which is a simulation, as the
#' statement says. It holds for the records of holders that follow the protocol, against everybody
#' else with all that the others know: `N - honest` holders may leave out their noise, or tell
#' it. An epsilon for each holder is met by the noise of the most careful one.
#'
#' Over sites, a sum to which one of them does not contribute cannot be opened. It is asked for
#' again, with new noise; but who collects messages may have opened the first, too. So each attempt
#' is charged as a release, and a plan has room for a stated number of `failures`, which are charged
#' whether or not they happen.
#'
#' @param honest how many holders of those in a sum at least follow the protocol and do not tell
#'   their noise (at least 2); `NULL`: all but one. A holder that looks at the sums knows its own
#'   noise: it is one of the others.
#' @param failures how many attempts at a sum may fail in a run (>= 0); `NULL`: as many as holders
#'   that need not be honest.
#' @param ... not used: an unknown argument is an error.
#' @return An object of class `dpadmm_secure_sum`, for `aggregation`. `"secure"` is `secure_sum()`.
#'
#'   Plans are refused (`dpadmm_error_argument`) with fewer than 3 holders, with `honest` below 2
#'   or above their number, by methods that need each message (those on a graph, [fp_admm()] with
#'   block noise), for random batches (a second attempt would tell more of the same batch), and
#'   without noise; `dpadmm_error_accountant` for noise that is not Gaussian.
#' @references
#' Kairouz, Liu and Steinke (2021). The distributed discrete Gaussian mechanism for federated
#' learning with secure aggregation. *ICML*. \doi{10.48550/arXiv.2102.06387}
#' @seealso [dpadmm_plan()], [sites].
#' @examples
#' sizes <- rep(200, 20)
#' plan <- dpadmm_plan(5, sizes, method = acc_admm(), epsilon = 1, delta = 1e-5,
#'   aggregation = secure_sum(honest = 15))
#' plan
#' # noise of the model, against that of plain sums
#' alone <- update(plan, aggregation = "plain")
#' plan$expected$noise / alone$expected$noise
#' @export
secure_sum <- function(honest = NULL, failures = NULL, ...) {
  check_no_dots(...)
  if (!is.null(honest)) check_number(honest, "honest", lower = 2, whole = TRUE)
  if (!is.null(failures)) {
    check_number(failures, "failures", lower = 0, upper = 1e6, whole = TRUE)
  }
  structure(list(honest = honest, failures = failures), class = "dpadmm_secure_sum")
}

#' @export
print.dpadmm_secure_sum <- function(x, ...) {
  check_no_dots(...)
  or <- function(value, otherwise) if (is.null(value)) otherwise else format(value)
  cat(sprintf("<dpadmm_secure_sum: %s honest holders, room for %s failed attempts>\n",
    or(x$honest, "all but one"), or(x$failures, "as many as others")))
  invisible(x)
}

#' @return a dpadmm_secure_sum; NULL: sums are plain.
#' @noRd
check_aggregation <- function(aggregation) {
  if (inherits(aggregation, "dpadmm_secure_sum")) return(aggregation)
  if (check_choice(aggregation, c("plain", "secure"), "aggregation") == "secure") secure_sum()
}

# ---- plans -------------------------------------------------------------------------------

#' Whether only the sum of what parties send is to be seen.
#' @noRd
is_secure <- function(plan) !is.null(plan$secure)

#' What a plan for these holders has of it: list(honest, failures), NULL: sums are plain.
#' @noRd
secure_of <- function(asked, method, problem, budget, control) {
  if (is.null(asked)) return(NULL)
  refuse <- function(..., argument = "aggregation") {
    abort("argument", sprintf(...), argument = argument)
  }
  p <- method$parameters
  if (on_graph(method)) refuse("%s needs each message, and not only a sum of them.", method$title)
  if (identical(p$noise, "block")) {
    refuse('Block noise is on each message: a secure sum needs fp_admm(noise = "aggregate").')
  }
  if (problem$N < 3L) {
    refuse("A secure sum needs at least 3 holders, each with its own records, not %d.", problem$N)
  }
  honest <- if (is.null(asked$honest)) problem$N - 1L else asked$honest
  if (honest > problem$N) {
    refuse("`honest` = %g, and there are only %d holders.", honest, problem$N, argument = "honest")
  }
  if (!budget$private) refuse("A sum without noise tells of records, however it is formed.")
  if (noise_mechanism(budget$mechanism)$pure) {
    abort("accountant", "The holders of a secure sum share Gaussian noise: it needs `delta` > 0.",
      argument = if (budget$delta > 0) "noise" else "delta"
    )
  }
  if (control$accountant == "paper") {
    refuse("Of secure sums only accountant = \"sound\" has a guarantee.", argument = "accountant")
  }
  if (identical(p$init, "paper")) {
    refuse('The start of init = "paper" has no noise: use "zero" or "noisy-gradient".')
  }
  failures <- if (is.null(asked$failures)) problem$N - honest else asked$failures
  list(honest = as.integer(honest), failures = as.integer(failures))
}

#' A draft whose sums are secure.
#' @noRd
with_secure <- function(draft, secure) {
  if (is.null(secure)) return(draft)
  if (!is.null(draft$batch)) {
    abort("argument", paste(
      "A second attempt at a secure sum would tell more of the same batch, which nobody has",
      "accounted for: use all records (batch = NULL)."
    ), argument = "batch")
  }
  N <- draft$problem$N
  others <- N - secure$honest
  draft$secure <- secure
  draft$updates <- 1L
  draft$shapes <- character()
  rounds <- length(all_rules(draft)) + identical(draft$init, "noisy-gradient")
  draft$sends <- rounds + secure$failures
  draft$words$sees <- sprintf("Whoever sees every sum, and the model%s,", if (others == 1L) {
    ", with all that any one other holder knows"
  } else if (others > 1L) {
    sprintf(", with all that any %d other holders know", others)
  } else {
    ""
  })
  draft$words$bound <- c(draft$words$bound, sprintf(
    "It holds if at least %d of the %d holders follow the protocol, for their records.",
    secure$honest, N
  ))
  draft
}

#' Releases with room for attempts that fail, at the sum whose release costs most (of a matrix that
#' is sent in pieces, one attempt at a piece costs no more than the matrix).
#' @noRd
with_attempts <- function(plan, releases) {
  failures <- plan$secure$failures
  if (is.null(failures) || failures == 0L) return(releases)
  worst <- order(releases$node, -releases$sensitivity / releases$weight, releases$iteration)
  again <- pick_releases(releases, worst[!duplicated(releases$node[worst])])
  again$iteration <- rep(min(releases$iteration), nrow(again)) # the first sum may be the one
  again$count <- again$count * failures
  columns <- stats::setNames(nm = names(releases))
  as_releases(lapply(columns, function(name) c(releases[[name]], again[[name]])), character())
}

#' The same unit for all: the largest, as a matrix with a row a party.
#' @noRd
shared_unit <- function(plan, unit) {
  if (!is_secure(plan)) unit else matrix(max(unit), nrow(unit), ncol(unit))
}

#' A plan whose releases have shared noise of this unit.
#' @param over what the sum is divided by.
#' @noRd
share_unit <- function(plan, unit, over = 1) {
  sigma <- unit[1L]
  drawn <- sigma * sqrt(plan$problem$N / plan$secure$honest) # where nobody leaves any out
  plan$unit <- unit
  plan$noise <- sigma
  plan$scales <- secure_scales(plan, drawn)
  plan$moment_scales <- moment_scales(plan, unit[, 1L])
  plan$secure[c("grid", "steps")] <- secure_grid(sigma * over, plan$secure$honest)
  plan$words$released <- sprintf("%d sums%s, each with Gaussian noise that the holders share",
    as.integer(plan$sends), if (plan$secure$failures > 0L) {
      sprintf(" (%d of them for attempts that may fail)", plan$secure$failures)
    } else {
      ""
    }
  )
  plan
}

#' For the forecast: nobody draws these.
#' @noRd
secure_scales <- function(plan, sd) {
  if (inherits(plan$method, "dpadmm_family_server")) return(list(server = sd))
  start <- if (identical(plan$init, "noisy-gradient")) sd else 0
  list(gradient = matrix(sd, 1L, plan$iterations), start = start)
}

#' The grid of a sum with noise sigma: between 2^40 and 2^41 steps of it are a sigma; and the scale
#' of a party's noise in these steps, whole.
#' @noRd
secure_grid <- function(sigma, honest) {
  grid <- 2^(floor(log2(sigma)) - 40)
  if (sigma < 2^40 * grid) grid <- grid / 2 # log2() is rounded
  list(grid = grid, steps = ceiling(sigma / grid / sqrt(honest) * (1 + 2^-50)))
}

#' How far the sum of `honest` discrete Gaussians of this scale is from one, as a bound on twice the
#' oscillation of the logarithm of their ratio: tau of Kairouz, Liu and Steinke (2021, Proposition
#' 14), rounded up.
#' @noRd
shares_gap <- function(steps, honest) {
  k <- seq_len(max(honest - 1, 0))
  10 * (1 + 2^-40) * sum(exp(-2 * pi^2 * steps^2 * (k / (k + 1)))) + .Machine$double.xmin
}

#' What that adds to a release's sensitivity, a half of it.
#' @noRd
shares_slop <- function(plan, noise = plan$noise, entries = plan$problem$d) {
  if (!is_secure(plan)) return(0)
  shares_gap(plan$secure$steps, plan$secure$honest) * sqrt(entries) * noise / 2
}

#' The sum must be one of the numbers -2^63, ..., 2^63 - 1 whatever the records and the noise are.
#' @noRd
check_secure_range <- function(plan) {
  secure <- plan$secure
  if (is.null(secure)) return(invisible())
  N <- plan$problem$N
  values <- if (by_gradients(plan$method)) {
    max(plan$sensitivity * plan$problem$records, moment_range(plan))
  } else {
    2 * plan$reach * N
  }
  # a draw is below 19 times its scale (discrete.c)
  if (1.01 * values / secure$grid + N * (1 + 19 * secure$steps) > 2^62) {
    argument <- if (is.null(plan$budget$noise)) "epsilon" else "noise"
    abort("argument", sprintf(paste(
      "The noise is so small beside what is summed that 64 bits do not hold both: use a less",
      "extreme `%s`."
    ), argument), argument = argument)
  }
}

#' Orders of a run as its parties are given them: of a secure sum no noise but their parts of it.
#' @noRd
share_orders <- function(orders, plan) {
  if (!is_secure(plan)) return(orders)
  own <- c("objective_scale", "output_scale", "server_scale", "start_scale")
  c(orders[setdiff(names(orders), own)], list(secure = plan$secure[c("grid", "steps")]))
}
