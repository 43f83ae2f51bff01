# Policies as files.

.policy_fields <- c("Data", "Site", "Source", "Query", "Ledger", "Epsilon", "Delta", "Renewal",
  "Methods", "Rounds", "Deadline", "Simulation", "Person", "Records", "Shares-Records",
  "Identity", "Peers", "Colluders", "Columns")
.policy_needed <- c("Data", "Source", "Ledger", "Epsilon", "Columns")

#' @rdname site_policy
#' @param ... arguments of `site_policy()`, by name, to write a file.
#' @export
site_policy_file <- function(path, ...) {
  path <- check_word(path, "path")
  if (is.null(path)) abort("argument", "`path` is missing.", argument = "path")
  if (...length()) {
    policy <- site_policy(...)
    write_policy(policy, path)
    return(invisible(policy))
  }
  policy_of_lines(policy_lines(path), path)
}

#' @noRd
policy_of_lines <- function(lines, path) {
  fields <- read_policy_fields(lines, path)
  read <- function(name, as = identity) if (!is.null(fields[[name]])) as(fields[[name]])
  number <- function(name) {
    read(name, function(text) {
      x <- suppressWarnings(as.numeric(text))
      if (is.na(x)) abort_policy(path, name, sprintf("`%s` is no number", text))
      x
    })
  }
  person <- read("Person", function(text) read_person(text, path))
  given <- list(
    data = read("Data"), site = read("Site"), source = read("Source"), query = read("Query"),
    person = person$column, per_person = person$most, records = number("Records"),
    ledger = read("Ledger"),
    epsilon = number("Epsilon"), delta = number("Delta"), renewal = number("Renewal"),
    rounds = number("Rounds"), deadline = number("Deadline"),
    methods = read("Methods", function(text) strsplit(text, "[ ,]+")[[1L]]),
    simulation = read("Simulation", function(text) read_yes(text, path)),
    shares_records = read("Shares-Records", function(text) read_yes(text, path, "Shares-Records")),
    identity = read("Identity"), peers = read_policy_peers(fields$Peers, path),
    colluders = number("Colluders"), schema = read_policy_columns(fields$Columns, path)
  )
  policy_field(path, do.call(site_policy, Filter(Negate(is.null), given)))
}

#' The policy of a file that a site is made of: in another session it must name the same files.
#' @noRd
policy_of_site <- function(path) {
  policy <- site_policy_file(path)
  paths <- list(Ledger = policy$ledger, Source = if (is.null(policy$query)) policy$source,
    Identity = policy$identity)
  for (field in names(paths)) {
    if (is.null(paths[[field]]) || is_absolute(paths[[field]])) next
    abort_policy(path, field, "it must be an absolute path")
  }
  check_unshared(policy, path)
  policy
}

is_absolute <- function(path) grepl("^(/|[A-Za-z]:[/\\\\]|\\\\\\\\)", path)

#' @param code whose errors are about a field of a policy.
#' @param field which one; `NULL`: that of their argument.
#' @noRd
policy_field <- function(path, code, field = NULL) {
  tryCatch(code, dpadmm_error = function(e) {
    if (inherits(e, "dpadmm_error_policy")) stop(e)
    if (is.null(field)) field <- field_of(e$argument)
    abort_policy(path, field, sub("[.]$", "", conditionMessage(e)))
  })
}

abort_policy <- function(path, field, words) {
  abort("policy", sprintf("The policy %s is wrong at \"%s\": %s.", path, field, words),
    argument = field, place = path
  )
}

field_of <- function(argument) {
  if (argument %in% c("schema", "impute")) return("Columns")
  if (argument == "per_person") return("Person")
  found <- .policy_fields[tolower(.policy_fields) == argument]
  if (length(found)) found else "Columns"
}

#' The fields of a file, each once, none unknown.
#' @noRd
read_policy_fields <- function(lines, path) {
  fields <- policy_text_fields(lines, path)
  if (length(odd <- setdiff(names(fields), .policy_fields))) {
    abort_policy(path, odd[1L], "there is no such field")
  }
  if (anyDuplicated(names(fields))) {
    abort_policy(path, names(fields)[duplicated(names(fields))][1L], "it is there twice")
  }
  if (length(lost <- setdiff(.policy_needed, names(fields)))) {
    abort_policy(path, lost[1L], "it is missing")
  }
  fields
}

#' The lines of a file, which is in UTF-8.
#' @noRd
policy_lines <- function(path) {
  if (!file.exists(path) || dir.exists(path)) {
    abort("policy", sprintf("There is no policy file %s.", path), argument = "path", place = path)
  }
  lines <- without_mark(readLines(path, warn = FALSE, skipNul = TRUE))
  foreign <- which(!validUTF8(lines))
  if (length(foreign)) {
    abort("policy", sprintf("Line %d of the policy %s is not UTF-8.", foreign[1L], path),
      argument = "path", place = path
    )
  }
  Encoding(lines) <- "UTF-8"
  lines
}

#' Fields and their values: "Name: value", and what follows it on lines that begin with a blank.
#' Not read.dcf(), which takes the last of two fields of one name.
#' @noRd
policy_text_fields <- function(lines, path) {
  lines[grepl("^#", lines)] <- ""
  heads <- regmatches(lines, regexec("^([^[:blank:]:][^:]*):(.*)$", lines))
  starts <- lengths(heads) > 0L
  field <- cumsum(starts)
  odd <- !starts & grepl("[^[:blank:]]", lines) & (field == 0L | !grepl("^[[:blank:]]", lines))
  if (any(odd) || !any(starts)) {
    abort("policy", sprintf("%s is no policy: line %d is no field and its value.", path,
      c(which(odd), 1L)[1L]), argument = "path", place = path)
  }
  heads <- heads[starts]
  lines[starts] <- vapply(heads, `[[`, "", 3L)
  texts <- vapply(split(lines[field > 0L], field[field > 0L]), paste, "", collapse = "\n")
  as.list(stats::setNames(trimws(texts), vapply(heads, `[[`, "", 2L)))
}

