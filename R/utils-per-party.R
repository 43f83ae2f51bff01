# Numbers that the user gives party by party.

#' One number for each of the parties `names`, in their order: the same for all, or one each,
#' which belong to the parties of their names where they have names.
#' @noRd
per_party <- function(x, names, argument) {
  if (length(x) == 1L && is.null(names(x))) return(rep(as.double(x), length(names)))
  if (!is.null(names(x))) return(as.double(x[party_order(names(x), names, argument)]))
  if (length(x) != length(names)) {
    abort("shape", sprintf(
      "`%s` must have length 1 or %d (one a node), not %d.", argument, length(names), length(x)
    ), argument = argument, value = length(x))
  }
  as.double(x)
}

#' Where each of the parties `names` is among the names `given`.
#' @noRd
party_order <- function(given, names, argument) {
  blame <- function(problem, party) {
    known <- paste0(names[seq_len(min(10L, length(names)))], collapse = ", ")
    abort("nodes", sprintf(
      "`%s` %s \"%s\"; the parties are %s%s.", argument, problem, party, known,
      if (length(names) > 10L) ", ..." else ""
    ), argument = argument, place = party)
  }
  given[is.na(given)] <- ""
  if (length(unknown <- setdiff(given, names))) blame("names an unknown party,", unknown[1L])
  if (anyDuplicated(given)) blame("names a party twice,", given[anyDuplicated(given)])
  if (length(lacking <- setdiff(names, given))) blame("has nothing for party", lacking[1L])
  match(names, given)
}
