# What a fit is worth on given records. Everything here reads data.

#' Loss and error of a fit on given records
#'
#' `evaluate()` measures the model of a fit, `loss_trace()` all its iterates.
#'
#' **What they return is not private.** It is computed from the records `x` and `y` without
#' noise, and no privacy statement covers it: on the training records, or on anybody's records
#' that must stay secret, do not publish it and do not choose settings by it. Use public
#' records, or simulated ones.
#'
#' Records are treated as in training: the same columns, bounds and levels, and rows longer
#' than the row bound are shortened to it.
#'
#' @param fit a fit of [dpadmm_fit()]; for `loss_trace()` one that kept its iterates, see
#'   `keep_iterates` of [dpadmm_control()].
#' @param x a data frame (after a formula or data frame fit) or a matrix, dense or sparse, with
#'   the training columns.
#' @param y labels coded as the training labels were, or numbers for a regression loss. After
#'   a formula fit it may be missing: `x` then has the response too.
#' @param node `NULL` for the mean of the nodes' models; the name or number of a node; `"all"`
#'   for a row each; `"average"` and `"worst"` for the mean and the largest of the nodes'
#'   values, column by column.
#' @param ... not used.
#' @return `evaluate()`: a data frame with one row (with `node = "all"` one a node, named in the
#'   column `node`) and the columns
#'   \describe{
#'     \item{records}{number of records.}
#'     \item{loss}{mean loss over the records.}
#'     \item{objective}{what the fit minimises, divided by the weight `C` of the mean loss: `loss`
#'       plus `rho / (2 N C) ||f||^2` for [decentralised] methods, whose nodes are taken to
#'       be equally large; plus `penalty(f)` for [fp_admm()], [dp_sgd()] and [dp_cd()]; plus
#'       `penalty(y) / C` for [gradient] methods, where `y` solves `A f + B y = c`.}
#'     \item{error}{share of wrong classes (classification), or}
#'     \item{rmse}{root mean square error (regression).}
#'   }
#'   `loss_trace()`: a data frame of class `dpadmm_trace` with `iteration`, `node` (for `"all"`),
#'   `loss`, `objective` and `error` or `rmse`. An iteration of `average = "mean"` is that of the
#'   iterate itself, not of the mean.
#'
#'   Errors: `dpadmm_error_shape` for lacking columns or labels of another length,
#'   `dpadmm_error_level` for levels training did not have, `dpadmm_error_labels` for labels of
#'   another coding, `dpadmm_error_missing`, `dpadmm_error_argument` without labels or iterates.
#' @seealso [predict()][predict.dpadmm_fit]; [experiment()] for many fits.
#' @examples
#' x <- matrix(runif(2000), 500) / 2
#' y <- ifelse(x[, 1] > x[, 2], 1, -1)
#' train <- 1:400
#' fit <- dpadmm_fit(x[train, ], y[train],
#'   nodes = 4, epsilon = 20, seed = 1, control = dpadmm_control(keep_iterates = TRUE)
#' )
#' evaluate(fit, x[-train, ], y[-train])
#' evaluate(fit, x[-train, ], y[-train], node = "worst")
#' path <- loss_trace(fit, x[-train, ], y[-train])
#' tail(path, 3)
#' plot(path)
#' @export
evaluate <- function(fit, x, y, ...) UseMethod("evaluate")

#' @rdname evaluate
#' @export
loss_trace <- function(fit, x, y, ...) UseMethod("loss_trace")

#' @rdname evaluate
#' @export
evaluate.dpadmm_fit <- function(fit, x, y, node = NULL, ...) {
  check_no_dots(...)
  records <- labelled_records(fit, x, y)
  over <- over_nodes(node)
  models <- coef(fit, node = if (is.null(over)) node else "all")
  if (is.matrix(models)) {
    names <- rownames(models)
    models <- t(models)
  } else {
    models <- matrix(models)
  }
  out <- data.frame(records = length(records$y), measure(fit, records, models))
  if (!is.null(over)) return(by_group(out, rep(1L, nrow(out)), over))
  if (identical(node, "all")) data.frame(node = names, out) else out
}

