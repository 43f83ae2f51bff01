# Where rows that are made block by block are put for the core: as terms, a column each, or where
# that takes more as a dense matrix or as sparse rows. Each is list(put(x, rows), end()): x are the
# entries of these rows, see row_entries(), or a matrix, and end() gives what the core is handed,
# list(x, layout).

#' The store for n rows of d columns, the first ones of which are these.
#' @param dense whether sums are those of dense rows.
#' @noRd
store_of_rows <- function(x, rows, n, d, dense) {
  if (is.matrix(x)) return(dense_store(n, d))
  if (fit_terms(x)) {
    trial <- terms_store(rows, d, x, total = n)
    trial$put(x, seq_len(rows))
    # of dense rows where it is a good deal less, for columns are passed over more slowly
    if (trial$bytes() <= if (dense) 0.8 * 8 * d else sparse_bytes(x, rows, d)) {
      return(terms_store(n, d, x, dense, listed = trial$listed()))
    }
  }
  if (dense) dense_store(n, d) else sparse_store(n, d)
}

dense_store <- function(n, d) {
  all <- matrix(0, d, n)
  list(
    put = function(x, rows) {
      all[, rows] <<- t(if (is.matrix(x)) x else dense_entries(x, length(rows)))
    },
    end = function() list(x = all, layout = "rows")
  )
}

# ---- sparse ------------------------------------------------------------------------------

#' Room is taken by the share of numbers in the first rows; the core does not mind if some is left.
#' Columns are numbered in two bytes each or, where there are more than `.narrow`, in four.
#' @noRd
sparse_store <- function(n, d) {
  start <- integer(n + 1L)
  used <- 0L
  value <- double()
  column <- raw()
  bytes <- if (d <= .narrow) 2 else 4
  grow <- function(room) {
    check_stored(room)
    length(value) <<- room
    length(column) <<- bytes * room
  }
  list(
    put = function(entries, rows) {
      x <- Matrix::t(bind_entries(entries, length(rows), d))
      count <- length(x@x)
      need <- used + count
      if (need > length(value)) {
        grow(max(need, ceiling(if (used > 0L) 1.2 * need else 1.05 * count / length(rows) * n)))
      }
      value[used + seq_len(count)] <<- x@x
      column[bytes * used + seq_len(bytes * count)] <<- writeBin(x@i, raw(), size = bytes)
      start[rows + 1L] <<- used + x@p[-1L]
      used <<- need
    },
    end = function() {
      list(x = list(p = start, i = column, x = value, Dim = as.integer(c(d, n))), layout = "rows")
    }
  )
}

check_stored <- function(count) {
  if (count > .Machine$integer.max) {
    abort("size", "There are more than 2^31 - 1 numbers in sparse rows.", argument = "data")
  }
}

#' What one of n rows takes there.
#' @noRd
sparse_bytes <- function(entries, n, d) {
  stored <- vapply(entries, function(entry) {
    if (is.null(entry$value)) n else sum(entry$value != 0)
  }, 0)
  4 + sum(stored) / n * (8 + if (d <= .narrow) 2 else 4)
}

# ---- terms -------------------------------------------------------------------------------

# As many as the core takes.
.most_terms <- 1024

fit_terms <- function(entries) {
  length(entries) <= .most_terms &&
    all(vapply(entries, `[[`, 0L, "features") <= .narrow)
}

#' Rows of which each term is a column: of codes for what it puts into a row (a level, one of few
#' numbers), or of numbers.
#' @param total the rows of all that the n are the first of.
#' @param listed which terms are columns of numbers from the start.
#' @noRd
terms_store <- function(n, d, entries, dense = FALSE, total = n, listed = FALSE) {
  terms <- Map(function(entry, listed) {
    if (is.null(entry$value)) return(indicator_column(n, entry$features))
    # a list of all values must be small next to the column
    if (!is.null(entry$code) && diff(entry$how$values) < total / 4) {
      return(bounded_column(n, entry$how))
    }
    number_column(n, entry$features, listed)
  }, entries, listed)
  list(
    put = function(entries, rows) {
      for (k in seq_along(terms)) terms[[k]]$put(entries[[k]], rows)
    },
    end = function() {
      columns <- Map(function(entry, term) c(entry[c("first", "features")], term$end()), entries,
        terms)
      list(x = list(terms = columns, Dim = as.integer(c(d, n)), full = if (dense) TRUE),
        layout = "terms")
    },
    bytes = function() sum(vapply(terms, function(term) term$bytes(), 0)),
    listed = function() vapply(terms, function(term) term$listed(), NA)
  )
}

