#' Optimal composition of pure mechanisms
#'
#' The smallest total epsilon at `delta` of several pure mechanisms run one after the
#' other, each possibly chosen after seeing the earlier answers. Each mechanism is
#' dominated by randomised response of the same epsilon, so composing those is optimal.
#'
#' Equal epsilons are counted together. The total loss of the groups then takes
#' `prod(count + 1)` values; up to 300,000 of them are composed exactly (up to rounding,
#' which goes outward). Beyond that the losses are put on a grid in a way that can only
#' enlarge them, see [pld_epsilon()], and the result is an upper bound.
#'
#' @param epsilon pure losses (>= 0).
#' @param delta one number in `[0, 1)`; 0 gives the sum.
#' @param count how often each mechanism is run; recycled.
#' @return One number, the total epsilon: never more than `sum(count * epsilon)` (but for
#'   rounding). Beyond the range of numbers, an error of class `dpadmm_error_finite`.
#' @references Kairouz, P., Oh, S. and Viswanath, P. (2017). The composition theorem for
#'   differential privacy. *IEEE Transactions on Information Theory*.
#'
#'   Murtagh, J. and Vadhan, S. (2016). The complexity of computing the optimal
#'   composition of differential privacy. *TCC*.
#' @examples
#' compose_pure(0.1, delta = 1e-6, count = 100)
#' compose_pure(c(0.1, 0.2, 0.5), delta = 1e-3)
#' @export
compose_pure <- function(epsilon, delta, count = 1) {
  check_numbers(epsilon, "epsilon", lower = 0)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  check_numbers(count, "count", lower = 1, whole = TRUE)
  x <- recycle(epsilon = epsilon, count = count)
  finite_result(compose_groups(x$epsilon, x$count, delta), "epsilon")
}

.most_atoms <- 3e5

#' compose_pure() without its checks.
#' @noRd
compose_groups <- function(epsilon, count, delta) {
  total <- sum(epsilon * count)
  if (sum(count) > 1) total <- round_up(total)
  if (delta == 0 || total == 0 || !is.finite(total)) return(total)
  distinct <- unique(epsilon)
  if (length(distinct) < length(epsilon)) {
    count <- as.vector(rowsum(count, match(epsilon, distinct), reorder = FALSE))
    epsilon <- distinct
  }
  count <- count[epsilon > 0]
  epsilon <- epsilon[epsilon > 0]
  composed <- if (length(count) == 1L && count <= 1e6 || sum(log1p(count)) <= log(.most_atoms)) {
    compose_exactly(epsilon, count, delta)
  } else {
    releases <- lapply(seq_along(epsilon), function(i) {
      list(pure = epsilon[i], count = count[i])
    })
    columns <- renyi_columns(length(epsilon), curve = "pure", size = epsilon)
    curve <- function(s) add_kinds(divergences(columns, s), count)
    pld_upper(releases, delta, curve)
  }
  min(composed, total)
}

# as outer() has them, which takes long about a few
sums_of <- function(x, y) rep(x, length(y)) + rep(y, each = length(x))

#' All values of the total loss with their probabilities, largest first.
#' @noRd
compose_exactly <- function(epsilon, count, delta) {
  loss <- 0
  log_mass <- 0
  slack <- 64 * .Machine$double.eps
  for (i in seq_along(epsilon)) {
    up <- 0:count[i]
    loss <- sums_of(loss, (2 * up - count[i]) * epsilon[i])
    log_choose <- lchoose(count[i], up)
    log_mass <- sums_of(log_mass,
      log_choose - count[i] * log1p(exp(-epsilon[i])) - (count[i] - up) * epsilon[i]
    )
    # lchoose() is a difference of numbers as large as count log(count)
    slack <- slack + 16 * .Machine$double.eps * count[i] * (epsilon[i] + log1p(count[i]))
  }
  order <- order(loss, decreasing = TRUE)
  round_up(core_call(.Call(
    ffi_atoms_epsilon, loss[order], log_mass[order], log(delta) - slack
  )), 16)
}
