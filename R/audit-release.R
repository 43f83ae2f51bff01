#' A fit as something to audit
#'
#' Settles a fit once (its plan, its noise for a budget) and returns a function that
#' repeats it on the records of one or another data set with fresh noise: calibrating takes
#' far longer than a small fit. The settings come from public numbers, so they are the same
#' for neighbours.
#'
#' @param method,loss,network,penalty,C,rho,iterations,epsilon,delta,noise,control as in
#'   [dpadmm_fit()]. `control$keep_iterates` is always on: every message is released.
#' @return A function of class `dpadmm_release`, `function(data, seed = NULL)`, that returns
#'   all released values as one vector: every message, and for [ipp_admm()] who sent when.
#'   `data` is a list with a matrix `x`, labels `y` and, where the method has nodes,
#'   `nodes`, such as those of [worst_case_neighbours()].
#' @seealso [audit()].
#' @examples
#' pair <- worst_case_neighbours("labels", n = 6, nodes = 2)
#' release <- fit_release(admm(eta = 0.5), iterations = 3, epsilon = 2, delta = 1e-5)
#' release(pair$data1, seed = 1)
#' audit(release, pair$data1, pair$data2, runs = 100, seed = 1)
#' @export
fit_release <- function(method = mr_admm(), loss = "logistic", network = network_complete(),
                        penalty = NULL, C = NULL, rho = NULL, iterations = NULL, epsilon = NULL,
                        delta = 0, noise = NULL, control = dpadmm_control()) {
  loss <- dpadmm_loss(loss)
  check_class(method, "dpadmm_method", "method", "a method such as mr_admm()")
  check_class(control, "dpadmm_control", "control", "dpadmm_control()")
  control$keep_iterates <- TRUE
  control$progress <- FALSE
  settings <- list(method = method, loss = loss, penalty = penalty, C = C, rho = rho,
    iterations = iterations, epsilon = epsilon, delta = delta, noise = noise, control = control)
  if (!missing(network)) settings$network <- network
  settings <- Filter(Negate(is.null), settings)

  settled <- NULL
  settle <- function(data) {
    if (is.null(settled)) {
      data <- check_fit_data(data)
      # any noise will do: what is kept are public numbers
      settled <<- do.call(dpadmm_fit, c(data, settings, seed = 0))
    }
    settled
  }
  prepare <- function(data) {
    first <- settle(data)
    data <- check_fit_data(data)
    records <- records_matrix(data$x, data$y, loss)
    fixed <- fix_noise(method, first, control)
    rho <- if (is.null(rho)) eval(formals(dpadmm_fit.default)$rho) else rho
    budget <- check_budget(epsilon, delta, noise,
      per_node = inherits(method, "dpadmm_family_decentralised")
    )
    if (!is.null(fixed$noise)) budget$noise <- fixed$noise
    function(seed = NULL) {
      fit_values(suppressWarnings(run_method(
        fixed$method, records, data$nodes, network, loss, penalty, fixed$C, rho, fixed$iterations,
        budget, control, noise_key(seed)
      ), classes = "dpadmm_warning"))
    }
  }
  structure(function(data, seed = NULL) prepare(data)(check_seed(seed)),
    prepare = prepare, settle = settle, class = "dpadmm_release"
  )
}

#' The method, problem and noise of a fit with nothing left to be worked out.
#' @noRd
fix_noise <- function(method, fit, control) {
  out <- list(method = method, C = fit$public$C, iterations = fit$public$iterations)
  parameters <- method$parameters
  # the printed rules of inexact methods give no noise that could be passed on, and are fast
  inexact <- inherits(method, c("dpadmm_method_pp_admm", "dpadmm_method_ipp_admm"))
  if (is.null(fit$noise) || (inexact && control$accountant == "paper")) return(out)
  scale <- fit$noise
  if (inexact) {
    scale <- scale$objective
    parameters$split <- fit$plan$split
  }
  if (inherits(method, "dpadmm_family_gradient")) scale <- matrix(scale, 1L)
  # given noise would lead to other defaults than the budget did
  for (name in intersect(names(fit$plan$chosen), names(parameters))) {
    if (is.null(parameters[[name]])) parameters[[name]] <- fit$plan$chosen[[name]]
  }
  out$method$parameters <- parameters
  out$noise <- new_noise(fit$budget$mechanism, scale, "noise")
  out
}

check_fit_data <- function(data) {
  if (!is.list(data) || is.null(data$x) || is.null(data$y)) {
    abort("argument",
      "The data of a fit must be a list with `x`, `y` and, where there are nodes, `nodes`.",
      argument = "data"
    )
  }
  Filter(Negate(is.null), list(x = data$x, y = data$y, nodes = data$nodes))
}

#' What a fit promises about itself: its own accountant's epsilon as a function of delta, or
#' NULL when nothing is proved of it.
#' @noRd
release_claim <- function(release, data, accountant = "sound") {
  fit <- attr(release, "settle")(data)
  if (is.null(fit$events)) return(NULL)
  claim <- function(delta) privacy(fit, accountant, delta = delta)$epsilon
  tryCatch({
    claim(max(fit$budget$delta, 1e-12))
    claim
  }, dpadmm_error_accountant = function(e) NULL)
}

#' @export
print.dpadmm_release <- function(x, ...) {
  cat(sprintf("<dpadmm_release: fits by %s>\n", environment(attr(x, "settle"))$method$title))
  invisible(x)
}
