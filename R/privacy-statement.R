# The privacy statement: a guarantee in words. A function of what was released, of delta and of
# a few public facts; it sees no fit. privacy-words.R has the sentences.

#' The facts a statement mentions beside the guarantee.
#'
#' @param names names of the nodes, in their order.
#' @param user_level whether neighbours differ in all records of a holder, instead of in one.
#' @param per_person the least and the most records of a person that a node counts, where
#'   neighbours differ in all of these; `NULL`: in one record.
#' @param users names of holders with several records each, where they have names.
#' @param tolerance gradient norm to which minimisers are found, where there are any.
#' @param rows sentences about the bound of rows.
#' @param seeded whether the noise is reproducible.
#' @param simulated whether several parties' records were in one process.
#' @param leaks what was read from the records without noise.
#' @param audience who can see what was released: a sentence begins with it.
#' @param released how many releases there were of what, where events do not say it best.
#' @param stated a sentence about a bound that was enforced or taken on trust.
#' @param counted whose numbers of records a neighbour has too: "node", "holder" or nobody's.
#' @param charged a sentence about the ledger that a run was charged to.
#' @param smallest number of records of the smallest party (or number of holders, where those
#'   are protected).
#' @noRd
statement_facts <- function(names, user_level = FALSE, users = NULL, tolerance = NULL,
                            rows = NULL, seeded = FALSE, simulated = FALSE, leaks = NULL,
                            audience = "Whoever sees all that is released", released = NULL,
                            stated = NULL, counted = NULL, smallest = NULL, charged = NULL,
                            per_person = NULL) {
  structure(list(
    names = names, user_level = user_level, per_person = per_person, users = users,
    tolerance = tolerance, rows = rows, seeded = seeded, simulated = simulated, leaks = leaks,
    audience = audience, released = released, stated = stated, counted = counted,
    smallest = smallest, charged = charged
  ), class = "dpadmm_facts")
}

#' @param released events, or the printed table for what papers print.
#' @noRd
statement <- function(released, delta, facts) {
  printed <- inherits(released, "dp_printed")
  spent <- account(released, delta, view_accountant(released))
  if (is.null(facts$released)) facts$released <- release_words(released)
  new_statement(spent, facts,
    accountant = if (printed) "paper" else "sound",
    caveat = if (printed) printed_caveat(released),
    theorem = if (printed) printed_title(released, delta)
  )
}

#' @param spent a dp_guarantee.
#' @param ... further fields.
#' @noRd
new_statement <- function(spent, facts, ...) {
  per_node <- spent$per_node
  if (!is.character(per_node$node)) {
    per_node$node <- ifelse(is.na(per_node$node), "any", facts$names[per_node$node])
  }
  shown <- unclass(facts)
  names(shown)[names(shown) == "released"] <- "releases"
  structure(c(list(
    epsilon = spent$epsilon, delta = if (is.infinite(spent$epsilon)) 0 else spent$delta,
    neighbours = spent$neighbours, per_node = per_node
  ), list(...), shown[names(shown) != "names"]), class = "dpadmm_privacy")
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
  check_no_dots(...)
  cat(statement_text(x), sep = "\n")
  invisible(x)
}

#' @export
format.dpadmm_privacy <- function(x, ...) {
  check_no_dots(...)
  statement_text(x)
}
