# Files of encoded records, as the core reads them: a page that says what it is, the rows, what
# belongs to each record, what is known of all (serialised), and where that begins, with a checksum
# of it. It is written from front to end, so a file that was cut short has no end.

.store_begin <- "dpadmm records 2\n"
.store_end <- "dpadmm records.\n"
.store_page <- 4096

#' What the operating system says, as an error.
#' @param needs how many bytes the file would have at least.
#' @noRd
file_call <- function(answer, path, what = "written", needs = NULL) {
  if (!is.character(answer)) return(core_call(answer))
  abort("file", sprintf('The file "%s" cannot be %s: %s.', path, what, answer),
    argument = "file", value = path, reason = answer, needs = needs
  )
}

#' A new file, only for its owner: list(write, pad = to whole doubles, skip = bytes that somebody
#' else writes, close, drop = close whatever became of it). `write(x, at)` answers at which byte x
#' is.
#' @param add a function of the number of bytes that have been written, for a progress bar.
#' @noRd
new_file <- function(path, add = function(bytes) NULL) {
  name <- path.expand(path)
  file <- file_call(.Call(ffi_file_create, name), path)
  end <- 0
  write <- function(x, at = NULL) {
    bytes <- length(x) * switch(typeof(x), double = 8, integer = 4, 1)
    answer <- .Call(ffi_file_write, file, x, if (is.null(at)) -1 else as.double(at))
    file_call(answer, path, needs = bytes + if (is.null(at)) end else at)
    add(bytes)
    if (!is.null(at)) return(at)
    end <<- end + bytes
    end - bytes
  }
  pad <- function() if (end %% 8 > 0) write(raw(8 - end %% 8))
  write(store_page())
  list(
    write = write, pad = pad, skip = function(bytes) end <<- end + bytes,
    close = function() file_call(.Call(ffi_file_close, file), path, needs = end),
    drop = function() .Call(ffi_file_close, file) # closed already or not, and full or not
  )
}

#' The first page: what this is, and how this machine writes numbers.
#' @noRd
store_page <- function() {
  page <- c(charToRaw(.store_begin), machine_bytes())
  c(page, raw(.store_page - length(page)))
}

#' Whether a file begins as one of records, of whatever version.
#' @noRd
is_store <- function(path) {
  words <- charToRaw(sub("[0-9]+\n$", "", .store_begin))
  begin <- tryCatch(readBin(path, "raw", length(words)), error = identity, warning = identity)
  identical(begin, words)
}

machine_bytes <- function() c(writeBin(c(pi, -1), raw()), writeBin(1L, raw()))

# ---- rows as they come -------------------------------------------------------------------

#' Rows are appended block by block; `blocks` says where each is.
#' @noRd
new_spool <- function(path, add) {
  file <- new_file(path, add)
  blocks <- list()
  n <- 0
  put <- function(x) {
    sparse <- methods::is(x, "dgCMatrix")
    x <- Matrix::t(x)
    block <- list(first = n + 1, rows = ncol(x), d = nrow(x), sparse = sparse)
    if (sparse) {
      block$counts <- diff(x@p)
      block$values <- file$write(x@x)
      block$columns <- file$write(x@i)
      file$pad()
    } else {
      block$values <- file$write(as.vector(x))
    }
    n <<- n + ncol(x)
    blocks <<- c(blocks, list(block))
  }
  list(path = path, file = file, put = put, blocks = function() blocks, rows = function() n)
}

