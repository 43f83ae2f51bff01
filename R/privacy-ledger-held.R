# Connections to ledgers that stay open, by a name that their owner knows. One that a forked process
# inherits stays, too: SQLite wants it neither used nor closed there. Nor may such a process open
# the same file anew: what SQLite inherits says that locks are held, which are not, and two
# processes could spend the same budget.
.connections <- new.env(parent = emptyenv())

hold_ledger <- function(name, connections, path) {
  held <- list(connections = connections, process = Sys.getpid(), path = ledger_place(path))
  assign(name, held, envir = .connections)
}

let_go_ledger <- function(name) rm(list = name, envir = .connections)

ledger_place <- function(path) normalizePath(path, mustWork = FALSE)

#' That this process has inherited no connection to the ledger in a file.
#' @noRd
refuse_inherited <- function(path) {
  place <- ledger_place(path)
  for (held in as.list(.connections)) {
    if (held$process == Sys.getpid() || held$path != place) next
    abort("ledger", paste(
      "This process was forked from one that has the ledger open, and the locks of SQLite do not",
      "hold in it: start another one, or fork before the site is used."
    ), argument = "ledger", place = path)
  }
}
