#' From events to a guarantee
#'
#' Folds a table of events (see [dp_event]) into one guarantee: the smallest
#' epsilon that the chosen accountant can prove at the given delta. A record
#' sits at one node, so the losses of different nodes do not add: the network's
#' epsilon is the largest of the nodes' (parallel composition), and an event
#' with `node = NA`, which reads everybody's records, adds to all of them.
#'
#' | accountant | composes | needs |
#' |---|---|---|
#' | `"pure"` | the pure losses: their sum at `delta = 0`, their optimal composition ([compose_pure()]) above | every mechanism has a pure loss |
#' | `"zcdp"` | zero-concentrated losses, [zcdp_to_epsilon()] | Gaussian noise without sampling, or a pure loss |
#' | `"rdp"` | Renyi curves over orders in `[1.01, 1024]`, the best order refined by one-dimensional minimisation, [rdp_to_epsilon()] | any mechanism |
#' | `"pld"` | privacy loss distributions by FFT, see [pld_epsilon()] | anything but Gaussian noise in an objective |
#' | `"paper"` | what the source paper prints, for reproducing its figures: not proved for what runs | a printed theorem |
#' | `"best"` | `delta = 0`: pure; Gaussian noise only: the exact analytic Gaussian; otherwise the smallest of all that apply | |
#' | `"paper"` | the sum of the losses as printed in the source papers, proved or not | every event names its printed theorem |
#'
#' All but `"paper"` are bounds rounded outward. Taking the smallest of several proven
#' epsilons at one delta is itself proven.
#'
#' @param events a table of class `dp_events`; all of one neighbouring relation.
#' @param delta the probability with which the guarantee may fail, in `[0, 1)`;
#'   0 asks for pure differential privacy.
#' @param accountant one of `"best"`, `"rdp"`, `"pld"`, `"zcdp"`, `"pure"`,
#'   `"paper"`.
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
account <- function(events, delta = 0,
                    accountant = c("best", "rdp", "pld", "zcdp", "pure", "paper")) {
  check_class(events, "dp_events", "events", "the dp_event_ constructors")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  accountant <- check_choice(accountant, .accountants, "accountant")
  guarantee <- fold_events(events, delta, accountant)
  if (!is.finite(guarantee$epsilon)) {
    abort("accountant", sprintf(
      'The "%s" accountant finds no finite epsilon for these events at delta = %g.',
      guarantee$accountant, delta
    ), argument = "events")
  }
  guarantee
}

.accountants <- c("best", "rdp", "pld", "zcdp", "pure", "paper")

# The accountants. Each folds (kinds, ledgers, delta) into a list with one
# `epsilon` per ledger and perhaps `order`, `lower`; `handles` says which kinds it
# can. A function, so that the files may come in any order.
accountants <- function() {
  list(
    rdp = list(fold = account_rdp, handles = rdp_handles),
    pld = list(fold = account_pld, handles = pld_handles),
    zcdp = list(fold = account_zcdp, handles = zcdp_handles),
    pure = list(fold = account_pure, handles = pure_handles),
    paper = list(fold = account_paper, handles = paper_handles)
  )
}

