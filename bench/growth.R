# How time and memory grow with records, columns, holders and iterations: each point is a process
# of its own, with a time limit; processor time and the peak of resident memory of the work alone
# (package and data are there before); and of fits, what calibration takes of the first of a
# session and, of short ones, of the next, in percent, and what one statement by account() does.
# The slope of time and memory on a log-log scale, from the larger half of the points (less those
# that are next to nothing beside the largest, or less than the megabyte by which R's heap grows),
# is 1 where they are linear: no more is wanted of any part, but for 15% that few points and a
# shared machine may take. Linux only (VmHWM).
#
# Rscript bench/growth.R [part ...] [--full] [--limit=seconds] [--plot=file.png]
#   parts: records columns sparse ring random complete iterations, with Gaussian noise and with
#   Gamma noise (iterations_gamma); plans for holders that are alike or unlike; fits of unlike
#   holders with gaussian or gamma noise, of two methods, and with penalties of their own (M-ADMM);
#   all of them by default

source("bench/helpers.R")
args <- commandArgs(TRUE)
flag <- function(name, default) {
  found <- grep(paste0("^--", name, "="), args, value = TRUE)
  if (length(found)) sub("^[^=]*=", "", found[1L]) else default
}
full <- "--full" %in% args
limit <- as.numeric(flag("limit", if (full) 3600 else 60))
control <- quote(dpadmm::dpadmm_control(progress = FALSE))

# ---- one point, in a process of its own ---------------------------------------------------------

fit <- function(x, y, ...) {
  suppressWarnings(dpadmm::dpadmm_fit(x, y,
    epsilon = 1, delta = 1e-5, ..., control = eval(control)
  ))
}
private <- function(n, d, N, ...) {
  data <- dpadmm::sim_logistic(n, d, seed = 1)
  function() fit(data$x, data$y, nodes = N, ...)
}
planned <- function(sizes, network) {
  function() suppressWarnings(dpadmm::dpadmm_plan(10, sizes,
    network = network, epsilon = 1, delta = 1e-5, control = eval(control)
  ))
}
sparse_rows <- function(n, d, each = 14L) {
  columns <- (outer(seq_len(each), seq_len(n)) * 7919) %% d + 1
  rows <- rep(seq_len(n), each = each)
  Matrix::sparseMatrix(rows, as.vector(columns), x = 1 / sqrt(each), dims = c(n, d), repr = "R",
    use.last.ij = TRUE)
}
# of holders of 100 to 10,000 records in 10 columns
mixed <- function(N, ...) {
  sizes <- mixed_sizes(N)
  data <- dpadmm::sim_logistic(sum(sizes), 10, seed = 1)
  function() {
    fit(data$x, data$y, nodes = rep(seq_len(N), sizes), network = "complete", iterations = 30, ...)
  }
}
mixed_sizes <- function(N) round(exp(seq(log(100), log(10000), length.out = N)))

unlike_holders <- c(3, 10, 30, 100, 300, 1000)
unlike_holders_full <- c(unlike_holders, 5000)

# name = list(sizes tried, sizes of --full, function(size): what is timed)
parts <- list(
  records = list(10^seq(4, 6, 0.5), 10^(4:7), function(n) private(n, 20, 5)),
  columns = list(c(10, 30, 100, 300, 500), c(10, 30, 100, 300, 1000, 2000), function(d) {
    private(5000, d, 5)
  }),
  sparse = list(10^seq(2, 4, 0.5), 10^(2:6), function(d) {
    x <- sparse_rows(20000, d)
    y <- rep_len(c(-1, 1, 1), nrow(x))
    function() fit(x, y, nodes = 5, iterations = 10, rows = "shorten")
  }),
  ring = list(c(10, 30, 100, 300, 1000), c(2, 10, 100, 1000, 5000), function(N) {
    private(20 * N, 10, N, network = "ring")
  }),
  complete = list(c(10, 30, 100, 300, 1000), c(2, 10, 100, 1000, 5000), function(N) {
    private(20 * N, 10, N, network = "complete")
  }),
  random = list(c(10, 30, 100, 300, 1000), c(2, 10, 100, 1000, 5000), function(N) {
    set.seed(1)
    private(20 * N, 10, N, network = dpadmm::network_random(N, min(1, 6 / (N - 1))))
  }),
  iterations = list(10^seq(1, 3, 0.5), 10^(1:5), function(T) private(1000, 5, 3, iterations = T)),
  # whose penalties grow, so that all releases of a holder are unlike
  iterations_gamma = list(10^seq(1, 3, 0.5), 10^(1:5), function(T) {
    private(1000, 5, 3, iterations = T, noise = "gamma", method = dpadmm::m_admm())
  }),
  alike = list(c(100, 300, 1000, 3000), c(100, 1000, 5000), function(N) {
    planned(rep(1000, N), "ring")
  }),
  unlike = list(c(100, 300, 1000), c(100, 300, 1000, 5000), function(N) {
    planned(mixed_sizes(N), "complete")
  }),
  gaussian = list(unlike_holders, unlike_holders_full, function(N) mixed(N)),
  gamma = list(unlike_holders, unlike_holders_full, function(N) mixed(N, noise = "gamma")),
  gamma_pp = list(unlike_holders, unlike_holders_full, function(N) {
    mixed(N, noise = "gamma", method = dpadmm::pp_admm())
  }),
  penalties = list(unlike_holders, unlike_holders_full, function(N) {
    set.seed(2)
    mixed(N, noise = "gamma", method = dpadmm::m_admm(eta = 10^stats::runif(N, -2, 0)))
  })
)

