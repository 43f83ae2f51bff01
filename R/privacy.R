#' The privacy statement of a fit
#'
#' What anyone who sees every message between the nodes, the model included, can
#' learn about one record.
#'
#' `"sound"` is proved for the algorithm as it ran (see
#' `vignette("privacy-accounting")`); `"paper"` is the formula printed in the
#' method's paper, for redrawing its figures, and says so wherever it is printed.
#' Both come from the fit's events alone, see [dp_event] and [account()].
#'
#' Neighbours differ in one record, replaced by another. One record sits at one
#' node, so the network's epsilon is the largest of the nodes'.
#'
#' @param fit a fit of [dpadmm_fit()].
#' @param accountant `"sound"` or `"paper"`.
#' @param delta probability with which the guarantee may fail, in `[0, 1)`; by default
#'   the fit's. A finished fit can be re-reported at any other: nothing is released by
#'   that. `delta = 0` needs Gamma-norm or Laplace noise.
#' @param ... not used.
#' @return An object of class `dpadmm_privacy`: a list with `epsilon`, `delta`,
#'   `accountant`, `neighbours` and `per_node` (a data frame of `node` and
#'   `epsilon`), and what its printed form says in words. Without noise `epsilon`
#'   is `Inf` and the statement says that nothing is protected.
#'
#'   Errors: `dpadmm_error_accountant` when no theorem covers the releases,
#'   `dpadmm_error_theorem` when a printed theorem's condition fails.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' fit <- dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 4, epsilon = 20, seed = 1)
#' privacy(fit)
#' privacy(fit, accountant = "paper")$epsilon
#' privacy(fit, delta = 1e-6)$epsilon
#' @export
privacy <- function(fit, ...) UseMethod("privacy")

#' @rdname privacy
#' @export
privacy.dpadmm_fit <- function(fit, accountant = c("sound", "paper"), delta = fit$budget$delta, ...) {
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  statement(fit$events, delta, accountant, fit)
}

#' @param about what else the statement mentions: nodes, seeded, leaks, tol, ...
#' @noRd
statement <- function(events, delta, accountant, about) {
  names <- about$nodes$names
  if (is.null(events)) {
    epsilon <- Inf
    per_node <- data.frame(node = names, epsilon = Inf)
    neighbours <- "replace-one"
  } else {
    guarantee <- fold_statement(events, delta, accountant)
    epsilon <- guarantee$epsilon
    per_node <- guarantee$per_node
    per_node$node <- names[per_node$node]
    neighbours <- guarantee$neighbours
  }
  structure(list(
    epsilon = epsilon, delta = if (is.null(events)) 0 else delta, accountant = accountant,
    neighbours = neighbours, per_node = per_node, releases = releases(events),
    caveat = if (accountant == "paper" && !is.null(events)) .printed_theorems[[events$printed[1L]]]$caveat,
    theorem = if (accountant == "paper" && !is.null(events)) events$printed[1L],
    tolerance = about$tol, row_bound = about$row_bound, seeded = about$seeded, leaks = about$leaks
  ), class = "dpadmm_privacy")
}

fold_statement <- function(events, delta, accountant) {
  account(events, delta, if (accountant == "paper") "paper" else "best")
}

#' The noise that spends a budget, by the accountant the user asked for.
#' @noRd
calibrate_noise <- function(events, public, control) {
  accountant <- if (control$accountant == "paper") "paper" else "best"
  tryCatch(calibrate(events, public$epsilon, public$delta, accountant), dpadmm_error_argument = function(e) {
    if (!identical(e$argument, "interval")) stop(e)
    abort("argument", sprintf("`epsilon` = %g asks for next to no noise; for none, use Inf.", public$epsilon),
      argument = "epsilon", value = public$epsilon
    )
  })
}

releases <- function(events) {
  if (is.null(events)) return("nothing was released with noise")
  most <- max(tapply(events$count, events$node, sum))
  sprintf("%g release%s a node with %s", most, if (most == 1) "" else "s", .mechanisms[[events$mechanism[1L]]]$words)
}

