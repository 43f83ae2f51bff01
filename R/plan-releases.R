# The releases of a plan: who, when, where the noise is, and what it must hide; then events,
# once the size of the noise is known.
#
# All noises of a party hang on one number, its unit: a release's noise has size unit x
# `weight`, where a larger size is more private (a standard deviation, or the inverse of a
# rate, or of the epsilon of a test). So one root-finder calibrates every method.

#' @param part where the noise is: "objective", "output", "hidden" (exact noise that hides how
#'   far the program is from its theorem), "curvature" and "scores" (on moments), or "test" (a pure
#'   mechanism; or "printed_test", of which nothing is proved).
#' @param node party, `NA`: everybody's records. The rest as in [dp_event].
#' @noRd
new_releases <- function(part, node, iteration, sensitivity, weight = 1, count = 1,
                         curvature = NA_real_, modulus = NA_real_, q = 1,
                         sampling = NA_character_, neighbours = "replace-one") {
  columns <- list(
    part = part, node = as.integer(node), iteration = iteration,
    sensitivity = sensitivity, weight = weight, count = count, curvature = curvature,
    modulus = modulus, q = q, sampling = sampling, neighbours = neighbours
  )
  as_releases(lapply(columns, rep_len, max(lengths(columns))), character())
}

#' Releases under each other, which have the same columns (rbind() checks that, slowly).
#' @noRd
join_releases <- function(tables) {
  columns <- stats::setNames(nm = names(tables[[1L]]))
  as_releases(lapply(columns, function(name) {
    unlist(lapply(tables, .subset2, name), use.names = FALSE)
  }), character())
}

#' Events of releases with noise of the given unit (one, or one a row).
#' @noRd
release_events <- function(releases, unit, mechanism, problem) {
  if (nrow(releases) == 0L) return(NULL)
  events_of_unit(releases, mechanism, problem)(unit)
}

#' The same as a function of the unit and of which rows to `keep`, for whoever asks again and again:
#' after the first time only the noise changes. Of rows that are told there is only what accountants
#' read.
#' @noRd
events_of_unit <- function(releases, mechanism, problem) {
  mechanism <- noise_mechanism(mechanism)
  # part by part
  parts <- parts_of(releases, mechanism)
  names <- unique(parts)
  parts <- match(parts, names)
  delayedAssign("place", order(parts))
  rows_of <- function(keep) {
    from <- integer(length(place))
    from[keep] <- seq_along(keep)
    from <- from[place]
    kept <- which(from > 0L)
    row <- place[kept]
    list(
      kept = kept, row = row, from = from[kept], at = runs_of(parts[row], length(names)),
      weight = releases$weight[row], sensitivity = releases$sensitivity[row]
    )
  }
  noises_of <- function(unit, of) {
    size <- (if (length(unit) > 1L) unit[of$from] else unit) * of$weight
    .mapply(function(part, at) {
      part_noise(part, size[at], of$sensitivity[at], mechanism, problem)
    }, list(names, of$at), NULL)
  }
  columns_of <- function(noises, of, bind) {
    unclass(bind(.mapply(function(part, at, noise) {
      part_event(part, pick_releases(releases, of$row[at]), noise[[1L]], mechanism, problem)
    }, list(names, of$at, noises), NULL)))
  }
  of_some <- function(unit, keep) {
    if (is.null(read)) {
      all <- rows_of(seq_along(place))
      read <<- columns_of(noises_of(unit[1L], all), all, read_columns_of)
      if (identical(keep, seq_along(place))) return(c(all, list(columns = read)))
    }
    of <- rows_of(keep)
    of$columns <- lapply(read, `[`, of$kept)
    of
  }
  read <- own <- NULL
  function(unit, keep = NULL) {
    if (is.null(own) || !identical(keep, own$keep)) {
      of <- if (is.null(keep)) rows_of(seq_along(place)) else of_some(unit, keep)
      own <<- c(of, list(keep = keep))
    }
    noises <- noises_of(unit, own)
    # where it is not a number there is a word for that
    if (is.null(own$columns) || !all(is.finite(unlist(noises, use.names = FALSE)))) {
      own$columns <<- columns_of(noises, own, finish_events)
    }
    columns <- own$columns
    for (k in seq_along(noises)) {
      columns[[names(noises[[k]])]][own$at[[k]]] <- noises[[k]][[1L]]
    }
    as_releases(columns, "dp_events")
  }
}

