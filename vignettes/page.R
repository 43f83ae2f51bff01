# What all pages have in common, read by their first chunk: figures of one size and type size,
# numbered captions, and code that can be unfolded (`fold = TRUE`). None of it is needed to run
# a page's code.
knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", fig.width = 7, fig.height = 3.8, dpi = 90,
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
