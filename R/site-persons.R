# Whose the records of a site are. A policy may protect persons, of whom so many records count:
# which ones is decided for each person from that person's own rows, so that one who is replaced
# by another changes no more rows than these. Whatever the ids are, there is no error.

#' How many records of a person are protected together: 1 without persons.
#' @noRd
persons_of <- function(policy, n) min(policy$per_person, n)

#' A site's records as its policy says: columns, which of them count, and how many are told of, of
#' which some may be nobody's.
#' @return list(data, counted, n).
#' @noRd
site_table <- function(data, policy) {
  if (inherits(data, "dpadmm_records")) return(list(data = data, counted = NULL, n = nrow(data)))
  rows <- nrow(data)
  n <- if (is.null(policy$records)) rows else as.integer(policy$records)
  if (rows > n) {
    abort("policy", "There are more records than the policy says.", argument = "Records")
  }
  columns <- site_columns(data, policy$schema)
  counted <- counted_records(data, policy)
  if (n > rows) {
    columns <- columns[seq_len(n), , drop = FALSE]
    counted <- c(if (is.null(counted)) rep(TRUE, rows) else counted, rep(FALSE, n - rows))
  }
  list(data = columns, counted = counted, n = n)
}

#' Which records count: the first ones of each person, in the order of the source, and none whose
#' person is not known, who might have the others, too. `NULL`: all of them.
#' @noRd
counted_records <- function(data, policy) {
  if (is.null(policy$person)) return(NULL)
  id <- person_ids(data[[policy$person]], nrow(data))
  code <- match(id, unique(id))
  turn <- integer(length(id))
  turn[order(code)] <- sequence(tabulate(code))
  turn <= policy$per_person & !is.na(id)
}

#' Ids as text, which is the same for the same id and for no other; NA: nobody's.
#' @noRd
person_ids <- function(x, n) {
  if (inherits(x, "integer64")) {
    bytes <- writeBin(as.vector(unclass(x)), raw(), endian = "little")
    halves <- matrix(readBin(bytes, "integer", 2L * length(x), endian = "little"), 2L)
    id <- paste(halves[1L, ], halves[2L, ])
    id[id == "0 NA"] <- NA # the smallest number stands for NA
  } else if (is.double(x)) {
    id <- sprintf("%a", as.vector(unclass(x)) + 0)
    id[!is.finite(x)] <- NA
  } else {
    id <- trimws(utf8_text(as.character(x)))
    id[!nzchar(id)] <- NA
  }
  if (length(id) == n) id else rep(NA_character_, n)
}