#' Events with noise of unit 1, sorted by mechanism as each_mechanism() has them.
#' @noRd
sorted_events <- function(releases, mechanism, problem) {
  mechanism <- noise_mechanism(mechanism)
  parts <- parts_of(releases, mechanism)
  columns <- unclass(releases)
  lapply(unique(parts), function(part) {
    rows <- which(parts == part)
    own <- lapply(columns, `[`, rows)
    noise <- part_noise(part, own$weight, own$sensitivity, mechanism, problem)
    event <- part_event(part, own, noise[[1L]], mechanism, problem)
    list(name = event$mechanism, rows = rows, columns = event)
  })
}

#' What each release is of, as far as its events hang on that.
#' @noRd
parts_of <- function(releases, mechanism) {
  parts <- releases$part
  # Gaussian noise on values is one kind of event, whatever they are of
  if (!mechanism$pure && all(releases$q == 1)) parts[parts %in% .on_values] <- "output"
  parts
}

#' Events as one table.
#' @param events a list of their columns, see new_events().
#' @noRd
finish_events <- function(events) {
  do.call(bind_releases, c(list("dp_events", "events"), lapply(events, check_event)))
}

#' What calibrations read of them, not checked.
#' @noRd
read_columns_of <- function(events) {
  read <- .calibrated[.calibrated %in% unlist(lapply(events, names))]
  columns <- .mapply(base::c, lapply(events, function(event) {
    lapply(c(event, .event_columns)[read], rep_len, max(lengths(event)))
  }), NULL)
  stats::setNames(columns, read)
}

#' Where sorted numbers 1, 2, ..., `most` are.
#' @noRd
runs_of <- function(numbers, most) {
  count <- tabulate(numbers, most)
  Map(function(end, n) seq.int(to = end, length.out = n), cumsum(count), count)
}

.on_values <- c("output", "hidden", "curvature", "scores")

#' The events of a run without noise: after the first exchange there is nothing left to lose.
#' @noRd
exact_events <- function(plan) {
  node <- if (is.null(plan$problem$network)) NA else seq_len(plan$problem$N)
  of_parties(dp_event_exact(node = node, count = plan$iterations, iteration = 1), plan$problem)
}

#' Events with the names of their parties, where those are more than numbers of ours; among the
#' parties of one plan a record sits at one.
#' @noRd
of_parties <- function(events, problem) {
  if (isTRUE(problem$named)) {
    events$party <- problem$names[events$node]
    events$records <- problem$size[events$node]
  }
  events$division <- 1L
  persons <- problem$per_person
  if (any(persons > 1)) {
    events$per_person <- ifelse(is.na(events$node), min(persons), persons[events$node])
  }
  events
}

#' The noise of a part's releases as the column of their events that it is in.
#' @noRd
part_noise <- function(part, size, sensitivity, mechanism, problem) {
  if (part %in% c("test", "printed_test")) return(list(epsilon = round_up(1 / size)))
  if (part == "hidden") return(mechanism$hidden_noise(size, sensitivity, problem$d))
  stats::setNames(list(mechanism$scale(size)), mechanism$scale_name)
}

#' The columns of a part's events.
#' @noRd
part_event <- function(part, r, noise, mechanism, problem) {
  where <- list(
    neighbours = r$neighbours[1L], node = r$node, count = r$count, iteration = r$iteration
  )
  if (part %in% c("test", "printed_test")) {
    mechanism <- if (part == "test") "pure" else part
    return(c(list(mechanism = mechanism, epsilon = noise), where))
  }
  d <- as.double(problem$d)
  event <- if (part == "hidden") {
    mechanism$hidden_event(noise, r$sensitivity, d)
  } else if (part == "objective") {
    mechanism$objective_event(noise, r$sensitivity, r$curvature, r$modulus, d,
      problem$loss$logistic_curvature
    )
  } else if (any(r$q < 1)) {
    list(mechanism = "subsampled_gaussian", sigma = noise, sensitivity = r$sensitivity, q = r$q[1L],
      sampling = r$sampling[1L], dim = d)
  } else {
    mechanism$output_event(noise, r$sensitivity, entries_of(r$part, d))
  }
  c(event, where)
}

#' Of how many numbers releases of values are.
#' @noRd
entries_of <- function(part, d) {
  moments <- which(part %in% c("curvature", "scores"))
  entries <- rep(d, length(part))
  if (length(moments)) entries[moments] <- d * inference_pieces(d)
  entries
}

#' The releases of parties with alike ones of a party counted instead of repeated: what is
#' calibrated.
#' @noRd
counted_releases <- function(releases) {
  alike <- row_kind(columns_but(releases, c("iteration", "count")))
  if (max(0L, alike) == length(alike)) return(releases) # all are unlike
  first <- which(!duplicated(alike))
  out <- pick_releases(releases, first)
  out$count <- group_sums(as.double(releases$count), alike, length(first))
  out
}
