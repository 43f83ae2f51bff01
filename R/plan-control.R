#' Settings of a fit that are not the model's
#'
#' @param tol gradient norm to which node problems are solved (> 0). `NULL`: without noise
#'   `1e-10` times the scale of the problem, `C` times the largest gradient of one record; of a
#'   private fit a fixed share of what a record can move (1e-5, of pure fits 1e-6). Noise on what
#'   is sent hides the distance to the exact minimiser, too; beside noise in the objective there
#'   is some of its own that does, and is charged (0.09% of epsilon; more where that noise would
#'   else be no small part of the whole, as with a tolerance that is loose or a large `C`). A
#'   private fit whose tolerance is below what double precision can promise takes what it can.
#' @param threads OpenMP threads over the nodes and, where one has no node left or a node's records
#'   fill the processor's cache, over records (>= 1). The result is the same for any number. A
#'   holder's batch of [dp_sgd()] or step of [dp_cd()], and some rounds of [fp_admm()] (its help
#'   says which), take one thread only. So does a process that was forked, by parallel's
#'   `mclapply()` for one.
#' @param keep_iterates keep every message, `fit$iterates[iteration, node,
#'   coefficient]`. They were released anyway. `NULL`: those of one data holder are kept,
#'   those of many nodes are not.
#' @param start a public start: a vector of d coefficients for all nodes, or an N x d
#'   matrix, whose rows, where they have names, are the nodes' of these names. It must not be
#'   computed from the records. `NULL`: zero.
#' @param row_bound bound on the norm of a record's features (from 1e-100 to 1e100; of a matrix,
#'   without the intercept that is added), stated by you and not read from the data. What becomes
#'   of longer rows is said by `rows` of [dpadmm_fit()]. Columns of a formula are scaled to meet it.
#' @param accountant which guarantee the noise is calibrated to: `"sound"` (proved
#'   for what runs) or `"paper"` (the printed theorem).
#' @param engine who carries the plan out: `"local"`, all parties in this process by threads; or
#'   `"stepwise"`, one party after the other, each with its own records, key and state, as if
#'   they were apart. The result is the same to the last bit.
#' @param progress show a progress bar.
#' @return A list of class `dpadmm_control`.
#' @examples
#' dpadmm_control(threads = 2, keep_iterates = TRUE)
#' @export
dpadmm_control <- function(tol = NULL, threads = 1, keep_iterates = NULL, start = NULL,
                           row_bound = 1, accountant = c("sound", "paper"),
                           engine = c("local", "stepwise"), progress = interactive()) {
  if (!is.null(tol)) check_number(tol, "tol", lower = 0, open_lower = TRUE)
  if (!is.null(start)) start <- check_numbers(start, "start")
  structure(list(
    tol = tol,
    threads = as.integer(check_number(threads, "threads", lower = 1, upper = 1024, whole = TRUE)),
    keep_iterates = if (!is.null(keep_iterates)) check_flag(keep_iterates, "keep_iterates"),
    start = start,
    row_bound = check_number(row_bound, "row_bound", lower = 1e-100, upper = 1e100),
    accountant = check_choice(accountant, c("sound", "paper"), "accountant"),
    engine = check_choice(engine, c("local", "stepwise"), "engine"),
    progress = check_flag(progress, "progress")
  ), class = "dpadmm_control")
}
