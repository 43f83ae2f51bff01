# The RDP accountant: curves over orders.

accountant_rdp <- function() {
  list(
    fold = account_rdp, handles = function(kinds) kinds$mechanism %in% names(.rdp_kinds),
    needs_delta = TRUE, serves_best = function(kinds) TRUE, exact = FALSE, speed = "quick",
    composes = paste(
      "Renyi curves over orders in `[1.01, 1024]`, the best order refined by one-dimensional",
      "minimisation, [rdp_to_epsilon()]"
    ),
    needs = "any mechanism"
  )
}

# What the core calls the divergences of a mechanism's releases, and their parameters (see
# dpa_renyi_kind in core/account/renyi.h), from their columns of events: a list of columns, or of
# one value for all. `called`: functions of orders.
.rdp_kinds <- list(
  pure = function(e) list(curve = "pure", size = e$epsilon),
  laplace = function(e) list(curve = "laplace", size = e$sensitivity / e$b),
  gamma = function(e) gamma_kinds(e$alpha * e$sensitivity, floor(e$dim)),
  best_of = function(e) {
    called <- Map(function(candidates, shape, stop) {
      function(a) best_of_release(a, candidates, shape, stop)
    }, e$candidates, e$shape, e$stop)
    list(curve = "called", called = unname(called))
  },
  gaussian = function(e) list(curve = "gaussian", size = e$sensitivity / e$sigma),
  subsampled_gaussian = function(e) {
    sampled_kinds(e$q, e$sigma / e$sensitivity, e$sampling, e$neighbours)
  },
  objective_gamma = function(e) {
    c(objective_kinds(e, e$alpha * e$sensitivity), list(curve = "objective_gamma", dim = e$dim))
  },
  objective_gaussian = function(e) {
    c(objective_kinds(e, e$sensitivity / e$sigma), list(curve = "objective_gaussian"))
  }
)

objective_kinds <- function(e, shift) {
  list(size = shift, kappa = e$curvature / e$modulus, tied = e$logistic_curvature)
}

#' Kinds of releases as the core takes them.
#' @noRd
renyi_kinds <- function(kinds) renyi_of_each(each_mechanism(kinds), length(kinds$mechanism))

#' @param by_mechanism of each_mechanism(), of n kinds.
#' @noRd
renyi_of_each <- function(by_mechanism, n) {
  out <- renyi_columns(n)
  for (of in by_mechanism) {
    own <- .rdp_kinds[[of$name]](of$columns)
    for (column in names(own)) out[[column]][of$rows] <- own[[column]]
  }
  out
}

#' Columns of so many kinds, of which some are given. There are no lists of so many functions where
#' none is given.
#' @noRd
renyi_columns <- function(n, ...) {
  none <- numeric(n)
  out <- list(curve = character(n), size = none, kappa = none, tied = logical(n), dim = none,
    lean = none, rate = none, noise = none)
  given <- list(...)
  for (name in names(given)) out[[name]][seq_len(n)] <- given[[name]]
  out
}

#' Divergences, rounded outward, of columns of kinds at orders less one: orders x kinds.
#' @noRd
divergences <- function(columns, s) core_call(.Call(ffi_renyi_divergences, columns, s))

#' The same of kinds of events, as a function of the orders.
#' @noRd
rdp_curves <- function(kinds) {
  columns <- renyi_kinds(kinds)
  function(s) divergences(columns, s)
}

#' The divergence of releases together, `count` of each kind, as a function of the orders less one.
#' @noRd
rdp_total <- function(kinds, count) {
  curves <- rdp_curves(kinds)
  function(s) add_kinds(curves(s), count)
}

# by rowSums(), which is more exact than products of matrices: the order of kinds shall not tell
add_kinds <- function(curves, count) rowSums(curves * rep(count, each = nrow(curves)))

#' All ledgers at once: a run of a thousand unlike holders has as many. Of dozens, or where
#' divergences take long, each is looked at from where its best order is likely, and then, of a few,
#' closely around what was found; each is looked at at the order that its events tell, too.
#' @noRd
account_rdp <- function(kinds, ledgers, delta, how) {
  kinds <- renyi_kinds(kinds)
  if (isTRUE(how$together)) return(look_together(kinds, ledgers, log(delta), how$near))
  few <- is.null(how$walks) && length(ledgers) <= .many_for_slow
  walks <- if (is.null(how$walks)) !few || may_cross(kinds) else how$walks
  found <- search_orders(kinds, ledgers, log(delta), how$search, how$near, walks)
  look_again <- function(some, near, search = NULL) {
    if (length(some) == 0L) return()
    there <- search_orders(kinds, ledgers[some], log(delta), search, near[some])
    better <- which(there$epsilon < found$epsilon[some])
    for (name in names(found)) found[[name]][some[better]] <<- there[[name]][better]
  }
  if (few && walks) look_again(which(is.finite(found$order)), found$order, .close_orders)
  look_again(which(is.finite(how$told)), how$told)
  found
}
