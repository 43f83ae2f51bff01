# Tests fit a few dozen records, of which any forecast says "mostly noise". test-expected.R is
# about that warning; elsewhere it would only hide others.
dpadmm_fit <- function(...) {
  suppressWarnings(dpadmm::dpadmm_fit(...), classes = "dpadmm_warning_utility")
}
