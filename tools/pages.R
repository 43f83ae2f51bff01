# Does the code on the vignettes' pages run? Rscript tools/pages.R <folder>: the folder of the
# vignettes, *.Rmd, of the pages built from them, *.html, and of their scripts, *.R. A script must
# be the code that a reader of the page sees, no more and no less, and run in a session of its own.
# One check a row, no count.
folder <- normalizePath(commandArgs(TRUE)[1L])
pages <- sub("[.]Rmd$", "", list.files(folder, "[.]Rmd$"))

#' Lines of R code on a page; what R printed stands between them, behind "#>".
seen_on <- function(page) {
  html <- paste(readLines(file.path(folder, paste0(page, ".html")), warn = FALSE), collapse = "\n")
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

found <- parallel::mclapply(pages, complaints, mc.cores = 2L, mc.preschedule = FALSE)
for (k in seq_along(pages)) {
  cat(sprintf("%-6s code of %s\n", if (length(found[[k]]) > 0L) "FAILED" else "ok", pages[k]))
  cat(sprintf("       %s\n", found[[k]]), sep = "")
}
quit(status = as.integer(length(pages) == 0L || any(lengths(found) > 0L)))
