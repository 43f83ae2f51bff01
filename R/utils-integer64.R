# Columns of class integer64 (package bit64), whose 64 bits R reads as those of a double.

#' A data frame with numbers instead.
#' @noRd
plain_columns <- function(data) {
  for (name in names(data)[vapply(data, inherits, NA, "integer64")]) {
    data[[name]] <- plain_numbers(data[[name]], name)
  }
  data
}

#' Doubles: exact up to 2^53. Anything else is left as it is, but for what only claims the class.
#' @noRd
plain_numbers <- function(x, name) {
  if (!inherits(x, "integer64")) return(x)
  if (typeof(x) != "double") {
    abort("argument", sprintf("`%s` is of class integer64, and its values are of type %s.", name,
      typeof(x)), argument = name)
  }
  bytes <- writeBin(as.vector(unclass(x)), raw(), endian = "little")
  halves <- matrix(readBin(bytes, "integer", 2L * length(x), endian = "little"), 2L)
  # NA is the smallest number, whose upper half R reads as NA too; in a lower half it is 2^31
  low <- ifelse(is.na(halves[1L, ]), 2^31, halves[1L, ])
  low <- ifelse(low < 0, low + 2^32, low)
  structure(halves[2L, ] * 2^32 + low, dim = dim(x), dimnames = dimnames(x))
}
