#' From events to a guarantee
#'
#' Folds a table of events (see [dp_event]) into one guarantee: the smallest
#' epsilon that the chosen accountant can prove at the given delta. A record
#' sits at one node, so the losses of different nodes do not add: the network's
#' epsilon is the largest of the nodes' (parallel composition), and an event
#' with `node = NA`, which reads everybody's records, adds to all of them.
#'
#' `r accountants_help()`
#'
#' `"best"`, the default, asks an accountant that is exact for these events where there is
#' one, and otherwise all that apply; the smallest of several proven epsilons at one delta
#' is itself proven. At `delta = 0` that leaves `"pure"`. All but `"paper"` are bounds
#' rounded outward.
#'
#' What the source papers print about a run is a table of its own (class `dp_printed`, the
#' field `printed` of a fit). `"paper"` folds such tables, and no other accountant does.
#'
#' @param events a table of class `dp_events`; all of one neighbouring relation. Or, for
#'   `"paper"`, one of class `dp_printed`.
#' @param delta the probability with which the guarantee may fail, in `[0, 1)`;
#'   0 asks for pure differential privacy.
#' @param accountant one of `r paste0('"', accountant_names(), '"', collapse = ", ")`.
#' @return An object of class `dp_guarantee`: a list with `epsilon`, `delta`,
#'   `accountant` (the one that gave the figure), `neighbours`, `per_node` (a
#'   data frame of `node` and `epsilon`), and, where there is one, `order` (the
#'   Renyi order that was best for the worst node) and `bracket` (lower and upper
#'   epsilon of the PLD accountant for the worst node; `epsilon` is the upper).
#'
#'   Errors of class `dpadmm_error_accountant`: the accountant cannot handle a
#'   mechanism, the events are of unlike neighbouring relations, or the loss is
#'   beyond the range of numbers (no infinite epsilon is ever reported).
#' @seealso [calibrate()] for the way back, from a budget to noise.
#' @examples
#' events <- c(
#'   rep(dp_event_gaussian(sigma = 20, sensitivity = 1, node = 1:2), 10),
#'   dp_event_pure(0.1, node = 2)
#' )
#' account(events, delta = 1e-5)
#' account(rep(dp_event_laplace(b = 10, sensitivity = 1), 5))
#' @export
account <- function(events, delta = 0, accountant = "best") {
  check_releases(events)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  accountant <- check_choice(accountant, accountant_names(), "accountant")
  guarantee <- fold_events(events, delta, accountant)
  if (!is.finite(guarantee$epsilon)) {
    abort("accountant", sprintf(
      'The "%s" accountant finds no finite epsilon for these events at delta = %g.',
      guarantee$accountant, delta
    ), argument = "events")
  }
  guarantee
}

# The accountants, each in a file of its own; to add one, add its line here. An accountant is
# a list of
#   fold         function(kinds, ledgers, delta): a list with one `epsilon` a ledger, and
#                perhaps `order` and `lower`
#   handles      function(kinds): which of them it can do something with
#   needs_delta  whether it has nothing to say at delta = 0
#   serves_best  function(kinds): whether "best" asks it about kinds that it handles
#   exact        whether its epsilon is the least there is, so that "best" asks no other
#   speed        "quick", "slow" or "usual": calibrate() asks a quick one first where to look,
#                before it asks a slow one
#   composes, needs   words for the help page
# A function, so that the files may come in any order.
accountants <- function() {
  list(
    pure = accountant_pure(),
    gaussian = accountant_gaussian(),
    zcdp = accountant_zcdp(),
    rdp = accountant_rdp(),
    pld = accountant_pld(),
    paper = accountant_paper()
  )
}

accountant_names <- function() c("best", names(accountants()))

#' The table of the help page.
#' @noRd
accountants_help <- function() {
  row <- function(name, a) sprintf('| `"%s"` | %s | %s |', name, a$composes, a$needs)
  table <- accountants()
  paste(c(
    "| accountant | composes | needs |", "|---|---|---|", mapply(row, names(table), table)
  ), collapse = "\n")
}

