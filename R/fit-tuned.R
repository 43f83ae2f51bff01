# What a private choice comes back as: the fit of the chosen plan, with the statement of it all.

#' @param best list(fit, value, plan).
#' @noRd
new_tuned <- function(best, plans, trial, law, score, delta, seed, charged, leaks) {
  fit <- best$fit
  count <- length(plans)
  n <- sum(fit$nodes$size)
  names <- names(plans)
  unit <- if (score$measures == "error") 1 else score$clip / .loss_steps
  if (score$measures == "mse") unit <- unit * score$unit^2
  noise <- trial$scale * if (trial$mechanism == "laplace") sqrt(2) else 1
  fit$events <- trial$events
  fit$ledger <- charged
  fit$leaks <- if (length(leaks)) leaks
  fit$tuning <- list(
    chosen = if (is.null(names) || !nzchar(names[best$plan])) best$plan else names[best$plan],
    plans = count, measure = score$measures, score = best$value * unit / n,
    noise = noise * unit / n, trials = law$trials, shape = law$shape,
    tried = 1 - trials_generating(1 - 1 / count, law$shape, law$stop), trial = trial$epsilon,
    delta = delta
  )
  class(fit) <- c("dpadmm_tuned", class(fit))
  fit
}

#' @rdname privacy
#' @export
privacy.dpadmm_tuned <- function(fit, delta = fit$tuning$delta, ...) {
  check_no_dots(...)
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  it <- fit$tuning
  plan <- fit$plan
  run <- c(fit[c("seeded", "leaks")], list(simulated = isTRUE(fit$simulated),
    charged = charged_words(fit$ledger)))
  facts <- plan_facts(plan, fit$events, plan$view, run)
  facts$audience <- "Whoever sees every message of the chosen fit, its model and its score"
  facts$released <- sprintf(paste(
    "the best of a random number of trials, %g on average, each of one of %d plans at random; how",
    "many there were and all others stay secret. A trial alone would be epsilon = %.4g for the fit",
    "and %.4g for its score"
  ), it$trials, it$plans, it$trial[["fit"]], it$trial[["score"]])
  facts$stated <- unique(c(facts$stated, paste(
    "Nothing is claimed against who can time the run, from which the number of trials could be",
    "guessed."
  )))
  statement(fit$events, delta, facts)
}

#' @export
print.dpadmm_tuned <- function(x, ...) {
  check_no_dots(...)
  it <- x$tuning
  cat(sprintf("Chosen of %d plans: %s, by a noisy %s of %.4g (noise %.2g)\n", it$plans,
    it$chosen, it$measure, it$score, it$noise))
  cat(sprintf("  %g trials on average; each plan was tried with probability %.2f\n", it$trials,
    it$tried))
  NextMethod()
}
