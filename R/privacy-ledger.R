# Budgets that outlive a session, and what was charged to them.

ledger_now <- function() Sys.time()

time_text <- function(time) format(time, "%Y-%m-%dT%H:%M:%OS3Z", tz = "UTC")

time_of <- function(text) as.POSIXct(strptime(text, "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC"))

# ---- budgets -----------------------------------------------------------------------------

#' The budget of `data_id`, which is made where there is none; one that is there must be the same.
#' @noRd
ledger_budget <- function(con, data_id, epsilon, delta, renewal = NULL) {
  data_id <- check_string(data_id, "data_id", 200L)
  budget <- new_budget(epsilon, delta)
  check_renewal(renewal)
  row <- list(
    data_id = data_id, epsilon = as.double(epsilon), delta = as.double(delta),
    renewal_days = if (is.null(renewal)) NA_real_ else as.double(renewal),
    created = time_text(ledger_now()), renyi_order = budget$order, allowance = budget$allowance
  )
  if (is.null(find_budget(con, data_id))) {
    # another process may be faster: its budget stands
    row$hash <- row_hash(row)
    ledger_execute(con, "INSERT OR IGNORE INTO budget VALUES (?, ?, ?, ?, ?, ?, ?, ?)", unname(row))
  }
  stored <- read_budget(con, data_id)
  check_same_budget(con, stored, row)
  stored
}

check_renewal <- function(renewal) {
  if (!is.null(renewal)) check_number(renewal, "renewal", lower = 0, open_lower = TRUE)
}

check_same_budget <- function(con, stored, asked) {
  asked <- list(
    epsilon = asked$epsilon, delta = asked$delta,
    renewal = if (!is.na(asked$renewal_days)) asked$renewal_days
  )
  for (field in names(asked)) {
    if (identical(stored[[field]], asked[[field]])) next
    words <- function(x) if (is.null(x)) "none" else format(x, digits = 15L)
    abort_ledger(con@dbname, sprintf(
      'the budget of "%s" has `%s` %s, not %s, and asking does not change it', stored$data_id,
      field, words(stored[[field]]), words(asked[[field]])
    ), argument = field, value = asked[[field]])
  }
}

find_budget <- function(con, data_id) {
  row <- ledger_query(con, "SELECT * FROM budget WHERE data_id = ?", list(data_id))
  if (nrow(row) == 1L) row
}

#' A budget as the filter takes it, with its name, its start, its renewal and the hash of its row.
#' @param row of find_budget().
#' @noRd
read_budget <- function(con, data_id, row = find_budget(con, data_id)) {
  data_id <- check_string(data_id, "data_id", 200L)
  if (is.null(row)) {
    abort_ledger(con@dbname, sprintf(
      'it has no budget of "%s": dpadmm_ledger(path, data_id, epsilon, delta) makes one', data_id
    ), argument = "data_id", value = data_id)
  }
  list(
    data_id = row$data_id, epsilon = row$epsilon, delta = row$delta,
    renewal = if (!is.na(row$renewal_days)) row$renewal_days, created = row$created,
    order = as.double(row$renyi_order), allowance = row$allowance, hash = row$hash
  )
}

# ---- charges -----------------------------------------------------------------------------

#' The budget and the charges of a data set.
#' @param tables of ledger_tables().
#' @return list(budget, period, first, costs): of read_budget(); the number of its period, which a
#'   clock that was set back does not bring back; the events of the first charge of all, as text;
#'   what was charged in the period.
#' @noRd
budget_so_far <- function(con, data_id, tables = ledger_tables(con)) {
  row <- match(data_id, tables$budgets$data_id)
  budget <- read_budget(con, data_id, if (!is.na(row)) lapply(tables$budgets, `[[`, row))
  own <- tables$charges$data_id == budget$data_id
  periods <- tables$charges$period[own]
  period <- current_period(budget, periods)
  list(
    budget = budget, period = period, first = tables$charges$events[own][1L],
    costs = as.double(tables$charges$cost[own][periods == period])
  )
}

current_period <- function(budget, periods) {
  if (is.null(budget$renewal)) return(0L)
  days <- as.double(difftime(ledger_now(), time_of(budget$created), units = "days"))
  as.integer(max(0, floor(days / budget$renewal), periods))
}

