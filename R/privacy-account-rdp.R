# The RDP accountant: curves over orders.

accountant_rdp <- function() {
  list(
    fold = account_rdp, handles = function(kinds) kinds$mechanism %in% names(.rdp_curves),
    needs_delta = TRUE, serves_best = function(kinds) TRUE, exact = FALSE, speed = "quick",
    composes = paste(
      "Renyi curves over orders in `[1.01, 1024]`, the best order refined by one-dimensional",
      "minimisation, [rdp_to_epsilon()]"
    ),
    needs = "any mechanism"
  )
}

# Divergences of releases of one mechanism, from their columns of events, at several orders: `a`
# has a row an order and a column a release, and so has what comes back, or is one below the other.
.rdp_curves <- list(
  pure = function(e, a) rdp_pure_curve(a, rep(e$epsilon, each = nrow(a))),
  laplace = function(e, a) each_release(list(e$sensitivity / e$b), a, rdp_laplace_curve),
  gamma = function(e, a) rdp_gamma_curves(a, e$alpha * e$sensitivity, e$dim),
  best_of = function(e, a) {
    each_release(e[c("candidates", "shape", "stop")], a, best_of_release)
  },
  gaussian = function(e, a) a * rep((e$sensitivity / e$sigma)^2 / 2, each = nrow(a)),
  subsampled_gaussian = function(e, a) {
    each_release(e[c("sensitivity", "sigma", "q", "sampling", "neighbours")], a, sampled_release)
  },
  objective_gamma = function(e, a) {
    core_call(.Call(
      ffi_rdp_objective, a, e$alpha * e$sensitivity, e$curvature / e$modulus,
      e$logistic_curvature, e$dim
    ))
  },
  objective_gaussian = function(e, a) {
    core_call(.Call(
      ffi_rdp_objective, a, e$sensitivity / e$sigma, e$curvature / e$modulus,
      e$logistic_curvature, NULL
    ))
  }
)

each_release <- function(columns, a, curve) {
  orders <- lapply(seq_len(ncol(a)), function(k) a[, k])
  unlist(do.call(Map, c(list(curve, orders), unname(columns))))
}

sampled_release <- function(a, sensitivity, sigma, q, sampling, neighbours) {
  if (sensitivity == 0) return(numeric(length(a)))
  sampled_curve(a, q, sigma / sensitivity, sampling, neighbours)
}

#' The divergences of kinds, rounded outward, as a function of the orders less one: orders x
#' kinds, at the same orders for all or, of a matrix, at each kind's own. What does not hang on
#' the orders is worked out once.
#' @noRd
rdp_curves <- function(kinds) {
  columns <- lapply(unclass(kinds), function(x) if (is.numeric(x)) as.double(x) else x)
  rows <- split(seq_along(columns$mechanism), columns$mechanism)
  groups <- lapply(rows, function(rows) lapply(columns, `[`, rows))
  function(s) {
    if (!is.matrix(s)) s <- matrix(s, length(s), length(columns$mechanism))
    curves <- s
    for (mechanism in names(rows)) {
      at <- 1 + s[, rows[[mechanism]], drop = FALSE]
      curves[, rows[[mechanism]]] <- .rdp_curves[[mechanism]](groups[[mechanism]], at)
    }
    curves[is.na(curves)] <- Inf
    outward_divergence(curves)
  }
}

#' The divergence of releases together, `count` of each kind, as a function of the orders less one.
#' @noRd
rdp_total <- function(kinds, count) {
  curves <- rdp_curves(kinds)
  function(s) add_kinds(curves(s), count)
}

# by rowSums(), which is more exact than products of matrices: the order of kinds shall not tell
add_kinds <- function(curves, count) rowSums(curves * rep(count, each = nrow(curves)))

