# The checks of tools/lint. The last line counts: one check a row.
source("tools/rooms.R")
source("tools/sizes.R")
source("tools/planted.R")

r_folders <- c("R", "tests", "bench", "inst", "tools", "data-raw", "vignettes")
c_folders <- c("src", "tests/core")
in_folder <- function(paths, folder) paths[startsWith(paths, paste0(folder, "/"))]

#' Complaints of lintr about R code; .lintr says what it looks for.
lint_r <- function(folders) {
  files <- list.files(folders, "[.](R|Rmd)$", recursive = TRUE, full.names = TRUE)
  files <- files[order(file.size(files))] # so that both processes get as much
  found <- parallel::mclapply(files, lintr::lint, mc.cores = 2L)
  unlist(Map(function(file, lints) {
    if (inherits(lints, "try-error")) return(sprintf("%s:1: %s", file, lints))
    vapply(lints, function(lint) sprintf("%s:%d: %s", file, lint$line_number, lint$message), "")
  }, files, found), use.names = FALSE)
}

#' Complaints of clang-format.
format_c <- function(folders) {
  files <- list.files(folders, "[.][ch]$", recursive = TRUE, full.names = TRUE)
  said <- suppressWarnings(
    system2("clang-format", c("--dry-run", "-Werror", shQuote(files)), stdout = TRUE, stderr = TRUE)
  )
  grep("^[^ ]+:[0-9]+:", said, value = TRUE)
}

checks <- c(list("planted faults are found" = check_planted()), check_rooms(), check_sizes())
skipped <- character()
#' Adds a check for each folder, or a skip where the tool is not to be had.
add <- function(tool, available, complaints, folders) {
  titles <- paste(tool, folders, sep = ", ")
  if (available) {
    found <- complaints(folders)
    checks[titles] <<- lapply(folders, in_folder, paths = found)
  } else {
    skipped[titles] <<- sprintf("there is no %s", tool)
  }
}
add("lintr", requireNamespace("lintr", quietly = TRUE), lint_r, r_folders)
add("clang-format", Sys.which("clang-format") != "", format_c, c_folders)

failed <- lengths(checks) > 0L
for (title in names(checks)) {
  cat(sprintf("%-6s %s\n", if (failed[[title]]) "FAILED" else "ok", title))
  cat(sprintf("       %s\n", checks[[title]]), sep = "")
}
cat(sprintf("SKIPPED %s: %s\n", names(skipped), skipped), sep = "")
cat(sprintf("%d passed, %d failed, %d skipped\n", sum(!failed), sum(failed), length(skipped)))
quit(status = as.integer(any(failed)))
