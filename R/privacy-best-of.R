# A choice among trials as an event.

#' The best of several trials, as an event
#'
#' A run that draws a random number of trials, each with one of several candidates taken at random,
#' and releases only what the best of them gave: [dpadmm_tune()]. Each candidate is a table of
#' events, all that its trial releases to whoever compares, its noisy score included. Theorem 21 of
#' `vignette("privacy-accounting")` is what that costs, by Renyi divergences (Papernot and Steinke
#' 2022, Theorem 2) or, where every candidate has a pure loss, by `2 + shape` times the largest.
#'
#' @param candidates a list of tables of events of one party (without `node`), see [dp_event].
#' @param trials the mean number of trials, from 2 to about 1,000 (for `shape = 0`; 50 for -0.5,
#'   10,000 for 1).
#' @param shape of the law of the number of trials, in `[-0.5, 1]`: 0 logarithmic, 1 geometric. The
#'   smaller, the cheaper, and the more often there are few trials.
#' @param node,count,iteration as of other events.
#' @return A table of events, see [dp_event].
#' @references Papernot, N. and Steinke, T. (2022). Hyperparameter tuning with Renyi differential
#'   privacy. *ICLR*.
#'
#'   Liu, J. and Talwar, K. (2019). Private selection from private candidates. *STOC*.
#' @examples
#' one <- c(dp_event_gaussian(sigma = 12, sensitivity = 1), dp_event_gaussian(60, 1))
#' account(one, delta = 1e-5)
#' account(dp_event_best_of(list(one), trials = 10), delta = 1e-5)
#' # pure losses: 2 + shape times one trial's
#' account(dp_event_best_of(list(dp_event_pure(0.1)), trials = 10))
#' @export
dp_event_best_of <- function(candidates, trials, shape = 0, node = NA, count = 1,
                             iteration = NA) {
  check_trials(trials, shape)
  if (inherits(candidates, "dp_events")) candidates <- list(candidates)
  if (!is.list(candidates) || length(candidates) == 0L) {
    abort("argument", sprintf("`candidates` must be a list of tables of events, not %s.",
      kind_of(candidates)), argument = "candidates")
  }
  for (events in candidates) check_candidate(events)
  best_of_event(candidates, shape, trials_stop(trials, shape), node, count, iteration)
}

check_trials <- function(trials, shape) {
  check_number(shape, "shape", lower = .least_shape, upper = 1)
  check_number(trials, "trials", lower = 2)
}

check_candidate <- function(events) {
  check_releases(events, "candidates", "dp_events")
  if (any(!is.na(events$node))) {
    abort("argument", "`candidates` are what one party releases: leave `node` at NA.",
      argument = "candidates"
    )
  }
  one_relation(events)
  books <- open_books(events)
  check_handled(books$kinds, books$kinds$mechanism %in% .trial_mechanisms, "rdp")
}

# one choice is not a candidate of another
.trial_mechanisms <- c(
  "pure", "laplace", "gamma", "gaussian", "subsampled_gaussian", "objective_gamma",
  "objective_gaussian"
)

best_of_event <- function(candidates, shape, stop, node = NA, count = 1, iteration = NA) {
  relation <- unique(vapply(candidates, one_relation, ""))
  if (length(relation) > 1L) one_relation(do.call(c, candidates)) # which is an error
  new_events("best_of",
    candidates = candidate_text(candidates), shape = shape, stop = stop,
    dim = most_coordinates(candidates, stop), neighbours = relation, node = node, count = count,
    iteration = iteration
  )
}

#' How much noise on a sample is drawn at most, which pays for the grid (see grid_cost()).
#' @noRd
most_coordinates <- function(candidates, stop) {
  each <- vapply(candidates, function(e) {
    sum((e$dim * e$count)[e$mechanism == "subsampled_gaussian"], na.rm = TRUE)
  }, 0)
  if (any(each > 0)) max(each) * trials_most(stop) else NA_real_
}

