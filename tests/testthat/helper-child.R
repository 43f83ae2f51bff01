# Tests in processes of their own, with a time limit: what may wait for ever, and what forks. A
# process that has run many tests is large, which makes forks slow, and what other packages have in
# its memory may not bear to be finalized in a fork: nanonext's ends the process, and R its
# temporary files with it.

#' The value of `code` in a child process; objects by name in `...`.
#' @param helpers files of helpers that are known there.
#' @param inside whether what the package does not export is, too.
in_child <- function(code, ..., seconds = 300, fails = FALSE, helpers = "mirai", inside = FALSE) {
  files <- normalizePath(test_path(sprintf("helper-%s.R", helpers)))
  asked <- tempfile(fileext = ".rds")
  answer <- tempfile(fileext = ".rds")
  script <- tempfile(fileext = ".R")
  on.exit(unlink(c(asked, answer, script)))
  saveRDS(list(code = substitute(code), objects = list(...)), asked)
  writeLines(c(
    "files <- commandArgs(TRUE)", "asked <- readRDS(files[1])", "library(dpadmm)",
    if (inside) "attach(asNamespace('dpadmm'), warn.conflicts = FALSE)",
    sprintf("source(%s)", vapply(files, deparse, "")),
    "value <- eval(asked$code, list2env(asked$objects, parent = globalenv()))",
    "saveRDS(value, files[2])"
  ), script)
  old <- Sys.getenv("R_LIBS", NA)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit(if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old), add = TRUE)
  log <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(c(script, asked, answer))),
    stdout = TRUE, stderr = TRUE, timeout = seconds
  ))
  if (fails) return(file.exists(answer))
  if (!file.exists(answer)) {
    # 124: it was ended after `seconds`
    stop("the child failed, with status ", attr(log, "status"), ":\n", paste(log, collapse = "\n"))
  }
  readRDS(answer)
}
