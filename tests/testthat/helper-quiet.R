# Tests fit a few dozen records, of which any forecast says "mostly noise". test-expected.R is
# about that warning; elsewhere it would only hide others.
dpadmm_fit <- local({
  dpadmm_fit <- dpadmm::dpadmm_fit
  function(...) suppressWarnings(dpadmm_fit(...), classes = "dpadmm_warning_utility")
})
