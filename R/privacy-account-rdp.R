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

# How far from where an order was best it is looked for: for a little more or less noise, from
# what is between the best ones of others, and where that is done.
.near_orders <- list(widths = c(0.2, 0.03))
.between_orders <- list(widths = c(0.4, 0.2, 0.1, 0.05))
.other_orders <- list(valleys = TRUE)
# how often widths are halved, everywhere and where it is looked for where to begin
.halvings <- 8L
.first_orders <- list(halvings = 3L)
.near_and_other <- c(.near_orders, .other_orders)
# how those begin that look near: a bound on what they find
.rough_orders <- list(widths = .near_orders$widths[1L])

# How parties are solved together: orders are looked for as `first` says, then around those so far,
# by `search`, and not any more where points are near each other (`still`); one accountant that is
# all there is (`alone`) looks everywhere. Of few parties that takes little, and a last bit of a
# scale that changes would change what every seed draws.
.ways <- list(
  few = list(first = NULL, search = list(widths = c(0.2, 0.05, 0.0125)), still = FALSE, alone = TRUE),
  some = list(
    first = .first_orders, search = list(widths = c(0.2, 0.03, 0.004)), still = TRUE, alone = FALSE
  ),
  many = list(first = .first_orders, search = .near_orders, still = TRUE, alone = FALSE)
)

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
#' for those where that jumps.
#' @noRd
account_rdp <- function(kinds, ledgers, delta) {
  log_delta <- log(delta)
  if (length(ledgers) <= .many_parties || !is.null(ledgers[[1L]]$near)) {
    return(search_orders(kinds, ledgers, log_delta))
  }
  near <- orders_between(kinds, ledgers, log_delta)
  out <- list(epsilon = numeric(length(ledgers)), order = numeric(length(ledgers)))
  search <- ledgers[[1L]]$search
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

#' Each ledger at its best order; where each says where that is, it is looked for around there, or
#' taken.
#' @noRd
search_orders <- function(kinds, ledgers, log_delta) {
  near <- unlist(lapply(ledgers, `[[`, "near"))
  told <- length(near) == length(ledgers)
  search <- ledgers[[1L]]$search
  halvings <- min(search$halvings, .halvings)
  epsilon_at <- rdp_epsilons(kinds, ledgers, log_delta)
  best <- if (told) {
    refine_orders(list(y = log(near - 1)), search$widths, epsilon_at)
  } else {
    found <- coarse_epsilons(kinds, ledgers, epsilon_at)
    best_orders(.rdp_coarse[apply(found, 2L, which_least)], epsilon_at, halvings)
  }
  if (told && !isTRUE(search$valleys) || !any(kinds$mechanism %in% .crossing)) return(best)
  some <- function(i) rdp_epsilons(kinds, ledgers[i], log_delta)
  best_with_valleys(best, epsilon_at, some, log_delta, halvings, told)
}

#' Kinds that several ledgers have are asked once; where none is, in the order of the ledgers.
#' @noRd
coarse_epsilons <- function(kinds, ledgers, epsilon_at) {
  few <- .rdp_grid[.rdp_coarse]
  shared <- sum(lengths(lapply(ledgers, `[[`, "kind"))) > nrow(kinds)
  if (shared) return(epsilon_at(few, rdp_curves(kinds)(few)))
  epsilon_at(matrix(few, length(few), length(ledgers)))
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

# Mechanisms whose bounds cross: the least of them is far steeper below the order where they do
# than above it, and the best order is there, in a narrow valley, or far beyond.
.crossing <- "objective_gamma"

#' The best orders, or those at the bottom of such a valley where they are better. Divergence r and
#' L = log(1 / delta) cost about r + L / s, at s* = sqrt(L / r) about 2 sqrt(r L) + r, so s* is 2 to
#' 3 times the least s whose L / s alone is not too much.
#' @param best of refine_orders().
#' @param some a function of places of ledgers: their epsilon_at().
#' @param others whether only other valleys are looked for than where the best orders are.
#' @noRd
best_with_valleys <- function(best, epsilon_at, some, log_delta, halvings, others) {
  enough <- outer(.rdp_grid, finite_or_largest(best$epsilon), function(s, epsilon) {
    conversion_inverse(s, epsilon, log_delta) > 0
  })
  least <- log(.rdp_grid)[pmax(1L, colSums(!enough))]
  width <- .rdp_grid_step / 3
  y <- outer(seq(0, log(8), by = width), least, `+`)
  for (bottom in bottoms(y, finite_or_largest(epsilon_at(exp(y))))) {
    if (others) {
      other <- which(abs(bottom$y - log(best$order[bottom$column] - 1)) > 1.5 * width)
      if (length(other) == 0L) next
      bottom <- lapply(bottom, `[`, other)
    }
    i <- bottom$column
    found <- refine_orders(bottom, ever_halved(width, halvings - 2L), some(i))
    better <- found$epsilon < best$epsilon[i]
    for (name in names(best)) best[[name]][i[better]] <- found[[name]][better]
  }
  best
}

#' For each column the row that is least, then the next bottoms of those whose are about as deep:
#' valleys may lie between two rows, and each bound that crosses has its own.
#' @return A list of what least_of() gives, of the columns `column`.
#' @noRd
bottoms <- function(y, value, most = 4L) {
  end <- rep(Inf, ncol(value))
  turns <- value <= rbind(end, value[-nrow(value), , drop = FALSE]) &
    value <= rbind(value[-1L, , drop = FALSE], end)
  value[!turns] <- .Machine$double.xmax
  out <- list()
  column <- seq_len(ncol(value))
  for (k in seq_len(most)) {
    left <- value[, column, drop = FALSE]
    found <- least_of(y[, column, drop = FALSE], left)
    if (k == 1L) deepest <- found$value
    deep <- k == 1L | found$value < 1.1 * deepest[column]
    column <- column[deep]
    if (length(column) == 0L) break
    out[[k]] <- c(lapply(found, `[`, deep), list(column = column))
    left[left == rep(found$value, each = nrow(left))] <- .Machine$double.xmax
    value[, column] <- left[, deep]
  }
  out
}

#' The best orders less one of all ledgers in step: on the grid around one of its points, then
#' by parabolas through three ever nearer ones. Each epsilon is valid, so that the search need not
#' be exact.
#' @param near where on the grid, one a ledger; `NA`: anywhere.
#' @param epsilon_at function of orders less one, a row a trial and a column a ledger: epsilons.
#' @noRd
best_orders <- function(near, epsilon_at, halvings = .halvings) {
  places <- places_around(near)
  y <- matrix(log(.rdp_grid)[places], nrow(places))
  best <- least_of(y, finite_or_largest(epsilon_at(exp(y))))
  refine_orders(best, ever_halved(.rdp_grid_step, halvings), epsilon_at)
}

ever_halved <- function(width, times) width / 2^(seq_len(times) - 1L)

#' For each column the row that is least: list(y, value).
#' @noRd
least_of <- function(y, value) {
  at <- cbind(max.col(-t(value), "first"), seq_len(ncol(value)))
  list(y = y[at], value = value[at])
}

#' Parabolas through three ever nearer orders.
#' @param best list(y = logs of orders less one, value = their epsilons, where they are known).
#' @param widths they halve, for curves with kinks.
#' @noRd
refine_orders <- function(best, widths, epsilon_at) {
  at <- function(y) finite_or_largest(epsilon_at(exp(y)))
  if (is.null(best$value)) best$value <- as.vector(at(rbind(best$y)))
  for (width in widths) {
    y <- rbind(best$y - width, best$y + width)
    value <- at(y)
    turn <- (value[1L, ] - value[2L, ]) / (2 * (colSums(value) - 2 * best$value))
    turn[is.na(turn) | abs(turn) >= 1] <- 0
    y <- rbind(best$y, y, best$y + width * turn)
    value <- rbind(best$value, value, at(y[4L, , drop = FALSE]))
    best <- least_of(y, value)
  }
  found <- best$value < .Machine$double.xmax
  list(
    epsilon = ifelse(found, pmax(0, best$value), Inf), order = ifelse(found, 1 + exp(best$y), NA)
  )
}