#' Codes from 0 of n rows, the first ones of which are `known`: of one byte where there are up to
#' 256 of them, else of two.
#' @noRd
code_column <- function(n, codes, known = integer()) {
  bytes <- if (codes <= 256) 1 else 2
  as_bytes <- function(code) writeBin(as.integer(code), raw(), size = bytes)
  all <- raw(bytes * n)
  all[seq_len(bytes * length(known))] <- as_bytes(known)
  list(
    put = function(code, rows) {
      all[bytes * (rows[1L] - 1) + seq_len(bytes * length(rows))] <<- as_bytes(code)
    },
    get = function(count) readBin(all, "integer", count, size = bytes, signed = FALSE),
    end = function() all, bytes = bytes
  )
}

#' The column of a term that is 1 at one of its features.
#' @noRd
indicator_column <- function(n, features) {
  codes <- if (features > 1L) code_column(n, features)
  list(
    put = function(entry, rows) if (!is.null(codes)) codes$put(entry$place, rows),
    end = function() if (!is.null(codes)) list(code = codes$end()),
    bytes = function() if (is.null(codes)) 0 else codes$bytes, listed = function() FALSE
  )
}

#' The column of whole numbers that have codes.
#' @noRd
bounded_column <- function(n, how) {
  codes <- code_column(n, diff(how$values) + 1)
  list(
    put = function(entry, rows) codes$put(entry$code, rows),
    end = function() list(code = codes$end(), value = whole_values(how)),
    bytes = function() codes$bytes, listed = function() FALSE
  )
}

#' The column of a term with numbers: as codes, for as long as they are few. Where there are several
#' features, a number with its place is known as a complex one.
#' @noRd
number_column <- function(n, features, listed) {
  known <- number <- codes <- NULL
  seen <- 0
  list_numbers <- function(old) {
    number <<- double(n)
    number[seq_along(old)] <<- if (features > 1L) Im(old) else old
    codes <<- if (features > 1L) code_column(n, features, Re(old))
    known <<- NULL
  }
  learn <- function(new) {
    known <<- c(known, unique(new[is.na(match(new, known))]))
    count <- length(known)
    if (count > 256 && count > min((seen + length(new)) / 2, .narrow)) { # as many may come again
      list_numbers(known[codes$get(seen) + 1L])
    } else if (count > 256^codes$bytes) {
      codes <<- code_column(n, count, codes$get(seen))
    }
  }
  if (listed) list_numbers(numeric()) else codes <- code_column(n, 1)
  list(
    put = function(entry, rows) {
      if (is.null(number)) {
        value <- entry$value
        if (features > 1L) value <- complex(real = entry$place, imaginary = value)
        place <- match(value, known)
        if (anyNA(place)) {
          learn(value)
          place <- match(value, known)
        }
      }
      if (is.null(number)) {
        codes$put(place - 1L, rows)
      } else {
        number[rows] <<- entry$value
        if (features > 1L) codes$put(entry$place, rows)
      }
      seen <<- rows[length(rows)]
    },
    end = function() {
      code <- if (!is.null(codes)) codes$end()
      if (!is.null(number)) return(list(code = code, number = number))
      if (features == 1L) return(list(code = code, value = known))
      list(code = code, place = as.integer(Re(known)), value = Im(known))
    },
    bytes = function() (if (is.null(number)) 0 else 8) + (if (is.null(codes)) 0 else codes$bytes),
    listed = function() !is.null(number)
  )
}
