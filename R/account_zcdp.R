zcdp_handles <- function(kinds) rep(FALSE, nrow(kinds))
account_zcdp <- function(kinds, ledgers, delta) {
  abort("accountant", "The \"zcdp\" accountant cannot handle these events.")
}
