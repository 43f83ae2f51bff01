# The rounds of a run at a site.

# An inbox holds sums of messages; a larger number is no message of ours. What it is cannot
# matter to privacy: it moves only what sensitivity does not depend on.
.largest_inbox <- 1e100

#' The answer to a round: its message, list(values, sent). The same again for the same inbox.
#' @param inbox d numbers, for the wire.
#' @noRd
site_step <- function(site, run, round, inbox) {
  check_run_name(run)
  whole <- is.numeric(round) && length(round) == 1L && is.finite(round) && round == round(round)
  if (!whole) refuse("The round is no whole number.", "round")
  it <- live_run(site, run)
  values <- doubles_from_wire(inbox, it$plan$problem$d)
  ok <- !is.null(values) && all(is.finite(values)) && all(abs(values) <= .largest_inbox)
  if (!ok) {
    refuse(sprintf("The inbox must be %d finite numbers.", it$plan$problem$d), "inbox")
  }
  digest <- digest_of(values)
  answered <- claim_round(site, it, round, digest)
  if (!is.null(answered)) return(answered)
  message <- compute_round(site, run, round, values)
  state <- core_call(.Call(ffi_party_save, site$live[[run]]$handle, FALSE))
  with_store(site, function(con) {
    store_message(con, run_at(site, run), round, digest, message$values, message$sent, state)
  })
  message
}

#' A run that this process knows, or has read again from the site's data base.
#' @noRd
live_run <- function(site, run) {
  row <- with_store(site, function(con) store_run(con, run_at(site, run)))
  if (!is.null(row) && !row$closed && is_expired(row, site$policy$deadline)) {
    site_close(site, run)
    row$closed <- TRUE
  }
  if (is.null(row)) refuse("There is no such run.", "run")
  if (row$closed) {
    site$live[[run]] <- NULL
    refuse("This run is over.", "run")
  }
  it <- site$live[[run]]
  if (is.null(it)) {
    plan <- recipe_plan(row$recipe)
    party <- check_site_plan(site$policy, plan, site$n)
    it <- list(plan = plan, party = party,
      records = own_records(plan, site_records(plan, site$data)))
    site$live[[run]] <- it
  }
  c(it[c("plan", "party")], list(run = run_at(site, run)))
}

#' Either the stored message of this round, or NULL: the round is this inbox's, and nobody
#' else's, and is to be computed.
#' @noRd
claim_round <- function(site, it, round, digest) {
  with_store(site, function(con) {
    ledger_transaction(con, function(con) {
      row <- store_run(con, it$run)
      if (row$closed) refuse("This run is over.", "run")
      last <- if (is.na(row$round)) first_round(it$plan) - 1L else row$round
      if (round == last && !is.na(row$round)) {
        if (row$inbox != digest) {
          refuse(sprintf("Round %d was asked for with another inbox.", round), "inbox")
        }
        return(if (length(row$message)) stored_message(row))
      }
      complete <- is.na(row$round) || length(row$message) > 0L
      if (round != last + 1L || !complete || round > length(it$plan$rule)) {
        refuse(sprintf("The next round is %d, not %s.", last + complete, format(round)), "round")
      }
      store_claim(con, it$run, round, digest)
      NULL
    })
  })
}

first_round <- function(plan) if (!is.null(core_orders(plan$method, plan)$inverse)) 0L else 1L

#' @noRd
compute_round <- function(site, run, round, values) {
  it <- site$live[[run]]
  if (is.null(it$handle) || !identical(it$at, round - 1)) {
    site$live[[run]]$handle <- load_party(site, run, round)
  }
  site$live[[run]]$at <- NULL # until the round is over
  answer <- .Call(ffi_party_step, site$live[[run]]$handle, as.integer(round), values)
  status <- if (is.list(answer)) answer$status else answer
  if (ended_early(status)) stop("no message") # why may hang on a record
  site$live[[run]]$at <- as.double(round)
  answer[c("values", "sent")]
}

#' The party as it was after the last complete round.
#' @noRd
load_party <- function(site, run, round) {
  it <- site$live[[run]]
  row <- with_store(site, function(con) store_run(con, run_at(site, run)))
  key <- row$key
  on.exit(forget_key(key))
  spec <- core_spec(it$plan, keep = FALSE, threads = 1L)
  handle <- core_call(.Call(ffi_party_open, spec, it$party, it$records, key))
  if (length(row$state)) core_call(.Call(ffi_party_load, handle, row$state))
  handle
}

#' The end of a run: its key and state are forgotten, the charge stays.
#' @noRd
site_close <- function(site, run) {
  check_run_name(run)
  handle <- site$live[[run]]$handle
  if (!is.null(handle)) .Call(ffi_party_close, handle)
  site$live[[run]] <- NULL
  with_store(site, function(con) store_close(con, run_at(site, run)))
  NULL
}
