# One rule for all verdicts: what an experiment has to show before a claim is said to hold.

#' Does a claim hold in an experiment?
#'
#' One rule for all claims of the form "this is smaller than that", here and in the vignettes
#' about the papers, see `vignette("verdicts")`. Settings are compared *case* by case (a case is
#' a budget, a panel of a figure, ...), and within a case *repetition* by repetition: two settings
#' of a repetition have the same split of the records, so that only their difference counts.
#'
#' A case holds when the mean of the differences is larger than `size`, a size that matters and
#' is fixed before one looks, **and** a paired t test finds it at the level `level`, divided by the
#' number of cases. It is refuted when the same is true of the opposite, and open otherwise. A
#' claim of "the same" holds in a case when the two one-sided tests find the mean difference to lie
#' within `size` of 0, and is refuted when a test finds it outside. Runs that have nothing random
#' in them are run once; for those the size decides alone.
#'
#' The verdict is `"yes"` when all cases hold, `"no"` when none does, `"in part"` in between.
#' `verdict_strip()` sets verdicts on one claim side by side that were found under several
#' settings: unless they are all the same word, the claim's verdict is `"depends"`.
#'
#' @param found a result of [experiment()], or some of its rows, or a data frame with a column
#'   `repetition`.
#' @param y the name of a column of numbers.
#' @param by the name of the column that tells what is compared.
#' @param of,than values of that column: the claim is that `y` of `of` is smaller than `y` of
#'   `than`. With several values in `than`, each is a case of its own.
#' @param cases names of columns; their values are cases. What else varies must be cut away.
#' @param size the least difference that matters, in units of `y`; with `relative = TRUE` as a
#'   share of it (0.05: five percent). For claims of "the same", the largest that does not.
#' @param claim `"less"` or `"more"`; or `"same"`.
#' @param relative compare ratios, by logarithms; `y` must be positive.
#' @param level of the tests, all cases together.
#' @return `verdict()`: a data frame of class `dpadmm_verdict`, a row a case: the values of
#'   `cases`, `than`, `pairs` (repetitions that have both), the mean `difference` of `of` less
#'   `than` (with `relative = TRUE` the relative one), the `p` value, and `holds`: `TRUE`,
#'   `FALSE` (refuted) or `NA` (open; also where nothing could be compared). `format()` gives the
#'   verdict, with `counts = TRUE` and the number of cases that hold.
#'   `verdict_strip()`: a character vector, the verdict with the name `verdict` and then those
#'   given, named as they were.
#'
#'   Errors: `dpadmm_error_argument` for columns or values that are not there, and where a
#'   repetition has several values.
#' @examples
#' run <- function(setting, seed) {
#'   set.seed(setting$repetition) # the same records for both
#'   x <- rt(setting$n, df = 3)
#'   value <- if (setting$method == "mean") mean(x) else median(x)
#'   data.frame(distance = abs(value))
#' }
#' settings <- expand.grid(n = c(10, 1000), method = c("mean", "median"))
#' found <- experiment(settings, run, repetitions = 100)
#' median_wins <- verdict(found, "distance", by = "method", of = "median", than = "mean",
#'   cases = "n", size = 0.01)
#' median_wins
#' verdict_strip("10 and 1000" = median_wins, "10 only" = median_wins[1, ])
#' @export
verdict <- function(found, y, by, of, than, cases = NULL, size, claim = "less",
                    relative = FALSE, level = 0.05) {
  if (!is.data.frame(found) || !("repetition" %in% names(found))) {
    abort("argument", "`found` must be a data frame with a column `repetition`.",
      argument = "found"
    )
  }
  check_column(y, found, "y", numeric = TRUE)
  check_column(by, found, "by")
  lapply(cases, check_column, found, "cases")
  claim <- check_choice(claim, c("less", "more", "same"), "claim")
  check_flag(relative, "relative")
  check_number(size, "size", lower = 0)
  check_number(level, "level", lower = 0, upper = 1)
  known <- unique(as.character(found[[by]]))
  check_choice(as.character(of), known, "of")
  lapply(as.character(than), check_choice, known, "than")
  if (relative && any(found[[y]] <= 0, na.rm = TRUE)) {
    abort("argument", sprintf("Ratios need positive values of `%s`.", y), argument = "relative")
  }
  class(found) <- "data.frame"
  case <- unique(found[cases])
  if (length(cases) == 0L) case <- data.frame(row.names = 1L)
  rows <- expand.grid(k = seq_len(nrow(case)), than = than, stringsAsFactors = FALSE)
  judged <- do.call(rbind, lapply(seq_len(nrow(rows)), function(r) {
    here <- found[matches_case(found, case[rows$k[r], , drop = FALSE]), ]
    gap <- paired_gaps(here, y, by, of, rows$than[r], relative)
    judge(gap, claim, size, relative, level / nrow(rows))
  }))
  structure(
    data.frame(case[rows$k, , drop = FALSE], than = rows$than, judged,
      check.names = FALSE, row.names = NULL
    ),
    class = c("dpadmm_verdict", "data.frame")
  )
}

