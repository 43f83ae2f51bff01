# Sites that other processes ask: a request names the site that this process holds for it.

.registered_sites <- new.env(parent = emptyenv())

#' The site of a key that nobody can guess, made when it is asked for first.
#' @param build function(): the site, or `NULL` where there is nothing to make it of.
#' @noRd
registered_site <- function(key, build) {
  if (is.null(.registered_sites[[key]])) assign(key, build(), envir = .registered_sites)
  .registered_sites[[key]]
}
