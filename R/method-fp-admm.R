#' Private ADMM as a noisy fixed-point iteration
#'
#' Minimises `(1/n) sum_i f_i(z) + r(z)` over n users, where `f_i` is the mean loss of
#' user i's records (one each, or as many as `nodes` says) and r the `penalty`, r =
#' `penalty_l1(kappa)` and so on. With states `u_i` (start 0), each round makes
#' \deqn{z = prox_{\gamma r}(mean(u)),\quad x_i = prox_{\gamma f_i}(2 z - u_i),\quad
#'   u_i \leftarrow u_i + 2 \lambda (x_i - z + \eta_i / 2).}
#'
#' `gamma` always goes with `f_i` as it is, not with `f_i / n`.
#'
#' * `setting = "centralized"` (Algorithm 2): a curator holds everything and all users
#'   step every round. `z_1` comes from `u_0` and reads no record; K iterations have
#'   K - 1 noisy steps.
#' * `"federated"` (Algorithm 3; with a squared loss, `penalty_l1()` and `clip` also
#'   Algorithm 6): `sample` users, a random subset, step each round.
#' * `"decentralized"` (Algorithm 4): the model walks over the users, uniformly at
#'   random; who holds it steps.
#'
#' As printed, Algorithms 3 and 4 add the change of mean(u) to `z` after its proximal
#' step, so that with a penalty the mean of u is lost; here mean(u) itself is kept, which
#' is equation 8 and the same thing without a penalty.
#'
#' @section Noise:
#' * `noise = "block"`, as printed: each step of a user has noise \eqn{\eta \sim N(0,
#'   \sigma^2 I)} of its own. `gaussian_noise(sigma)` is the sigma of eta.
#' * `noise = "aggregate"`: users keep noise-free states and a trusted server (or secure
#'   aggregation) releases `z = prox(mean(u) + N(0, tau^2 I))`; `gaussian_noise(tau)`.
#'
#' @section Guarantee:
#' Between neighbours one user's whole data change (with one record a user: one
#' record). Let L bound the norm of a user's gradient: the loss's Lipschitz constant
#' times `control$row_bound`, or `clip` when that is smaller. The bound is enforced on
#' the implicit gradient `(2 z - u - x) / gamma` itself, so the guarantee does not rest
#' on how well a proximal step was solved.
#'
#' * block noise: a step moves by at most `4 lambda gamma L` against noise of standard
#'   deviation `lambda sigma`: one Gaussian release each time a user takes part
#'   (`a 8 L^2 gamma^2 / sigma^2` at Renyi order a). This holds for every view.
#' * aggregate noise, lambda <= 1/2: after m steps a user's states differ by at most
#'   `2 gamma L (1 - (1 - 2 lambda)^m)`, so a release of z costs at most
#'   `a 2 gamma^2 L^2 / (n^2 tau^2)`.
#' * `accountant = "paper"`: Theorem 2 (centralized), Theorem 3 (federated: local and
#'   central) and Theorem 4 (decentralized: network). The central figures of Theorems 2
#'   and 3 are too small by a factor of about the number of noises averaged: one noisy
#'   step with linear losses and lambda = 1/2 costs exactly `8 a gamma^2 L^2 / (n
#'   sigma^2)`, not `8 a gamma^2 L^2 / (n^2 sigma^2)`. That of Theorem 4 is not proved.
#'
#' `view` says for whom `epsilon` is calibrated and, in [privacy()], stated: `"local"`
#' (whoever sees every user's messages, the server included), `"central"` (who sees the
#' released models only), `"network"` (another user of the walk).
#'
#' @section Memory and threads:
#' Records are read in place (users with several records: one copy). States of users with
#' noise of their own take one n x d array. Noise-free states of users with one record
#' lie in the span of the record and of past z: they take two numbers a user when all are
#' active, and a few more when users are sampled (the last round it took part in when
#' lambda = 1/2; for smaller lambda as many rounds as doubles can tell apart, unless d is
#' smaller than half of that).
#'
#' `control$threads` share the records of a round in which all users take part, with one
#' record each and no noise of their own; other rounds run on one thread. The result is
#' the same for any number.
#'
#' @param lambda step size, in (0, 1]; at most 1/2 for a private fit with aggregate noise.
#' @param gamma weight of the proximal steps (> 0).
#' @param setting see above.
#' @param sample number of users a round (>= 1), or their share in (0, 1); federated
#'   only. `NULL`: all.
#' @param clip bound (> 0) on the norm that `clip_on` names; `NULL`: none. A private fit
#'   with a loss without Lipschitz constant (`"squared"`) needs one.
#' @param noise `"aggregate"` (the default, where there is a server) or `"block"`.
#' @param clip_on `"gradient"`: the implicit gradient, which for users with one record is
#'   exactly the proximal step of the loss with its slope cut off (squared becomes
#'   Huber); `"step"`: `x - z`, as in Algorithm 6, with block noise only.
#' @param view whom `epsilon` is for; `NULL`: `"central"` where there is a server,
#'   `"network"` where there is none.
#' @return An object of class `dpadmm_method` for [dpadmm_fit()], whose fits hold
#'   `iterates`, the K x d matrix of z_1, ..., z_K (released), and `coefficients`, z_K.
#'
#'   Errors of class `dpadmm_error_argument` for settings outside their ranges.
#' @source Cyffers, Bellet and Basu (2023), From noisy fixed-point iterations to private
#'   ADMM for centralized and federated learning, Algorithms 2, 3, 4 and 6. *ICML*.
#' @seealso [dp_sgd()], the baseline; [fixed_point()], [general_admm()],
#'   [utility_bound()].
#' @examples
#' lasso <- sim_lasso(n = 300, seed = 1)
#' fit <- dpadmm_fit(lasso$x, lasso$y,
#'   method = fp_admm(gamma = 20, setting = "federated", sample = 0.1, clip = 0.5),
#'   loss = "squared", penalty = penalty_l1(0.002), iterations = 100,
#'   epsilon = 5, delta = 1e-6, seed = 1
#' )
#' fit
#' @export
fp_admm <- function(lambda = 0.5, gamma = 1,
                    setting = c("centralized", "federated", "decentralized"),
                    sample = NULL, clip = NULL, noise = NULL,
                    clip_on = c("gradient", "step"), view = NULL) {
  settings <- c("centralized", "federated", "decentralized")
  setting <- check_choice(setting, settings, "setting")
  check_number(lambda, "lambda", lower = 0, open_lower = TRUE, upper = 1)
  check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
  clip_on <- check_choice(clip_on, c("gradient", "step"), "clip_on")
  if (!is.null(clip)) check_number(clip, "clip", lower = 0, open_lower = TRUE)
  if (is.null(noise)) noise <- if (setting == "decentralized" ||
    clip_on == "step") "block" else "aggregate"
  noise <- check_choice(noise, c("aggregate", "block"), "noise")
  if (noise == "aggregate" && setting == "decentralized") {
    abort("argument", "A walk has no server to add aggregate noise: use noise = \"block\".",
      argument = "noise")
  }
  if (!is.null(sample)) {
    if (setting != "federated") {
      abort("argument", "`sample` is for setting = \"federated\".", argument = "sample")
    }
    check_number(sample, "sample", lower = 0, open_lower = TRUE)
    if (sample >= 1) check_number(sample, "sample", whole = TRUE)
  }
  views <- fp_views(setting, noise)
  view <- if (is.null(view)) views[1L] else check_choice(view, views, "view")
  titles <- c(
    centralized = "Centralized private ADMM", federated = "Federated private ADMM",
    decentralized = "Fully decentralized private ADMM"
  )
  new_method("fp_admm", "consensus", titles[[setting]],
    sprintf("Cyffers, Bellet and Basu (2023), Algorithm %d", match(setting, settings) + 1L),
    lambda = lambda, gamma = gamma, setting = setting, sample = sample, clip = clip,
      clip_on = clip_on,
    noise = noise, view = view
  )
}

