# Plans and fits again, with other arguments: what was asked for is kept next to what came of it.

#' A plan or a fit with other arguments
#'
#' As [stats::update()]: the same call with some arguments changed, and what was worked out by
#' default worked out anew.
#'
#' A fit keeps no record, so `data` are given again; a new fit is a new release and has its own
#' privacy cost. A seed is not carried over to a new fit; a `ledger` is, and the new fit is charged
#' to it as well (`ledger = NULL`: it is not).
#'
#' @param object a plan of [dpadmm_plan()] or a fit of [dpadmm_fit()].
#' @param formula. changes to the formula, as `. ~ . + age`; `NULL`: none.
#' @param data the records, as [dpadmm_fit()] takes them: a data frame, or a matrix with `y`.
#' @param y labels, when `data` do not have them.
#' @param ... arguments to change. `NULL` takes one back to its default; an `epsilon` replaces a
#'   given `noise`, and `lambda` a given `rho`, and the other way round. Of a fit also `nodes`,
#'   which is kept only when it is a number of nodes or `~column`, and numbers of `case_weights` and
#'   `offset`, which are not kept and are an error when they are missing.
#' @return A plan, or a fit. Errors as of [dpadmm_plan()] and [dpadmm_fit()].
#' @examples
#' public <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"))
#' plan <- dpadmm_plan(ill ~ age + smoker, public, sizes = c(2500, 4000), epsilon = 1)
#' update(plan, epsilon = 2)$expected$verdict
#' formula(update(plan, . ~ . - smoker))
#' @name update
#' @export
update.dpadmm_plan <- function(object, formula. = NULL, ...) {
  if (is.null(object$asked)) {
    abort("argument", "The plan was made with its fit: update the fit.", argument = "object")
  }
  do.call(dpadmm_plan, changed(object$asked, formula., ...))
}

#' Arguments with changes to them.
#' @noRd
changed <- function(asked, formula., ...) {
  change <- list(...)
  if (length(change) && (is.null(names(change)) || any(names(change) == ""))) {
    abort("argument", "Arguments to change must be named.", argument = "...")
  }
  if (!is.null(formula.)) {
    if (!inherits(asked$x, "formula")) {
      abort("argument", "`formula.` changes a formula, and there was none.", argument = "formula.")
    }
    change$x <- stats::update(asked$x, formula.)
  }
  # a budget and a given noise exclude each other; noise = "gaussian" is next to a budget
  if (inherits(change$noise, "dpadmm_noise")) asked$epsilon <- NULL
  if (inherits(asked$noise, "dpadmm_noise") && !is.null(change$epsilon)) asked$noise <- NULL
  # so do the two ways to say what the penalty weighs
  if (!is.null(change$lambda)) asked$rho <- NULL
  if (!is.null(change$rho)) asked$lambda <- NULL
  kept <- asked[setdiff(names(asked), names(change))]
  c(kept, Filter(Negate(is.null), change))
}

#' The arguments that a user gave the function whose call and frame these are, by name.
#' @noRd
given_arguments <- function(call, frame, but = character()) {
  mget(setdiff(as.character(names(call))[-1L], c("", "...", but)), frame)
}

#' The same with what its caller was asked for.
#' @noRd
remember <- function(made, ...) {
  asked <- Filter(Negate(is.null), list(...))
  # a caller's environment may hold the data
  for (k in which(vapply(asked, inherits, NA, "formula"))) environment(asked[[k]]) <- globalenv()
  made$asked <- c(asked, made$asked[setdiff(names(made$asked), names(asked))])
  made
}
