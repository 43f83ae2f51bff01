# Losses by the names that glm() and glmnet() have for them.

#' A loss's own name for a family's name, or a family. What there is no loss for is an error
#' that says what comes nearest.
#' @noRd
loss_name <- function(name) {
  link <- NULL
  if (is.function(name)) name <- family_of(name)
  if (inherits(name, "family")) {
    link <- name$link
    name <- name$family
  }
  if (!is.character(name) || length(name) != 1L || is.na(name)) return(name)
  if (name %in% c("binomial", "quasibinomial")) {
    if (is.null(link) || link == "logit") return("logistic")
    abort("argument", sprintf(
      'No loss has the %s link: "logistic" is the binomial family with its logit link.', link
    ), argument = "loss", value = link)
  }
  lost <- c(
    gaussian = paste(
      'The loss of "gaussian" is "squared", whose gradients have no bound, so that no private fit',
      'has it. Use "huber": squared up to its width, then linear.'
    ),
    poisson = paste(
      'There is no loss for counts, as "poisson". Losses of numbers are "huber", "squared".'
    ),
    multinomial = 'No loss is for three classes: fit "logistic" for each class against the rest.',
    cox = 'There is no loss for times to an event, as "cox".',
    svm = 'The loss of a support vector machine is "hinge".'
  )
  if (name %in% names(lost)) abort("argument", lost[[name]], argument = "loss", value = name)
  name
}

#' The family of glm()'s binomial, gaussian and the like, given as functions.
#' @noRd
family_of <- function(name) {
  families <- list(stats::binomial, stats::quasibinomial, stats::gaussian, stats::poisson)
  if (any(vapply(families, identical, NA, name))) name() else name
}
