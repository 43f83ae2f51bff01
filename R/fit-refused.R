# What R's models answer and a private fit cannot: errors that give the reason.

#' What a fit does not answer, and why
#'
#' These are errors of class `dpadmm_error_unavailable`, whose message gives the reason and, where
#' there is one, the way to what was wanted.
#'
#' | function | why not |
#' |---|---|
#' | `residuals()`, `fitted()`, `model.frame()`, `model.matrix()` | a fit keeps no record |
#' | `deviance()`, `logLik()`, `AIC()`, `BIC()`, `anova()`, `drop1()` | no likelihood was released |
#' | `vcov()`, `confint()` | not without `inference = TRUE`, see [intervals] |
#' | `simulate()` | it draws labels for the records' predictors |
#'
#' With records at hand, [predict()][predict.dpadmm_fit] and [evaluate()] give fitted values,
#' losses and errors; what they return of records that must stay secret is as secret as those.
#'
#' @param object a fit of [dpadmm_fit()].
#' @param ... not used.
#' @return Nothing: an error.
#' @seealso [fit_formula] for what is public.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' fit <- dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 4, epsilon = 20, seed = 1)
#' tryCatch(residuals(fit), dpadmm_error_unavailable = conditionMessage)
#' @name refused
NULL

#' Why there is no answer, and what to do instead.
#' @noRd
refuse <- function(why, instead, argument = "object") {
  abort("unavailable", paste(why, instead), argument = argument)
}

.no_record <- "A fit keeps no record."
.no_likelihood <- "The likelihood of the records was not released, and a fit keeps no record."
.no_variance <- paste(
  "An interval is about what another sample would give as well as about the noise, and how much",
  "the sample moves a coefficient was not released."
)
.by_records <- "On public or simulated records evaluate(fit, x, y) gives loss and error."
.plan_inference <- "Fit with inference = TRUE for both, at a share of the budget."
.by_noise <- "What is public, the noise in each coefficient, is summary(fit$plan)'s forecast."

#' @rdname refused
#' @export
residuals.dpadmm_fit <- function(object, ...) {
  refuse(.no_record, "With records, compare them with predict(fit, newdata).")
}

#' @rdname refused
#' @export
fitted.dpadmm_fit <- function(object, ...) {
  refuse(.no_record, "With records, predict(fit, newdata) is what is fitted.")
}

#' @export
model.frame.dpadmm_fit <- function(formula, ...) {
  refuse(.no_record, "With records, model.frame(formula(fit), data) is one.", "formula")
}

#' @export
model.matrix.dpadmm_fit <- function(object, ...) {
  refuse(.no_record, "With records, model.matrix(formula(fit), data) is one, in their own units.")
}

#' @export
simulate.dpadmm_fit <- function(object, nsim = 1, seed = NULL, ...) {
  refuse(.no_record, 'With predictors, draw by predict(fit, newdata, type = "response").')
}

#' @export
deviance.dpadmm_fit <- function(object, ...) refuse(.no_likelihood, .by_records)

#' @export
logLik.dpadmm_fit <- function(object, ...) refuse(.no_likelihood, .by_records)

#' @export
AIC.dpadmm_fit <- function(object, ..., k = 2) refuse(.no_likelihood, .by_records)

#' @export
BIC.dpadmm_fit <- function(object, ...) refuse(.no_likelihood, .by_records)

#' @export
anova.dpadmm_fit <- function(object, ...) refuse(.no_likelihood, .by_records)

#' @export
extractAIC.dpadmm_fit <- function(fit, scale, k = 2, ...) refuse(.no_likelihood, .by_records, "fit")
