# The file of a ledger: an SQLite database of budgets and charges. Every row holds a hash of
# itself and of the row before, so that a row that was changed later is found.

.ledger_id <- 0x6470616c # "dpal", which SQLite keeps in the file's header
.ledger_version <- 1L

.ledger_tables <- c(
  budget = "CREATE TABLE budget (
    data_id TEXT PRIMARY KEY, epsilon REAL NOT NULL, delta REAL NOT NULL, renewal_days REAL,
    created TEXT NOT NULL, renyi_order REAL, allowance REAL NOT NULL, hash TEXT NOT NULL)",
  charge = "CREATE TABLE charge (
    number INTEGER PRIMARY KEY AUTOINCREMENT, data_id TEXT NOT NULL REFERENCES budget,
    time TEXT NOT NULL, analyst TEXT NOT NULL, plan TEXT NOT NULL, run TEXT NOT NULL,
    what TEXT NOT NULL, events TEXT NOT NULL, cost REAL NOT NULL, period INTEGER NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL)",
  by_data = "CREATE INDEX charge_data ON charge (data_id, period)"
)

abort_ledger <- function(path, why, ...) {
  abort("ledger", sprintf('The ledger "%s": %s.', path, sub("[.]+$", "", why)), place = path, ...)
}

#' A connection to the ledger in a file, which is made where it is not there and `create`.
#' @noRd
ledger_connect <- function(path, create = TRUE) {
  need_package(c("DBI", "RSQLite", "jsonlite", "digest"), "a ledger")
  path <- path.expand(check_string(path, "path", 4096L))
  if (!file.exists(path)) {
    if (!create) abort_ledger(path, "there is no such file", argument = "path")
    if (!dir.exists(dirname(path))) {
      abort_ledger(path, "its directory does not exist", argument = "path")
    }
  } else if (dir.exists(path)) {
    abort_ledger(path, "it is a directory", argument = "path")
  }
  # nobody else may read who was charged for what
  old <- Sys.umask("0077")
  on.exit(Sys.umask(old))
  con <- NULL
  tryCatch(
    {
      con <- DBI::dbConnect(RSQLite::SQLite(), path,
        synchronous = NULL, extended_types = FALSE, loadable.extensions = FALSE,
        flags = if (create) RSQLite::SQLITE_RWC else RSQLite::SQLITE_RW
      )
      open_ledger(con, path, create)
      con
    },
    error = function(e) {
      if (!is.null(con)) DBI::dbDisconnect(con)
      if (inherits(e, "dpadmm_error")) stop(e)
      abort_ledger(path, conditionMessage(e), argument = "path")
    }
  )
}

ledger_disconnect <- function(con) invisible(DBI::dbDisconnect(con))

#' Pragmas, and the tables where there are none.
#' @noRd
open_ledger <- function(con, path, create) {
  pragma <- function(text) DBI::dbGetQuery(con, paste("PRAGMA", text))[[1L]]
  DBI::dbExecute(con, "PRAGMA busy_timeout = 60000")
  if (is_new_file(con, pragma)) {
    if (!create) abort_ledger(path, "it is no ledger", argument = "path")
    make_tables(con, pragma)
  }
  if (pragma("application_id") != .ledger_id) {
    abort_ledger(path, "it is a database, but no ledger", argument = "path")
  }
  version <- pragma("user_version")
  if (version > .ledger_version) {
    abort_ledger(path, sprintf(
      "it is of version %d, and this version of dpadmm reads up to %d", version, .ledger_version
    ), argument = "path")
  }
  write_ahead(con, pragma)
  DBI::dbExecute(con, "PRAGMA synchronous = FULL")
  DBI::dbExecute(con, "PRAGMA foreign_keys = ON")
}

is_new_file <- function(con, pragma) {
  pragma("application_id") == 0 &&
    DBI::dbGetQuery(con, "SELECT count(*) FROM sqlite_master")[[1L]] == 0
}

#' All in one transaction: a process that dies leaves an empty file, which is new again.
#' @noRd
make_tables <- function(con, pragma) {
  ledger_transaction(con, function(con) {
    if (!is_new_file(con, pragma)) return() # another process was faster
    for (table in .ledger_tables) DBI::dbExecute(con, table)
    DBI::dbExecute(con, sprintf("PRAGMA application_id = %.0f", .ledger_id))
    DBI::dbExecute(con, sprintf("PRAGMA user_version = %d", .ledger_version))
  })
}

