# One table under two names would have two budgets.

#' An error where another policy of the directory reads the same records, and neither states that
#' no record is in both.
#' @param path of the policy.
#' @noRd
check_unshared <- function(policy, path) {
  others <- setdiff(list.files(dirname(path), "[.]dcf$"), basename(path))
  for (other in file.path(dirname(path), others)) {
    that <- tryCatch(site_policy_file(other), error = function(e) NULL) # no site is made of it
    stated <- !policy$shares_records || isFALSE(that$shares_records)
    if (is.null(that) || stated || that$data == policy$data) next
    if (same_records(policy, that)) {
      abort_policy(path, "Source", sprintf(paste(
        "\"%s\" reads the same records, which would have two budgets; if no record is in both,",
        "say Shares-Records: no"
      ), that$data))
    }
  }
}

#' Whether two policies name one file, or one table of one data base.
#' @noRd
same_records <- function(a, b) {
  if (is.null(a$query) != is.null(b$query)) return(FALSE)
  if (is.null(a$query)) {
    return(normalizePath(a$source, mustWork = FALSE) == normalizePath(b$source, mustWork = FALSE))
  }
  words <- function(source) gsub(" +", " ", trimws(source))
  tables <- list(queried_tables(a$query), queried_tables(b$query))
  # of a query that is not understood nothing is known
  words(a$source) == words(b$source) &&
    (any(lengths(tables) == 0L) || length(intersect(tables[[1L]], tables[[2L]])) > 0L)
}

queried_tables <- function(query) {
  after <- gregexpr("\\b(from|join)\\s+[^\\s(),;]+", query, ignore.case = TRUE, perl = TRUE)
  found <- regmatches(query, after)[[1L]]
  tolower(gsub("^\\S+\\s+|[\"`\\[\\]]", "", found))
}
