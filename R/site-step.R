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
  claim <- claim_round(site, it, round, digest)
  if (!is.null(claim$message)) return(claim$message)
  message <- compute_round(site, run, round, values, claim$done)
  # with its cache: else the last digits would tell a run that was taken up again
  state <- core_call(.Call(ffi_party_save, site$live[[run]]$handle, TRUE))
  stored <- with_store(site, function(con) {
    store_message(con, it$run, round, digest, message$values, message$sent, state)
  })
  if (stored) return(message)
  # somebody else was asked for the same, and was faster; or for more
  claim <- claim_round(site, it, round, digest)
  if (is.null(claim$message)) refuse("The round is over.", "round")
  claim$message
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
  list(plan = it$plan, run = run_at(site, run))
}

#' A round belongs to the inbox it is first asked for with. Who was late may skip rounds (users
#' remember each of them): what was claimed and not stored never left.
#' @return list(message, done): the stored message of this round, or NULL; and which round the
#'   stored state is of, or NA.
#' @noRd
claim_round <- function(site, it, round, digest) {
  next_after <- function(row) {
    if (is.na(row$round)) first_round(it$plan) else row$round + (length(row$message) > 0L)
  }
  with_store(site, function(con) {
    ledger_transaction(con, function(con) {
      row <- store_run(con, it$run)
      if (row$closed) refuse("This run is over.", "run")
      if (!is.na(row$round) && round == row$round) {
        if (row$inbox != digest) {
          refuse(sprintf("Round %d was asked for with another inbox.", round), "inbox")
        }
        return(list(message = if (length(row$message)) stored_message(row), done = row$done))
      }
      due <- next_after(row)
      skips <- round > due || (round == due + 1 && !length(row$message))
      if (round < due || round > length(it$plan$rule) ||
        (skips && inherits(it$plan$method, "dpadmm_family_server"))) {
        refuse(sprintf("The next round is %d, not %s.", due, format(round)), "round")
      }
      store_claim(con, it$run, round, digest)
      list(done = row$done)
    })
  })
}

first_round <- function(plan) if (!is.null(core_orders(plan$method, plan)$inverse)) 0L else 1L

#' The message of a round, from the state after round `done`.
#' @noRd
compute_round <- function(site, run, round, values, done) {
  it <- site$live[[run]]
  if (is.null(it$handle) || !identical(it$at, as.double(done))) {
    site$live[[run]]$handle <- load_party(site, run)
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
load_party <- function(site, run) {
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
