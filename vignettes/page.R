# What all pages have in common, read by their first chunk: figures of one size and type size,
# numbered captions, and code that can be unfolded (`fold = TRUE`). None of it is needed to run
# a page's code.
knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", fig.width = 7, fig.height = 3.8, dpi = 76,
  dev.args = if (capabilities("cairo")) list(type = "cairo") else list()
)
local({
  figures <- 0
  source <- knitr::knit_hooks$get("source")
  knitr::knit_hooks$set(source = function(x, options) {
    out <- source(x, options)
    if (!isTRUE(options$fold)) return(out)
    title <- if (is.character(options$title)) options$title else "The code"
    paste0("\n\n<details><summary>", title, "</summary>\n\n", out, "\n\n</details>\n\n")
  })
  knitr::opts_hooks$set(
    fold = function(options) {
      if (isTRUE(options$fold) && options$results == "markup") options$results <- "hold"
      options
    },
    fig.cap = function(options) {
      if (is.null(options$fig.cap) || identical(options$eval, FALSE)) return(options)
      options$fig.cap <- eval(options$fig.cap, knitr::knit_global())
      number <- figures + seq_along(options$fig.cap)
      figures <<- max(number)
      if (is.null(options$fig.alt)) options$fig.alt <- options$fig.cap
      options$fig.cap <- sprintf("Figure %d. %s", number, options$fig.cap)
      options
    }
  )
})

# The last table of a page about a paper: claims, what was found, and the verdict, by the rule of
# vignette("verdicts"). Under a verdict stands a strip: the same claim under other settings, each
# a result of verdict() or a word, by name. A page with a verdict on fewer settings is not built.
least_settings <- 4 # one, and three others

in_words <- function(x) if (is.character(x)) x else format(x, counts = TRUE)

verdict_on <- function(settings) {
  stopifnot("a verdict wants a strip of three other settings" = length(settings) >= least_settings)
  bare <- lapply(settings, function(x) sub(" [(].*", "", in_words(x)))
  do.call(dpadmm::verdict_strip, bare)[["verdict"]]
}

in_strip <- function(settings) {
  together <- verdict_on(settings)
  # all of the cases and none of them go without a count, one word for all is said once
  shown <- sub("^(yes|no) .*", "\\1", vapply(settings, in_words, ""))
  if (together != "depends") shown <- sub("^[a-z ]+", "", shown)
  shown <- paste0(names(shown), ifelse(startsWith(shown, "(") | shown == "", " ", ": "), shown)
  paste0(together, " (", paste(trimws(shown), collapse = "; "), ")")
}

yes_no <- function(holds) if (holds) "yes" else "no"

by_share <- function(share) { # a word, and of how many cases
  if (all(share)) return("yes")
  if (!any(share)) return("no")
  sprintf("in part (%d of %d)", sum(share), length(share))
}

as_claim <- function(row) {
  structure(as.data.frame(row, check.names = FALSE), class = c("claim", "data.frame"))
}

# A row: `...` are strips, one or several, each with the name of what is measured; `says`: what
# is to be added to the verdict.
claim <- function(claim, found, ..., says = "") {
  strips <- vapply(list(...), in_strip, "")
  if (!is.null(names(strips))) strips <- paste(names(strips), strips, sep = ": ")
  holds <- paste0(paste(strips, collapse = "; "), says)
  as_claim(list(Claim = claim, Found = found, Holds = holds))
}

# The same with a column for each setting, in which stands what was found there.
claim_across <- function(claim, settings, found, says = "") {
  holds <- paste0(verdict_on(settings), says)
  cells <- as.list(paste(vapply(settings, in_words, ""), found, sep = ": "))
  row <- c(list(Claim = claim, Holds = holds), stats::setNames(cells, names(settings)))
  as_claim(row)
}

claims_table <- function(...) {
  rows <- list(...)
  stopifnot("rows are made by claim()" = vapply(rows, inherits, NA, "claim"))
  rows <- lapply(rows, function(row) structure(row, class = "data.frame"))
  knitr::kable(do.call(rbind, rows), row.names = FALSE)
}
