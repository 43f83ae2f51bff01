#' Errors and warnings of the package
#'
#' Every error raised by dpadmm has class `dpadmm_error_<kind>`, then
#' `dpadmm_error`, then `error`, and carries the fields `argument` (which
#' argument is to blame), `value` (what was given, when it is safe to show) and
#' `place` (where: a row, a column, a node, a line). Warnings have class
#' `dpadmm_warning_<kind>`, then `dpadmm_warning`.
#'
#' Ctrl-C during a fit is no error, so that `try()` in a loop does not swallow it: the condition
#' has the classes `dpadmm_error_interrupt` and `interrupt`, and returns to the top level as R's
#' own interrupts do unless `tryCatch(interrupt = )` takes it. Its message says what was spent;
#' its fields are `spent` and `iteration`.
#'
#' | kind of error | raised when |
#' |---|---|
#' | `argument` | a value is of the wrong type or outside its range |
#' | `shape` | lengths or dimensions do not agree |
#' | `missing` | there are missing values |
#' | `finite` | there are NaN or infinite values |
#' | `labels` | the response does not have exactly two classes |
#' | `formula` | a term of a formula is not computed row by row |
#' | `nodes` | a node has no records, or the nodes do not fit the network |
#' | `network` | a graph is disconnected, has a self-loop or is not symmetric |
#' | `row_bound` | rows of a matrix are longer than the stated bound |
#' | `level` | a factor level was not declared or not seen in training |
#' | `plan` | data do not fit a plan: other parties, sizes or numbers of records |
#' | `budget` | no noise can meet the asked privacy budget, or a ledger has too little left |
#' | `accountant` | an accountant cannot handle an event |
#' | `theorem` | the condition of a printed theorem does not hold |
#' | `solver` | a node problem could not be solved to the asked tolerance |
#' | `operator` | a user-supplied function does not keep its contract |
#' | `interrupt` | the user interrupted: no `error`, see above |
#' | `engine` | an engine could not get a party's message |
#' | `entropy` | the operating system gave no randomness |
#' | `parse` | a file is malformed |
#' | `file` | a file cannot be read or written: no room, no permission |
#' | `size` | a size overflows or memory cannot be had |
#' | `unavailable` | a fit cannot answer, for lack of records or of a formula |
#' | `policy` | a site's policy is malformed, or does not fit its records |
#' | `refused` | a site's policy does not allow what is asked of it |
#' | `restart` | the machine of a site was restarted during a run, which is over there |
#' | `site` | a site refuses or cannot be reached: `place` is its name, `argument` the field |
#' | `package` | an optional package is needed and not installed |
#' | `ledger` | a file is no ledger, or a budget in it is another one or not there |
#'
#' | kind of warning | raised when |
#' |---|---|
#' | `privacy_leak` | something was read from the data without noise |
#' | `theorem` | a setting lies outside a theorem that would otherwise cover it |
#' | `utility` | public numbers say that the model will be mostly noise |
#' | `convergence` | a fit without noise has not arrived at the optimum |
#' | `site` | a site is lost, or out: its last message stands |
#' | `schema` | a schema has names that neither the formula nor the data have |
#' | `shortened` | coefficients are shown of rows that were shortened one by one |
#' | `ledger` | a ledger is not what was written |
#'
#' @section Errors tell of records:
#' An error or warning about a record (a negative weight, an infinite offset, an unknown level, a
#' missing value, a row beyond the bound) is itself a release: that there is one depends on that
#' record, and no guarantee covers it. Keep such messages where the records are, and do not publish
#' whether a fit failed. To have none, have every record taken to the nearest allowed value: bounds
#' in `schema` do so for numbers, `rows = "shorten"` for rows, `impute` and `na.action = "omit"` for
#' missing values and offsets and weights that are not finite; make weights at least 0
#' (`case_weights = ~pmax(w, 0)`) and put values outside the levels into one of them yourself, row
#' by row, before the fit.
#'
#' @details A warning of kind `privacy_leak` also has class `dpadmm_privacy_leak`.
#'
#' @examples
#' # an error says which argument is to blame
#' tryCatch(
#'   dpadmm_plan(3, sizes = c(50, 100), epsilon = -1),
#'   dpadmm_error_argument = function(e) e$argument
#' )
#' # what is read from records without noise is a warning of its own class: be strict
#' tryCatch(
#'   dpadmm_fit(am ~ wt, mtcars, nodes = 2, epsilon = 5),
#'   dpadmm_privacy_leak = function(w) "state the columns in a schema"
#' )
#' @name dpadmm-conditions
#' @aliases dpadmm_error dpadmm_warning dpadmm_privacy_leak dpadmm_error_argument dpadmm_error_shape
#'   dpadmm_error_missing dpadmm_error_finite dpadmm_error_labels dpadmm_error_formula
#'   dpadmm_error_nodes dpadmm_error_network dpadmm_error_level dpadmm_error_plan
#'   dpadmm_error_budget dpadmm_error_accountant dpadmm_error_theorem dpadmm_error_solver
#'   dpadmm_error_operator dpadmm_error_interrupt dpadmm_error_engine dpadmm_error_entropy
#'   dpadmm_error_parse dpadmm_error_file dpadmm_error_size dpadmm_error_package
#'   dpadmm_error_row_bound
#'   dpadmm_error_ledger dpadmm_error_unavailable dpadmm_error_policy dpadmm_error_refused
#'   dpadmm_error_restart dpadmm_error_site dpadmm_warning_site dpadmm_warning_convergence
#'   dpadmm_warning_schema dpadmm_warning_shortened dpadmm_warning_privacy_leak
#'   dpadmm_warning_theorem
#'   dpadmm_warning_utility dpadmm_warning_ledger
NULL

