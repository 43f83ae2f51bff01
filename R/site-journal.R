# What a run over sites has heard, round by round, on disk: released messages and nothing else, so
# that a run can go on after the hub was killed. One header, then one record a message; what was
# being written when the hub died is cut off.

#' @param path of the file; `NULL`: none.
#' @param header list(recipe, run, ...), of a new run; `NULL`: the file is read.
#' @return list(path, header, replay(round, party), has(round, parties), write(round, party,
#'   message), flush, close, advice).
#' @noRd
new_journal <- function(path, header = NULL) {
  heard <- list()
  if (is.null(path)) {
    nothing <- function(...) NULL
    return(list(replay = nothing, has = function(...) FALSE, write = nothing, flush = nothing,
      close = nothing, advice = function() ""))
  }
  if (is.null(header)) {
    read <- read_journal(path)
    header <- read$header
    for (one in read$records) heard[[paste(one$round, one$party)]] <- one
    con <- rewrite_journal(path, header, read$records)
  } else {
    con <- rewrite_journal(path, header, list())
  }
  list(
    path = path, header = header,
    replay = function(round, party) heard[[paste(round, party)]],
    has = function(round, parties) all(paste(round, seq_len(parties)) %in% names(heard)),
    write = function(round, party, message) {
      if (!is.null(heard[[paste(round, party)]])) return(invisible())
      serialize(c(list(round = round, party = party), message), con)
    },
    flush = function() flush(con), close = function() close(con),
    advice = function() sprintf(" dpadmm_resume(\"%s\", sites) goes on from here.", path)
  )
}

#' The records that are whole.
#' @noRd
read_journal <- function(path) {
  wrong <- function(...) {
    abort("parse", sprintf("%s holds no run of dpadmm.", path), argument = "path", place = path)
  }
  if (!file.exists(path)) wrong()
  con <- file(path, "rb")
  on.exit(close(con))
  next_one <- function() tryCatch(unserialize(con), error = function(e) NULL)
  header <- next_one()
  if (!is.list(header) || !identical(header$what, "dpadmm run")) wrong()
  records <- list()
  while (!is.null(one <- next_one())) records[[length(records) + 1L]] <- one
  list(header = header, records = records)
}

rewrite_journal <- function(path, header, records) {
  fresh <- paste0(path, ".new")
  con <- file(fresh, "wb")
  for (one in c(list(header), records)) serialize(one, con)
  close(con)
  if (!file.rename(fresh, path)) {
    abort("argument", sprintf("%s cannot be written.", path), argument = "save")
  }
  file(path, "ab")
}
