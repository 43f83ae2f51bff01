# The trials of a private choice: their budget, and the run.

#' The largest budget of a trial whose choice costs at most (epsilon, delta), to 0.2% of epsilon.
#' @return list(plans, scale, mechanism, epsilon = of a trial, events = of the choice).
#' @noRd
calibrate_trials <- function(plans, score, law, epsilon, delta) {
  at <- epsilon / (2 + law$shape)
  if (delta == 0) at <- at * (1 - 1e-6) # rounding, and what the draw is off by
  best <- NULL
  low <- high <- NULL
  for (i in 1:16) {
    trial <- trial_at(plans, score, law, at, delta)
    cost <- fold_events(trial$events, delta, "best")$epsilon
    point <- c(log(at), log(cost / epsilon))
    if (cost <= epsilon) {
      if (is.null(low) || point[1L] > low[1L]) {
        low <- point
        best <- trial
      }
      if (cost >= 0.998 * epsilon) break
    } else if (is.null(high) || point[1L] < high[1L]) {
      high <- point
    }
    at <- exp(next_trial(low, high))
  }
  if (is.null(best)) abort_budget(trial$events, epsilon, delta, floor = cost, noise = 1 / at)
  best
}

#' Where to look, by logarithms: cost is nearly proportional to a trial's budget.
#' @noRd
next_trial <- function(low, high) {
  aim <- log(0.999)
  if (is.null(high)) return(low[1L] + aim - low[2L])
  if (is.null(low)) return(high[1L] + aim - high[2L] - 0.01)
  share <- (aim - low[2L]) / (high[2L] - low[2L])
  low[1L] + min(max(share, 0.02), 0.98) * (high[1L] - low[1L])
}

#' Plans, noise of scores and the events of the choice for a trial of this epsilon.
#' @noRd
trial_at <- function(plans, score, law, epsilon, delta) {
  own <- epsilon * (1 - law$share)
  made <- lapply(plans, function(plan) stats::update(plan, epsilon = own, delta = delta))
  for (plan in made) refuse_unaccounted(plan)
  of_score <- epsilon * law$share
  pure <- delta == 0
  scale <- round_up(if (pure) score$moved / of_score else
    gaussian_sigma(of_score, delta, score$moved))
  last <- if (pure) {
    dp_event_laplace(scale, round_up(score$moved + 2^-40 * scale))
  } else {
    dp_event_gaussian(scale, on_grid(score$moved, scale, 1), dim = 1)
  }
  list(
    plans = made, scale = scale, mechanism = if (pure) "laplace" else "gaussian",
    epsilon = c(fit = own, score = of_score),
    events = choice_events(lapply(made, `[[`, "events"), last, law, made[[1L]]$problem)
  )
}

#' Printed tests, of which nothing is proved.
#' @noRd
refuse_unaccounted <- function(plan) {
  books <- open_books(plan$events)
  check_handled(books$kinds, books$kinds$mechanism %in% .trial_mechanisms, "best")
}

#' For each party, what a trial may release of it.
#' @noRd
choice_events <- function(tables, last, law, problem) {
  nodes <- sort(unique(unlist(lapply(tables, function(events) events$node))))
  of <- function(node) {
    candidates <- lapply(tables, function(events) {
      own <- events[is.na(events$node) | events$node %in% node, , drop = FALSE]
      own[.party_columns] <- .event_columns[.party_columns]
      c(own, last)
    })
    best_of_event(candidates, law$shape, law$stop, node = node)
  }
  events <- if (length(nodes)) do.call(c, lapply(nodes, of)) else of(NA)
  of_parties(events, problem)
}

charge_tuning <- function(ledger, trial, leaks) {
  if (is.null(ledger)) return(NULL)
  refuse_leaks(ledger, leaks)
  what <- sprintf("choice among %d plans, the first: %s", length(trial$plans),
    plan_words(trial$plans[[1L]]))
  text <- vapply(trial$plans, function(plan) plan_digest(plan, plan_words(plan)), "")
  digest <- digest::digest(paste(text, collapse = " "), algo = "sha256", serialize = FALSE)
  charged_of(ledger, charge_ledger(ledger, trial$events, plan = digest, what = what))
}

# The words of a run: parties of the key that no run has.
.trial_words <- c(number = 0, plan = 2^21, fit = 2^22, score = 2^23)

#' The best fit with its score. Nothing else of a trial is kept, and nobody is told how many there
#' are.
#' @noRd
run_trials <- function(trial, sets, score, held, law, key, seed) {
  best <- NULL
  for (k in seq_len(draw_trials(law$shape, law$stop, key, .trial_words[["number"]]))) {
    j <- 1L + as.integer(random_word(key, .trial_words[["plan"]] + k) %/%
      (2^53 / length(trial$plans)))
    j <- min(j, length(trial$plans))
    fit <- run_trial(trial$plans[[j]], sets[[j]]$fitted, held, key, k, seed)
    value <- score_of(fit, sets[[j]]$scored, score, trial, key, k)
    if (is.null(best) || value < best$value) best <- list(fit = fit, value = value, plan = j)
  }
  best
}

run_trial <- function(plan, records, held, key, k, seed) {
  own <- core_call(.Call(ffi_key_party, key, .trial_words[["fit"]] + k))
  on.exit(forget_key(own))
  control <- plan$control
  control$progress <- FALSE
  # what a trial warns of would tell of trials
  suppressMessages(suppressWarnings(fit_plan(plan, records, held, own, seed, control)))
}

score_of <- function(fit, records, score, trial, key, k) {
  own <- core_call(.Call(ffi_key_party, key, .trial_words[["score"]] + k))
  on.exit(forget_key(own))
  query <- evaluation_queries(score, records, node_models(fit))[[1L]]
  noisy_value(trial$mechanism, sum(query$value[, 1L]), trial$scale, 1, own)
}
