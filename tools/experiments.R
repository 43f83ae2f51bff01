# Run one vignette's experiments, in inst/experiments: tools/experiments says how.
library(dpadmm)
name <- commandArgs(TRUE)[1L]
workers <- as.integer(commandArgs(TRUE)[2L])
again <- as.logical(commandArgs(TRUE)[3L])

#' The columns in which two results of the same runs differ, with how far, relative to the old.
differences <- function(new, old) {
  shared <- intersect(names(new), names(old))
  keys <- function(data) do.call(paste, data[seq_len(match("repetition", names(data)))])
  if (!setequal(keys(new), keys(old))) return("other runs")
  new <- new[order(keys(new)), shared]
  old <- old[order(keys(old)), shared]
  apart <- vapply(shared, function(column) {
    a <- new[[column]]
    b <- old[[column]]
    if (!is.numeric(a)) return(as.double(!identical(a, b)))
    if (!identical(is.na(a), is.na(b))) return(Inf)
    apart <- abs(a - b) / abs(b)
    max(0, apart[!(a == b) %in% c(TRUE, NA)], na.rm = TRUE)
  }, 0)
  apart <- apart[apart > 0]
  if (length(apart) == 0L) return("no difference")
  paste(sprintf("%s by up to %.2g", names(apart), apart), collapse = ", ")
}

for (part in rerun_experiment(name)$part) {
  file <- paste0(name, "-", part, ".csv")
  packed <- paste0(file, ".gz")
  if (!again && !file.exists(file) && file.exists(packed)) writeLines(readLines(packed), file)
  old <- if (file.exists(packed)) read_experiment(packed)
  cat(part, "\n", sep = "")
  start <- proc.time()[["elapsed"]]
  result <- rerun_experiment(name, part, workers = workers, file = file, progress = TRUE)
  lines <- readLines(file)
  if (is.null(old) || !identical(lines, readLines(packed))) {
    out <- gzfile(packed, "wb", compression = 9)
    writeLines(lines, out)
    close(out)
  }
  unlink(file)
  cat(sprintf("%s: %d rows, %.0f s; against what was stored: %s\n", packed, nrow(result),
    proc.time()[["elapsed"]] - start,
    if (is.null(old)) "nothing was" else differences(result, old)))
}