#' The rows of a spool, a block at a time, each in its place, in another file.
#' @param place of each record; from 1.
#' @return list(n, d, stored, values, row, col): where they are.
#' @noRd
place_rows <- function(map, blocks, place, file) {
  n <- length(place)
  d <- blocks[[1L]]$d
  sparse <- blocks[[1L]]$sparse
  count <- if (sparse) unlist(lapply(blocks, `[[`, "counts"), use.names = FALSE)
  start <- if (sparse) c(0, cumsum(as.double(count[order(place)])))
  stored <- if (sparse) start[n + 1L] else as.double(n) * d
  check_stored(if (sparse) stored else 0)
  col <- .store_page + 8 * stored
  for (block in blocks) {
    rows <- seq(block$first, length.out = block$rows)
    size <- if (sparse) count[rows] else rep(d, block$rows)
    value <- read_map(map, "double", block$values, sum(size))
    column <- if (sparse) read_map(map, "integer", block$columns, sum(size))
    owner <- rep(seq_along(rows), size)
    for (run in place_runs(place[rows])) {
      own <- if (block$rows == length(run)) TRUE else owner %in% run
      to <- place[rows[run[1L]]]
      at <- if (sparse) start[to] else (to - 1) * d
      file$write(value[own], .store_page + 8 * at)
      if (sparse) file$write(column[own], col + 4 * at)
    }
  }
  file$skip(stored * if (sparse) 12 else 8)
  file$pad()
  list(
    n = as.double(n), d = as.double(d), stored = stored, values = .store_page,
    col = if (sparse) col, row = if (sparse) file$write(as.integer(start))
  )
}

#' Records, in their order, whose places follow each other.
#' @noRd
place_runs <- function(place) {
  if (all(diff(place) == 1L)) return(list(seq_along(place)))
  order <- order(place)
  unname(split(order, cumsum(c(1L, diff(place[order]) != 1L | diff(order) < 0L))))
}

# ---- the whole file ----------------------------------------------------------------------

#' Rows of a spool, numbers of the records and public facts become a file of records: the spool
#' itself where its rows are in their places, else one at `path`.
#' @param vectors named list of numbers, one each a record, in the order of the places.
#' @param place `NULL`: rows stay where they are.
#' @return the path of that file.
#' @noRd
finish_store <- function(path, spool, place, vectors, facts, add) {
  blocks <- spool$blocks()
  first <- blocks[[1L]]
  settled <- is.null(place) && !first$sparse
  n <- length(vectors[[1L]])
  if (settled) {
    file <- spool$file
    where <- list(n = as.double(n), d = as.double(first$d), stored = as.double(n) * first$d,
      values = .store_page)
  } else {
    spool$file$close()
    map <- map_file(spool$path, cache = TRUE)
    on.exit(.Call(ffi_file_unmap, map))
    file <- new_file(path, add)
    on.exit(file$drop(), add = TRUE, after = FALSE)
    where <- place_rows(map, blocks, if (is.null(place)) seq_len(n) else place, file)
  }
  at <- list()
  for (name in names(vectors)) {
    file$pad()
    at[[name]] <- list(at = file$write(vectors[[name]]), type = typeof(vectors[[name]]))
  }
  end_store(file, c(facts, list(where = where, vectors = at)))
  if (settled) spool$path else path
}

end_store <- function(file, facts) {
  file$pad()
  bytes <- serialize(facts, NULL)
  at <- file$write(bytes)
  file$write(c(writeBin(c(at, length(bytes)), raw()), checksum(bytes), charToRaw(.store_end)))
  file$close()
}

checksum <- function(bytes) core_call(.Call(ffi_words_check, bytes))

#' @param cache whether passes leave it to the system what of the file is in memory.
#' @noRd
map_file <- function(path, cache) {
  file_call(.Call(ffi_file_map, path.expand(path), cache), path, "read")
}

#' Whether the system can keep the whole file in memory between two passes.
#' @noRd
fits_in_memory <- function(bytes) !isTRUE(bytes > .Call(ffi_memory_size) / 2)

#' `count` numbers of a mapped file from byte `at` on.
#' @noRd
read_map <- function(map, type, at, count) {
  core_call(.Call(ffi_file_read, map, type, as.double(at), as.double(count)))
}

