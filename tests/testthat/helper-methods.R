# Every method on one small problem, for tests that go over the table of methods.

small <- local({
  n <- 48
  x <- matrix(sin(seq_len(3 * n) * sqrt(2)), n, dimnames = list(NULL, c("a", "b", "c"))) / 2
  list(
    x = x, y = ifelse(x[, 1] + 0.3 * cos(seq_len(n)) > 0, 1, -1), nodes = rep_len(1:3, n),
    sizes = c("1" = 16, "2" = 16, "3" = 16)
  )
})

all_methods <- function() dpadmm:::methods_table()

on_graph <- function(method) dpadmm:::on_graph(dpadmm:::as_method(method))

#' Every method with its defaults, and those by gradients also over three holders.
method_cases <- function() {
  alone <- lapply(all_methods(), function(make) make())
  shared <- lapply(Filter(dpadmm:::by_gradients, alone), over_holders)
  c(alone, stats::setNames(shared, paste(names(shared), "over holders")))
}

over_holders <- function(method) structure(method, over_holders = TRUE)

has_nodes <- function(method) on_graph(method) || isTRUE(attr(method, "over_holders"))

#' A fit of the small problem.
small_fit <- function(method, ..., epsilon = 5, delta = 1e-4, iterations = 4, seed = 1, x = small$x,
                      y = small$y) {
  where <- if (has_nodes(method)) list(nodes = small$nodes)
  do.call(dpadmm_fit, c(list(x, y, method = method), where, list(
    ..., epsilon = epsilon, delta = delta, iterations = iterations, seed = seed
  )))
}

small_plan <- function(method, ..., epsilon = 5, delta = 1e-4, iterations = 4, seed = 1) {
  dpadmm_plan(colnames(small$x),
    sizes = if (has_nodes(method)) small$sizes else 48, method = method, ..., epsilon = epsilon,
    delta = delta, iterations = iterations, seed = seed
  )
}
