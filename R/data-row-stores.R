# Where rows that are made block by block are put for the core: as a dense matrix, as terms, or as
# sparse rows. Each is list(put(x, rows), end()): x are the model's rows of these numbers, and end()
# gives what the core is handed, list(x, layout).

#' The store for n rows that begin with `x`, which are put into it.
#' @param assign which term each column belongs to.
#' @noRd
store_of_rows <- function(x, rows, n, assign) {
  store <- if (is.matrix(x)) dense_store(n) else terms_store(n, assign)
  store$put(x, rows)
  if (is.matrix(x) || store$bytes() <= sparse_bytes(x)) return(store)
  store <- sparse_store(n)
  store$put(x, rows)
  store
}

dense_store <- function(n) {
  all <- NULL
  list(
    put = function(x, rows) {
      if (is.null(all)) all <<- matrix(0, ncol(x), n)
      all[, rows] <<- t(x)
    },
    end = function() list(x = all, layout = "rows")
  )
}

# ---- sparse ------------------------------------------------------------------------------

#' Room is taken by the share of numbers in the first rows; the core does not mind if some is left.
#' Columns are numbered in two bytes each or, where there are more than `.narrow`, in four.
#' @noRd
sparse_store <- function(n) {
  start <- integer(n + 1L)
  used <- d <- 0L
  value <- column <- NULL
  bytes <- 4
  grow <- function(room) {
    check_stored(room)
    length(value) <<- room
    length(column) <<- bytes * room
  }
  list(
    put = function(x, rows) {
      x <- Matrix::t(x)
      count <- length(x@x)
      need <- used + count
      if (is.null(value)) {
        d <<- nrow(x)
        if (d <= .narrow) bytes <<- 2
        value <<- double()
        column <<- raw()
        grow(max(need, ceiling(1.05 * count / length(rows) * n)))
      } else if (need > length(value)) {
        grow(ceiling(1.2 * need))
      }
      value[used + seq_len(count)] <<- x@x
      column[bytes * used + seq_len(bytes * count)] <<- writeBin(x@i, raw(), size = bytes)
      start[rows + 1L] <<- used + x@p[-1L]
      used <<- need
    },
    end = function() {
      list(x = list(p = start, i = column, x = value, Dim = c(d, as.integer(n))), layout = "rows")
    }
  )
}
.narrow <- 65536

check_stored <- function(count) {
  if (count > .Machine$integer.max) {
    abort("size", "There are more than 2^31 - 1 numbers in sparse rows.", argument = "data")
  }
}

#' What a row takes there.
#' @noRd
sparse_bytes <- function(x) {
  4 + length(x@x) / nrow(x) * (8 + if (ncol(x) <= .narrow) 2 else 4)
}

# ---- terms -------------------------------------------------------------------------------

# As many as the core takes.
.most_terms <- 1024

#' Rows of which each term of the formula is a column: of codes for what it puts into a row (a level,
#' one of few numbers), or of numbers.
#' @noRd
terms_store <- function(n, assign) {
  own <- rle(assign)$lengths
  last <- cumsum(own)
  fits <- length(own) <= .most_terms && all(own <= .narrow)
  terms <- if (fits) Map(term_column, n, last - own, last - 1)
  list(
    put = function(x, rows) for (term in terms) term$put(x, rows),
    end = function() {
      list(x = list(terms = lapply(terms, function(term) term$end()),
        Dim = as.integer(c(length(assign), n))), layout = "terms")
    },
    bytes = function() if (fits) sum(vapply(terms, function(term) term$bytes(), 0)) else Inf
  )
}

#' The column of a term whose features are first, ..., last, from 0. Pairs of a feature and a value
#' are complex numbers; those of levels are known from the start.
#' @noRd
term_column <- function(n, first, last) {
  features <- first:last
  several <- last > first
  known <- if (several) complex(real = features, imaginary = 1)
  code <- number <- NULL # code: places in `known`, or in `features` where there are numbers
  width <- 1 # bytes of a code
  seen <- 0
  coded <- function(place) writeBin(as.integer(place - 1), raw(), size = width)
  places <- function() {
    if (is.null(code)) return(rep(1L, seen))
    readBin(code, "integer", seen, size = width, signed = FALSE) + 1L
  }
  list_codes <- function(place, entries) {
    width <<- if (entries <= 256) 1 else 2
    code <<- raw(width * n)
    code[seq_len(width * seen)] <<- coded(place)
  }
  list_numbers <- function() {
    pair <- known[places()]
    number <<- double(n)
    number[seq_len(seen)] <<- Im(pair)
    known <<- code <<- NULL
    if (several) list_codes(Re(pair) - first + 1, length(features))
  }
  learn <- function(pair) {
    known <<- c(known, unique(pair[is.na(match(pair, known))]))
    count <- length(known)
    # of others than levels as many again may be to come
    many <- max((seen + length(pair)) / 2, length(features) + 1)
    if (count > 256 && count > min(many, .narrow)) {
      list_numbers()
    } else if (count > 256^width || (count > 1L && is.null(code))) {
      list_codes(places(), count)
    }
  }
  if (several) list_codes(integer(), length(features))
  list(
    put = function(x, rows) {
      start <- x@p[first + seq_len(length(features) + 1L)]
      at <- start[1L] + seq_len(start[length(start)] - start[1L])
      row <- x@i[at] + 1L
      value <- numeric(length(rows))
      feature <- rep(first, length(rows))
      value[row] <- x@x[at]
      feature[row] <- rep(features, diff(start))
      stopifnot(sum(value != 0) == length(at)) # one number a row
      pair <- if (is.null(number)) complex(real = feature, imaginary = value)
      if (is.null(number) && anyNA(match(pair, known))) learn(pair)
      if (!is.null(number)) number[rows] <<- value
      if (!is.null(code)) {
        place <- if (is.null(number)) match(pair, known) else feature - first + 1
        code[width * (rows[1L] - 1) + seq_len(width * length(rows))] <<- coded(place)
      }
      seen <<- rows[length(rows)]
    },
    end = function() {
      term <- list(first = first, features = length(features), code = code, number = number)
      indicators <- is.null(number) && all(Im(known) == 1) && length(known) == length(features)
      if (is.null(number) && !indicators) {
        if (several) term$feature <- as.integer(Re(known))
        term$value <- Im(known)
      }
      term
    },
    bytes = function() (if (is.null(number)) 0 else 8) + (if (is.null(code)) 0 else width)
  )
}
