# What a fit sends first, with its noise and without, for attacks by low bits.

#' A plan whose noise is 2^-200 of what it was: sums with it are those without noise.
#' @noRd
quiet_plan <- function(plan) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  less <- function(scale) mechanism$scale(2^-200 * mechanism$size(scale))
  plan$scales <- rapply(plan$scales, less, how = "list")
  plan
}

#' The first round that shows noise: a start with noise is sent before the first round, and shows
#' in what the first round gives.
#' @noRd
first_noisy_round <- function(plan) max(1, min(plan$events$iteration))

#' Scales of noise that a plan's first noisy messages may have.
#' @noRd
first_scales <- function(plan) {
  all <- unlist(lapply(plan$scales, function(s) if (is.matrix(s)) s[, 1L] else s[1L]))
  unique(all[is.finite(all) & all > 0])
}

#' The released values of all runs with what their last bits tell beside them: those of entries
#' that would differ without noise.
#' @noRd
with_low_bits <- function(values, release, data1, data2) {
  plan <- attr(release, "settle")(data1)
  # sums of whole numbers are no rounded doubles
  if (!plan$private || is_secure(plan)) return(values)
  first <- first_rows(plan, first_noisy_round(plan))
  truth <- lapply(list(data1, data2), function(data) {
    attr(release, "prepare")(data, quiet = TRUE)(0)[first]
  })
  unlike <- truth[[1L]] != truth[[2L]]
  if (!any(unlike)) return(values)
  all <- do.call(rbind, lapply(values, function(v) v[, first[unlike], drop = FALSE]))
  truth <- lapply(truth, function(value) {
    matrix(value[unlike], nrow(all), sum(unlike), byrow = TRUE)
  })
  marks <- low_bit_marks(all, truth, first_scales(plan))
  marks <- cbind(marks$against, marks$own)
  of <- list(seq_len(nrow(values[[1L]])), nrow(values[[1L]]) + seq_len(nrow(values[[2L]])))
  Map(function(v, rows) cbind(v, marks[rows, , drop = FALSE]), values, of)
}

#' What is released first with noise, a message a row: those of the parties, or of a server that
#' adds it.
#' @noRd
message_runs <- function(release, data, rounds) {
  plan <- attr(release, "settle")(data)
  if (is_secure(plan)) {
    abort("argument", "What is seen of a secure sum are whole numbers, and no rounded doubles.",
      argument = "release")
  }
  first <- if (!plan$private) 1L else first_noisy_round(plan)
  served <- !is.null(plan$scales$server)
  rounds <- if (served) first else seq_len(min(rounds, plan$iterations))
  N <- if (served) 1L else plan$problem$N
  # what is kept are messages, but where a party's gradient moves a model
  kept <- served || !is.null(plan$problem$network)
  prepare <- attr(release, "prepare")
  run <- function(quiet) {
    sent <- if (!kept) new.env()
    one <- prepare(data, quiet, sent)
    function(seed) {
      if (!kept) sent$values <- list()
      seen <- one(seed)
      if (!kept) return(do.call(rbind, sent$values[seq_len(max(rounds) * N)]))
      seen <- array(seen[seq_len(plan$iterations * N * plan$problem$d)],
        c(plan$iterations, N, plan$problem$d))
      matrix(aperm(seen[rounds, , , drop = FALSE], c(2L, 1L, 3L)), length(rounds) * N)
    }
  }
  list(
    noisy = run(FALSE), quiet = run(TRUE)(0), scale = first_scales(plan),
    radial = noise_mechanism(plan$budget$mechanism)$pure
  )
}

#' Places of iterates of the first rounds among all released values.
#' @noRd
first_rows <- function(plan, rounds) {
  parties <- if (is.null(plan$problem$network)) 1L else plan$problem$N
  count <- plan$iterations * plan$problem$d * parties
  which((seq_len(count) - 1L) %% plan$iterations < rounds)
}
