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
#' rounded outward. Of more than 32 unlike parties slow accountants (`"pure"`, `"pld"`) are asked
#' about some first, and about the others only where they come within a tenth of the best about one
#' of these; parties whose losses are within 2e-5 of each other then share a bound that is proved
#' for each. Of more than 32, or with Gamma-norm noise in an objective, the best Renyi order of each
#' is looked for from where it is likely, and of many unlike releases by some of them first; and the
#' order is looked at, too, at which a plan proved its budget, which its events tell (their column
#' `order`; `Inf`: the `"pure"` accountant proved it, and is asked).
#'
#' What the source papers print about a run is a table of its own (class `dp_printed`, the
#' field `printed` of a fit). `"paper"` folds such tables, and no other accountant does.
#'
#' @section Several fits:
#' `account(list(first, second), delta =)` is the joint guarantee of several fits, plans or
#' tables: what they cost together. With `records = "same"`, the default, two fits divide the
#' records among their parties in the same way where the parties of one, by names and numbers of
#' records, are among those of the other: what hospital "B" released in the first adds to
#' what it released in the second, whatever their order, and a record of "B" is not at "C".
#' Otherwise it is not known who holds a record, and it may be about any of them: releases of fits
#' whose parties have other names, or other numbers of records, of records that were split at
#' random (`nodes = 4`), and of one holder of all records (`dp_sgd()` without `nodes`) add to those
#' of every party, for the party that makes it worst. A fit without noise (`epsilon = Inf`) makes
#' epsilon infinite for its parties.
#'
#' The sum holds for fits whose settings (budgets, noise, numbers of iterations) were fixed
#' without looking at what earlier ones released; where they start may depend on it.
#'
#' `records = "disjoint"` says that no record was in two of them: the largest counts, for each
#' party too. Unlike neighbouring relations are an error. [privacy()] takes such a list too, and
#' says in words what else the fits revealed.
#'
#' @param events a table of class `dp_events`, all of one neighbouring relation; a fit, a plan or
#'   a run of [fixed_point()] or [general_admm()], whose events are taken; or a list of these. Or,
#'   for `"paper"`, a table of class `dp_printed`.
#' @param delta the probability with which the guarantee may fail, in `[0, 1)`;
#'   0 asks for pure differential privacy.
#' @param accountant one of `r paste0('"', accountant_names(), '"', collapse = ", ")`.
#' @param records for a list, see Several fits: `"same"` or `"disjoint"`.
#' @return An object of class `dp_guarantee`: a list with `epsilon`, `delta`,
#'   `accountant` (the one that gave the figure), `neighbours`, `per_node` (a
#'   data frame of `node`, its name where it has one, and `epsilon`), and, where there is one,
#'   `order` (the Renyi order that was best for the worst node) and `bracket` (lower and upper
#'   epsilon of the PLD accountant for the worst node; `epsilon` is the upper).
#'
#'   `epsilon` is `Inf` where something was released without noise, and only there. Errors of
#'   class `dpadmm_error_accountant`: the accountant cannot handle a mechanism, the events are of
#'   unlike neighbouring relations, or the loss is beyond the range of numbers.
#' @seealso [calibrate()] for the way back, from a budget to noise; [privacy()].
#' @examples
#' events <- c(
#'   rep(dp_event_gaussian(sigma = 20, sensitivity = 1, node = 1:2), 10),
#'   dp_event_pure(0.1, node = 2)
#' )
#' account(events, delta = 1e-5)
#' account(rep(dp_event_laplace(b = 10, sensitivity = 1), 5))
#'
#' # two plans for unlike hospitals: what B and C release adds up, by name
#' first <- dpadmm_plan(3, sizes = c(A = 900, B = 700, C = 800), epsilon = 1)
#' second <- dpadmm_plan(3, sizes = c(C = 800, B = 700), epsilon = 0.5)
#' account(list(first, second))$per_node
#' @export
account <- function(events, delta = 0, accountant = "best", records = c("same", "disjoint")) {
  records <- check_choice(records, c("same", "disjoint"), "records")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  accountant <- check_choice(accountant, accountant_names(), "accountant")
  tables <- events_of(events)
  if (records == "disjoint" && is_list_of_runs(events)) {
    return(largest_guarantee(lapply(tables, account, delta, accountant)))
  }
  events <- if (length(tables) == 1L) tables[[1L]] else do.call(c, tables)
  guarantee <- fold_events(events, delta, accountant)
  if (!is.finite(guarantee$epsilon) && !any(events$mechanism == "exact")) {
    abort("accountant", sprintf(
      'The "%s" accountant finds no finite epsilon for these events at delta = %g.',
      guarantee$accountant, delta
    ), argument = "events")
  }
  guarantee
}

