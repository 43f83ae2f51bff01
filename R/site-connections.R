# The connections of sites, by a name that the site knows: they end when it does, and not by
# themselves before it. One that a forked process inherits stays, too: SQLite wants it neither used
# nor closed there. Nor may such a process open the same file anew: what SQLite inherits says that
# locks are held, which are not, and two processes could spend the same budget.
.connections <- new.env(parent = emptyenv())

hold_connections <- function(site) {
  held <- list(
    con = site$con, rounds = site$rounds, process = site$process,
    ledger = normalizePath(site$policy$ledger, mustWork = FALSE)
  )
  assign(site$held, held, envir = .connections)
}

#' That this process has inherited no connection to a ledger.
#' @noRd
refuse_inherited <- function(ledger) {
  ledger <- normalizePath(ledger, mustWork = FALSE)
  for (held in as.list(.connections)) {
    if (held$process == Sys.getpid() || held$ledger != ledger) next
    abort("ledger", paste(
      "This process was forked from one that has the ledger open, and the locks of SQLite do not",
      "hold in it: start another one, or fork before the site is used."
    ), argument = "ledger", place = ledger)
  }
}

#' Do something with the site's data base. Its connection stays open, in this process.
#' @noRd
with_store <- function(site, code) {
  if (!identical(site$process, Sys.getpid())) {
    refuse_inherited(site$policy$ledger)
    site$con <- store_connect(site$policy$ledger)
    site$rounds <- NULL
    site$held <- new_run()
    site$process <- Sys.getpid()
    hold_connections(site)
    reg.finalizer(site, leave_store, onexit = TRUE)
  }
  code(site$con)
}

#' Do something with the statement that stores rounds; after an error it is made anew.
#' @noRd
with_rounds <- function(site, code) {
  if (!identical(site$process, Sys.getpid())) with_store(site, identity)
  if (is.null(site$rounds)) {
    site$rounds <- rounds_connect(site$policy$ledger)
    hold_connections(site)
  }
  done <- FALSE
  on.exit(if (!done) leave_rounds(site))
  value <- code(site$rounds$statement)
  done <- TRUE
  value
}

leave_rounds <- function(site) {
  rounds <- site$rounds
  site$rounds <- NULL
  if (!is.null(rounds)) rounds_disconnect(rounds)
}

leave_store <- function(site) {
  if (identical(site$process, Sys.getpid())) {
    leave_rounds(site)
    ledger_disconnect(site$con)
    rm(list = site$held, envir = .connections)
  }
  site$process <- NULL
}
