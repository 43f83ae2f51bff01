# Tests fit a few dozen records, of which any forecast says "mostly noise". test-expected.R is
# about that warning, test-optimum.R about fits that have not arrived; elsewhere they would only
# hide others.
dpadmm_fit <- local({
  dpadmm_fit <- dpadmm::dpadmm_fit
  function(...) suppressWarnings(dpadmm_fit(...), classes = c("dpadmm_warning_utility", "dpadmm_warning_convergence"))
})
