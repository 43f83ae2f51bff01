# Networks by name: those whose size is the fit's.

#' A network, or one by its name.
#' @noRd
check_network <- function(network) {
  if (inherits(network, "dpadmm_network")) return(network)
  made <- list(complete = network_complete, ring = network_ring, star = network_star)
  if (is.character(network)) return(made[[check_choice(network, names(made), "network")]]())
  abort("argument", sprintf(
    "`network` must be a name (%s) or made by network_random() and the like, not %s.",
    paste0('"', names(made), '"', collapse = ", "), kind_of(network)
  ), argument = "network")
}
