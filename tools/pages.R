# Does the code on the vignettes' pages run, and can the pages be read? Rscript tools/pages.R
# <folder>: the folder of the vignettes, *.Rmd, of the pages built from them, *.html, and of their
# scripts, *.R. A script must be the code that a reader of the page sees, no more and no less, and
# run in a session of its own. A page must not fetch anything; where there is a Chromium it is
# opened without a network, and must be of a size that one reads. A verdict on a paper must stand
# on several settings. One check a row, no count.
folder <- normalizePath(commandArgs(TRUE)[1L])
pages <- sub("[.]Rmd$", "", list.files(folder, "[.]Rmd$"))

html_of <- function(page) {
  paste(readLines(file.path(folder, paste0(page, ".html")), warn = FALSE), collapse = "\n")
}

#' Lines of R code on a page; what R printed stands between them, behind "#>".
seen_on <- function(page) {
  html <- html_of(page)
  blocks <- regmatches(html, gregexpr('(?s)<pre class="sourceCode r">.*?</pre>', html, perl = TRUE))
  text <- gsub("<[^>]+>", "", unlist(blocks))
  for (sign in list(c("&lt;", "<"), c("&gt;", ">"), c("&quot;", "\""), c("&#39;", "'"),
    c("&amp;", "&"))) text <- gsub(sign[1L], sign[2L], text, fixed = TRUE)
  code_of(unlist(strsplit(text, "\n")))
}

#' Without empty lines and without the mark of a comment: it is what keeps code that is shown
#' and not run from running in the script.
code_of <- function(lines) {
  lines <- grep("^(#>|## ---|$)", trimws(lines, "right"), value = TRUE, invert = TRUE)
  sub("^#+ +", "", lines)
}

#' Lines of its script.
written_in <- function(page) {
  code_of(readLines(file.path(folder, paste0(page, ".R")), warn = FALSE))
}

#' What is wrong with a page; nothing, if all is well.
complaints <- function(page) {
  absent <- !file.exists(file.path(folder, paste0(page, c(".html", ".R"))))
  if (any(absent)) return(sprintf("there is no %s", c("page", "script")[absent]))
  seen <- seen_on(page)
  written <- written_in(page)
  if (!identical(seen, written)) {
    return(c(sprintf("only on the page: %s", setdiff(seen, written)),
      sprintf("only in the script: %s", setdiff(written, seen)), "page and script differ"))
  }
  work <- tempfile("page")
  dir.create(work)
  old <- setwd(work)
  on.exit(setwd(old))
  command <- c("--vanilla", shQuote(file.path(folder, paste0(page, ".R"))))
  said <- suppressWarnings(
    system2(file.path(R.home("bin"), "Rscript"), command, stdout = TRUE, stderr = TRUE)
  )
  if (is.null(attr(said, "status"))) character() else c(utils::tail(said, 5L), "it does not run")
}

#' What a page would fetch: scripts, styles, pictures, fonts. Links that a reader may follow are
#' none of that.
fetched_by <- function(page) {
  html <- html_of(page)
  html <- gsub("(?s)<(pre|code)\\b.*?</\\1>", "", html, perl = TRUE) # what it says about pages
  pattern <- paste0(
    "(?is)<(script|img|link|iframe|source|video|object)\\b[^>]*\\b(src|href|data)\\s*=\\s*",
    "[\"\']?(https?:)?//[^>]*>|@import[^;]*//[^;]*|url\\([\"\']?(https?:)?//[^)]*\\)"
  )
  regmatches(html, gregexpr(pattern, html, perl = TRUE))[[1L]]
}

# A reader's window, and what is too long for it: pixels.
window <- 1000
longest <- 8000
first_figure <- 1500 # of a page about an experiment

