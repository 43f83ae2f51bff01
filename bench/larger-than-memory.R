# Fits of a file of records: how much of it is in memory, and how long a pass takes next to reading
# the file from the disk, by one stream or four, whichever is faster.
# Run: Rscript bench/larger-than-memory.R [gigabytes] [directory] [rounds] [cache]
#
# Gradients of one holder's records (grad_admm()), and the default method over five holders; at last
# memory alone, with a quarter of the records, where rows are put in another order: of holders that
# a column mixes, once, and of a number of nodes, for each fit. All is measured in one run. Time is
# per byte that a pass goes over, whether it was read or not. A pass reads past the system's cache,
# as it does by itself where the file is larger than half of the memory, or with "cache" through it.
# The cache would hold a file that is smaller than memory, so its pages are dropped (by dd's flag
# nocache, this file's only) before each reading, and during a fit twice a second: every pass reads
# from the disk. How much it read is the system's own count, /proc/self/io. Memory is what is
# resident, VmHWM, from before a fit on. Linux only.

suppressMessages(library(dpadmm))
source("bench/helpers.R")
args <- commandArgs(TRUE)
gigabytes <- if (length(args)) as.numeric(args[1L]) else 1
directory <- if (length(args) > 1L) args[2L] else tempdir()
d <- 99L # and the intercept
rounds <- if (length(args) > 2L) as.integer(args[3L]) else 3L
cache <- length(args) > 3L && args[4L] == "cache"
n <- round(gigabytes * 1e9 / (8 * (d + 1)))

peak_of <- function(expression) {
  forget_peak()
  time <- system.time(expression)
  list(peak = resident("VmHWM"), seconds = time[["elapsed"]], cpu = sum(time[1:2]))
}
read_bytes <- function() {
  line <- grep("^read_bytes", readLines("/proc/self/io"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}
drop <- function() {
  sprintf("dd of=%s oflag=nocache conv=notrunc,fdatasync count=0 status=none", file)
}
drop_cache <- function() system(drop())
#' Until the file `going` is removed.
dropping <- function(going) {
  file.create(going)
  system(sprintf("while [ -e %s ]; do %s; sleep 0.5; done", going, drop()), wait = FALSE)
}
say <- function(...) cat(sprintf(...), "\n", sep = "")

names <- paste0("v", seq_len(d))
schema <- do.call(dpadmm_schema, stats::setNames(rep(list(c(0, 1)), d), names))
done <- 0
source <- function(reset) {
  if (reset) return(done <<- 0)
  if (done >= n) return(NULL)
  size <- min(20000, n - done)
  done <<- done + size
  data <- as.data.frame(matrix(stats::runif(size * d), size, dimnames = list(NULL, names)))
  data$y <- ifelse(data$v1 + stats::rnorm(size) > 0.5, 1, -1)
  data$holder <- ceiling(5 * (done - size + seq_len(size)) / n)
  data$mixed <- seq_len(size) %% 5
  data
}

file <- tempfile("larger-", directory)
invisible(reg.finalizer(globalenv(), function(e) unlink(file), onexit = TRUE))
say("%.0f records of %d columns, %.2f GB", n, d + 1L, n * 8 * (d + 1) / 1e9)
formula <- stats::reformulate(names, "y")
made <- peak_of(records <- dpadmm_records(source, formula, schema, ~holder, file = file,
  cache = cache))
size <- file.size(file)
say("written in %.0f s (%.0f s of CPU), peak %.2f GB", made$seconds, made$cpu, made$peak / 1e9)

# the whole file, past the cache, 4 MB at a time, by so many streams: bytes a second
read_all <- function(streams) {
  drop_cache()
  blocks <- ceiling(size / 2^22 / streams)
  dd <- sprintf("dd if=%s of=/dev/null iflag=direct bs=4M skip=%.0f count=%.0f status=none &",
    file, blocks * (seq_len(streams) - 1), blocks)
  size / system.time(system(paste(c(dd, "wait"), collapse = " ")))[["elapsed"]]
}
disk <- function() c(one = read_all(1), four = read_all(4))
passed <- function() .Call(dpadmm:::ffi_file_passed, records$held$store$map)

fit_of <- function(...) {
  drop_cache()
  going <- tempfile()
  dropping(going)
  on.exit(unlink(going))
  before <- c(passed(), read_bytes())
  fit <- peak_of(suppressWarnings(dpadmm_fit(records, epsilon = 1, delta = 1e-6, ...,
    control = dpadmm_control(progress = FALSE))))
  c(fit, list(passed = passed() - before[1L], read = read_bytes() - before[2L]))
}
show <- function(name, ...) {
  first <- disk()
  fit <- fit_of(...)
  last <- disk()
  for (speed in list(first, last)) {
    say("the disk: %.2f GB/s by one stream, %.2f by four", speed[1L] / 1e9, speed[2L] / 1e9)
  }
  say("%s: %.1f s (%.1f s of CPU), %.2f times over the rows, %.2f of the file read", name,
    fit$seconds, fit$cpu, fit$passed / size, fit$read / size)
  report(paste0(name, ", GB of memory"), fit$peak / 1e9, 2)
  ratio <- fit$seconds / (fit$passed / max(colMeans(rbind(first, last))))
  report(paste0(name, ", time a pass over the disk's"), ratio, 1.5)
}
show("grad_admm", method = grad_admm(), nodes = NULL, iterations = rounds)
show("mr_admm", iterations = 2)
rm(records)
unlink(file)

n <- round(n / 4)
for (nodes in list(~mixed, 5)) {
  name <- if (is.numeric(nodes)) "a number of nodes" else "mixed holders"
  made <- peak_of(records <- dpadmm_records(source, formula, schema, nodes, file = file,
    keep = FALSE, cache = cache))
  fit <- fit_of(iterations = 2)
  report(sprintf("%s, %.2f GB, reading, GB of memory", name, file.size(file) / 1e9),
    made$peak / 1e9, 2)
  report(paste0(name, ", fit, GB of memory"), fit$peak / 1e9, 2)
  rm(records)
  invisible(gc())
}
