pld_handles <- function(kinds) rep(FALSE, nrow(kinds))
account_pld <- function(kinds, ledgers, delta) {
  abort("accountant", "The \"pld\" accountant cannot handle these events.")
}
