# Plans and fits over sites.

#' A formula over sites: a plan and its fit, or, of data frames without a schema, an ordinary fit.
#' @noRd
fit_formula_sites <- function(formula, sites, schema, ..., seed = NULL, save = NULL,
                              ledger = NULL) {
  if (!is.null(schema) && sites$kind != "frames") abort_said("schema")
  if (sites$kind == "frames") {
    if (!is.null(save)) {
      abort("argument", "`save` is for sites with a policy: give sites_local() a `schema`.",
        argument = "save")
    }
    one <- pooled_sites(sites)
    return(dpadmm_fit.formula(formula, one$data, one$nodes,
      schema = schema, ..., seed = seed, ledger = ledger
    ))
  }
  fit_sites(dpadmm_plan(formula, sites, ...), sites, seed = seed, save = save, ledger = ledger)
}

#' What a fit in one process has and one over sites does not, where it is given.
#' @param given by name, whether each is.
#' @noRd
refuse_over_sites <- function(...) {
  given <- c(...)
  if (!any(given)) return(invisible())
  name <- names(given)[given][1L]
  abort("argument", sprintf(
    "`%s` is not for sites: who has which records, and which of them count, is theirs to say.", name
  ), argument = name)
}

#' Data frames without a policy as one, and who holds which record.
#' @noRd
pooled_sites <- function(sites) {
  columns <- Reduce(intersect, lapply(sites$data, names))
  parts <- lapply(unname(sites$data), function(x) as.data.frame(x)[columns])
  list(
    data = do.call(rbind, parts),
    nodes = factor(rep(sites$names, vapply(parts, nrow, 0L)), sites$names)
  )
}

#' Run a plan over sites.
#' @param save path of a journal, or `NULL`.
#' @noRd
fit_sites <- function(plan, sites, seed = NULL, control = plan$control, save = NULL,
                      ledger = NULL) {
  if (!is.null(ledger)) {
    abort("argument", "Sites charge their own ledgers: leave `ledger` at NULL.",
      argument = "ledger"
    )
  }
  run <- new_run()
  save <- check_word(save, "save")
  if (!is.null(save) && file.exists(save)) {
    abort("argument", sprintf("%s is there already: dpadmm_resume() goes on with it.", save),
      argument = "save", place = save
    )
  }
  journal <- new_journal(save, list(what = "dpadmm run", recipe = plan_recipe(plan), run = run,
    seed = seed))
  run_sites(plan, sites, run, journal, seed, control)
}

run_sites <- function(plan, sites, run, journal, seed, control) {
  on.exit(journal$close())
  as_before <- limit_blas(control$threads)
  on.exit(as_before(), add = TRUE)
  party <- site_of_party(sites, plan)
  warn_of_noise(plan)
  say_unit(plan)
  bar <- sites_bar(control$progress, plan$iterations)
  on.exit(bar$done(), add = TRUE)
  make <- if (is_secure(plan)) engine_sums else engine_sites
  engine <- make(sites, plan, party, run, journal, seed, bar$tell)
  on.exit(engine$warn(), add = TRUE)
  key <- noise_key(seed)
  on.exit(forget_key(key), add = TRUE)
  control$progress <- FALSE
  keep <- keeps_iterates(plan, control)
  result <- run_plan(plan, NULL, NULL, key, engine, keep || !is.null(plan$inference), control,
    tick = bar$tick)
  records <- list(blueprint = site_blueprint(plan$problem$blueprint, plan$problem$loss))
  fit <- new_fit(plan, result, records, seeded = !is.null(seed))
  fit$sites <- engine$trace()
  if (is_secure(plan)) fit$attempts <- engine$attempts()
  fit <- with_inference(fit, result, missed = !is.null(fit$sites))
  if (!keep) fit["iterates"] <- list(NULL)
  do.call(remember, c(list(fit), plan$asked))
}

#' Go on with a fit over sites
#'
#' A fit over sites with `save` writes what was released, round by round. After the hub was
#' stopped, or killed, this goes on from the last complete round: from released messages only, so
#' with the model that the fit would have had. Nothing is charged again.
#'
#' @param save the file.
#' @param sites the same sites, see [sites].
#' @param control see [dpadmm_control()]: its `progress` and `keep_iterates`.
#' @return The fit. Errors as of [dpadmm_fit()]; `dpadmm_error_parse` for a file that holds no run,
#'   `dpadmm_error_file` for one that cannot be written: of a disk that is full a run goes on from
#'   the last round that had room.
#' @examplesIf requireNamespace("RSQLite", quietly = TRUE)
#' patients <- function(n) {
#'   age <- sample(20:90, n, TRUE)
#'   data.frame(age = age, ill = ifelse(age / 90 + rnorm(n, sd = 0.3) > 0.7, "yes", "no"))
#' }
#' columns <- dpadmm_schema(age = c(18, 100), ill = c("no", "yes"))
#' sites <- sites_local(list(A = patients(300), B = patients(200)), columns,
#'   epsilon = 20, delta = 1e-5)
#' plan <- dpadmm_plan(ill ~ age, sites, epsilon = 8, delta = 1e-5)
#' file <- tempfile()
#' fit <- dpadmm_fit(plan, sites, save = file)
#' @export
dpadmm_resume <- function(save, sites, control = NULL) {
  check_class(sites, "dpadmm_sites", "sites", "sites_local() and the like")
  journal <- new_journal(check_word(save, "save"))
  on.exit(journal$close())
  header <- journal$header
  plan <- recipe_plan(header$recipe)
  if (is.null(control)) control <- plan$control
  check_class(control, "dpadmm_control", "control", "dpadmm_control()")
  on.exit() # a run closes it
  run_sites(plan, sites, header$run, journal, header$seed, control)
}

#' A progress bar over rounds that says who is late.
#' @noRd
sites_bar <- function(show, rounds) {
  if (!show) return(list(tick = NULL, tell = function(...) NULL, done = function() invisible()))
  late <- ""
  id <- cli::cli_progress_bar("Rounds", total = rounds, clear = TRUE, .auto_close = FALSE,
    format = "Rounds {cli::pb_bar} {cli::pb_current}/{cli::pb_total} | ETA: {cli::pb_eta}{late}"
  )
  list(
    tick = function(finished) cli::cli_progress_update(set = finished, id = id),
    tell = function(names) {
      late <<- if (length(names)) paste0(" | late: ", paste(names, collapse = ", ")) else ""
    },
    done = function() cli::cli_progress_done(id = id)
  )
}
