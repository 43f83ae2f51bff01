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
  need_package(.ledger_packages, "a ledger")
  path <- path.expand(check_string(path, "path", 4096L))
  refuse_inherited(path)
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

#' What f(con) makes, in one transaction; nothing of it where it ends otherwise than by a value. The
#' connection that f is handed says that it is in one.
#' @noRd
ledger_transaction <- function(con, f) {
  done <- FALSE
  on.exit(if (!done) try(DBI::dbExecute(con, "ROLLBACK"), silent = TRUE))
  ledger_execute(con, "BEGIN IMMEDIATE")
  value <- f(`attr<-`(con, "transaction", TRUE))
  ledger_execute(con, "COMMIT")
  done <- TRUE
  value
}

check_transaction <- function(con) {
  if (is.null(attr(con, "transaction"))) {
    abort("ledger", "A charge must be made within ledger_transaction().")
  }
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

#' The hashes of rows (a data frame, or a list for one) but for their column of hashes: of all
#' fields with their names and lengths, so that no two rows have one text.
#' @noRd
row_hash <- function(rows, with = "") {
  rows <- c(rows[setdiff(names(rows), "hash")], list(with = with))
  fields <- Map(function(name, x) {
    text <- if (is.numeric(x)) sprintf("%.17g", x) else enc2utf8(as.character(x))
    text[is.na(x)] <- ""
    paste(name, nchar(text, "bytes"), text)
  }, names(rows), rows)
  texts <- do.call(paste, c(unname(fields), sep = "\n"))
  digest::getVDigest("sha256")(texts, serialize = FALSE)
}

#' All budgets and charges, in order, and the highest number that a charge ever had.
#' @noRd
ledger_tables <- function(con) {
  # charges first: of a ledger that others charge meanwhile no charge is read without its budget
  rows <- ledger_query(con, "SELECT ever.seq, charge.* FROM
    (SELECT max(seq) AS seq FROM sqlite_sequence WHERE name = 'charge') AS ever
    LEFT JOIN charge ORDER BY number")
  charges <- rows[-1L]
  if (is.na(charges$number[1L])) charges <- charges[0L, ]
  list(budgets = ledger_query(con, "SELECT * FROM budget ORDER BY data_id"), charges = charges,
    ever = if (is.na(rows$seq[1L])) 0 else rows$seq[1L])
}

#' Whether every row is what was written: list(ok, row, why, last), `row` the number of the first
#' charge that is not (0: a budget), `last` the hash of the last charge.
#' @noRd
ledger_verify <- function(con, tables = ledger_tables(con)) {
  budgets <- tables$budgets
  charges <- tables$charges
  n <- nrow(charges)
  wrong <- function(row, why) list(ok = FALSE, row = row, why = why, last = NULL)
  if (nrow(budgets) && length(bad <- which(row_hash(budgets) != budgets$hash))) {
    return(wrong(0, sprintf('the budget of "%s" was changed', budgets$data_id[bad[1L]])))
  }
  if (n > 0L) {
    lost <- match(FALSE, charges$number == seq_len(n))
    if (!is.na(lost)) return(wrong(lost, sprintf("charge no. %d was taken out", lost)))
    own <- budgets$hash[match(charges$data_id, budgets$data_id)]
    good <- row_hash(charges, with = own) == charges$hash &
      charges$previous == c("", charges$hash[-n])
    changed <- match(FALSE, good %in% TRUE)
    if (!is.na(changed)) {
      return(wrong(changed, sprintf("charge no. %d, or the one before, was changed", changed)))
    }
  }
  if (tables$ever > n) return(wrong(n + 1, "the last charges were taken out"))
  list(ok = TRUE, row = NULL, why = NULL, last = if (n > 0L) charges$hash[n] else "")
}

#' The hash of the last charge of a ledger that nobody changed; else an error.
#' @noRd
last_hash <- function(con, tables) {
  chain <- ledger_verify(con, tables)
  if (chain$ok) return(chain$last)
  abort_ledger(con@dbname, paste0(chain$why, ", so nothing is charged to it"),
    argument = "ledger", value = chain$row
  )
}

.ledger_packages <- c("DBI", "RSQLite", "jsonlite", "digest")