#' @rdname evaluate
#' @export
loss_trace.dpadmm_fit <- function(fit, x, y, node = NULL, ...) {
  check_no_dots(...)
  if (is.null(fit$iterates)) {
    abort("argument", paste(
      "The fit kept no iterates: fit again with control =",
      "dpadmm_control(keep_iterates = TRUE)."
    ), argument = "fit")
  }
  names <- rownames(fit$coefficients)
  T <- dim(fit$iterates)[1L]
  N <- length(names)
  d <- ncol(fit$coefficients)
  path <- array(fit$iterates, c(T, N, d))
  over <- over_nodes(node)
  if (is.null(node)) {
    path <- colMeans(aperm(path, c(2L, 1L, 3L)))
  } else if (is.null(over) && !identical(node, "all")) {
    coef(fit, node = node) # complains of a node that is not there
    at <- match(as.character(node), names)
    path <- path[, if (is.na(at)) node else at, ]
  }
  records <- labelled_records(fit, x, y)
  out <- measure(fit, records, t(matrix(path, ncol = d)))
  iteration <- rep_len(seq_len(T), nrow(out))
  if (!is.null(over)) {
    out <- by_group(out, iteration, over)
    iteration <- seq_len(T)
  }
  out <- data.frame(iteration, out)
  if (identical(node, "all")) out <- data.frame(out[1L], node = rep(names, each = T), out[-1L])
  structure(out, class = c("dpadmm_trace", "data.frame"))
}

#' How the values of the nodes become one, if they do.
#' @noRd
over_nodes <- function(node) {
  if (identical(node, "average")) mean else if (identical(node, "worst")) max
}

#' One value of each column for each group, in the order of the groups.
#' @noRd
by_group <- function(values, group, f) {
  as.data.frame(lapply(values, function(v) as.vector(tapply(v, group, f))))
}

#' Records as the fit sees them: x (n x d), y, and by how much each row is shortened.
#' @noRd
labelled_records <- function(fit, x, y) {
  if (missing(x)) abort("argument", "`x` is missing: a fit does not keep its records.", argument = "x")
  blueprint <- fit$blueprint
  predictors <- encode_new(blueprint, x, "x")
  name <- "y"
  if (missing(y)) {
    if (is.null(blueprint$response)) {
      abort("argument", "`y` is missing: one label a record.", argument = "y")
    }
    name <- paste(deparse(blueprint$response, 500L), collapse = " ")
    if (length(lost <- setdiff(all.vars(blueprint$response), names(x)))) {
      abort("argument", sprintf("`y` is missing, and `x` has no column `%s` of labels.", lost[1L]),
        argument = "y", place = lost
      )
    }
    y <- tryCatch(eval(blueprint$response, x, globalenv()), error = function(e) {
      abort("argument", sprintf("`%s` cannot be evaluated: %s.", name, conditionMessage(e)), argument = "x")
    })
  }
  list(
    x = predictors, y = known_labels(y, fit, nrow(predictors), name),
    shorten = shortening(predictors, fit$row_bound)
  )
}

#' Labels -1 and 1 by the classes of the training labels (one class alone is fine), or numbers.
#' @noRd
known_labels <- function(y, fit, n, name) {
  if (!fit$loss$classification) return(encode_labels(y, fit$loss, n, NULL, name)$y)
  if (length(y) != n || !is.null(dim(y))) {
    abort("shape", sprintf("`%s` must be a vector with one label for each of the %d rows, not %d.", name, n, length(y)),
      argument = name, value = length(y)
    )
  }
  if (any(bad <- is.na(y))) {
    abort("missing", sprintf("`%s` has a missing value at %s.", name, where_first(bad)),
      argument = name, place = which(bad)[1L]
    )
  }
  classes <- fit$blueprint$classes
  if (is.character(classes) && is.factor(y)) y <- as.character(y)
  # match() alone would take TRUE for 1, and 1 for "1"
  same <- !is.factor(y) && (is.character(classes) == is.character(y)) &&
    (is.logical(classes) == is.logical(y))
  code <- if (same) match(y, classes) else rep(NA_integer_, n)
  if (anyNA(code)) {
    k <- which(is.na(code))[1L]
    abort("labels", sprintf(
      "`%s` must be coded as the training labels were, %s and %s; it is %s at position %d.", name,
      format(classes[1L]), format(classes[2L]), format(y[k]), k
    ), argument = name, value = y[k], place = k)
  }
  c(-1, 1)[code]
}

#' Mean loss, objective and error of models (d x k, one a column): k rows. Products of records
#' and models are taken together, up to some millions of numbers at a time.
#' @noRd
measure <- function(fit, records, models) {
  y <- records$y
  n <- length(y)
  loss <- fit$loss
  k <- ncol(models)
  value <- miss <- double(k)
  step <- max(1L, as.integer(4e6 %/% n))
  for (first in seq.int(1L, k, by = step)) {
    part <- first:min(k, first + step - 1L)
    link <- as.matrix(records$x %*% models[, part, drop = FALSE]) * records$shorten
    losses <- .Call(ffi_loss, loss$name, loss$width, as.vector(link), rep(y, length(part)))$value
    value[part] <- colMeans(matrix(losses, n))
    miss[part] <- if (loss$classification) colMeans((link > 0) != (y > 0)) else sqrt(colMeans((link - y)^2))
  }
  out <- data.frame(loss = value, objective = value + fitted_penalty(fit$method, fit, models))
  out[[if (loss$classification) "error" else "rmse"]] <- miss
  out
}

