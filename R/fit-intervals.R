#' Standard errors and intervals
#'
#' Of a fit that was planned with `inference = TRUE`: what another sample would have given and what
#' the noise adds, both. The estimate in these tables is not [coef()][coef.dpadmm_fit], which a
#' ridge and few iterations have drawn in: it is a step of Newton's method from there, along
#' gradients and curvature that were released (of the logistic loss two, the second with the
#' curvature as it changes on the way), and estimates the coefficients without a penalty. All of it
#' is computed from released values, so it costs nothing more.
#'
#' * What is estimated: the minimiser of the sum over parties of `C_i` times their mean expected
#'   loss ([party-weights]), for methods with one model of the mean over all records; where all
#'   records follow the model, its coefficients.
#' * Methods: those on a graph that solve their nodes' problems ([admm()], [m_admm()], [r_admm()],
#'   [mr_admm()]); and [grad_admm()], [acc_admm()] and [dp_sgd()], whose gradients are released as
#'   they are, of all records in each step, not clipped below the loss's own bound, and without a
#'   penalty or with [penalty_l2()]; of [secure sums][secure_sum] too. The others release no
#'   gradients of the loss: an error of class `dpadmm_error_argument`, before anything is charged.
#' * `inference = "model"` takes the model to hold (the default for the logistic loss), `"sandwich"`
#'   does not, and spends half of what moments cost on the second matrix that this needs (the
#'   default for the others).
#' * Of a factor with all its levels beside an intercept, differences to the first level are shown.
#' * Intervals are those of Student's t, whose degrees of freedom say how well the released moments
#'   tell a variance.
#'
#' Variances are by the delta method, and how well intervals cover is simulated: see the vignette
#' "report". There are none where the released curvature, at the run's end or at the estimate, is
#' not 1.5 times what noise alone makes of one, as of columns that are collinear; nor where
#' curvature and gradient are such as separated classes have, which have no best model: this is sure
#' without noise; with noise in them it is so by a margin, and takes nearly separated ones for such,
#' too. Where one level of a factor has one class only, up to a fifth of private fits have intervals
#' still in simulations, of a coefficient that has no best value. To have none is an error of class
#' `dpadmm_error_unavailable`, decided from released values, so it costs nothing.
#'
#' @param object a fit of [dpadmm_fit()].
#' @param parm names or numbers of coefficients; all when missing.
#' @param level of confidence.
#' @param ... not used.
#' @return `vcov()`: a matrix; `confint()`: a matrix with a row for each coefficient, and the lower
#'   and the upper end. Errors of class `dpadmm_error_unavailable` for a fit that was not planned
#'   for it, or that cannot tell.
#' @seealso [summary()][summary.dpadmm_fit], [tidy()] with `conf.int = TRUE`,
#'   [predict()][predict.dpadmm_fit] with `se.fit = TRUE`, `autoplot(fit, "coefficients")`.
#' @examples
#' n <- 20000
#' people <- data.frame(age = sample(18:90, n, TRUE), sex = sample(c("f", "m"), n, TRUE))
#' people$ill <- ifelse(runif(n) < plogis(people$age / 20 - 3), "yes", "no")
#' public <- dpadmm_schema(age = c(18, 90), sex = c("f", "m"), ill = c("no", "yes"))
#' fit <- dpadmm_fit(ill ~ age + sex, people,
#'   nodes = 2, schema = public, epsilon = 4, delta = 1e-6, inference = TRUE
#' )
#' confint(fit)
#' sqrt(diag(vcov(fit)))
#' @name intervals
NULL

#' @rdname intervals
#' @export
vcov.dpadmm_fit <- function(object, ...) {
  check_no_dots(...)
  it <- inferred(object)
  LG <- coefficient_forms(object$blueprint)$L %*% it$bread
  V <- LG %*% (it$noise + it$meat) %*% t(LG)
  (V + t(V)) / 2
}

#' @rdname intervals
#' @export
confint.dpadmm_fit <- function(object, parm, level = 0.95, ...) {
  check_no_dots(...)
  table <- coefficient_table(object, check_level(level))
  ends <- as.matrix(table[c("conf.low", "conf.high")])
  tails <- 100 * c(1 - level, 1 + level) / 2
  dimnames(ends) <- list(table$term, paste(format(tails, trim = TRUE, digits = 3L), "%"))
  if (missing(parm)) return(ends)
  rows <- if (is.character(parm)) match(parm, table$term) else seq_len(nrow(ends))[parm]
  if (length(bad <- which(is.na(rows)))) {
    abort("argument", sprintf("There is no coefficient %s in the table of intervals.",
      format(parm[bad[1L]])), argument = "parm", value = parm[bad[1L]])
  }
  ends[rows, , drop = FALSE]
}

check_level <- function(level, name = "level") {
  check_number(level, name, lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
  level
}

#' What a fit knows of standard errors, or the reason why it does not.
#' @noRd
inferred <- function(fit) {
  it <- fit$inference
  if (is.null(it)) refuse(.no_variance, .plan_inference)
  if (!is.null(it$why)) refuse(paste0("There are no intervals: ", it$why, "."), .by_noise)
  it
}

#' One row a coefficient, in the user's units: as tidy() names its columns.
#' @noRd
coefficient_table <- function(fit, level = 0.95) {
  it <- inferred(fit)
  forms <- coefficient_forms(fit$blueprint)
  found <- linear_forms(it, forms$L)
  estimate <- found$estimate + forms$shift
  error <- sqrt(found$variance)
  half <- stats::qt((1 + level) / 2, found$df) * error
  data.frame(
    term = rownames(forms$L), estimate = estimate, std.error = error,
    statistic = estimate / error, p.value = 2 * stats::pt(-abs(estimate / error), found$df),
    conf.low = estimate - half, conf.high = estimate + half
  )
}

#' The table for print, or why there is none; NULL where none was asked for.
#' @noRd
inference_table <- function(fit) {
  if (is.null(fit$inference)) return(NULL)
  if (!is.null(fit$inference$why)) return(fit$inference$why)
  coefficient_table(fit)
}

print_inference <- function(table, covariance) {
  if (is.null(table)) return(invisible())
  if (is.character(table)) {
    cat("\n", paste(strwrap(paste0("No intervals: ", table, "."), 88, exdent = 2),
      collapse = "\n"), "\n", sep = "")
    return(invisible())
  }
  cat("\nCoefficients without penalty, in the units of the data, with 95% intervals that have\n",
    "the noise in them", if (covariance == "sandwich") " (sandwich)", "\n", sep = "")
  shown <- table[c("estimate", "std.error", "conf.low", "conf.high", "statistic", "p.value")]
  names(shown) <- c("estimate", "std. error", "2.5 %", "97.5 %", "z", "p")
  shown[["p"]] <- format.pval(shown[["p"]], digits = 2L, eps = 1e-4)
  numeric <- vapply(shown, is.numeric, NA)
  shown[numeric] <- lapply(shown[numeric], signif, 3L)
  rownames(shown) <- table$term
  print(shown)
}

#' Linear predictors by the estimate without penalty, and their standard errors.
#' @param x rows as they are encoded, scale: what each is multiplied by.
#' @noRd
predicted_errors <- function(fit, x, scale) {
  it <- inferred(fit)
  x <- scale * as.matrix(x)
  range <- fit$blueprint$range
  unit <- if (is.null(range)) 1 else range$half
  found <- linear_forms(it, x)
  list(
    fit = found$estimate * unit + if (is.null(range)) 0 else range$centre,
    se.fit = unit * sqrt(found$variance)
  )
}
