# Where a site's records come from: what the policy says, and never an object of a session.

#' @return a data frame, or a file of encoded records.
#' @noRd
read_source <- function(policy) {
  source <- policy$source
  unavailable <- function(e) {
    abort("site", sprintf("The records of %s cannot be read: %s.", policy$data,
      sub("[.]$", "", conditionMessage(e))), argument = "source", parent = e)
  }
  needed <- c(names(policy$schema), policy$person)
  tryCatch(suppressWarnings(read_records(source, policy$query, needed)), error = unavailable)
}

#' A CSV file is read as text: a column's type would depend on all of its cells, and so what a
#' record says on the others.
#' @noRd
read_records <- function(source, query, needed) {
  if (!is.null(query)) return(read_database(source, query, needed))
  if (!file.exists(source)) stop("there is no file ", source)
  switch(tolower(tools::file_ext(source)),
    csv = csv_table(source),
    rds = readRDS(source),
    dpadmm = dpadmm_records(source),
    parquet = {
      need_package("arrow", "Parquet files")
      arrow_frame(arrow::read_parquet(source, as_data_frame = FALSE))
    },
    feather = ,
    arrow = {
      need_package("arrow", "Arrow files")
      arrow_frame(arrow::read_feather(source, as_data_frame = FALSE))
    },
    stop("unknown kind of file")
  )
}

#' A column of values of several types is refused: which of them it had would depend on the first.
#' @param source "RSQLite dbname=/srv/icu.sqlite".
#' @param needed names of the columns that are read.
#' @noRd
read_database <- function(source, query, needed) {
  need_package("DBI", "records in a data base")
  words <- strsplit(source, " +")[[1L]]
  need_package(words[1L], "records in a data base")
  parts <- regmatches(words[-1L], regexec("^([^=]+)=(.*)$", words[-1L]))
  arguments <- stats::setNames(lapply(parts, `[[`, 3L), vapply(parts, `[[`, "", 2L))
  driver <- getExportedValue(words[1L], sub("^R", "", words[1L]))
  con <- do.call(DBI::dbConnect, c(list(driver()), arguments))
  on.exit(DBI::dbDisconnect(con))
  with_mixed(DBI::dbGetQuery(con, query), needed, stop)
}

#' What a site reads is a table with the columns of its policy, or a file of records.
#' @noRd
check_site_data <- function(data, policy) {
  if (inherits(data, "dpadmm_records")) return(check_site_store(data, policy))
  if (!is.data.frame(data) || nrow(data) == 0L) {
    abort("shape", "The records of a site must be a data frame with rows.", argument = "data")
  }
  if (length(lost <- setdiff(c(names(policy$schema), policy$person), names(data)))) {
    abort("policy", sprintf("The records have no column `%s`, as the policy says.", lost[1L]),
      argument = if (identical(lost[1L], policy$person)) "Person" else "Columns", place = lost[1L]
    )
  }
  for (name in c(names(policy$schema), policy$person)) {
    if (is.atomic(data[[name]]) && is.null(dim(data[[name]]))) next
    abort("policy", sprintf("The records' `%s` is no column of numbers or texts.", name),
      argument = "Columns", place = name
    )
  }
}

#' Encoded records have no ids of persons, and no room for more records than there are.
#' @noRd
check_site_store <- function(records, policy) {
  stated <- c(Person = !is.null(policy$person), Records = !is.null(policy$records))
  if (any(stated)) {
    field <- names(stated)[stated][1L]
    abort("policy", sprintf("`%s` is not for records in a file of dpadmm_records().", field),
      argument = field
    )
  }
}