#' What a browser says of a page at that width: its height, where its first figure begins, how many
#' formulas it shows, and what is wider than its box. NA: it does not open it.
measure <- function(html, browser) {
  look <- "<script>window.addEventListener('load', function() {
    var figure = document.querySelector('img'), body = document.body;
    var wide = Array.from(document.querySelectorAll('pre, table, img, math')).filter(function(e) {
      return e.getBoundingClientRect().right > body.getBoundingClientRect().right + 2;
    });
    body.setAttribute('data-seen', [document.documentElement.scrollHeight,
      figure ? Math.round(figure.getBoundingClientRect().top) : -1,
      document.querySelectorAll('math').length,
      document.querySelectorAll('span.math').length,
      wide.length].join(' '));
  });</script>"
  copy <- tempfile("page", fileext = ".html")
  writeLines(c(html, look), copy)
  profile <- tempfile("profile")
  on.exit(unlink(c(copy, profile), recursive = TRUE))
  options <- c("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--host-resolver-rules=\"MAP * ~NOTFOUND\"", sprintf("--window-size=%d,1000", window),
    paste0("--user-data-dir=", profile), "--virtual-time-budget=10000", "--dump-dom")
  dom <- suppressWarnings(system2(browser, c(options, paste0("file://", copy)), stdout = TRUE,
    stderr = FALSE, timeout = 120))
  seen <- sub('.*data-seen="([^"]*)".*', "\\1", grep('data-seen="', dom, value = TRUE)[1L])
  names <- c("height", "figure", "math", "raw", "wide")
  stats::setNames(as.numeric(strsplit(seen, " ")[[1L]])[seq_along(names)], names)
}

unreadable <- function(page, browser) {
  fetched <- fetched_by(page)
  wrong <- sprintf("it fetches %s", substr(fetched, 1L, 100L))
  if (browser == "") return(wrong)
  seen <- measure(html_of(page), browser)
  if (anyNA(seen)) return(c(wrong, "the browser did not open it"))
  said <- c(
    sprintf("%g pixels high, not %g", seen["height"], longest),
    sprintf("its first figure begins at pixel %g, not %g", seen["figure"], first_figure),
    sprintf("%g formulas are not typeset", seen["raw"]),
    sprintf("%g boxes are wider than the text", seen["wide"])
  )
  late <- seen["figure"] > first_figure && any(grepl("stored_experiment", written_in(page)))
  c(wrong, said[c(seen["height"] > longest, late, seen["raw"] > 0, seen["wide"] > 0)])
}

#' Claims of a page about a paper whose verdict stands on less than four settings: they are in
#' brackets behind it, or have a column each.
unsettled <- function(page) {
  html <- html_of(page)
  cut <- function(text, pattern) regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1L]]
  found <- cut(html, '(?s)<div class="claims">.*?</div>')
  source <- readLines(file.path(folder, paste0(page, ".Rmd")), warn = FALSE)
  if (!any(grepl("claims_table(", source, fixed = TRUE))) return(character())
  rows <- cut(paste(found, collapse = "\n"), "(?s)<tr[^>]*>\\s*<td.*?</tr>")
  if (length(rows) == 0L) return("its claims are not found")
  few <- vapply(rows, function(row) {
    cells <- gsub("\\s+", " ", gsub("<[^>]+>", "", cut(row, "(?s)<td[^>]*>.*?</td>")))
    if (length(cells) > 3L) return(sum(grepl("^(yes|no|in part)\\b", cells[-(1:2)])) < 4L)
    strips <- length(cut(cells[3L], "(^|: )(yes|no|in part|depends) [(](?![0-9]+ of)"))
    between <- length(cut(cells[3L], ";"))
    strips == 0L || between < 4L * strips - 1L
  }, NA)
  sprintf("a verdict on few settings: %s", substr(gsub("<[^>]+>|\\s+", " ", rows[few]), 1L, 80L))
}

browser <- Sys.which(c("chromium", "chromium-browser", "google-chrome"))
browser <- c(browser[browser != ""], "")[[1L]]
empty <- "<!DOCTYPE html><html><body><p>nothing</p></body></html>"
if (browser != "" && anyNA(measure(empty, browser))) browser <- "" # it does not run here
titles <- c(code = "code of", looks = "looks of", verdicts = "verdicts of")
tests <- list(code = complaints, looks = function(page) unreadable(page, browser),
  verdicts = unsettled)
if (length(commandArgs(TRUE)) > 1L) tests <- tests[commandArgs(TRUE)[-1L]]
bad <- 0L
for (kind in names(tests)) {
  found <- parallel::mclapply(pages, tests[[kind]], mc.cores = 2L, mc.preschedule = FALSE)
  for (k in seq_along(pages)) {
    bad <- bad + (length(found[[k]]) > 0L)
    cat(sprintf("%-6s %s %s\n", if (length(found[[k]]) > 0L) "FAILED" else "ok", titles[kind],
      pages[k]))
    cat(sprintf("       %s\n", found[[k]]), sep = "")
  }
}
if (browser == "") cat("there is no Chromium that runs: pages were not opened\n")
quit(status = as.integer(length(pages) == 0L || bad > 0L))
