#' A data holder's own part of a fit
#'
#' A site is a party in its holder's own process: it has its records, a key from its own operating
#' system, its policy and its ledger. It trusts nobody. From the public text of a plan it makes
#' the plan itself, so that noise, events and statement are its own; it refuses what its policy
#' does not allow, charges the whole run to its ledger before any noise is drawn, and answers each
#' round once: the same round again with the same inbox has the same answer, with another inbox it
#' is refused.
#'
#' In a session of its own a site is used through [sites] by whoever runs the fit.
#'
#' @section Kills and restarts:
#' A charge is on the disk before its run begins. A round is stored before it is answered, so that
#' whatever process is killed, another one goes on, and no noise is used for two answers. The
#' answers of a round do not wait for the disk: on Linux they are with the operating system, and
#' what could take them back is the end of the machine (a power cut, a crash of the system). So a
#' run belongs to one boot of its machine. After a restart everything asked of it is refused
#' (`dpadmm_error_restart`), the charge stays, and the fit goes on without that site, as one that
#' is lost. Elsewhere each round waits for the disk, and a run outlives a restart.
#'
#' This needs a local disk that keeps what it was given while the machine runs. What it does not
#' cover: a disk that fails or is taken away under the running system and comes back without its
#' last seconds, and a virtual machine that is put back to a snapshot with its memory, which brings
#' back an old ledger and its boot.
#'
#' @param policy of [site_policy()], or the path of its file.
#' @param data the records as a data frame or [dpadmm_records()], where the policy has no `source`.
#' @return An object of class `dpadmm_site`, with [print()] and [ledger_report()].
#' @seealso [site_policy()], [sites].
#' @examplesIf requireNamespace("RSQLite", quietly = TRUE)
#' columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
#' policy <- site_policy("icu-2026", columns, epsilon = 4, delta = 1e-6,
#'   ledger = tempfile(fileext = ".sqlite"))
#' dpadmm_site(policy, data.frame(age = 20:90, ill = "no"))
#' @export
dpadmm_site <- function(policy, data = NULL) {
  if (is.character(policy)) policy <- policy_of_site(policy)
  check_class(policy, "dpadmm_policy", "policy", "site_policy() or its file")
  need_package(.ledger_packages, "sites")
  check_identity(policy)
  if (is.null(policy$ledger)) policy$ledger <- tempfile("ledger", fileext = ".sqlite")
  if (is.null(data) == is.null(policy$source)) {
    abort("argument", "A site's records are `data` or the `source` of its policy, one of them.",
      argument = "data"
    )
  }
  if (is.null(data)) data <- read_source(policy)
  check_site_data(data, policy)
  site <- list2env(
    c(list(policy = policy, live = list()), site_table(data, policy)), parent = emptyenv()
  )
  with_store(site, function(con) {
    ledger_budget(con, policy$data, policy$epsilon, policy$delta, policy$renewal)
  })
  leave_store(site) # a process may be forked before the site is used
  structure(list(it = site), class = "dpadmm_site")
}

#' @export
print.dpadmm_site <- function(x, ...) {
  check_no_dots(...)
  policy <- x$it$policy
  cat(sprintf("<dpadmm_site: %s, %d records of %s>\n", policy$site, x$it$n, policy$data))
  cat(sprintf("  budget: %s\n", budget_words(policy$epsilon, policy$delta, policy$renewal)))
  invisible(x)
}

decline <- function(message, field) abort("refused", message, argument = field)

# ---- what a site answers -----------------------------------------------------------------

#' The requests of a hub, each a function of the site and of what the hub says.
#' @noRd
site_requests <- function() {
  list(public = site_public, check = site_check, open = site_open, step = site_step,
    join = site_join, close = site_close, report = site_report)
}

#' @noRd
site_answer <- function(site, request, arguments) answer_of(site_do(site, request, arguments))

site_do <- function(site, request, arguments) {
  do.call(site_requests()[[request]], c(list(site$it), arguments))
}

#' An answer: list(value =) or, of a refusal, list(error =, message =, field =). What went wrong
#' otherwise is not told, because it may hang on a record; nor is a warning.
#' @noRd
answer_of <- function(code) {
  tryCatch(list(value = suppressWarnings(code)), error = function(e) {
    kind <- sub("dpadmm_error_", "", class(e)[1L])
    if (!inherits(e, "dpadmm_error") || kind %in% .kinds_of_records) {
      return(list(error = "site", message = "The site could not do what it was asked.",
        field = NULL))
    }
    list(error = kind, message = conditionMessage(e), field = e$argument)
  })
}

# Kinds of errors that records can make.
.kinds_of_records <- c(
  "finite", "labels", "level", "missing", "row_bound", "shape", "size", "solver"
)

#' What everybody may know.
#' @noRd
site_public <- function(site) {
  policy <- site$policy
  schema <- policy$schema
  list(
    data = policy$data, site = policy$site, records = site$n,
    per_person = persons_of(policy, site$n),
    columns = unclass(schema)[names(schema)], impute = attr(schema, "impute"),
    epsilon = policy$epsilon, delta = policy$delta, renewal = policy$renewal,
    methods = policy$methods, rounds = policy$rounds, simulation = policy$simulation,
    left = with_store(site, function(con) ledger_left(con, policy$data)),
    version = as.character(utils::packageVersion("dpadmm"))
  )
}

