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
  if (!on_graph(method) || !all(method$update %in% .with_gradients)) {
    no(method$title, "releases no gradients from which standard errors could be had; admm(),",
      "m_admm(), r_admm() and mr_admm() do.")
  }
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

#' Rounds that a symmetric matrix takes.
#' @noRd
inference_pieces <- function(d) as.integer(ceiling((d + 1) / 2))

#' The rules of all rounds: those that move the model, and those of moments.
#' @noRd
all_rules <- function(plan) c(plan$rule, plan$inference$rules)

#' Bounds, in the Frobenius norm, on what one record adds to a node's matrices; one column a kind.
#' @noRd
moment_bounds <- function(problem) {
  each <- problem$C / problem$size
  cbind(
    curvature = each * problem$loss$curvature * problem$row_bound^2,
    scores = (each * problem$loss$lipschitz * problem$row_bound)^2
  )
}

#' Rounding in a node's sum of n matrices, and in the slope each of them is made with.
#' @noRd
moment_rounding <- function(problem, kind) {
  n <- problem$size
  sum_rounding(n + 64 + 2 * problem$d, n * moment_bounds(problem)[, kind])
}

#' The releases of moments, one a node and matrix, at the weight that takes their share of what
#' all of a node's releases cost: that of Gaussian noise is the square of sensitivity over noise.
#' @param releases the plan's others.
#' @noRd
moment_releases <- function(plan, releases) {
  kinds <- unique(plan$inference$rules)
  problem <- plan$problem
  share <- plan$inference$share
  node <- factor(releases$node, seq_len(problem$N))
  cost <- tapply((releases$sensitivity / releases$weight)^2, node, sum)
  each <- sqrt(as.vector(cost) * share / (1 - share) / length(kinds))
  do.call(rbind, lapply(seq_along(kinds), function(k) {
    moved <- sqrt(2) * problem$per_person * moment_bounds(problem)[, kinds[k]] +
      2 * plan$moment_slop[, kinds[k]]
    new_releases(kinds[k], seq_len(problem$N),
      plan$iterations + 1 + (k - 1) * inference_pieces(problem$d),
      sensitivity = moved, weight = moved / each
    )
  }))
}

#' What is set aside for rounding of the matrices before the noise is known.
#' @noRd
likely_moment_slop <- function(problem, inference) {
  kinds <- unique(inference$rules)
  out <- vapply(kinds, function(kind) {
    moment_rounding(problem, kind) + 1e-6 * moment_bounds(problem)[, kind]
  }, numeric(problem$N))
  matrix(out, problem$N, dimnames = list(NULL, kinds))
}

#' What rounding needs for noise of the present size.
#' @noRd
moment_slop <- function(plan) {
  if (is.null(plan$moment_slop)) return(NULL)
  entries <- plan$problem$d * inference_pieces(plan$problem$d)
  for (kind in colnames(plan$moment_slop)) {
    plan$moment_slop[, kind] <- moment_rounding(plan$problem, kind) +
      grid_slop(plan$moment_scales[, kind], entries)
  }
  plan$moment_slop
}

#' Standard deviations of an entry's noise, by node and matrix.
#' @param unit of each node.
#' @noRd
moment_scales <- function(plan, unit) {
  if (is.null(plan$moment_slop)) return(NULL)
  kinds <- colnames(plan$moment_slop)
  out <- vapply(kinds, function(kind) {
    unit * plan$releases$weight[plan$releases$part == kind]
  }, numeric(plan$problem$N))
  matrix(out, plan$problem$N, dimnames = list(NULL, kinds))
}

#' Orders of the rounds that move the model, with none for the others; of noise that is sent, with
#' that of the moments.
#' @noRd
with_moment_orders <- function(orders, plan) {
  rules <- plan$inference$rules
  if (is.null(rules)) return(orders)
  N <- plan$problem$N
  rounds <- length(plan$rule)
  none <- matrix(0, N, length(rules))
  own <- c("eta", "theta", "tol", "objective_scale")
  for (name in own) if (!is.null(orders[[name]])) orders[[name]] <- cbind(orders[[name]], none)
  if (!is.null(plan$moment_scales)) {
    before <- if (is.null(orders$output_scale)) matrix(0, N, rounds) else orders$output_scale
    orders$output_scale <- unname(cbind(before, plan$moment_scales[, rules, drop = FALSE]))
  }
  orders$share <- model_shares(plan$problem)
  orders
}
