# From a run to what its fit knows of standard errors, and the coefficients that mean something.

#' A fit with its inference, where the plan has one.
#' @param again a function that runs another plan on the same records, for fits at the optimum.
#' @noRd
with_inference <- function(fit, result, again = NULL, missed = FALSE) {
  plan <- fit$plan
  if (is.null(plan$inference)) return(fit)
  kept <- estimable(plan$problem$blueprint)$scaled
  fit$inference <- if (missed) {
    list(why = "a site missed a round, so the messages do not tell its gradients")
  } else if (isTRUE(plan$optimum)) {
    infer_optimum(plan, again, kept)
  } else {
    infer(plan, result$iterates, result$moments, as.vector(node_models(fit)), kept)
  }
  fit
}

# How far a step of Newton's method from a minimiser goes at most, over the minimiser's length.
.flat_step <- 1e-3

#' Without noise: the optimum of a ridge that moves nothing, and moments there.
#' @noRd
infer_optimum <- function(plan, again, kept) {
  plan$problem$rho <- 1e-8 * plan$problem$rho
  f <- again(plan)$f
  plan$optimum <- FALSE
  plan$rule <- character()
  plan$start <- f
  none <- matrix(0, plan$problem$N, 0L)
  plan[c("eta", "theta", "tol")] <- list(none, none, none)
  moments <- again(plan)$moments
  plan$iterations <- 1L
  plan$rule <- "exact"
  none <- matrix(0, plan$problem$N, 1L)
  plan[c("eta", "theta")] <- list(none, none)
  # all nodes are at the optimum of their sum, so only the sum of their gradients is known
  centre <- rowMeans(f)
  it <- infer(plan, array(t(f), c(1L, rev(dim(f)))), moments, centre, kept)
  # a step from a minimiser that is one is next to nothing; along a flat end it is not
  step <- sqrt(sum((it$estimate - centre)[kept]^2))
  if (!is.null(it$estimate) && step > .flat_step * sqrt(sum(centre^2))) {
    it <- list(why = "the classes are separated: there is no best model")
  }
  it
}

#' Columns that are no linear function of those before them, whatever the records: first levels
#' come last, and so are the ones that go where an intercept or another factor stands for them.
#' @return list(scaled = columns as they are released, original = columns in the user's units,
#'   form = matrix that takes all coefficients in these units to those of `original`).
#' @noRd
estimable <- function(blueprint) {
  d <- blueprint$d
  all <- list(scaled = seq_len(d), original = seq_len(d), form = diag(d))
  if (blueprint$kind != "frame") return(all)
  x <- as.matrix(public_points(blueprint))
  scaled <- independent(x, blueprint$assign)$kept
  if (length(scaled) == d) return(all)
  original <- independent(t(solve(t(as.matrix(original_map(blueprint))), t(x))), blueprint$assign)
  list(scaled = scaled, original = original$kept, form = original$form)
}

independent <- function(x, assign) {
  d <- ncol(x)
  several <- assign %in% assign[duplicated(assign)] & !duplicated(assign)
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
