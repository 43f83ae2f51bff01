#' Several sites, as whoever runs a fit sees them
#'
#' `dpadmm_plan(formula, sites, epsilon =, delta =)` asks the sites for public numbers only,
#' `dpadmm_fit(plan, sites)` has them carry the plan out. The hub, where this runs, need not be
#' trusted: it sees what each site releases and nothing else.
#'
#' * `sites_local()`: all sites in this process, to try things out.
#' * [sites_mirai()]: one operator, many machines.
#' * [sites_datashield()]: holders who do not trust each other.
#'
#' @section Rounds:
#' Every round each site is sent the inbox of its party (d numbers) and answers with its message
#' (d numbers). A site that has not answered within `deadline` seconds is late: its last message
#' stands, and it goes on with the round it is asked for next. A site that cannot be reached is
#' lost, as is one whose machine was restarted (see [dpadmm_site()]); one whose message is not d
#' finite numbers of sensible size is out (a warning of class
#' `dpadmm_warning_site`): their last messages stand to the end. What each has charged stays
#' charged. With fewer than `min_sites` answers the run stops (`dpadmm_error_site`).
#' With `save`, a file, dpadmm_fit() writes what was released, round by round, and
#' [dpadmm_resume()] goes on from there, also after the hub was killed.
#'
#' @section Secure sums:
#' With `aggregation = "secure"` (see [secure_sum()]) sites hide their messages from the hub, too:
#' each pair of sites has a key that nobody else knows, by which one adds and the other
#' subtracts the same random numbers, and only the sum over all sites opens. It takes three sites
#' or more, each with an [identity][site_identity()] and the public keys of the others in its
#' policy, and package sodium at each; `sites_local()` makes identities of its own.
#'
#' A sum is of all sites or of none: an answer that goes astray is asked for again, and where a
#' site is missing then, the round is attempted anew, as often as `failures` of the plan says and
#' was charged for (`fit$attempts`, a data frame of who was missing when, or `NULL`). Then the run
#' stops (`dpadmm_error_site`), and with `save` goes on by [dpadmm_resume()]; `min_sites` says
#' nothing here. See `vignette("secure-sums")`.
#'
#' @section One operator, many machines:
#' With [sites_mirai()] each shard is loaded on its machine by a path or a function, once, and the
#' hub sends it requests as text. Whoever can start such a fit can run anything on these machines,
#' so the records are not hidden from them; that the model is private still holds for everybody
#' else. `close(sites)` ends its daemons.
#'
#' @param data a named list of data frames, one a site; or of [dpadmm_site()]s.
#' @param schema,epsilon,delta,simulation of the policy that all have, see [site_policy()]; not for
#'   a list of sites, which have their own. Without `schema` the list is only another way to write
#'   a data frame with a column of `nodes`.
#' @param ledger path of a ledger for all; `NULL`: a temporary one.
#' @param deadline seconds to wait for the answers of a round (> 0, or `Inf`), and to each question
#'   before the first one: when sites first read their records, and when they encode them.
#' @param min_sites how many must answer in each round; `NULL`: one.
#' @param analyst who asks: a name for the sites' ledgers.
#' @return An object of class `dpadmm_sites`, with [print()], [ledger_report()] and `names()`.
#'   [sites_public()] tells what the sites say of themselves: a data frame, with the common
#'   `schema` as an attribute. A site that cannot be reached or refuses is an error of class
#'   `dpadmm_error_site` whose `place` is its name and `argument` the field.
#' @seealso [site_policy()], [dpadmm_site()], [dpadmm_resume()].
#' @examplesIf requireNamespace("RSQLite", quietly = TRUE)
#' patients <- function(n) {
#'   age <- sample(20:90, n, TRUE)
#'   data.frame(age = age, ill = ifelse(age / 90 + rnorm(n, sd = 0.3) > 0.7, "yes", "no"))
#' }
#' columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
#' sites <- sites_local(list(A = patients(300), B = patients(200)), columns,
#'   epsilon = 20, delta = 1e-5)
#' plan <- dpadmm_plan(ill ~ age, sites, epsilon = 8, delta = 1e-5)
#' fit <- dpadmm_fit(plan, sites)
#' coef(fit)
#' sites_public(sites)
#' @name sites
NULL

