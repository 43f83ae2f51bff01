# What a site keeps of its runs, in the data base of its ledger: the charge, the key and the state
# of a run stand or fall together. A row of `run` is one fit; a message is stored before it leaves,
# in one statement with the inbox it was computed for and the state after it, and only where the
# round before is still the last one. So no round has two messages, and no noise is used twice,
# whatever dies when and whoever is asked for the same.

.run_table <- "CREATE TABLE IF NOT EXISTS run (
  run TEXT PRIMARY KEY, data_id TEXT NOT NULL, plan TEXT NOT NULL, recipe TEXT NOT NULL,
  opened REAL NOT NULL, closed INTEGER NOT NULL DEFAULT 0, seeded INTEGER NOT NULL,
  key BLOB, state BLOB, round INTEGER, inbox TEXT, message BLOB, sent INTEGER)"

#' @return a connection to the site's data base.
#' @noRd
store_connect <- function(path) {
  con <- ledger_connect(path)
  DBI::dbExecute(con, "PRAGMA secure_delete = ON")
  if (!DBI::dbExistsTable(con, "run")) DBI::dbExecute(con, .run_table)
  con
}

#' What a run is called in a data base that several sites share.
#' @noRd
run_at <- function(site, run) paste(run, site$policy$data, site$policy$site)

#' A run's row as a list, or NULL.
#' @param run of run_at().
#' @noRd
store_run <- function(con, run, columns = "*") {
  sql <- paste("SELECT", columns, "FROM run WHERE run = ?")
  found <- DBI::dbGetQuery(con, sql, params = list(run))
  if (nrow(found) == 0L) return(NULL)
  row <- lapply(found, `[[`, 1L)
  row$closed <- row$closed == 1
  row
}

#' What a step needs to know of a run: not its key, plan and state, which may be long.
#' @noRd
store_last <- function(con, run) {
  store_run(con, run, "opened, closed, round, inbox, message, sent")
}

#' A run begins.
#' @noRd
store_open <- function(con, run, data_id, recipe, key, seeded) {
  DBI::dbExecute(con, "INSERT INTO run (run, data_id, plan, recipe, opened, seeded, key)
    VALUES (?, ?, ?, ?, ?, ?, ?)", params = list(
    run, data_id, digest_of(recipe), recipe, as.double(Sys.time()), as.integer(seeded), list(key)
  ))
}

#' A round's message, and the state after it.
#' @param last the round before, or NA.
#' @return whether that was still so, else nothing is stored.
#' @noRd
store_message <- function(con, run, last, round, inbox, message, state) {
  stored <- DBI::dbExecute(con, "UPDATE run SET round = ?, inbox = ?, message = ?, sent = ?,
    state = ? WHERE run = ? AND round IS ? AND closed = 0", params = list(
    as.integer(round), inbox, list(writeBin(message$values, raw(), endian = "little")),
    as.integer(message$sent), list(state), run, as.integer(last)
  ))
  stored == 1
}

#' A stored message.
#' @noRd
stored_message <- function(row) {
  list(
    values = readBin(row$message, "double", length(row$message) / 8, endian = "little"),
    sent = row$sent == 1
  )
}

# A run ends: its key, state and last message are overwritten, its charge stays.
.closing <- "UPDATE run SET closed = 1, key = NULL, state = NULL, message = NULL WHERE"

store_close <- function(con, run) {
  DBI::dbExecute(con, paste(.closing, "run = ?"), params = list(run))
}

#' Runs whose time is over are closed.
#' @noRd
store_expire <- function(con, hours) {
  DBI::dbExecute(con, paste(.closing, "closed = 0 AND opened < ?"),
    params = list(oldest_open(hours)))
}

is_expired <- function(row, hours) row$opened < oldest_open(hours)

oldest_open <- function(hours) as.double(Sys.time()) - 3600 * hours
