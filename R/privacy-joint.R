# The privacy statement of several runs together.

#' @rdname privacy
#' @param records of a list of fits: `"same"`: parties of one name hold the same records, and
#'   whoever has no name may hold any; `"disjoint"`: no record was in two of them. See Several
#'   fits in [account()].
#' @export
privacy.list <- function(fit, delta = NULL, records = c("same", "disjoint"), ...) {
  check_no_dots(...)
  records <- check_choice(records, c("same", "disjoint"), "records")
  check_runs(fit)
  if (is.null(delta)) {
    parts <- lapply(unname(fit), privacy)
    delta <- max(vapply(parts, `[[`, 0, "delta"))
  }
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  parts <- lapply(unname(fit), privacy, delta = delta)
  if (length(parts) == 1L) return(parts[[1L]])
  spent <- account(fit, delta, records = records)
  new_statement(spent, joint_facts(parts),
    accountant = "sound", runs = length(parts), records = records
  )
}

check_runs <- function(runs) {
  ok <- vapply(runs, inherits, NA, .runs)
  if (length(runs) > 0L && all(ok)) return(invisible())
  if (length(runs) == 0L) {
    abort("argument", "`fit` is an empty list: there is nothing to state.", argument = "fit")
  }
  at <- which(!ok)[1L]
  abort("argument", sprintf(
    "`fit` must be a list of fits or plans; number %d is %s.", at, kind_of(runs[[at]])
  ), argument = "fit", place = at)
}

#' What any of the statements says is said of all of them together. They are about a user's data
#' only where all are, of the same users; what is promised to a user or a person holds for each
#' record, and for persons with fewer records.
#' @noRd
joint_facts <- function(parts) {
  all_of <- function(field) unlist(lapply(parts, `[[`, field))
  users <- lapply(parts, function(part) sort(part$users))
  same_users <- all(all_of("user_level")) && !is.null(parts[[1L]]$users) &&
    length(unique(users)) == 1L
  persons <- lapply(parts, `[[`, "per_person")
  largest <- function(x) if (!is.null(x)) max(x)
  releases <- table(factor(all_of("releases"), unique(all_of("releases"))))
  statement_facts(as.character(seq_along(parts)),
    per_person = if (!any(vapply(persons, is.null, NA))) rep(min(unlist(persons)), 2L),
    user_level = same_users, users = if (same_users) parts[[1L]]$users,
    tolerance = largest(all_of("tolerance")), rows = unique(all_of("rows")),
    seeded = any(all_of("seeded")), simulated = any(all_of("simulated")),
    leaks = unique(all_of("leaks")),
    audience = "Whoever sees every message of all of them, and their models,",
    released = paste0(names(releases), ifelse(releases > 1L, sprintf(" (%d times)", releases), ""),
      collapse = "; "
    ),
    stated = unique(all_of("stated")), charged = unique(all_of("charged")),
    counted = unique(all_of("counted")),
    smallest = if (!is.null(all_of("smallest"))) min(all_of("smallest"))
  )
}
