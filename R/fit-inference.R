# Standard errors from what a run released: noisy gradients, which the messages tell, and noisy
# moments at the mean model (plan-inference.R). The derivation is in the vignette "report".
#
# A node's update solves grad D_i(f) + ridge f + linear + 2 eta V f + b = 0, where D_i is its data
# term, b its noise and the rest public. So with its message m for f
#
#   k_i(t) = -linear - (2 eta V + ridge) m = grad D_i(m) + b - (H_i + 2 eta V + ridge) z,
#
# z the noise on the message. Methods with one model release their gradients themselves, and only
# the sum over parties matters: one part, without z. A step of Newton's method from the mean model
# f_0 on the sum of D_i,
# with the mean over late rounds of k_i(t) - H_i (m_i(t) - f_0) for the gradient at f_0, is an
# estimate of the minimiser without the ridge.

#' What a fit keeps for standard errors: of a linear form l'f of the estimate the variance is
#' l'G (noise + meat) G l.
#' @param seen of released_gradients() or summed_gradients().
#' @param moments as the core answers: columns x (nodes, or 1: their sum) x pieces.
#' @return list(estimate, bread = G, noise, meat, ...), or list(why) where there is no interval.
#' @noRd
infer <- function(plan, seen, moments, centre, kept) {
  parts <- inferred_parts(plan)
  curvature <- unpack_moments(plan, moments, "curvature")
  H <- Reduce(`+`, curvature)
  v <- moment_variance(plan, "curvature")
  weak <- too_weak(H, sum(v), kept)
  if (!is.null(weak)) return(list(why = weak))
  G <- bread(H, kept)
  third <- third_order(plan$problem, H, centre, sum(parts$mass))
  second <- second_order(plan$problem, parts, seen$at, centre, H, G, third)
  weight <- round_weights(parts, seen, second, H, G)
  mean_of <- function(x) matrix(colSums(weight * x), length(curvature)) # over rounds
  place <- mean_of(seen$at)
  steps <- Map(function(H_i, i) H_i %*% (place[i, ] - centre), curvature, seq_along(curvature))
  gradient <- colSums(mean_of(seen$gradient)) - Reduce(`+`, steps) -
    colSums(weight * second$value)
  logistic <- plan$problem$loss$name == "logistic"
  margin <- if (plan$private) 0.5 else 0
  if (logistic && may_be_separated(H, gradient, kept, plan$problem$row_bound, margin)) {
    return(list(why = .may_be_separated))
  }
  step <- as.vector(-G %*% gradient)
  noise <- gradient_noise(seen, weight, curvature)
  if (!is.null(third)) { # a second step, with the curvature where the first one led
    moved <- change_of_curvature(third, step)
    if (!is.null(weak <- too_weak(H + moved, sum(v), kept))) return(list(why = weak))
    G <- bread(H + moved, kept)
    step <- step - as.vector(G %*% (moved %*% step)) / 2
    curvature <- Map(function(H_i, share) H_i + share * moved, curvature, parts$share)
  }
  estimate <- centre + step
  model <- plan$inference$covariance == "model"
  meat <- if (model) Map(`*`, curvature, parts$weight) else unpack_moments(plan, moments, "scores")
  list(
    covariance = plan$inference$covariance, estimate = estimate, bread = G,
    noise = noise + curvature_noise(v, rep(estimate, each = nrow(place)) - place),
    meat = Reduce(`+`, meat), weight = weight,
    meat_variance = sum(if (model) parts$weight^2 * v else moment_variance(plan, "scores"))
  )
}

#' The parts that gradients are released of, parties or all together: what a record weighs in each,
#' what its data term counts, and that as a share.
#' @noRd
inferred_parts <- function(plan) {
  weight <- plan$inference$weight
  mass <- inferred_mass(plan)
  if (by_gradients(plan$method)) { # records of all parties weigh the same
    weight <- weight[1L]
    mass <- sum(mass)
  }
  list(weight = weight, mass = mass, share = mass / sum(mass))
}

# ---- what was released ------------------------------------------------------------------------

