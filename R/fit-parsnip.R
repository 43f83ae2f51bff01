# parsnip's logistic_reg() and linear_reg() with the engine "dpadmm".

#' Private models in parsnip and workflows
#'
#' `logistic_reg() |> set_engine("dpadmm", ...)` and `linear_reg() |> set_engine("dpadmm", ...)`
#' fit by [dpadmm_fit()]. The engine is there as soon as packages parsnip and dpadmm are loaded.
#'
#' Arguments of `set_engine()` are those of [dpadmm_fit()], among them
#'
#' * `epsilon`, `delta`: the budget; `method`, `network`, `iterations`, `control`.
#' * `nodes`: `~hospital`, a column of the data. In a workflow it must be one of the predictors
#'   (`y ~ .`, or the role "predictor" in a recipe, not made into indicators); no coefficient
#'   is fitted to it.
#' * `schema`: public bounds and levels of the columns as they reach the engine: of a recipe,
#'   after its last step.
#' * `response`: what `schema` calls the response. `fit_xy()` and workflows hand it over
#'   without its name, so without `response` nothing is known of it: its classes, or its bounds, are
#'   read from the records.
#'
#' `penalty` is `lambda` of [dpadmm_fit()], the weight of `||f||^2 / 2` against the mean loss, as
#' in glmnet: `rho / (N C)` for decentralised methods, [penalty_l2()] for others. `mixture` must be
#' 0. `linear_reg()` has the huber loss, as the squared loss has no private fit; state the bounds
#' of the response in `schema`.
#'
#' @section What is not private:
#' The privacy statement, `privacy(extract_fit_engine(fitted))`, is that of one call of
#' [dpadmm_fit()]. It does not know of recipes: a step that learns from the records, as
#' `step_normalize()` and `step_impute_mean()` do, reads them without noise. Columns need no
#' such steps here, as they are scaled from `schema`. A tuned or resampled model is many fits,
#' each of which is paid for. A workflow may keep records in its recipe; the engine's fit
#' keeps none.
#'
#' @param formula,data what parsnip hands over.
#' @param lambda,mixture parsnip's `penalty` and `mixture`.
#' @param schema,method see [dpadmm_fit()].
#' @param response the response's name in `schema`, or `NULL`.
#' @param ... further arguments of `set_engine()`.
#' @return `dpadmm_parsnip()` is what parsnip calls: a fit of [dpadmm_fit()]. In parsnip it is a
#'   `model_fit` whose `predict()` has the types `"class"`, `"prob"` (logistic loss) and
#'   `"numeric"`.
#' @examples
#' if (requireNamespace("parsnip", quietly = TRUE)) {
#'   n <- 600
#'   patients <- data.frame(
#'     age = sample(20:90, n, TRUE), hospital = sample(c("A", "B", "C"), n, TRUE)
#'   )
#'   patients$ill <- factor(patients$age + rnorm(n, sd = 20) > 60, labels = c("no", "yes"))
#'   public <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
#'   spec <- parsnip::logistic_reg() |>
#'     parsnip::set_engine("dpadmm", nodes = ~hospital, schema = public, epsilon = 5)
#'   model <- parsnip::fit(spec, ill ~ age, data = patients)
#'   privacy(parsnip::extract_fit_engine(model))
#'   predict(model, head(patients), type = "prob")
#' }
#' @export
dpadmm_parsnip <- function(formula, data, lambda = NULL, mixture = NULL, schema = NULL,
                           response = NULL, method = mr_admm(), ...) {
  if (!is.null(mixture) && !identical(as.double(mixture), 0)) {
    abort("argument", "`mixture` must be 0: the penalty is ridge's.", argument = "mixture")
  }
  if (!is.null(response)) schema <- with_response(schema, response, all.vars(formula)[1L])
  method <- as_method(method)
  weight <- if (on_graph(method)) list(lambda = lambda) else list(penalty = penalty_l2(lambda))
  do.call(dpadmm_fit, c(
    list(formula, data, schema = schema, method = method), if (!is.null(lambda)) weight, list(...)
  ))
}

#' A schema that also knows the response by the name that parsnip gives it.
#' @noRd
with_response <- function(schema, response, name) {
  check_class(schema, "dpadmm_schema", "schema", "dpadmm_schema()")
  if (!is.character(response) || length(response) != 1L || !(response %in% names(schema))) {
    abort("argument", "`response` must be the name of a column of `schema`.",
      argument = "response"
    )
  }
  schema[[name]] <- schema[[response]]
  schema
}

.onLoad <- function(libname, pkgname) {
  if (isNamespaceLoaded("parsnip")) register_engines()
  setHook(packageEvent("parsnip", "onLoad"), function(...) register_engines())
}

register_engines <- function() {
  if ("dpadmm" %in% parsnip::get_from_env("logistic_reg")$engine) return(invisible())
  prediction <- function(type, post = NULL) {
    list(pre = NULL, post = post, func = c(fun = "predict"), args = list(
      object = quote(object$fit), newdata = quote(new_data), type = type
    ))
  }
  register_engine("logistic_reg", "classification", list(loss = "logistic"), list(
    class = prediction("class"), prob = prediction("response", class_probabilities)
  ))
  register_engine("linear_reg", "regression", list(loss = "huber"), list(
    numeric = prediction("response")
  ))
}

register_engine <- function(model, mode, defaults, predictions) {
  parsnip::set_model_engine(model, mode, "dpadmm")
  parsnip::set_dependency(model, "dpadmm", "dpadmm", mode = mode)
  parsnip::set_model_arg(model, "dpadmm", "penalty", "lambda",
    func = list(pkg = "dials", fun = "penalty"), has_submodel = FALSE
  )
  parsnip::set_model_arg(model, "dpadmm", "mixture", "mixture",
    func = list(pkg = "dials", fun = "mixture"), has_submodel = FALSE
  )
  parsnip::set_fit(model, mode, "dpadmm", list(
    interface = "formula", protect = c("formula", "data"),
    func = c(pkg = "dpadmm", fun = "dpadmm_parsnip"), defaults = defaults
  ))
  parsnip::set_encoding(model, mode, "dpadmm", list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = TRUE,
    allow_sparse_x = FALSE
  ))
  for (type in names(predictions)) {
    parsnip::set_pred(model, mode, "dpadmm", type, predictions[[type]])
  }
}

#' Probabilities of the second class of a fit as those of both, in parsnip's order.
#' @noRd
class_probabilities <- function(probability, object) {
  both <- list(1 - probability, probability)
  names(both) <- object$fit$blueprint$classes
  as.data.frame(both[object$lvl], optional = TRUE)
}
