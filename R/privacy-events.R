#' Releases as events
#'
#' Every noisy release is an event; an accountant folds events into a guarantee
#' and never sees data. The constructors are vectorised: each returns a table of
#' class `dp_events` with one row per release type. Combine tables with [c()],
#' repeat them with [rep()] (which multiplies `count`). A release without noise is an event
#' too, `dp_event_exact()`, and its epsilon is infinite.
#'
#' @param sigma standard deviation of Gaussian noise, per coordinate (> 0).
#' @param alpha rate of Gamma-norm noise: density proportional to
#'   `exp(-alpha * ||b||)` (> 0).
#' @param b scale of Laplace noise (> 0).
#' @param epsilon pure differential privacy of the release (>= 0).
#' @param sensitivity the largest change of the noiseless quantity between
#'   neighbours, in L2 norm (in absolute value for Laplace noise). For objective
#'   perturbation: of the gradient of the node's data term, `2 C L / B` for
#'   replace-one neighbours. With sampling: what one record adds has norm at most
#'   `sensitivity` for add-remove neighbours, half of it for replace-one.
#' @param curvature largest eigenvalue one record can add to the Hessian of the
#'   node's objective, `c1 C / B`.
#' @param logistic_curvature whether the loss has `L'' = abs(L') (1 - abs(L'))`, as the
#'   logistic loss does, which makes pure and Renyi accounting tighter.
#' @param modulus strong convexity of the node's noisy problem,
#'   `rho/N + 2 eta V`.
#' @param dim dimension of the noise vector. For Gaussian noise on a value: of noise that is
#'   discrete on a grid of at most `2^-40 sigma`, as the package draws it, whose cost is above
#'   that of ideal noise by less than `1e-12` in epsilon and `1e-9 delta`; `NA`: ideal noise.
#'   Gamma-norm noise on a value is always taken as the package draws it: for `dim` of 10, 100 and
#'   1000 that adds `4.2e-10`, `3.6e-9` and `3.2e-8` to epsilon at most.
#' @param q sampling rate, in (0, 1].
#' @param sampling `"poisson"` or `"fixed"` (without replacement).
#' @param neighbours the neighbouring relation: `"replace-one"` or
#'   `"add-remove"`.
#' @param node which data holder releases it, by number or by name; `NA` for a release that
#'   reads everybody's records. A record sits at one node, so over nodes the guarantee
#'   is the largest, not the sum.
#' @param count how many times it is released.
#' @param iteration at which exchange, for pictures of privacy over iterations.
#' @param tolerance gradient norm to which the minimiser was found.
#' @section Events of several fits:
#' The events of a fit (`fit$events`) name its parties in the column `party`, and [c()] matches
#' parties of several fits by these names, and by `records`, how many each holds: fits of which
#' one has all parties of the other divide the records in the same way. A record sits somewhere
#' in every other `division` too: among parties of other names or sizes, and among the nodes of a
#' fit whose records were split at random (`nodes = 4`), which have no name (`NA`); their releases
#' add up. Nodes of tables that you make are one division.
#' [rep()] of a fit's events stands for fits of the same plan. The column `order`, of plans whose
#' noise was calibrated, is a Renyi order at which [account()] looks beside those that it
#' finds: any order is valid, and this one proved the budget. `Inf`: the `"pure"` accountant did,
#' and is asked.
#'
#' @return A data frame of class `dp_events`.
#' @examples
#' one <- dp_event_gaussian(sigma = 2, sensitivity = 1)
#' c(rep(one, 10), dp_event_pure(0.1))
#' account(c(dp_event_pure(1, node = c("north", "south")), dp_event_pure(2, node = "south")))
#' @name dp_event
NULL

.event_columns <- list(
  mechanism = NA_character_, sigma = NA_real_, alpha = NA_real_, b = NA_real_, epsilon = NA_real_,
  sensitivity = NA_real_, curvature = NA_real_, logistic_curvature = NA,
  modulus = NA_real_, dim = NA_real_, q = NA_real_, sampling = NA_character_,
  tolerance = NA_real_, neighbours = NA_character_, node = NA_integer_, count = 1,
  iteration = NA_real_, party = NA_character_, records = NA_integer_, division = 0L,
  per_person = NA_real_, candidates = NA_character_, shape = NA_real_, stop = NA_real_,
  order = NA_real_
)