#' The guarantee of who is in one of several, and of each party that has a name.
#' @noRd
largest_guarantee <- function(guarantees) {
  one_relation(data.frame(
    mechanism = vapply(guarantees, function(g) if (is.infinite(g$epsilon)) "exact" else "", ""),
    neighbours = vapply(guarantees, `[[`, "", "neighbours")
  ))
  epsilon <- lapply(guarantees, function(g) g$per_node$epsilon)
  party <- unlist(lapply(guarantees, function(g) {
    if (is.character(g$per_node$node)) g$per_node$node else rep("any", nrow(g$per_node))
  }))
  party <- factor(party, unique(party))
  out <- guarantees[[which.max(vapply(guarantees, `[[`, 0, "epsilon"))]]
  out$per_node <- data.frame(
    node = levels(party), epsilon = as.vector(tapply(unlist(epsilon), party, max))
  )
  out
}

# The accountants, each in a file of its own; to add one, add its line here. An accountant is
# a list of
#   fold         function(kinds, ledgers, delta, how), see spend(): a list with one
#                `epsilon` a ledger, and perhaps `order` and `lower`
#   handles      function(kinds): which of them it can do something with
#   needs_delta  whether it has nothing to say at delta = 0
#   serves_best  function(kinds): whether "best" asks it about kinds that it handles
#   exact        whether its epsilon is the least there is, so that "best" asks no other
#   speed        "quick", "slow" or "usual": calibrate() asks a quick one first where to look,
#                before it asks a slow one, and of very many parties a slow one about some first
#   least        of a slow one: function(kinds, ledgers, delta): less than this it never says of
#                each, which is quick to tell
#   tells        of a slow one, perhaps: what events of many parties tell, instead of an order, of
#                those whose budgets it proved, so that their statement asks it
#   composes, needs   words for the help page
# They are made once, after their files, whose names are privacy-account-*.R, have been read.
.accountants <- list(
  pure = accountant_pure(),
  gaussian = accountant_gaussian(),
  zcdp = accountant_zcdp(),
  rdp = accountant_rdp(),
  pld = accountant_pld(),
  paper = accountant_paper()
)

# Who alone can do something with a mechanism, or `NA` ("best_of": it hangs on what is chosen from).
.only_by <- vapply(setdiff(names(.rdp_kinds), "best_of"), function(mechanism) {
  who <- names(Filter(function(a) a$handles(list(mechanism = mechanism)), .accountants))
  if (length(who) == 1L) who else NA_character_
}, "")

accountant_names <- function() c("best", names(.accountants))

#' The table of the help page.
#' @noRd
accountants_help <- function() {
  row <- function(name, a) sprintf('| `"%s"` | %s | %s |', name, a$composes, a$needs)
  paste(c(
    "| accountant | composes | needs |", "|---|---|---|",
    mapply(row, names(.accountants), .accountants)
  ), collapse = "\n")
}

