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

# One release's divergence as a function of the orders, from its row of events.
.rdp_curves <- list(
  pure = function(e, a) rdp_pure_curve(a, e$epsilon),
  laplace = function(e, a) rdp_laplace_curve(a, e$sensitivity / e$b),
  gamma = function(e, a) rdp_gamma_curve(a, e$alpha * e$sensitivity, e$dim),
  gaussian = function(e, a) a * (e$sensitivity / e$sigma)^2 / 2,
  subsampled_gaussian = function(e, a) {
    if (e$sensitivity == 0) return(numeric(length(a)))
    sampled_curve(a, e$q, e$sigma / e$sensitivity, e$sampling, e$neighbours)
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

.rdp_stride <- 6L

#' Divergences of kinds (rows) at orders 1 + s (columns), rounded outward.
#' @noRd
rdp_curves <- function(kinds, s) {
  curves <- matrix(0, nrow(kinds), length(s))
  columns <- lapply(unclass(kinds), function(x) if (is.numeric(x)) as.double(x) else x)
  for (i in seq_len(nrow(kinds))) {
    row <- lapply(columns, `[`, i)
    curves[i, ] <- .rdp_curves[[row$mechanism]](row, 1 + s)
  }
  curves[is.na(curves)] <- Inf
  outward_divergence(curves)
}

account_rdp <- function(kinds, ledgers, delta) {
  log_delta <- log(delta)
  # s times the epsilon of order 1 + s is convex in s: a few orders say where the best is.
  coarse <- seq(1L, length(.rdp_grid), by = .rdp_stride)
  curves <- rdp_curves(kinds, .rdp_grid[coarse])
  found <- vapply(ledgers, function(ledger) {
    rows <- kinds[ledger$kind, , drop = FALSE]
    total <- rep(Inf, length(.rdp_grid))
    total[coarse] <- colSums(curves[ledger$kind, , drop = FALSE] * ledger$count)
    epsilon <- conversion(.rdp_grid[coarse], total[coarse], log_delta)
    best <- coarse[which.min(epsilon)]
    near <- setdiff(if (any(is.finite(epsilon))) {
      seq(max(1L, best - .rdp_stride), min(length(total), best + .rdp_stride))
    } else {
      seq_along(total)
    }, coarse)
    total[near] <- colSums(rdp_curves(rows, .rdp_grid[near]) * ledger$count)
    best_order(total, .rdp_grid, log_delta, function(s) {
      sum(rdp_curves(rows, s) * ledger$count)
    })
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
