#' What a data holder allows
#'
#' A policy is the holder's own word about one data set: what is public of it, how much may ever
#' be learnt from it, and from where it is read. It is a small text file (or an object in R) that
#' the holder owns; an analyst can read what is public of it and change nothing.
#'
#' The file is in Debian's control format, fields and their values, each once, and comments on
#' lines that begin with `#`; a template comes with the package,
#' `system.file("policy.dcf", package = "dpadmm")`:
#' ```
#' Data: icu-2026
#' Site: north
#' Source: /srv/icu/patients.csv
#' Ledger: /srv/icu/ledger.sqlite
#' Epsilon: 4
#' Delta: 1e-06
#' Columns:
#'   age: 18 to 100; missing 50
#'   smoker: no | yes
#'   ill: no | yes
#' ```
#' A site needs absolute paths in it: a relative one would be another file in another session.
#' Behind DataSHIELD the file is named by its data set, here `icu-2026.dcf`, see [dpadmmPublicDS()].
#'
#' Whatever the records hold, a site answers alike: numbers are set to the nearer bound, what is
#' not of the declared kind is missing, and a record with something missing counts with weight 0,
#' or has the public value that `missing` states in its place. The number of records is public.
#' What one record says must not change how another is read. So a CSV file is read as text and each
#' cell for itself (a level is what is written, `01`, or what R writes for it, `1`), and one with a
#' cell too many or too few in a line is no such file; a query must make each row of one record,
#' and give each column one type.
#'
#' @section Persons:
#' With `Person: patient; most 3` in the file (`person = "patient", per_person = 3`) neighbours
#' differ in all records of one person, and the budget, the ledger and every fit's statement are
#' about persons. The first 3 records of each, in the order of the source, count, whatever else is
#' in them; further ones count with weight 0, and so does every record without an id (missing, or
#' an empty text), as nobody knows whose limit it would fall under. So a person may have fewer or
#' more records than the limit, or none that count; only the number of rows in all is public, as it
#' is without persons. Ids are compared as they are written (of a CSV file as text, without blanks
#' at the ends): one person must have one id. It need not be a column of the policy.
#'
#' Noise grows in proportion to the limit, a little more where curvature counts (see [persons]). A
#' plan asks the sites how many it is, [dpadmm_plan()]'s `per_person`; a plan for fewer records of a
#' person is refused, and so is a ledger that was charged for fewer. What a person has at *other*
#' sites is theirs to protect: who is at two of them may lose what both say.
#'
#' @section Secure sums:
#' For fits with `aggregation = "secure"` a policy has the file of the site's own key, `Identity`,
#' and `Peers`, the public keys of all sites, which custodians give each other beforehand: see
#' [site_identity()]. A template is `system.file("policy-secure.dcf", package = "dpadmm")`. A site
#' takes part in sums of its peers only, all of which must sign for the run.
#'
#' @param path of the file. With further arguments it is written, else read.
#' @param data the name of the data set: letters, digits and `_.+-`, no dot first. The ledger
#'   knows the records by it; the same records under two names would have two budgets.
#' @param schema bounds and levels of the columns, see [dpadmm_schema()].
#' @param epsilon,delta the budget: all that may ever be learnt of a record through this site,
#'   over all fits (`0 < epsilon < Inf`, `0 <= delta < 1`).
#' @param site name of the party. `NULL`: that of the data set.
#' @param source where the records are: a path of a CSV file (`.csv`), of a data frame saved by
#'   [saveRDS()] (`.rds`), of a Parquet or Arrow file (`.parquet`, `.feather`: package arrow) or of
#'   records larger than memory that [dpadmm_records()] kept (`.dpadmm`, made with
#'   `na.action = "omit"`): these are for plans of their own formula only, and know no persons;
#'   or `"RSQLite dbname=/srv/icu.sqlite"`: a DBI package and arguments of its connection,
#'   with `query`. `NULL` in R only, where [dpadmm_site()] is given the records.
#' @param query SQL, for a source that is a data base.
#' @param ledger path of the ledger, see [dpadmm_ledger()]: every site of one data set must have
#'   the same.
#' @param renewal after how many days the budget is there anew; `NULL`: never. The guarantee is
#'   then one for each such period.
#' @param methods names of methods that are allowed; `NULL`: all that sites can run.
#' @param person name of the column that says whose a record is: the budget then protects all of a
#'   person's records together. `NULL`: it protects each record. See Persons.
#' @param per_person how many records of a person count at most; with a `person`.
#' @param records the number of records that is told in place of the table's, at least as many:
#'   what is added counts nothing. `NULL`: the number of rows, which is public then, and to which a
#'   person with very many of them adds as many.
#' @param rounds most iterations of a fit.
#' @param deadline hours that a fit may take from its begin: after them the site has forgotten its
#'   key, and answers no more.
#' @param simulation `TRUE` for records that are nobody's: fits may have a seed, and nothing of it
#'   is private.
#' @param shares_records `FALSE` (in a file `Shares-Records: no`): your word that no record of this
#'   data set is in another one with the same source. Two policies in one directory that read the
#'   same file, or the same table, are an error of [dpadmm_site()] where neither says so: the
#'   records would have two budgets.
#' @param identity for secure sums: the file of the site's own key, see [site_identity()].
#' @param peers for secure sums: the public keys of all sites, this one among them, a character
#'   vector by site.
#' @param colluders for secure sums: so many other sites at least may tell the hub all they know;
#'   a plan that counts on more `honest` ones, see [secure_sum()], is refused.
#' @return An object of class `dpadmm_policy`, with [print()]. A field that is wrong is an error of
#'   class `dpadmm_error_policy` whose `argument` is the field and `place` the file; what a file
#'   cannot say (a level with `|` in it) is one of class `dpadmm_error_argument`.
#' @seealso [dpadmm_site()], [sites], [dpadmm_ledger()].
#' @examples
#' columns <- dpadmm_schema(age = c(18, 100), smoker = c("no", "yes"), ill = c("no", "yes"))
#' site_policy("icu-2026", columns, epsilon = 4, delta = 1e-6, site = "north")
#' file <- tempfile(fileext = ".dcf")
#' site_policy_file(file,
#'   data = "icu-2026", schema = columns, epsilon = 4, delta = 1e-6, site = "north",
#'   source = "/srv/icu/patients.csv", ledger = "/srv/icu/ledger.sqlite"
#' )
#' site_policy_file(file)
#' cat(readLines(file), sep = "\n")
#' @export
site_policy <- function(data, schema, epsilon, delta = 0, site = NULL, source = NULL, query = NULL,
                        ledger = NULL, renewal = NULL, methods = NULL, rounds = 1000,
                        deadline = 24, simulation = FALSE, person = NULL, per_person = 1,
                        records = NULL, shares_records = TRUE, identity = NULL, peers = NULL,
                        colluders = 1) {
  check_class(schema, "dpadmm_schema", "schema", "dpadmm_schema()")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  if (!is.null(renewal)) check_number(renewal, "renewal", lower = 0, open_lower = TRUE)
  known <- names(methods_table())
  if (!is.null(methods) && !(is.character(methods) && all(methods %in% known))) {
    abort("argument", sprintf("`methods` must be among %s.", paste(known, collapse = ", ")),
      argument = "methods"
    )
  }
  check_number(per_person, "per_person", lower = 1, upper = 1e6, whole = TRUE)
  if (is.null(person) && per_person > 1) {
    abort("argument", "`per_person` is about persons: `person` must name the column of their ids.",
      argument = "person"
    )
  }
  site <- check_id(if (is.null(site)) data else site, "site")
  structure(list(
    data = check_id(data, "data"), site = site,
    source = check_word(source, "source"), query = check_word(query, "query"),
    ledger = check_word(ledger, "ledger"), schema = schema,
    epsilon = check_number(epsilon, "epsilon", lower = 0, open_lower = TRUE), delta = delta,
    renewal = renewal, methods = if (is.null(methods)) known else methods,
    rounds = check_number(rounds, "rounds", lower = 1, upper = 1e6, whole = TRUE),
    deadline = check_number(deadline, "deadline", lower = 0, upper = 1e5, open_lower = TRUE),
    simulation = check_flag(simulation, "simulation"),
    person = check_word(person, "person"), per_person = per_person,
    records = if (!is.null(records)) {
      check_number(records, "records", lower = 1, upper = .Machine$integer.max, whole = TRUE)
    },
    shares_records = check_flag(shares_records, "shares_records"),
    identity = check_word(identity, "identity"), peers = check_peers(peers, identity, site),
    colluders = check_number(colluders, "colluders", lower = 0, upper = 1e6, whole = TRUE)
  ), class = "dpadmm_policy")
}

