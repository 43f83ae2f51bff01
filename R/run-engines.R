# Engines: who carries a plan out. The rounds are driven by the core (run.c) whatever the
# engine; an engine says how a party is opened, asked for its next message, and heard.
#
# | function | what it does |
# |---|---|
# | `open(plan, records, held, key)` | the parties: made ready where their records are |
# | `submit(party, round, inbox)`    | ask a party for the message of a round |
# | `collect(party)`                 | its message, list(values =, sent =), or a condition |
# | `sum()`                          | of a secure plan instead: what all sent, added modulo 2^64 |
# | `close()`                        | forget keys and states |
#
# A new engine is one file with these four functions and a line in engines_table(). It says
# whether it is `simulated`: whether all parties are in one process, as a statement then says.

#' @noRd
engines_table <- function() list(local = engine_local, stepwise = engine_stepwise)

#' All parties in this process, in C, by threads.
#' @param counted a function that is handed what was done with rows, see run_core(): for
#'   benchmarks and tests.
#' @noRd
engine_local <- function(counted = NULL) {
  run <- function(plan, records, held, key, keep, threads, tick) {
    result <- run_core(plan, core_records(plan, records, held), key, keep, threads, tick,
      count = !is.null(counted)
    )
    if (!is.null(counted)) counted(result$work)
    result
  }
  list(name = "local", simulated = TRUE, run = run)
}

#' An engine of R functions, for run_plan().
#' @noRd
new_engine <- function(name, open, submit, collect, close, simulated, sum = NULL) {
  run <- function(plan, records, held, key, keep, threads, tick) {
    open(plan, records, held, key)
    on.exit(close())
    run_core(plan, NULL, key, keep, threads, tick, list(submit = submit, collect = collect,
      sum = sum))
  }
  list(name = name, simulated = simulated, run = run)
}

#' Parties of this process one by one, each with its own records and key, as they would run
#' apart from each other.
#' @param saved whether each party is saved and loaded into a fresh one after every round;
#'   `cache`: with what only makes it faster.
#' @param sent an environment whose list `values` gets every message, for audits.
#' @noRd
engine_stepwise <- function(saved = FALSE, cache = TRUE, sent = NULL) {
  parties <- answers <- NULL
  again <- NULL
  open <- function(plan, records, held, key) {
    spec <- core_spec(plan, keep = FALSE, threads = 1L)
    own <- party_records(plan, records, held)
    again <<- function(i) {
      party_key <- core_call(.Call(ffi_key_party, key, i))
      on.exit(forget_key(party_key))
      core_call(.Call(ffi_party_open, spec, i, own[[i]], party_key))
    }
    parties <<- lapply(seq_along(own), again)
    answers <<- vector("list", length(own))
  }
  submit <- function(party, round, inbox) {
    if (saved && round > 1L) {
      state <- .Call(ffi_party_save, parties[[party]], cache)
      .Call(ffi_party_close, parties[[party]])
      parties[[party]] <<- again(party)
      core_call(.Call(ffi_party_load, parties[[party]], state))
    }
    answers[[party]] <<- .Call(ffi_party_step, parties[[party]], round, inbox)
    NULL
  }
  collect <- function(party) {
    core_call(answers[[party]]$status)
    if (!is.null(sent)) sent$values <- c(sent$values, list(answers[[party]]$values))
    answers[[party]]
  }
  sum <- function() {
    for (answer in answers) core_call(answer$status)
    shares <- lapply(parties, function(party) core_call(.Call(ffi_party_share, party, 0L)))
    if (!is.null(sent)) sent$values <- c(sent$values, list(shares))
    .Call(ffi_words_sum, shares)
  }
  close <- function() for (party in parties) .Call(ffi_party_close, party)
  new_engine("stepwise", open, submit, collect, close, simulated = TRUE, sum)
}
