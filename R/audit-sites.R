#' A fit over sites as something to audit
#'
#' What a hub sees of a fit over [sites], nobody need trust it: every message of every round, and
#' all else that the sites answer, what is public of them, whether they would run the plan,
#' refusals, errors, and the reports of their ledgers. Each run of the audit has its own noise and
#' goes through the sites' own code, by [sites_local()]; only the noise is a simulation's, so that
#' nothing is charged.
#'
#' @param formula,schema,epsilon,delta,... of a plan over sites: arguments of [dpadmm_plan()], whose
#'   `sizes`, `na.action` and `seed` are settled here.
#' @return A function of class `dpadmm_site_release`, `function(data, seed = NULL)`, that returns
#'   all that was seen as one vector: the messages by round, site and coefficient (0 where there was
#'   none), who sent when, and one number for all else: another number, another answer.
#'   `data` is a named list of data frames, one a site; neighbours differ in one record of one of
#'   them. Data of other sizes than the first are a `dpadmm_error_plan`.
#' @seealso [audit()], [fit_release()].
#' @examplesIf requireNamespace("RSQLite", quietly = TRUE)
#' columns <- dpadmm_schema(x = c(-1, 1), y = c("no", "yes"))
#' north <- data.frame(x = 1, y = c("yes", "no", "yes"))
#' south <- data.frame(x = 1, y = c("no", "yes", "no"))
#' release <- site_release(y ~ x, columns, epsilon = 2, delta = 1e-5, iterations = 2)
#' changed <- replace(north, "y", list(c("no", "no", "yes")))
#' audit(release, list(north = north, south = south), list(north = changed, south = south),
#'   runs = 20, seed = 1)
#' @export
site_release <- function(formula, schema, epsilon, delta = 0, ...) {
  check_class(schema, "dpadmm_schema", "schema", "dpadmm_schema()")
  plan <- NULL
  settle <- function(data) {
    sizes <- audited_sizes(data)
    if (is.null(plan)) {
      plan <<- suppressWarnings(dpadmm_plan(formula, schema, sizes = sizes, epsilon = epsilon,
        delta = delta, na.action = "omit", seed = 1, ...), classes = "dpadmm_warning")
      if (is_secure(plan)) {
        abort("argument", paste("Of a secure sum a hub sees noise but for the sum: use",
          "fit_release(aggregation = \"secure\")."), argument = "aggregation")
      }
    }
    if (!identical(names(sizes), plan$problem$names) || any(sizes != plan$problem$size)) {
      abort("plan", "`data` has other sites or sizes than the plan.", argument = "data")
    }
    plan
  }
  prepare <- function(data) {
    plan <- settle(data)
    sites <- NULL # made where the run is, which may be another process
    function(seed = NULL) {
      if (is.null(sites)) sites <<- sites_local(data, schema, epsilon, delta, simulation = TRUE)
      seen_by_hub(sites, plan, if (is.null(seed)) public_seed() else seed)
    }
  }
  structure(function(data, seed = NULL) prepare(data)(check_seed(seed)),
    prepare = prepare, settle = settle, class = "dpadmm_site_release"
  )
}

audited_sizes <- function(data) {
  named <- is.list(data) && !is.data.frame(data) && length(data) >= 2L &&
    all(vapply(data, is.data.frame, NA)) && all(nzchar(names(data))) && !is.null(names(data))
  if (!named) {
    abort("argument", "The data of sites must be a named list of data frames, one a site.",
      argument = "data"
    )
  }
  vapply(data, nrow, 0L)
}

#' All answers of a run, as numbers.
#' @noRd
seen_by_hub <- function(sites, plan, seed) {
  rounds <- c(0L, seq_along(plan$rule))
  messages <- array(0, c(length(rounds), length(sites$names), plan$problem$d))
  sent <- array(0, dim(messages)[1:2])
  said <- list(sites$public)
  watched <- sites
  watched$fetch <- function(i) {
    answer <- heard <- sites$fetch(i)
    values <- answer$value$values
    at <- match(watched$round, rounds)
    if (is_message(values, plan$problem$d) && !is.na(at)) {
      messages[at, i, ] <<- values
      sent[at, i] <<- 1 + isTRUE(answer$value$sent)
      heard$value[c("values", "sent")] <- NULL
    }
    said[[length(said) + 1L]] <<- heard
    answer
  }
  watched$post <- function(i, request, arguments) {
    watched$round <<- if (request == "step") arguments$round
    sites$post(i, request, arguments)
  }
  said$end <- run_of_hub(watched, plan, seed)
  said$reports <- ask_all(sites, "report", list())
  c(messages, sent, as_one_number(said))
}

#' A run as dpadmm_fit() has it.
#' @return `NULL`, or the words in which it ended early.
#' @noRd
run_of_hub <- function(sites, plan, seed) {
  party <- site_of_party(sites, plan)
  engine <- engine_sites(sites, plan, party, new_run(), new_journal(NULL), seed)
  key <- noise_key(seed)
  on.exit(forget_key(key))
  control <- plan$control
  control$progress <- FALSE
  tryCatch({
    run_plan(plan, NULL, NULL, key, engine, control = control)
    NULL
  }, error = conditionMessage)
}

#' @export
print.dpadmm_site_release <- function(x, ...) {
  check_no_dots(...)
  cat("<dpadmm_site_release: fits over sites, as their hub sees them>\n")
  invisible(x)
}