#' The views a setting has, its default first.
#' @noRd
fp_views <- function(setting, noise) {
  if (noise == "aggregate" || setting == "centralized") return("central")
  if (setting == "federated") c("central", "local") else c("network", "local")
}

.view_words <- c(
  central = "Whoever sees the released models z_1, ..., z_K",
  local = "Whoever sees every message of every user, the server included,",
  network = "Another user, who sees the models that reach him,"
)

#' @export
unused_arguments.dpadmm_family_consensus <- function(method) c("C", "rho", "network")

#' @noRd
run_method.dpadmm_family_consensus <- function(method, records, nodes, network, loss, penalty,
                                               C, rho, iterations, budget, control, key) {
  penalty <- check_penalty(penalty)
  check_gaussian(budget)
  if (!is.null(control$start)) {
    abort("argument", "This method starts at u = 0; leave `start` at NULL.", argument = "start")
  }
  iterations <- if (is.null(iterations)) 50L else as.integer(iterations)
  users <- if (!is.null(nodes)) resolve_nodes(nodes, nrow(records$x), key)
  public <- list(
    N = if (is.null(users)) nrow(records$x) else length(users$names), records = nrow(records$x),
    d = ncol(records$x), loss = loss, penalty = penalty, iterations = iterations,
    row_bound = control$row_bound, epsilon = budget$epsilon, delta = budget$delta,
    private = budget$private, mechanism = budget$mechanism
  )
  plan <- consensus_plan(method$parameters, public, key)
  scale <- events <- printed <- NULL
  if (budget$private) {
    check_consensus(plan, loss)
    accountant <- control$accountant
    at <- function(scale, accountant, view = plan$view) consensus_events(plan, scale, accountant,
      view)
    scale <- if (is.null(budget$noise)) {
      calibrate_noise(function(s) at(s, accountant), public$epsilon, public, control)
    } else {
      one_scale(budget$noise)
    }
    events <- at(scale, "sound")
    if (plan$noise == "block") {
      printed <- lapply(stats::setNames(nm = plan$views), function(view) at(scale, "paper", view))
    }
  }
  tol <- if (is.null(control$tol)) 1e-10 * min(plan$grad_bound, max(1,
    control$row_bound)) else control$tol
  result <- run_consensus(plan, public, records, users, scale, tol, control, key)
  check_finished(result$status, result$begun + plan$late, events, budget$delta)
  z <- result$iterates
  list(
    coefficients = z[iterations, , drop = FALSE], iterates = z, events = events, printed = printed,
    nodes = list(names = "model", size = public$records), users = users[c("names", "size")],
    public = public, plan = plan, noise = scale, states = result$states,
    trace = data.frame(iteration = seq_len(iterations), step = result$step)
  )
}

