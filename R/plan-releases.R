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
  unit <- rep_len(unit, nrow(releases))
  mechanism <- noise_mechanism(mechanism)
  parts <- releases$part
  # Gaussian noise on values is one kind of event, whatever they are of
  if (!mechanism$pure && all(releases$q == 1)) parts[parts %in% .on_values] <- "output"
  of_part <- function(part) {
    rows <- which(parts == part)
    r <- pick_releases(releases, rows)
    part_events(part, r, unit[rows] * r$weight, mechanism, problem)
  }
  do.call(bind_releases, c(list("dp_events", "events"), lapply(unique(parts), of_part)))
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

part_events <- function(part, r, size, mechanism, problem) {
  where <- list(
    node = r$node, iteration = r$iteration, count = r$count, neighbours = r$neighbours[1L]
  )
  of <- function(event, ...) do.call(event, c(list(...), where))
  if (part == "test") return(of(dp_event_pure, round_up(1 / size)))
  if (part == "printed_test") {
    return(event_printed_test(round_up(1 / size), node = r$node, iteration = r$iteration))
  }
  if (part == "hidden") return(of(mechanism$hidden_event, size, r$sensitivity, dim = problem$d))
  scale <- mechanism$scale(size)
  if (part == "objective") {
    return(of(mechanism$objective_event, scale, r$sensitivity, r$curvature, r$modulus,
      dim = problem$d, logistic_curvature = problem$loss$logistic_curvature
    ))
  }
  if (any(r$q < 1)) {
    return(of(dp_event_subsampled_gaussian, scale, r$sensitivity,
      q = r$q[1L], sampling = r$sampling[1L], dim = problem$d
    ))
  }
  entries <- rep(problem$d, nrow(r))
  moments <- r$part %in% c("curvature", "scores")
  entries[moments] <- problem$d * inference_pieces(problem$d)
  of(mechanism$output_event, scale, r$sensitivity, dim = entries)
}

#' Which releases are alike, whoever makes them, when, and how often.
#' @noRd
release_kinds <- function(releases) {
  row_kind(unclass(releases)[setdiff(names(releases), c("node", "iteration", "count"))])
}

#' The releases of parties with alike ones of a party counted instead of repeated: what is
#' calibrated.
#' @noRd
counted_releases <- function(releases, kind = release_kinds(releases)) {
  alike <- row_kind(list(kind, releases$node))
  if (!anyDuplicated(alike)) return(releases)
  first <- which(!duplicated(alike))
  out <- pick_releases(releases, first)
  out$count <- as.vector(rowsum(releases$count, alike, reorder = FALSE))
  out
}