#' The symmetric matrices of a kind, one a node, or their sum.
#' @noRd
unpack_moments <- function(plan, moments, kind) {
  d <- plan$problem$d
  rounds <- plan$inference$rules == kind
  X <- matrix(0, d, d)
  lower <- which(lower.tri(X, diag = TRUE))
  lapply(seq_len(dim(moments)[2L]), function(i) {
    X[lower] <- moments[, i, rounds][seq_along(lower)]
    off <- X / sqrt(2)
    diag(off) <- diag(X) / 2
    off + t(off)
  })
}

#' Noisy gradients of the nodes' data terms, where they are, and their noise: rounds x (nodes x
#' columns), and rounds x nodes.
#' @noRd
released_gradients <- function(plan, iterates) {
  problem <- plan$problem
  V <- problem$degree
  neighbours <- neighbour_sums(problem$network, problem$d)
  ridge <- problem$rho / problem$N
  noisy <- plan$rule != "recycled"
  f <- t(plan$start)
  dual <- 0 * f
  sum_f <- neighbours(f)
  gradient <- matrix(0, length(noisy), length(f))
  for (t in seq_along(noisy)) {
    eta <- plan$eta[, t]
    before <- V * f + sum_f
    f[] <- iterates[t, , ]
    if (noisy[t]) {
      quad <- ridge + 2 * eta * V
      linear <- 2 * dual - eta * before
      if (!is.null(plan$reach)) linear <- cut_rows(linear, quad * plan$reach) # as the core does
      gradient[t, ] <- -linear - quad * f
    }
    sum_f <- neighbours(f)
    dual <- dual + plan$theta[, t] / 2 * (V * f - sum_f)
  }
  of <- function(scale) {
    if (is.null(scale)) matrix(0, sum(noisy), problem$N) else t(scale[, noisy, drop = FALSE])
  }
  list(
    at = matrix(iterates[noisy, , ], sum(noisy)), gradient = gradient[noisy, , drop = FALSE],
    objective = of(plan$scales$objective), output = of(plan$scales$output),
    modulus = t(ridge + 2 * plan$eta[, noisy, drop = FALSE] * V)
  )
}

#' Rows no longer than this.
#' @noRd
cut_rows <- function(x, longest) {
  norm <- sqrt(.rowSums(x^2, nrow(x), ncol(x)))
  long <- norm > longest
  x[long, ] <- x[long, ] * (longest / norm)[long]
  x
}

#' The same of a method with one model: the sums of noisy gradients, as they were released.
#' @param points,gradients rounds x columns.
#' @noRd
summed_gradients <- function(plan, points, gradients) {
  none <- matrix(0, nrow(points), 1L)
  spread <- if (plan$private) matrix(sqrt(colSums(gradient_spread(plan)^2))) else none
  list(at = points, gradient = gradients, objective = spread, output = none, modulus = none)
}

# ---- how far it carries -----------------------------------------------------------------------

#' Why a released curvature carries no intervals, or NULL.
#' @param v variance of a diagonal entry of its noise.
#' @noRd
too_weak <- function(H, v, kept) {
  least <- least_eigen(H[kept, kept, drop = FALSE])
  noise <- curvature_by_noise(length(kept), v)
  if (noise == 0 && least <= 1e-10 * max(diag(H))) {
    return("the columns are collinear, or the classes separated in some of them")
  }
  if (least > .safe_curvature * noise) return(NULL)
  sprintf(paste(
    "the data cannot carry intervals at this budget (the least eigenvalue of the released",
    "curvature is %s, and noise alone makes %s)"
  ), forecast_number(least), forecast_number(noise))
}

.may_be_separated <- paste(
  "as far as the released values tell the classes may be separated, so that there is no best",
  "model, or nearly so"
)

