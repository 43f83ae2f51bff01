# A BLAS that has threads of its own takes no more than were asked for. A library that only says how
# many it would take stands for one, in a process of its own.

test_that("BLAS has as many threads as were asked for, one in the core, and then all again", {
  skip_on_cran()
  skip_on_os("windows")
  folder <- tempfile("blas")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  writeLines(c(
    "static int threads = 8;",
    "int openblas_get_num_threads(void) { return threads; }",
    "void openblas_set_num_threads(int n) { threads = n; }"
  ), file.path(folder, "threaded.c"))
  library <- file.path(folder, paste0("threaded", .Platform$dynlib.ext))
  command <- file.path(R.home("bin"), "R")
  built <- system2(command, shQuote(c("CMD", "SHLIB", "-o", library,
    file.path(folder, "threaded.c"))), stdout = FALSE, stderr = FALSE)
  skip_if(built != 0, "there is no C compiler")
  script <- file.path(folder, "script.R")
  writeLines(c(
    sprintf(".libPaths(c(%s))", toString(shQuote(.libPaths()))),
    sprintf("dyn.load(%s, local = FALSE)", shQuote(library)),
    "space <- loadNamespace('dpadmm')",
    "now <- function() .Call(space$ffi_blas_threads, 3L)",
    "threads <- function() { n <- now(); .Call(space$ffi_blas_threads, n); n }",
    "seen <- NULL",
    "look <- quote(seen <<- c(seen, threads()))",
    "for (name in c('new_fit', 'with_inference')) suppressMessages(",
    "  trace(name, look, where = space, print = FALSE))",
    "data <- dpadmm::sim_logistic(300, 3, seed = 1)",
    "fit <- function(n, ...) suppressWarnings(dpadmm::dpadmm_fit(data$x, data$y, nodes = 2,",
    "  method = dpadmm::grad_admm(), epsilon = 1, delta = 1e-5, iterations = 3,",
    "  control = dpadmm::dpadmm_control(threads = n, progress = FALSE), ...))",
    "before <- threads()",
    "fit(1, inference = TRUE); one <- unique(seen)",
    "seen <- NULL; fit(2, inference = TRUE); two <- unique(seen)",
    "seen <- NULL; .Call(space$ffi_blas_threads, 1L); fit(2); fewer <- c(unique(seen), threads())",
    "invisible(.Call(space$ffi_blas_threads, 8L))",
    "suppressMessages(trace('new_fit', quote(stop('no')), where = space, print = FALSE))",
    "failed <- inherits(try(fit(1), silent = TRUE), 'try-error')",
    "cat(before, one, two, fewer, failed, threads())"
  ), script)
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
    stdout = TRUE, stderr = FALSE, timeout = 300)
  expect_identical(said[length(said)], "8 1 2 1 1 TRUE 8")
})
