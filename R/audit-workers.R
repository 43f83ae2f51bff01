# The runs of an audit: fresh seeds, released values as rows, shared among processes.

#' A list of two matrices, runs x released values (or the statistic), one a data set.
#' @noRd
audit_runs_of <- function(release, data1, data2, runs, statistic, seed, workers, progress) {
  runners <- list(one_run(release, data1, statistic, seed), one_run(release, data2, statistic,
    seed))
  # run k of data set i has the seed at place (i - 1) runs + k
  seeds <- if (!is.null(seed)) (seed %% 2^31) * 2^22 + seq_len(2L * runs)
  block <- function(places) {
    rows <- lapply(places, function(place) {
      runners[[1L + (place > runs)]](if (is.null(seed)) NULL else seeds[place])
    })
    if (length(unique(lengths(rows))) > 1L) abort_uneven(rows)
    do.call(rbind, rows)
  }
  blocks <- split(seq_len(2L * runs), ceiling(seq_len(2L * runs) / max(1, ceiling(runs / 50))))
  bar <- progress_bar(progress, length(blocks), "Audit runs")
  on.exit(bar$done())
  globals <- if (workers > 1) c(used_objects(release)$globals,
    if (!is.null(statistic)) used_objects(statistic)$globals)
  parts <- shared_lapply(blocks, block, workers, globals, bar$tick)
  if (length(unique(vapply(parts, ncol, 0L))) > 1L) abort_uneven(lapply(parts, function(p) p[1L, ]))
  values <- do.call(rbind, parts)
  list(values[seq_len(runs), , drop = FALSE], values[-seq_len(runs), , drop = FALSE])
}

abort_uneven <- function(rows) {
  abort("shape", sprintf(
    "The number of released values changes between runs (%d, then %d): give a `statistic`.",
    lengths(rows)[1L], lengths(rows)[lengths(rows) != lengths(rows)[1L]][1L]
  ), argument = "release")
}

#' One run on one data set, a function of its seed.
#' @noRd
one_run <- function(release, data, statistic, seed) {
  run <- if (inherits(release, "dpadmm_release")) {
    attr(release, "prepare")(data)
  } else if ("seed" %in% names(formals(args(release)))) {
    function(seed) release(data, seed = seed)
  } else if (is.null(seed)) {
    function(seed) release(data)
  } else {
    function(seed) with_r_seed(seed %% 2^31, release(data))
  }
  function(seed) {
    value <- released_values(run(seed))
    if (is.null(statistic)) value else one_number(statistic(value), "statistic")
  }
}

#' What was released, as numbers.
#' @noRd
released_values <- function(value) {
  if (inherits(value, "dpadmm_fit")) return(fit_values(value))
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
  if (!all(is.finite(value))) {
    abort("finite", sprintf("A released value is %s.", format(value[!is.finite(value)][1L])),
      argument = "release")
  }
  value
}

#' Every message of a fit, and who sent when.
#' @noRd
fit_values <- function(fit) {
  c(if (is.null(fit$iterates)) fit$coefficients else fit$iterates,
    if (!is.null(fit$sends)) fit$sends + 0)
}

one_number <- function(value, what) {
  if (!(is.numeric(value) || is.logical(value)) || length(value) != 1L || !is.finite(value)) {
    abort("operator", sprintf("`%s` must return one finite number, not %s.", what, kind_of(value)),
      argument = what)
  }
  as.double(value)
}

#' f of each block, in worker processes that have `globals`, or in this one.
#' @noRd
shared_lapply <- function(blocks, f, workers, globals, tick = NULL) {
  out <- vector("list", length(blocks))
  workers <- min(workers, length(blocks))
  if (workers > 1) {
    profile <- "dpadmm-audit"
    on.exit(mirai::daemons(0, .compute = profile))
    start_workers(workers, profile, c(globals, list(.dpadmm_block = f)))
    work <- quote(tryCatch(.dpadmm_block(places), error = function(e) structure(list(e),
      class = "dpadmm_worker_error")))
    flying <- lapply(blocks, function(block) mirai::mirai(work, .args = list(places = block),
      .compute = profile))
  }
  for (k in seq_along(blocks)) {
    result <- if (workers > 1) {
      first_answer(flying[k], profile)
      flying[[k]]$data
    } else {
      f(blocks[[k]])
    }
    if (inherits(result, "dpadmm_worker_error")) stop(result[[1L]])
    if (workers > 1 && mirai::is_error_value(result)) {
      abort("operator", sprintf("A worker ended: %s.", format(result)), argument = "workers")
    }
    out[[k]] <- result
    if (!is.null(tick)) tick(k)
  }
  out
}
