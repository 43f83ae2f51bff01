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

# Divergences of releases of one mechanism, from their columns of events, at several orders: a
# column of orders for each release, one below the other.
.rdp_curves <- list(
  pure = function(e, a) each_release(e["epsilon"], function(epsilon) rdp_pure_curve(a, epsilon)),
  laplace = function(e, a) {
    each_release(list(e$sensitivity / e$b), function(t) rdp_laplace_curve(a, t))
  },
  gamma = function(e, a) {
    each_release(list(e$alpha * e$sensitivity, e$dim), function(t, dim) rdp_gamma_curve(a, t, dim))
  },
  gaussian = function(e, a) outer(a, (e$sensitivity / e$sigma)^2 / 2),
  subsampled_gaussian = function(e, a) {
    each_release(e[c("sensitivity", "sigma", "q", "sampling", "neighbours")], sampled_release, a)
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

each_release <- function(columns, curve, ...) {
  unlist(do.call(Map, c(list(curve), unname(columns), list(MoreArgs = list(...)))))
}

sampled_release <- function(sensitivity, sigma, q, sampling, neighbours, a) {
  if (sensitivity == 0) return(numeric(length(a)))
  sampled_curve(a, q, sigma / sensitivity, sampling, neighbours)
}

.rdp_stride <- 6L

#' The divergences of kinds, rounded outward, as a function of the orders less one: orders x
#' kinds. What does not hang on the orders is worked out once.
#' @noRd
rdp_curves <- function(kinds) {
  columns <- lapply(unclass(kinds), function(x) if (is.numeric(x)) as.double(x) else x)
  rows <- split(seq_along(columns$mechanism), columns$mechanism)
  groups <- lapply(rows, function(rows) lapply(columns, `[`, rows))
  function(s) {
    curves <- matrix(0, length(s), length(columns$mechanism))
    for (mechanism in names(rows)) {
      curves[, rows[[mechanism]]] <- .rdp_curves[[mechanism]](groups[[mechanism]], 1 + s)
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

account_rdp <- function(kinds, ledgers, delta) {
  log_delta <- log(delta)
  # s times the epsilon of order 1 + s is convex in s: a few orders say where the best is.
  coarse <- seq(1L, length(.rdp_grid), by = .rdp_stride)
  curves <- rdp_curves(kinds)(.rdp_grid[coarse])
  found <- vapply(ledgers, function(ledger) {
    curve <- rdp_total(pick_releases(kinds, ledger$kind), ledger$count)
    total <- rep(Inf, length(.rdp_grid))
    total[coarse] <- add_kinds(curves[, ledger$kind, drop = FALSE], ledger$count)
    epsilon <- conversion(.rdp_grid[coarse], total[coarse], log_delta)
    best <- coarse[which.min(epsilon)]
    near <- setdiff(if (any(is.finite(epsilon))) {
      seq(max(1L, best - .rdp_stride), min(length(total), best + .rdp_stride))
    } else {
      seq_along(total)
    }, coarse)
    total[near] <- curve(.rdp_grid[near])
    best_order(total, .rdp_grid, log_delta, curve)
  }, c(epsilon = 0, order = 0))
  list(epsilon = found["epsilon", ], order = found["order", ])
}

#' The best order: of a grid, then by minimisation between the neighbours of its best.
#' @noRd
best_order <- function(total, grid, log_delta, at) {
  epsilon <- conversion(grid, total, log_delta)
  best <- which.min(epsilon)
  if (!is.finite(epsilon[best])) return(c(epsilon = Inf, order = NA))
  around <- log(grid[pmin(pmax(best + c(-1L, 1L), 1L), length(grid))])
  refined <- stats::optimize(function(y) {
    finite_or_largest(conversion(exp(y), at(exp(y)), log_delta))
  }, around, tol = 1e-4)
  if (refined$objective < epsilon[best]) {
    c(epsilon = max(0, refined$objective), order = 1 + exp(refined$minimum))
  } else {
    c(epsilon = max(0, epsilon[best]), order = 1 + grid[best])
  }
}