#' @export
print.dpadmm_privacy <- function(x, ...) {
  cat(statement_text(x), sep = "\n")
  invisible(x)
}

#' @export
format.dpadmm_privacy <- function(x, ...) statement_text(x)

statement_text <- function(x) {
  if (is.infinite(x$epsilon)) {
    out <- "Privacy: none. No noise was added; every message can reveal records."
  } else {
    odds <- exp(x$epsilon)
    out <- c(
      sprintf(
        "Privacy (%s): epsilon = %s%s, %s neighbours.",
        if (x$accountant == "paper") paste0("as printed in ", x$theorem) else "sound",
        format(x$epsilon, digits = 4L), if (x$delta > 0) sprintf(", delta = %g", x$delta) else "",
        x$neighbours
      ),
      strwrap(sprintf(
        paste(
          "Whoever sees every message between the nodes, and the model, could see nearly the same",
          "had any one record been another: no outcome is more than %s times as likely%s."
        ),
        if (odds < 1e4) format(ceiling(odds * 100) / 100, digits = 7L) else sprintf("exp(%s)", format(x$epsilon, digits = 3L)),
        if (x$delta > 0) sprintf(", but for a probability of %g", x$delta) else ""
      ), 88, indent = 2, exdent = 2),
      sprintf("  It comes from %s.", x$releases)
    )
    spread <- range(x$per_node$epsilon)
    if (spread[2L] > spread[1L] * (1 + 1e-6)) {
      worst <- x$per_node$node[which.max(x$per_node$epsilon)]
      out <- c(out, sprintf(
        "  Nodes: from %s to %s (node \"%s\"); the largest counts.", format(spread[1L], digits = 4L),
        format(spread[2L], digits = 4L), worst
      ))
    }
    out <- c(out, sprintf("  Rows have norm at most %g, as you stated: longer ones were shortened.", x$row_bound))
    out <- c(out, sprintf("  It is a guarantee for exact minimisers; they were found to gradient norm %.3g or 64 ulp of its terms.", x$tolerance))
    if (!is.null(x$caveat)) out <- c(out, paste0("  ", x$caveat))
    if (x$seeded) {
      out <- c(out, "  Seeded noise: a simulation, not a private release.")
    }
  }
  for (leak in x$leaks) out <- c(out, sprintf("  Not covered: what was read from the records, %s.", leak))
  out
}

#' Privacy spent up to each iteration, for a picture.
#' @noRd
privacy_path <- function(fit, accountant = "sound") {
  events <- fit$events
  if (is.null(events)) return(NULL)
  at <- sort(unique(events$iteration))
  spent <- vapply(at, function(t) {
    fold_statement(events[events$iteration <= t, , drop = FALSE], fit$budget$delta, accountant)$epsilon
  }, 0)
  data.frame(iteration = at, epsilon = spent, accountant = accountant)
}

#' Epsilon of a finished fit at many deltas.
#' @noRd
privacy_curve <- function(fit, accountant = "sound", delta = 10^seq(-10, -2, length.out = 9L)) {
  epsilon <- vapply(delta, function(d) fold_statement(fit$events, d, accountant)$epsilon, 0)
  data.frame(delta = delta, epsilon = epsilon, accountant = accountant)
}

#' What a run that ended early had spent: the guarantee (or NULL) and the words for it.
#' @noRd
spent_so_far <- function(events, begun, delta) {
  if (is.null(events)) {
    return(list(words = "No noise was added, so no privacy was kept to begin with."))
  }
  events <- events[events$iteration <= begun, , drop = FALSE]
  if (nrow(events) == 0L) {
    return(list(words = "Nothing had been sent, so no privacy was spent."))
  }
  guarantee <- fold_statement(events, delta, "sound")
  list(guarantee = guarantee, words = sprintf(
    "The %g noisy updates begun so far have spent epsilon = %s%s.", length(unique(events$iteration)),
    format(guarantee$epsilon, digits = 4L), if (delta > 0) sprintf(" (delta = %g)", delta) else ""
  ))
}
