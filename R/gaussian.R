account_gaussian <- function(kinds, ledgers, delta) abort("accountant", "not yet")
