# What users of R expect of a fitted model.

#' Coefficients of a fit
#'
#' Coefficients in the user's units: with a logistic loss a change of log odds per unit of the
#' column (a year of age), or of being in a level; with a regression loss a change of the
#' response in its own units. A fit releases coefficients of columns that were scaled by public
#' numbers (`fit$coefficients`, see [dpadmm_fit()]); theirs follow from them by a linear map, so
#' they cost no privacy, and predictions are the same.
#'
#' With `rows = "shorten"` and rows that can be longer than the row bound they are not the
#' coefficients of the loss, and there is a warning of class `dpadmm_warning_shortened`. Where a
#' factor has all its levels beside an intercept, only differences of its coefficients mean
#' something: the penalty chooses where they lie.
#'
#' @param object a fit of [dpadmm_fit()].
#' @param node `NULL` for the mean over nodes (the consensus model; unlike nodes count as
#'   [party-weights] says), `"all"` for the
#'   N x d matrix, or the name or number of one node (methods with one model have the one
#'   node `"all"`).
#' @param scale `"original"`: in the user's units; `"schema"`: of the columns as the bounds of
#'   `schema` (of a matrix, intercept and row bound) scale them, as they were released.
#' @param ... not used.
#' @return A named vector of length d, or an N x d matrix.
#' @examples
#' n <- 2000
#' people <- data.frame(age = sample(20:90, n, TRUE), smoker = sample(c("no", "yes"), n, TRUE))
#' risk <- -5 + 0.08 * people$age + (people$smoker == "yes")
#' people$ill <- runif(n) < plogis(risk)
#' public <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"))
#' fit <- dpadmm_fit(ill ~ age + smoker, people, nodes = 4, schema = public, epsilon = 5)
#' coef(fit)
#' coef(fit, scale = "schema")
#' coef(fit, node = "all")
#' @export
coef.dpadmm_fit <- function(object, node = NULL, scale = c("original", "schema"), ...) {
  check_no_dots(...)
  models <- node_models(object, node)
  if (check_choice(scale, c("original", "schema"), "scale") == "original") {
    warn_of_shortening(object$blueprint)
    models <- original_units(object$blueprint, models)
  }
  if (identical(node, "all")) models else models[1L, ]
}

warn_of_shortening <- function(blueprint) {
  if (blueprint$kind != "frame" || blueprint$rows != "shorten") return(invisible())
  if (public_lengths(blueprint)$longest <= blueprint$row_bound) return(invisible())
  warn("shortened", paste(
    "Rows were shortened one by one, so these are not the coefficients of the loss. For those",
    'fit with rows = "scale".'
  ), argument = "rows")
}

#' Models as they were released, one a row: of each node, of one, or of all.
#' @noRd
node_models <- function(fit, node = NULL) {
  models <- fit$coefficients
  if (is.null(node)) return(t(colSums(models * node_shares(fit))))
  if (identical(node, "all")) return(models)
  models[node_row(fit, node), , drop = FALSE]
}

#' What each node counts for in the model of all.
#' @noRd
node_shares <- function(fit) {
  problem <- fit$plan$problem
  if (is.null(problem$network)) 1 else model_shares(problem)
}

#' The row of the name or number of a node.
#' @noRd
node_row <- function(fit, node) {
  names <- rownames(fit$coefficients)
  row <- if (length(node) == 1L) match(as.character(node), names)
  if (isTRUE(is.na(row)) && is.numeric(node)) row <- match(node, seq_along(names))
  if (is.null(row) || is.na(row)) {
    abort("argument", '`node` must be "all" or the name or number of a node.',
      argument = "node", value = node
    )
  }
  row
}

