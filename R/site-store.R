# What a site keeps of its runs, in the data base of its ledger: the charge, the key and the state
# of a run stand or fall together. A row of `run` is one fit; a message is stored before it leaves,
# in one statement with the inbox it was computed for and the state after it, and only where the
# round before is still the last one. So no round has two messages, and no noise is used twice,
# whatever dies when and whoever is asked for the same.
#
# A charge is on the disk before its run begins. A message is with the operating system, which
# keeps it whatever process dies, and on the disk some rounds later: a round waits for no disk.
# Only the end of the machine itself can bring an earlier round back. So a run belongs to one boot
# of the machine, whose name is stored with the charge, and in another it is over. Where the system
# has no such name, each round waits for the disk.

.run_table <- "CREATE TABLE IF NOT EXISTS run (
  run TEXT PRIMARY KEY, data_id TEXT NOT NULL, plan TEXT NOT NULL, recipe TEXT NOT NULL,
  opened REAL NOT NULL, closed INTEGER NOT NULL DEFAULT 0, seeded INTEGER NOT NULL,
  key BLOB, state BLOB, round INTEGER, inbox TEXT, message BLOB, sent INTEGER)"

# What later versions know of a run: its boot; of a secure sum the site's secret until the keys of
# all are there, its signed key, the digest of all keys, those it shares with the others, the last
# round's attempt and how many second attempts there were.
.later_columns <- c(boot = "TEXT", secret = "BLOB", signed = "BLOB", roster = "TEXT",
  masks = "BLOB", attempt = "INTEGER", extra = "INTEGER NOT NULL DEFAULT 0")

#' @return a connection to the site's data base.
#' @noRd
store_connect <- function(path) {
  con <- ledger_connect(path)
  DBI::dbExecute(con, "PRAGMA secure_delete = ON")
  if (!DBI::dbExistsTable(con, "run")) DBI::dbExecute(con, .run_table)
  add_columns(con)
  con
}

#' A table of before there were such columns: its runs go on as they began.
#' @noRd
add_columns <- function(con) {
  lacking <- function() setdiff(names(.later_columns), DBI::dbListFields(con, "run"))
  if (length(lacking()) == 0L) return()
  ledger_transaction(con, function(con) {
    for (name in lacking()) { # another process may have been faster
      DBI::dbExecute(con, paste("ALTER TABLE run ADD COLUMN", name, .later_columns[[name]]))
    }
  })
}

#' The name of this boot of the machine, or NA where the system has none. Read each time: a process
#' may have been moved here from another machine.
#' @noRd
machine_boot <- function(file = "/proc/sys/kernel/random/boot_id") {
  if (!startsWith(R.version$os, "linux")) return(NA_character_)
  .Call(ffi_boot, file)
}

#' @param row of a run.
#' @noRd
check_boot <- function(row) {
  if (is.na(row$boot) || identical(row$boot, machine_boot())) return(invisible())
  abort("restart", paste(
    "The machine was restarted after this run began: it is over here, and its charge stays."
  ), argument = "run")
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
  store_run(con, run, "opened, closed, boot, round, attempt, extra, inbox, message, sent")
}

#' A run begins.
#' @param keys of run_keys(), of a secure sum.
#' @return what store_last() would say of it.
#' @noRd
store_open <- function(con, run, data_id, recipe, key, seeded, keys = NULL) {
  now <- as.double(Sys.time())
  boot <- machine_boot()
  DBI::dbExecute(con, "INSERT INTO run (run, data_id, plan, recipe, opened, seeded, key, boot,
    secret, signed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", params = list(
    run, data_id, digest_of(recipe), recipe, now, as.integer(seeded), list(key), boot,
    list(keys$secret), list(keys$signed)
  ))
  list(opened = now, closed = FALSE, boot = boot, round = NA, attempt = NA, extra = 0L)
}

#' The keys of all sites are there: the secret that the site's own were made with goes.
#' @param roster digest of the keys. @param masks of pair_keys().
#' @noRd
store_masks <- function(con, run, roster, masks) {
  DBI::dbExecute(con, "UPDATE run SET secret = NULL, roster = ?, masks = ? WHERE run = ?",
    params = list(roster, list(masks), run))
}

.storing <- "UPDATE run SET round = ?, attempt = ?, extra = ?, inbox = ?, message = ?, sent = ?,
  state = ? WHERE run = ? AND round IS ? AND attempt IS ? AND closed = 0"

#' A round's message, and the state after it.
#' @param last of store_last(): the round before. @param now of after_round().
#' @return whether that was still so, else nothing is stored.
#' @noRd
store_message <- function(site, run, last, now, message, state) {
  values <- message$values
  if (!is.raw(values)) values <- writeBin(values, raw(), endian = "little")
  row <- list(
    now$round, now$attempt, as.integer(now$extra), now$inbox, list(values),
    as.integer(message$sent), list(state), run, as.integer(last$round), as.integer(last$attempt)
  )
  stored <- if (is.na(last$boot)) {
    with_store(site, function(con) DBI::dbExecute(con, .storing, params = row))
  } else {
    with_rounds(site, function(rounds) rounds$changed(rounds$bind(rounds$statement, row)))
  }
  stored == 1
}

#' A connection for rounds alone, which does not wait for the disk, with its one statement, and the
#' methods for it: to find them each time, and to check their values, is a third of storing a round.
#' @noRd
rounds_connect <- function(path) {
  con <- store_connect(path)
  DBI::dbExecute(con, "PRAGMA synchronous = NORMAL")
  statement <- DBI::dbSendStatement(con, .storing)
  method <- function(name, of) methods::selectMethod(name, class(statement), fdef = of)@.Data
  list(con = con, statement = statement, bind = method("dbBind", DBI::dbBind),
    changed = method("dbGetRowsAffected", DBI::dbGetRowsAffected))
}

#' At the end of a process they may have ended by themselves.
#' @noRd
rounds_disconnect <- function(rounds) {
  if (DBI::dbIsValid(rounds$statement)) DBI::dbClearResult(rounds$statement)
  if (DBI::dbIsValid(rounds$con)) ledger_disconnect(rounds$con)
}

#' A stored message.
#' @param words whether it is one of words, see ffi_mask.c, and not of doubles.
#' @noRd
stored_message <- function(row, words) {
  values <- row$message
  if (!words) values <- readBin(values, "double", length(values) / 8, endian = "little")
  list(values = values, sent = row$sent == 1)
}

# A run ends: its keys, state and last message are overwritten, its charge stays.
.closing <- "UPDATE run SET closed = 1, key = NULL, state = NULL, inbox = NULL, message = NULL,
  secret = NULL, masks = NULL WHERE"

store_close <- function(con, run) {
  DBI::dbExecute(con, paste(.closing, "run = ?"), params = list(run))
}

#' Runs whose time is over, or whose machine was restarted, are closed.
#' @noRd
store_expire <- function(con, hours) {
  DBI::dbExecute(con, paste(.closing, "closed = 0 AND (opened < ? OR boot <> ?)"),
    params = list(oldest_open(hours), machine_boot()))
}

is_expired <- function(row, hours) row$opened < oldest_open(hours)

oldest_open <- function(hours) as.double(Sys.time()) - 3600 * hours
