# The printed theorems, formula by formula, for accountant = "paper". `loss` gives one
# release's printed epsilon from its event; `condition` is what the theorem asks for;
# `caveat` is the line a statement carries.

.printed_theorems <- list(
  "recycled-admm, Theorem V.1" = list(
    loss = function(e) e$sensitivity * e$alpha + 2.8 * e$curvature / e$printed_modulus,
    condition = function(e) 2 * e$curvature < e$printed_modulus,
    words = "2 c1 < (B/C) (rho/N + 2 eta V)",
    caveat = "The printed formula is valid here; its curvature term is looser than the sound one."
  ),
  "m-admm, Theorem 4.1" = list(
    loss = function(e) e$sensitivity * e$alpha + 2.8 * e$curvature / e$printed_modulus,
    condition = function(e) 2 * e$curvature < e$modulus,
    words = "2 c1 < (B/C) (rho/N + 2 eta V)",
    caveat = "The printed formula is valid here; its curvature term is looser than the sound one."
  )
)

#' Printed losses of events, checking what their theorems ask for.
#' @noRd
printed_losses <- function(events) {
  loss <- numeric(nrow(events))
  for (theorem in unique(events$printed)) {
    rows <- which(events$printed %in% theorem)
    if (is.na(theorem)) {
      abort("accountant", sprintf(
        "The papers print no guarantee for %s here.", .mechanisms[[events$mechanism[rows[1L]]]]$words
      ), argument = "accountant")
    }
    printed <- .printed_theorems[[theorem]]
    e <- events[rows, , drop = FALSE]
    if (any(fails <- !printed$condition(e))) {
      abort("theorem", sprintf(
        "%s needs %s, which fails%s.", theorem, printed$words,
        if (is.na(e$node[fails][1L])) "" else sprintf(" at node %d", e$node[fails][1L])
      ), argument = "accountant", place = e$node[fails][1L])
    }
    loss[rows] <- printed$loss(e)
  }
  loss
}

paper_handles <- function(kinds) !is.na(kinds$printed)

account_paper <- function(kinds, ledgers, delta) {
  loss <- printed_losses(kinds)
  list(epsilon = vapply(ledgers, function(ledger) sum(loss[ledger$kind] * ledger$count), 0))
}