#' Predictions of a fit
#'
#' From the mean model of the nodes. New data are treated as the training records
#' were: the same columns, bounds and levels, and with `rows = "shorten"` rows longer than the
#' row bound are shortened to it; of a matrix fit with `rows = "error"` they are taken as they
#' are. A prediction never depends on other rows, but for terms that
#' `row_wise = FALSE` let through.
#'
#' @param object a fit of [dpadmm_fit()].
#' @param newdata a data frame (further columns are ignored; after a matrix fit its columns must
#'   have had names) or, after a matrix fit, a matrix, dense or sparse, with the training columns.
#' @param type `"class"` (the default, where there are classes): the predicted class, coded as
#'   `classes` of the fit say (-1 and 1 for numeric labels without); `"response"` (the default of
#'   regression losses): the probability of the positive class (logistic loss) or the predicted
#'   value; `"link"`: the linear predictor.
#' @param offset the offsets of the new rows, where those of the fit were given as numbers; else
#'   they are computed from `newdata`.
#' @param se.fit whether to give standard errors, of a fit with `inference = TRUE`. The predictions
#'   are then those of its estimate without penalty, see [intervals].
#' @param ... not used.
#' @return A vector (a factor for factor labels) with one entry a row; after a fit with
#'   `na.action = "omit"`, `NA` for rows with missing values. With `se.fit` a list of two such
#'   vectors, `fit` and `se.fit`.
#'
#'   Errors: `dpadmm_error_level` for a level that training did not have,
#'   `dpadmm_error_missing`, `dpadmm_error_shape` for a column that is not there.
#' @examples
#' people <- data.frame(age = sample(18:90, 2000, TRUE), sex = sample(c("f", "m"), 2000, TRUE))
#' people$ill <- ifelse(runif(2000) < plogis(people$age / 10 - 5), "yes", "no")
#' public <- dpadmm_schema(age = c(18, 90), sex = c("f", "m"), ill = c("no", "yes"))
#' fit <- dpadmm_fit(ill ~ age + sex, people,
#'   nodes = 2, schema = public, epsilon = 2, delta = 1e-6
#' )
#' predict(fit, head(people))
#' predict(fit, head(people), type = "response")
#' @export
predict.dpadmm_fit <- function(object, newdata, type = c("class", "response", "link"),
                               offset = NULL, se.fit = FALSE, ...) {
  check_no_dots(...)
  loss <- object$plan$problem$loss
  if (missing(type) && !loss$classification) type <- "response"
  type <- check_choice(type, c("class", "response", "link"), "type")
  if (missing(newdata)) {
    abort("argument", "`newdata` is needed: a fit does not keep its records.", argument = "newdata")
  }
  if (type == "class" && !loss$classification) {
    abort("argument", sprintf("The %s loss has no classes; use type = \"response\".", loss$name),
      argument = "type"
    )
  }
  if (type == "response" && loss$classification && loss$name != "logistic") {
    abort("argument", sprintf(
      "The %s loss gives no probabilities; use type = \"class\" or \"link\".", loss$name
    ), argument = "type")
  }
  check_flag(se.fit, "se.fit")
  if (se.fit && type == "class") {
    abort("argument", 'A class has no standard error; use type = "response" or "link".',
      argument = "type"
    )
  }
  link <- linear_predictor(object, newdata, check_of_records(offset, "offset"), se.fit)
  if (se.fit) {
    if (type == "link" || !loss$classification) return(link)
    p <- stats::plogis(link$fit)
    return(list(fit = p, se.fit = p * (1 - p) * link$se.fit))
  }
  if (type == "link" || !loss$classification) return(link)
  if (type == "response") return(stats::plogis(link))
  classes <- object$blueprint$classes
  out <- classes[1L + (link > 0)]
  if (is.character(classes)) factor(out, classes) else out
}

#' In units of the response, where it has bounds.
#' @noRd
linear_predictor <- function(fit, newdata, offset = NULL, errors = FALSE) {
  if (identical(nrow(newdata), 0L)) {
    return(if (errors) list(fit = numeric(), se.fit = numeric()) else numeric())
  }
  blueprint <- fit$blueprint
  whole <- whole_rows(blueprint, newdata, list(offset = offset), response = NULL)
  x <- encode_new(blueprint, whole$data, none = none_left(whole$dropped))
  with <- if (errors) predicted_errors(fit, x, kept_length(blueprint, x))
  link <- if (errors) with$fit else plain_predictor(fit, x)
  shift <- offsets_of(blueprint, whole$vectors$offset, whole$data, nrow(x), globalenv(),
    whole$dropped)
  if (!is.null(shift)) link <- link + shift
  if (any(whole$dropped)) link[whole$dropped] <- NA
  if (!errors) return(link)
  with$se.fit[whole$dropped] <- NA
  list(fit = link, se.fit = with$se.fit)
}

plain_predictor <- function(fit, x) {
  link <- margins(x, t(node_models(fit))) * kept_length(fit$blueprint, x)
  range <- fit$blueprint$range
  if (is.null(range)) link else range$centre + range$half * link
}

#' Rows times a model. What is beyond the range of doubles is its end: no row is `Inf - Inf`.
#' @noRd
margins <- function(x, model) {
  link <- as.vector(x %*% model)
  if (any(lost <- !is.finite(link))) {
    rows <- as.matrix(x[lost, , drop = FALSE])
    largest <- pmax(apply(abs(rows), 1L, max), 1)
    size <- max(abs(model), 1)
    most <- .Machine$double.xmax
    within <- as.vector((rows / largest) %*% (model / size))
    link[lost] <- pmax(-most, pmin(most, within * size * largest))
  }
  link
}

#' What a model sees of each row: all of it, unless the user has long ones shortened.
#' @noRd
kept_length <- function(blueprint, x) {
  if (blueprint$rows == "shorten") shortening(x, blueprint$row_bound) else 1
}
