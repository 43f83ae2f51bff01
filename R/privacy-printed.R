# What the source papers print about a run, as a table of class `dp_printed` beside its events:
# a row a release, in the papers' own numbers, which are not always those that are proved. The
# methods' builders are in plan-printed.R, the formulas in privacy-printed-theorems.R; only the
# "paper" accountant folds such a table.

# theorem      its name, a key of .printed_theorems
# part         which of the releases that the theorem composes: "objective", "output", "test"
# scale        of the noise: the standard deviation of Gaussian noise, the rate of Gamma-norm
# sensitivity  the printed one, in L2 norm
# curvature    largest eigenvalue that one record adds to the Hessian
# modulus      the strong convexity that the printed loss divides the curvature by
# ridge        strong convexity that the theorem's condition counts beside `modulus`
# ratio        noise over sensitivity, where the theorem is conditional on it
# q            sampling rate
# mu           split of epsilon
# epsilon      of a pure release
.printed_columns <- list(
  theorem = NA_character_, part = NA_character_, scale = NA_real_, sensitivity = NA_real_,
  curvature = NA_real_, modulus = NA_real_, ridge = 0, ratio = NA_real_, q = NA_real_,
  mu = NA_real_, epsilon = NA_real_, node = NA_integer_, iteration = NA_real_, count = 1
)

#' A table of printed releases; `...` are columns, recycled.
#' @noRd
new_printed <- function(theorem, part, ...) {
  check_choice(theorem, names(.printed_theorems), "theorem")
  given <- list(theorem = theorem, part = part, ...)
  stopifnot(names(given) %in% names(.printed_columns))
  columns <- .printed_columns
  columns[names(given)] <- given
  release_table(columns, "dp_printed", "printed release")
}

#' @export
c.dp_printed <- function(...) bind_releases("dp_printed", "printed theorems", ...)

#' @export
rep.dp_printed <- function(x, times = 1, ...) {
  check_no_dots(...)
  repeated(x, times)
}

#' @export
print.dp_printed <- function(x, ...) print.dp_events(x, ...)

#' The title of the guarantee that a table and delta have in print.
#' @noRd
printed_title <- function(printed, delta) {
  theorem <- printed$theorem[1L]
  if (delta > 0 && !is.null(.printed_theorems[[theorem]]$loss)) {
    paste0(theorem, ", composed as in plausible-admm, Lemmas 2 to 4")
  } else {
    theorem
  }
}

printed_caveat <- function(printed) .printed_theorems[[printed$theorem[1L]]]$caveat
