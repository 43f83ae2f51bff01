#' A fit as something to audit
#'
#' Settles a fit once (its plan, its noise for a budget) and returns a function that
#' repeats it on the records of one or another data set with fresh noise: calibrating takes
#' far longer than a small fit. The settings come from public numbers, so they are the same
#' for neighbours.
#'
#' @section Secure sums:
#' With `aggregation = "secure"` (see [secure_sum()]) the released values are what the hub opens,
#' the sum of every round, and the models. The statement holds against a hub that some holders
#' tell all they know: with `colluding` holders, what is left of each sum when their parts, noise
#' included, are taken out of it. A record that differs must be of another holder.
#'
#' @param method,loss,network,penalty,C,rho,iterations,epsilon,delta,noise,control as in
#'   [dpadmm_fit()]. `control$keep_iterates` is always on: every message is released.
#' @param aggregation as in [dpadmm_plan()].
#' @param colluding of secure sums: the holders that tell the hub all they know, by name or number.
#'   `NULL`: the last ones, as many as need not be honest.
#' @param seed of who takes part when ([fp_admm()] with `sample` or a walk) and of blocks' order
#'   ([dp_cd()]), which are public and settled with the plan, the same in all runs. `NULL`: from the
#'   operating system; then an audit with a seed is not the same in another session.
#' @return A function of class `dpadmm_release`, `function(data, seed = NULL)`, that returns
#'   all released values as one vector: every message, and for [ipp_admm()] who sent when.
#'   `data` is a list with a matrix `x`, labels `y` and, where the method has nodes,
#'   `nodes`, such as those of [worst_case_neighbours()]; perhaps also `case_weights` (at most 1)
#'   and `offset`. The records are taken as they are: no intercept is added, and rows longer than
#'   `control$row_bound` are shortened.
#'   Data of other sizes than the first are a `dpadmm_error_plan`.
#' @seealso [audit()].
#' @examples
#' pair <- worst_case_neighbours("labels", n = 6, nodes = 2)
#' release <- fit_release(admm(eta = 0.5), iterations = 3, epsilon = 2, delta = 1e-5)
#' release(pair$data1, seed = 1)
#' audit(release, pair$data1, pair$data2, runs = 100, seed = 1)
#' @export
fit_release <- function(method = mr_admm(), loss = "logistic", network = network_complete(),
                        penalty = NULL, C = NULL, rho = 0.01, iterations = NULL, epsilon = NULL,
                        delta = 0, noise = NULL, control = dpadmm_control(),
                        aggregation = "plain", colluding = NULL, seed = NULL) {
  settings <- plan_settings(network, method, loss, penalty, C, rho, iterations, epsilon, delta,
    noise, seed, control,
    given = c(if (!missing(C)) "C", if (!missing(rho)) "rho", if (!missing(network)) "network"),
    aggregation = aggregation
  )
  settings$control$progress <- FALSE
  plan <- heard <- NULL
  settle <- function(data) {
    if (is.null(plan)) {
      x <- check_matrix(data$x, "x")
      held <- fit_holders(settings, data$nodes, nrow(x), noise_key(0))
      blueprint <- c(matrix_blueprint(ncol(x)), record_facts(audited_numbers(data)))
      plan <<- suppressWarnings(plan_for(settings, blueprint, held),
        classes = "dpadmm_warning"
      )
      heard <<- heard_holders(plan, colluding)
    }
    plan
  }
  # quiet: without noise; sent: where every message goes, for audit-low-bits.R
  prepare <- function(data, quiet = FALSE, sent = NULL) {
    data <- check_fit_data(data)
    plan <- settle(data)
    if (quiet) plan <- quiet_plan(plan)
    if (is_secure(plan)) sent <- new.env()
    engine <- if (!is.null(sent)) engine_stepwise(sent = sent)
    numbers <- audited_numbers(data)
    records <- records_matrix(data$x, data$y, plan$problem$loss, options = numbers)
    holders <- function(key) planned_holders(plan$problem, data$nodes, nrow(records$x), key)
    # a number of nodes splits the records anew for every key
    held <- if (length(data$nodes) != 1L) holders(noise_key(0))
    function(seed = NULL) {
      key <- noise_key(seed)
      on.exit(forget_key(key))
      held <- if (is.null(held)) holders(key) else held
      if (is_secure(plan)) sent$values <- NULL
      result <- run_plan(plan, records, held, key, engine, keep = TRUE)
      opened <- if (is_secure(plan)) opened_sums(plan, sent$values, heard)
      as.double(c(result$iterates, result$sent, opened))
    }
  }
  structure(function(data, seed = NULL) prepare(data)(check_seed(seed)),
    prepare = prepare, settle = function(data) settle(check_fit_data(data)),
    class = "dpadmm_release"
  )
}

