# A data frame with what a fit predicts of it.

#' @rdname tidy
#' @param newdata a data frame, or a matrix with the training columns. It has no default, as a
#'   fit does not keep its records.
#' @details `augment()` adds columns to `newdata` and so holds its records: it is as secret as
#'   they are.
#' @exportS3Method generics::augment
augment.dpadmm_fit <- function(x, newdata, ...) {
  check_no_dots(...)
  if (missing(newdata)) {
    abort("argument", "`newdata` is needed: a fit does not keep its records.", argument = "newdata")
  }
  loss <- x$plan$problem$loss
  probability <- loss$name == "logistic"
  fitted <- predict(x, newdata,
    type = if (loss$classification && !probability) "link" else "response"
  )
  out <- if (is.data.frame(newdata)) newdata else as.data.frame(as.matrix(newdata))
  out$.fitted <- fitted
  if (loss$classification) out$.pred_class <- predict(x, newdata)
  out
}
