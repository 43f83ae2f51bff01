# The connections of a site: they end when it does, and not by themselves before it.

hold_connections <- function(site) {
  hold_ledger(site$held, list(site$con, site$rounds), site$policy$ledger)
}

#' Do something with the site's data base. Its connection stays open, in this process.
#' @noRd
with_store <- function(site, code) {
  if (!identical(site$process, Sys.getpid())) {
    site$con <- store_connect(site$policy$ledger)
    site$rounds <- NULL
    site$held <- new_run()
    hold_connections(site)
    site$process <- Sys.getpid()
    reg.finalizer(site, leave_store, onexit = TRUE)
  }
  code(site$con)
}

#' Do something with rounds_connect(), which after an error is made anew.
#' @noRd
with_rounds <- function(site, code) {
  if (!identical(site$process, Sys.getpid())) with_store(site, identity)
  if (is.null(site$rounds)) {
    site$rounds <- rounds_connect(site$policy$ledger)
    hold_connections(site)
  }
  done <- FALSE
  on.exit(if (!done) leave_rounds(site))
  value <- code(site$rounds)
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
    let_go_ledger(site$held)
  }
  site$process <- NULL
}