#' Charge events to a budget, within ledger_transaction(): an error of class dpadmm_error_budget,
#' and nothing written, where its filter does not admit them. Public numbers decide.
#' @param analyst,plan,run,what who, the digest of which plan, which run, and that in words.
#' @return list(number, cost, left), the last as of ledger_left().
#' @noRd
ledger_charge <- function(con, data_id, events, analyst, plan, run, what, per_person = 1) {
  check_transaction(con)
  tables <- ledger_tables(con)
  previous <- last_hash(con, tables)
  for (field in c("analyst", "plan", "run", "what")) check_string(get(field), field, 10000L)
  asked <- ledger_check(con, data_id, events, per_person, tables)
  budget <- asked$budget
  row <- list(
    number = nrow(tables$charges) + 1L, data_id = budget$data_id,
    time = time_text(ledger_now()), analyst = analyst, plan = plan, run = run, what = what,
    events = events_to_json(events), cost = asked$cost, period = asked$period,
    previous = previous
  )
  row$hash <- row_hash(row, with = budget$hash)
  ledger_insert(con, "charge", row)
  left <- left_of(budget, asked$period, c(asked$costs, asked$cost))
  list(number = row$number, cost = asked$cost, left = left)
}

#' Whether a budget would admit a charge: an error, of class dpadmm_error_budget, or what it would
#' cost and what is charged already.
#' @param per_person how many records of a person the budget is promised to cover.
#' @noRd
ledger_check <- function(con, data_id, events, per_person = 1, tables = ledger_tables(con)) {
  check_releases(events, class = "dp_events")
  now <- budget_so_far(con, data_id, tables)
  budget <- now$budget
  check_relation(now, events, per_person)
  cost <- charge_cost(events, budget)
  if (!filter_admits(budget, events, now$costs, cost)) {
    abort_refused(budget, left_of(budget, now$period, now$costs), events)
  }
  list(budget = budget, period = now$period, costs = now$costs, cost = cost)
}

#' One budget is about one kind of neighbours, and of persons with as many records as the first
#' charge was about: whatever is about fewer would not cover them.
#' @noRd
check_relation <- function(now, events, per_person) {
  if (is.na(now$first)) return(invisible())
  budget <- now$budget
  first <- events_from_json(now$first)
  earlier <- one_relation(first)
  if (one_relation(events) != earlier) {
    abort("accountant", sprintf(
      'The budget of "%s" is about "%s" neighbours, and these events are about "%s".',
      budget$data_id, earlier, one_relation(events)
    ), argument = "events")
  }
  covered <- covered_records(first)
  fewer <- if (covered < per_person) covered else covered_records(events)
  most <- max(covered, per_person)
  if (fewer < most) {
    abort("accountant", sprintf(paste(
      'The budget of "%s" is about persons with up to %g records, and %s about %g: take another',
      "budget."
    ), budget$data_id, most, if (covered < per_person) "its first charge was" else "this would be",
    fewer), argument = "per_person")
  }
}

#' How many records of a person events are about, at the party where they are fewest.
#' @noRd
covered_records <- function(events) {
  persons <- events$per_person
  min(ifelse(is.na(persons), 1, persons))
}

abort_refused <- function(budget, left, events) {
  why <- if (is.infinite(proved_epsilon(events, budget$delta))) {
    "nothing finite is proved of these releases, and no budget covers them"
  } else {
    sprintf("%s, and this costs more", share_words(left$share))
  }
  abort("budget", sprintf('The budget of "%s": %s.', budget$data_id, why),
    argument = "ledger", place = budget$data_id, left = left
  )
}

#' A share of a budget in words, never more than it is.
#' @noRd
share_words <- function(share) {
  if (share <= 0) return("nothing is left")
  if (share < 0.001) return("less than 0.1% is left")
  sprintf("%g%% is left", floor(1000 * share) / 10)
}

#' What is left in a period: in the numbers that the filter adds, and as a share.
#' @noRd
left_of <- function(budget, period, costs) {
  spent <- if (length(costs)) total_cost(costs) else 0
  left <- max(0, budget$allowance - spent)
  share <- if (length(costs) == 0L) 1 else if (left > 0) left / budget$allowance else 0
  list(
    data_id = budget$data_id, epsilon = budget$epsilon, delta = budget$delta,
    renewal = budget$renewal, order = budget$order, allowance = budget$allowance, spent = spent,
    left = left, share = share, period = period, charges = length(costs)
  )
}

#' What is left of the budget now, and what was charged in its period: a list whose `spent`,
#' `left` and `allowance` are in the numbers that the filter adds, `share` is what is left of 1.
#' @noRd
ledger_left <- function(con, data_id) {
  now <- budget_so_far(con, data_id)
  left_of(now$budget, now$period, now$costs)
}

#' What was charged in this period: list(spent, share, charges, events), `share` of 1, `events` of
#' all charges together, or NULL.
#' @noRd
ledger_spent <- function(con, data_id) {
  left <- ledger_left(con, data_id)
  texts <- ledger_query(con,
    "SELECT events FROM charge WHERE data_id = ? AND period = ? ORDER BY number",
    list(left$data_id, left$period)
  )$events
  tables <- lapply(texts, events_from_json)
  list(
    spent = left$spent, share = 1 - left$share, charges = left$charges,
    events = if (length(tables)) do.call(c, tables)
  )
}