#' account() without its checks; an epsilon that cannot be bounded is Inf here.
#' @noRd
fold_events <- function(events, delta, accountant) {
  if (inherits(events, "dp_printed") && accountant != "paper") {
    abort("accountant", sprintf(
      'Printed theorems are folded by the "paper" accountant only, not by "%s".', accountant
    ), argument = "accountant", value = accountant)
  }
  neighbours <- one_relation(events)
  books <- open_books(events)
  grid <- grid_cost(events)
  ideal_delta <- delta * (1 - grid$delta)
  result <- if (accountant == "best") {
    fold_best(books, ideal_delta)
  } else {
    fold_with(accountant, books, ideal_delta)
  }
  epsilon <- unname(result$epsilon[books$ledger]) + grid$epsilon
  worst <- books$ledger[which.max(epsilon)]
  guarantee <- list(
    epsilon = max(epsilon), delta = delta, accountant = result$accountant[worst],
    neighbours = neighbours, per_node = data.frame(node = books$node, epsilon = epsilon)
  )
  order <- unname(result$order[worst])
  if (isTRUE(is.finite(order))) guarantee$order <- order
  lower <- unname(result$lower[worst])
  if (isTRUE(is.finite(lower))) {
    guarantee$bracket <- c(lower = lower, upper = guarantee$epsilon)
  }
  class(guarantee) <- "dp_guarantee"
  guarantee
}

#' What discrete Gaussian noise costs beyond ideal noise, whatever the accountant: the
#' likelihood ratio of the discrete and the rounded law ("The program, to the last bit" in the
#' vignette), with D coordinates in all and at least 2^40 steps of the grid a sigma.
#' @return list(epsilon = to be added, delta = share of delta that pays for it).
#' @noRd
grid_cost <- function(events) {
  gaussian <- events$mechanism %in% c("gaussian", "subsampled_gaussian")
  coordinates <- sum((events$dim * events$count)[gaussian], na.rm = TRUE)
  if (coordinates == 0) return(list(epsilon = 0, delta = 0))
  list(epsilon = (1.001 * sqrt(coordinates) + 60)^2 / (6 * 2^80), delta = 1e-9)
}

fold_with <- function(accountant, books, delta) {
  with <- accountants()[[accountant]]
  if (delta == 0 && with$needs_delta) {
    abort("argument", sprintf(
      'The "%s" accountant needs `delta` in (0, 1), not 0.', accountant
    ), argument = "delta", value = delta)
  }
  check_handled(books$kinds, with$handles(books$kinds), accountant)
  result <- with$fold(books$kinds, books$ledgers, delta)
  result$accountant <- rep(accountant, length(books$ledgers))
  result
}

fold_best <- function(books, delta) {
  kinds <- books$kinds
  asked <- Filter(function(a) delta > 0 || !a$needs_delta, accountants())
  handled <- lapply(asked, function(a) a$handles(kinds) & a$serves_best(kinds))
  able <- asked[vapply(handled, all, NA)]
  if (length(able) == 0L) {
    # what the broadest of them cannot do is what is in the way
    check_handled(kinds, handled[[which.max(vapply(handled, sum, 0L))]], "best")
  }
  exact <- Filter(function(a) a$exact, able)
  if (length(exact)) able <- exact[1L]
  results <- lapply(names(able), fold_with, books = books, delta = delta)
  count <- length(books$ledgers)
  field <- function(name) {
    of_one <- function(r) if (is.null(r[[name]])) rep(NA_real_, count) else r[[name]]
    matrix(unlist(lapply(results, of_one)), count)
  }
  epsilon <- field("epsilon")
  pick <- cbind(seq_len(count), apply(epsilon, 1L, which.min))
  list(
    epsilon = epsilon[pick], order = field("order")[pick], lower = field("lower")[pick],
    accountant = names(able)[pick[, 2L]]
  )
}

#' @export
print.dp_guarantee <- function(x, ...) {
  cat(sprintf(
    "<dp_guarantee: epsilon = %s, delta = %g, %s neighbours, %s accountant>\n",
    format(x$epsilon, digits = 6L), x$delta, x$neighbours, x$accountant
  ))
  if (nrow(x$per_node) > 1L) {
    cat(sprintf(
      "  over %d nodes: from %s to %s\n", nrow(x$per_node),
      format(min(x$per_node$epsilon), digits = 6L), format(max(x$per_node$epsilon), digits = 6L)
    ))
  }
  if (!is.null(x$order)) cat(sprintf("  Renyi order %.4g\n", x$order))
  if (!is.null(x$bracket)) {
    cat(sprintf(
      "  bracket [%s, %s]\n", format(x$bracket[["lower"]], digits = 6L),
      format(x$bracket[["upper"]], digits = 6L)
    ))
  }
  invisible(x)
}