#' A name that every transport lets through.
#' @noRd
check_id <- function(x, argument) {
  ok <- is.character(x) && length(x) == 1L && !is.na(x) && nchar(x, "bytes") <= 100L &&
    grepl("^[A-Za-z0-9_+-][A-Za-z0-9_.+-]*$", x, useBytes = TRUE)
  if (ok) return(x)
  abort("argument", sprintf(
    "`%s` must be at most 100 letters (A to Z, a to z), digits and _.+-, no dot first.", argument
  ), argument = argument)
}

check_word <- function(x, argument) {
  ok <- is.null(x) || (is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x) &&
    !grepl("\n", x, fixed = TRUE))
  if (!ok) {
    abort("argument", sprintf("`%s` must be one line of text.", argument), argument = argument)
  }
  x
}

#' @export
print.dpadmm_policy <- function(x, ...) {
  check_no_dots(...)
  cat(sprintf("<dpadmm_policy: %s, site %s>\n", x$data, x$site))
  cat(sprintf("  budget: %s\n", budget_words(x$epsilon, x$delta, x$renewal)))
  cat(sprintf("  at most %g iterations within %g hours\n", x$rounds, x$deadline))
  if (!is.null(x$person)) {
    cat(sprintf("  for a person (%s) with at most %g records that count\n", x$person, x$per_person))
  }
  if (!is.null(x$peers)) cat("  secure sums of", paste(names(x$peers), collapse = ", "), "\n")
  if (x$simulation) cat("  a simulation: nothing here is private\n")
  cat(sprintf("  %s: %s\n", names(x$schema), format(x$schema)), sep = "")
  invisible(x)
}