matches_case <- function(found, case) {
  Reduce(`&`, Map(function(column, value) column %in% value, found[names(case)], case),
    rep(TRUE, nrow(found))
  )
}

#' Differences of `of` less `than` (of logarithms: relative), a repetition each.
#' @noRd
paired_gaps <- function(found, y, by, of, than, relative) {
  side <- function(value) {
    rows <- found[found[[by]] %in% value, ]
    if (anyDuplicated(rows$repetition)) {
      abort("argument", sprintf(
        "%s has several values in a repetition: name what varies in `cases`, or take a subset.",
        format(value)
      ), argument = "cases", value = value)
    }
    stats::setNames(if (relative) log(rows[[y]]) else rows[[y]], rows$repetition)
  }
  a <- side(of)
  gap <- a - side(than)[names(a)]
  unname(gap[!is.na(gap)])
}

#' One case by its differences.
#' @noRd
judge <- function(gap, claim, size, relative, level) {
  n <- length(gap)
  middle <- if (n > 0L) mean(gap) else NA_real_
  out <- data.frame(
    pairs = n, difference = if (relative) expm1(middle) else middle, p = NA_real_, holds = NA
  )
  if (n == 0L) return(out)
  if (relative) size <- log1p(size)
  error <- if (n > 1L) stats::sd(gap) / sqrt(n) else 0
  # P of a mean at least that far above `from` (below, if negative)
  above <- function(distance) {
    if (n == 1L || error == 0) return(as.double(distance <= 0))
    stats::pt(distance / error, n - 1L, lower.tail = FALSE)
  }
  if (claim == "same") {
    out$p <- above(size - abs(middle))
    if (out$p < level) out$holds <- TRUE
    if (above(abs(middle) - size) < level) out$holds <- FALSE
  } else {
    out$p <- min(1, 2 * above(abs(middle)))
    if (abs(middle) > size && out$p < level) out$holds <- (middle < 0) == (claim == "less")
  }
  if (n == 1L) out$p <- NA_real_
  out
}

#' @param x a result of `verdict()`.
#' @param counts whether to add the number of cases, of more than one.
#' @rdname verdict
#' @export
format.dpadmm_verdict <- function(x, counts = FALSE, ...) {
  check_no_dots(...)
  compared <- x$holds[x$pairs > 0L]
  held <- sum(compared, na.rm = TRUE)
  word <- if (held == 0L) "no" else if (held == length(compared)) "yes" else "in part"
  if (!counts || length(compared) < 2L) return(word)
  sprintf("%s (%d of %d)", word, held, length(compared))
}

#' @param ... `verdict_strip()`: verdicts or words, each with the name of its setting; not used
#'   in the methods.
#' @rdname verdict
#' @export
verdict_strip <- function(...) {
  given <- list(...)
  if (length(given) == 0L || is.null(names(given)) || any(names(given) == "")) {
    abort("argument", "Give verdicts, each with the name of its setting.", argument = "...")
  }
  words <- vapply(given, function(one) {
    if (inherits(one, "dpadmm_verdict")) return(format(one))
    check_choice(one, c("yes", "no", "in part"), "...")
  }, "")
  c(verdict = if (length(unique(words)) == 1L) words[[1L]] else "depends", words)
}

#' @rdname verdict
#' @export
print.dpadmm_verdict <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf("%s\n", format(x, counts = TRUE)))
  shown <- as.data.frame(x)
  class(shown) <- "data.frame"
  shown$holds <- ifelse(is.na(x$holds), "open", ifelse(x$holds, "yes", "refuted"))
  print(shown, row.names = FALSE, digits = 3L)
  invisible(x)
}
