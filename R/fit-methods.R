# What users of R expect of a fitted model.

#' Coefficients of a fit
#'
#' @param object a fit of [dpadmm_fit()].
#' @param node `NULL` for the mean over nodes (the consensus model), `"all"` for the
#'   N x d matrix, or the name or number of one node (methods with one model have the one
#'   node `"all"`).
#' @param ... not used.
#' @return A named vector of length d, or an N x d matrix.
#' @export
coef.dpadmm_fit <- function(object, node = NULL, ...) {
  if (is.null(node)) return(colMeans(object$coefficients))
  if (identical(node, "all")) return(object$coefficients)
  object$coefficients[node_row(object, node), ]
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
#' were: the same columns, bounds and levels, and rows longer than the row bound are
#' shortened to it. A prediction never depends on other rows, but for terms that
#' `row_wise = FALSE` let through.
#'
#' @param object a fit of [dpadmm_fit()].
#' @param newdata a data frame (after a formula or data frame fit; further columns
#'   are ignored) or a matrix, dense or sparse, with the training columns.
#' @param type `"class"`: the predicted class, coded as `classes` of the fit say (-1 and 1
#'   for numeric labels without); `"response"`:
#'   the probability of the positive class (logistic loss) or the predicted value;
#'   `"link"`: the linear predictor.
#' @param offset the offsets of the new rows, where those of the fit were given as numbers; else
#'   they are computed from `newdata`.
#' @param ... not used.
#' @return A vector (a factor for factor labels) with one entry a row; after a fit with
#'   `na.action = "omit"`, `NA` for rows with missing values.
#'
#'   Errors: `dpadmm_error_level` for a level that training did not have,
#'   `dpadmm_error_missing`, `dpadmm_error_shape` for a column that is not there.
#' @export
predict.dpadmm_fit <- function(object, newdata, type = c("class", "response", "link"),
                               offset = NULL, ...) {
  loss <- object$plan$problem$loss
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
  link <- link_of(object, newdata, check_of_records(offset, "offset"))
  if (type == "link" || !loss$classification) return(link)
  if (type == "response") return(stats::plogis(link))
  classes <- object$blueprint$classes
  out <- classes[1L + (link > 0)]
  if (is.character(classes)) factor(out, classes) else out
}

#' The linear predictor of new rows by the mean model.
#' @noRd
link_of <- function(fit, newdata, offset) {
  blueprint <- fit$blueprint
  whole <- whole_rows(blueprint, newdata, list(offset = offset), response = NULL)
  x <- encode_new(blueprint, whole$data)
  link <- as.vector(x %*% coef(fit)) * shortening(x, fit$plan$problem$row_bound)
  shift <- offsets_of(blueprint, whole$vectors$offset, whole$data, nrow(x), globalenv())
  if (!is.null(shift)) link <- link + shift
  if (any(whole$dropped)) link[whole$dropped] <- NA
  link
}
