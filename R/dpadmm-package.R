#' @keywords internal
#' @useDynLib dpadmm, .registration = TRUE
#' @importFrom stats coef predict
"_PACKAGE"

utils::globalVariables(".data") # the pronoun of ggplot2's aes()
