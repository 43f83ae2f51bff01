# What a plan adds for standard errors: after the rounds that move the model, moments of the
# records at the mean model (src/core/rules/rule_moment.c), a matrix in pieces of d numbers.
# What comes of them is in fit-inference.R; what they hide is Theorem 19 of the vignette
# "privacy-accounting".

# The most columns whose moments are asked for: there are d (d + 1) / 2 in a matrix.
.most_inferred <- 500L

# Of the budget, what moments take.
.inference_share <- 0.25

# Updates that solve a node's problem, or follow from its solution: of these the released values
# tell a noisy gradient.
.with_gradients <- c("exact", "recycled")

#' @param inference as the user gave it: FALSE, TRUE, "model" or "sandwich".
#' @return The kind of covariance, or NULL: none is asked for.
#' @noRd
check_inference <- function(inference, loss) {
  if (identical(inference, FALSE)) return(NULL)
  default <- if (loss$name == "logistic") "model" else "sandwich"
  if (identical(inference, TRUE)) return(default)
  kinds <- c("model", "sandwich")
  if (!(is.character(inference) && length(inference) == 1L && inference %in% kinds)) {
    abort("argument", '`inference` must be TRUE, FALSE, "model" or "sandwich".',
      argument = "inference"
    )
  }
  if (inference == "model" && default != "model") {
    abort("argument", sprintf(paste(
      "The %s loss is no likelihood without a scale of its own: its standard errors are those",
      'of inference = "sandwich".'
    ), loss$name), argument = "inference", value = inference)
  }
  inference
}

#' What a method with gradients, loss and budget allow.
#' @return list(covariance, share, rules), or `NULL`: none is asked for.
#' @noRd
draft_inference <- function(covariance, method, problem, budget) {
  if (is.null(covariance)) return(NULL)
  no <- function(...) abort("argument", paste(...), argument = "inference")
  if (!is.null(why <- tells_no_gradients(method, problem))) no(why)
  loss <- problem$loss
  if (!loss$name %in% c("logistic", "huber", "squared")) {
    no("There is no inference for the", loss$name, 'loss; for "logistic", "huber" and "squared"',
      "there is.")
  }
  blueprint <- problem$blueprint
  if (!is.null(blueprint$weights) && covariance == "model") {
    no("With `case_weights` no likelihood says what the records vary by: use",
      'inference = "sandwich".')
  }
  if (blueprint$kind == "frame" && blueprint$rows == "shorten" &&
        public_lengths(blueprint)$longest > problem$row_bound) {
    no("Rows that are shortened one by one have other coefficients: use rows = \"scale\".")
  }
  if (problem$d > .most_inferred) {
    no(sprintf("There are %d columns, and inference is for %d at most.", problem$d,
      .most_inferred))
  }
  if (!is.null(budget$noise)) {
    no("Moments and iterations share one budget: give `epsilon` instead of `noise`.")
  }
  if (budget$private && noise_mechanism(budget$mechanism)$pure) {
    no("Intervals are for Gaussian noise, which needs `delta` > 0.")
  }
  pieces <- inference_pieces(problem$d)
  list(
    covariance = covariance, share = if (budget$private) .inference_share else 0,
    rules = rep(c("curvature", if (covariance == "sandwich") "scores"), each = pieces)
  )
}

#' Why the releases of a method tell no gradients of the problem's loss, or NULL.
#' @noRd
tells_no_gradients <- function(method, problem) {
  p <- method$parameters
  solved <- on_graph(method) && all(method$update %in% .with_gradients)
  if (!solved && !(by_gradients(method) && method$name != "dp_cd")) {
    return(paste(method$title, "releases no gradients from which standard errors could be had;",
      "admm(), m_admm(), r_admm() and mr_admm(), grad_admm(), acc_admm() and dp_sgd() do."))
  }
  if (solved) return(NULL)
  if (!is.null(p$batch) && p$batch != problem$records) {
    return("Gradients of random batches tell no standard errors here: use batch = NULL.")
  }
  if (!is.null(p$clip) && p$clip < problem$loss$lipschitz * problem$row_bound) {
    return(paste("Gradients that are clipped are not those of the loss: leave out `clip`, or",
      "use a loss with a bounded slope."))
  }
  penalty <- if (is.null(p$penalty)) problem$penalty else p$penalty
  if (is.null(penalty)) penalty <- penalty_none()
  if (!is.null(p$A) || !inherits(penalty, "dpadmm_penalty") ||
        !penalty$name %in% c("none", "l2")) {
    return(paste("Intervals are for coefficients without a penalty, and one step must lead there:",
      "use no penalty, or penalty_l2()."))
  }
}

#' What a plan has of inference: the weight of a record in each party's sum of losses, and what is
#' set aside for rounding.
#' @noRd
inference_parts <- function(inference, problem, budget, weight) {
  if (is.null(inference)) return(NULL)
  inference$weight <- weight
  list(inference = inference,
    moment_slop = if (budget$private) likely_moment_slop(problem, inference))
}

#' What each party's data term counts in all: its curvature is this times that of a mean loss.
#' @noRd
inferred_mass <- function(plan) plan$inference$weight * plan$problem$size

#' Rounds that a symmetric matrix takes.
#' @noRd
inference_pieces <- function(d) as.integer(ceiling((d + 1) / 2))

#' The rules of all rounds: those that move the model, and those of moments.
#' @noRd
all_rules <- function(plan) c(plan$rule, plan$inference$rules)

