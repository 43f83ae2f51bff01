# The runs of an audit: a seed of its own for each, released values as rows.

#' A list of two matrices, runs x released values (or the statistic), one a data set.
#' @noRd
audit_runs_of <- function(release, data1, data2, runs, statistic, seed, workers, progress) {
  block <- block_runner(release, data1, data2, runs, statistic, seed)
  some <- split(seq_len(runs), (seq_len(runs) - 1L) %/% ceiling(runs / 25))
  blocks <- c(some, lapply(some, `+`, runs))
  bar <- progress_bar(progress, length(blocks), "Audit runs")
  on.exit(bar$done())
  objects <- if (workers > 1) {
    c(used_objects(release)$globals, if (!is.null(statistic)) used_objects(statistic)$globals)
  }
  have <- 0L
  parts <- run_tasks(blocks, block, workers, objects, function(k, rows) {
    have <<- have + 1L
    if (!is.null(bar$tick)) bar$tick(have)
    rows
  })
  check_even(lapply(parts, function(part) part[1L, ]))
  first <- seq_along(some)
  list(do.call(rbind, parts[first]), do.call(rbind, parts[-first]))
}

#' A function of the places of some runs, that of run k on data set i being (i - 1) runs + k,
#' which returns their released values as rows.
#' @noRd
block_runner <- function(release, data1, data2, runs, statistic, seed) {
  runners <- list(
    one_run(release, data1, statistic, seed), one_run(release, data2, statistic, seed)
  )
  seed_at <- function(place) if (!is.null(seed)) (seed %% 2^31) * 2^22 + place
  function(places) {
    rows <- lapply(places, function(place) runners[[1L + (place > runs)]](seed_at(place)))
    check_even(rows)
    check_released(do.call(rbind, rows))
  }
}

check_even <- function(rows) {
  count <- lengths(rows)
  if (all(count == count[1L])) return(invisible())
  abort("shape", sprintf(
    "The number of released values changes between runs (%d, then %d): give a `statistic`.",
    count[1L], count[count != count[1L]][1L]
  ), argument = "release")
}

#' One run on one data set, a function of its seed.
#' @noRd
one_run <- function(release, data, statistic, seed) {
  prepare <- attr(release, "prepare")
  run <- if (!is.null(prepare)) {
    prepare(data)
  } else if ("seed" %in% names(formals(args(release)))) {
    function(seed) release(data, seed = seed)
  } else if (is.null(seed)) {
    function(seed) release(data)
  } else {
    function(seed) with_r_seed(seed %% 2^31, release(data))
  }
  if (!is.null(prepare) && is.null(statistic)) return(run) # what it gives are numbers
  function(seed) {
    value <- released_values(run(seed))
    if (is.null(statistic)) return(value)
    one_number(statistic(check_released(value)), "statistic")
  }
}

#' What was released, as numbers.
#' @noRd
released_values <- function(value) {
  if (inherits(value, "dpadmm_fit")) return(c(fit_values(value), fit_public(value)))
  if (inherits(value, "dpadmm_fixed_point")) value <- value$iterates
  if (is.list(value) && !is.null(value$statistic)) value <- value$statistic
  if (!is.numeric(value) && !is.logical(value)) {
    abort("operator", sprintf(
      "`release` must return numbers, a list with a numeric `statistic`, or a fit, not %s.",
      kind_of(value)
    ), argument = "release")
  }
  value <- as.double(value)
  if (length(value) == 0L) abort("operator", "`release` returned nothing.", argument = "release")
  value
}

check_released <- function(values) {
  if (all(is.finite(values))) return(values)
  abort("finite", sprintf("A released value is %s.", format(values[!is.finite(values)][1L])),
    argument = "release"
  )
}

#' Every message of a fit, and who sent when.
#' @noRd
fit_values <- function(fit) {
  sent <- if (is.null(fit$iterates)) fit$coefficients else fit$iterates
  c(sent, if (!is.null(fit$sends)) fit$sends + 0)
}

#' All that a fit says without noise, as one number: another number, another fit. What is drawn
#' in public (orders, samples) is left out.
#' @noRd
fit_public <- function(fit) {
  said <- list(
    names(fit), dimnames(fit$coefficients), fit$noise, fit$nodes, fit$blueprint, fit$leaks,
    fit$plan$problem, fit$plan$words
  )
  as_one_number(said)
}

#' A number that differs where an object does.
#' @noRd
as_one_number <- function(said) {
  # version 2 writes sequences out, so that equal objects have equal bytes
  bytes <- as.numeric(serialize(said, NULL, version = 2L))
  sum(bytes * (1 + seq_along(bytes) %% 1009))
}

one_number <- function(value, what) {
  if (!(is.numeric(value) || is.logical(value)) || length(value) != 1L || !is.finite(value)) {
    abort("operator", sprintf("`%s` must return one finite number, not %s.", what, kind_of(value)),
      argument = what
    )
  }
  as.double(value)
}
