# The best orders of the RDP accountant: any order is valid, and these are looked for.

# How far from where an order was best it is looked for: for a little more or less noise, from
# what is between the best ones of others, and where that is done.
.near_orders <- list(widths = c(0.2, 0.05, 0.0125))
.between_orders <- list(widths = c(0.4, 0.2, 0.1, 0.05))
.other_orders <- list(valleys = TRUE)
# how often widths are halved by a search everywhere, and by one for where to begin
.halvings <- 8L
.first_orders <- list(halvings = 3L)
.near_and_other <- c(.near_orders, .other_orders)
# how those begin that look near: a bound on what they find
.rough_orders <- list(widths = .near_orders$widths[1L])

# How parties are solved together: orders are looked for as `first` says, then around those so far,
# by `search`, and not any more where points are near each other. Or always, and of one accountant
# that is all there is everywhere (`alone`): of few parties that takes little, and a last bit of a
# scale that changes would change what every seed draws.
.ways <- list(
  few = list(first = NULL, search = .near_orders, alone = TRUE),
  some = list(first = .first_orders, search = list(widths = c(0.2, 0.03, 0.004)), alone = FALSE),
  many = list(first = .first_orders, search = .near_orders, alone = FALSE)
)

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
  if (told && !isTRUE(search$valleys) || !may_cross(kinds)) return(best)
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

# Mechanisms whose bounds cross: the least of them is far steeper below the order where they do
# than above it, and the best order is there, in a narrow valley, or far beyond.
.crossing <- "objective_gamma"

may_cross <- function(kinds) any(kinds$mechanism %in% .crossing)

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
    # from a third of the grid's step: two halvings less
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
  at <- if (ncol(value) == 1L) which.min(value) else {
    cbind(max.col(-t(value), "first"), seq_len(ncol(value)))
  }
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