#' @param names of the sites.
#' @param post function(i, request, arguments): ask site i.
#' @param fetch function(i): its answer, `NULL` while there is none; an error: it is lost.
#' @noRd
new_sites <- function(kind, names, post, fetch, close = function() NULL, deadline = Inf,
                      min_sites = NULL, analyst = "analyst", wait = 0.002) {
  check_number(deadline, "deadline", lower = 0, open_lower = TRUE, infinite = TRUE)
  if (!is.null(min_sites)) {
    check_number(min_sites, "min_sites", lower = 1, upper = length(names), whole = TRUE)
  }
  if (!is_analyst(analyst)) {
    abort("argument", "`analyst` must be at most 100 letters, digits and _.+@-.",
      argument = "analyst"
    )
  }
  sites <- structure(list(
    kind = kind, names = names, post = post, fetch = fetch, close = close, deadline = deadline,
    min_sites = if (is.null(min_sites)) 1 else min_sites, analyst = analyst, wait = wait
  ), class = "dpadmm_sites")
  said <- ask_all(sites, "public", list())
  sites$public <- Map(check_public, names(said), said)
  check_site_names(sites)
  sites$schema <- common_schema(sites)
  sites
}

#' @rdname sites
#' @export
sites_local <- function(data, schema = NULL, epsilon = NULL, delta = 0, ledger = NULL,
                        simulation = FALSE, deadline = Inf, min_sites = NULL,
                        analyst = "analyst") {
  named <- is.list(data) && length(data) >= 2L && !is.null(names(data)) &&
    !anyDuplicated(names(data)) && all(nzchar(names(data)))
  if (!named) {
    abort("argument",
      "`data` must be a named list of two or more data frames or sites, no two of one name.",
      argument = "data"
    )
  }
  if (is.null(schema) && !inherits(data[[1L]], "dpadmm_site")) return(frame_sites(data))
  if (is.null(ledger)) ledger <- tempfile("ledger", fileext = ".sqlite")
  known <- if (!is.null(schema)) local_identities(names(data))
  made <- Map(function(x, name) {
    if (inherits(x, "dpadmm_site")) return(x)
    check_id(name, "names(data)")
    dpadmm_site(site_policy(name, schema, epsilon, delta, ledger = ledger,
      simulation = simulation, identity = known$file[[name]], peers = known$peers), x)
  }, data, names(data))
  answers <- vector("list", length(made))
  post <- function(i, request, arguments) {
    answers[[i]] <<- site_answer(made[[i]], request, arguments)
  }
  new_sites("local", names(data), post, function(i) answers[[i]],
    deadline = deadline, min_sites = min_sites, analyst = analyst
  )
}

#' Sites of one process know each other, where there may be secure sums.
#' @noRd
local_identities <- function(names) {
  if (length(names) < 3L || !requireNamespace("sodium", quietly = TRUE)) return(NULL)
  folder <- tempfile("identities")
  dir.create(folder)
  file <- stats::setNames(file.path(folder, sprintf("%d.key", seq_along(names))), names)
  list(file = file, peers = vapply(file, site_identity, ""))
}

#' Data frames without a word on what is public of them.
#' @noRd
frame_sites <- function(data) {
  check <- function(x) check_class(x, "data.frame", "data", "data.frame() each")
  lapply(data, check)
  structure(list(kind = "frames", names = names(data), data = data, close = function() NULL),
    class = "dpadmm_sites"
  )
}

#' @export
names.dpadmm_sites <- function(x) unclass(x)$names

#' @export
print.dpadmm_sites <- function(x, ...) {
  check_no_dots(...)
  x <- unclass(x)
  cat(sprintf("<dpadmm_sites (%s): %s>\n", x$kind, paste(x$names, collapse = ", ")))
  for (public in x$public) {
    persons <- site_per_person(public)
    cat(sprintf("  %s: %d records of %s, at most epsilon = %g%s\n", public$site, public$records,
      public$data, public$epsilon,
      if (isTRUE(persons > 1)) sprintf(" for a person with %g records", persons) else ""
    ))
  }
  invisible(x)
}

#' @rdname sites
#' @param sites an object of class `dpadmm_sites`.
#' @export
sites_public <- function(sites) {
  check_class(sites, "dpadmm_sites", "sites", "sites_local() and the like")
  check_policies(sites)
  facts <- lapply(sites$public, function(p) {
    data.frame(
      site = p$site, data = p$data, records = p$records, epsilon = p$epsilon, delta = p$delta,
      per_person = site_per_person(p), rounds = p$rounds, simulation = p$simulation,
      version = p$version
    )
  })
  structure(do.call(rbind, facts), schema = sites$schema)
}

