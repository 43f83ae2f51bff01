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
#' @param view for fits of [fp_admm()], who looks: `"central"`, `"local"` or `"network"`,
#'   as far as the setting has them; `NULL`: the method's own.
#' @param iterations `TRUE`: what had been spent after each iteration, instead of a statement.
#' @param ... not used.
#' @return An object of class `dpadmm_privacy`: a list with `epsilon`, `delta`,
#'   `accountant`, `neighbours` and `per_node` (a data frame of `node` and
#'   `epsilon`), and what its printed form says in words. Without noise `epsilon`
#'   is `Inf` and the statement says that nothing is protected.
#'
#'   With `iterations = TRUE` a data frame of `iteration` and `epsilon`, the guarantee at
#'   `delta` of all that was released up to there: a row for each iteration that read records
#'   (of more than 200, for 200 of them, the first and the last included; of [ipp_admm()] for
#'   each send). In between nothing is spent.
#'
#'   Errors: `dpadmm_error_accountant` when no theorem covers the releases,
#'   `dpadmm_error_theorem` when a printed theorem's condition fails.
#' @examples
#' x <- matrix(runif(600), 200) / 2
#' fit <- dpadmm_fit(x, rep(c(-1, 1), 100), nodes = 4, epsilon = 20, seed = 1)
#' privacy(fit)
#' privacy(fit, accountant = "paper")$epsilon
#' privacy(fit, iterations = TRUE)
#' privacy(fit, delta = 1e-6)$epsilon
#' @export
privacy <- function(fit, ...) UseMethod("privacy")

#' @rdname privacy
#' @export
privacy.dpadmm_fit <- function(fit, accountant = c("sound", "paper"), delta = fit$budget$delta,
                               view = NULL, iterations = FALSE, ...) {
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  check_flag(iterations, "iterations")
  view <- check_view(fit, view)
  if (iterations) return(privacy_path(fit, accountant, delta, view))
  out <- statement(fit_events(fit, accountant, view), delta, accountant, fit)
  out$view <- view
  if (!is.null(view)) out$audience <- .view_words[[view]]
  out
}

#' The view to state, of those the fit has; NULL for fits with one view.
#' @noRd
check_view <- function(fit, view) {
  if (is.null(view)) return(fit$plan$view)
  if (is.null(fit$plan$views)) {
    abort("argument", "This fit has one view only: leave `view` at NULL.", argument = "view")
  }
  if (!(length(view) == 1L && view %in% fit$plan$views)) check_choice(view, fit$plan$views, "view")
  view
}

#' What was released, as an accountant should see it. Sound bounds hold for every view.
#' @noRd
fit_events <- function(fit, accountant, view) {
  if (accountant == "paper" && !is.null(fit$printed)) fit$printed[[view]] else fit$events
}

#' @param about what else the statement mentions: nodes, seeded, leaks, tol, ...; `words`,
#'   where a family has its own, are what is seen (`sees`), how it was `released` and
#'   perhaps the `bound` that was enforced.
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
    per_node$node <- ifelse(is.na(per_node$node), "any", names[per_node$node])
    neighbours <- guarantee$neighbours
  }
  structure(list(
    epsilon = epsilon, delta = if (is.null(events)) 0 else delta, accountant = accountant,
    neighbours = neighbours, per_node = per_node,
    releases = if (is.null(about$words)) releases(events) else about$words$released,
    caveat = if (accountant == "paper" && !is.null(events)) .printed_theorems[[events$printed[1L]]]$caveat,
    theorem = if (accountant == "paper" && !is.null(events)) printed_title(events, delta),
    user_level = !is.null(about$users), tolerance = about$tol, inexact = !is.null(about$plan$beta),
    row_bound = about$row_bound, seeded = about$seeded, leaks = about$leaks,
    audience = about$words$sees, stated = about$words$bound
  ), class = "dpadmm_privacy")
}

#' The statement a fit is printed with: what is proved, or for a run of which nothing is
#' proved, the printed claim with its caveat.
#' @noRd
shown_privacy <- function(fit) {
  tryCatch(privacy(fit), dpadmm_error_accountant = function(e) privacy(fit, "paper"))
}

fold_statement <- function(events, delta, accountant) {
  account(events, delta, if (accountant == "paper") "paper" else "best")
}

#' The noise that spends a budget, by the accountant the user asked for.
#' @param near where the answer is expected, from a problem like it; it may be wrong. For
#'   noise of which more is more private.
#' @noRd
calibrate_noise <- function(events, epsilon, public, control, near = NULL) {
  accountant <- if (control$accountant == "paper") "paper" else "best"
  if (!is.null(near)) {
    found <- tryCatch(
      calibrate_near(events, epsilon, public$delta, accountant, near),
      dpadmm_error = function(e) NULL
    )
    if (!is.null(found)) return(found)
  }
  tryCatch(calibrate(events, epsilon, public$delta, accountant), dpadmm_error_argument = function(e) {
    if (!identical(e$argument, "interval")) stop(e)
    abort("argument", sprintf("`epsilon` = %g asks for next to no noise; for none, use Inf.", epsilon),
      argument = "epsilon", value = epsilon
    )
  })
}

