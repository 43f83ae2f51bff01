# Rows as text. The text of a setting is its key, from which its seeds are made, and a number
# must read back as the same number: write.csv() keeps 15 digits.

#' Numbers as text that reads back as the same number, in as few digits as that takes.
#' @noRd
number_text <- function(x) {
  out <- sprintf("%.15g", x)
  longer <- is.finite(x) & suppressWarnings(as.numeric(out)) != x
  out[longer] <- sprintf("%.17g", x[longer])
  out
}

#' Rows as lines of comma separated values.
#' @noRd
csv_lines <- function(data) {
  columns <- lapply(unname(as.list(data)), function(v) {
    if (is.factor(v)) v <- as.character(v)
    if (is.numeric(v)) return(number_text(v))
    if (is.logical(v)) return(ifelse(is.na(v), "NA", as.character(v)))
    ifelse(is.na(v), "NA", paste0('"', gsub('"', '""', enc2utf8(v), fixed = TRUE), '"'))
  })
  do.call(paste, c(columns, sep = ","))
}

#' The first `count` fields of each line, as they stand there.
#' @noRd
csv_start <- function(lines, count) {
  field <- '("([^"]|"")*"|[^",]*)'
  at <- regexpr(sprintf("^%s(,%s){%d}", field, field, count - 1L), lines)
  ifelse(at < 0L, NA, substr(lines, 1L, attr(at, "match.length")))
}
