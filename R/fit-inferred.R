# From a run to what its fit knows of standard errors, and the coefficients that mean something.

#' A fit with its inference, where the plan has one.
#' @param again a function that runs another plan on the same records, for fits at the optimum.
#' @noRd
with_inference <- function(fit, result, again = NULL, missed = FALSE) {
  plan <- fit$plan
  if (is.null(plan$inference)) return(fit)
  kept <- estimable_scaled(plan$problem$blueprint)
  fit$inference <- if (missed) {
    list(why = "a site missed a round, so the messages do not tell its gradients")
  } else if (isTRUE(plan$optimum)) {
    infer_optimum(plan, again, kept)
  } else {
    seen <- if (on_graph(plan$method)) {
      released_gradients(plan, result$iterates)
    } else {
      summed_gradients(plan, result$points, result$gradients)
    }
    infer(plan, seen, result$moments, as.vector(node_models(fit)), kept)
  }
  fit
}

# How far a step of Newton's method from a minimiser goes at most, over the minimiser's length.
.flat_step <- 1e-3

#' Without noise: the optimum of a ridge that moves nothing, and moments there.
#' @noRd
infer_optimum <- function(plan, again, kept) {
  slight <- with_slight_ridge(plan)
  f <- again(slight)$f
  if (!on_graph(plan$method)) f <- f[, 1L, drop = FALSE]
  centre <- rowMeans(f)
  # all are at the optimum of their sum, so only the sum of their gradients is known
  parts <- ncol(f)
  none <- matrix(0, 1L, parts)
  seen <- list(at = matrix(t(f), 1L), gradient = -slight$problem$rho / parts * matrix(t(f), 1L),
    objective = none, output = none, modulus = none)
  it <- infer(plan, seen, again(moments_only(plan, f))$moments, centre, kept)
  # a step from a minimiser that is one is next to nothing; along a flat end it is not
  step <- if (is.null(it$why)) sqrt(sum((it$estimate - centre)[kept]^2)) else 0
  if (identical(it$why, .may_be_separated) || step > .flat_step * sqrt(sum(centre^2))) {
    it <- list(why = "the classes are separated: there is no best model")
  }
  it
}

#' The plan with a ridge so slight that its optimum is that without. A method with one model has
#' that of nodes with the same records, for which there is a solver.
#' @noRd
with_slight_ridge <- function(plan) {
  problem <- plan$problem
  if (on_graph(plan$method)) {
    plan$problem$rho <- 1e-8 * problem$rho
    return(plan)
  }
  mass <- inferred_mass(plan)
  plan$problem$C <- mass
  plan$problem$rho <- 1e-10 * sum(mass) * problem$loss$curvature * problem$row_bound^2
  plan$method <- admm()
  plan$constraint <- NULL
  plan
}

#' The plan with no rounds but those of moments, at the model(s) f.
#' @noRd
moments_only <- function(plan, f) {
  none <- matrix(0, plan$problem$N, 0L)
  plan$optimum <- FALSE
  plan$iterations <- 0L
  plan$rule <- character()
  plan$start <- plan$start_from <- f
  plan$init <- "zero"
  if (on_graph(plan$method)) plan[c("eta", "theta", "tol")] <- list(none, none, none)
  plan
}

#' Columns that are no linear function of those before them, whatever the records: first levels
#' come last, and so are the ones that go where an intercept or another factor stands for them.
#' @return list(scaled = columns as they are released, original = columns in the user's units,
#'   form = matrix that takes all coefficients in these units to those of `original`).
#' @noRd
estimable <- function(blueprint) {
  d <- blueprint$d
  scaled <- estimable_scaled(blueprint)
  if (length(scaled) == d) return(list(scaled = scaled, original = scaled, form = diag(d)))
  x <- as.matrix(public_points(blueprint))
  original <- independent(t(solve(t(as.matrix(original_map(blueprint))), t(x))), blueprint$assign)
  list(scaled = scaled, original = original$kept, form = original$form)
}

#' Of the columns as they are released alone.
#' @noRd
estimable_scaled <- function(blueprint) {
  d <- seq_len(blueprint$d)
  if (blueprint$kind != "frame") return(d)
  if (!plain_terms(blueprint)) {
    return(independent(as.matrix(public_points(blueprint)), blueprint$assign)$kept)
  }
  # an intercept, or the first factor, stands for a level of each (other) factor
  first <- which(first_of_several(blueprint$assign))
  if (attr(blueprint$terms, "intercept") == 0L) first <- first[-1L]
  setdiff(d, first)
}

#' Whether all terms are factors, and products of different numbers within bounds: then it is known
#' which columns depend on others.
#' @noRd
plain_terms <- function(blueprint) {
  levels <- vapply(blueprint$variables, function(v) {
    switch(v$type, bounds = 0L, levels = length(v$values), NA)
  }, 0L)
  sets <- term_variables(blueprint$terms)
  several <- vapply(sets, function(set) length(set) > 1L && any(levels[set] > 0L), NA)
  !anyNA(levels) && !any(levels == 1L) && !any(several) &&
    max(blueprint$assign, 0L) == length(attr(blueprint$terms, "term.labels"))
}

first_of_several <- function(assign) {
  assign %in% assign[duplicated(assign)] & !duplicated(assign)
}

#' The columns that do not depend on those before them, and a matrix that takes all to these.
#' @noRd
independent <- function(x, assign) {
  d <- ncol(x)
  several <- first_of_several(assign)
  empty <- colSums(abs(x)) == 0 # indicators of missing values: there are none in public
  order <- c(which(!several & !empty), which(several & !empty))
  found <- qr(x[, order, drop = FALSE])
  kept <- order[found$pivot[seq_len(found$rank)]]
  form <- diag(d)
  if (length(gone <- setdiff(order, kept))) {
    form[kept, gone] <- qr.coef(qr(x[, kept, drop = FALSE]), x[, gone, drop = FALSE])
  }
  kept <- sort(c(kept, which(empty)))
  list(kept = kept, form = zap_small(form)[kept, , drop = FALSE])
}

#' Rounding of zeros and ones.
#' @noRd
zap_small <- function(x) ifelse(abs(x - round(x)) < 1e-9, round(x), x)

#' The linear forms of the released coefficients that are the user's coefficients: one a row, and
#' what is added to them.
#' @noRd
coefficient_forms <- function(blueprint) {
  d <- blueprint$d
  shift <- original_units(blueprint, matrix(0, 1L, d))
  map <- t(original_units(blueprint, diag(d)) - rep(shift, each = d))
  known <- estimable(blueprint)
  L <- known$form %*% map
  dimnames(L) <- list(coefficient_names(blueprint)[known$original], NULL)
  list(L = L, shift = as.vector(known$form %*% as.vector(shift)))
}