#' Whether this curvature and gradient at a point are what separated classes have. For them there is
#' a u, |u| = 1, on the right side of which all records are: y x'u >= 0. The logistic loss has
#' L'' <= |L'|, so that at every point, r the longest row,
#'
#'   u'H u = sum w L'' (x'u)^2 <= r sum w |L'| y x'u = -r gradient'u.
#'
#' Whether any u is such is a problem with one constraint, whose dual has no gap:
#' max -gradient'u - u'H u / r = min of sum gradient_j^2 / (4 (l_j - nu)) - nu over nu < min(l), l
#' the eigenvalues of H / r, gradient in their vectors; for nu <= 0 that is not negative.
#' @param margin in units of min(l): with noise in both, one run in sixteen of ordinary records
#'   (Adult, epsilon = 3) would be refused without it, and none of 250 is with a half.
#' @noRd
may_be_separated <- function(H, gradient, kept, r, margin) {
  spectrum <- eigen(H[kept, kept, drop = FALSE], symmetric = TRUE)
  l <- spectrum$values / r
  squares <- crossprod(spectrum$vectors, gradient[kept])^2 / 4
  least <- min(l)
  excess <- function(share) sum(squares / (l - share * least)) - share * least
  stats::optimize(excess, c(0, 1), tol = 1e-6)$objective > margin * least
}

#' Inverse of H on the columns that are kept; 0 elsewhere.
#' @noRd
bread <- function(H, kept) {
  G <- 0 * H
  G[kept, kept] <- solve(H[kept, kept, drop = FALSE])
  (G + t(G)) / 2
}

#' Weights of the rounds: late ones, as many as bring down the noise by more than what is uncertain
#' about the second order of the gradients.
#' @param second second_order() of the rounds.
#' @noRd
round_weights <- function(parts, seen, second, H, G) {
  typical <- sum(diag(H)) / nrow(H) * parts$share
  noise <- rowSums(seen$objective^2 +
    seen$output^2 * (seen$modulus + rep(typical, each = nrow(seen$modulus)))^2)
  if (all(noise == 0)) noise[] <- 1e-300
  rounds <- seq_along(noise)
  # one row a first round
  weights <- outer(rounds, rounds, `<=`) * rep(1 / noise, each = length(noise))
  weights <- weights / rowSums(weights)
  risk <- sum(diag(G)) * as.vector(weights^2 %*% noise) + second$error(weights)
  weights[which.min(risk), ]
}

# ---- variances --------------------------------------------------------------------------------

#' Of the weighted gradients.
#' @noRd
gradient_noise <- function(seen, weight, curvature) {
  identity <- diag(nrow(curvature[[1L]]))
  of_node <- function(i) {
    a <- (weight * seen$output[, i])^2
    H <- curvature[[i]]
    sum((weight * seen$objective[, i])^2) * identity + sum(a) * H %*% H +
      2 * sum(a * seen$modulus[, i]) * H + sum(a * seen$modulus[, i]^2) * identity
  }
  Reduce(`+`, lapply(seq_along(curvature), of_node))
}

#' Of E u, summed over nodes, E symmetric noise of variance v on the diagonal and v/2 off it.
#' @param u nodes x columns.
#' @noRd
curvature_noise <- function(v, u) {
  crossprod(sqrt(v / 2) * u) + sum(v / 2 * rowSums(u^2)) * diag(ncol(u))
}

#' Estimates of linear forms, one a row of L, with the degrees of freedom of their variances. Given
#' the released curvature an estimate is off by G times the noise of the gradients, whose law is
#' known, and what the sample is off by, whose variance is known up to the noise in the meat:
#' c'E c, c = G l, has variance v |c|^4. Where that is as large as the meat, what is below 0 counts
#' as 0, which the noise of the gradients is added to: a variance so far from 0 varies less.
#' @return A data frame: estimate, variance, df.
#' @noRd
linear_forms <- function(it, L) {
  LG <- L %*% it$bread
  form <- function(A) rowSums((LG %*% A) * LG)
  sampled <- pmax(0, form(it$meat))
  variance <- form(it$noise) + sampled
  spread <- floored_variance(sampled, sqrt(it$meat_variance) * rowSums(LG^2))
  data.frame(estimate = as.vector(L %*% it$estimate), variance = variance,
    df = ifelse(spread > 0, 2 * variance^2 / spread, Inf))
}

#' Variance of max(0, X), X normal with this mean, at least 0, and standard deviation.
#' @noRd
floored_variance <- function(mean, sd) {
  a <- ifelse(sd > 0, mean / sd, 0)
  above <- stats::pnorm(a)
  first <- a * above + stats::dnorm(a)
  sd^2 * ((a^2 + 1) * above + a * stats::dnorm(a) - first^2)
}
