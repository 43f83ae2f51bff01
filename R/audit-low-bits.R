# What the last bits of released doubles tell: which of two noiseless values they cannot come
# from, and on which grid they lie.

#' Tell releases apart by their last bits
#'
#' The proofs of privacy are about real numbers, and a program adds doubles. Somebody who knows
#' both data sets (the adversary of the definition) knows what either would give without
#' noise. He subtracts each from a release and looks whether a draw could have given the rest:
#' the doubles that a product `scale * z` reaches are not all doubles, sums are rounded by how
#' large they are, and a grid of released values may hang on what was added to it. Where the last
#' step is exact on a public grid, none of this tells anything.
#'
#' `low_bits()` is a `statistic` for [audit()]: evidence against `value1` less that against
#' `value2`. [audit()] adds such evidence by itself to what it looks at in [fit_release()].
#'
#' `low_bits_attack()` only counts: it guesses which data set each release came from, by the
#' evidence that told most among the other half of the releases. Privacy bounds how often any
#' guess is right: where the guarantee is worth next to nothing (epsilon of 0.01) the guess must
#' be at chance, whatever it looks at.
#'
#' @section What is looked at:
#' In each party's first message with noise, where both data sets would send unlike values:
#' * how many entries no draw can have given (noise that is a double times the scale, in any
#'   of the plan's scales; for Gamma-norm noise times the vector's own norm);
#' * whether the rest after subtraction lies on a grid, and how far down its last bit;
#' * how far down the last bit of the message itself is, which a grid that depends on the
#'   data would move.
#'
#' @param value1,value2 what would be released without noise, one vector for each data set.
#' @param scale scales of the noise: standard deviations; `NULL`: unknown.
#' @param release a release made by [fit_release()].
#' @param data1,data2 two data sets for it.
#' @param runs number of runs on each (>= 2).
#' @param rounds number of rounds with noise (>= 1) whose messages are looked at: their values
#'   without noise are taken from a run without any, so more than one is of use only where a
#'   message does not depend on those before it (gradients of losses that are linear where the
#'   data are).
#' @param seed as in [audit()].
#' @return `low_bits()`: a function of the released values that returns one number.
#'   `low_bits_attack()`: a list of class `dpadmm_low_bits` with `right`, how many guesses `of`
#'   all were right, one for each message that would differ, and `p`, the two-sided p-value of
#'   that many by chance.
#'
#'   Errors: `dpadmm_error_shape` for values of unlike length, `dpadmm_error_argument` for the
#'   rest.
#' @source Mironov (2012), On significance of the least significant bits for differential
#'   privacy. Jin, McMurtry, Rubinstein and Ohrimenko (2022), Are we there yet? Timing and
#'   floating-point attacks on differential privacy systems.
#' @seealso [dpadmm_noise].
#' @examples
#' noisy <- function(value) value + 1.4 * rnorm(40)
#' one <- sin(1:40)
#' two <- one + 1e-3
#' audit(noisy, one, two, runs = 100, statistic = low_bits(one, two, scale = 1.4), seed = 1)
#'
#' pair <- worst_case_neighbours("labels", n = 6, d = 30)
#' release <- fit_release(dp_sgd(), iterations = 1, epsilon = 0.01, delta = 1e-6)
#' low_bits_attack(release, pair$data1, pair$data2, runs = 50, seed = 1)
#' @export
low_bits <- function(value1, value2, scale = NULL) {
  check_numbers(value1, "value1")
  check_numbers(value2, "value2", length = length(value1))
  if (!is.null(scale)) check_numbers(scale, "scale", lower = 0, open_lower = TRUE)
  truth <- list(t(as.double(value1)), t(as.double(value2)))
  function(values) {
    if (length(values) != length(value1)) {
      abort("shape", sprintf("%d values were released, not %d as without noise.", length(values),
        length(value1)), argument = "value1", value = length(values))
    }
    sum(low_bit_marks(t(as.double(values)), truth, scale)$against)
  }
}