# The first fit of a session also waits until R has read the package's code; short ones are made
# again.
one_point <- function(part, size) {
  loadNamespace("dpadmm")
  work <- parts[[part]][[3L]](size)
  forget_peak()
  before <- resident("VmHWM")
  calibrated <- time_calibrations()
  out <- NULL
  time <- system.time(out <- work())
  peak <- resident("VmHWM")
  share <- rep(NaN, 3L)
  if (inherits(out, "dpadmm_fit")) {
    share[1L] <- calibrated() / time[[3L]]
    stated <- function() dpadmm::account(out$events, 1e-5)
    share[3L] <- seconds(stated) / time[[3L]]
    if (time[[3L]] < 2) {
      again <- vapply(1:5, function(k) seconds(work), 0)
      share[2L] <- calibrated() / sum(again)
      share[3L] <- median_seconds(stated) / stats::median(again)
    }
  }
  cat("point", sum(time[1:2]), (peak - before) / 2^20, 100 * share, "\n")
}

# ---- all points of a part ----------------------------------------------------------------------

measured <- function(part, size) {
  words <- tempfile()
  on.exit(unlink(words))
  out <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c(this_script(), "--point", part, format(size, scientific = FALSE)),
    stdout = TRUE, stderr = words, timeout = limit
  ))
  line <- grep("^point ", out, value = TRUE)
  figures <- c("seconds", "megabytes", "calibration", "again", "statement")
  if (length(line) == 0L) {
    timed_out <- identical(attr(out, "status"), 124L)
    writeLines(if (timed_out) sprintf("it was stopped after %g s", limit) else readLines(words))
    return(stats::setNames(rep(NA, 5L), figures))
  }
  stats::setNames(as.numeric(strsplit(line, " ")[[1L]][2:6]), figures)
}

slope <- function(size, y, least) {
  some <- max(least, 0.02 * max(y, na.rm = TRUE))
  last <- seq_along(size) > length(size) / 2 - 0.5 & is.finite(y) & y > some
  if (sum(last) < 2L) return(NA_real_)
  unname(stats::coef(stats::lm(log(y[last]) ~ log(size[last])))[2L])
}

grown <- function(part) {
  sizes <- parts[[part]][[1L + full]]
  out <- data.frame(part = part, size = round(sizes), seconds = NA_real_, megabytes = NA_real_,
    calibration = NA_real_, again = NA_real_, statement = NA_real_)
  for (k in seq_along(sizes)) {
    out[k, 3:7] <- measured(part, out$size[k])
    said <- c("  calibration %.1f%%", ", of the next fits %.1f%%", ", a statement %.1f%%")
    share <- unlist(out[k, 5:7])
    share <- sprintf(said, share)[!is.na(share)]
    cat(sprintf("%-10s %9.0f  %8.2f s  %8.0f MB", part, out$size[k], out$seconds[k],
      out$megabytes[k]), share, "\n", sep = "")
    if (is.na(out$seconds[k])) break
  }
  whole <- !anyNA(out$seconds) # of a part that broke off nothing is said
  for (what in c("seconds", "megabytes")) {
    rise <- if (whole) slope(out$size, out[[what]], if (what == "megabytes") 1 else 0) else Inf
    if (!is.na(rise)) report(sprintf("%s, slope of %s", part, what), rise, 1.15)
  }
  out
}

drawn <- function(results, file) {
  grDevices::png(file, 1200, 600)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, 2), cex = 1.2)
  for (what in c("seconds", "megabytes")) {
    y <- pmax(results[[what]], 1e-3)
    graphics::plot(results$size, y, log = "xy", type = "n", xlab = "size", ylab = what)
    names <- unique(results$part)
    for (k in seq_along(names)) {
      own <- results$part == names[k]
      graphics::lines(results$size[own], y[own], type = "b", col = k, pch = k)
    }
    graphics::legend("topleft", names, col = seq_along(names), pch = seq_along(names), bty = "n")
  }
}

point <- match("--point", args)
if (!is.na(point)) {
  one_point(args[point + 1L], as.numeric(args[point + 2L]))
} else {
  wanted <- grep("^--", args, value = TRUE, invert = TRUE)
  unknown <- setdiff(wanted, names(parts))
  if (length(unknown)) stop("no part ", unknown[1L], "; parts: ", toString(names(parts)))
  results <- do.call(rbind, lapply(if (length(wanted)) wanted else names(parts), grown))
  if (!is.null(file <- flag("plot", NULL))) drawn(results, file)
}