#' The penalty a method's objective has next to the mean loss of weight 1, for each column of
#' `models`.
#' @noRd
fitted_penalty <- function(method, fit, models) UseMethod("fitted_penalty")

#' @export
fitted_penalty.default <- function(method, fit, models) penalty_values(fit$public$penalty, models)

#' @export
fitted_penalty.dpadmm_family_decentralised <- function(method, fit, models) {
  public <- fit$public
  public$rho / (2 * public$N * public$C) * colSums(models^2)
}

#' @export
fitted_penalty.dpadmm_family_gradient <- function(method, fit, models) {
  part <- fit$constraint
  y <- (part$c - as.matrix(part$A %*% models)) / part$b
  penalty_values(part$penalty, y, part$weights) / fit$public$C
}

#' g of each column of y, its coordinates weighted.
#' @noRd
penalty_values <- function(penalty, y, weights = 1) {
  p <- as.list(penalty$parameters)
  switch(penalty$name,
    none = double(ncol(y)),
    l1 = p$lambda * colSums(weights * abs(y)),
    l2 = p$lambda * colSums(weights * y^2) / 2,
    elastic_net = colSums(weights * (p$lambda1 * abs(y) + p$lambda2 * y^2 / 2)),
    box = ifelse(colSums(y < p$lower | y > p$upper) > 0, Inf, 0)
  )
}

#' Plot a loss trace
#'
#' Loss and error over iterations, a line a node when the trace has them.
#'
#' @param x,object a trace of [loss_trace()].
#' @param what which columns to draw, a panel each.
#' @param ... passed to [plot.default()].
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' y <- rep(c(-1, 1), 100)
#' fit <- dpadmm_fit(x, y,
#'   nodes = 4, epsilon = 20, seed = 1, control = dpadmm_control(keep_iterates = TRUE)
#' )
#' plot(loss_trace(fit, x, y, node = "all"), what = "loss")
#' @export
plot.dpadmm_trace <- function(x, what = NULL, ...) {
  what <- traced_columns(x, what)
  lines <- split(seq_len(nrow(x)), if (is.null(x$node)) rep("", nrow(x)) else factor(x$node, unique(x$node)))
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(what)), mar = c(4, 4, 1, 1))
  on.exit(graphics::par(old))
  for (column in what) {
    plot(range(x$iteration), range(x[[column]]), type = "n", xlab = "iteration", ylab = column, ...)
    for (k in seq_along(lines)) {
      graphics::lines(x$iteration[lines[[k]]], x[[column]][lines[[k]]], lty = k)
    }
    if (length(lines) > 1L) {
      graphics::legend("topright", names(lines), title = "node", lty = seq_along(lines), bty = "n")
    }
  }
  invisible(x)
}

#' @rdname plot.dpadmm_trace
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_trace <- function(object, what = NULL, ...) {
  need_package("ggplot2", "autoplot()")
  what <- traced_columns(object, what)
  node <- if (is.null(object$node)) "" else object$node
  data <- do.call(rbind, lapply(what, function(column) {
    data.frame(iteration = object$iteration, value = object[[column]], node = node, panel = column)
  }))
  data$panel <- factor(data$panel, what)
  data$node <- factor(data$node, unique(data$node))
  # more nodes than line types: what tells them apart is left out
  few <- nlevels(data$node) %in% 2:12
  ggplot2::ggplot(data, ggplot2::aes(x = .data[["iteration"]], y = .data[["value"]], group = .data[["node"]])) +
    (if (few) ggplot2::geom_line(ggplot2::aes(linetype = .data[["node"]])) else ggplot2::geom_line()) +
    ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = "free_y") +
    ggplot2::labs(x = "iteration", y = NULL)
}

#' Which columns of a trace to draw.
#' @noRd
traced_columns <- function(trace, what) {
  columns <- setdiff(names(trace), c("iteration", "node"))
  if (is.null(what)) return(setdiff(columns, "objective"))
  vapply(what, check_choice, "", choices = columns, argument = "what", USE.NAMES = FALSE)
}
