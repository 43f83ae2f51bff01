# The privacy statement: a guarantee in words. A function of what was released, of delta and of
# a few public facts; it sees no fit.

#' The facts a statement mentions beside the guarantee.
#'
#' @param names names of the nodes, in their order.
#' @param user_level whether neighbours differ in all records of a holder, instead of in one.
#' @param tolerance gradient norm to which minimisers are found, where there are any.
#' @param row_bound the bound that rows were shortened to.
#' @param seeded whether the noise is reproducible.
#' @param leaks what was read from the records without noise.
#' @param audience who can see what was released: a sentence begins with it.
#' @param released how many releases there were of what, where events do not say it best.
#' @param stated a sentence about a bound that was enforced or taken on trust.
#' @param counted whose numbers of records a neighbour has too: "node", "holder" or nobody's.
#' @noRd
statement_facts <- function(names, user_level = FALSE, tolerance = NULL,
                            row_bound = NULL, seeded = FALSE, leaks = NULL, audience = NULL,
                            released = NULL, stated = NULL, counted = NULL) {
  structure(list(
    names = names, user_level = user_level, tolerance = tolerance,
    row_bound = row_bound, seeded = seeded, leaks = leaks, audience = audience,
    released = released, stated = stated, counted = counted
  ), class = "dpadmm_facts")
}

#' @param released events, or the printed table for what papers print; NULL without noise.
#' @noRd
statement <- function(released, delta, facts) {
  printed <- inherits(released, "dp_printed")
  spent <- if (is.null(released)) {
    list(
      epsilon = Inf, per_node = data.frame(node = facts$names, epsilon = Inf),
      neighbours = "replace-one"
    )
  } else {
    account(released, delta, view_accountant(released))
  }
  per_node <- spent$per_node
  if (!is.null(released)) {
    per_node$node <- ifelse(is.na(per_node$node), "any", facts$names[per_node$node])
  }
  structure(list(
    epsilon = spent$epsilon, delta = if (is.null(released)) 0 else delta,
    accountant = if (printed) "paper" else "sound", neighbours = spent$neighbours,
    per_node = per_node,
    releases = if (is.null(facts$released)) release_words(released) else facts$released,
    caveat = if (printed) printed_caveat(released),
    theorem = if (printed) printed_title(released, delta),
    user_level = facts$user_level, tolerance = facts$tolerance,
    row_bound = facts$row_bound, seeded = facts$seeded, leaks = facts$leaks,
    audience = facts$audience, stated = facts$stated, counted = facts$counted
  ), class = "dpadmm_privacy")
}

#' The accountant of a statement: the best proved, or what is printed.
#' @noRd
view_accountant <- function(released) if (inherits(released, "dp_printed")) "paper" else "best"

#' Who looks, for methods whose guarantee depends on it.
#' @noRd
.view_words <- c(
  central = "Whoever sees the released models z_1, ..., z_K",
  local = "Whoever sees every message of every user, the server included,",
  network = "Another user, who sees the models that reach him,"
)

