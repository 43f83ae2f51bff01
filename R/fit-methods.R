# What users of R expect of a fitted model.

#' @export
print.dpadmm_fit <- function(x, ...) {
  cat(sprintf("%s: %d nodes (%s), %d coefficients, %d iterations\n\n", x$method$title, x$public$N,
    x$network$name, x$public$d, x$public$iterations))
  print(shown_privacy(x))
  print_messages(x)
  invisible(x)
}

#' Coefficients of a fit
#'
#' @param object a fit of [dpadmm_fit()].
#' @param node `NULL` for the mean over nodes (the consensus model), `"all"` for the
#'   N x d matrix, or the name or number of one node.
#' @param ... not used.
#' @return A named vector of length d, or an N x d matrix.
#' @export
coef.dpadmm_fit <- function(object, node = NULL, ...) {
  if (is.null(node)) return(colMeans(object$coefficients))
  if (identical(node, "all")) return(object$coefficients)
  row <- if (length(node) == 1L) match(as.character(node), rownames(object$coefficients))
  if (isTRUE(is.na(row)) && is.numeric(node)) row <- match(node, seq_len(object$public$N))
  if (is.null(row) || is.na(row)) {
    abort("argument", '`node` must be "all" or the name or number of a node.', argument = "node", value = node)
  }
  object$coefficients[row, ]
}

#' Predictions of a fit
#'
#' From the mean model of the nodes. New data are treated as the training records
#' were: the same columns, bounds and levels, and rows longer than the row bound are
#' shortened to it. A prediction never depends on other rows.
#'
#' @param object a fit of [dpadmm_fit()].
#' @param newdata a data frame (after a formula or data frame fit; further columns
#'   are ignored) or a matrix, dense or sparse, with the training columns.
#' @param type `"class"`: the predicted class, coded as the labels were; `"response"`:
#'   the probability of the positive class (logistic loss) or the predicted value;
#'   `"link"`: the linear predictor.
#' @param ... not used.
#' @return A vector (a factor for factor labels) with one entry a row.
#'
#'   Errors: `dpadmm_error_level` for a level that training did not have,
#'   `dpadmm_error_missing`, `dpadmm_error_shape` for a column that is not there.
#' @export
predict.dpadmm_fit <- function(object, newdata, type = c("class", "response", "link"), ...) {
  loss <- object$loss
  type <- check_choice(type, c("class", "response", "link"), "type")
  if (missing(newdata)) {
    abort("argument", "`newdata` is needed: a fit does not keep its records.", argument = "newdata")
  }
  if (type == "class" && !loss$classification) {
    abort("argument", sprintf("The %s loss has no classes; use type = \"response\".", loss$name), argument = "type")
  }
  if (type == "response" && loss$classification && loss$name != "logistic") {
    abort("argument", sprintf("The %s loss gives no probabilities; use type = \"class\" or \"link\".", loss$name), argument = "type")
  }
  x <- encode_new(object$blueprint, newdata)
  link <- as.vector(x %*% coef(object)) * shortening(x, object$row_bound)
  if (type == "link" || !loss$classification) return(link)
  if (type == "response") return(stats::plogis(link))
  classes <- object$blueprint$classes
  out <- classes[1L + (link > 0)]
  if (is.character(classes)) factor(out, classes) else out
}

#' By how much each row is shortened to meet the bound.
#' @noRd
shortening <- function(x, bound) {
  norm <- sqrt(Matrix::rowSums(x^2))
  for (k in which(is.infinite(norm))) { # the squares overflowed
    largest <- max(abs(x[k, ]))
    norm[k] <- largest * sqrt(sum((x[k, ] / largest)^2))
  }
  pmin(1, bound / norm)
}

