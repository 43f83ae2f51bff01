# What accountants, or the core, are asked while `make` makes it: a row a call.
asked_for <- function(make) {
  asked <- NULL
  ask <- function(kinds, who) {
    asked <<- rbind(asked, data.frame(rows = nrow(kinds), accountant = who))
  }
  whole <- spend
  local_binding("spend", function(statement, accountant, ...) {
    ask(statement$books$kinds, accountant)
    whole(statement, accountant, ...)
  })
  core <- units_in_core
  local_binding("units_in_core", function(releases, ...) {
    found <- core(releases, ...)
    if (!is.null(found)) ask(releases, "core")
    found
  })
  make()
  asked
}
