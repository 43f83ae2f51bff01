# How a run ends before its end: with an error or an interrupt that says what had been spent.

#' What a run that ended early had spent: the guarantee (or NULL) and the words for it. Where
#' nothing is proved of the releases, what is `printed` about them.
#' @noRd
spent_so_far <- function(events, begun, delta, printed = NULL) {
  if (is.null(events) || "exact" %in% events$mechanism) {
    return(list(words = "No noise was added, so no privacy was kept to begin with."))
  }
  until <- function(released) released[released$iteration <= begun, , drop = FALSE]
  if (nrow(until(events)) == 0L) {
    return(list(words = "Nothing had been sent, so no privacy was spent."))
  }
  guarantee <- tryCatch(account(until(events), delta),
    dpadmm_error_accountant = function(e) {
      if (is.null(printed)) stop(e)
      account(until(printed), delta, "paper")
    }
  )
  list(guarantee = guarantee, words = sprintf(
    "The %g noisy updates begun so far have spent epsilon = %s%s.",
    length(unique(until(events)$iteration)), format(guarantee$epsilon, digits = 4L),
    if (delta > 0) sprintf(" (delta = %g)", delta) else ""
  ))
}

#' Raise what ended a run before its end, with what had been spent. `finite`: what to say
#' when numbers left the range.
#' @noRd
check_finished <- function(status, begun, events, delta, finite = NULL, printed = NULL) {
  if (!ended_early(status)) return(invisible())
  spent <- spent_so_far(events, begun, delta, printed)
  out_of_range <- identical(attr(status, "kind"), "finite") && !is.null(finite)
  words <- if (out_of_range) finite else core_words(status)
  core_call(status, paste0("In iteration ", begun, ": ", words, " ", spent$words),
    spent = spent$guarantee, iteration = begun
  )
}
