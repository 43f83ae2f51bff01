# Missing values, as far as they are public: what to do with them, and the values that a schema
# puts in their place. Rows that are left out are in data-missing.R.

#' Missing values
#'
#' Real tables have holes. dpadmm stops at the first one, because each way to go on says
#' something about the model or about privacy, and you should choose it. There are two, and they
#' can be used together.
#'
#' **Put a public value in its place** (the safe choice). State it in the schema:
#' ```
#' dpadmm_schema(age = c(18, 100), ward = c("general", "cardiac", "unknown"),
#'   impute = list(age = 50, ward = "unknown"))
#' ```
#' A missing age is then taken for 50, and one more column, `age_missing`, is 1 where the age
#' was missing and 0 elsewhere, so that the model can learn that these records are different.
#' A categorical variable needs no such column: give it a level of its own for missing values
#' (`"unknown"` above), or name one of its other levels. No record is lost, nothing is read from
#' other records, and [predict()] and [evaluate()] treat new data the same way. Choose the
#' values from what is publicly known (a census, the middle of the bounds), not from these data:
#' their mean would tell of every record.
#'
#' **Leave the rows out**: `na.action = "omit"`, as glm does. Such a row stays in the count of
#' records and gets weight 0. This is on purpose. The number of complete rows would tell whether
#' a certain record is complete; so nobody is told how many there are, and means are still
#' taken over all records, of which the incomplete ones add 0. For the model it is as if the rows
#' were not there and the penalty were a little larger. The guarantee is the same as without
#' missing values (and the fit is one of nothing, not an error, if no row is complete): a record
#' that is replaced by an incomplete one is a record replaced. As with
#' glm, rows that are left out can bias the model. [predict()] answers `NA` for such rows,
#' [evaluate()] leaves them out.
#'
#' Weights and offsets that are not finite, or whose sum is not, are missing values too.
#'
#' A missing value in `nodes` is always an error: nobody would hold the record.
#'
#' @section What does not work here:
#' Imputing by the mean, the median or a model of these records, and dropping rows before the fit
#' and stating the number that is left, are data-dependent: no guarantee covers them. Multiple
#' imputation is not offered.
#' @examples
#' n <- 400
#' patients <- data.frame(
#'   age = sample(20:90, n, TRUE), ward = sample(c("general", "cardiac"), n, TRUE)
#' )
#' patients$ill <- patients$age / 90 + rnorm(n, sd = 0.3) > 0.7
#' patients$age[sample(n, 40)] <- NA
#' patients$ward[sample(n, 20)] <- NA
#' public <- dpadmm_schema(
#'   age = c(18, 100), ward = c("general", "cardiac", "unknown"),
#'   impute = list(age = 50, ward = "unknown")
#' )
#' fit <- dpadmm_fit(ill ~ age + ward, patients, nodes = 4, schema = public, epsilon = 5)
#' coef(fit)
#' predict(fit, data.frame(age = NA, ward = "cardiac"), type = "response")
#'
#' bounds <- dpadmm_schema(age = c(18, 100), ward = c("general", "cardiac"))
#' fit <- dpadmm_fit(ill ~ age + ward, patients,
#'   nodes = 4, schema = bounds, epsilon = 5, na.action = "omit"
#' )
#' @seealso [dpadmm_schema()], [dpadmm_fit()].
#' @name missing-values
#' @aliases na.action
NULL

#' "fail" or "omit", by name or as the functions of stats that do so.
#' @noRd
check_na_action <- function(na_action) {
  if (identical(na_action, stats::na.omit)) return("omit")
  if (identical(na_action, stats::na.fail)) return("fail")
  if (is.character(na_action) && length(na_action) == 1L) {
    na_action <- sub("^na[.]", "", na_action)
    if (na_action %in% c("fail", "omit")) return(na_action)
  }
  abort("argument", '`na.action` must be "fail" or "omit", see ?"missing-values".',
    argument = "na.action"
  )
}

#' What to do about a missing value, for the end of an error.
#' @noRd
.missing_advice <- paste0(
  ' Give it a public value by `impute` of dpadmm_schema(), or use na.action = "omit": see ',
  '?"missing-values".'
)

#' Values to impute, by variable: numbers within the bounds, or levels.
#' @noRd
check_impute <- function(impute, columns) {
  if (is.null(impute)) return(NULL)
  impute <- as.list(impute)
  lost <- setdiff(names(impute), names(columns))
  if (is.null(names(impute)) || anyDuplicated(names(impute)) || length(lost)) {
    abort("argument", sprintf(
      "`impute` must be named by columns of the schema%s.",
      if (length(lost)) sprintf(": `%s` is none", lost[1L]) else ""
    ), argument = "impute")
  }
  for (name in names(impute)) {
    impute[[name]] <- imputed_value(impute[[name]], columns[[name]], name)
  }
  impute
}

imputed_value <- function(value, column, name) {
  if (is.character(column)) {
    if (length(value) == 1L && as.character(value) %in% column) return(as.character(value))
    abort("argument", sprintf("`impute` must name one of the levels of `%s`.", name),
      argument = "impute", place = name
    )
  }
  # c(age = 50, ward = "general") is all strings
  if (is.character(value)) value <- suppressWarnings(as.numeric(value))
  ok <- is.numeric(value) && length(value) == 1L && is.finite(value)
  if (!ok || value < column[1L] || value > column[2L]) {
    abort("argument", sprintf(
      "`impute` must give `%s` a number from %g to %g.", name, column[1L], column[2L]
    ), argument = "impute", place = name)
  }
  value
}

#' Described variables with what the schema imputes for them.
#' @param names by which the schema knows them.
#' @noRd
with_imputation <- function(described, schema, names) {
  impute <- attr(schema, "impute")
  for (k in which(names %in% names(impute))) described[[k]]$impute <- impute[[names[k]]]
  described
}

imputed_names <- function(variables) {
  names(variables)[vapply(variables, function(v) !is.null(v$impute), NA)]
}

#' Variables without missing values where something is imputed, and an indicator of them for each
#' numeric one: one of `age`, whether the formula has age, a spline of it, or both.
#' @noRd
impute_missing <- function(blueprint, variables) {
  indicators <- list()
  for (name in names(variables)) {
    how <- blueprint$variables[[name]]
    if (is.null(how$impute)) next
    column <- typed_column(variables[[name]], how)
    missing <- is.na(column)
    column[missing] <- how$impute
    variables[[name]] <- column
    if (how$type != "levels") indicators[[missing_name(how, name)]] <- as.double(missing)
  }
  list(variables = variables, indicators = indicators)
}

#' A column that may be imputed; one of nothing but NA has no type of its own.
#' @noRd
typed_column <- function(column, how) {
  if (!is.factor(column) && !(is.logical(column) && all(is.na(column)))) return(column)
  if (how$type == "levels") as.character(column) else as.double(column)
}

missing_name <- function(how, name) {
  paste0(if (how$type == "basis") call_words(how$basis$input) else name, "_missing")
}

#' The names of all indicators.
#' @noRd
missing_names <- function(variables) {
  has <- vapply(variables, function(how) !is.null(how$impute) && how$type != "levels", NA)
  unique(unlist(Map(missing_name, variables[has], names(variables)[has]), use.names = FALSE))
}

#' Columns of a design with the indicators after them, each a term of its own.
#' @noRd
with_indicators <- function(x, indicators) {
  if (length(indicators) == 0L) return(x)
  assign <- attr(x, "assign")
  x <- cbind(x, do.call(cbind, indicators))
  attr(x, "assign") <- c(assign, max(assign, 0L) + seq_along(indicators))
  x
}
