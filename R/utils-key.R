# Keys of the random streams.

#' The key of a fit's random streams: raw(32), fresh from the operating system when `seed` is
#' NULL, else made from the seed.
#' @noRd
noise_key <- function(seed = NULL) core_call(.Call(ffi_key, check_seed(seed)))

#' Overwrite a key where it lies, for whoever holds it: R would leave it in memory until that is
#' used for something else.
#' @noRd
forget_key <- function(key) invisible(core_call(.Call(ffi_key_forget, key)))

check_seed <- function(seed) {
  if (is.null(seed)) return(NULL)
  check_number(seed, "seed", lower = 0, upper = 2^53, open_upper = TRUE, whole = TRUE)
}

#' A name for a run that no other has and nobody can guess, of 32 hexadecimal digits. It is not of
#' a key that makes noise.
#' @noRd
new_run <- function() {
  key <- noise_key()
  on.exit(forget_key(key))
  paste(format(key[1:16]), collapse = "")
}
