# Sites as an engine: who is asked what, who is late, lost or out, and what a run leaves behind.

#' A run over sites. `status` of a site: "here", "late" (asked and not yet answered), "lost" or
#' "out".
#' @param party the site of each party of the plan.
#' @param run its name, 32 hexadecimal digits.
#' @param journal of new_journal().
#' @param seed of a simulation.
#' @noRd
engine_sites <- function(sites, plan, party, run, journal, seed = NULL, tell = function(...) NULL) {
  d <- plan$problem$d
  it <- list2env(list(
    status = rep("here", length(party)), last = first_messages(plan), round = NA,
    answered = 0L, trace = list(), gone = list()
  ), parent = emptyenv())
  rounds <- length(all_rules(plan))
  over <- journal$has(rounds, length(party))
  open <- function(plan, records, held, key) {
    if (!over) open_sites(it, sites, plan, party, run, seed)
  }
  submit <- function(i, round, inbox) {
    begin_round(it, sites, round, tell)
    if (!is.null(journal$replay(round, i)) || it$status[i] %in% c("lost", "out")) return(NULL)
    if (it$status[i] == "late" && is.null(late_answer(it, sites, party[i], i))) return(NULL)
    it$status[i] <- "here"
    sites$post(party[i], "step", list(run = run, round = round, inbox = doubles_to_wire(inbox)))
    NULL
  }
  collect <- function(i) {
    message <- journal$replay(it$round, i)
    if (is.null(message)) {
      message <- heard(it, sites, party[i], i, d)
      it$unwritten[[as.character(i)]] <- message
    }
    if (!message$sent) it$trace[[length(it$trace) + 1L]] <- data.frame(
      round = it$round, site = sites$names[party[i]], status = message$status
    )
    it$answered <- it$answered + message$sent
    if (!message$sent) it$silent <- c(it$silent, sites$names[party[i]])
    if (i == length(party)) end_round(it, sites, journal, rounds, charged = is.null(seed))
    it$last[, i] <- message$values
    list(values = message$values, sent = TRUE)
  }
  close <- function() {
    stopped <- !is.null(journal$path) && !isTRUE(it$finished) # and will go on
    if (!over && !stopped) close_sites(sites, party, run, it)
  }
  engine <- new_engine(sites$kind, open, submit, collect, close, simulated = sites$kind == "local")
  engine$trace <- function() do.call(rbind, it$trace)
  # a warning within a round would reach no handler of the caller's
  engine$warn <- function() {
    for (one in it$gone) warn("site", one$message, argument = "sites", place = one$place)
  }
  engine
}

#' What stands for the message of a site before its first one.
#' @noRd
first_messages <- function(plan) {
  problem <- plan$problem
  start <- if (on_graph(plan$method)) plan$start
  matrix(if (is.null(start)) 0 else start, problem$d, problem$N)
}

begin_round <- function(it, sites, round, tell) {
  if (identical(it$round, round)) return(invisible())
  tell(sites$names[it$status == "late"])
  it$round <- round
  it$until <- Sys.time() + sites$deadline
  it$answered <- 0L
  it$silent <- NULL
  it$unwritten <- list()
}

#' A round with too few answers is no round: a run that goes on asks for it again.
#' @param charged whether the run is in the sites' ledgers.
#' @noRd
end_round <- function(it, sites, journal, rounds, charged) {
  if (it$answered >= sites$min_sites) {
    for (i in names(it$unwritten)) journal$write(it$round, as.integer(i), it$unwritten[[i]])
    journal$flush()
    it$finished <- it$round == rounds
    return(invisible())
  }
  abort("site", sprintf(
    "Only %d of %d sites answered in round %d, fewer than `min_sites` = %g: not %s.%s%s",
    it$answered, length(it$status), it$round, sites$min_sites, paste(it$silent, collapse = ", "),
    if (charged) " The whole run stays charged at the sites." else "", journal$advice()
  ), argument = "min_sites", place = it$silent, path = journal$path)
}

#' What a late site has said by now: of a round that is over, so nobody waits for it.
#' @noRd
late_answer <- function(it, sites, site, i) {
  answer <- tryCatch(sites$fetch(site), error = identity)
  if (inherits(answer, "condition")) leave(it, sites$names[site], i, "lost", .unreachable)
  answer
}