#' @rdname low_bits
#' @export
low_bits_attack <- function(release, data1, data2, runs = 1000, rounds = 1, seed = NULL) {
  check_class(release, "dpadmm_release", "release", "fit_release()")
  check_number(runs, "runs", lower = 2, upper = 2^20, whole = TRUE)
  check_number(rounds, "rounds", lower = 1, whole = TRUE)
  seed <- check_seed(seed)
  sent <- list(message_runs(release, data1, rounds), message_runs(release, data2, rounds))
  truth <- lapply(sent, `[[`, "quiet")
  differs <- rowSums(truth[[1L]] != truth[[2L]]) > 0
  if (!any(differs)) {
    abort("argument", "Without noise both data sets send the same.", argument = "data2")
  }
  truth <- lapply(truth, function(value) value[differs, , drop = FALSE])
  seed_of <- function(place) if (!is.null(seed)) (seed %% 2^31) * 2^22 + place
  values <- lapply(1:2, function(i) lapply(seq_len(runs), function(k) {
    sent[[i]]$noisy(seed_of(k + (i - 1) * runs))[differs, , drop = FALSE]
  }))
  from <- rep(1:2, each = runs * sum(differs))
  again <- rep(seq_len(sum(differs)), 2 * runs)
  marks <- low_bit_marks(do.call(rbind, unlist(values, recursive = FALSE)),
    lapply(truth, function(value) value[again, , drop = FALSE]), sent[[1L]]$scale,
    sent[[1L]]$radial
  )
  right <- rightly_told(cbind(marks$against, marks$own), from)
  structure(list(
    right = right, of = length(from), p = stats::binom.test(right, length(from))$p.value
  ), class = "dpadmm_low_bits")
}

#' @export
print.dpadmm_low_bits <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf(
    "<dpadmm_low_bits: %g of %g releases told apart by their last bits>\n  by chance: p = %s\n",
    x$right, x$of, format(x$p, digits = 2L)
  ))
  invisible(x)
}

# ---- evidence ---------------------------------------------------------------------------

#' For each message (row of values): `against`, evidence that speaks against truth 1 less that
#' against truth 2, about 0 where there is none; `own`, what shows without a hypothesis. Entries
#' in which the truths agree are left out.
#' @param truth two matrices like `values`, the values without noise.
#' @param scale scales that the noise may have; `radial`: it may be a direction times a norm.
#' @noRd
low_bit_marks <- function(values, truth, scale, radial = FALSE) {
  looks <- function(scale) {
    lapply(1:2, function(k) {
      core_call(.Call(ffi_low_bits, values, truth[[k]], truth[[3L - k]], as.double(scale)))
    })
  }
  # what the last three columns say hangs on no scale
  looked <- lapply(if (length(scale)) unique(scale) else 1, looks)
  against <- if (length(scale)) lapply(looked, function(both) {
    both[[1L]][, 1:2, drop = FALSE] - both[[2L]][, 1:2, drop = FALSE]
  })
  if (radial) against <- c(against, list(radial_contrast(values, truth)))
  both <- looked[[1L]]
  # a last bit further down is evidence against a value: the rest has more of them to hide
  deep <- (both[[2L]][, 3L] - both[[1L]][, 3L]) / 64
  list(against = do.call(cbind, c(against, list(deep))), own = both[[1L]][, 4:5, drop = FALSE])
}

#' How many entries are no product with their own rest's norm, or a double near it, less that of
#' the other truth.
#' @noRd
radial_contrast <- function(values, truth) {
  least <- lapply(1:2, function(k) {
    norm <- sqrt(rowSums((values - truth[[k]])^2))
    Reduce(pmin, lapply(-3:3, function(step) {
      core_call(.Call(
        ffi_low_bits, values, truth[[k]], truth[[3L - k]], steps_from(norm, step)
      ))[, 1L]
    }))
  })
  least[[1L]] - least[[2L]]
}

#' The double k steps away from x, away from 0 for k > 0.
#' @noRd
steps_from <- function(x, k) {
  # between one half and one unit in the last place, so that each sum is the next double
  while (k > 0) {
    x <- x + x * (2^-53 + 2^-103)
    k <- k - 1
  }
  while (k < 0) {
    x <- x - x * (2^-53 + 2^-103)
    k <- k + 1
  }
  x
}

# ---- guesses ----------------------------------------------------------------------------

#' How many runs are told rightly: each half by the column, threshold and side that are best
#' in the other.
#' @noRd
rightly_told <- function(marks, from) {
  half <- rep_len(1:2, length(from))
  told <- vapply(1:2, function(h) {
    learn <- half != h
    tries <- lapply(seq_len(ncol(marks)), function(j) best_cut(marks[learn, j], from[learn]))
    best <- which.max(vapply(tries, `[[`, 0, "right"))
    above <- marks[!learn, best] > tries[[best]]$cut
    sum(ifelse(above, tries[[best]]$above, 3L - tries[[best]]$above) == from[!learn])
  }, 0)
  sum(told)
}

#' The threshold, and the data set above it, with most right.
#' @noRd
best_cut <- function(mark, from) {
  order <- order(mark)
  below <- cumsum(ifelse(from[order] == 1L, 1, -1)) # those of data set 1 below, less those of 2
  end <- c(diff(mark[order]) > 0, TRUE)
  below <- below[end]
  at <- mark[order][end]
  k <- which.max(abs(below))
  list(cut = at[k], above = if (below[k] > 0) 2L else 1L, right = abs(below[k]))
}
