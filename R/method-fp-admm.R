#' Private ADMM as a noisy fixed-point iteration
#'
#' Minimises `(1/n) sum_i f_i(z) + r(z)` over n users, where `f_i` is the mean loss of
#' user i's records (one each, or as many as `nodes` says; see `unit` for their weights) and r
#' the `penalty`, r = `penalty_l1(kappa)` and so on: the lasso and the elastic net, over one data
#' holder or several. With states `u_i` (start 0), each round makes
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
#'   aggregation) releases `z = prox(mean(u) + N(0, tau^2 I))`; `gaussian_noise(tau)`. For holders
#'   with `unit = "record"` and `aggregation = "secure"` nobody need be trusted: see [secure_sum()].
#'
#' @section Several records a user:
#' With `nodes`, or `sizes` of a plan, a user is a data holder, such as a hospital. `unit` says
#' what is protected:
#'
#' * `"record"`: neighbours differ in one record of one holder. Holder i with B_i of n records
#'   has the weight `N B_i / n`, so that what is minimised is the mean loss over *all records*
#'   plus r. Proximal steps are nonexpansive, so one record moves one by at most
#'   `s = 2 gamma L N / n`, L the loss's Lipschitz constant times `control$row_bound`: the same
#'   at holders of all sizes. A loss without such a constant cannot be had (take `"huber"`), and
#'   `clip`, which cuts a holder's gradient and no record's, must be `NULL`.
#' * `"holder"`: neighbours differ in *all* records of one holder, and holders have the same
#'   weight. For a few hospitals this is hardly more than noise; it says so before the fit, and in
#'   the statement.
#'
#' With noise of its own (`"block"`) a holder's noise hides its own records from everybody, the
#' server included: its step costs `2 s` against `sigma`, each time it takes part, and what other
#' holders spend does not add to it. With `"aggregate"` noise, lambda <= 1/2, one record moves
#' z after m steps by at most `s b (1 - (1 - 2 lambda / b)^m) / N`, `b = 1 + gamma c R^2 N B / n`
#' for the largest B, c the largest second derivative of the loss and R the row bound (and of many
#' steps less): more than a step, because what differs adds up in a state. Short steps keep b near
#' 1. Proofs are in `vignette("privacy-accounting")`, section 6.1. Proximal steps must then be
#' solved: where one cannot be, the run ends with an error.
#'
#' Without `gamma` and `iterations` they are worked out from public numbers. Without noise a fit
#' without `iterations` is the minimiser itself (see Defaults of [dpadmm_fit()]), and else `gamma
#' = 3 d / (c R^2)`; `fit$trace$step` says how far the last round still went. With `epsilon` 100
#' turns a holder and `gamma` such that z gathers noise of a quarter a coordinate (for rows of
#' norm 1), at most that. With block noise `noise` may be one number a holder.
#'
#' @section Guarantee:
#' Between neighbours one user's whole data change (with one record a user: one
#' record; with `unit = "record"` see above). Let L bound the norm of a user's gradient: the
#' loss's Lipschitz constant times `control$row_bound`, or `clip` when that is smaller. The bound
#' is enforced on
#' the implicit gradient `(2 z - u - x) / gamma` itself, so the guarantee does not rest
#' on how well a proximal step was solved. Where the records of a user are so large that it
#' cannot be solved in doubles, a private run takes the mean of the records' clipped gradients
#' at z instead: an error would tell of such records.
#'
#' The number of records of each user is taken to be public; `fit$plan` has it.
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
#' @param gamma weight of the proximal steps (> 0). `NULL`: 1, and for several holders with
#'   `unit = "record"` as above.
#' @param setting see above.
#' @param sample number of users a round (>= 1), or their share in (0, 1); federated
#'   only. `NULL`: all.
#' @param clip bound (> 0) on the norm that `clip_on` names; `NULL`: none. A private fit
#'   with a loss without Lipschitz constant (`"squared"`) needs one.
#' @param noise `"aggregate"` (the default, where there is a server) or `"block"`.
#' @param clip_on `"gradient"`: the implicit gradient, which for users with one record is
#'   exactly the proximal step of the loss with its slope cut off (squared becomes
#'   Huber); `"step"`: `x - z`, as in Algorithm 6, with block noise only.
#' @param unit what is protected where users have several records: `"record"`, or `"holder"`, all
#'   of a user's records. With one record a user both are the same.
#' @param view whom `epsilon` is for; `NULL`: `"central"` where there is a server,
#'   `"network"` where there is none.
#' @param ... not used: an unknown argument is an error.
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
#'   epsilon = 5, delta = 1e-6, seed = 1, intercept = FALSE
#' )
#' fit
#' @export
fp_admm <- function(lambda = 0.5, gamma = NULL,
                    setting = c("centralized", "federated", "decentralized"),
                    sample = NULL, clip = NULL, noise = NULL,
                    clip_on = c("gradient", "step"), view = NULL,
                    unit = c("record", "holder"), ...) {
  check_no_dots(...)
  settings <- c("centralized", "federated", "decentralized")
  setting <- check_choice(setting, settings, "setting")
  check_number(lambda, "lambda", lower = 0, open_lower = TRUE, upper = 1)
  if (!is.null(gamma)) check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
  unit <- check_choice(unit, c("record", "holder"), "unit")
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
  new_method("fp_admm", "server", titles[[setting]],
    sprintf("Cyffers, Bellet and Basu (2023), Algorithm %d", match(setting, settings) + 1L),
    lambda = lambda, gamma = gamma, setting = setting, sample = sample, clip = clip,
    clip_on = clip_on, noise = noise, view = view, unit = unit
  )
}

#' The views a setting has, its default first.
#' @noRd
fp_views <- function(setting, noise) {
  if (noise == "aggregate" || setting == "centralized") return("central")
  if (setting == "federated") c("central", "local") else c("network", "local")
}

#' @noRd
#' @export
unused_arguments.dpadmm_family_server <- function(method) {
  c("C", "rho", "lambda", "weights", "network")
}