read_yes <- function(text, path, field = "Simulation") {
  if (!tolower(text) %in% c("yes", "no")) abort_policy(path, field, "say yes or no")
  tolower(text) == "yes"
}

#' "patient; most 3", or "patient" for one.
#' @noRd
read_person <- function(text, path) {
  parts <- regmatches(text, regexec("^([^;]+?) *(; *most +([0-9]+))?$", text, perl = TRUE))[[1L]]
  if (length(parts) == 0L) {
    abort_policy(path, "Person", "a column, and how many of a person's records count: id; most 3")
  }
  list(column = parts[2L], most = if (nzchar(parts[4L])) as.numeric(parts[4L]) else 1)
}

#' Lines of "age: 18 to 100; missing 50" and "smoker: no | yes" as a schema.
#' @noRd
read_policy_columns <- function(text, path) {
  lines <- trimws(strsplit(text, "\n")[[1L]])
  lines <- lines[nzchar(lines)]
  wrong <- function(line, words) abort_policy(path, "Columns", sprintf("%s in `%s`", words, line))
  columns <- impute <- list()
  for (line in lines) {
    parts <- regmatches(line, regexec("^([^:]+?) *: *(.*?) *(; *missing +(.*))?$", line,
      perl = TRUE))[[1L]]
    if (length(parts) == 0L) wrong(line, "no name and colon")
    name <- parts[2L]
    if (name %in% names(columns)) wrong(line, "a column that was there before")
    if (name == "impute") wrong(line, "a name that a column cannot have")
    range <- regmatches(parts[3L], regexec("^(\\S+) +to +(\\S+)$", parts[3L]))[[1L]]
    if (length(range)) {
      columns[[name]] <- suppressWarnings(as.numeric(range[-1L]))
      if (anyNA(columns[[name]])) wrong(line, "bounds that are no numbers")
    } else {
      columns[[name]] <- trimws(strsplit(parts[3L], "|", fixed = TRUE)[[1L]])
      if (length(columns[[name]]) < 2L) {
        wrong(line, "neither bounds (18 to 100) nor levels (no | yes)")
      }
    }
    if (nzchar(parts[5L])) impute[[name]] <- trimws(parts[5L])
  }
  policy_field(path,
    do.call(dpadmm_schema, c(columns, list(impute = if (length(impute)) impute))), "Columns"
  )
}

#' @noRd
write_policy <- function(policy, path) {
  number <- function(x) {
    if (is.numeric(x)) x <- format(x, digits = if (signif(x, 15L) == x) 15L else 17L)
    x
  }
  impute <- attr(policy$schema, "impute")
  columns <- vapply(names(policy$schema), function(name) {
    v <- policy$schema[[name]]
    text <- if (is.character(v)) paste(v, collapse = " | ") else {
      paste(number(v[1L]), "to", number(v[2L]))
    }
    if (!is.null(impute[[name]])) text <- paste0(text, "; missing ", number(impute[[name]]))
    sprintf("  %s: %s", name, text)
  }, "")
  fields <- list(
    Data = policy$data, Site = policy$site, Source = policy$source, Query = policy$query,
    Ledger = policy$ledger, Epsilon = number(policy$epsilon), Delta = number(policy$delta),
    Renewal = number(policy$renewal), Methods = paste(policy$methods, collapse = " "),
    Rounds = number(policy$rounds), Deadline = number(policy$deadline),
    Simulation = if (policy$simulation) "yes",
    Person = if (!is.null(policy$person)) {
      sprintf("%s; most %s", policy$person, number(policy$per_person))
    },
    Records = number(policy$records),
    "Shares-Records" = if (!policy$shares_records) "no", Identity = policy$identity,
    Peers = if (!is.null(policy$peers)) {
      paste(c("", sprintf("  %s: %s", names(policy$peers), policy$peers)), collapse = "\n")
    }, Colluders = if (!is.null(policy$peers)) number(policy$colluders)
  )
  stated <- c(names(Filter(Negate(is.null), fields)), "Columns")
  if (length(lost <- setdiff(.policy_needed, stated))) {
    abort("argument", sprintf("A policy file needs `%s`.", tolower(lost[1L])),
      argument = tolower(lost[1L])
    )
  }
  fields <- Filter(Negate(is.null), fields)
  lines <- c(sprintf("%s: %s", names(fields), unlist(fields)), "Columns:", unname(columns))
  lines <- enc2utf8(lines)
  check_written(policy, lines, path)
  tryCatch(writeLines(lines, path, useBytes = TRUE), error = function(e) abort_policy_write(path),
    warning = function(w) abort_policy_write(path)
  )
}

#' Whether the lines say what the policy does: a level may look like two, or like something else.
#' @noRd
check_written <- function(policy, lines, path) {
  read <- tryCatch(policy_of_lines(lines, path), dpadmm_error_policy = identity)
  for (part in names(policy)) {
    same <- !inherits(read, "error") &&
      isTRUE(all.equal(policy[[part]], read[[part]], tolerance = 0))
    if (!same) {
      abort("argument", sprintf("`%s` cannot be written in a policy file.", part), argument = part)
    }
  }
}

abort_policy_write <- function(path) {
  abort("policy", sprintf("The policy %s cannot be written.", path), argument = "path",
    place = path
  )
}