.error_kinds <- c(
  "argument", "shape", "missing", "finite", "labels", "formula", "nodes", "network",
  "level", "plan", "budget", "accountant", "theorem", "solver", "operator",
  "engine", "entropy", "parse", "size", "unavailable", "package", "row_bound", "ledger", "policy",
  "refused", "restart", "site", "file"
)

.warning_kinds <- c(
  "privacy_leak", "theorem", "utility", "convergence", "schema", "shortened", "ledger", "site"
)

#' The frame of the exported function the user called, for the error's call.
#' @noRd
user_call <- function() {
  calls <- sys.calls()
  own <- topenv()
  for (i in seq_along(calls)) {
    if (identical(topenv(environment(sys.function(i))), own)) {
      # A call can carry whole data sets (do.call): keep the name only.
      name <- calls[[i]][[1L]]
      if (is.call(name) && length(name) == 3L) name <- name[[3L]] # dpadmm::dpadmm_fit
      return(if (is.name(name)) call(as.character(name)))
    }
  }
  NULL
}

#' Raise a classed error.
#' @noRd
abort <- function(kind, message, argument = NULL, value = NULL, place = NULL,
                  ..., call = user_call()) {
  stopifnot(kind %in% .error_kinds)
  stop(errorCondition(message,
    class = c(paste0("dpadmm_error_", kind), "dpadmm_error"),
    argument = argument, value = value, place = place, ..., call = call
  ))
}

#' End what runs as Ctrl-C does, with a message and fields: no error, which try() would swallow.
#' Where nobody handles it R is back at the top level.
#' @noRd
interrupt <- function(message, ..., call = user_call()) {
  signalCondition(structure(list(message = message, call = call, ...),
    class = c("dpadmm_error_interrupt", "interrupt", "condition")
  ))
  writeLines(message, stderr())
  invokeRestart("abort")
}

#' Raise a classed warning.
#' @noRd
warn <- function(kind, message, argument = NULL, ..., call = user_call()) {
  stopifnot(kind %in% .warning_kinds)
  warning(warningCondition(message,
    class = c(
      if (kind == "privacy_leak") "dpadmm_privacy_leak",
      paste0("dpadmm_warning_", kind), "dpadmm_warning"
    ),
    argument = argument, ..., call = call
  ))
}