#' A run: its plan is made and checked, and then charged. The same run asked for again is not
#' charged again.
#' @param run a name that the hub drew: 32 hexadecimal digits.
#' @param recipe the text of the plan, see plan_recipe(), for the wire.
#' @param analyst who asks, for the ledger.
#' @param seed of a simulation.
#' @return list(round, attempt, extra, signed): the last one answered, or NULL, and how many second
#'   attempts there were; of a secure sum the site's key for this run, signed.
#' @noRd
site_open <- function(site, run, recipe, analyst = "unknown", seed = NULL) {
  asked <- read_request(site, run, recipe, analyst, seed)
  party <- asked$party
  live <- live_party(site, asked$plan, party)
  answer <- with_store(site, function(con) {
    ledger_transaction(con, function(con) {
      store_expire(con, site$policy$deadline)
      row <- store_run(con, run_at(site, run))
      if (!is.null(row)) return(reopened(row, asked$text))
      if (is.null(seed)) charge_run(con, site, asked, run)
      key <- site_key(seed, party)
      on.exit(forget_key(key))
      keys <- if (is_secure(asked$plan)) {
        run_keys(site$policy, run, digest_of(asked$text), asked$plan$problem$names)
      }
      live$last <<- store_open(con, run_at(site, run), site$policy$data, asked$text, key,
        !is.null(seed), keys)
      if (!is.null(keys)) forget_key(keys$secret)
      list(round = NULL, signed = keys$signed)
    })
  })
  site$live[[run]] <- live
  answer
}

#' What a process needs for the rounds of a run.
#' @noRd
live_party <- function(site, plan, party) {
  list(plan = plan, party = party, records = encoded_records(site, plan))
}

#' The site's records as a plan's core takes them. They are kept until a plan needs others: a study
#' tries methods and budgets on one formula, and a run that is taken up again has it, too.
#' @noRd
encoded_records <- function(site, plan) {
  problem <- plan$problem
  wanted <- list(problem$blueprint, problem$loss, problem$row_bound, is_user(plan))
  if (!identical(site$encoded$wanted, wanted)) {
    site$encoded <- NULL # two of them need not be there at once
    records <- own_records(plan, site_records(plan, site$data, site$counted))
    site$encoded <- list(wanted = wanted, records = records)
  }
  site$encoded$records
}

#' Whether a run would be opened: nothing is charged, and nothing kept.
#' @return list(round, orders): the last round answered, or NULL; and what the site would do, for
#'   the hub to compare with its own plan.
#' @noRd
site_check <- function(site, run, recipe, analyst = "unknown", seed = NULL) {
  asked <- read_request(site, run, recipe, analyst, seed)
  with_store(site, function(con) {
    row <- store_run(con, run_at(site, run))
    fresh <- is.null(row) && is.null(seed)
    if (fresh) ledger_check(con, site$policy$data, own_events(asked),
      persons_of(site$policy, site$n)
    )
    list(round = if (!is.null(row)) reopened(row, asked$text)$round,
      orders = party_orders(asked$plan, asked$party))
  })
}

#' What a hub asks for, read and checked.
#' @return list(plan, party, text, analyst).
#' @noRd
read_request <- function(site, run, recipe, analyst, seed) {
  check_run_name(run)
  text <- text_from_wire(recipe)
  if (is.null(text)) decline("The plan did not arrive as text of a plan.", "plan")
  if (!is.null(seed)) {
    if (!site$policy$simulation) {
      decline("A seed is for simulations: this site has real records.", "seed")
    }
    check_seed(seed)
  }
  analyst <- check_analyst(analyst)
  if (!identical(site$asked$text, text)) { # a check comes before most opens
    plan <- recipe_plan(text)
    party <- check_site_plan(site$policy, plan, site$n)
    check_site_file(site$data, plan)
    site$asked <- list(plan = plan, party = party, text = text)
  }
  c(site$asked, list(analyst = analyst))
}

reopened <- function(row, text) {
  check_boot(row)
  if (row$closed) decline("This run is over.", "run")
  if (row$plan != digest_of(text)) decline("This run has another plan.", "plan")
  answer <- list(round = if (!is.na(row$round)) row$round, signed = row$signed)
  if (!is.na(row$attempt)) answer[c("attempt", "extra")] <- row[c("attempt", "extra")]
  answer
}

check_run_name <- function(run) {
  ok <- is.character(run) && length(run) == 1L && nchar(run, "bytes") == 32L &&
    !grepl("[^0-9a-f]", run, useBytes = TRUE)
  if (!ok) decline("The run has no such name.", "run")
}

check_analyst <- function(analyst) {
  if (!is_analyst(analyst)) decline("The analyst has no such name.", "analyst")
  analyst
}

is_analyst <- function(x) {
  # counted apart: R takes 5 ms for {1,100} in a pattern
  is.character(x) && length(x) == 1L && nchar(x, "bytes") <= 100L &&
    grepl("^[A-Za-z0-9_.+@-]+$", x, useBytes = TRUE)
}

charge_run <- function(con, site, asked, run) {
  plan <- asked$plan
  ledger_charge(con, site$policy$data, own_events(asked),
    per_person = persons_of(site$policy, site$n),
    analyst = asked$analyst, plan = digest_of(asked$text), run = run, what = sprintf(
      "%s, %d iterations: %s", plan$method$title, plan$iterations, call_words(plan$asked$x)
    )
  )
}

#' The events of a plan's party, and of releases that read everybody's records.
#' @noRd
own_events <- function(asked) {
  events <- asked$plan$events
  events[is.na(events$node) | events$node == asked$party, , drop = FALSE]
}

#' A party's key: of the operating system, or in a simulation the one it would have elsewhere.
#' @noRd
site_key <- function(seed, party) {
  key <- noise_key(seed)
  if (is.null(seed)) return(key)
  on.exit(forget_key(key))
  core_call(.Call(ffi_key_party, key, party))
}
