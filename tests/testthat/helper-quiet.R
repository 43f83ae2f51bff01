# Tests fit a few dozen records, of which any forecast says "mostly noise". test-expected.R is
# about that warning, test-optimum.R about fits that have not arrived; elsewhere they would only
# hide others. And tests of algorithms hand over
# matrices as the papers have them: no intercept is added, and long rows are shortened, unless a
# test says otherwise. test-units.R is about that.
as_records <- function(dpadmm_fit) { # by this name, which an error's call has
  function(x, ...) {
    if (missing(x)) return(dpadmm_fit(...))
    bare <- is.matrix(x) || methods::is(x, "Matrix") || is.character(x) || is.numeric(x)
    if (!bare) return(dpadmm_fit(x, ...))
    stated <- c("intercept", "rows") %in% names(match.call(expand.dots = FALSE)$...)
    if (all(stated)) return(dpadmm_fit(x, ...))
    if (stated[1L]) return(dpadmm_fit(x, ..., rows = "shorten"))
    if (stated[2L]) return(dpadmm_fit(x, ..., intercept = FALSE))
    dpadmm_fit(x, ..., intercept = FALSE, rows = "shorten")
  }
}

dpadmm_plan <- as_records(dpadmm::dpadmm_plan)
dpadmm_fit <- local({
  dpadmm_fit <- as_records(dpadmm::dpadmm_fit)
  function(...) {
    suppressWarnings(dpadmm_fit(...),
      classes = c("dpadmm_warning_utility", "dpadmm_warning_convergence")
    )
  }
})
