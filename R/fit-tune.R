#' Choose among plans privately
#'
#' Fits several plans and keeps the best, for one total (epsilon, delta): settings, methods or
#' columns are chosen by the records themselves, and the choice is paid for.
#'
#' What it does: draws a random number of trials; for each takes one of the plans at random, fits it
#' with noise of its own, and measures it on the same records, with noise, too; releases the fit
#' with the best noisy score and that score, and nothing else. All that others gave is forgotten.
#' Theorem 21 of `vignette("privacy-accounting")` (Papernot and Steinke 2022) says what this costs,
#' and every trial's budget is calibrated so that the total is at most (epsilon, delta). For pure
#' budgets a trial has `1 / (2 + shape)` of epsilon, whatever the number of trials.
#'
#' The budgets of `plans` themselves do not matter: each is planned anew ([update()]) for a trial's.
#' All must be of the same parties and the same response; columns, loss (of one kind), method,
#' network and all settings may differ.
#'
#' @section When it pays:
#' A trial's fit and score have only a part of the budget. That is worth it where plans differ by
#' more than a fit loses by that, and where nothing public says which plan is better. Otherwise all
#' of the budget on the default plan is better: `vignette("tuning")` has a table, in which the
#' default is far from the best in one row of five. Choose by public records or by theory where you
#' can, which costs nothing.
#'
#' @section What must stay secret:
#' How many trials there were, and with them how long it took: a run that others can time tells of
#' this number, for which no guarantee is claimed. No progress is shown. The comparison is made
#' where all trials are seen, so the records of all parties are in one process; sites cannot be
#' tuned over.
#'
#' The score is of training records, and the best of several noisy ones: it is too good, by the
#' noise's size or so. For a number to report use new records, or [evaluate()] with a budget.
#'
#' @param plans a list of two or more plans of [dpadmm_plan()]; names are kept.
#' @param data,y,nodes records, as [dpadmm_fit()] takes them for a plan.
#' @param epsilon,delta the total budget: `epsilon` > 0 and finite, `delta` in `[0, 1)`.
#' @param measure what is compared: `"error"` (the default for classes), `"log_loss"` (logistic
#'   loss) or `"mse"` (numbers).
#' @param clip the public bound of a record's log loss or residual, see [evaluate()].
#' @param trials the mean number of trials (>= 2). More make it likelier that the best plan is among
#'   them and cost more where `delta > 0`, about as the square root of the logarithm.
#' @param shape of the law of the number of trials, in `[-0.5, 1]`, see [dp_event_best_of()].
#' @param score_share the share of a trial's epsilon that its score gets, in (0, 1).
#' @param seed a whole number for a repeatable simulation; `NULL` for a private release.
#' @param ledger,data_id as in [dpadmm_fit()]: the total is charged before any noise is drawn.
#' @param ... not used.
#' @return A fit of class `dpadmm_tuned`, then `dpadmm_fit`: that of the chosen plan, with all
#'   methods of a fit. [privacy()] of it is the statement of the whole choice, and its `events` are
#'   those of the choice. Its field `tuning` is a list: `chosen` (name or number of the plan),
#'   `score` and `noise` (the noise's standard deviation), `measure`, `trials`, `shape`, `tried`
#'   (the probability that any one plan is tried at all), and `trial` (epsilon of a trial's fit and
#'   of its score).
#'
#'   Errors: `dpadmm_error_plan` for plans of other parties or another response, or data of other
#'   sizes; `dpadmm_error_argument`; `dpadmm_error_budget`. Nothing is charged then.
#' @references Papernot, N. and Steinke, T. (2022). Hyperparameter tuning with Renyi differential
#'   privacy. *ICLR*. \doi{10.48550/arXiv.2110.03620}
#'
#'   Liu, J. and Talwar, K. (2019). Private selection from private candidates. *STOC*.
#'   \doi{10.48550/arXiv.1811.07971}
#' @seealso [dp_event_best_of()], [evaluate()], [dpadmm_plan()].
#' @examples
#' n <- 4000
#' people <- data.frame(age = runif(n, 18, 90), noise = runif(n),
#'   sex = sample(c("f", "m"), n, TRUE))
#' people$ill <- ifelse(runif(n) < plogis(people$age / 10 - 5), "yes", "no")
#' public <- dpadmm_schema(age = c(18, 90), noise = 0:1, sex = c("f", "m"), ill = c("no", "yes"))
#' small <- dpadmm_plan(ill ~ age, public, c(2000, 2000), epsilon = 1, delta = 1e-6)
#' plans <- list(age = small, sex = update(small, ill ~ sex), all = update(small, ill ~ .))
#' fit <- dpadmm_tune(plans, people, epsilon = 4, delta = 1e-6)
#' fit
#' @export
dpadmm_tune <- function(plans, data, epsilon, delta = 0, y = NULL, nodes = NULL, measure = NULL,
                        clip = NULL, trials = 5 * length(plans), shape = 0, score_share = 0.2,
                        seed = NULL, ledger = NULL, data_id = NULL, ...) {
  check_no_dots(...)
  if (!missing(data) && inherits(data, "dpadmm_sites")) {
    abort("argument", paste("Sites cannot be tuned over: each would see every trial that it takes",
      "part in, and the guarantee is for one of which all others stay secret."), argument = "data"
    )
  }
  check_tuned_plans(plans)
  nodes <- given_nodes(nodes)
  if (missing(data) || inherits(data, "dpadmm_records")) {
    abort("argument", "`data` must be a data frame or a matrix: the records of the plans.",
      argument = "data"
    )
  }
  check_trials(trials, shape)
  check_number(score_share, "score_share", lower = 0, upper = 1, open_lower = TRUE,
    open_upper = TRUE)
  check_number(epsilon, "epsilon", lower = 0, open_lower = TRUE)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  seed <- check_seed(seed)
  ledger <- fit_ledger(ledger, data_id, seed)
  score <- tuning_score(plans, measure, clip)
  law <- list(trials = trials, shape = shape, stop = trials_stop(trials, shape),
    share = score_share)
  sets <- tuning_records(plans, data, y)
  key <- noise_key(seed)
  on.exit(forget_key(key))
  if (is.null(nodes)) nodes <- plans[[1L]]$problem$blueprint$nodes
  if (inherits(nodes, "formula")) nodes <- node_values(nodes, data)
  held <- planned_holders(plans[[1L]]$problem, nodes, nrow(sets[[1L]]$fitted$x), key)
  trial <- calibrate_trials(plans, score, law, epsilon, delta)
  leaks <- unique(unlist(lapply(seq_along(plans), function(j) {
    c(sets[[j]]$fitted$leaks, plans[[j]]$leaks)
  })))
  warn_of_leaks(leaks, TRUE, plans[[1L]]$problem$blueprint$kind == "frame")
  charged <- charge_tuning(ledger, trial, leaks)
  best <- run_trials(trial, sets, score, held, law, key, seed)
  new_tuned(best, plans, trial, law, score, delta, seed, charged, leaks)
}

