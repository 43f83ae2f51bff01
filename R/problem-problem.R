# What is to be solved, and for whom: everything about the records that is public, and no
# record. Losses, penalties, networks and schemas are its parts.

#' @param parties list(names, size): who holds how many records.
#' @param blueprint how data become columns, see records_matrix() and frame_blueprint(): its
#'   `d` is the number of columns.
#' @param network who talks to whom; `NULL` where there is one holder.
#' @param users list(names, size) of users whose data are protected as a whole; `NULL`: what is
#'   protected is a record, of one party or of several.
#' @param per_person how many records may be one person's, who is protected as a whole: one number
#'   or one a party.
#' @noRd
new_problem <- function(loss, penalty, parties, blueprint, network = NULL, users = NULL,
                        C = NULL, rho = NULL, lambda = NULL, weights = NULL, row_bound = 1,
                        per_person = 1) {
  N <- length(parties$names)
  structure(list(
    loss = loss, penalty = penalty, C = C, rho = rho, lambda = lambda, weights = weights,
    row_bound = row_bound,
    per_person = pmin(per_party(per_person, parties$names, "per_person"), parties$size),
    N = N, names = parties$names, named = parties$named, size = as.integer(parties$size),
    records = sum(parties$size),
    d = blueprint$d, blueprint = blueprint, network = network,
    degree = if (!is.null(network)) network$degree, users = users,
    unit = if (is.null(users) || all(users$size == 1)) "record" else "holder"
  ), class = "dpadmm_problem")
}

#' Whether several parties make one model: holders with a server or a hub, or a walk over them.
#' @noRd
share_model <- function(problem) is.null(problem$network) && problem$N > 1L

#' What the models of a fit are called: one each by the parties, or one by all of them.
#' @noRd
model_names <- function(problem) if (share_model(problem)) "holder" else problem$names

#' @export
print.dpadmm_problem <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf(
    "<dpadmm_problem: %s loss, %d columns, %d records of %d holder%s>\n", x$loss$name, x$d,
    x$records, x$N, if (x$N == 1L) "" else "s"
  ))
  invisible(x)
}

#' The parties of a plan from the user's numbers of records. One number is one holder.
#' @noRd
check_sizes <- function(sizes) {
  if (is.table(sizes) && length(dim(sizes)) == 1L) {
    sizes <- stats::setNames(as.vector(sizes), names(sizes))
  }
  check_numbers(sizes, "sizes", lower = 1, upper = .Machine$integer.max, whole = TRUE)
  if (sum(sizes) > .Machine$integer.max) {
    abort("size", "`sizes` add up to more records than can be counted.", argument = "sizes")
  }
  names <- names(sizes)
  if (!is.null(names) && (anyNA(names) || any(names == "") || anyDuplicated(names))) {
    abort("argument", "The names of `sizes` must be different and not empty.", argument = "sizes")
  }
  list(
    names = if (is.null(names)) as.character(seq_along(sizes)) else names,
    size = as.integer(sizes), named = !is.null(names)
  )
}