# ---- as text, exact to the last bit ------------------------------------------------------

.candidate_columns <- c("mechanism", "sigma", "alpha", "b", "epsilon", "sensitivity", "curvature",
  "logistic_curvature", "modulus", "dim", "q", "sampling", "neighbours", "count"
)

#' Tables as one word: rows are parted by ";", tables by "|"; what is NA is left out. No JSON, as
#' ledgers write it (events_to_json()): jsonlite may not be there, and no text has to be quoted.
#' @noRd
candidate_text <- function(candidates) {
  tables <- vapply(candidates, function(events) {
    columns <- unclass(counted_events(events))[.candidate_columns]
    cells <- vapply(names(columns), function(name) {
      x <- columns[[name]]
      value <- if (is.numeric(x)) sprintf("%.17g", x) else as.character(x)
      ifelse(is.na(x), "", paste0(name, "=", value))
    }, character(length(columns[[1L]])))
    cells <- matrix(cells, ncol = length(columns))
    rows <- apply(cells, 1L, function(row) paste(row[nzchar(row)], collapse = ","))
    paste(rows, collapse = ";")
  }, "")
  paste(unique(tables), collapse = "|")
}

candidate_tables <- function(text) {
  lapply(strsplit(text, "|", fixed = TRUE)[[1L]], function(table) {
    rows <- strsplit(strsplit(table, ";", fixed = TRUE)[[1L]], ",", fixed = TRUE)
    columns <- lapply(stats::setNames(nm = names(.event_columns)), function(name) {
      start <- paste0(name, "=")
      found <- vapply(rows, function(row) {
        sub(start, "", row[startsWith(row, start)][1L], fixed = TRUE)
      }, "")
      x <- if (name %in% .candidate_columns) found else rep(.event_columns[[name]], length(rows))
      storage.mode(x) <- storage.mode(.event_columns[[name]])
      x
    })
    as_releases(columns, "dp_events")
  })
}

# ---- what accountants ask ----------------------------------------------------------------

#' Divergences of one choice at orders `a`, before they are rounded outward.
#' @noRd
best_of_release <- function(a, candidates, shape, stop) {
  tables <- candidate_tables(candidates)
  trial <- trial_curve(tables)
  curve <- best_of_curve(a - 1, trial, shape, stop)
  loss <- best_of_loss(tables, shape, stop)
  if (is.finite(loss)) pmin(curve, pure_curve(a - 1, loss)) else curve
}

pure_curve <- function(s, epsilon) {
  as.vector(divergences(renyi_columns(1L, curve = "pure", size = epsilon), s))
}

#' One trial's divergence: that of the worst candidate, noise on its grid included.
#' @noRd
trial_curve <- function(tables) {
  curves <- lapply(tables, function(events) {
    books <- open_books(events)
    own <- books$ledgers[[1L]]
    total <- rdp_total(books$kinds[own$kind, , drop = FALSE], own$count)
    grid <- gamma_grid_costs(books)
    function(s) total(s) + grid * (1 + s) / s
  })
  function(s) {
    worst <- do.call(pmax, lapply(curves, function(curve) curve(s)))
    replace(worst, is.na(worst), Inf)
  }
}

#' The pure loss of each choice, infinite where a candidate has none.
#' @noRd
best_of_losses <- function(e) {
  as.numeric(mapply(best_of_loss, lapply(e$candidates, candidate_tables), e$shape, e$stop))
}

best_of_loss <- function(tables, shape, stop) {
  if (any(vapply(tables, function(e) "gaussian" %in% e$mechanism, NA))) return(Inf)
  loss <- vapply(tables, function(events) {
    books <- open_books(events)
    if (!all(pure_handles(books$kinds))) return(Inf)
    account_pure(books$kinds, books$ledgers, 0)$epsilon + gamma_grid_costs(books)
  }, 0)
  round_up((2 + shape) * max(loss) + 2 * trials_slack(shape, stop))
}
