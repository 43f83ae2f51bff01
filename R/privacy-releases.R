# Tables of releases: data frames whose columns are known, so that little is checked.

#' Columns as a table of releases, the short ones repeated (data.frame() checks what is known
#' here, slowly).
#' @noRd
release_table <- function(columns, class, what) {
  size <- lengths(columns)
  rows <- max(size)
  if (any(wrong <- size == 0L | rows %% size != 0L)) {
    abort("shape", sprintf(
      "The numbers of an %s must have one length: not %s.", what,
      paste(unique(size), collapse = " and ")
    ), argument = names(columns)[wrong][1L])
  }
  columns$node <- as.integer(columns$node)
  as_releases(lapply(columns, rep_len, rows), class) # without names
}

as_releases <- function(columns, class) {
  attr(columns, "row.names") <- .set_row_names(length(columns[[1L]]))
  class(columns) <- c(class, "data.frame")
  columns
}

#' Rows of a table of releases (`[` of a data frame checks what is known here, slowly).
#' @noRd
pick_releases <- function(releases, rows) {
  own <- oldClass(releases)
  as_releases(lapply(unclass(releases), `[`, rows), own[-length(own)]) # the last is "data.frame"
}

#' The same releases as of these nodes (`$<-` is as slow).
#' @noRd
with_nodes <- function(releases, node) {
  own <- oldClass(releases)
  columns <- unclass(releases)
  columns$node <- node
  class(columns) <- own
  columns
}

#' Their columns as a list, but for those of these names.
#' @noRd
columns_but <- function(releases, names) {
  columns <- unclass(releases)
  columns[is.na(match(names(columns), names))]
}
