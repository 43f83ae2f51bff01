# Several records of one person, protected together: all that changes in a plan. Theorem 17 of
# the vignette "Privacy accounting".

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