#' account() without its checks; an epsilon that cannot be bounded is Inf here.
#' @noRd
fold_events <- function(events, delta, accountant) {
  neighbours <- one_relation(events)
  books <- open_books(events)
  result <- if (accountant == "best") {
    fold_best(books, delta)
  } else {
    fold_with(accountant, books, delta)
  }
  epsilon <- unname(result$epsilon[books$ledger])
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

one_relation <- function(events) {
  if (nrow(events) == 0L) {
    abort("argument", "`events` has no rows: nothing was released.", argument = "events")
  }
  relations <- unique(events$neighbours)
  if (length(relations) > 1L) {
    abort("accountant", sprintf(
      "The events are of unlike neighbouring relations, %s: no one guarantee covers both.",
      paste0('"', relations, '"', collapse = " and ")
    ), argument = "events")
  }
  relations
}

#' Which rows of some columns are identical, as whole numbers from 1.
#' @noRd
row_kind <- function(columns) {
  kind <- rep(1, length(columns[[1L]]))
  for (column in columns) {
    code <- match(column, unique(column))
    kind <- (kind - 1) * max(code) + code
    kind <- match(kind, unique(kind))
  }
  kind
}

#' The accountants' view of events: `kinds`, the distinct releases; `ledgers`, the
#' distinct combinations of kinds and counts that nodes have; and for every `node`
#' which `ledger` is its own. Hundreds of alike nodes are then accounted once.
#' @noRd
open_books <- function(events) {
  unread <- c("node", "count", "iteration", "tolerance", "neighbours")
  columns <- unclass(events)[setdiff(names(.event_columns), unread)]
  columns <- Filter(function(column) !all(is.na(column)), columns)
  kind <- row_kind(columns)
  first <- which(!duplicated(kind))
  node <- sort(unique(events$node[!is.na(events$node)]))
  if (length(node) == 0L) node <- NA_integer_
  everybody <- which(is.na(events$node))
  own <- split(seq_along(kind), factor(events$node, levels = node))
  if (anyNA(node)) own <- list(integer(0))
  ledgers <- lapply(own, function(rows) {
    rows <- c(everybody, rows)
    kinds <- sort(unique(kind[rows]))
    count <- rowsum(events$count[rows], factor(kind[rows], levels = kinds), reorder = FALSE)
    list(kind = kinds, count = as.vector(count[match(kinds, rownames(count)), 1L]))
  })
  ledgers <- unname(ledgers)
  distinct <- unique(ledgers)
  list(
    kinds = events[first, , drop = FALSE], ledgers = distinct, node = node,
    ledger = match(ledgers, distinct)
  )
}

check_handled <- function(kinds, mechanisms, accountant) {
  missing <- setdiff(kinds$mechanism, mechanisms)
  if (length(missing)) {
    abort("accountant", sprintf(
      'The "%s" accountant cannot handle %s (mechanism "%s").', accountant,
      .mechanisms[[missing[1L]]]$words, missing[1L]
    ), argument = "accountant", value = missing)
  }
}

#' Apply a table of handlers (mechanism -> function of kinds) row by row, or say
#' which mechanism has none.
#' @noRd
by_mechanism <- function(kinds, handlers, accountant, ...) {
  check_handled(kinds, names(handlers), accountant)
  out <- vector("list", nrow(kinds))
  for (mechanism in unique(kinds$mechanism)) {
    rows <- which(kinds$mechanism == mechanism)
    out[rows] <- handlers[[mechanism]](kinds[rows, , drop = FALSE], ...)
  }
  out
}

fold_with <- function(accountant, books, delta) {
  if (delta == 0 && !(accountant %in% c("pure", "paper"))) {
    abort("argument", sprintf(
      'The "%s" accountant needs `delta` in (0, 1), not 0.', accountant
    ), argument = "delta", value = delta)
  }
  result <- accountants()[[accountant]]$fold(books$kinds, books$ledgers, delta)
  result$accountant <- rep(accountant, length(books$ledgers))
  result
}

fold_best <- function(books, delta) {
  if (delta == 0) return(fold_with("pure", books, delta))
  if (all(books$kinds$mechanism == "gaussian")) {
    return(list(
      epsilon = account_gaussian(books$kinds, books$ledgers, delta),
      accountant = rep("gaussian", length(books$ledgers))
    ))
  }
  able <- Filter(
    function(name) all(accountants()[[name]]$handles(books$kinds)), c("pure", "zcdp", "rdp", "pld")
  )
  if (length(able) == 0L) check_handled(books$kinds, names(.rdp_curves), "best")
  # Where all it has is pure losses, a PLD is pure composition again.
  if ("pure" %in% able && !("laplace" %in% books$kinds$mechanism)) able <- setdiff(able, "pld")
  results <- lapply(able, fold_with, books = books, delta = delta)
  count <- length(books$ledgers)
  field <- function(name) {
    of_one <- function(r) if (is.null(r[[name]])) rep(NA_real_, count) else r[[name]]
    matrix(unlist(lapply(results, of_one)), count)
  }
  epsilon <- field("epsilon")
  pick <- cbind(seq_len(count), apply(epsilon, 1L, which.min))
  list(
    epsilon = epsilon[pick], order = field("order")[pick], lower = field("lower")[pick],
    accountant = able[pick[, 2L]]
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
