# Fits with another BLAS in the place of R's own, as OpenBLAS: whether any gets slower, and whether
# more processors are busy than were asked for. Each measurement is a process of its own, in turns;
# beside the ratio of the two stands that of R's own with itself, which is what chance does.
# Run: Rscript bench/blas.R [libraries for LD_PRELOAD, with colons between them]
# Without libraries: those of Debian's libopenblas0-pthread, where they are or can be downloaded
# (which installs nothing: R's own BLAS stays). Linux only.
suppressMessages(library(dpadmm))
source("bench/helpers.R")

fit_of <- function(n, d, method, ...) {
  list(n = n, d = d, fit = function(data, threads) {
    suppressWarnings(dpadmm_fit(data$x, data$y, nodes = 5, method = method, epsilon = 1,
      delta = 1e-5, seed = 1, control = dpadmm_control(threads = threads, progress = FALSE), ...))
  })
}
cases <- list(
  "mr_admm, 20,000 x 100" = fit_of(2e4, 100, mr_admm()),
  "mr_admm, 20,000 x 500" = fit_of(2e4, 500, mr_admm()),
  "mr_admm, 20,000 x 1,000" = fit_of(2e4, 1000, mr_admm()),
  "pp_admm, 20,000 x 500" = fit_of(2e4, 500, pp_admm()),
  "mr_admm, 1e6 x 50" = fit_of(1e6, 50, mr_admm(), iterations = 5),
  "grad_admm with intervals, 20,000 x 100" = fit_of(2e4, 100, grad_admm(), inference = TRUE)
)

# Seconds of the best of some fits, and the most processors that one kept busy.
measure <- function(name, threads) {
  case <- cases[[name]]
  data <- sim_logistic(case$n, case$d, seed = 1)
  times <- vapply(1:4, function(k) {
    time <- system.time(case$fit(data, threads), gcFirst = TRUE)
    c(time[["elapsed"]], sum(time[1:2]) / time[["elapsed"]])
  }, numeric(2))[, -1L]
  cat("measured", min(times[1L, ]), max(times[2L, ]), "\n")
}

found_libraries <- function() {
  folder <- Sys.glob("/usr/lib/*/openblas-pthread")
  if (length(folder) == 0L && nzchar(Sys.which("apt-get"))) {
    place <- tempfile("openblas-")
    dir.create(place)
    system2("sh", c("-c", shQuote(sprintf(
      "cd %s && apt-get download libopenblas0-pthread && dpkg -x *.deb .", place))),
      stdout = FALSE, stderr = FALSE)
    folder <- Sys.glob(file.path(place, "usr/lib/*/openblas-pthread"))
  }
  if (length(folder) == 0L) stop("no OpenBLAS here: name its libraries")
  paste(file.path(folder[1L], c("libblas.so.3", "liblapack.so.3")), collapse = ":")
}

in_process <- function(name, threads, libraries = "") {
  out <- system2(file.path(R.home("bin"), "Rscript"),
    shQuote(c(this_script(), "--measure", name, threads)), stdout = TRUE,
    env = if (nzchar(libraries)) paste0("LD_PRELOAD=", libraries))
  as.numeric(strsplit(grep("^measured ", out, value = TRUE), " ")[[1L]][2:3])
}

given <- commandArgs(TRUE)
if (identical(given[1L], "--measure")) {
  measure(given[2L], as.integer(given[3L]))
} else {
  libraries <- if (length(given)) given[1L] else found_libraries()
  for (name in names(cases)) for (threads in 1:2) {
    turns <- lapply(1:3, function(k) {
      list(own = in_process(name, threads), other = in_process(name, threads, libraries),
        own_again = in_process(name, threads), again = in_process(name, threads, libraries))
    })
    # as often of one as of the other: the more often, the less the least
    least <- function(...) min(vapply(turns, function(turn) {
      min(vapply(turn[c(...)], `[`, 0, 1L))
    }, 0))
    busy <- max(vapply(turns, function(turn) max(turn$other[2L], turn$again[2L]), 0))
    words <- sprintf("%s, %d thread%s", name, threads, if (threads > 1) "s" else "")
    report(paste0(words, ", over R's own"),
      least("other", "again") / least("own", "own_again"), 1.1,
      also = sprintf("(its own over itself %.2f) ", least("own_again") / least("own")))
    report(paste0(words, ", processors busy"), busy, 1.05 * threads)
  }
}
