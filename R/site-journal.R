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
    file <- rewrite_journal(path, header, read$records)
  } else {
    file <- rewrite_journal(path, header, list())
  }
  advice <- sprintf(" dpadmm_resume(\"%s\", sites) goes on from here.", path)
  list(
    path = path, header = header,
    replay = function(round, party) heard[[paste(round, party)]],
    has = function(round, parties) all(paste(round, seq_len(parties)) %in% names(heard)),
    write = function(round, party, message) {
      if (!is.null(heard[[paste(round, party)]])) return(invisible())
      file$write(c(list(round = round, party = party), message))
    },
    flush = function() file$flush(advice), close = function() file$close(),
    advice = function() advice
  )
}

#' The records that are whole.
#' @noRd
read_journal <- function(path) {
  wrong <- function(...) {
    abort("parse", sprintf("%s holds no run of dpadmm.", path), argument = "path", place = path)
  }
  if (!file.exists(path) || dir.exists(path)) wrong()
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
  unlink(fresh) # of a hub that was killed here
  file <- journal_file(fresh, path)
  for (one in c(list(header), records)) file$write(one)
  tryCatch(file$flush(), error = function(e) {
    unlink(fresh)
    stop(e)
  }, finally = file$close())
  if (!file.rename(fresh, path)) abort_unwritten(path)
  journal_file(path)
}

#' A file that is appended to. R does not say whether a disk took what it was given: its size does.
#' @noRd
journal_file <- function(path, name = path) {
  con <- tryCatch(suppressWarnings(file(path, "ab")), error = function(e) abort_unwritten(name))
  size <- file.size(path)
  list(
    write = function(one) {
      bytes <- serialize(one, NULL)
      size <<- size + length(bytes)
      writeBin(bytes, con)
    },
    flush = function(advice = "") {
      flush(con)
      if (!isTRUE(file.size(path) >= size)) abort_unwritten(name, advice)
    },
    close = function() suppressWarnings(close(con)) # flush() has said what is wrong
  )
}

abort_unwritten <- function(path, advice = "") {
  abort("file", sprintf(
    "The file %s of `save` cannot be written: is there no room, or no such directory?%s",
    path, advice
  ), argument = "save", value = path)
}
