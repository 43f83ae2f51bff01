# What a fit is worth on given records. Everything here reads data.

#' Loss and error of a fit on given records
#'
#' `evaluate()` measures the model of a fit, `loss_trace()` all its iterates.
#'
#' **Without `epsilon`, what they return is not private.** It is computed from the records `x` and
#' `y` without noise, and no privacy statement covers it: on the training records, or on anybody's
#' records that must stay secret, do not publish it and do not choose settings by it. Use public
#' records, or simulated ones. With `epsilon`, `evaluate()` is a private release, see below.
#'
#' Records are treated as by [predict()][predict.dpadmm_fit]: the same columns, bounds and levels.
#' Weights make `loss` and `error` weighted means; the `objective` counts them as the fit does, over
#' their bound.
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
#' @param case_weights,offset of these records, where those of the fit were given as numbers; else
#'   they are computed from `x`.
#' @param epsilon,delta budget of a private evaluation; `delta = 0` for Laplace noise, `delta > 0`
#'   for Gaussian noise. The sum of all it releases.
#' @param nodes whose each record is, for measures of each holder: a vector or factor, or `~column`
#'   of `x`; `NULL`: one holder.
#' @param measures which of `"error"`, `"log_loss"`, `"calibration"` and `"auc"`, or of `"mse"` and
#'   `"r2"`, to release; `NULL`: all that the loss has. Fewer have less noise.
#' @param bins how many public bins of the predicted probability there are for calibration and AUC,
#'   or their edges (of the linear predictor for the hinge).
#' @param clip the public bound of a record's loss: of its log loss (4 by default), or of its
#'   residual in units of the response (the width of the response's bounds by default).
#' @param level of the intervals.
#' @param seed a whole number for a repeatable simulation; `NULL` for a private release.
#' @param ledger,data_id a budget that the evaluation is charged to before any noise is drawn, as in
#'   [dpadmm_fit()].
#' @param ... not used.
#' @section Private evaluation:
#' With `epsilon`, what is released is noisy: for each holder, up to three sets of counts and sums
#' of whole numbers, with discrete noise that is exact ([dpadmm_noise]).
#'
#' * `error`: how many records are wrong.
#' * `log_loss` (logistic loss), or `mse` (numbers): the sum of the records' losses, each cut at
#'   `clip`, and of their squares, which are only for the width of the interval. It estimates the
#'   mean of `min(loss, clip)`.
#' * `r2` (numbers whose bounds the fit knows): 1 minus `mse` over the variance of the response in
#'   these records. Sums of the response and of its powers and products with squared residuals are
#'   released for it, at as much of the budget as `mse`; it may be negative, and is `NA` where the
#'   noise hides that the response varies.
#' * `calibration` (logistic loss) and `auc`: how many records of each class are in each bin. The
#'   bins are of equal width between the least and the largest probability that the model can give a
#'   row within the bound, a function of released values. AUC is that of the binned scores: ties in
#'   a bin count half.
#'
#' One calibration makes all of it together cost (epsilon, delta) for a record, or a person where
#' the fit has [persons]: counts in bins get half of the budget, the other two a quarter each, in
#' the squares of sensitivity over noise (Gaussian) or in epsilon (Laplace); of fewer `measures` the
#' same proportions. All of all holders together (`holder = "all"`) is the sum of what they release
#' and costs nothing more. How many records each holder has is public.
#'
#' Intervals are of the noise, whose law is known, and of the records as a sample, by normal
#' approximation: of a share those shares for which its count is no surprise, of AUC on the logit
#' scale. The variance of losses is taken on the safe side where the noise hides it. Where a holder
#' has too few records of a class for the noise, AUC is `NA` and its interval `[0, 1]`.
#'
#' The statement is about these records with the model as given. On the fit's own records its cost
#' and the fit's add up: `privacy(list(fit, evaluation))`; and such measures, as any on training
#' records, are a little too good. Fits with weights, with `na.action = "omit"` or that protect a
#' holder's records (`unit = "holder"`) are refused.
#'
#' It returns an object of class `dpadmm_evaluation`: a list with `measures` (a data frame with a
#' row a holder and measure: `estimate`, `std.error`, `conf.low`, `conf.high`, and `noise`, the
#' standard deviation of the noise alone), `calibration` (`from`, `to`, noisy `records`, `rate` and
#' its interval) and `events`; it has [privacy()], [plot()][plot.dpadmm_evaluation], `tidy()` and
#' `as.data.frame()`.
#' @return `evaluate()` without `epsilon`: a data frame with one row (with `node = "all"` one a
#'   node, named in the column `node`) and the columns
#'   \describe{
#'     \item{records}{number of records.}
#'     \item{loss}{mean loss over the records, as the fit has it: of a response that is scaled by
#'       its bounds.}
#'     \item{objective}{what the fit minimises, divided by the weight `C` of the mean loss: `loss`
#'       plus `rho / (2 N C) ||f||^2` for [decentralised] methods, whose nodes are taken to
#'       be equally large; plus `penalty(f)` for [fp_admm()], [dp_sgd()] and [dp_cd()]; plus
#'       `penalty(y) / C` for [gradient] methods, where `y` solves `A f + B y = c`.}
#'     \item{error}{share of wrong classes (classification), or}
#'     \item{rmse}{root mean square error (regression), in units of the response.}
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
#' # private: error, log loss, calibration and AUC of 3,000 records for epsilon = 1
#' z <- matrix(runif(9000), 3000) / 2
#' sick <- z[, 1] + rnorm(3000) / 5 > z[, 2]
#' model <- dpadmm_fit(z, sick, nodes = 3, epsilon = 2, delta = 1e-6)
#' evaluate(model, z, sick, epsilon = 1, delta = 1e-6)
#'
#' # not private: of public records
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