#' The journal in a file of its own. To change to it SQLite must be alone and does not wait.
#' @noRd
write_ahead <- function(con, pragma) {
  for (attempt in 1:100) {
    mode <- tryCatch(pragma("journal_mode = WAL"), error = identity)
    if (identical(mode, "wal")) return(invisible())
    Sys.sleep(0.05)
  }
  if (inherits(mode, "error")) stop(mode)
  stop("its journal cannot be written")
}

#' What f(con) makes, in one transaction; nothing of it where it ends otherwise than by a value.
#' @noRd
ledger_transaction <- function(con, f) {
  done <- FALSE
  on.exit(if (!done) try(DBI::dbExecute(con, "ROLLBACK"), silent = TRUE))
  ledger_execute(con, "BEGIN IMMEDIATE")
  value <- f(con)
  ledger_execute(con, "COMMIT")
  done <- TRUE
  value
}

#' Outside of a transaction BEGIN would do.
#' @noRd
check_transaction <- function(con) {
  inside <- tryCatch(
    {
      DBI::dbExecute(con, "BEGIN")
      DBI::dbExecute(con, "ROLLBACK")
      FALSE
    },
    error = function(e) TRUE
  )
  if (!inside) abort("ledger", "A charge must be made within ledger_transaction().")
}

ledger_execute <- function(con, sql, params = NULL) {
  with_ledger_errors(con, DBI::dbExecute(con, sql, params = params))
}

ledger_query <- function(con, sql, params = NULL) {
  with_ledger_errors(con, DBI::dbGetQuery(con, sql, params = params))
}

#' SQLite's errors by the name of the file.
#' @noRd
with_ledger_errors <- function(con, value) {
  tryCatch(value, error = function(e) abort_ledger(con@dbname, conditionMessage(e)))
}

#' Add a row, its fields bound as they are.
#' @noRd
ledger_insert <- function(con, table, row) {
  ledger_execute(con, sprintf(
    "INSERT INTO %s (%s) VALUES (%s)", table, paste(names(row), collapse = ", "),
    paste(rep("?", length(row)), collapse = ", ")
  ), unname(lapply(row, function(x) if (is.null(x)) NA else x)))
}

# ---- hashes ------------------------------------------------------------------------------

#' The hash of a row but for its hash: of all fields with their names and lengths, so that no two
#' rows have one text.
#' @noRd
row_hash <- function(row, with = "") {
  fields <- row[setdiff(names(row), "hash")]
  text <- vapply(fields, function(x) {
    if (is.null(x) || is.na(x)) "" else if (is.numeric(x)) sprintf("%.17g", x) else enc2utf8(x)
  }, "")
  text <- c(text, with = with)
  digest::digest(
    paste(names(text), nchar(text, "bytes"), text, collapse = "\n"),
    algo = "sha256", serialize = FALSE
  )
}

#' Whether every row is what was written: list(ok, row, why), `row` the number of the first that
#' is not (0: the budgets).
#' @noRd
ledger_verify <- function(con) {
  budgets <- ledger_query(con, "SELECT * FROM budget ORDER BY data_id")
  charges <- ledger_query(con, "SELECT * FROM charge ORDER BY number")
  wrong <- function(row, why) list(ok = FALSE, row = row, why = why)
  for (i in seq_len(nrow(budgets))) {
    if (row_hash(budgets[i, ]) != budgets$hash[i]) {
      return(wrong(0, sprintf('the budget of "%s" was changed', budgets$data_id[i])))
    }
  }
  previous <- ""
  for (i in seq_len(nrow(charges))) {
    if (charges$number[i] != i) return(wrong(i, sprintf("charge no. %d was taken out", i)))
    own <- budgets$hash[match(charges$data_id[i], budgets$data_id)]
    if (!identical(charges$previous[i], previous) ||
      !identical(row_hash(charges[i, ], with = own), charges$hash[i])) {
      return(wrong(i, sprintf("charge no. %d, or what came before it, was changed", i)))
    }
    previous <- charges$hash[i]
  }
  last <- ledger_query(con, "SELECT seq FROM sqlite_sequence WHERE name = 'charge'")$seq
  if (length(last) && last > nrow(charges)) {
    return(wrong(nrow(charges) + 1, "the last charges were taken out"))
  }
  list(ok = TRUE, row = NA_real_, why = NULL, last = previous)
}