#' @noRd
check_tuned_plans <- function(plans) {
  if (!is.list(plans) || is.object(plans) || length(plans) < 2L) {
    abort("argument", "`plans` must be a list of two or more plans: with one, dpadmm_fit() it.",
      argument = "plans"
    )
  }
  for (plan in plans) {
    check_class(plan, "dpadmm_plan", "plans", "dpadmm_plan()")
    if (is.null(plan$asked)) {
      abort("argument", "`plans` must be made by dpadmm_plan(), not taken from fits.",
        argument = "plans"
      )
    }
    if (plan$control$accountant == "paper") {
      abort("argument", '`plans` must have accountant = "sound": nothing printed composes so.',
        argument = "plans"
      )
    }
    refuse_evaluation(plan$problem, plan$problem$blueprint, "plans", "A private choice")
  }
  for (j in seq_along(plans)[-1L]) check_alike(plans[[1L]], plans[[j]], j)
}

#' Scores are of the same records, and of the same question.
#' @noRd
check_alike <- function(first, other, j) {
  differ <- function(what) {
    abort("plan", sprintf("Plan %d has other %s than the first.", j, what),
      argument = "plans", place = j
    )
  }
  parties <- function(plan) {
    p <- if (is.null(plan$problem$users)) plan$problem else plan$problem$users
    p[c("names", "size", "named")]
  }
  if (!identical(parties(first), parties(other))) differ("parties, or numbers of their records,")
  if (!identical(first$problem$per_person, other$problem$per_person)) differ("`per_person`")
  a <- first$problem$blueprint
  b <- other$problem$blueprint
  same <- c("kind", "range", "classes", "nodes")
  if (!identical(a[same], b[same]) ||
    !identical(call_words(a$response), call_words(b$response)) ||
    first$problem$loss$classification != other$problem$loss$classification) {
    differ("a response, classes or bounds of it")
  }
}

#' What is compared, as evaluation_queries() takes it, for each plan.
#' @noRd
tuning_score <- function(plans, measure, clip) {
  known <- Reduce(intersect, lapply(plans, function(plan) {
    measures_of(plan$problem$loss, plan$problem$blueprint)
  }))
  known <- intersect(known, c("error", "log_loss", "mse"))
  measure <- if (is.null(measure)) known[1L] else check_choice(measure, known, "measure")
  first <- plans[[1L]]
  list(
    measures = measure, loss = first$problem$loss,
    clip = evaluation_clip(clip, first$problem$loss, first$problem$blueprint),
    unit = response_unit(first$problem$blueprint),
    moved = max(first$problem$per_person) * if (measure == "error") 1 else .loss_steps
  )
}

#' The records of each plan, for fitting and for scoring; plans of the same columns share them.
#' @noRd
tuning_records <- function(plans, data, y) {
  sets <- list()
  for (j in seq_along(plans)) {
    problem <- plans[[j]]$problem
    like <- which(vapply(plans[seq_len(j - 1L)], function(before) {
      identical(before$problem$blueprint, problem$blueprint) &&
        identical(before$problem$loss, problem$loss)
    }, NA))
    if (length(like)) {
      sets[[j]] <- sets[[like[1L]]]
      next
    }
    fitted <- records_planned(problem$blueprint, data, y, problem$loss, list())
    known <- list(blueprint = fitted$blueprint, plan = plans[[j]])
    scored <- if (is.null(y)) labelled_records(known, data) else labelled_records(known, data, y)
    sets[[j]] <- list(fitted = fitted, scored = scored)
  }
  sets
}
