# What a site keeps of its runs, in the data base of its ledger: the charge, the key and the state
# of a run stand or fall together. A row of `run` is one fit; a round is claimed by the digest of
# its inbox before anything is computed, and its message is stored before it leaves, with the state
# after that round (`done`). So no message leaves that was computed for another inbox than the one
# its round is known by, and no noise is used twice, whatever dies when.

.run_table <- "CREATE TABLE IF NOT EXISTS run (
  run TEXT PRIMARY KEY, data_id TEXT NOT NULL, plan TEXT NOT NULL, recipe TEXT NOT NULL,
  opened REAL NOT NULL, closed INTEGER NOT NULL DEFAULT 0, seeded INTEGER NOT NULL,
  key BLOB, state BLOB, done INTEGER, round INTEGER, inbox TEXT, message BLOB, sent INTEGER)"

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
store_run <- function(con, run) {
  found <- DBI::dbGetQuery(con, "SELECT * FROM run WHERE run = ?", params = list(run))
  if (nrow(found) == 0L) return(NULL)
  row <- lapply(found, `[[`, 1L)
  row$closed <- row$closed == 1
  row
}

#' A run begins.
#' @noRd
store_open <- function(con, run, data_id, recipe, key, seeded) {
  DBI::dbExecute(con, "INSERT INTO run (run, data_id, plan, recipe, opened, seeded, key)
    VALUES (?, ?, ?, ?, ?, ?, ?)", params = list(
    run, data_id, digest_of(recipe), recipe, as.double(Sys.time()), as.integer(seeded), list(key)
  ))
}

#' A round is claimed for one inbox.
#' @noRd
store_claim <- function(con, run, round, inbox) {
  DBI::dbExecute(con,
    "UPDATE run SET round = ?, inbox = ?, message = NULL, sent = NULL WHERE run = ?",
    params = list(round, inbox, run)
  )
}

#' The message of a claimed round, and the state after it.
#' @return whether it was still claimed, and nothing stored.
#' @noRd
store_message <- function(con, run, round, inbox, values, sent, state) {
  stored <- DBI::dbExecute(con, "UPDATE run SET message = ?, sent = ?, state = ?, done = round
    WHERE run = ? AND round = ? AND inbox = ? AND message IS NULL AND closed = 0", params = list(
    list(writeBin(values, raw(), endian = "little")), as.integer(sent), list(state),
    run, round, inbox
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

#' A run ends: its key, state and last message are overwritten, its charge stays.
#' @noRd
store_close <- function(con, run) {
  DBI::dbExecute(con, "UPDATE run SET closed = 1, key = NULL, state = NULL, message = NULL
    WHERE run = ?", params = list(run))
}

#' Runs whose time is over are closed.
#' @noRd
store_expire <- function(con, hours) {
  DBI::dbExecute(con, "UPDATE run SET closed = 1, key = NULL, state = NULL, message = NULL
    WHERE closed = 0 AND opened < ?", params = list(as.double(Sys.time()) - 3600 * hours))
}

is_expired <- function(row, hours) row$opened < as.double(Sys.time()) - 3600 * hours