#' Whether there is somebody to ask, and not only data frames.
#' @noRd
check_policies <- function(sites) {
  if (sites$kind != "frames") return(invisible())
  abort("argument", paste(
    "Sites without a schema have no policy and no ledger: they can be fitted, not planned or",
    "asked. Give sites_local() a `schema`."
  ), argument = "schema")
}

#' What a plan needs to know: no record, and the seed of what is random and public, which must be
#' the same at all sites.
#' @noRd
#' @export
public_facts.dpadmm_sites <- function(schema) {
  sites <- schema
  check_policies(sites)
  sizes <- vapply(sites$public, function(p) as.double(p$records), 0)
  names(sizes) <- vapply(sites$public, `[[`, "", "site")
  facts <- list(schema = sites$schema, sizes = sizes, na.action = "omit", seed = public_seed())
  persons <- vapply(sites$public, site_per_person, 0)
  if (all(persons == 1)) return(facts)
  c(facts, list(per_person = stats::setNames(persons, names(sizes))))
}

#' How many records of a person a site protects together.
#' @noRd
site_per_person <- function(public) max(1, as.double(public$per_person))

#' A whole number from the operating system.
#' @noRd
public_seed <- function() {
  key <- noise_key()
  on.exit(forget_key(key))
  sum(as.integer(key[1:6]) * 256^(0:5))
}

# ---- asking ------------------------------------------------------------------------------

#' The answers of all sites to one request; the first refusal, by site, is an error.
#' @param arguments the same for all.
#' @param except a kind of refusals that are answers, as conditions.
#' @noRd
ask_all <- function(sites, request, arguments, which = seq_along(sites$names), except = NULL) {
  for (i in which) sites$post(i, request, arguments)
  until <- Sys.time() + sites$deadline
  answers <- lapply(which, function(i) {
    tryCatch(site_value(sites, i, await(sites, i, until)), dpadmm_error_site = function(e) {
      if (!is.null(except) && identical(e$reason, except)) e else stop(e)
    })
  })
  stats::setNames(answers, sites$names[which])
}

#' The answer of a site, or NULL after a time; an error of the transport as a condition.
#' @noRd
await <- function(sites, i, until) {
  repeat {
    answer <- tryCatch(sites$fetch(i), error = identity)
    if (!is.null(answer) || Sys.time() > until) return(answer)
    Sys.sleep(sites$wait)
  }
}

site_value <- function(sites, i, answer) {
  name <- sites$names[i]
  if (is.null(answer)) abort_site(name, "it did not answer", NULL)
  if (inherits(answer, "condition")) {
    abort_site(name, paste("it cannot be reached:", conditionMessage(answer)), NULL, answer)
  }
  if (!is.list(answer)) abort_site(name, "it does not answer as a site", NULL)
  if (!is.null(answer$error)) {
    abort_site(name, site_words(answer$message), answer$field, kind = answer$error)
  }
  answer$value
}

abort_site <- function(name, words, field, parent = NULL, kind = NULL) {
  abort("site", sprintf("Site \"%s\": %s", name, sub("[.]?$", ".", words)),
    argument = field, place = name, reason = kind, parent = parent
  )
}

#' Parties go by what the sites call themselves.
#' @noRd
check_site_names <- function(sites) {
  own <- lapply(sites$public, `[[`, "site")
  again <- which(duplicated(own))
  if (length(again)) {
    abort_site(sites$names[again[1L]],
      sprintf("another site is called \"%s\", too", own[[again[1L]]]), "Site"
    )
  }
}

#' What all sites say of their columns, which must be the same.
#' @noRd
common_schema <- function(sites) {
  schemas <- lapply(sites$public, `[[`, "schema")
  for (k in seq_along(schemas)[-1L]) {
    for (name in intersect(names(schemas[[1L]]), names(schemas[[k]]))) {
      if (!identical(schemas[[1L]][name], schemas[[k]][name])) {
        abort_site(sites$names[k], sprintf("it describes `%s` in another way than \"%s\"", name,
          sites$names[1L]), "Columns")
      }
    }
  }
  known <- Reduce(intersect, lapply(schemas, names))
  if (length(known) == 0L) abort_site(sites$names[1L], "the sites have no common column", "Columns")
  schemas[[1L]][known]
}
