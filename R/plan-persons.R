# Several records of one person, protected together: all that changes in a plan. Theorem 17 of
# the vignette "Privacy accounting".

#' All records of a person
#'
#' `per_person = m` says that as many as m records of a node may be one person's, and protects all
#' of them together: the statement is about a person, whose records might all have been another's.
#' With the default, 1, it is about one record. Numbers with names belong to the nodes of these
#' names.
#'
#' At [sites] a policy names the column of ids and the limit, and the site counts no more records of
#' anybody, see [site_policy()]; a plan for sites asks them. In one process nobody looks: the number
#' is your word, so give further records of a person a weight of 0 (`case_weights`).
#'
#' @section What it costs:
#' What a record moves, a person moves m times as far, so noise is m times as large. Noise in an
#' objective pays for curvature, too: where one record's is a share k of the problem's own, a
#' person's counts `(1 + k)^m - 1`. Of a random batch ([dp_sgd()]) the m records are rarely all in
#' it: a release counts as m of one record, each with `1/m` of the variance of the noise. All of it
#' is Theorem 17 of `vignette("privacy-accounting")`.
#'
#' @section What is public:
#' The number of records of a node, those that do not count included: neighbours have the same. How
#' many records a person has, how many persons there are and how many records count is not.
#'
#' @section Persons at several nodes:
#' A guarantee is about what one node says. Who has records at two of them may lose what both say.
#' So nodes must have names: a random split (`nodes = 4`) would part a person's records.
#'
#' @section Where it is refused:
#' Batches of a fixed size, `accountant = "paper"`, and [fp_admm()] with each record as a user, or
#' with `unit = "holder"`: errors of class `dpadmm_error_argument`. A [dpadmm_ledger()] is about
#' persons with as many records as its first charge was about: a run for fewer is refused
#' (`dpadmm_error_accountant`).
#'
#' @name persons
#' @seealso [site_policy()], [dpadmm_plan()].
#' @examples
#' sizes <- c(north = 9000, south = 7000)
#' plan <- dpadmm_plan(4, sizes, epsilon = 1, delta = 1e-5, per_person = 3)
#' plan
#' update(plan, per_person = c(north = 3, south = 1))$problem$per_person
NULL

#' Curvature as accountants take it: of m records whose curvature is at most `curvature` each, the
#' Jacobian is at most (1 + curvature / modulus)^m times what it is without them.
#' @noRd
person_curvature <- function(curvature, modulus, per_person) {
  together <- modulus * expm1(per_person * log1p(curvature / modulus))
  ifelse(per_person == 1, curvature, round_up(together, 64))
}

#' Where nothing is proved of persons.
#' @noRd
check_persons <- function(method, problem, control) {
  if (all(problem$per_person == 1)) return(invisible())
  refuse <- function(words, argument = "per_person") {
    abort("argument", paste0("With `per_person` above 1 ", words), argument = argument)
  }
  if (control$accountant == "paper") {
    refuse('only accountant = "sound" has a guarantee: papers protect one record.', "accountant")
  }
  if (problem$N > 1L && !isTRUE(problem$named)) {
    refuse("`sizes` must have names: a random split would part the records of a person.", "sizes")
  }
  p <- method$parameters
  if (identical(p$sampling, "fixed") && !is.null(p$batch)) {
    refuse('batches of a fixed size have no guarantee: use sampling = "poisson".', "sampling")
  }
  if (inherits(method, "dpadmm_family_server") && !share_model(problem)) {
    refuse(paste(
      "users must be holders of several records each, which are protected one person at a time:",
      'several `sizes` (or `nodes`) and unit = "record".'
    ), "unit")
  }
}
