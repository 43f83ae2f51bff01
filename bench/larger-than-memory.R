# A fit of a file of records: how much of it is in memory, and how long a pass takes next to reading
# the file from the disk.
# Run: Rscript bench/larger-than-memory.R [gigabytes] [directory] [rounds] [cache]
#
# All is measured in one run. A pass reads past the system's cache, as it does by itself where the
# file is larger than half of the memory, or with "cache" through it. The cache would hold a file
# that is smaller than memory, so its pages are dropped (by dd's flag nocache, this file's only)
# before each reading, and during a fit twice a second: every pass reads from the disk. How much it
# read is the system's own count, /proc/self/io. Memory is what is resident, VmHWM, from before a
# fit on. Linux only.

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
  data
}

file <- tempfile("larger-", directory)
invisible(reg.finalizer(globalenv(), function(e) unlink(file), onexit = TRUE))
say("%.0f records of %d columns, %.2f GB", n, d + 1L, n * 8 * (d + 1) / 1e9)
formula <- stats::reformulate(names, "y")
made <- peak_of(records <- dpadmm_records(source, formula, schema, file = file, cache = cache))
size <- file.size(file)
say("written in %.0f s (%.0f s of CPU), peak %.2f GB", made$seconds, made$cpu, made$peak / 1e9)

# the whole file, past the cache, 4 MB at a time
read_all <- function() {
  drop_cache()
  dd <- sprintf("dd if=%s of=/dev/null iflag=direct bs=4M status=none", file)
  list(seconds = system.time(system(dd))[["elapsed"]], bytes = size)
}
passed <- function() .Call(dpadmm:::ffi_file_passed, records$held$store$map)

# gradients of all records: margins and sums of a block of rows at a time, one reading a round
rows <- function(rounds, threads) {
  drop_cache()
  going <- tempfile()
  dropping(going)
  on.exit(unlink(going))
  before <- c(passed(), read_bytes())
  control <- dpadmm_control(threads = threads, progress = FALSE)
  fit <- peak_of(suppressWarnings(dpadmm_fit(records, method = grad_admm(), epsilon = 1,
    delta = 1e-6, iterations = rounds, control = control)))
  c(fit, list(passed = passed() - before[1L], read = read_bytes() - before[2L]))
}
rate <- function(one) one$bytes / one$seconds
first <- read_all()
fit <- rows(rounds, 1)
last <- read_all()
say("the disk: %.2f GB/s before the fit, %.2f GB/s after it", rate(first) / 1e9, rate(last) / 1e9)
say("a fit of %d rounds: %.1f s (%.1f s of CPU), peak %.2f GB", rounds, fit$seconds, fit$cpu,
  fit$peak / 1e9)
say("  it went over %.2f files' worth of rows and read %.2f from the disk", fit$passed / size,
  fit$read / size)
say("  %.2f times what the disk takes to read as much", fit$seconds /
  (fit$read / mean(c(rate(first), rate(last)))))
unlink(file)
