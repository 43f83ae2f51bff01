#' Losses
#'
#' Each loss is a function of a record's label `y` and linear predictor
#' `a = f'x`. `loss = "logistic"` and `loss = dpadmm_loss("logistic")` are the
#' same; the constructor is for losses with a width.
#'
#' | name | loss | Lipschitz constant L | curvature c1 | third derivative c2 |
#' |---|---|---|---|---|
#' | `logistic` | log(1 + exp(-y a)) | 1 | 1/4 | 1/(6 sqrt(3)) |
#' | `squared` | (a - y)^2 / 2 | none | 1 | 0 |
#' | `huber` | (a - y)^2 / 2 up to distance h, then linear | h | 1 | none |
#' | `hinge` | hinge, (1 + h - y a)^2 / (4h) for abs(1 - y a) <= h | 1 | 1/(2h) | none |
#'
#' A private fit needs a finite Lipschitz constant. `logistic` and `hinge` are
#' for two classes, `squared` and `huber` for numbers.
#'
#' `"binomial"`, the family of that name, and its function are `"logistic"`; other families of
#' [stats::glm()] are errors that say what comes nearest.
#'
#' @param name one of the names above.
#' @param width the width h (from 1e-100 to 1e100); by default 1 for `huber` and 0.5 for `hinge`.
#' @return An object of class `dpadmm_loss` with the constants above in
#'   `lipschitz`, `curvature`, `third`, `self_concordant` (whether the third
#'   derivative is at most the second everywhere), `logistic_curvature` (whether the second
#'   derivative is `abs(L') (1 - abs(L'))`, which makes private fits cheaper) and
#'   `classification`.
#' @source Chapelle (2007), Training a support vector machine in the primal, for
#'   the smoothed hinge; Huber (1964).
#' @examples
#' dpadmm_loss("hinge", width = 0.25)
#' @export
dpadmm_loss <- function(name, width = NULL) {
  if (inherits(name, "dpadmm_loss")) return(name)
  name <- loss_name(name)
  widths <- .Call(ffi_losses)
  check_choice(name, names(widths), "loss")
  if (is.null(width)) {
    width <- widths[[name]]
  } else {
    if (widths[[name]] == 0) {
      abort("argument", sprintf('The %s loss has no width.', name), argument = "width")
    }
    check_number(width, "width", lower = 1e-100, upper = 1e100)
  }
  constants <- .Call(ffi_loss_constants, name, width)
  names(constants)[names(constants) == "tied"] <- "logistic_curvature"
  structure(c(list(name = name, width = width), constants), class = "dpadmm_loss")
}

#' @export
print.dpadmm_loss <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf(
    "<dpadmm_loss: %s%s; L = %.4g, c1 = %.4g, c2 = %.4g>\n", x$name,
    if (x$width > 0) sprintf(" of width %g", x$width) else "", x$lipschitz, x$curvature, x$third
  ))
  invisible(x)
}

#' The largest gradient that a record's loss can have, for tolerances; where there is no bound,
#' that of a slope of 1.
#' @noRd
gradient_scale <- function(loss, row_bound) {
  row_bound * if (is.finite(loss$lipschitz)) loss$lipschitz else 1
}