#' Gaussian noise only.
#' @noRd
check_gaussian <- function(budget) {
  if (budget$private && budget$mechanism != "gaussian") {
    abort("accountant",
      "This method adds Gaussian noise, which gives no pure guarantee: it needs `delta` > 0.",
      argument = "delta", value = budget$delta
    )
  }
}

#' The one number of a noise.
#' @noRd
one_scale <- function(noise) {
  check_class(noise, "dpadmm_noise_gaussian", "noise", "gaussian_noise()")
  check_numbers(noise$scale, "noise", length = 1L)
}

check_penalty <- function(penalty) {
  if (is.null(penalty)) return(penalty_none())
  check_class(penalty, "dpadmm_penalty", "penalty", "penalty_l1() and the like")
}

#' Everything that is fixed before a record is read.
#' @noRd
consensus_plan <- function(parameters, public, key) {
  n <- public$N
  late <- parameters$setting == "centralized"
  rounds <- public$iterations - late
  lipschitz <- public$loss$lipschitz * public$row_bound
  gradient <- parameters$clip_on == "gradient" && !is.null(parameters$clip)
  plan <- c(parameters[c("lambda", "gamma", "setting", "noise", "view")], list(
    n = n, rounds = rounds, late = late, sample = 0L,
    grad_bound = if (gradient) min(parameters$clip, lipschitz) else lipschitz,
    step_bound = if (parameters$clip_on == "step" &&
      !is.null(parameters$clip)) parameters$clip else Inf,
    views = fp_views(parameters$setting, parameters$noise)
  ))
  if (parameters$setting == "decentralized") {
    plan$walk <- core_call(.Call(ffi_walk, key, n, rounds))
    plan$count <- tabulate(plan$walk + 1L, n)
    plan$most <- cummax(stats::ave(seq_len(rounds), plan$walk, FUN = seq_along))
    return(plan)
  }
  plan$most <- seq_len(rounds)
  sample <- parameters$sample
  if (!is.null(sample)) {
    if (sample < 1) sample <- max(1, round(sample * n))
    if (sample > n) {
      abort("argument", sprintf("`sample` must be at most the number of users, %d, not %g.", n,
        sample),
        argument = "sample", value = sample
      )
    }
    if (sample < n) {
      plan$sample <- as.integer(sample)
      plan[c("count", "most")] <- core_call(.Call(ffi_participation, key, n, plan$sample, rounds))
    }
  }
  plan
}

#' What a private run needs.
#' @noRd
check_consensus <- function(plan, loss) {
  if (plan$rounds < 1L) {
    abort("argument", "z_1 reads no record: a private centralized fit needs `iterations` >= 2.",
      argument = "iterations")
  }
  if (is.infinite(plan$grad_bound) && is.infinite(plan$step_bound)) {
    abort("argument",
      sprintf('The "%s" loss has no Lipschitz constant: a private fit needs `clip`.', loss$name),
      argument = "clip"
    )
  }
  if (plan$noise == "aggregate") {
    if (is.finite(plan$step_bound)) {
      abort("argument",
        "Aggregate noise has no guarantee with clip_on = \"step\": use \"gradient\".",
          argument = "clip_on")
    }
    if (plan$lambda > 0.5) {
      abort("argument", sprintf("Aggregate noise needs lambda <= 1/2 for its guarantee, not %g.",
        plan$lambda),
        argument = "lambda", value = plan$lambda
      )
    }
  }
}

