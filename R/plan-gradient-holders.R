# Gradient methods over several holders: in every round each holder sends the sum of its own
# records' gradients, every record with the weight 1 / n of the mean over all of them, and noise
# of its own; a hub adds up what was sent. Without noise that is the run of one holder of all
# records. With noise it is one whose noise has the sum of the holders' variances.
#
# A record is at one holder. Given the model so far, what the others send is the same for
# neighbours, so that holder's noise has to hide the record, as it would if the holder were
# alone: replacing it moves the sum by 2 c / n, c the bound of a record's gradient and n the
# number of all records. What the other holders send costs the record nothing.

#' The parties that a release is of; `one`: what it says where there is one holder.
#' @noRd
gradient_nodes <- function(problem, one) {
  if (share_model(problem)) seq_len(problem$N) else one
}

#' A budget with an epsilon for each of several holders.
#' @noRd
own_budgets <- function(budget, problem) {
  if (is.null(budget$epsilon)) return(budget)
  if (share_model(problem)) {
    budget$epsilon <- per_party(budget$epsilon, problem$names, "epsilon")
  } else {
    check_numbers(budget$epsilon, "epsilon", infinite = TRUE, length = 1L)
  }
  budget
}

#' Whom a statement is about.
#' @noRd
who_sees_gradients <- function(problem) {
  if (!share_model(problem)) return("Whoever sees every iterate, and the model,")
  "Whoever sees every message of every holder, and the model,"
}
