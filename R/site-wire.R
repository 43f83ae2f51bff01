# What travels between the hub and its sites as text. Transports let few characters through
# (DataSHIELD: letters, digits and _.+-;:,$ in strings), and numbers must keep every digit: so
# everything is URL-safe base64 without padding, of little-endian doubles or of UTF-8.

#' @param bytes raw.
#' @noRd
to_wire <- function(bytes) core_call(.Call(ffi_wire_write, bytes))

#' @return raw, or NULL for what is no such text: one string, as to_wire() writes it.
#' @noRd
from_wire <- function(text) .Call(ffi_wire_read, text)

doubles_to_wire <- function(x) to_wire(writeBin(as.double(x), raw(), endian = "little"))

#' @param d how many there must be.
#' @return d doubles, or NULL.
#' @noRd
doubles_from_wire <- function(text, d) {
  bytes <- from_wire(text)
  if (!is.null(bytes) && length(bytes) == 8 * d) readBin(bytes, "double", d, endian = "little")
}

text_to_wire <- function(text) to_wire(charToRaw(enc2utf8(text)))

#' @return a string, or NULL.
#' @noRd
text_from_wire <- function(text) {
  bytes <- from_wire(text)
  if (is.null(bytes) || any(bytes == 0)) return(NULL)
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  if (validUTF8(text)) text
}

#' What tells one text, or one vector of numbers, from every other.
#' @noRd
digest_of <- function(x) {
  bytes <- if (is.character(x)) {
    charToRaw(enc2utf8(x))
  } else {
    writeBin(as.double(x), raw(), endian = "little")
  }
  digest::digest(bytes, algo = "sha256", serialize = FALSE)
}

#' Whether it is one string, of no other characters than transports let through.
#' @noRd
is_on_wire <- function(text) .Call(ffi_wire_is, text)
