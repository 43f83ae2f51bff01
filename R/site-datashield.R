#' Sites behind DataSHIELD
#'
#' Holders who do not trust each other, nor whoever runs the fit, keep their records on DataSHIELD
#' servers of their own: Opal, Armadillo, or DSLite, which is all in one process, for trials. Each
#' has this package and a policy there, see [dpadmmPublicDS()]. The analyst needs the package
#' DSI and that of the servers' kind (DSOpal, DSMolgenisArmadillo, DSLite).
#'
#' Parties of plans and fits have the names that the sites give themselves, `Site` in their
#' policies, whatever the connections are called. Calls are short strings and numbers as Opal's
#' parser lets them through; a round costs d doubles each way, in base64 on the way there.
#'
#' @param conns connections, of `DSI::datashield.login()`.
#' @param data name of the data set: one for all, or a vector with one for each connection, named
#'   like them.
#' @inheritParams sites
#' @param analyst who asks, a name for the sites' ledgers: letters, digits and `_.+-`.
#' @return An object of class `dpadmm_sites`, see [sites]. Errors of class `dpadmm_error_site`
#'   have the site's name as `place`, before that is known its connection's.
#' @seealso [sites], [site_policy()], [dpadmmPublicDS()].
#' @examplesIf all(vapply(c("DSLite", "RSQLite"), requireNamespace, NA, quietly = TRUE))
#' # two hospitals, each with its records, its policy and a server
#' home <- tempfile()
#' dir.create(home)
#' columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
#' for (name in c("north", "south")) {
#'   age <- sample(20:90, 400, TRUE)
#'   ill <- ifelse(age / 90 + rnorm(400, sd = 0.3) > 0.7, "yes", "no")
#'   source <- file.path(home, paste0(name, ".csv"))
#'   write.csv(data.frame(age, ill), source, row.names = FALSE)
#'   site_policy_file(file.path(home, paste0(name, ".dcf")),
#'     data = name, source = source, ledger = file.path(home, paste0(name, ".sqlite")),
#'     schema = columns, epsilon = 4, delta = 1e-6)
#' }
#' Sys.setenv(DPADMM_POLICIES = home)
#' server <- DSLite::newDSLiteServer(config = DSLite::defaultDSConfiguration("dpadmm"))
#' builder <- DSI::newDSLoginBuilder()
#' for (name in c("north", "south")) builder$append(name, "server", driver = "DSLiteDriver")
#' library(DSLite)
#'
#' # the analyst
#' conns <- DSI::datashield.login(builder$build())
#' sites <- sites_datashield(conns, c(north = "north", south = "south"))
#' plan <- dpadmm_plan(ill ~ age, sites, epsilon = 2, delta = 1e-6)
#' coef(dpadmm_fit(plan, sites))
#' DSI::datashield.logout(conns)
#' Sys.unsetenv("DPADMM_POLICIES")
#' @export
sites_datashield <- function(conns, data, deadline = 60, min_sites = NULL, analyst = "analyst") {
  need_package("DSI", "sites over DataSHIELD")
  conns <- check_connections(conns)
  ids <- check_data_ids(data, names(conns))
  check_id(analyst, "analyst")
  asked <- vector("list", length(conns))
  async <- vapply(conns, function(conn) isTRUE(DSI::dsIsAsync(conn)$aggregate), NA)
  post <- function(i, request, arguments) {
    text <- datashield_text(request, c(list(data = ids[i]), arguments))
    asked[[i]] <<- tryCatch(DSI::dsAggregate(conns[[i]], text, async = async[[i]]),
      error = identity)
  }
  new_sites("datashield", names(conns), post, function(i) datashield_answer(asked[[i]]),
    deadline = deadline, min_sites = min_sites, analyst = analyst
  )
}

#' The answer to a question, `NULL` while there is none; a condition where it cannot be had.
#' @param result a DSResult, or the condition that there is none.
#' @noRd
datashield_answer <- function(result) {
  if (inherits(result, "condition") || !DSI::dsIsCompleted(result)) {
    return(if (inherits(result, "condition")) result)
  }
  answer <- DSI::dsFetch(result)
  if (is.null(answer)) FALSE else answer # NULL would be no answer yet
}

#' A call as text, so that nothing of the analyst's R decides how it is written, or breaks its
#' lines.
#' @noRd
datashield_text <- function(request, arguments) {
  written <- NULL
  for (name in names(.datashield_arguments[[request]])) {
    x <- arguments[[name]]
    if (is.character(x)) x <- paste0("\"", x, "\"") else if (!is.null(x)) x <- sprintf("%.0f", x)
    written <- c(written, x)
  }
  name <- paste0("dpadmm", toupper(substr(request, 1L, 1L)), substring(request, 2L), "DS")
  paste0(name, "(", paste(written, collapse = ", "), ")")
}

check_connections <- function(conns) {
  if (methods::is(conns, "DSConnection")) conns <- list(conns)
  ok <- is.list(conns) && length(conns) > 0L &&
    all(vapply(conns, methods::is, NA, class2 = "DSConnection"))
  if (!ok) {
    abort("argument", "`conns` must be connections of DSI::datashield.login().",
      argument = "conns"
    )
  }
  names(conns) <- vapply(conns, function(conn) conn@name, "")
  if (anyDuplicated(names(conns))) {
    abort("argument", "`conns` has a connection twice.", argument = "conns",
      place = names(conns)[anyDuplicated(names(conns))]
    )
  }
  conns
}

#' @return a data set for each connection.
#' @noRd
check_data_ids <- function(data, connections) {
  if (is.character(data) && length(data) == 1L && is.null(names(data))) {
    return(rep(check_id(data, "data"), length(connections)))
  }
  if (!is.character(data) || !setequal(names(data), connections) || anyDuplicated(names(data))) {
    abort("argument", paste(
      "`data` must be the name of a data set, or one for each connection, named like them."
    ), argument = "data")
  }
  ids <- unname(data[connections])
  for (id in ids) check_id(id, "data")
  ids
}