# whose records an event is about
.party_columns <- c("node", "party", "records", "division", "per_person")

# and what else tells no accountant one kind from another
.unread <- c(.party_columns, "count", "iteration", "tolerance", "order")
# what calibrations read
.calibrated <- setdiff(names(.event_columns), setdiff(.unread, c("node", "count")))

# Bounds of the numeric columns: (lower, is the lower end excluded, upper).
.event_bounds <- list(
  sigma = list(0, TRUE, Inf), alpha = list(0, TRUE, Inf), b = list(0, TRUE, Inf),
  epsilon = list(0, FALSE, Inf), sensitivity = list(0, FALSE, Inf),
  curvature = list(0, FALSE, Inf), modulus = list(0, TRUE, Inf), q = list(0, TRUE, 1),
  dim = list(1, FALSE, Inf)
)

# of these `dim = NA` is ideal noise, of any dimension
.may_be_ideal <- c("gaussian", "subsampled_gaussian", "best_of")

#' An event of these columns, checked; of the others nothing is known.
#' @noRd
new_events <- function(mechanism, ...) check_event(list(mechanism = mechanism, ...))

#' @param given the columns as a list, its `mechanism` one.
#' @noRd
check_event <- function(given) {
  mechanism <- given$mechanism
  for (name in intersect(names(given), names(.event_bounds))) {
    bound <- .event_bounds[[name]]
    check <- if (name == "dim" && mechanism %in% .may_be_ideal) check_known else check_numbers
    check(given[[name]], name,
      lower = bound[[1L]], open_lower = bound[[2L]], upper = bound[[3L]], whole = name == "dim"
    )
  }
  for (name in c("tolerance", "iteration")) check_known(given[[name]], name)
  if (!is.null(given$logistic_curvature)) {
    check_flags(given$logistic_curvature, "logistic_curvature")
  }
  check_choice(given$neighbours, c("replace-one", "add-remove"), "neighbours")
  check_numbers(given$count, "count", lower = 1, whole = TRUE)
  if (is.factor(given$node)) given$node <- as.character(given$node)
  if (!is.character(given$node)) {
    check_known(given$node, "node", lower = 0, upper = .Machine$integer.max, whole = TRUE)
  } else {
    given$party <- given$node
    given$node <- match(given$node, unique(given$node[!is.na(given$node)]))
  }
  columns <- .event_columns
  columns[names(given)] <- given
  columns$dim <- as.double(columns$dim)
  release_table(columns, "dp_events", "event")
}

#' @rdname dp_event
#' @export
dp_event_pure <- function(epsilon, neighbours = "replace-one", node = NA, count = 1,
                          iteration = NA) {
  new_events("pure",
    epsilon = epsilon, neighbours = neighbours, node = node, count = count, iteration = iteration
  )
}

#' @rdname dp_event
#' @export
dp_event_exact <- function(neighbours = "replace-one", node = NA, count = 1, iteration = NA) {
  new_events("exact", neighbours = neighbours, node = node, count = count, iteration = iteration)
}

#' @rdname dp_event
#' @export
dp_event_laplace <- function(b, sensitivity, neighbours = "replace-one", node = NA, count = 1,
                             iteration = NA) {
  new_events("laplace",
    b = b, sensitivity = sensitivity, neighbours = neighbours, node = node, count = count,
    iteration = iteration
  )
}

#' @rdname dp_event
#' @export
dp_event_gamma <- function(alpha, sensitivity, dim, neighbours = "replace-one", node = NA,
                           count = 1, iteration = NA, tolerance = NA) {
  new_events("gamma",
    alpha = alpha, sensitivity = sensitivity, dim = dim, neighbours = neighbours, node = node,
    count = count, iteration = iteration, tolerance = tolerance
  )
}

#' @rdname dp_event
#' @export
dp_event_gaussian <- function(sigma, sensitivity, neighbours = "replace-one", node = NA,
                              count = 1, iteration = NA, tolerance = NA, dim = NA) {
  new_events("gaussian",
    sigma = sigma, sensitivity = sensitivity, neighbours = neighbours, node = node,
    count = count, iteration = iteration, tolerance = tolerance, dim = dim
  )
}

