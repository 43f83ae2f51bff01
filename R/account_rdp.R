rdp_handles <- function(kinds) rep(FALSE, nrow(kinds))
account_rdp <- function(kinds, ledgers, delta) {
  abort("accountant", "The \"rdp\" accountant cannot handle these events.")
}