#' A file of records, mapped: list(path, map, size, facts, cache).
#' @noRd
open_store <- function(path, cache = NULL) {
  foreign <- function(why) {
    abort("parse", sprintf('"%s" is no file of records: %s.', path, why), argument = "file",
      value = path
    )
  }
  check_is_file(path, "file")
  path <- normalizePath(path) # wherever one is later
  size <- file.size(path)
  tail <- 24 + nchar(.store_end)
  if (size < .store_page + tail) foreign("it is too short")
  if (is.null(cache)) cache <- fits_in_memory(size)
  map <- map_file(path, cache)
  done <- FALSE
  on.exit(if (!done) .Call(ffi_file_unmap, map))
  read <- function(at, count) read_map(map, "raw", at, count)
  begin <- read(0, .store_page)
  if (!identical(begin[seq_len(nchar(.store_begin))], charToRaw(.store_begin))) {
    foreign(if (is_store(path)) "another version of the package wrote it"
      else "it begins with something else")
  }
  if (!identical(begin, store_page())) foreign("another kind of machine wrote it")
  end <- read(size - tail, tail)
  at <- readBin(end, "double", 2L)
  if (!identical(end[-(1:24)], charToRaw(.store_end)) || !all(is.finite(at)) ||
    at[1L] < .store_page || sum(at) + tail != size) {
    foreign("it was cut short, or something follows its end")
  }
  known <- read(at[1L], at[2L])
  if (!identical(checksum(known), end[17:24])) foreign("it is damaged")
  facts <- tryCatch(unserialize(known), error = function(e) foreign("it is damaged"))
  done <- TRUE
  list(path = path, map = map, size = size, facts = facts, cache = cache)
}

#' The system ends a process that reads a mapped file where it was cut off.
#' @noRd
check_not_cut <- function(store) {
  # a file that is gone is still mapped
  if (!isTRUE(file.size(store$path) < store$size)) return(store)
  abort("parse", sprintf('"%s" was cut short after it was opened.', store$path), argument = "file",
    value = store$path
  )
}

#' Numbers of the records, by name; `NULL`: they have none.
#' @noRd
store_vector <- function(store, name) {
  how <- store$facts$vectors[[name]]
  if (is.null(how)) return(NULL)
  read_map(store$map, how$type, how$at, store$facts$where$n)
}

# ---- rows for the core -------------------------------------------------------------------

#' @param order of the records, else they are as they lie. In another order they are copied to a
#'   file of their own, which is gone with the run.
#' @noRd
stored_rows <- function(store, order = NULL) {
  if (!is.null(order)) store <- told_of_copy(store, reordered_store(store, order))
  c(list(map = store$map), Filter(Negate(is.null), store$facts$where))
}

reordered_store <- function(store, order) {
  path <- tempfile("records-", dirname(store$path))
  on.exit(unlink(path, expand = FALSE))
  file <- new_file(path)
  on.exit(file$drop(), add = TRUE, after = FALSE)
  where <- place_rows(store$map, store_blocks(store), order(order), file)
  file$close()
  map <- map_file(path, store$cache)
  # where a mapped file cannot go yet
  reg.finalizer(map, function(e) unlink(path, expand = FALSE), onexit = TRUE)
  list(map = map, facts = list(where = where))
}

#' The file as blocks of a spool.
#' @noRd
store_blocks <- function(store) {
  where <- store$facts$where
  sparse <- !is.null(where$row)
  start <- if (sparse) read_map(store$map, "integer", where$row, where$n + 1)
  lapply(row_blocks(where$n, where$d), function(rows) {
    before <- rows[1L] - 1
    from <- if (sparse) start[rows[1L]] else before * where$d
    list(
      first = rows[1L], rows = length(rows), d = where$d, sparse = sparse,
      counts = if (sparse) diff(start[c(rows, rows[length(rows)] + 1L)]),
      values = where$values + 8 * from, columns = if (sparse) where$col + 4 * from
    )
  })
}

#' All rows in memory.
#' @noRd
read_rows <- function(store) {
  where <- store$facts$where
  read <- function(type, at, count) read_map(store$map, type, at, count)
  value <- read("double", where$values, where$stored)
  if (is.null(where$row)) return(t(matrix(value, where$d, where$n)))
  Matrix::t(methods::new("dgCMatrix",
    p = read("integer", where$row, where$n + 1), i = read("integer", where$col, where$stored),
    x = value, Dim = as.integer(c(where$d, where$n))
  ))
}