#' The holders of a secure sum of whom a hub is not told what they sent; `NULL`: sums are plain.
#' @noRd
heard_holders <- function(plan, colluding) {
  wrong <- function(...) abort("argument", sprintf(...), argument = "colluding")
  if (!is_secure(plan)) {
    if (!is.null(colluding)) wrong("`colluding` is about secure sums.")
    return(NULL)
  }
  names <- plan$problem$names
  most <- length(names) - plan$secure$honest
  if (is.null(colluding)) return(seq_len(plan$secure$honest))
  which <- if (is.character(colluding)) match(colluding, names) else colluding
  known <- is.numeric(which) && all(which %in% seq_along(names))
  if (!known) wrong("`colluding` must be names or numbers of holders.")
  if (anyDuplicated(which) || length(which) > most) {
    wrong("The statement allows for %d colluding holders.", most)
  }
  setdiff(seq_along(names), which)
}

#' The sums of these holders' parts, a round after the other, in units of what is summed.
#' @param shares words of each holder by round.
#' @noRd
opened_sums <- function(plan, shares, heard) {
  unlist(lapply(shares, function(words) {
    plan$secure$grid * words_to_doubles(core_call(.Call(ffi_words_sum, words[heard])))
  }))
}

#' Whole numbers modulo 2^64, those nearest to 0.
#' @noRd
words_to_doubles <- function(words) {
  half <- matrix(readBin(words, "integer", length(words) / 4L, endian = "little"), 2L)
  low <- ifelse(is.na(half[1L, ]), 2^31, half[1L, ] %% 2^32) # R reads -2^31 as NA
  high <- ifelse(is.na(half[2L, ]), -2^31, half[2L, ])
  high * 2^32 + low
}

check_fit_data <- function(data) {
  if (!is.list(data) || is.null(data$x) || is.null(data$y)) {
    abort("argument",
      "The data of a fit must be a list with `x`, `y` and, where there are nodes, `nodes`.",
      argument = "data"
    )
  }
  Filter(Negate(is.null), data[c("x", "y", "nodes", "case_weights", "offset")])
}

#' Weights of records to audit are at most 1.
#' @noRd
audited_numbers <- function(data) {
  record_options(data$case_weights, if (!is.null(data$case_weights)) 1, data$offset)
}

#' What a plan promises about itself: its own accountant's epsilon as a function of delta, or
#' NULL when nothing is proved of it.
#' @noRd
release_claim <- function(release, data, accountant = "sound") {
  plan <- attr(release, "settle")(data)
  if (!plan$private) return(NULL)
  claim <- function(delta) privacy(plan, accountant, delta = delta)$epsilon
  tryCatch({
    claim(max(plan$budget$delta, 1e-12))
    claim
  }, dpadmm_error_accountant = function(e) NULL)
}

#' @export
print.dpadmm_release <- function(x, ...) {
  check_no_dots(...)
  method <- environment(attr(x, "prepare"))$settings$method
  cat(sprintf("<dpadmm_release: fits by %s>\n", method$title))
  invisible(x)
}
