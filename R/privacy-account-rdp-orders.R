# The best orders of the RDP accountant: any order is valid, and these are looked for.

# Searches that also look in other valleys, from where orders are likely, and everywhere.
.other_orders <- list(valleys = TRUE)
.every_order <- list(valleys = TRUE, walks = FALSE)
# and one on from orders that are told to the next valleys
.next_orders <- list(around = TRUE)
# and one that goes on to the bottom of a valley
.close_orders <- list(widths = c(0.03, 0.004))
# how often widths are halved by a search everywhere, and by one for where to begin
.halvings <- 8L
.first_orders <- list(halvings = 3L)

# How parties are solved together: so many are asked, or so many, of which orders are looked for as
# `first` says, then all around those so far, by `search`, and not any more where points are near
# each other.
.ways <- list(
  some = list(asked = 4L, first = .first_orders, search = list(widths = c(0.2, 0.03, 0.004))),
  many = list(asked = 4L, first = .first_orders, search = list(widths = c(0.2, 0.05))),
  knots = list(asked = c(4L, 8L), first = .first_orders, search = .next_orders)
)

#' Each ledger at its best order: list(epsilon, order).
#' @param kinds of renyi_kinds().
#' @param search,near of the arguments `how` of spend(), one of `near` a ledger: what is near
#'   there is looked at, or the order itself.
#' @param walks whether orders of which nothing is told are walked to (see dpa_orders).
#' @noRd
search_orders <- function(kinds, ledgers, log_delta, search = NULL, near = NULL, walks = FALSE) {
  how <- order_search(search, near, walks,
    valleys = (is.null(near) || isTRUE(search$valleys)) && may_cross(kinds),
    net = walks && length(ledgers) > .many_for_slow
  )
  found <- core_call(.Call(ffi_renyi_orders, kinds, ledgers, how, log_delta))
  names(found) <- c("epsilon", "order")
  found
}

#' A search as the core takes it.
#' @noRd
order_search <- function(search, near = NULL, walks = FALSE, valleys = FALSE, net = FALSE) {
  list(
    grid = .rdp_grid, stride = .rdp_stride, step = .rdp_grid_step, walks = walks,
    halvings = min(search$halvings, .halvings), widths = search$widths, valleys = valleys,
    around = isTRUE(search$around), net = net, near = near
  )
}

# Curves of bounds that cross: the best order may be in another valley (in src/core/account/renyi.c
# those with a turn), and those of which a larger size never costs less.
.crossing <- "objective_gamma"
.rising <- "objective_gamma"

may_cross <- function(kinds) any(kinds$curve %in% .crossing)

# To how many binary digits orders and sizes are told apart where many parties are looked at
# together, and thousands of releases of few.
.shared_digits <- c(order = 14, size = 17, release = 10)

#' Ledgers at orders about those that are told: list(epsilon, order). Most have about the same order
#' and releases of about the same sizes, whose divergences share what takes long (dpa_free_moment)
#' where both are the same and one follows the other.
#' @noRd
look_together <- function(kinds, ledgers, log_delta, near) {
  kinds <- shared_kinds(kinds)
  near <- shared_orders(near)
  largest <- vapply(ledgers, function(own) max(kinds$size[own$kind]), 0)
  by <- order(near, largest)
  found <- search_orders(kinds, ledgers[by], log_delta, near = near[by])
  lapply(found, `[`, order(by))
}

#' The next orders below: just above there may be another valley.
#' @noRd
shared_orders <- function(order) {
  steps <- 2^.shared_digits[["order"]]
  1 + exp(floor(log(order - 1) * steps) / steps)
}

#' Kinds of renyi_kinds() with the next sizes above: who may change more may change less.
#' @noRd
shared_kinds <- function(kinds) {
  own <- kinds$curve %in% .rising
  kinds$size[own] <- to_digits(kinds$size[own], .shared_digits[["size"]], ceiling)
  kinds
}