#' Summary of a fit
#'
#' @param object a fit of [dpadmm_fit()].
#' @param ... not used.
#' @return An object of class `summary.dpadmm_fit` with the method and its settings,
#'   the nodes, the largest coefficients, the consensus reached and the privacy
#'   statement.
#' @export
summary.dpadmm_fit <- function(object, ...) {
  last <- object$trace[nrow(object$trace), ]
  structure(list(
    title = object$method$title, source = object$method$source, loss = object$loss$name,
    public = object$public, network = object$network$name, edges = nrow(object$network$edges),
    eta = range(object$plan$eta), gamma = range(object$plan$gamma), noise = object$noise,
    mechanism = object$budget$mechanism, coefficients = coef(object), gap = last$gap,
    step = last$step, messages = object$messages, privacy = shown_privacy(object)
  ), class = "summary.dpadmm_fit")
}

#' @export
print.summary.dpadmm_fit <- function(x, ...) {
  span <- function(r) paste(unique(format(r, digits = 3L, trim = TRUE)), collapse = " to ")
  p <- x$public
  cat(x$title, "\n", sep = "")
  cat(sprintf("  source      %s\n", x$source))
  cat(sprintf("  nodes       %d on a %s network with %d edges; %s records each\n", p$N, x$network, x$edges, span(range(p$size))))
  cat(sprintf("  problem     %s loss, %d coefficients, C = %g, rho = %g\n", x$loss, p$d, p$C, p$rho))
  cat(sprintf("  iterations  %d, penalty eta %s\n", p$iterations, span(x$eta)))
  if (!is.null(x$noise)) {
    cat(sprintf("  noise       %s, %s %s\n", x$mechanism, noise_mechanism(x$mechanism)$scale_name, span(range(unlist(x$noise)))))
  }
  cat(sprintf("  at the end  consensus gap %.3g, step %.3g\n", x$gap, x$step))
  print_outcome(x)
  print_messages(x)
  invisible(x)
}

#' What summaries of all fits end with.
#' @noRd
print_outcome <- function(x) {
  largest <- utils::head(x$coefficients[order(-abs(x$coefficients))], 6L)
  cat("\nLargest coefficients\n")
  print(largest, digits = 3L)
  cat("\n")
  print(x$privacy)
}

#' Messages sent and saved, for methods whose nodes may keep silent.
#' @noRd
print_messages <- function(x) {
  count <- x$messages
  if (is.null(count)) return(invisible())
  cat(sprintf("Messages between neighbours: %g sent, %g saved.\n", count[["sent"]], count[["saved"]]))
}

#' Tidy a fit
#'
#' Methods for the generics of package generics (and broom).
#'
#' @param x a fit of [dpadmm_fit()].
#' @param nodes whether to give every node's coefficients.
#' @param ... not used.
#' @return `tidy()`: a data frame with one row a `term` (and `node`) and its
#'   `estimate`. `glance()`: one row with `method`, `loss`, `nodes`, `records`,
#'   `terms`, `iterations`, `epsilon`, `delta`, `accountant`, `seeded`, `gap`.
#' @name tidy
#' @exportS3Method generics::tidy
tidy.dpadmm_fit <- function(x, nodes = FALSE, ...) {
  if (!nodes) {
    estimate <- coef(x)
    return(data.frame(term = names(estimate), estimate = unname(estimate)))
  }
  all <- coef(x, node = "all")
  data.frame(
    term = rep(colnames(all), each = nrow(all)), node = rep(rownames(all), ncol(all)),
    estimate = as.vector(all)
  )
}

#' @rdname tidy
#' @exportS3Method generics::glance
glance.dpadmm_fit <- function(x, ...) {
  spent <- shown_privacy(x)
  data.frame(
    method = x$method$name, loss = x$loss$name, nodes = x$public$N, records = sum(x$nodes$size),
    terms = x$public$d, iterations = x$public$iterations, epsilon = spent$epsilon,
    delta = spent$delta, accountant = spent$accountant, seeded = x$seeded,
    gap = if (is.null(x$trace$gap)) NA_real_ else x$trace$gap[nrow(x$trace)]
  )
}
