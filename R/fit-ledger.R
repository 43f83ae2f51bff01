# A fit that is charged to a budget before it draws any noise.

#' The budget that a fit is to be charged to, or NULL.
#' @param ledger,data_id,seed as a user gave them.
#' @return An object as of dpadmm_ledger().
#' @noRd
fit_ledger <- function(ledger, data_id, seed) {
  if (is.null(ledger)) {
    if (is.null(data_id)) return(NULL)
    abort("argument", "`data_id` says which budget of a `ledger`, and there is none.",
      argument = "data_id"
    )
  }
  if (!inherits(ledger, "dpadmm_ledger")) {
    path <- check_string(ledger, "ledger", 4096L)
    if (is.null(data_id)) {
      abort("argument", "`data_id` is missing: which budget of the ledger.", argument = "data_id")
    }
    ledger <- stored_ledger(path, data_id)
  } else if (!is.null(data_id) && !identical(data_id, ledger$data_id)) {
    abort("argument", sprintf(
      '`data_id` is not that of `ledger`, which is the budget of "%s".', ledger$data_id
    ), argument = "data_id")
  }
  if (!is.null(seed)) {
    abort("argument", paste(
      "A run with a `seed` is a simulation, whose noise can be made again: it is not charged to",
      "a `ledger`."
    ), argument = "seed")
  }
  ledger
}

#' Charge all that a plan releases.
#' @param leaks in words, what was read from the records without noise.
#' @return list(path, data_id, number, left), or NULL without a ledger.
#' @noRd
charge_fit <- function(ledger, plan, leaks) {
  if (is.null(ledger)) return(NULL)
  if (!plan$private) {
    abort("argument", "`epsilon` is infinite: no budget of a `ledger` covers a fit without noise.",
      argument = "epsilon", value = Inf
    )
  }
  refuse_leaks(ledger, c(leaks, plan$leaks))
  what <- plan_words(plan)
  charge <- charge_ledger(ledger, plan$events,
    plan = plan_digest(plan, what), what = what
  )
  charged_of(ledger, charge)
}

refuse_leaks <- function(ledger, leaks) {
  if (length(leaks) == 0L) return(invisible())
  abort("budget", sprintf(
    'The budget of "%s" does not cover what is read from the records without noise: %s.',
    ledger$data_id, leaks_words(leaks)
  ), argument = "ledger", place = ledger$data_id)
}

#' What is kept of a charge.
#' @noRd
charged_of <- function(ledger, charge) {
  c(ledger[c("path", "data_id")], list(
    number = charge$number, left = charge$left$share,
    words = budget_words(charge$left$epsilon, charge$left$delta, charge$left$renewal)
  ))
}

#' A plan in a few words: method, formula, who, how often.
#' @noRd
plan_words <- function(plan) {
  formula <- if (plan$problem$blueprint$kind == "frame") {
    paste(trimws(deparse(blueprint_formula(plan$problem$blueprint), 500L)), collapse = " ")
  }
  words <- paste(c(
    plan$method$title, formula, parties_words(plan$problem),
    sprintf("%d coefficients", plan$problem$d), sprintf("%d iterations", plan$iterations)
  ), collapse = ", ")
  gsub("[[:cntrl:]]", " ", words)
}

#' Which plan it was: a digest of its settings in words and of what it releases.
#' @noRd
plan_digest <- function(plan, words) {
  lines <- plan_lines(plan)
  text <- c(words, paste(names(lines), lines), events_to_json(plan$events))
  digest::digest(enc2utf8(paste(text, collapse = "\n")), algo = "sha256", serialize = FALSE)
}

#' The sentence of a statement.
#' @noRd
charged_words <- function(charged) {
  if (is.null(charged)) return(NULL)
  sprintf('It was charged as no. %d to the budget of "%s" (%s), of which %s.',
    charged$number, charged$data_id, charged$words,
    sub(" is left", " was left then", share_words(charged$left))
  )
}