#' Bounds, in the Frobenius norm, on what one record adds to a node's matrices; one column a kind.
#' @noRd
moment_bounds <- function(problem, each) {
  cbind(
    curvature = each * problem$loss$curvature * problem$row_bound^2,
    scores = (each * problem$loss$lipschitz * problem$row_bound)^2
  )
}

#' Rounding in a node's sum of n matrices, and in the slope each of them is made with.
#' @noRd
moment_rounding <- function(problem, each, kind) {
  n <- problem$size
  sum_rounding(n + 64 + 2 * problem$d, n * moment_bounds(problem, each)[, kind])
}

#' Releases and those of moments, one a node and matrix, at the weight that takes their share of
#' what all of a node's releases cost: of Gaussian noise the square of sensitivity over noise.
#' @param releases the plan's others.
#' @noRd
with_moments <- function(plan, releases) {
  if (is.null(plan$inference)) return(releases)
  kinds <- unique(plan$inference$rules)
  problem <- plan$problem
  share <- plan$inference$share
  at <- unique(releases$node) # NA: one party that has no number
  node <- match(releases$node, at)
  cost <- tapply((releases$sensitivity / releases$weight)^2, node, sum)
  each <- sqrt(as.vector(cost) * share / (1 - share) / length(kinds))
  bounds <- moment_bounds(problem, plan$inference$weight)
  moments <- lapply(seq_along(kinds), function(k) {
    moved <- sqrt(2) * problem$per_person * bounds[, kinds[k]] + 2 * plan$moment_slop[, kinds[k]]
    weight <- moved / each
    if (is_secure(plan)) weight <- max(weight) # the noise of one sum
    new_releases(kinds[k], at, plan$iterations + 1 + (k - 1) * inference_pieces(problem$d),
      sensitivity = moved, weight = weight
    )
  })
  join_releases(c(list(releases), moments))
}

#' What is set aside for rounding of the matrices before the noise is known.
#' @noRd
likely_moment_slop <- function(problem, inference) {
  kinds <- unique(inference$rules)
  out <- vapply(kinds, function(kind) {
    moment_rounding(problem, inference$weight, kind) +
      1e-6 * moment_bounds(problem, inference$weight)[, kind]
  }, numeric(problem$N))
  matrix(out, problem$N, dimnames = list(NULL, kinds))
}

#' What rounding needs for noise of the present size.
#' @noRd
moment_slop <- function(plan) {
  if (is.null(plan$moment_slop)) return(NULL)
  entries <- plan$problem$d * inference_pieces(plan$problem$d)
  for (kind in colnames(plan$moment_slop)) {
    scale <- plan$moment_scales[, kind]
    plan$moment_slop[, kind] <- moment_rounding(plan$problem, plan$inference$weight, kind) +
      grid_slop(scale, entries) + shares_slop(plan, scale, entries)
  }
  plan$moment_slop
}

#' Standard deviations of an entry's noise as stated, by node and matrix.
#' @param unit of each node.
#' @noRd
moment_scales <- function(plan, unit) {
  if (is.null(plan$moment_slop)) return(NULL)
  kinds <- colnames(plan$moment_slop)
  N <- plan$problem$N
  out <- vapply(kinds, function(kind) {
    unit * plan$releases$weight[plan$releases$part == kind][seq_len(N)]
  }, numeric(N))
  matrix(out, plan$problem$N, dimnames = list(NULL, kinds))
}

#' Variance of the noise of a diagonal entry, by node, or of all together where only the sum
#' matters; off the diagonal it is half of that.
#' @noRd
moment_variance <- function(plan, kind) {
  scales <- plan$moment_scales
  N <- plan$problem$N
  variance <- if (kind %in% colnames(scales)) scales[, kind]^2 else numeric(N)
  if (is_secure(plan)) return(variance[1L] * N / plan$secure$honest) # where nobody leaves any out
  if (by_gradients(plan$method)) sum(variance) else variance
}

#' The largest entry of a sum of moments in the unit that a secure plan sends them in.
#' @noRd
moment_range <- function(plan) {
  if (is.null(plan$moment_scales)) return(0)
  bounds <- moment_bounds(plan$problem, plan$inference$weight)
  kinds <- colnames(plan$moment_scales)
  max(colSums(plan$problem$size * bounds)[kinds] * plan$noise / plan$moment_scales[1L, ])
}

#' Orders of the rounds that move the model, with none for the others; of noise that is sent, with
#' that of the moments.
#' @noRd
with_moment_orders <- function(orders, plan) {
  rules <- plan$inference$rules
  if (is.null(rules)) return(orders)
  N <- plan$problem$N
  rounds <- length(plan$rule)
  own <- c("eta", "theta", "tol", "objective_scale")
  for (name in intersect(own, names(orders))) {
    none <- matrix(0, NROW(orders[[name]]), length(rules))
    if (!is.null(orders[[name]])) orders[[name]] <- cbind(orders[[name]], none)
  }
  if (!is.null(plan$moment_scales)) {
    before <- if (is.null(orders$output_scale)) matrix(0, N, rounds) else orders$output_scale
    orders$output_scale <- unname(cbind(before, plan$moment_scales[, rules, drop = FALSE]))
  }
  if (on_graph(plan$method)) orders$share <- model_shares(plan$problem)
  if (is_secure(plan)) { # parts of noise of one size
    unit <- plan$noise / plan$moment_scales[1L, rules]
    orders$unit <- c(rep(1, rounds), unname(unit))
  }
  orders
}
