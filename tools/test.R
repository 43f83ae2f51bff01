# The tests of tools/test, run in tests/testthat on the installed package. What is counted is
# test_that() blocks: an expectation in a loop is no test of its own. Reasons of skips are
# printed. A file of which nothing ran, and fewer blocks than tools/floor says, are failures.
# The names of files are printed as they end, for then their processes report: where tests hang,
# those that are not there did.
library(testthat)
library(dpadmm)
least <- read.table(commandArgs(TRUE)[1L], row.names = 1L)["blocks", 1L]

ended <- R6::R6Class("ended", inherit = Reporter, public = list(
  initialize = function() {
    super$initialize()
    self$capabilities$parallel_support <- TRUE
  },
  start_file = function(filename) cat(filename, "")
))$new()

result <- test_dir(".",
  package = "dpadmm", load_package = "installed",
  reporter = MultiReporter$new(reporters = list(CheckReporter$new(), ended)),
  stop_on_failure = FALSE, stop_on_warning = FALSE
)
block <- as.data.frame(result)
failed <- block$failed > 0 | block$error
skipped <- block$skipped & !failed
in_block <- !is.na(block$test) # else code between the tests, which is none itself
passed <- in_block & !failed & !skipped

for (k in which(skipped)) {
  said <- Filter(function(e) inherits(e, "expectation_skip"), block$result[[k]])
  why <- sub("^Reason: ", "", vapply(said, conditionMessage, ""))
  why <- if (length(why) > 0L) gsub("\\s+", " ", why[1L]) else "empty test"
  cat(sprintf("SKIPPED %s, %s: %s\n", block$file[k], block$test[k], why))
}
lost <- setdiff(list.files(pattern = "^test-.*[.][rR]$"), block$file)
if (length(lost) > 0L) cat(sprintf("FAILED nothing of %s ran\n", lost), sep = "")
few <- sum(in_block) < least
if (few) cat(sprintf("FAILED %d blocks, where tools/floor wants %d\n", sum(in_block), least))

failures <- sum(failed) + length(lost) + few
cat(sprintf("%d passed, %d failed, %d skipped\n", sum(passed), failures, sum(skipped)))
quit(status = as.integer(failures > 0))