#' A function of a matrix, orders x entries, that sums so many entries of each ledger, as rowSums()
#' does: orders x ledgers.
#' @noRd
ledger_sums <- function(entries) {
  if (length(entries) == 1L) return(function(x) matrix(rowSums(x), nrow(x)))
  alike <- all(entries == entries[1L])
  ledger <- numbers_factor(rep(seq_along(entries), entries), length(entries))
  if (!alike) own <- split(seq_along(ledger), ledger)
  function(x) {
    if (alike) {
      by_ledger <- aperm(array(x, c(nrow(x), entries[1L], length(entries))), c(2L, 1L, 3L))
      return(colSums(by_ledger))
    }
    total <- vapply(own, function(k) rowSums(x[, k, drop = FALSE]), numeric(nrow(x)))
    matrix(total, nrow(x))
  }
}

#' All ledgers at once: a run of a thousand unlike holders has as many. Of very many some are
#' looked at; those in between are looked at around what was best for these, or as they say, but
#' for those where that jumps. Not in a statement about bounds that cross: a few in between may have
#' a valley of their own.
#' @noRd
account_rdp <- function(kinds, ledgers, delta) {
  log_delta <- log(delta)
  search <- ledgers[[1L]]$search
  each <- length(ledgers) <= .many_parties || is.null(search) && may_cross(kinds)
  if (each || !is.null(ledgers[[1L]]$near)) return(search_orders(kinds, ledgers, log_delta))
  near <- orders_between(kinds, ledgers, log_delta)
  out <- list(epsilon = numeric(length(ledgers)), order = numeric(length(ledgers)))
  if (is.null(search)) search <- .near_orders
  for (jump in unique(is.na(near))) {
    k <- which(is.na(near) == jump)
    own <- ledgers[k]
    if (!jump) {
      own <- Map(function(ledger, near) {
        list(kind = ledger$kind, count = ledger$count, near = near, search = search)
      }, own, near[k])
    }
    found <- search_orders(kinds, own, log_delta)
    for (name in names(out)) out[[name]][k] <- found[[name]]
  }
  out
}

#' Where the best orders are, by those of some ledgers; `NA` where these are unlike, or a ledger is
#' not between two of them: in curvature, which decides where bounds cross, and in its cost.
#' @noRd
orders_between <- function(kinds, ledgers, log_delta) {
  cost <- as.vector(rdp_epsilons(kinds, ledgers, log_delta)(matrix(64, 1L, length(ledgers))))
  share <- kinds$curvature / kinds$modulus
  share[is.na(share)] <- 0
  steep <- vapply(ledgers, function(own) sum(share[own$kind] * own$count), 0)
  in_order <- order(steep, cost)
  some <- spread_over(length(ledgers), .looked_parties)
  y <- log(search_orders(kinds, ledgers[in_order[some]], log_delta)$order - 1)
  place <- order(in_order)
  left <- findInterval(place, some, all.inside = TRUE)
  ends <- cost[in_order[some]]
  between <- cost >= 0.99 * pmin(ends[left], ends[left + 1L]) &
    cost <= 1.01 * pmax(ends[left], ends[left + 1L]) & abs(diff(y))[left] < 0.05
  near <- rep(NA_real_, length(ledgers))
  told <- which(between)
  if (length(told)) near[told] <- 1 + exp(stats::approx(some, y, place[told])$y)
  near
}

#' The ledgers' epsilons as a function of orders less one, a row a trial and a column a ledger; or
#' of orders that are the same for all, and the kinds' divergences there.
#' @noRd
rdp_epsilons <- function(kinds, ledgers, log_delta) {
  kind <- unlist(lapply(ledgers, `[[`, "kind"))
  count <- unlist(lapply(ledgers, `[[`, "count"))
  entries <- lengths(lapply(ledgers, `[[`, "kind"))
  ledger <- rep(seq_along(ledgers), entries)
  in_order <- identical(kind, seq_len(nrow(kinds)))
  curves <- rdp_curves(if (in_order) kinds else pick_releases(kinds, kind))
  sum_ledgers <- ledger_sums(entries)
  function(s, known = NULL) {
    at <- if (is.null(known)) curves(s[, ledger, drop = FALSE]) else known[, kind, drop = FALSE]
    conversion(s, sum_ledgers(at * rep(count, each = nrow(at))), log_delta)
  }
}