.unreachable <- "it cannot be reached any more"
.restarted <- "its machine was restarted, and the run is over there"

#' A site that is asked nothing more; the caller is told when the run is over.
#' @noRd
leave <- function(it, name, i, status, words) {
  it$status[i] <- status
  at <- if (is.na(it$round)) "" else sprintf(", round %d", it$round)
  it$gone[[length(it$gone) + 1L]] <- list(place = name, message = sprintf(
    "Site \"%s\"%s: %s. Its last message stands.", name, at, words
  ))
}

#' The message of a party for this round: what its site answers in time, or its last one.
#' @noRd
heard <- function(it, sites, site, i, d) {
  stands <- function() list(values = it$last[, i], sent = FALSE, status = it$status[i])
  if (it$status[i] != "here") return(stands())
  answer <- await(sites, site, it$until)
  gone <- function(status, words) {
    leave(it, sites$names[site], i, status, words)
    stands()
  }
  if (is.null(answer)) {
    it$status[i] <- "late"
    return(stands())
  }
  if (inherits(answer, "condition")) return(gone("lost", .unreachable))
  if (!is.list(answer)) return(gone("out", "it does not answer as a site"))
  if (identical(answer$error, "restart")) return(gone("lost", .restarted))
  if (!is.null(answer$error)) {
    return(gone("out", paste("it refused:", sub("[.]$", "", site_words(answer$message)))))
  }
  values <- if (is.list(answer$value)) answer$value$values
  if (!is_message(values, d)) return(gone("out", "what it sent is no message"))
  list(values = as.double(values), sent = TRUE, status = "here")
}

is_message <- function(values, d) {
  is.numeric(values) && length(values) == d && is.null(dim(values)) && all(is.finite(values)) &&
    all(abs(values) <= .largest_inbox / 1e6)
}

# ---- open and close ----------------------------------------------------------------------

#' All are asked whether they would before anyone is asked to: a refusal of one must not cost
#' the others their budget. In a run that is taken up a site may have lost it.
#' @noRd
open_sites <- function(it, sites, plan, party, run, seed) {
  arguments <- list(
    run = run, recipe = text_to_wire(plan_recipe(plan)), analyst = sites$analyst, seed = seed
  )
  # of a sum all sites are needed
  except <- if (!is_secure(plan)) "restart"
  answers <- ask_all(sites, "check", arguments, party, except = except)
  gone <- vapply(answers, inherits, NA, what = "condition")
  for (i in which(gone)) leave(it, sites$names[party[i]], i, "lost", .restarted)
  for (i in which(!gone)) {
    check_answer(sites$names[party[i]], answers[[i]], "check")
    same <- tryCatch(
      all.equal(answers[[i]]$orders, party_orders(plan, i), tolerance = 1e-6),
      error = conditionMessage
    )
    if (!isTRUE(same)) {
      abort_site(sites$names[party[i]], paste(
        "it works out another plan from the same text: is its version of dpadmm another,",
        "or was the plan made without a seed?"
      ), "plan")
    }
  }
  tryCatch(ask_all(sites, "open", arguments, party[!gone]), dpadmm_error_site = function(e) {
    abort("site", paste(
      conditionMessage(e), "Sites that were asked with it may have charged this run, which stays",
      "charged: see ledger_report()."
    ), argument = e$argument, place = e$place, reason = e$reason, parent = e$parent)
  })
}

close_sites <- function(sites, party, run, it) {
  here <- party[it$status == "here"]
  try(ask_all(sites, "close", list(run = run), here), silent = TRUE)
}

#' The site of each party of a plan, by name.
#' @noRd
site_of_party <- function(sites, plan) {
  if (plan$problem$N == 1L) {
    abort("plan", paste(
      "The plan has one party for all records, as of fp_admm(unit = \"holder\"), whose users are",
      "kept in one process, and no site has them all: take a method with a party for each site,",
      "such as fp_admm(unit = \"record\", noise = \"block\")."
    ), argument = "method")
  }
  own <- vapply(sites$public, `[[`, "", "site")
  party <- match(plan$problem$names, own)
  odd <- c(plan$problem$names[is.na(party)], setdiff(own, plan$problem$names))
  if (length(odd)) {
    abort("plan", sprintf("The plan and the sites name unlike parties: \"%s\" is in one only.",
      odd[1L]), argument = "sizes", place = odd[1L])
  }
  party
}
