# Examples and lists for the tests that every accountant must pass.

# One of each mechanism, noise `size` times its sensitivity: the examples of the mechanisms'
# own table, so that a new mechanism is under test without a change here.
examples <- function(size, count = 1, node = NA) {
  all <- unlist(lapply(.mechanisms, function(m) m$examples(size)), recursive = FALSE)
  lapply(all, function(e) {
    e$count <- count
    e$node <- as.integer(node)
    e
  })
}

# Those an accountant handles, at a delta; "best" handles what anybody does.
handled <- function(accountant, size, ..., delta = 1e-5) {
  asked <- if (accountant == "best") .accountants else .accountants[accountant]
  asked <- Filter(function(a) delta > 0 || !a$needs_delta, asked)
  Filter(function(e) any(vapply(asked, function(a) all(a$handles(e)), NA)), examples(size, ...))
}

# The accountants that prove something: "paper" has tests of its own.
provers <- function() setdiff(accountant_names(), "paper")

# How far an accountant may be from monotone: by the width of a grid, where it has one.
grain <- function(accountant) if (accountant %in% c("best", "pld")) 3e-3 else 1e-6

# how often what one ledger costs is worked out while `make` makes it
looks_of <- function(make) {
  looks <- 0L
  ledger <- pld_ledger
  local_binding("pld_ledger", function(...) {
    looks <<- looks + 1L
    ledger(...)
  })
  compose <- compose_ledgers
  local_binding("compose_ledgers", function(loss, ledgers, delta) {
    looks <<- looks + length(ledgers)
    compose(loss, ledgers, delta)
  })
  make()
  looks
}
