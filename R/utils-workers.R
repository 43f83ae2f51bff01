# Work shared among processes of package mirai, for experiments and audits.

#' What `finished(k, value)` makes of the value f(tasks[[k]]), as a list in the order of the
#' tasks.
#'
#' With one worker tasks are done in this process, one after the other. With more they are done
#' in other processes, which have `objects` in their global environments, and `finished()` is
#' called, here, in the order in which they come back. An error of `f` is raised here; the end
#' of a worker is an error that says at which task, in the words of `words(task)`. The
#' processes end with this function, however it ends.
#' @noRd
run_tasks <- function(tasks, f, workers = 1, objects = list(),
                      finished = function(k, value) value, words = function(task) NULL) {
  out <- vector("list", length(tasks))
  workers <- min(workers, length(tasks))
  if (workers <= 1) {
    for (k in seq_along(tasks)) out[k] <- list(finished(k, f(tasks[[k]])))
    return(out)
  }
  profile <- "dpadmm-workers"
  on.exit(mirai::daemons(0, .compute = profile))
  start_workers(workers, c(objects, list(.dpadmm_task = f)), profile)
  # not mirai_map(): inside of it a task could have no workers of its own
  running <- lapply(unname(tasks), function(task) {
    mirai::mirai(worker_answer(task),
      .args = list(worker_answer = worker_answer, task = task), .compute = profile
    )
  })
  left <- seq_along(tasks)
  on.exit(stop_tasks(running[left], profile), add = TRUE, after = FALSE)
  while (length(left)) {
    at <- mirai::race_mirai(running[left], .compute = profile)
    k <- left[at]
    left <- left[-at]
    answer <- running[[k]]$data
    if (mirai::is_error_value(answer)) {
      at <- words(tasks[[k]])
      abort("operator", paste0(
        "A worker ended", sprintf(" at %s", at), sprintf(" (mirai's error %s).", format(answer))
      ), argument = "workers", place = at)
    }
    if (!is.null(answer$error)) stop(answer$error)
    out[k] <- list(finished(k, answer$value))
    running[k] <- list(NULL) # what it held may be large
  }
  out
}

#' What a worker does with a task. An error is a value, since mirai would keep its message only.
#' @noRd
worker_answer <- function(task) {
  tryCatch(
    list(value = get(".dpadmm_task", globalenv())(task)), error = function(e) list(error = e)
  )
}

#' Processes with the packages of this one, and `objects` in their global environments.
#' @noRd
start_workers <- function(workers, objects, profile) {
  # what they are sent refers to packages, which they must find where this process did
  old <- Sys.getenv("R_LIBS", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old))
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  mirai::daemons(workers, .compute = profile)
  start <- quote({
    # also those that are only loaded: objects of their classes may be among the objects
    for (package in loaded) requireNamespace(package, quietly = TRUE)
    for (package in attached) library(package, character.only = TRUE)
  })
  packages <- list(loaded = loadedNamespaces(), attached = rev(.packages()))
  ready <- mirai::everywhere(
    start, list2env(objects, parent = emptyenv()), .args = packages, .compute = profile
  )
  failed <- Filter(mirai::is_error_value, mirai::collect_mirai(ready))
  if (length(failed)) {
    abort("operator", sprintf("A worker could not start: %s.", format(failed[[1L]])),
      argument = "workers"
    )
  }
}

#' Ends tasks that are not to be finished.
#' @noRd
stop_tasks <- function(running, profile) {
  mirai::stop_mirai(running)
  let_answer(function() mirai::status(.compute = profile)$mirai[["executing"]] > 0)
}

#' Waits a moment while something is `busy()`, before its connection is closed: package nanonext
#' may wait for ever where it closes one over which an answer is coming.
#' @noRd
let_answer <- function(busy) {
  begin <- Sys.time()
  while (busy() && as.double(Sys.time() - begin, units = "secs") < 2) Sys.sleep(0.01)
}

check_workers <- function(workers) {
  check_number(workers, "workers", lower = 1, upper = 1024, whole = TRUE)
  if (workers > 1) need_package("mirai", "more than one worker")
  workers
}
