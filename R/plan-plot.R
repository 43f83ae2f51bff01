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
  lines <- split(spent, spent$accountant)
  plot(range(0, spent$iteration), range(0, spent$epsilon),
    type = "n", xlab = "iteration", ylab = "epsilon spent", ...
  )
  for (k in seq_along(lines)) {
    graphics::lines(lines[[k]]$iteration, lines[[k]]$epsilon, type = "s", lty = k)
  }
  if (length(lines) > 1L) {
    graphics::legend("topleft", names(lines), lty = seq_along(lines), bty = "n")
  }
  invisible(x)
}

#' @rdname plot.dpadmm_plan
#' @exportS3Method ggplot2::autoplot
autoplot.dpadmm_plan <- function(object, ...) {
  check_no_dots(...)
  need_package("ggplot2", "autoplot()")
  ggplot2::ggplot(spent_by_round(object), ggplot2::aes(
    x = .data[["iteration"]], y = .data[["epsilon"]], linetype = .data[["accountant"]]
  )) +
    ggplot2::geom_step() +
    ggplot2::labs(y = "epsilon spent", linetype = NULL)
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
    data.frame(iteration = at, epsilon = spent, accountant = accountant)
  })
  do.call(rbind, paths)
}
