# What to expect of a plan: each family's forecast, in words.

#' @return list(noise, most, signal, verdict, ratio, sentence, advice, alone, intervals), see
#'   plan-forecast.R, plan-forecast-words.R, plan-forecast-alone.R and plan-forecast-intervals.R.
#' @noRd
expected_of <- function(plan) {
  if (!plan$private) return(forecast_words(list(noise = 0, most = 0, signal = NA_real_), 1))
  expected <- forecast_of(plan$method, plan)
  # whether each party's noise is in the model
  alone <- on_graph(plan$method) || (by_gradients(plan$method) && !is_secure(plan))
  words <- forecast_words(expected, plan$problem$d, if (alone) plan$problem$N else 1)
  c(expected, words, list(
    alone = better_alone(plan, expected), intervals = forecast_intervals(plan)
  ))
}

#' @noRd
forecast_of <- function(method, plan) UseMethod("forecast_of")

#' Standard deviation of a coordinate of noise of these scales; 0 where there is none.
#' @noRd
scale_sd <- function(plan, scale) {
  if (is.null(scale)) return(0)
  sd <- noise_mechanism(plan$budget$mechanism)$sd(scale, plan$problem$d)
  ifelse(scale > 0, sd, 0)
}

#' @noRd
#' @export
forecast_of.dpadmm_family_graph <- function(method, plan) {
  problem <- plan$problem
  none <- matrix(0, problem$N, plan$iterations)
  test <- plan$test
  if (!is.null(test)) {
    ratio <- test$query_scale[1L] / test$threshold_scale[1L]
    test <- list(max_sends = test$max_sends, ratio = ratio)
  }
  forecast_graph(plan$rule, plan$eta, plan$theta, plan$gamma,
    none + scale_sd(plan, plan$scales$objective), none + scale_sd(plan, plan$scales$output),
    pull = problem$C, ridge = problem$rho / problem$N,
    network = problem$network, loss = problem$loss, row_bound = problem$row_bound,
    d = problem$d, test = test, share = model_shares(problem)
  )
}

#' @noRd
#' @export
forecast_of.dpadmm_family_server <- function(method, plan) {
  problem <- plan$problem
  share <- if (!is.null(plan$walk)) 1 else if (plan$sample > 0L) plan$sample else plan$n
  # a loss without a slope of its own has what clipping leaves
  clip <- min(plan$grad_bound, plan$step_bound / plan$prox_gamma)
  forecast_fp_admm(plan$rounds, plan$n, plan$lambda, plan$prox_gamma,
    block_sd = sqrt(mean(scale_sd(plan, plan$scales$output)^2)),
    mean_sd = scale_sd(plan, plan$scales$server), problem$loss, problem$row_bound, problem$d,
    share / plan$n, problem$records / plan$n, penalty_curvature(problem$penalty),
    slope = if (is.infinite(problem$loss$lipschitz)) clip / problem$row_bound
  )
}

#' @noRd
#' @export
forecast_of.dpadmm_family_descent <- function(method, plan) {
  problem <- plan$problem
  blocks <- if (is.null(plan$block)) 1 else max(plan$block)
  sd <- sqrt(sum(as.matrix(plan$scales$gradient)[, 1L]^2)) # the hub adds up all holders' noise
  forecast_steps(plan$iterations, plan$step, sd, problem$loss, problem$row_bound,
    problem$d,
    active = 1 / blocks, ridge = penalty_curvature(problem$penalty),
    slope = method$parameters$clip
  )
}

#' @noRd
#' @export
forecast_of.dpadmm_family_split <- function(method, plan) {
  problem <- plan$problem
  constraint <- plan$constraint
  sd <- sqrt(colSums(scale_sd(plan, plan$scales$gradient)^2)) # summed by the hub
  start <- scale_sd(plan, plan$scales$start)
  forecast_split(sd, plan$eta, plan$rho, plan$gamma,
    problem$C, problem$loss, problem$row_bound, problem$d,
    accelerated = plan$accelerated && !plan$restart,
    weights = iterate_weights(plan$average, plan$iterations),
    norm = sum(constraint$A^2) / problem$d, b = constraint$b[1L],
    ridge = penalty_curvature(problem$penalty),
    start_sd = sqrt(sum(start^2)),
    slope = method$parameters$clip
  )
}

#' Strong convexity of a penalty.
#' @noRd
penalty_curvature <- function(penalty) {
  at <- c(l2 = "lambda", elastic_net = "lambda2")[penalty$name]
  if (is.na(at)) 0 else penalty$parameters[[at]]
}

#' What to expect, as lines of text; none for a plan without noise.
#' @noRd
forecast_text <- function(plan) {
  expected <- plan$expected
  if (expected$verdict == "no noise") return(character())
  alone <- alone_sentence(expected$alone)
  strwrap(paste(c(
    "What to expect:", expected$sentence, expected$advice, alone,
    intervals_sentence(expected$intervals)
  ), collapse = " "), 88, exdent = 2)
}

#' A fit that is likely to be noise says so before it spends its budget.
#' @noRd
warn_of_noise <- function(plan) {
  expected <- plan$expected
  alone <- alone_sentence(expected$alone)
  if (expected$verdict != "mostly noise" && is.null(alone)) return(invisible())
  warn("utility", paste(c(expected$sentence, expected$advice, alone), collapse = " "),
    argument = if (is.null(alone)) "epsilon" else "weights",
    verdict = expected$verdict, ratio = expected$ratio
  )
}

#' That a holder's records are protected as a whole is said before they are read: the noise that
#' this takes leaves little of a model of a few holders.
#' @noRd
say_unit <- function(plan) {
  if (!plan$private || plan$problem$unit != "holder") return(invisible())
  size <- plan$problem$users$size
  message(structure(class = c("dpadmm_message_unit", "message", "condition"), list(
    message = sprintf(paste(
      "unit = \"holder\": what is protected is all records of a holder together (%s), not one",
      "record.\n"
    ), span(size)),
    call = NULL
  )))
}
