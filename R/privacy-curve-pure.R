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

#' compose_pure() without its checks.
#' @noRd
compose_groups <- function(epsilon, count, delta) {
  own <- list(kind = seq_along(epsilon), count = as.double(count))
  compose_ledgers(as.double(epsilon), list(own), delta)
}

#' The same of ledgers, of the losses of kinds.
#' @noRd
compose_ledgers <- function(loss, ledgers, delta) {
  epsilon <- core_call(.Call(ffi_pure_compose, loss, ledgers, as.double(delta)))
  for (k in which(is.na(epsilon) & !is.nan(epsilon))) {
    own <- ledgers[[k]]
    epsilon[k] <- compose_on_grid(loss[own$kind], own$count, delta)
  }
  epsilon
}

#' The total loss takes too many values: on a grid of losses.
#' @noRd
compose_on_grid <- function(epsilon, count, delta) {
  total <- round_up(sum(epsilon * count))
  count <- count[epsilon > 0]
  epsilon <- epsilon[epsilon > 0]
  distinct <- unique(epsilon)
  count <- group_sums(as.double(count), match(epsilon, distinct), length(distinct))
  releases <- .mapply(list, list(pure = distinct, count = count), NULL)
  columns <- renyi_columns(length(distinct), curve = "pure", size = distinct)
  curve <- function(s) add_kinds(divergences(columns, s), count)
  min(pld_upper(releases, delta, curve), total)
}