#' Events of a plan at a noise, by round, for the user who has taken part most so far.
#' @param accountant `"sound"`: what is proved; `"paper"`: Gaussian events whose Renyi
#'   divergence is the printed formula.
#' @noRd
consensus_events <- function(plan, scale, accountant, view) {
  step <- min(plan$gamma * plan$grad_bound, plan$step_bound)
  released <- seq_len(plan$rounds) + plan$late
  # More than the rounding of the few products below.
  outward <- 1 + 32 * .Machine$double.eps
  if (plan$noise == "aggregate") {
    moved <- 2 * step * (1 - (1 - 2 * plan$lambda)^plan$most) / plan$n
    return(dp_event_gaussian(scale, moved * outward, iteration = released, printed = NA))
  }
  # a further release whenever the largest number of turns grows
  grows <- c(plan$most[1L] > 0L, diff(plan$most) > 0L)
  if (accountant == "sound") return(dp_event_gaussian(scale, 4 * step * outward,
    iteration = released[grows]))
  n <- plan$n
  if (view == "central") {
    theorem <- if (plan$setting == "centralized") 2 else 3
    printed <- sprintf("noisy-fixed-point-admm, Theorem %d%s", theorem,
      if (theorem == 3) " (central)" else "")
    q <- if (plan$sample > 0L) plan$sample / n else 1
    events <- dp_event_gaussian(scale, 4 * step / n * (if (theorem == 3) sqrt(2) else 1),
      iteration = seq_len(plan$rounds + plan$late), printed = printed,
      printed_modulus = if (theorem == 3) scale * q * n / (4 * step) else NA
    )
    if (theorem == 3) events$q <- q
    return(events)
  }
  dp_event_gaussian(scale, 4 * step * (if (view == "network") sqrt(log(n) / n) else 1),
    iteration = released[grows],
    printed = paste("noisy-fixed-point-admm, Theorem", if (view == "network") "4" else "3 (local)"),
    printed_modulus = if (view == "network") scale / (2 * step) else NA
  )
}

#' Records as C reads them in place: the matrix, or its transpose's slots, and labels.
#' @noRd
row_view <- function(records, bound) {
  x <- records$x
  if (methods::is(x, "dgCMatrix")) {
    x <- Matrix::t(x)
    x <- list(p = x@p, i = x@i, x = x@x, Dim = x@Dim)
  }
  list(x = x, y = records$y, row_bound = bound, layout = "in_place")
}

#' The public numbers of consensus ADMM, as the core takes them: one holder of `users` users.
#' @noRd
consensus_spec <- function(d, users, rounds, loss, penalty, lambda, gamma, grad_bound, step_bound,
                           tol, threads, walk = NULL, sample = 0L, public_key = NULL, late = FALSE,
                           block_noise = NULL, mean_noise = NULL) {
  list(
    parties = 1L, d = d, rounds = as.integer(rounds), keep = TRUE, threads = threads,
    loss = loss$name, width = loss$width, weight = 1, ridge = 0, clip = grad_bound,
    rule = rep(match("prox", .Call(ffi_rules)) - 1L, rounds), tol = tol,
    mechanism = if (!is.null(block_noise) || !is.null(mean_noise)) "gaussian",
    output_scale = if (!is.null(block_noise)) rep(as.double(block_noise), rounds),
    relay = "server", users = users, lambda = lambda, prox_gamma = gamma, step_bound = step_bound,
    penalty = penalty$name, parameter = penalty_numbers(penalty),
    server_scale = if (!is.null(mean_noise)) rep(as.double(mean_noise), rounds),
    sample = sample, walk = walk, public_key = public_key, late = late
  )
}

#' @noRd
run_consensus <- function(plan, public, records, users, scale, tol, control, key) {
  bar <- progress_bar(control$progress, plan$rounds, "ADMM rounds")
  on.exit(bar$done())
  spec <- consensus_spec(
    public$d, public$N, plan$rounds, public$loss, public$penalty, plan$lambda, plan$gamma,
    plan$grad_bound, plan$step_bound, tol, control$threads,
    walk = plan$walk, sample = plan$sample, public_key = key, late = plan$late,
    block_noise = if (plan$noise == "block") scale,
    mean_noise = if (plan$noise == "aggregate") scale
  )
  records <- if (is.null(users)) {
    row_view(records, public$row_bound)
  } else {
    packed_records(records, public$row_bound,
      place = order(order(users$index)), user_size = as.integer(users$size)
    )
  }
  core_call(.Call(ffi_run, spec, records, key, bar$tick))
}
