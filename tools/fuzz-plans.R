# Cases of tools/fuzz: a plan, its text and its fit are one thing.

make_plan <- function() {
  name <- sample(names(dpadmm:::methods_table()), 1L)
  sizes <- switch(sample.int(4L, 1L), c(a = 30, b = 50), c(a = 1, b = 2, c = 1), c(a = 40, b = 40,
    c = 7), rep(3, 40))
  if (stats::runif(1L) < 0.1) sizes <- rep(1, 200)
  settings <- random_settings(name, length(sizes), FALSE)
  settings$rows <- settings$intercept <- NULL
  formula <- one_of(quote(ill ~ age + sex), quote(ill ~ age), quote(ill ~ sex - 1),
    quote(ill ~ age * sex), quote(ill ~ poly(age, 2, raw = TRUE)))
  as.call(c(list(quote(check_plan), formula, sizes, random_method(name)), settings))
}

check_plan <- function(formula, sizes, method, ...) {
  force(method)
  given <- list(...)
  quiet <- function(code) suppressWarnings(code, classes = "dpadmm_warning")
  plan <- quiet(dpadmm_plan(formula, fuzz_schema, sizes, method = method, ...))
  n <- sum(sizes)
  data <- fuzz_frame(n)
  if (is.null(names(sizes))) names(sizes) <- seq_along(sizes)
  data$party <- rep(names(sizes), sizes)
  again <- dpadmm:::recipe_plan(dpadmm:::plan_recipe(plan))
  parts <- c("scales", "events", "budget", "iterations", "expected", "eta", "theta", "gamma")
  other <- Filter(function(part) !identical(plan[[part]], again[[part]]), parts)
  said <- utils::capture.output(print(plan), print(summary(plan)), print(privacy(plan)))
  run <- function(...) tryCatch(quiet(dpadmm_fit(..., control = plan$control)),
    dpadmm_error = identity)
  nodes <- factor(data$party, names(sizes))
  planned <- run(plan, data, nodes = nodes, seed = given$seed)
  given$control <- NULL
  direct <- do.call(run, c(list(formula, data, nodes = nodes, schema = fuzz_schema,
    method = method), given))
  c(
    if (length(other)) sprintf("its text gives other %s", paste(other, collapse = ", ")),
    if (any(grepl("NaN", said))) sprintf("says %s", grep("NaN", said, value = TRUE)[1L]),
    if (!identical(planned$coefficients, direct$coefficients)) "its fit is another",
    if (inherits(planned, "error") && !identical(given$epsilon, Inf)) {
      sprintf("a plan that cannot run: %s", conditionMessage(planned))
    }
  )
}
