# The experiments of the vignettes: what is stored of them, and how to run them again.

#' Run a stored experiment of the vignettes again
#'
#' The figures of the vignettes about the papers, and of `vignette("all-methods")`, are drawn from
#' results that were computed before and are part of the package, as is the code that computed them
#' (`system.file("experiments", package = "dpadmm")`). `stored_experiment()` reads a result,
#' `rerun_experiment()` computes it anew: it takes nothing from what is stored. Seeds are those of
#' the stored runs, so that the same version of the package gives the same numbers (but for
#' seconds), on whatever machine, up to rounding where a mathematical library differs. Results
#' that an earlier version stored may differ by what has changed since in noise and solvers.
#'
#' With `progress = TRUE` it runs the first, the middle and the last setting once, says how long
#' the rest will take at that pace, and goes on. `part = NULL` runs nothing and tells what there is.
#'
#' ijcnn1 and bio_train, of `"dp-admm-accadmm"`, may not be passed on. They are read from your
#' copies, the folders of which `DPADMM_IJCNN1` and `DPADMM_BIO_TRAIN` name (environment variables:
#' [Sys.setenv()]); without them synthetic sets stand in, and results differ from the stored ones.
#' ijcnn1: the files for training and testing of
#' <https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html>, compressed or not;
#' bio_train: `bio_train.dat` of the KDD Cup 2004,
#' <https://www.kdd.org/kdd-cup/view/kdd-cup-2004/Data>.
#'
#' @param name of a vignette with experiments, see `vignette(package = "dpadmm")`.
#' @param part which of its experiments; `NULL`: none, only say what there is.
#' @param repetitions the number of repetitions; `NULL`: as stored.
#' @param workers,progress as in [experiment()].
#' @param file where to keep finished runs, as in [experiment()]: a call that was interrupted goes
#'   on from there. `NULL`: nowhere.
#' @return A result of [experiment()], of class `dpadmm_experiment`. With `part = NULL`
#'   a data frame, a row a part: `part`, `settings`, `repetitions`, `runs` and `stored` (whether a
#'   result is stored, that `stored_experiment()` reads).
#'
#'   Errors: `dpadmm_error_argument` for names that are not there; those of [experiment()]. A
#'   copy of ijcnn1 or bio_train that is not found where you said stops with a word on the file
#'   names that were looked for.
#' @examples
#' rerun_experiment("recycled-admm")
#' rerun_experiment("m-admm")
#' tail(stored_experiment("m-admm", "figure-1"), 3)
#' @examplesIf interactive()
#' # ten seconds
#' rerun_experiment("m-admm", "figure-2", repetitions = 2, progress = TRUE)
#' @export
rerun_experiment <- function(name, part = NULL, repetitions = NULL, workers = 1, file = NULL,
                             progress = interactive()) {
  parts <- parts_of_experiment(name)
  if (is.null(part)) return(describe_parts(name, parts))
  one <- parts[[check_choice(part, names(parts), "part")]]
  if (is.null(repetitions)) repetitions <- repetitions_of(one)
  check_number(repetitions, "repetitions", lower = 1, upper = 1e6, whole = TRUE)
  check_flag(progress, "progress")
  if (is.null(file)) {
    file <- tempfile("experiment", fileext = ".csv")
    on.exit(unlink(file))
  }
  # the papers' numbers of iterations are what they are, whether or not a run has converged
  suppressWarnings(classes = "dpadmm_warning_convergence", {
    if (progress) say_how_long(one, repetitions, check_workers(workers), check_path(file))
    experiment(one$settings, one$run,
      repetitions = repetitions, workers = workers, file = file, progress = progress
    )
  })
}

#' @rdname rerun_experiment
#' @export
stored_experiment <- function(name, part) {
  check_choice(name, experiment_names(), "name")
  folder <- system.file("experiments", package = "dpadmm")
  found <- list.files(folder, sprintf("^%s-.*[.]csv[.]gz$", name))
  part <- check_choice(part, substring(sub("[.]csv[.]gz$", "", found), nchar(name) + 2L), "part")
  read_experiment(file.path(folder, sprintf("%s-%s.csv.gz", name, part)))
}

experiment_names <- function() {
  sub("[.]R$", "", list.files(system.file("experiments", package = "dpadmm"), "[.]R$"))
}

#' What a script calls `stored`: arguments of experiment(). Its objects live in an environment of
#' their own, and R's generator is left as it was.
#' @noRd
parts_of_experiment <- function(name) {
  check_choice(name, experiment_names(), "name")
  script <- system.file("experiments", paste0(name, ".R"), package = "dpadmm")
  home <- new.env(parent = globalenv())
  with_r_seed(1, sys.source(script, home))
  home$stored
}

repetitions_of <- function(one) {
  if (is.null(one$repetitions)) formals(experiment)$repetitions else one$repetitions
}

describe_parts <- function(name, parts) {
  repetitions <- vapply(parts, repetitions_of, 0)
  settings <- vapply(parts, function(one) nrow(one$settings), 0L)
  files <- sprintf("%s-%s.csv.gz", name, names(parts))
  data.frame(
    part = names(parts), settings = settings, repetitions = repetitions,
    runs = settings * repetitions,
    stored = file.exists(file.path(system.file("experiments", package = "dpadmm"), files)),
    row.names = NULL
  )
}

#' A few runs, which the file keeps, and what they say of all others.
#' @noRd
say_how_long <- function(one, repetitions, workers, file) {
  n <- nrow(one$settings)
  tried <- unique(c(1L, (n + 1L) %/% 2L, n))
  took <- system.time(
    experiment(one$settings[tried, , drop = FALSE], one$run, repetitions = 1, file = file)
  )[["elapsed"]] / length(tried)
  seconds <- took * (n * repetitions - length(tried)) / workers
  message(sprintf("%d runs of about %.2g s each: %s with %d worker%s.", n * repetitions, took,
    if (seconds < 120) sprintf("%.0f s", seconds) else sprintf("%.0f minutes", seconds / 60),
    workers, if (workers > 1) "s" else ""
  ))
}