releases <- function(events) {
  if (is.null(events)) return("nothing was released with noise")
  each <- !all(is.na(events$node))
  kind <- factor(events$mechanism, unique(events$mechanism))
  counts <- tapply(events$count, list(if (each) events$node else rep(1, nrow(events)), kind), sum)
  most <- apply(counts, 2L, max, na.rm = TRUE)
  words <- vapply(names(most), function(name) .mechanisms[[name]]$words, "")
  sprintf(
    "%g release%s%s with %s", most[[1L]], if (most[[1L]] == 1) "" else "s", if (each) " a node" else "",
    paste(c(words[[1L]], sprintf("%g with %s", most[-1L], words[-1L])), collapse = ", ")
  )
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
    out <- "Privacy: none. No noise was added; what is released can reveal records."
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
          "%s could see nearly the same",
          "had any one %s been %s: no outcome is more than %s times as likely%s."
        ),
        if (is.null(x$audience)) "Whoever sees every message between the nodes, and the model," else x$audience,
        if (isTRUE(x$user_level)) "user's data" else "record",
        if (x$neighbours == "add-remove") "left out of the sums" else "another",
        if (odds < 1e4) format(ceiling(odds * 100) / 100, digits = 7L) else sprintf("exp(%s)", format(x$epsilon, digits = 3L)),
        if (x$delta > 0) sprintf(", but for a probability of %g", x$delta) else ""
      ), 88, indent = 2, exdent = 2),
      strwrap(sprintf("It comes from %s.", x$releases), 88, indent = 2, exdent = 2)
    )
    spread <- range(x$per_node$epsilon)
    if (spread[2L] > spread[1L] * (1 + 1e-6)) {
      worst <- x$per_node$node[which.max(x$per_node$epsilon)]
      out <- c(out, sprintf(
        "  Nodes: from %s to %s (node \"%s\"); the largest counts.", format(spread[1L], digits = 4L),
        format(spread[2L], digits = 4L), worst
      ))
    }
    if (x$neighbours == "add-remove") {
      out <- c(out, "  The number of records, by which sums are divided, is taken to be public.")
    }
    if (!is.null(x$row_bound)) {
      out <- c(out, sprintf("  Rows have norm at most %g, as you stated: longer ones were shortened.", x$row_bound))
    }
    if (!is.null(x$stated)) out <- c(out, paste0("  ", x$stated))
    if (!is.null(x$tolerance)) {
      out <- c(out, sprintf(
        if (x$inexact) {
          "  It covers inexact solutions: gradient norm up to %.3g, hidden by the noise on the result."
        } else {
          "  It is a guarantee for exact minimisers; they were found to gradient norm %.3g or 64 ulp of its terms."
        }, x$tolerance
      ))
    }
    if (!is.null(x$caveat)) out <- c(out, strwrap(x$caveat, 88, indent = 2, exdent = 2))
    if (x$seeded) {
      out <- c(out, "  Seeded noise: a simulation, not a private release.")
    }
  }
  for (leak in x$leaks) out <- c(out, sprintf("  Not covered: what was read from the records, %s.", leak))
  out
}

#' Privacy spent up to each iteration.
#' @noRd
privacy_path <- function(fit, accountant, delta = fit$budget$delta, view = fit$plan$view) {
  events <- fit_events(fit, accountant, view)
  if (is.null(events)) {
    return(data.frame(iteration = seq_len(fit$public$iterations), epsilon = Inf))
  }
  at <- sort(unique(events$iteration))
  # a picture needs no more points than this
  if (length(at) > 200L) at <- at[unique(round(seq(1, length(at), length.out = 200L)))]
  spent <- vapply(at, function(t) {
    fold_statement(events[events$iteration <= t, , drop = FALSE], delta, accountant)$epsilon
  }, 0)
  data.frame(iteration = at, epsilon = spent)
}

#' Epsilon of a finished fit at many deltas.
#' @noRd
privacy_curve <- function(fit, accountant = "sound", delta = 10^seq(-10, -2, length.out = 9L)) {
  epsilon <- vapply(delta, function(d) fold_statement(fit_events(fit, accountant, fit$plan$view), d, accountant)$epsilon, 0)
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
  guarantee <- tryCatch(fold_statement(events, delta, "sound"),
    dpadmm_error_accountant = function(e) fold_statement(events, delta, "paper")
  )
  list(guarantee = guarantee, words = sprintf(
    "The %g noisy updates begun so far have spent epsilon = %s%s.", length(unique(events$iteration)),
    format(guarantee$epsilon, digits = 4L), if (delta > 0) sprintf(" (delta = %g)", delta) else ""
  ))
}

#' Raise what ended a run before its end, with what had been spent. `finite`: what to say
#' when numbers left the range.
#' @noRd
check_finished <- function(status, begun, events, delta, finite = NULL) {
  if (!ended_early(status)) return(invisible())
  spent <- spent_so_far(events, begun, delta)
  words <- if (identical(attr(status, "kind"), "finite") && !is.null(finite)) finite else core_words(status)
  core_call(status, paste0("In iteration ", begun, ": ", words, " ", spent$words),
    spent = spent$guarantee, iteration = begun
  )
}
