# Sites as an engine of secure sums: the hub carries keys between the sites, and adds up what they
# answer. A sum opens only when all of them have answered one attempt at a round, so there is no
# last message that stands, and a run goes no further than its sites do together.

#' A run whose messages only the sum is seen of.
#' @param party,run,journal,seed see engine_sites().
#' @noRd
engine_sums <- function(sites, plan, party, run, journal, seed = NULL, tell = function(...) NULL) {
  it <- list2env(list(
    status = rep("here", length(party)), pending = rep(FALSE, length(party)), round = NA,
    failed = 0, why = vector("list", length(party)), attempts = list()
  ), parent = emptyenv())
  rounds <- length(all_rules(plan))
  over <- journal$has(rounds, 1L)
  open <- function(plan, records, held, key) {
    if (over) return(invisible())
    opened <- open_sites(it, sites, plan, party, run, seed)
    join_sites(sites, party, run, opened)
    it$failed <- max(0, answered_so_far(opened, "extra"), na.rm = TRUE)
    it$first <- first_attempts(opened)
  }
  submit <- function(i, round, inbox) {
    if (!identical(it$round, round)) tell(sites$names[it$pending])
    it$round <- round
    it$inbox <- doubles_to_wire(inbox) # the same for all
    NULL
  }
  sum <- function() {
    words <- journal$replay(it$round, 1L)$values
    if (!is.null(words)) return(words)
    words <- sum_round(it, sites, plan, party, run, journal$advice())
    journal$write(it$round, 1L, list(values = words))
    journal$flush()
    it$finished <- it$round == rounds
    words
  }
  close <- function() {
    stopped <- !is.null(journal$path) && !isTRUE(it$finished) # and will go on
    if (!over && !stopped) close_sites(sites, party, run, it)
  }
  engine <- new_engine(sites$kind, open, submit, NULL, close, simulated = sites$kind == "local",
    sum = sum
  )
  engine$trace <- engine$warn <- function() NULL
  engine$attempts <- function() do.call(rbind, it$attempts)
  engine
}

#' Each site gave a signed key when the run was opened: all of them go to all.
#' @param opened the answers of the sites.
#' @noRd
join_sites <- function(sites, party, run, opened) {
  signed <- Map(function(answer, i) {
    good <- is.list(answer) && is.raw(answer$signed) && length(answer$signed) == .signed_bytes
    if (!good) abort_site(sites$names[i], "it gave no signed key for this run", "keys")
    answer$signed
  }, opened, party)
  ask_all(sites, "join", list(run = run, keys = keys_to_wire(signed)), party)
}

#' What sites say of a run that they know already, NA where they do not.
#' @noRd
answered_so_far <- function(opened, what) {
  vapply(opened, function(answer) {
    if (is_one_number(answer[[what]], 0)) as.double(answer[[what]]) else NA_real_
  }, 0)
}

#' Which attempt at a round comes first: in a run that is taken up, the last one that was asked for.
#' @noRd
first_attempts <- function(opened) {
  round <- answered_so_far(opened, "round")
  attempt <- answered_so_far(opened, "attempt")
  function(asked) max(0, attempt[which(round == asked)], na.rm = TRUE)
}

#' The sum of the sites' messages of a round, as words. An attempt at which somebody is missing is
#' over, and the plan says how many of these there may be.
#' @noRd
sum_round <- function(it, sites, plan, party, run, advice) {
  attempt <- it$first(it$round)
  repeat {
    words <- ask_attempt(it, sites, party, run, attempt, plan$problem$d)
    missing <- which(lengths(words) == 0L)
    if (length(missing) == 0L) return(core_call(.Call(ffi_words_sum, words)))
    it$attempts[[length(it$attempts) + 1L]] <- data.frame(round = it$round, attempt = attempt,
      site = sites$names[party[missing]], status = it$status[missing])
    stuck <- it$pending | it$status == "out"
    if (it$failed >= plan$secure$failures || any(stuck)) break
    it$failed <- it$failed + 1
    attempt <- attempt + 1
  }
  first <- missing[order(!stuck[missing])][1L]
  abort("site", sprintf(
    "Round %d has no message of site \"%s\": %s. A secure sum is of all sites or of none.%s",
    it$round, sites$names[party[first]], it$why[[first]], advice
  ), argument = "sites", place = sites$names[party[first]])
}

#' What the sites answer to an attempt, `NULL` of who did not. Whose answer went astray is asked for
#' it a second time: it has stored it, and that costs nothing.
#' @noRd
ask_attempt <- function(it, sites, party, run, attempt, d) {
  words <- vector("list", length(party))
  asked <- list(run = run, round = it$round, inbox = it$inbox, attempt = attempt)
  for (time in 1:2) {
    missing <- which(lengths(words) == 0L)
    for (i in missing[!it$pending[missing]]) {
      sites$post(party[i], "step", asked)
      it$pending[i] <- TRUE
    }
    until <- Sys.time() + sites$deadline
    for (i in missing) words[i] <- list(heard_words(it, sites, party[i], i, d, until))
    if (all(lengths(words) > 0L) || any(it$status == "out")) break
  }
  words
}

#' A site's answer as words, or `NULL`, and then `it` knows why.
#' @noRd
heard_words <- function(it, sites, site, i, d, until) {
  answer <- await(sites, site, until)
  none <- function(status, words) {
    it$status[i] <- status
    it$why[[i]] <- words
    NULL
  }
  if (is.null(answer)) return(none("late", "it has not answered yet"))
  it$pending[i] <- FALSE
  if (inherits(answer, "condition")) return(none("lost", .unreachable))
  if (!is.list(answer)) return(none("lost", "it does not answer as a site"))
  if (!is.null(answer$error)) {
    return(none("out", paste("it refused:", sub("[.]$", "", site_words(answer$message)))))
  }
  values <- if (is.list(answer$value)) answer$value$values
  if (!is.raw(values) || length(values) != 8 * d) return(none("lost", "what it sent is no message"))
  it$status[i] <- "here"
  values
}
