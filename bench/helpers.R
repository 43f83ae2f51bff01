# What the benchmarks share. They are run from the project's folder: Rscript bench/<name>.R
# A file named by the variable DPADMM_BENCH gets a line of comma separated values for each
# figure that has a target: benchmark, figure, median, lowest, highest, target.

# Elapsed time of f() after a garbage collection.
seconds <- function(f) system.time(f(), gcFirst = TRUE)[["elapsed"]]

# The median over some calls after a first one, for what is too fast to collect in between.
median_seconds <- function(f, calls = 7L) {
  f()
  times <- vapply(seq_len(calls), function(k) system.time(f(), gcFirst = FALSE)[["elapsed"]], 0)
  stats::median(times)
}

# The time of f() over that of g(), both measured anew each time on the same machine.
time_ratios <- function(f, g, times = 5L) {
  vapply(seq_len(times), function(k) seconds(f) / seconds(g), 0)
}

# Bytes of memory that this process has now ("VmRSS") or had at most ("VmHWM"). Linux only.
resident <- function(what) {
  line <- grep(what, readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) * 1024
}
forget_peak <- function() {
  invisible(gc())
  writeLines("5", "/proc/self/clear_refs")
}

# The peak of memory during f(), beyond what there was before, in units of `size` bytes. What f()
# drops along the way counts too.
extra_memory <- function(f, size) {
  forget_peak()
  before <- resident("VmRSS")
  invisible(f())
  (resident("VmHWM") - before) / size
}

# The script that runs, for whoever runs it again as a process of its own.
this_script <- function() {
  sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))[1L]
}

# "median (lowest to highest)"
spread <- function(x, digits = 2L) {
  sprintf("%.*f (%.*f to %.*f)", digits, stats::median(x), digits, min(x), digits, max(x))
}

# A line with a figure, one number or several, and its target, which it must not exceed (or,
# with at_least, not fall below). `also`: more words for the line.
report <- function(what, x, target, digits = 2L, also = "", at_least = FALSE) {
  words <- if (length(x) > 1L) paste("median", spread(x, digits)) else sprintf("%.*f", digits, x)
  middle <- stats::median(x)
  missed <- if (at_least) middle < target else middle > target
  cat(sprintf("%s: %s%s, target %g%s\n", what, also, words, target, if (missed) " MISSED" else ""))
  keep_result(what, x, target)
}

keep_result <- function(what, x, target) {
  file <- Sys.getenv("DPADMM_BENCH")
  if (file == "") return(invisible())
  script <- this_script()
  row <- data.frame(
    benchmark = if (is.na(script)) "interactive" else basename(script), figure = what,
    median = stats::median(x), lowest = min(x), highest = max(x), target = target
  )
  new <- !file.exists(file)
  utils::write.table(row, file,
    sep = ",", append = !new, col.names = new, row.names = FALSE, qmethod = "double"
  )
}

# From now on calibrations are timed: a function that says for how many seconds they ran since it
# was asked last.
time_calibrations <- function() {
  space <- asNamespace("dpadmm")
  calibrate <- space$calibrate_units
  spent <- 0
  unlockBinding("calibrate_units", space)
  assign("calibrate_units", function(...) {
    began <- Sys.time() # finer than proc.time()
    unit <- calibrate(...)
    spent <<- spent + as.numeric(Sys.time() - began, units = "secs")
    unit
  }, space)
  function() {
    now <- spent
    spent <<- 0
    now
  }
}

# What the solvers of this plan do with rows: see dpa_work in src/core/data/work.h. It
# depends on the records, so no private fit tells.
work_of <- function(plan, data, seed = 1) {
  key <- dpadmm:::noise_key(seed)
  work <- NULL
  records <- dpadmm:::records_planned(plan$problem$blueprint, data$x, data$y, plan$problem$loss,
    list())
  held <- dpadmm:::planned_holders(plan$problem, NULL, nrow(data$x), key)
  dpadmm:::run_plan(plan, records, held, key, dpadmm:::engine_local(function(w) work <<- w))
  work
}
