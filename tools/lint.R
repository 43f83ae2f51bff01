# The checks of tools/lint. The last line counts: one check a row.
source("tools/rooms.R")
source("tools/sizes.R")

#' Complaints of lintr (.lintr says which it looks for) about the R code of a folder.
lint_folder <- function(folder) {
  files <- list.files(folder, "[.](R|Rmd)$", recursive = TRUE, full.names = TRUE)
  found <- parallel::mclapply(files, lintr::lint, mc.cores = 2L, mc.preschedule = FALSE)
  unlist(Map(function(file, lints) {
    if (inherits(lints, "try-error")) return(paste0(file, ": ", lints))
    vapply(lints, function(lint) sprintf("%s:%d: %s", file, lint$line_number, lint$message), "")
  }, files, found), use.names = FALSE)
}

#' Files that clang-format would change.
format_folder <- function(folder) {
  files <- list.files(folder, "[.][ch]$", recursive = TRUE, full.names = TRUE)
  changed <- vapply(files, function(file) {
    kept <- readLines(file, warn = FALSE)
    !identical(kept, system2("clang-format", shQuote(file), stdout = TRUE))
  }, NA)
  sprintf("%s: clang-format would change it (tools/format does)", files[changed])
}

has_lintr <- requireNamespace("lintr", quietly = TRUE)
has_clang_format <- Sys.which("clang-format") != ""
checks <- c(check_rooms(), check_sizes())
skipped <- character()
for (folder in c("R", "tests", "bench", "inst", "tools", "data-raw", "vignettes")) {
  title <- paste("lintr,", folder)
  if (has_lintr) checks[[title]] <- lint_folder(folder) else skipped[title] <- "no lintr"
}
for (folder in c("src", "tests/core")) {
  title <- paste("clang-format,", folder)
  if (has_clang_format) {
    checks[[title]] <- format_folder(folder)
  } else {
    skipped[title] <- "no clang-format"
  }
}

failed <- lengths(checks) > 0L
for (title in names(checks)) {
  cat(sprintf("%-6s %s\n", if (failed[[title]]) "FAILED" else "ok", title))
  cat(sprintf("       %s\n", checks[[title]]), sep = "")
}
cat(sprintf("SKIPPED %s: %s\n", names(skipped), skipped), sep = "")
cat(sprintf("%d passed, %d failed, %d skipped\n", sum(!failed), sum(failed), length(skipped)))
quit(status = as.integer(any(failed)))
