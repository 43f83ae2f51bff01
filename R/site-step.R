# The rounds of a run at a site.

# An inbox holds sums of messages; a larger number is no message of ours. What it is cannot
# matter to privacy: it moves only what sensitivity does not depend on.
.largest_inbox <- 1e100

#' The answer to a round: its message, list(values, sent). The same again for the same inbox.
#' @param inbox d numbers, for the wire.
#' @param attempt of a secure sum: which attempt at the round, from 0.
#' @noRd
site_step <- function(site, run, round, inbox, attempt = NULL) {
  check_run_name(run)
  if (!is_whole(round)) decline("The round is no whole number.", "round")
  last <- last_round(site, run, round)
  plan <- live_run(site, run, last)$plan
  values <- doubles_from_wire(inbox, plan$problem$d)
  ok <- !is.null(values) && all(is.finite(values)) && all(abs(values) <= .largest_inbox)
  if (!ok) {
    decline(sprintf("The inbox must be %d finite numbers.", plan$problem$d), "inbox")
  }
  asked <- list(round = round, attempt = check_attempt(plan, attempt), inbox = inbox)
  answered <- answered_round(plan, last, asked)
  if (!is.null(answered)) return(answered)
  if (is_secure(plan)) run_masks(site, run)
  message <- compute_round(site, run, round, values, last$round)
  if (is_secure(plan)) message$values <- own_share(site$live[[run]], asked, values)
  # with its cache: else the last digits would tell a run that was taken up again
  state <- core_call(.Call(ffi_party_save, site$live[[run]]$handle, TRUE))
  at <- run_at(site, run)
  now <- after_round(last, asked)
  if (store_message(site, at, last, now, message, state)) {
    site$live[[run]]$last <- now[c("opened", "closed", "round", "attempt", "extra", "boot")]
    return(message)
  }
  # another process was faster: its message is the answer, or there is none
  site$live[[run]]$at <- site$live[[run]]$last <- NULL
  last <- with_store(site, function(con) store_last(con, at))
  answered <- answered_round(plan, last, asked)
  if (is.null(answered)) decline("The round is over.", "round")
  answered
}

is_whole <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x) && x == round(x)

#' What was last answered: what this process remembers where the round is the next one (whether it
#' still is the last one shows when the message is stored), else what the data base says.
#' @noRd
last_round <- function(site, run, round) {
  live <- site$live[[run]]
  if (!is.null(live$last) && round == due_round(live$plan, live$last)) return(live$last)
  with_store(site, function(con) store_last(con, run_at(site, run)))
}

#' A run that this process knows, or has read again from the site's data base.
#' @param last of store_last().
#' @noRd
live_run <- function(site, run, last) {
  if (is.null(last)) decline("There is no such run.", "run")
  check_boot(last)
  if (!last$closed && is_expired(last, site$policy$deadline)) {
    site_close(site, run)
    last$closed <- TRUE
  }
  if (last$closed) {
    site$live[[run]] <- NULL
    decline("This run is over.", "run")
  }
  if (is.null(site$live[[run]])) {
    row <- with_store(site, function(con) store_run(con, run_at(site, run)))
    plan <- recipe_plan(row$recipe)
    site$live[[run]] <- live_party(site, plan, check_site_plan(site$policy, plan, site$n))
  }
  site$live[[run]]
}

#' The stored message of a round, or NULL where it is to be computed. A round belongs to the inbox
#' it was answered for. Who was late may skip rounds (users remember each of them).
#' @param asked list(round, attempt, inbox), the last as it came.
#' @noRd
answered_round <- function(plan, last, asked) {
  if (last$closed) decline("This run is over.", "run")
  round <- asked$round
  if (!is.na(last$round) && round == last$round) {
    if (last$inbox != asked$inbox) {
      decline(sprintf("Round %d was asked for with another inbox.", round), "inbox")
    }
    if (is_next_attempt(plan, last, asked$attempt)) return(NULL)
    return(stored_message(last, is_secure(plan)))
  }
  due <- due_round(plan, last)
  skips <- round > due && inherits(plan$method, "dpadmm_family_server")
  if (round < due || round > length(all_rules(plan)) || skips) {
    decline(sprintf("The next round is %d, not %s.", due, format(round)), "round")
  }
  NULL
}

#' What is known of a run after a round: see store_last().
#' @noRd
after_round <- function(last, asked) {
  again <- identical(as.double(asked$round), as.double(last$round))
  last$extra <- last$extra + again
  last$round <- as.integer(asked$round)
  last$attempt <- as.integer(asked$attempt)
  last$inbox <- asked$inbox
  last
}

due_round <- function(plan, last) if (is.na(last$round)) first_round(plan) else last$round + 1L

first_round <- function(plan) if (!is.null(core_orders(plan$method, plan)$inverse)) 0L else 1L

#' The message of a round, from the state after the `last` one that was answered: the same one
#' where it is another attempt at it.
#' @noRd
compute_round <- function(site, run, round, values, last) {
  it <- site$live[[run]]
  if (is.null(it$handle) || !identical(it$at, as.double(last))) {
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
  row <- with_store(site, function(con) store_run(con, run_at(site, run), "closed, key, state"))
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
  if (!is.null(masks <- site$live[[run]]$masks)) forget_key(masks)
  site$live[[run]] <- NULL
  with_store(site, function(con) store_close(con, run_at(site, run)))
  NULL
}
