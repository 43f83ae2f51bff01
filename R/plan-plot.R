#' Plot a plan
#'
#' Privacy spent over rounds, sound and, where a printed theorem applies, as printed.
#'
#' @param x,object a plan of [dpadmm_plan()] of a private fit.
#' @param ... passed to [plot.default()].
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' plot(dpadmm_plan(10, sizes = c(2000, 3000), epsilon = 1, delta = 1e-6))
#' @export
plot.dpadmm_plan <- function(x, ...) {
  check_plot_dots(...)
  spent <- spent_by_round(x)
  draw_steps(spent, "iteration", "epsilon spent", range(0, spent$x), range(0, spent$y), ...)
  invisible(x)
}

#' @rdname plot.dpadmm_plan
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_plan <- function(object, ...) {
  check_no_dots(...)
  ggplot_steps(spent_by_round(object), "iteration", "epsilon spent")
}

spent_by_round <- function(plan) {
  if (!plan$private) {
    abort("argument", "A plan without noise spends no budget: there is nothing to draw.",
      argument = "x"
    )
  }
  paths <- lapply(c("sound", "paper"), function(accountant) {
    path <- if_accounted(privacy_path(plan, accountant))
    if (is.null(path)) return(NULL)
    # nothing is spent before the first release, and nothing after the last
    at <- c(0, path$iteration, max(plan$iterations, path$iteration))
    spent <- c(0, path$epsilon, path$epsilon[nrow(path)])
    data.frame(x = at, y = spent, line = accountant, part = 1)
  })
  do.call(rbind, paths)
}
