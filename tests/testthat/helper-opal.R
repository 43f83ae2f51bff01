# What Opal's parser takes of R (datashield4j's datashield-v2.jjt), without its operators, which a
# call of ours has no use for: names, numbers, strings of few characters, formulas of names, and
# calls of these. By recursive descent; an expression is list(kind, ...).

opal_parse <- function(text) {
  read <- new.env()
  read$rest <- text
  expression <- opal_expression(read)
  if (!is.null(opal_token(read, ";"))) NULL # Opal lets one stand at the end
  if (nzchar(trimws(read$rest))) stop("after the expression: ", substr(read$rest, 1L, 20L))
  expression
}

#' The next token if it is one of `pattern`, else `NULL`.
opal_token <- function(read, pattern) {
  read$rest <- sub("^[ \t\r\n]+", "", read$rest)
  found <- regexpr(paste0("^(?:", pattern, ")"), read$rest, perl = TRUE)
  if (found != 1L) return(NULL)
  length <- attr(found, "match.length")
  token <- substr(read$rest, 1L, length)
  read$rest <- substring(read$rest, length + 1L)
  token
}

opal_expression <- function(read) {
  string <- opal_token(read, "\"[A-Za-z0-9_.+;:,$-]+\"|'[A-Za-z0-9_.+;:,$-]+'")
  if (!is.null(string)) return(list("string", substr(string, 2L, nchar(string) - 1L)))
  number <- opal_token(read, "-?([0-9]+L?([.][0-9]+)?|[.][0-9]+)([eE][+-]?[0-9]+)?(?![A-Za-z_$])")
  if (!is.null(number)) return(list("number", number))
  name <- opal_name(read)
  if (!is.null(opal_token(read, "[(]"))) return(list("call", name, opal_arguments(read)))
  if (!is.null(opal_token(read, "~"))) return(list("formula", name, opal_terms(read)))
  list("name", name)
}

opal_name <- function(read) {
  name <- opal_token(read, "[A-Za-z][A-Za-z0-9_$.-]*")
  if (is.null(name)) stop("no expression: ", substr(read$rest, 1L, 20L))
  name
}

opal_arguments <- function(read) {
  arguments <- list()
  if (!is.null(opal_token(read, "[)]"))) return(arguments)
  repeat {
    arguments <- c(arguments, list(opal_expression(read)))
    if (!is.null(opal_token(read, "[)]"))) return(arguments)
    if (is.null(opal_token(read, ","))) stop("no comma: ", substr(read$rest, 1L, 20L))
  }
}

opal_terms <- function(read) {
  terms <- opal_name(read)
  while (!is.null(opal_token(read, "[+:*]"))) terms <- c(terms, opal_name(read))
  terms
}
