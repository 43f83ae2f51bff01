# The fuzzer of tools/fuzz. A kind of case is a function that makes a call, with all its numbers
# in it; running the call gives complaints, or an error. A case fails that has a complaint, an
# error or a warning that is not the package's, or no end.
#
#   source("tools/fuzz.R") defines everything and runs nothing, to repeat a case by its code.

suppressMessages(library(dpadmm))
for (part in c("accountants", "fits", "plans", "readers", "releases")) {
  source(file.path("tools", sprintf("fuzz-%s.R", part)))
}
fuzz_kinds <- list(
  accountants = make_account, divergences = make_divergence, calibrations = make_calibration,
  fits = make_fit, plans = make_plan, readers = make_reader, texts = make_text,
  secure = make_secure, inference = make_inference, evaluations = make_evaluation,
  choices = make_choice, ledgers = make_ledger
)
# seconds of the processor that a case may take
fuzz_most <- 120

#' One of several.
one_of <- function(...) {
  from <- c(...)
  from[[sample.int(length(from), 1L)]]
}

#' A positive number: mostly a usual one, at times from the ends of what doubles can hold.
far <- function(usual = 3) {
  ends <- list(c(-usual, usual), c(-12, 12), c(-100, 100), c(-320, 300))
  ends <- ends[[sample.int(4L, 1L, prob = c(0.55, 0.2, 0.1, 0.15))]]
  x <- 10^stats::runif(1L, ends[1L], ends[2L])
  # few digits, so that a call can be read
  as.numeric(format(x, digits = 3L))
}

far_delta <- function() {
  one_of(0, 1e-5, as.numeric(format(10^-stats::runif(1L, 0, 307), digits = 3L)), 1e-307, 0.5,
    0.996, 0.999)
}

#' Runs a case: "" when all is well, else what is wrong.
run_case <- function(code) {
  wrong <- character()
  setTimeLimit(cpu = fuzz_most, transient = TRUE)
  on.exit(setTimeLimit())
  tryCatch(
    withCallingHandlers(
      {
        wrong <- as.character(eval(code, new.env(parent = globalenv())))
      },
      warning = function(w) {
        if (!inherits(w, "dpadmm_warning")) {
          wrong <<- c(wrong, sprintf("warning: %s", conditionMessage(w)))
          stop("a warning that is not the package's: ", conditionMessage(w))
        }
        invokeRestart("muffleWarning")
      },
      message = function(m) invokeRestart("muffleMessage")
    ),
    error = function(e) {
      if (!inherits(e, "dpadmm_error")) {
        wrong <<- sprintf("%s: %s", class(e)[1L], conditionMessage(e))
      }
    }
  )
  wrong[nzchar(wrong)]
}

one_line <- function(code) {
  paste(trimws(deparse(code, width.cutoff = 500L, control = c("keepNA", "keepInteger",
    "digits17", "niceNames"))), collapse = " ")
}

fuzz <- function(seconds, seed, kinds = names(fuzz_kinds), now = Sys.getenv("FUZZ_NOW")) {
  set.seed(seed)
  cat(sprintf("seed %.0f, %.0f seconds\n", seed, seconds))
  passed <- failed <- stats::setNames(numeric(length(kinds)), kinds)
  until <- proc.time()[["elapsed"]] + seconds
  while (proc.time()[["elapsed"]] < until) {
    kind <- sample(kinds, 1L)
    code <- fuzz_kinds[[kind]]()
    line <- one_line(code)
    if (nzchar(now)) writeLines(line, now)
    wrong <- run_case(code)
    if (length(wrong)) {
      failed[kind] <- failed[kind] + 1
      cat(sprintf("FAILED %s, %s\n", kind, paste(unique(wrong), collapse = "; ")))
      cat(sprintf("       source(\"tools/fuzz.R\"); %s\n", line))
    } else {
      passed[kind] <- passed[kind] + 1
    }
  }
  invisible(gc()) # what connections say that nobody closed comes before the last lines
  cat(sprintf("%-12s %6.0f cases, %.0f failed\n", kinds, passed + failed, failed), sep = "")
  cat(sprintf("%.0f passed, %.0f failed, 0 skipped\n", sum(passed), sum(failed)))
  sum(failed)
}

if (sys.nframe() == 0L) {
  options(warn = 1)
  asked <- as.numeric(commandArgs(TRUE))
  kinds <- strsplit(Sys.getenv("FUZZ_KINDS", paste(names(fuzz_kinds), collapse = ",")), ",")[[1L]]
  quit(status = as.integer(fuzz(asked[1L], asked[2L], kinds) > 0))
}
