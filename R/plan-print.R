# Plans in print: settings, who sends what, the statement, what to expect.

#' Who is there, in a few words.
#' @noRd
parties_words <- function(problem) {
  if (!is.null(problem$network)) {
    return(sprintf("%d nodes (%s)", problem$N, problem$network$name))
  }
  if (!is.null(problem$users)) {
    return(sprintf("%d users with %d records", length(problem$users$size), problem$records))
  }
  if (problem$N == 1L) return(sprintf("%d records", problem$records))
  sprintf("%d holders with %d records", problem$N, problem$records)
}

span <- function(x, digits = 3L) {
  paste(unique(format(range(x), digits = digits, trim = TRUE)), collapse = " to ")
}

#' Settings as named lines.
#' @noRd
plan_lines <- function(plan) {
  problem <- plan$problem
  network <- problem$network
  lines <- c(
    source = plan$method$source,
    if (is.null(network)) {
      c(data = parties_words(problem), problem = sprintf(
        "%s loss, %s, %d coefficients", problem$loss$name, penalty_words(problem$penalty),
        problem$d
      ))
    } else {
      c(nodes = sprintf(
        "%d on a %s network with %d edges; %s records each", problem$N, network$name,
        count_edges(network), span(problem$size)
      ), problem = sprintf(
        "%s loss, %d coefficients, C = %s, rho = %g (lambda = %.3g)", problem$loss$name,
        problem$d, span(problem$C), problem$rho, penalty_weight(problem)
      ), weights = weights_words(problem))
    },
    iterations = iterations_words(plan),
    settings = settings_words(plan$method), inference = inference_words(plan),
    sums = sums_words(plan)
  )
  if (!is.null(plan$noise)) lines[["noise"]] <- noise_words(plan)
  lines
}

#' The first line in print.
#' @noRd
head_words <- function(plan) {
  length <- if (plan$optimum) "the optimum" else sprintf("%d iterations", plan$iterations)
  sprintf("%s: %s, %d coefficients, %s", plan$method$title, parties_words(plan$problem),
    plan$problem$d, length
  )
}

iterations_words <- function(plan) {
  if (isTRUE(plan$optimum)) return("none: the optimum, by Newton's method on all records")
  if (on_graph(plan$method)) return(paste0(plan$iterations, ", penalty eta ", span(plan$eta)))
  step <- plan[["step"]]
  if (!is.null(step)) return(sprintf("%d of length %.3g", plan$iterations, step))
  if (is.null(plan$constraint)) return(as.character(plan$iterations))
  model <- c(last = "the last iterate", mean = "their mean", weighted = "their weighted mean")
  sprintf("%d of length %.3g (rho %.3g), the model is %s", plan$iterations,
    plan$eta / plan$gamma, plan$rho, model[[plan$average]]
  )
}

inference_words <- function(plan) {
  inference <- plan$inference
  if (is.null(inference)) return(NULL)
  sprintf("standard errors by %s, from %d more messages%s",
    if (inference$covariance == "model") "the model" else "a sandwich", length(inference$rules),
    if (inference$share > 0) sprintf(" for %g%% of the budget", 100 * inference$share) else ""
  )
}

#' What is released beside gradients, after "n gradients".
#' @noRd
moments_words <- function(plan) {
  kinds <- length(unique(plan$inference$rules))
  if (kinds == 0L) return("")
  sprintf(" and %d matri%s of second moments", kinds, if (kinds == 1L) "x" else "ces")
}

#' What the penalty ||f||^2 / 2 weighs against the mean loss.
#' @noRd
penalty_weight <- function(problem) problem$rho / (problem$N * mean(problem$C))

#' How unlike parties count.
#' @noRd
weights_words <- function(problem) {
  share <- problem$C / sum(problem$C)
  if (diff(range(share)) < 1e-9) return(NULL)
  at <- c(which.min(share), which.max(share))
  sprintf("%s: from %.2g%% (%s) to %.2g%% (%s)", problem$weights,
    100 * share[at[1L]], problem$names[at[1L]], 100 * share[at[2L]], problem$names[at[2L]]
  )
}

#' The noise of one release, as a user would give it.
#' @noRd
noise_words <- function(plan) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  sprintf("%s, %s %s", plan$budget$mechanism, mechanism$scale_name, span(unlist(plan$noise), 4L))
}

#' NULL: messages are seen.
#' @noRd
sums_words <- function(plan) {
  secure <- plan$secure
  if (is.null(secure)) return(NULL)
  sprintf("secure: parts of sigma / sqrt(%d), grid 2^%d, room for %d failed attempt%s",
    secure$honest, as.integer(log2(secure$grid)), secure$failures,
    if (secure$failures == 1L) "" else "s"
  )
}

