# Checks of the checks: a small package with one fault of each kind, all of which tools/rooms.R
# and tools/sizes.R must find. Nothing but these faults is in it.

planted <- list(
  NAMESPACE = c("export(a)", "S3method(pkg::g,cls)"),
  "R/plan-a.R" = c(
    "a <- function() { used(1); unknown() }",
    "g.cls <- function(x) lapply(x, used)", # both lines: plan uses data
    "table <- list(dead)" # dead, and uses data
  ),
  "R/data-b.R" = c("used <- function(x) generic(x)", "dead <- function() dead()"),
  "R/data-e.R" = "used <- function(x) 2",
  "R/fit-c.R" = c("generic <- function(x) UseMethod('generic')", "generic.b <- function(x) a()"),
  "R/odd-d.R" = "unknown <- function() 1",
  "src/ffi.h" = "#define ROUTINES(X) X(ffi_dead, 0)",
  "src/core/odd.c" = "",
  "src/core/rules/r.h" = c('#include "../../ffi.h"', '#include "lost.h"'),
  "src/core/rules/r.c" = c('#include "run/run.h"', '/* malloc() */ "exit()"; x->free(); exit(1);'),
  "src/core/run/run.h" = c('#include "rules/r.h"', "#include <Rinternals.h>"),
  "src/core/account/a.c" = '#include "rules/r.h"',
  "long.R" = c("f <- function() {", rep("", 59), "}", strrep("#", 101), rep("", 239)),
  "long.c" = c("int f(void) {", rep("", 59), "}", rep("", 290))
)
expected <- c(
  "R rooms are known" = 1L, "R rooms use what they may" = 4L, "R rooms without a cycle" = 1L,
  "R names defined once" = 1L, "R definitions in use" = 2L, "C rooms are known" = 1L,
  "C rooms use what they may" = 4L, "C rooms without a cycle" = 1L, "C routines in use" = 1L,
  "C core on its own" = 2L, "long files, R" = 1L, "long files, C" = 1L,
  "long functions, R" = 1L, "long functions, C" = 1L, "long lines" = 1L
)

#' Complaints about checks that see more or less than what is planted.
check_planted <- function() {
  folder <- tempfile("planted")
  for (file in file.path(folder, names(planted))) {
    dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
    writeLines(planted[[substring(file, nchar(folder) + 2L)]], file)
  }
  top <- setwd(folder)
  on.exit({
    setwd(top)
    unlink(folder, recursive = TRUE)
  })
  seen <- lengths(c(check_rooms(), list(
    "long files, R" = long_files("long.R", longest$r_file),
    "long files, C" = long_files("long.c", longest$c_file),
    "long functions, R" = long_r_functions("long.R"),
    "long functions, C" = long_c_functions("long.c"),
    "long lines" = long_lines("long.R")
  )))
  wrong <- seen != expected[names(seen)]
  sprintf("%s: %d found, %d planted", names(seen), seen, expected[names(seen)])[wrong]
}
