#' @keywords internal
#' @useDynLib dpadmm, .registration = TRUE
"_PACKAGE"