#' @export
evaluate.default <- function(fit, x, y, ...) not_made_by(fit, "fit", "dpadmm_fit()")

#' @export
loss_trace.default <- evaluate.default

#' @rdname evaluate
#' @export
evaluate.dpadmm_fit <- function(fit, x, y, node = NULL, case_weights = NULL, offset = NULL,
                                epsilon = NULL, delta = 0, nodes = NULL, measures = NULL,
                                bins = 20, clip = NULL, level = 0.95, seed = NULL, ledger = NULL,
                                data_id = NULL, ...) {
  check_no_dots(...)
  nodes <- given_nodes(nodes)
  private <- mget(c("node", "epsilon", "delta", "nodes", "measures", "bins", "clip", "level",
    "seed", "ledger", "data_id"))
  spec <- private_spec(fit, private, names(match.call()))
  records <- labelled_records(fit, x, y, case_weights, offset)
  if (!is.null(spec)) return(evaluate_privately(fit, spec, records, x, private))
  over <- over_nodes(node)
  models <- node_models(fit, node = if (is.null(over)) node else "all")
  out <- data.frame(records = records$count, measure(fit, records, t(models)))
  if (!is.null(over)) return(by_group(out, rep(1L, nrow(out)), over))
  if (identical(node, "all")) data.frame(node = rownames(models), out) else out
}

#' @rdname evaluate
#' @export
loss_trace.dpadmm_fit <- function(fit, x, y, node = NULL, case_weights = NULL, offset = NULL,
                                  ...) {
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
    path <- colSums(aperm(path, c(2L, 1L, 3L)) * node_shares(fit))
  } else if (is.null(over) && !identical(node, "all")) {
    path <- path[, node_row(fit, node), ]
  }
  records <- labelled_records(fit, x, y, case_weights, offset)
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

#' Records as the fit sees them: x (n x d), y and its unit, by how much each row is shortened, and
#' weights and offsets or NULL.
#' @noRd
labelled_records <- function(fit, x, y, case_weights = NULL, offset = NULL) {
  if (missing(x)) {
    abort("argument", "`x` is missing: a fit does not keep its records.", argument = "x")
  }
  blueprint <- fit$blueprint
  problem <- fit$plan$problem
  given <- list(
    y = if (!missing(y)) y, case_weights = check_of_records(case_weights, "case_weights"),
    offset = check_of_records(offset, "offset")
  )
  whole <- whole_rows(blueprint, x, given, if (missing(y)) blueprint$response)
  x <- whole$data
  if (!missing(y)) y <- whole$vectors$y
  predictors <- encode_new(blueprint, x, "x", none = none_left(whole$dropped))
  name <- "y"
  if (missing(y)) {
    if (is.null(blueprint$response)) {
      abort("argument", "`y` is missing: one label a record.", argument = "y")
    }
    name <- response_name(blueprint)
    y <- response_of(blueprint, x, "x")
  }
  n <- nrow(predictors)
  y <- labels_left(y, whole$dropped, problem$loss, blueprint$classes)
  y <- known_labels(y, problem$loss, blueprint$classes, n, name)
  range <- blueprint$range
  weight <- weights_of(blueprint, whole$vectors$case_weights, x, n, globalenv(),
    whole$dropped)
  list(
    x = predictors, shorten = kept_length(blueprint, predictors),
    y = if (is.null(range)) y else (y - range$centre) / range$half, unit = response_unit(blueprint),
    count = n - sum(whole$dropped), weight = weight,
    offset = offsets_of(blueprint, whole$vectors$offset, x, n, globalenv(),
      whole$dropped)
  )
}

#' Mean loss, objective and error of models (d x k, one a column): k rows. Products of records
#' and models are taken together, up to some millions of numbers at a time.
#' @noRd
measure <- function(fit, records, models) {
  y <- records$y
  n <- length(y)
  loss <- fit$plan$problem$loss
  k <- ncol(models)
  value <- miss <- double(k)
  shift <- if (is.null(records$offset)) 0 else records$offset
  weight <- records$weight
  share <- if (is.null(weight)) 1 else mean(weight)
  mean_of <- function(v) if (is.null(weight)) colMeans(v) else colSums(v * weight) / sum(weight)
  step <- max(1L, as.integer(4e6 %/% n))
  for (first in seq.int(1L, k, by = step)) {
    part <- first:min(k, first + step - 1L)
    link <- as.matrix(records$x %*% models[, part, drop = FALSE]) * records$shorten + shift
    losses <- .Call(ffi_loss, loss$name, loss$width, as.vector(link), rep(y, length(part)))
    value[part] <- mean_of(matrix(losses$value, n))
    miss[part] <- if (loss$classification) {
      mean_of((link > 0) != (y > 0))
    } else {
      records$unit * sqrt(mean_of((link - y)^2))
    }
  }
  out <- data.frame(loss = value, objective = share * value + penalty_of(fit$plan, models))
  out[[if (loss$classification) "error" else "rmse"]] <- miss
  out
}

#' The penalty a plan's objective has next to the mean loss of weight 1, for each column of
#' `models`.
#' @noRd
penalty_of <- function(plan, models) {
  problem <- plan$problem
  if (!is.null(problem$network)) {
    return(penalty_weight(problem) / 2 * colSums(models^2))
  }
  part <- plan$constraint
  if (is.null(part)) return(penalty_values(problem$penalty, models))
  y <- (part$c - as.matrix(part$A %*% models)) / part$b
  penalty_values(part$penalty, y, part$weights) / problem$C
}