#' account() without its checks; an epsilon that cannot be bounded is Inf here.
#' @noRd
fold_events <- function(events, delta, accountant, upper = FALSE) {
  result <- spend_events(events, delta, accountant, list(upper = upper))
  books <- result$books
  cost <- result$epsilon
  epsilon <- vapply(books$ledger, function(own) max(cost[own]), 0)
  worst <- which.max(cost)
  guarantee <- list(
    epsilon = max(epsilon), delta = delta, accountant = result$accountant[worst],
    neighbours = result$neighbours, per_node = data.frame(node = books$node, epsilon = epsilon)
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

#' The cost of each ledger: list(books, neighbours, and `epsilon`, `accountant`, `order`, `lower`
#' as accountants find them, one a ledger, `asked` how many).
#' @param how it is asked, see spend().
#' @noRd
spend_events <- function(events, delta, accountant, how = list()) {
  if (inherits(events, "dp_printed") && accountant != "paper") {
    abort("accountant", sprintf(
      'Printed theorems are folded by the "paper" accountant only, not by "%s".', accountant
    ), argument = "accountant", value = accountant)
  }
  statement <- open_statement(events, delta, open_books(events))
  c(statement[c("books", "neighbours")], spend(statement, accountant, how))
}

#' What of a statement does not hang on the size of noise: list(books, neighbours, `delta` = what
#' is left of it for accountants, `longer` = what each ledger costs beyond what they say, and
#' `grid` = what all do).
#' @noRd
open_statement <- function(events, delta, books) {
  neighbours <- one_relation(events)
  grid <- grid_cost(events)
  longer <- gamma_grid_costs(books)
  list(
    books = books, neighbours = neighbours, longer = longer, grid = grid$epsilon,
    delta = delta * (1 - grid$delta) * exp(-max(longer))
  )
}

#' The cost of each ledger of a statement.
#' @param how accountants are asked, each of which may be missing: list(near = the best orders are
#'   near these, one a node in the order of their numbers; search = list(widths = how far from there
#'   they are looked for, around = whether on to the next valleys, valleys = whether in all others,
#'   too, where bounds cross, halvings = of the grid's step, everywhere); upper = whether nobody
#'   asks for the lower ends of brackets; alike = whether ledgers that are nearly alike may be taken
#'   for one, however few there are; together = whether they are looked at together, see
#'   look_together(); walks = whether orders are walked to, see dpa_orders: where nobody says, of
#'   very many ledgers; quick = of which ledgers no slow accountant is asked; told = an order of
#'   each ledger that is looked at, too: what the statement has).
#' @noRd
spend <- function(statement, accountant, how) {
  books <- statement$books
  if (anyNA(how$near)) how[c("near", "search", "together")] <- NULL
  how$told <- books$told
  result <- fold_ledgers(accountant, books, statement$delta, how)
  result$epsilon <- unname(result$epsilon) + statement$longer + statement$grid
  result
}

#' How some of the ledgers are asked.
#' @noRd
how_of <- function(how, some) {
  for (name in intersect(c("near", "quick", "told"), names(how))) how[[name]] <- how[[name]][some]
  how
}

#' The ledgers' epsilons; where something was released without noise they are infinite, and no
#' accountant is asked.
#' @noRd
fold_ledgers <- function(accountant, books, delta, how) {
  fold <- function(books, how) {
    if (accountant %in% c("best", .best_but_slow)) {
      return(fold_best(books, delta, slow = accountant == "best", how))
    }
    fold_with(accountant, books, delta, how)
  }
  exact <- books$kinds$mechanism == "exact"
  if (!any(exact)) return(fold(books, how))
  bare <- vapply(books$ledgers, function(ledger) any(exact[ledger$kind]), NA)
  out <- list(
    epsilon = rep(Inf, length(bare)), accountant = rep(accountant, length(bare)),
    order = rep(NA_real_, length(bare)), lower = rep(NA_real_, length(bare))
  )
  if (all(bare)) return(out)
  number <- cumsum(!exact)
  rest <- fold(list(
    kinds = books$kinds[!exact, , drop = FALSE],
    ledgers = lapply(books$ledgers[!bare], function(ledger) {
      list(kind = number[ledger$kind], count = ledger$count)
    })
  ), how_of(how, !bare))
  for (name in names(rest)) out[[name]][!bare] <- rest[[name]]
  out
}

fold_with <- function(accountant, books, delta, how = list()) {
  with <- .accountants[[accountant]]
  if (delta == 0 && with$needs_delta) {
    abort("argument", sprintf(
      'The "%s" accountant needs `delta` in (0, 1), not 0.', accountant
    ), argument = "delta", value = delta)
  }
  each <- each_kind(books$kinds)
  check_handled(each, with$handles(each), accountant)
  result <- with$fold(books$kinds, books$ledgers, delta, how)
  result$accountant <- rep(accountant, length(books$ledgers))
  result$asked <- 1L
  result
}

#' @export
print.dp_guarantee <- function(x, ...) {
  check_no_dots(...)
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
  if (is.infinite(x$epsilon)) {
    cat("  Something was released without noise: for whom epsilon is Inf, nothing is protected.\n")
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
