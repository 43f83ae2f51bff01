# What sites say of themselves, looked at before anything is made of it: a site may say anything,
# and a hub names who said what.

.largest_answer <- 1e7 # bytes

#' What a site says in public, if it is that.
#' @param name of the site.
#' @noRd
check_public <- function(name, said) {
  check_answer(name, said, "public")
  for (field in names(.public_fields)) {
    if (!.public_fields[[field]](said[[field]])) {
      abort_site(name, sprintf("what it says in public of `%s` cannot be so", field),
        field_of_public(field)
      )
    }
  }
  said$schema <- tryCatch(
    do.call(dpadmm_schema, c(said$columns, list(impute = said$impute))),
    error = function(e) abort_site(name, paste("its columns are none:", site_words(
      conditionMessage(e))), "Columns")
  )
  said
}

#' What a site reports of its ledger, if it is that.
#' @noRd
check_report <- function(name, said) {
  check_answer(name, said, "report")
  charges <- said$charges
  columns <- c("number", "period")
  texts <- c("time", "analyst", "what")
  good <- identical(class(charges), "data.frame") && all(c(columns, texts) %in% names(charges)) &&
    all(vapply(charges[columns], is_plain_numbers, NA)) && is_cost(charges$cost) &&
    all(vapply(charges[texts], is_plain_text, NA)) && !anyNA(time_of(charges$time))
  if (!good) abort_site(name, "what it reports of its `charges` cannot be so", "charges")
  left <- said$left
  numbers <- c("epsilon", "delta", "allowance", "share", "period", "charges")
  good <- is.list(left) && all(vapply(left[numbers], is_one_number, NA)) && left$share >= 0 &&
    left$share <= 1 && left$charges >= 0 && left$epsilon > 0 &&
    left$allowance > 0
  if (!good) abort_site(name, "what it reports is `left` cannot be so", "left")
  said
}

check_answer <- function(name, said, request) {
  if (is.list(said) && !is.object(said) && utils::object.size(said) <= .largest_answer) {
    return(invisible())
  }
  abort_site(name, sprintf("its answer to `%s` is none", request), request)
}

#' The words of a site: one line of text, whatever it sent.
#' @noRd
site_words <- function(x) {
  plain <- is.character(x) && length(x) == 1L && is.null(attributes(x)) && validUTF8(x) && !is.na(x)
  if (!plain) return("it does not say why")
  substr(gsub("[[:cntrl:]]", " ", x), 1L, 1000L)
}

# ---- fields --------------------------------------------------------------------------------

is_one_number <- function(x, lower = -Inf, upper = Inf) {
  is.numeric(x) && is.null(attributes(x)) && length(x) == 1L && is.finite(x) && x >= lower &&
    x <= upper
}

is_plain_numbers <- function(x) is.numeric(x) && is.null(attributes(x)) && all(is.finite(x))

#' What a charge took: infinite where one took all.
#' @noRd
is_cost <- function(x) is.numeric(x) && is.null(attributes(x)) && !anyNA(x) && all(x >= 0)

is_plain_text <- function(x) {
  is.character(x) && is.null(attributes(x)) && all(validUTF8(x)) && !anyNA(x)
}

is_one_id <- function(x) {
  is_plain_text(x) && length(x) == 1L &&
    !inherits(tryCatch(check_id(x, "site"), error = identity), "error")
}

is_named_list <- function(x) {
  is.list(x) && !is.object(x) && identical(names(attributes(x)), "names") &&
    is_plain_text(names(x)) && all(nzchar(names(x))) && !anyDuplicated(names(x))
}

#' Levels or bounds of a column.
#' @noRd
is_column <- function(x) {
  if (is.character(x)) return(is_plain_text(x) && length(x) >= 2L && !anyDuplicated(x))
  is_plain_numbers(x) && length(x) == 2L && x[1L] < x[2L]
}

.public_fields <- list(
  site = is_one_id, data = is_one_id,
  records = function(x) is_one_number(x, 1, 2^53) && x == round(x),
  columns = function(x) {
    is_named_list(x) && length(x) > 0L && !"impute" %in% names(x) && all(vapply(x, is_column, NA))
  },
  impute = function(x) is.null(x) || is_named_list(x),
  epsilon = function(x) is_one_number(x, 0) && x > 0,
  delta = function(x) is_one_number(x, 0) && x < 1,
  renewal = function(x) is.null(x) || (is_one_number(x, 0) && x > 0),
  methods = function(x) is_plain_text(x) && length(x) > 0L,
  per_person = function(x) is.null(x) || (is_one_number(x, 1, 2^53) && x == round(x)),
  rounds = function(x) is_one_number(x, 1), simulation = function(x) {
    is.logical(x) && is.null(attributes(x)) && length(x) == 1L && !is.na(x)
  },
  version = function(x) is_plain_text(x) && length(x) == 1L
)

#' As it is called in the policy.
#' @noRd
field_of_public <- function(field) paste0(toupper(substr(field, 1L, 1L)), substring(field, 2L))