penalty_words <- function(penalty) {
  if (penalty$name == "none") "no penalty" else paste(penalty$name, "penalty")
}

settings_words <- function(method) {
  set <- Filter(Negate(is.null), method$parameters)
  if (length(set) == 0L) return(NULL)
  paste(names(set), vapply(set, describe_parameter, ""), sep = " = ", collapse = ", ")
}

print_lines <- function(lines) {
  cat(sprintf("  %-12s%s\n", names(lines), lines), sep = "")
}

#' What each party sends: messages, doubles a message, bytes in all.
#' @noRd
traffic <- function(plan) {
  problem <- plan$problem
  sends <- if (is.null(plan$sends)) length(all_rules(plan)) else plan$sends
  bytes <- 8 * problem$d
  data.frame(
    party = problem$names, records = problem$size, messages = sends, numbers = problem$d,
    neighbours = receivers(problem), bytes = sends * bytes * receivers(problem)
  )
}

#' How many get what a party sends.
#' @noRd
receivers <- function(problem) {
  if (is.null(problem$network)) 1 else count_neighbours(problem$network)
}

#' @export
print.dpadmm_plan <- function(x, ...) {
  check_no_dots(...)
  cat("Plan of ", head_words(x), "\n", sep = "")
  sent <- traffic(x)
  cat(sprintf("  %s %s message%s of %d numbers%s: %s.\n",
    if (x$problem$N > 1L) "Each party sends" else "The holder sends", span(sent$messages),
    if (all(sent$messages == 1)) "" else "s", x$problem$d,
    if (is.null(x$problem$degree)) "" else " to each neighbour", span_bytes(sent$bytes)
  ))
  if (x$private) cat("  Noise of a release: ", noise_words(x), ".\n", sep = "")
  cat("\n")
  print(privacy(x))
  cat(forecast_text(x), sep = "\n")
  invisible(x)
}

span_bytes <- function(bytes) {
  text <- function(b) {
    k <- min(3L, floor(log(max(b, 1), 1024)))
    sprintf("%.3g %s", b / 1024^k, c("bytes", "KB", "MB", "GB")[k + 1L])
  }
  paste(unique(c(text(min(bytes)), text(max(bytes)))), collapse = " to ")
}

#' Summary of a plan
#'
#' @param object a plan of [dpadmm_plan()].
#' @param ... not used.
#' @return An object of class `summary.dpadmm_plan`: the settings, a data frame `traffic` with a
#'   row for each party (`records`, `messages` it sends, `numbers` in each, `neighbours` that
#'   get it, `bytes` in all), the privacy statement, and what to expect.
#' @examples
#' plan <- dpadmm_plan(20, sizes = c(north = 2500, south = 4000), epsilon = 1, delta = 1e-5)
#' summary(plan)
#' summary(plan)$traffic
#' @export
summary.dpadmm_plan <- function(object, ...) {
  check_no_dots(...)
  structure(list(
    title = object$method$title, settings = plan_lines(object), traffic = traffic(object),
    privacy = privacy(object), expected = object$expected, forecast = forecast_text(object)
  ), class = "summary.dpadmm_plan")
}

#' @export
print.summary.dpadmm_plan <- function(x, ...) {
  check_no_dots(...)
  cat("Plan of ", x$title, "\n", sep = "")
  print_lines(x$settings)
  cat("\nWhat is sent\n")
  print.data.frame(utils::head(x$traffic, 10L), row.names = FALSE)
  if (nrow(x$traffic) > 10L) cat(sprintf("... and %d more parties\n", nrow(x$traffic) - 10L))
  cat("\n")
  print(x$privacy)
  cat(x$forecast, sep = "\n")
  invisible(x)
}

#' @rdname tidy
#' @exportS3Method generics::tidy
tidy.dpadmm_plan <- function(x, ...) {
  check_no_dots(...)
  sent <- traffic(x)
  part <- if (is.null(x$releases)) NA_character_ else unique(x$releases$part)
  out <- merge(sent, data.frame(part = part), sort = FALSE)
  node <- if (is.null(x$releases)) integer() else x$releases$node
  rows <- function(i, part) x$releases$part == part & (is.na(node) | node == i)
  out$releases <- mapply(function(i, part) {
    if (is.na(part)) 0 else sum(x$releases$count[rows(i, part)])
  }, match(out$party, sent$party), out$part)
  out$sensitivity <- mapply(function(i, part) {
    if (is.na(part)) NA_real_ else max(x$releases$sensitivity[rows(i, part)])
  }, match(out$party, sent$party), out$part)
  out
}
