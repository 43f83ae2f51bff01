# The runs of an audit: fresh seeds, released values as rows, shared among processes.

#' A list of two matrices, runs x released values (or the statistic), one a data set.
#' @noRd
audit_runs_of <- function(release, data1, data2, runs, statistic, seed, workers, progress) {
  runners <- list(one_run(release, data1, statistic, seed), one_run(release, data2, statistic, seed))
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
  parts <- shared_lapply(blocks, block, workers, bar$tick)
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

#' R's own generator is the release's to use; here its state is put back afterwards.
#' @noRd
with_r_seed <- function(seed, code) {
  had <- exists(".Random.seed", globalenv(), inherits = FALSE)
  old <- if (had) get(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (had) {
    assign(".Random.seed", old, globalenv())
  } else if (exists(".Random.seed", globalenv(), inherits = FALSE)) {
    rm(".Random.seed", envir = globalenv())
  })
  set.seed(seed)
  code
}

#' What was released, as numbers.
#' @noRd
released_values <- function(value) {
  if (inherits(value, "dpadmm_fit")) return(fit_values(value))
  if (inherits(value, "dpadmm_fixed_point")) value <- value$iterates
  if (is.list(value) && !is.null(value$statistic)) value <- value$statistic
  if (!is.numeric(value) && !is.logical(value)) {
    abort("operator", sprintf(
      "`release` must return numbers, a list with a numeric `statistic`, or a fit, not %s.", kind_of(value)
    ), argument = "release")
  }
  value <- as.double(value)
  if (length(value) == 0L) abort("operator", "`release` returned nothing.", argument = "release")
  if (!all(is.finite(value))) {
    abort("finite", sprintf("A released value is %s.", format(value[!is.finite(value)][1L])), argument = "release")
  }
  value
}

#' Every message of a fit, and who sent when.
#' @noRd
fit_values <- function(fit) {
  c(if (is.null(fit$iterates)) fit$coefficients else fit$iterates, if (!is.null(fit$sends)) fit$sends + 0)
}

one_number <- function(value, what) {
  if (!(is.numeric(value) || is.logical(value)) || length(value) != 1L || !is.finite(value)) {
    abort("operator", sprintf("`%s` must return one finite number, not %s.", what, kind_of(value)), argument = what)
  }
  as.double(value)
}

#' lapply() over blocks in several processes, forked where the system can.
#' @noRd
shared_lapply <- function(blocks, f, workers, tick = NULL) {
  out <- vector("list", length(blocks))
  workers <- min(workers, length(blocks))
  if (workers > 1 && .Platform$OS.type != "unix") {
    cluster <- parallel::makePSOCKcluster(workers)
    on.exit(parallel::stopCluster(cluster))
  }
  for (first in seq(1L, length(blocks), by = workers)) {
    here <- first:min(first + workers - 1L, length(blocks))
    out[here] <- if (workers == 1) {
      lapply(blocks[here], f)
    } else if (.Platform$OS.type == "unix") {
      raise_worker(parallel::mclapply(blocks[here], function(x) {
        tryCatch(f(x), error = function(e) structure(list(e), class = "dpadmm_worker_error"))
      }, mc.cores = workers, mc.preschedule = FALSE))
    } else {
      parallel::parLapply(cluster, blocks[here], f)
    }
    if (!is.null(tick)) tick(max(here))
  }
  out
}

#' The first error of a worker, as it was; a worker that died has no result.
#' @noRd
raise_worker <- function(results) {
  for (result in results) {
    if (inherits(result, "dpadmm_worker_error")) stop(result[[1L]])
    if (is.null(result) || inherits(result, "try-error")) {
      abort("operator", "A worker process ended without a result.", argument = "workers")
    }
  }
  results
}