#' What was released, in words. Where it is all of one kind, the printed table, if that is what
#' is stated, says how often.
#' @noRd
release_words <- function(events, released = events) {
  if (is.null(events)) return("nothing was released with noise")
  if (inherits(released, "dp_printed") && length(unique(events$mechanism)) == 1L) {
    released$mechanism <- events$mechanism[1L]
    events <- released
  }
  each <- !all(is.na(events$node))
  kind <- factor(events$mechanism, unique(events$mechanism))
  counts <- tapply(events$count, list(if (each) events$node else rep(1, nrow(events)), kind), sum)
  most <- apply(counts, 2L, max, na.rm = TRUE)
  words <- vapply(names(most), function(name) .mechanisms[[name]]$words, "")
  sprintf(
    "%g release%s%s with %s", most[[1L]], if (most[[1L]] == 1) "" else "s",
    if (each) " a node" else "",
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
  c(if (is.infinite(x$epsilon)) {
    "Privacy: none. No noise is added; what is released can reveal records."
  } else {
    c(
      if (x$seeded) "Seeded noise: a simulation, not a private release.",
      guarantee_text(x), conditions_text(x)
    )
  }, if (length(x$leaks)) {
    sprintf(
      "  Not covered: what was read from the records, %s.", paste(x$leaks, collapse = ", ")
    )
  })
}

paragraph <- function(text) strwrap(text, 88, indent = 2, exdent = 2)

#' exp(epsilon), rounded up; with its exponent where it is large.
#' @noRd
odds_words <- function(epsilon) {
  odds <- exp(epsilon)
  if (odds >= 1e4) return(sprintf("exp(%s)", format(epsilon, digits = 3L)))
  format(ceiling(odds * 100) / 100, digits = 7L)
}

#' A probability in plain decimals, rounded up where it has many.
#' @noRd
delta_words <- function(delta) {
  if (delta < 1e-7) return(sprintf("%g", delta))
  plain <- signif(delta, 3L)
  if (plain < delta) plain <- signif(delta + 0.5 * 10^(floor(log10(delta)) - 2), 3L)
  format(plain, scientific = FALSE, digits = 3L, drop0trailing = TRUE)
}

#' What a neighbour has instead.
#' @noRd
replaced_words <- function(x) {
  if (x$neighbours == "add-remove") return("left out of the sums")
  if (identical(x$counted, "node")) "another of the same node" else "another"
}

#' The guarantee, what it means and where it comes from.
#' @noRd
guarantee_text <- function(x) {
  audience <- x$audience
  if (is.null(audience)) audience <- "Whoever sees every message between the nodes, and the model,"
  spread <- range(x$per_node$epsilon)
  delta <- if (x$delta > 0) delta_words(x$delta)
  c(
    sprintf(
      "Privacy (%s): epsilon = %s%s, %s neighbours.",
      if (x$accountant == "paper") paste0("as printed in ", x$theorem) else "sound",
      format(x$epsilon, digits = 4L), if (is.null(delta)) "" else paste(", delta =", delta),
      x$neighbours
    ),
    paragraph(sprintf(
      paste(
        "%s could see nearly the same had any one %s been %s: the probability of any event is at",
        "most %s times what it would have been then%s."
      ), audience, if (x$user_level) "holder's records" else "record", replaced_words(x),
      odds_words(x$epsilon), if (is.null(delta)) "" else paste(", plus", delta)
    )),
    paragraph(sprintf("It comes from %s.", x$releases)),
    if (spread[2L] > spread[1L] * (1 + 1e-6)) {
      sprintf(
        "  Nodes: from %s to %s (node \"%s\"); the largest counts.",
        format(spread[1L], digits = 4L), format(spread[2L], digits = 4L),
        x$per_node$node[which.max(x$per_node$epsilon)]
      )
    }
  )
}

#' What the guarantee rests on.
#' @noRd
conditions_text <- function(x) {
  c(
    if (x$neighbours == "add-remove") {
      "  The number of records, by which sums are divided, is taken to be public."
    },
    if (!is.null(x$counted)) {
      sprintf("  The number of records of each %s is taken to be public.", x$counted)
    },
    if (!is.null(x$row_bound)) {
      sprintf("  Rows have norm at most %g: longer ones are shortened.", x$row_bound)
    },
    if (!is.null(x$stated)) paste0("  ", x$stated),
    if (x$accountant == "sound") paragraph(paste0(
      "It holds for the program as it runs: messages are rounded to a grid, with noise that is ",
      "exact on it and hides rounding", if (!is.null(x$tolerance)) {
        sprintf(" and a solver's gradient norm of up to %.3g", x$tolerance)
      }, "."
    )),
    if (!is.null(x$caveat)) paragraph(x$caveat)
  )
}
