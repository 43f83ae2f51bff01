#' A site behind DataSHIELD
#'
#' What DataSHIELD servers (Opal, Armadillo) let analysts call: one function for each question a
#' hub asks a site, see [sites_datashield()]. Install the package where the server's R runs,
#' and enable its functions as those of any DataSHIELD package; they need DBI, RSQLite, digest
#' and jsonlite there, and sodium for secure sums.
#'
#' Each data set has a policy file, see [site_policy_file()], `<data>.dcf`, in the directory that
#' the environment variable `DPADMM_POLICIES` of the server's R names, or else in `/etc/dpadmm`
#' (on Windows `dpadmm` in the directory `ProgramData`). The directory, `Source`, `Ledger` and
#' `Identity` need absolute paths: a relative one would be another file in every session. The ledger
#' must be writable for the server's R. A policy is read again when its file has changed.
#'
#' Nothing in a session matters: no option, and no object, neither the records that DataSHIELD
#' assigns nor a workspace that was saved. Every argument must be one string of
#' `A-Z a-z 0-9 _.+-;:,$` or one number. Names and calls, which R would evaluate, are refused as
#' they stand. A site's run, its key and its counters are in its ledger's data base.
#'
#' @param data name of the data set: its policy file without `.dcf`.
#' @param run name of a run.
#' @param recipe the plan.
#' @param analyst who asks.
#' @param seed of a simulation.
#' @param round number of the round.
#' @param inbox what the site is sent.
#' @param keys of a secure sum: the signed keys of all sites.
#' @param attempt of a secure sum: which attempt at the round, from 0.
#' @return A list: `value`, what was asked for, or `error`, `message` and `field`. There is no R
#'   error, because its message could hang on a record.
#' @seealso [sites_datashield()], [site_policy()].
#' @examples
#' # no such data set, and a call where a string belongs
#' dpadmmPublicDS("nowhere")$message
#' dpadmmPublicDS(paste("nowhere"))$message
#' @name datashield-server
NULL

#' @rdname datashield-server
#' @export
dpadmmPublicDS <- function(data) answer_call("public", match.call())

#' @rdname datashield-server
#' @export
dpadmmCheckDS <- function(data, run, recipe, analyst, seed = NULL) {
  answer_call("check", match.call())
}

#' @rdname datashield-server
#' @export
dpadmmOpenDS <- function(data, run, recipe, analyst, seed = NULL) {
  answer_call("open", match.call())
}

#' @rdname datashield-server
#' @export
dpadmmJoinDS <- function(data, run, keys) answer_call("join", match.call())

#' @rdname datashield-server
#' @export
dpadmmStepDS <- function(data, run, round, inbox, attempt = NULL) {
  answer_call("step", match.call())
}

#' @rdname datashield-server
#' @export
dpadmmCloseDS <- function(data, run) answer_call("close", match.call())

#' @rdname datashield-server
#' @export
dpadmmReportDS <- function(data) answer_call("report", match.call())

.datashield_functions <- list(public = dpadmmPublicDS, check = dpadmmCheckDS, open = dpadmmOpenDS,
  join = dpadmmJoinDS, step = dpadmmStepDS, close = dpadmmCloseDS, report = dpadmmReportDS
)

# the arguments of each, and whether they are needed
.datashield_arguments <- lapply(.datashield_functions, function(f) vapply(formals(f), is.name, NA))

#' @param call of a function above, as it was written: nothing in it has been evaluated.
#' @noRd
answer_call <- function(request, call) {
  arguments <- as.list(call)[-1L]
  answer_of({
    check_literals(arguments, .datashield_arguments[[request]])
    site <- site_of_data(arguments$data)
    site_do(site, request, arguments[names(arguments) != "data"])
  })
}

#' Strings and numbers of the wire, one for each argument that has no default.
#' @param needed which arguments are.
#' @noRd
check_literals <- function(arguments, needed) {
  for (name in names(needed)) {
    x <- arguments[[name]]
    if (is.null(x) && !needed[[name]]) next
    if (is.null(x)) decline(sprintf("`%s` is missing.", name), name)
    plain <- is_on_wire(x) || (is.numeric(x) && length(x) == 1L && is.finite(x))
    if (!plain || !is.null(attributes(x))) {
      decline(sprintf("`%s` must be one number, or one string of A-Za-z0-9_.+-;:,$.", name), name)
    }
  }
}

# ---- which site --------------------------------------------------------------------------

# The sites of this R process, by data set. Sessions belong to analysts, who can save, change and
# restore what is in them; a package's namespace is out of their reach, and lives from call to
# call. It spares reading the records for each call, no more: what must last is on disk.
.registry <- new.env(parent = emptyenv())

#' @param data what a hub says is the name of a data set.
#' @noRd
site_of_data <- function(data) {
  known <- if (is.character(data)) .registry[[data]]
  if (is.null(known)) check_id(data, "data")
  path <- file.path(policy_directory(), paste0(data, ".dcf"))
  info <- file.info(path, extra_cols = FALSE)
  stamp <- c(as.double(info$mtime), info$size)
  if (anyNA(stamp)) {
    rm(list = intersect(data, names(.registry)), envir = .registry)
    decline(sprintf("There is no data set \"%s\" here.", data), "data")
  }
  if (identical(known[c("path", "stamp")], list(path = path, stamp = stamp))) return(known$site)
  site <- policy_site(path, data)
  assign(data, list(path = path, stamp = stamp, site = site), envir = .registry)
  site
}

policy_directory <- function() {
  directory <- Sys.getenv("DPADMM_POLICIES")
  if (nzchar(directory)) return(directory)
  if (.Platform$OS.type == "unix") "/etc/dpadmm" else file.path(Sys.getenv("ProgramData"), "dpadmm")
}

#' The site of a policy file. What is wrong with a file is for its holder, who can try
#' dpadmm_site(): the hub is told the field, and no path.
#' @noRd
policy_site <- function(path, data) {
  wrong <- function(e) {
    field <- if (is.character(e$argument)) e$argument[1L] else "Source"
    if (inherits(e, "dpadmm_error_ledger")) field <- "Ledger"
    if (inherits(e, "dpadmm_error_site")) field <- "Source"
    abort("policy", sprintf(
      "\"%s\" cannot be used because of its %s: ask its holder.", data, field
    ), argument = field)
  }
  tryCatch({
    if (!is_absolute(path)) abort_policy(path, "DPADMM_POLICIES", "it is a relative path")
    policy <- policy_of_site(path)
    if (policy$data != data) abort_policy(path, "Data", "it is not the file's name")
    dpadmm_site(policy)
  }, error = wrong)
}