#' @rdname dp_event
#' @export
dp_event_subsampled_gaussian <- function(sigma, sensitivity, q, sampling = c("poisson", "fixed"),
                                         neighbours = "replace-one", node = NA, count = 1,
                                         iteration = NA, dim = NA) {
  sampling <- check_choice(sampling, c("poisson", "fixed"), "sampling")
  new_events("subsampled_gaussian",
    sigma = sigma, sensitivity = sensitivity, q = q, sampling = sampling,
    neighbours = neighbours, node = node, count = count, iteration = iteration, dim = dim
  )
}

#' @rdname dp_event
#' @export
dp_event_objective_gamma <- function(alpha, sensitivity, curvature, modulus, dim,
                                     logistic_curvature = FALSE, neighbours = "replace-one",
                                     node = NA, count = 1, iteration = NA, tolerance = NA) {
  new_events("objective_gamma",
    alpha = alpha, sensitivity = sensitivity, curvature = curvature, modulus = modulus,
    dim = dim, logistic_curvature = logistic_curvature, neighbours = neighbours, node = node,
    count = count, iteration = iteration, tolerance = tolerance
  )
}

#' @rdname dp_event
#' @export
dp_event_objective_gaussian <- function(sigma, sensitivity, curvature, modulus,
                                        logistic_curvature = FALSE, neighbours = "replace-one",
                                        node = NA, count = 1, iteration = NA, tolerance = NA) {
  new_events("objective_gaussian",
    sigma = sigma, sensitivity = sensitivity, curvature = curvature, modulus = modulus,
    logistic_curvature = logistic_curvature, neighbours = neighbours, node = node,
    count = count, iteration = iteration, tolerance = tolerance
  )
}

#' Nothing is proved of it, so there is no public constructor.
#' @noRd
event_printed_test <- function(epsilon, node, iteration) {
  new_events("printed_test",
    epsilon = epsilon, neighbours = "replace-one", node = node, count = 1, iteration = iteration
  )
}

#' A table with the columns that it lacks: one of a fit that was saved by an earlier version.
#' @noRd
with_event_columns <- function(events) {
  lacks <- setdiff(names(.event_columns), names(events))
  if (length(lacks) && inherits(events, "dp_events")) events[lacks] <- .event_columns[lacks]
  events
}

#' Tables of one class below one another.
#' @noRd
bind_releases <- function(class, words, ...) {
  tables <- Filter(Negate(is.null), list(...))
  if (!all(vapply(tables, inherits, NA, class))) {
    abort("argument", sprintf("Only tables of %s can be combined with %s.", words, words),
      argument = "..."
    )
  }
  names <- names(tables[[1L]])
  columns <- .mapply(base::c, lapply(tables, function(table) unclass(table)[names]), NULL)
  as_releases(stats::setNames(columns, names), class)
}

#' @export
print.dp_events <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf("<%s: %g releases in %d kinds>\n", class(x)[1L], sum(x$count), nrow(x)))
  shown <- names(x)[vapply(x, function(column) !all(is.na(column)), NA)]
  if (length(unique(x$division)) < 2L) shown <- setdiff(shown, "division")
  long <- !is.na(x$candidates)
  if (any(long)) {
    x$candidates[long] <- sprintf("%d tables", lengths(strsplit(x$candidates[long], "|", TRUE)))
  }
  print.data.frame(utils::head(x[shown], 10L), row.names = FALSE)
  if (nrow(x) > 10L) cat(sprintf("... and %d more\n", nrow(x) - 10L))
  invisible(x)
}

# ---- of runs --------------------------------------------------------------------------

# what knows the events it released
.runs <- c("dpadmm_fit", "dpadmm_plan", "dpadmm_fixed_point", "dpadmm_evaluation", "dpadmm_tuned")

is_list_of_runs <- function(x) is.list(x) && !is.object(x)

#' The tables of releases of what account() takes, as a list.
#' @noRd
events_of <- function(x) {
  if (is_list_of_runs(x) && length(x) > 0L) {
    return(unlist(lapply(unname(x), events_of), recursive = FALSE))
  }
  if (inherits(x, .runs)) {
    if (is.null(x$events)) {
      abort("accountant",
        "Nothing is known of what this run released: no `sensitivity` was stated.",
        argument = "events"
      )
    }
    x <- x$events
  }
  list(check_releases(x))
}
